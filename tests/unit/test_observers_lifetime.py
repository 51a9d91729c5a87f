"""How long an observer is told of calls: threads, forks, stopping and freeing."""

from __future__ import annotations

import gc
import os
import pickle
import threading
import time
import weakref

import pytest

import gpukit
from gpukit import _core
from support.observer_log import Log


@pytest.fixture(autouse=True)
def nobody_is_left():
    yield
    gc.collect()
    assert not _core.is_observed()


def test_threads_have_their_own_observers():
    here, everywhere = Log(), Log()

    def other_thread():
        gpukit.ones(2).exp()

    with _core.observe(here), _core.observe(everywhere, all_threads=True):
        thread = threading.Thread(target=other_thread)
        thread.start()
        thread.join()
        gpukit.zeros(1)
    assert here.names == ["zeros"]
    assert everywhere.names == ["ones", "exp", "zeros"]


def test_an_observer_ends_with_its_thread_or_from_another_one():
    handles = []

    def other_thread():
        handles.append(_core.observe(Log()))

    thread = threading.Thread(target=other_thread)
    thread.start()
    thread.join()
    for _ in range(500):  # Python says that a thread has ended shortly before it has
        if not _core.is_observed():
            break
        time.sleep(0.01)
    assert not _core.is_observed()
    handles[0].stop()
    log = Log()
    mine = _core.observe(log)
    thread = threading.Thread(target=mine.stop)
    thread.start()
    thread.join()
    gpukit.ones(1)
    assert log.names == []


def test_stopping_frees_the_observer():
    log = Log()
    handle = _core.observe(log)
    log.handle = handle
    handle.stop()
    handle.stop()
    watched = weakref.ref(log)
    del log, handle
    gc.collect()
    assert watched() is None


def test_an_observation_ends_with_its_object():
    handle = _core.observe(Log())
    assert _core.is_observed()
    del handle
    assert not _core.is_observed()


def test_an_observer_may_stop_itself():
    class Once(Log):
        def before_operator(self, call):
            super().before_operator(call)
            self.handle.stop()

    once = Once()
    once.handle = _core.observe(once)
    gpukit.ones(1).exp()
    assert once.events == ["<ones", ">ones"], "what has begun ends"


# Python warns of any fork beside another thread.
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_child_keeps_the_forking_threads_observers():
    ready, leave = threading.Event(), threading.Event()

    def other_thread():
        with _core.observe(Log()):
            ready.set()
            leave.wait()

    thread = threading.Thread(target=other_thread)
    thread.start()
    ready.wait()
    try:
        read, write = os.pipe()
        log = Log()
        with _core.observe(log):
            child = os.fork()
            if child == 0:
                gpukit.ones(2)
                os.write(write, pickle.dumps((log.names, _core.is_observed())))
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            assert pickle.loads(pipe.read()) == (["ones"], True)
        os.waitpid(child, 0)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, pickle.dumps(_core.is_observed()))
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            assert pickle.loads(pipe.read()) is False, "the other thread is not in the child"
        os.waitpid(child, 0)
    finally:
        leave.set()
        thread.join()
