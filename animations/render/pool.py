"""Forked workers that wait at a gate, each until it is told to go, a few at a time.

A worker is this very process at the moment of the fork: it goes on from there with everything
that has been built so far, which no call of a function in another process could. What it is for
may only be known later, and whether it is needed at all.
"""

from __future__ import annotations

import gc
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

__all__ = ["Pool", "Worker"]

CROWD = 32  # workers that may wait: each keeps what the parent changes after its fork in memory
LONGEST = 4096  # bytes of an order, which a pipe takes whole
PAUSE = 0.02  # seconds between two looks at the workers


@dataclass(eq=False)
class Worker:
    """A forked process; it starts when its gate is opened.

    Attributes
    ----------
    pid, gate
        The process, and the end of the pipe that it waits at.
    order
        What it will be told.
    cost
        How long it will take, in any unit.
    future
        Its exit status.
    """

    pid: int
    gate: int
    order: str = ""
    cost: float = 0.0
    future: Future = field(default_factory=Future)


class Pool:
    """Runs at most `slots` workers at a time.

    Parameters
    ----------
    slots
        How many workers may run at once. While the parent still has work of its own it takes
        one of the slots.
    """

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._held: list[Worker] = []
        self._waiting: list[Worker] = []
        self._running: list[Worker] = []

    def fork(self) -> Worker | str:
        """Fork here. Return the worker, or in the worker, once it may start, its order."""
        way_in, gate = os.pipe()
        with warnings.catch_warnings():
            # The only other threads are those of array libraries, idle and ready for forks.
            warnings.simplefilter("ignore", DeprecationWarning)
            gc.freeze()  # or a worker's collector would touch, and so copy, all that it inherits
            pid = os.fork()
        if pid == 0:
            os.close(gate)
            return self._wait_at(way_in)
        gc.unfreeze()
        os.close(way_in)
        worker = Worker(pid, gate)
        self._held.append(worker)
        return worker

    def admit(self, worker: Worker, order: str, cost: float) -> None:
        """Let a worker through as soon as there is a slot.

        Parameters
        ----------
        worker
            Which.
        order
            What it is told.
        cost
            How long it will take, in any unit: long ones go first.
        """
        self._held.remove(worker)
        worker.order, worker.cost = order, cost
        self._waiting.append(worker)
        self._advance(self.slots - 1)
        while len(self._waiting) > CROWD:
            time.sleep(PAUSE)
            self._advance(self.slots)

    def dismiss(self, worker: Worker) -> None:
        """End a worker that is not needed."""
        self._held.remove(worker)
        self._end(worker)

    def finish(self, watch: Callable[[], None]) -> None:
        """Let everything run to its end, calling `watch` now and then."""
        self._waiting.sort(key=lambda worker: -worker.cost)
        while self._waiting or self._running:
            self._advance(self.slots)
            watch()
            time.sleep(PAUSE)
        watch()

    def stop(self) -> None:
        """End every worker that is left."""
        for worker in self._all():
            self._end(worker)
        self._held, self._waiting, self._running = [], [], []

    def _end(self, worker: Worker) -> None:
        with suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(worker.pid, 0)
        os.close(worker.gate)
        worker.future.cancel()

    def _advance(self, slots: int) -> None:
        """Reap workers that are done and let waiting ones through."""
        for worker in [worker for worker in self._running if _done(worker)]:
            self._running.remove(worker)
            os.close(worker.gate)
        while self._waiting and len(self._running) < slots:
            worker = self._waiting.pop(0)
            worker.future.set_running_or_notify_cancel()
            os.write(worker.gate, worker.order.encode())
            self._running.append(worker)

    def _wait_at(self, way_in: int) -> str:
        """Wait, in the worker, for its order; leave if there is none, or the parent is gone."""
        for worker in self._all():
            os.close(worker.gate)  # or the end of the parent would not close the others' gates
        self._held, self._waiting, self._running = [], [], []
        order = os.read(way_in, LONGEST)
        os.close(way_in)
        if not order:
            os._exit(0)
        return order.decode()

    def _all(self) -> Iterator[Worker]:
        yield from self._held
        yield from self._waiting
        yield from self._running


def _done(worker: Worker) -> bool:
    """Tell whether `worker` has ended, and keep its exit status."""
    pid, status = os.waitpid(worker.pid, os.WNOHANG)
    if pid:
        worker.future.set_result(os.waitstatus_to_exitcode(status))
    return bool(pid)
