"""Forked workers: a few at a time, long ones first, none left behind."""

import os
import time

import pytest

from animations.render.pool import Pool
from animations.render.progress import Counter


@pytest.fixture
def pool():
    pool = Pool(2)
    yield pool
    pool.stop()


def worker(pool, action, cost=1):
    """Fork a worker that does `action` and leaves; return its future."""
    forked = pool.fork()
    if isinstance(forked, str):
        try:
            status = action() or 0
        finally:
            os._exit(status)
    pool.admit(forked, "go", cost)
    return forked.future


def test_results_are_exit_statuses(pool):
    futures = [worker(pool, lambda status=status: status) for status in (0, 3, 0)]
    pool.finish(lambda: None)
    assert [future.result() for future in futures] == [0, 3, 0]


def test_a_worker_goes_on_from_the_state_it_was_forked_in(pool):
    counter, state = Counter(), []
    for number in range(4):
        state.append(number)
        worker(pool, lambda: counter.add(len(state), sum(state)))
    pool.finish(lambda: None)
    assert counter.total == 0 + 1 + 3 + 6


def test_no_more_run_at_a_time_than_there_are_slots(pool):
    running, highest = Counter(), Counter()

    def work(cell):
        running.add(cell, 1)
        highest.add(cell, running.total)
        time.sleep(0.05)
        running.add(cell, -1)

    for cell in range(6):
        worker(pool, lambda cell=cell: work(cell))
    pool.finish(lambda: None)
    assert 1 <= max(highest[cell] for cell in range(6)) <= 2


def test_long_ones_go_first():
    pool, order = Pool(1), Counter()
    for cost in (1, 3, 2):
        worker(pool, lambda cost=cost: _note(order, cost), cost)
    pool.finish(lambda: None)
    assert order[3] < order[2] < order[1]


def test_a_worker_is_told_its_order(pool):
    told = Counter()
    for number in range(3):
        forked = pool.fork()
        if isinstance(forked, str):
            told.add(int(forked), 1)
            os._exit(0)
        pool.admit(forked, str(10 + number), 1)
    pool.finish(lambda: None)
    assert [told[10 + number] for number in range(3)] == [1, 1, 1]


def test_a_worker_that_is_dismissed_never_starts(pool):
    started = Counter()
    forked = pool.fork()
    if isinstance(forked, str):
        started.add(0, 1)
        os._exit(0)
    pool.dismiss(forked)
    pool.finish(lambda: None)
    assert started.total == 0
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def _note(order, cost):
    order.add(cost, 1 + order.total)


def test_a_killed_worker_is_told_from_a_finished_one(pool):
    future = worker(pool, lambda: os.kill(os.getpid(), 9))
    pool.finish(lambda: None)
    assert future.result() == -9


def test_workers_that_wait_leave_when_their_parent_is_gone(pool):
    """The gates of the others must not be held open by siblings."""
    way_in, way_out = os.pipe()
    parent = os.fork()
    if parent == 0:
        inner = Pool(0)  # nobody is ever let through
        for _ in range(3):
            if isinstance(inner.fork(), str):
                os._exit(1)
        os._exit(0)
    os.waitpid(parent, 0)
    os.close(way_out)
    # Every descendant holds the pipe's other end: it reads as closed once all have left.
    os.set_blocking(way_in, False)
    deadline = time.time() + 5
    while time.time() < deadline:
        try:
            assert os.read(way_in, 1) == b""
            break
        except BlockingIOError:
            time.sleep(0.01)
    else:
        pytest.fail("a waiting worker outlived its parent")
    os.close(way_in)


def test_stopping_ends_everything(pool):
    for _ in range(4):
        worker(pool, lambda: time.sleep(60))
    started = time.time()
    pool.stop()
    assert time.time() - started < 5
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
