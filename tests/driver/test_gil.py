"""A ticking Python thread makes progress while gpukit works or waits."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

import gpukit
from gpukit.bench.ticker import Freedom, freedom_during
from support.patience import holds

# Reliability goal 9: the longest time another thread may be kept from running.
LONGEST_GAP = 0.05


def long_queue(device: str) -> gpukit.Tensor:
    """A tensor whose value takes a while to compute."""
    x = gpukit.rand(256, 256, device=device)
    for _ in range(20):
        x = (x @ x).tanh()
    return x


CPU_WORK: dict[str, Callable[[], object]] = {
    "matmul": lambda: gpukit.matmul(BIG, BIG),
    "exp": lambda: [WIDE.exp() for _ in range(2)],
    "add": lambda: [WIDE + WIDE for _ in range(10)],
    "sum": lambda: [WIDE.sum() for _ in range(20)],
    "rand": lambda: gpukit.rand(1 << 24),
    "sort": lambda: gpukit.sort(WIDE[: 1 << 20]),
    "clone": lambda: [WIDE.clone() for _ in range(10)],
    "index": lambda: WIDE[WIDE > 0.5],
    "cat": lambda: gpukit.cat([WIDE, WIDE, WIDE]),
    "to dtype": lambda: WIDE.to(gpukit.float64),
    "tensor of an array": lambda: gpukit.tensor(WIDE.numpy()),
    "fill": lambda: gpukit.zeros(1 << 26),
    "allclose": lambda: gpukit.allclose(WIDE, WIDE),
}
BIG = gpukit.rand(900, 900)
WIDE = gpukit.rand(1 << 23)

DEVICE_WORK: dict[str, Callable[[gpukit.Tensor], object]] = {
    "item": lambda x: x.sum().item(),
    "float": lambda x: float(x[0, 0]),
    "tolist": lambda x: x[:2, :2].tolist(),
    "cpu": lambda x: x.cpu(),
    "numpy": lambda x: x.numpy(force=True),
    "to": lambda x: x.to("cpu"),
    "repr": repr,
    "bool": lambda x: bool((x[0, 0] > 2).all()),
    "equal": lambda x: gpukit.equal(x, x),
    "wait": lambda x: x.wait(),
    "synchronize": lambda x: gpukit.synchronize(x.device),
    "stream": lambda x: gpukit.cuda.current_stream(x.device).synchronize(),
    "mask": lambda x: x[x > 0.5],
    "nonzero": lambda x: x.nonzero(),
    "copy": lambda x: gpukit.ones(256, 256).copy_(x),
    "many launches": lambda x: [x + 1 for _ in range(2000)],
    "large allocation": lambda x: gpukit.empty(1 << 26, device=x.device),
}


def check(measure: Callable[[], Freedom]) -> None:
    tries: list[Freedom] = []

    def lets_threads_run() -> bool:
        tries.append(measure())
        return tries[-1].longest_stall < max(LONGEST_GAP, 0.5 * tries[-1].seconds)

    assert holds(lets_threads_run, 5), tries


@pytest.mark.parametrize("name", CPU_WORK)
def test_cpu_work_lets_threads_run(name):
    check(lambda: freedom_during(CPU_WORK[name]))


@pytest.mark.parametrize("name", DEVICE_WORK)
def test_waiting_for_a_device_lets_threads_run(name):
    def measure() -> Freedom:
        x = long_queue("cuda:0")
        return freedom_during(lambda: DEVICE_WORK[name](x))

    check(measure)
    gpukit.synchronize()


def busy_factor(work: Callable[[], object], count: int) -> float:
    """Time beside a thread that never waits, over time alone."""

    def seconds() -> float:
        begin = time.perf_counter()
        for _ in range(count):
            work()
        return time.perf_counter() - begin

    seconds()
    alone = min(seconds() for _ in range(3))
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        return min(seconds() for _ in range(3)) / alone
    finally:
        stop.set()
        thread.join()


def test_small_work_keeps_the_gil():
    a, b = gpukit.ones(10), gpukit.ones(10)
    # Dropping the GIL at each call would cost up to a switch interval: a factor of thousands.
    assert busy_factor(lambda: a + b, 2000) < 40


def test_small_launches_keep_the_gil():
    a = gpukit.ones(10, device="cuda:0")
    for _ in range(3):
        a + a
    gpukit.synchronize()

    def launches() -> None:
        for _ in range(100):
            a + a
        gpukit.synchronize()

    assert busy_factor(launches, 3) < 150  # some 500 where each launch gives the GIL away


# A session notes what was launched in it, so each program has a process and a session of its own.
RELEASES = """
import gpukit

def releases(call):
    before = gpukit._core.gil_releases()
    call()
    return gpukit._core.gil_releases() > before

def ready(dtype):
    a = gpukit.ones(10, device="cuda:0", dtype=dtype)
    reserve = gpukit.empty(1 << 23, device="cuda:0")
    del reserve  # so that no launch needs memory from the driver
    gpukit.synchronize()
    return a
"""


def run_alone(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RELEASES + program],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_first_launch_of_each_row_and_dtype_releases_the_lock():
    run_alone("""
a = ready("float64")
assert releases(lambda: gpukit.logaddexp2(a, a))
assert not any(releases(lambda: gpukit.logaddexp2(a, a)) for _ in range(3))
b = a.float()
assert releases(lambda: gpukit.logaddexp2(b, b))
assert not releases(lambda: gpukit.logaddexp2(b, b))
assert releases(lambda: a.cumprod(0))
assert not releases(lambda: a.cumprod(0))
""")


# A queue holds about a thousand launches. From the 512th on a stream on, one may wait.
COUNTED = """
a = ready("float32")
add = lambda: a + a
add()
while not releases(add):
    pass
"""


def test_launches_of_all_threads_on_a_stream_count():
    run_alone(
        COUNTED
        + """
import threading
assert not any([releases(add) for _ in range(300)])
released = []
other = threading.Thread(target=lambda: released.extend(releases(add) for _ in range(300)))
other.start()
other.join()
assert released.count(True) == 1, released.count(True)
"""
    )


def test_launches_on_other_streams_do_not_count():
    run_alone(
        COUNTED
        + """
def keep_the_lock(stream):
    with gpukit.cuda.stream(stream):
        add()  # memory of this stream
        return not any([releases(add) for _ in range(300)])

streams = [gpukit.cuda.Stream("cuda:0") for _ in range(4)]
assert not any([releases(add) for _ in range(300)])
assert any([keep_the_lock(stream) for stream in streams])  # two handles may share a counter
"""
    )


def test_all_forms_of_an_operator_share_its_first_launch():
    run_alone("""
a = ready("float16")
assert releases(lambda: gpukit.hypot(a, a))
assert not releases(lambda: a.hypot(a))
assert not releases(lambda: a.hypot_(a))
""")


def test_entry_points_say_which_of_them_wait():
    waiting = {name for name, _, _, waits in gpukit._core.entry_points() if waits}
    assert {"item", "tolist", "numpy", "to", "cpu", "equal", "nonzero"} <= waiting
    assert "add" not in waiting
