"""Tasks on several threads, each with a single-threaded BLAS.

Threads over tasks and threads inside BLAS at once get in each other's way: twice as slow as
either, measured. So BLAS is held to one thread while tasks run, and there are as many workers as
BLAS had threads, which honours whatever limit the caller has set on it.
"""

import contextvars
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any


def run(function: Callable[..., None], tasks: Iterable[tuple]) -> None:
    """Call ``function(*task)`` for every task, in this order as far as there are workers.

    One worker, with BLAS left as it is, where `threadpoolctl` is missing or does not know the
    BLAS, or where there is one task. An error is raised when all workers have ended.
    """
    tasks = list(tasks)
    if len(tasks) < 2 or not _blas():
        for task in tasks:
            function(*task)
        return
    # Where BLAS counts threads for each caller (OpenMP), each worker has to set its own limit.
    limit = partial(_blas().limit, limits=1)
    with _ONE_THREAD as workers, ThreadPoolExecutor(workers, initializer=limit) as pool:
        work = partial(_work, function, deque(tasks))
        # The context carries np.errstate along; one context cannot be in two threads at once.
        helpers = [pool.submit(contextvars.copy_context().run, work) for _ in range(workers - 1)]
        work()  # the caller is a worker too: a thread less to start and to wait for
        for helper in helpers:
            helper.result()


def count() -> int:
    """Return how many tasks run at once."""
    if not _blas():
        return 1
    with _ONE_THREAD as workers:
        return workers


def _work(function: Callable[..., None], tasks: deque[tuple]) -> None:
    """Take tasks until there are none."""
    while True:
        try:
            task = tasks.popleft()
        except IndexError:
            return
        function(*task)


@cache
def _blas() -> Any:
    """Return the controller of the BLAS libraries that are loaded; nothing if there is none."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    controller = ThreadpoolController().select(user_api="blas")
    return controller if controller.lib_controllers else None


def _release() -> None:
    """Let any thread set the limit: newer threadpoolctl heeds only the first one that did."""
    for library in _blas().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


class _OneThread:
    """BLAS at one thread while anybody is inside; the last one out restores what was.

    The limit belongs to the process, so two callers that each set and restored it could leave it
    at one for good.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limit: Any = None
        self._threads = 1

    def __enter__(self) -> int:
        with self._lock:
            if not self._inside:
                self._threads = max(library["num_threads"] for library in _blas().info())
                self._limit = _blas().limit(limits=1)
            self._inside += 1
            return self._threads

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                _release()
                self._limit.restore_original_limits()
                _release()


_ONE_THREAD = _OneThread()
