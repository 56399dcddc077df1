"""Forked workers that wait at a gate and are let through a few at a time.

A worker is this very process at the moment of the fork: it goes on from there with everything
that has been built so far, which no call of a function in another process could.
"""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field

__all__ = ["Pool"]

CROWD = 32  # workers that may wait: each keeps what the parent changes after its fork in memory
PAUSE = 0.02  # seconds between two looks at the workers


@dataclass(eq=False)
class _Worker:
    """A forked process; it starts when its gate is opened."""

    pid: int
    gate: int
    cost: float
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
        self._waiting: list[_Worker] = []
        self._running: list[_Worker] = []

    def fork(self) -> Future | None:
        """Fork here. Return the worker's future, or None in the worker once it may start.

        The future's result is the exit status of the worker.
        """
        way_in, gate = os.pipe()
        with warnings.catch_warnings():
            # The only other threads are those of array libraries, idle and ready for forks.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            os.close(gate)
            self._wait_at(way_in)
            return None
        os.close(way_in)
        worker = _Worker(pid, gate, cost=0.0)
        self._waiting.append(worker)
        self._advance(self.slots - 1)
        while len(self._waiting) > CROWD:
            time.sleep(PAUSE)
            self._advance(self.slots)
        return worker.future

    def expect(self, future: Future, cost: float) -> None:
        """Say how long the worker of `future` will take, in any unit: long ones go first."""
        for worker in self._waiting:
            if worker.future is future:
                worker.cost = cost

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
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(worker.pid, 0)
            os.close(worker.gate)
            worker.future.cancel()
        self._waiting, self._running = [], []

    def _advance(self, slots: int) -> None:
        """Reap workers that are done and let waiting ones through."""
        for worker in [worker for worker in self._running if _done(worker)]:
            self._running.remove(worker)
            os.close(worker.gate)
        while self._waiting and len(self._running) < slots:
            worker = self._waiting.pop(0)
            worker.future.set_running_or_notify_cancel()
            os.write(worker.gate, b"1")
            self._running.append(worker)

    def _wait_at(self, way_in: int) -> None:
        """Wait, in the worker, for the gate to open; leave if the parent is gone."""
        for worker in self._all():
            os.close(worker.gate)  # or the end of the parent would not close the others' gates
        self._waiting, self._running = [], []
        if os.read(way_in, 1) == b"":
            os._exit(0)
        os.close(way_in)

    def _all(self) -> Iterator[_Worker]:
        yield from self._waiting
        yield from self._running


def _done(worker: _Worker) -> bool:
    """Tell whether `worker` has ended, and keep its exit status."""
    pid, status = os.waitpid(worker.pid, os.WNOHANG)
    if pid:
        worker.future.set_result(os.waitstatus_to_exitcode(status))
    return bool(pid)
