"""The CPU's threads: their number, results that do not depend on it, fork, other threads."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import gpukit
from support.arrays import fetch


@pytest.fixture(autouse=True)
def _restored_thread_count():
    before = gpukit.get_num_threads()
    yield
    gpukit.set_num_threads(before)


def test_the_count_is_what_was_set():
    for count in (1, 3, 2):
        gpukit.set_num_threads(count)
        assert gpukit.get_num_threads() == count


@pytest.mark.parametrize("count", [0, -1, 5000])
def test_an_impossible_count_is_refused(count):
    with pytest.raises(ValueError, match=str(count)):
        gpukit.set_num_threads(count)


def thread_count_of(environment):
    code = "import gpukit; print(gpukit.get_num_threads())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_the_environment_limits_the_count_and_the_affinity_mask_caps_it():
    cores = len(os.sched_getaffinity(0))
    assert thread_count_of({"GPUKIT_NUM_THREADS": "1"}) == 1
    assert thread_count_of({"GPUKIT_NUM_THREADS": "4000"}) <= cores
    assert 1 <= thread_count_of({"GPUKIT_NUM_THREADS": ""}) <= cores


def results():
    rng = np.random.default_rng(0)
    x = gpukit.tensor(rng.standard_normal((1234, 777)).astype(np.float32))
    gpukit.manual_seed(3)
    values = [
        x.sum(),
        x.sum(0),
        x.sum(1),
        x.mean(),
        x.norm(),
        x[:, :30].sum(0),
        x.argmax(),
        gpukit.softmax(x, 1),
        gpukit.nn.functional.layer_norm(x, (777,)),
        gpukit.exp(x),
        x + x[:1],
        x.T.contiguous(),
        x.cumsum(0),
        gpukit.rand(100_003),
        gpukit.randn(100_003),
        gpukit.sort(x, 1)[0],
    ]
    return [fetch(value).tobytes() for value in values]


def test_the_number_of_threads_does_not_change_a_bit():
    gpukit.set_num_threads(1)
    expected = results()
    for count in (2, 3, 7):
        gpukit.set_num_threads(count)
        assert results() == expected


def test_calls_from_several_python_threads_at_once_are_right():
    gpukit.set_num_threads(3)
    rng = np.random.default_rng(1)
    x = rng.standard_normal((300, 300)).astype(np.float32)
    expected = x.astype(np.float64) @ x
    wrong = []

    def work():
        mine = gpukit.tensor(x)
        for _ in range(20):
            if not np.allclose(fetch(mine @ mine), expected, atol=1e-3):
                wrong.append("product")
            if not np.array_equal(fetch(mine + mine), x + x):
                wrong.append("sum")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.filterwarnings("ignore:.*use of fork")  # Python 3.15 counts the pool's threads
def test_a_forked_child_computes_with_its_own_threads():
    gpukit.set_num_threads(3)
    x = gpukit.ones(2_000_000)
    assert float((x + x).sum()) == 4_000_000  # the parent's pool runs
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        square = gpukit.ones(300, 300)
        right = float((x + x).sum()) == 4_000_000 and float((square @ square).max()) == 300
        os._exit(0 if right else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert float((x + x).sum()) == 4_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a thread a mask of cores")
def test_the_blas_starts_no_thread_of_its_own():
    """OpenBLAS would start one for each core when it is loaded; they spin beside the product."""
    code = """
import os
before = len(os.listdir("/proc/self/task"))  # an emulated processor has a thread of its own
import gpukit
gpukit.set_num_threads(1)
cores = os.sched_getaffinity(0)
x = gpukit.rand(64, 64) @ gpukit.rand(64, 64)
print(len(os.listdir("/proc/self/task")) - before, os.sched_getaffinity(0) == cores)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["0", "True"]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="masks of threads are Linux's")
def test_workers_may_use_the_same_cores_afterwards():
    a = gpukit.ones(300, 300)
    for _ in range(300):
        a @ a
    masks = set()
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(ProcessLookupError):  # a thread of an earlier test just ended
            masks.add(frozenset(os.sched_getaffinity(int(task.name))))
    assert masks == {frozenset(os.sched_getaffinity(0))}
