"""Exit, fork, exhaustion, loss and repetition. `GPUKIT_TEST_LONG=1` runs the full counts."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import statistics
import subprocess
import sys
import time

import pytest

import gpukit
from gpukit._simulation.library import simulator
from support.entry_points import CALLS, World
from support.long_job import repeat
from support.mode import TESTS
from support.sim_driver import Objects
from support.simulation import simulation

IN_TIME = "1xT4,realtime=1,link_gbps=0.05"


def start(program: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,
    )


def run(program: str, **environment: str) -> str:
    process = start(program, **environment)
    try:
        out, err = process.communicate(timeout=repeat(100, long=1800))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children too, which hold its pipes
        process.communicate()
        raise
    assert process.returncode == 0, err
    return out.strip()


BUSY = """
import os, signal, sys, threading, time
import gpukit
from gpukit import cuda
source = gpukit.ones(1 << 20)
pinned = source.pin_memory()
there = source.to("cuda:0")
kept = [source.to("cuda:0", non_blocking=True) for _ in range(4)]
kept += [pinned.to("cuda:0", non_blocking=True) for _ in range(4)]
kept += [there.to("cpu", non_blocking=True) for _ in range(4)]
event = cuda.Event(); event.record()
def forever(work):
    while True:
        work()
WAITS = event.synchronize, lambda: there.sum().item(), kept[-1].tolist, lambda: cuda.synchronize(0)
for work in WAITS:
    threading.Thread(target=forever, args=(work,), daemon=True).start()
time.sleep(0.05)
print("going", flush=True)
"""

WAYS = {
    "end": ("", 0),
    "sys.exit": ("sys.exit(3)", 3),
    "exit in a thread": ("threading.Thread(target=sys.exit).start()", 0),
    "os._exit": ("os._exit(4)", 4),
    "exception": ("raise SystemError('on purpose')", 1),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)", -signal.SIGTERM),
    "simulation ends": ("gpukit._simulation.session._active.stop()", 0),
}


@pytest.mark.parametrize("way", WAYS)
def test_exit_with_copies_in_flight(way):
    program, status = WAYS[way]
    seconds = []
    for _ in range(repeat(2, long=100)):
        process = start(BUSY + program, GPUKIT_SIMULATE=IN_TIME)
        assert process.stdout is not None
        assert process.stdout.readline() == "going\n", process.communicate()[1]
        begin = time.perf_counter()
        _, err = process.communicate(timeout=20)
        assert process.returncode == status, err
        seconds.append(time.perf_counter() - begin)
        assert "terminate called" not in err
        assert "Fatal Python error" not in err
        if way == "end":
            assert err == ""
    # A second on a machine with nothing else to do.
    assert statistics.median_low(seconds) < repeat(2.5, long=1)


FORK = """
import os, sys, threading
import gpukit
DRIVER = {driver}
if DRIVER:
    on_gpu = gpukit.ones(1000, device="cuda:0")
    late = gpukit.ones(1 << 22, device="cuda:0").to("cpu", non_blocking=True)
assert not DRIVER or gpukit.cuda.device_count() == 2
host = gpukit.arange(100000, dtype="float32")
going = True
def compute():
    x = gpukit.rand(1 << 18)
    while going:
        y = (x * 2 + 1).exp().sum()
        z = [gpukit.ones(n) for n in (10, 1000, 100000)]
        x @ x
threads = [threading.Thread(target=compute, daemon=True) for _ in range(8)]
for thread in threads:
    thread.start()

def child():
    assert host.sum().item() == 4999950000.0 or abs(host.sum().item() / 4999950000.0 - 1) < 1e-5
    x = gpukit.rand(1 << 18)
    assert (x + x).shape == (1 << 18,)
    assert (gpukit.ones(300, 300) @ gpukit.ones(300, 300))[0, 0].item() == 300
    if not DRIVER:
        assert gpukit.ones(4, device="cuda:0").sum().item() == 4
        return
    new = lambda: gpukit.ones(1, device="cuda:1")
    for use in (lambda: on_gpu + 1, new, lambda: host.to("cuda:0")):
        try:
            use()
        except gpukit.GpukitError as error:
            assert "fork" in str(error) and "spawn" in str(error), error
        else:
            raise AssertionError("the GPU was used in a child")

good = 0
for i in range({count}):
    pid = os.fork()
    if pid == 0:
        try:
            child()
            os._exit(0) if i % 2 else sys.exit(0)
        except BaseException as error:
            if isinstance(error, SystemExit):
                raise
            print("child:", repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    good += os.waitpid(pid, 0)[1] == 0
going = False
for thread in threads:
    thread.join()
if DRIVER:
    assert on_gpu.sum().item() == 1000 and late.sum().item() == 1 << 22
print(good)
"""


@pytest.mark.parametrize("driver", [True, False])
def test_children_of_a_computing_process(driver):
    count = repeat(12, long=200)
    text = run(FORK.format(driver=driver, count=count), GPUKIT_SIMULATE="2xT4")
    assert text.splitlines()[-1] == str(count)


IMPORTING = """
import os, signal, sys, threading, time
import gpukit
begun = threading.Event()
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "gpukit._system.libraries":
            begun.set()
            time.sleep(0.5)
sys.meta_path.insert(0, Slow())
x = gpukit.ones(300, 300)
threading.Thread(target=lambda: x @ x).start()
begun.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    os._exit(0 if gpukit.ones(4, device="cuda:0").sum().item() == 4 else 1)
print(os.waitpid(pid, 0)[1])
"""


def test_a_fork_while_another_thread_imports_what_an_operation_needs():
    assert run(IMPORTING) == "0"


WATCHED = """
import os, signal, threading
import gpukit
from gpukit import _core

# A wait holds the logs' lock without the GIL while it asks them all, which takes long with so many.
logs = [_core.WaitLog("report", 1, ["sync"]) for _ in range(20_000)]
for log in logs:
    log.start()
event = gpukit.cuda.Event()
event.record()
going = True

def wait():
    while going:
        event.synchronize()

threads = [threading.Thread(target=wait) for _ in range(2)]
for thread in threads:
    thread.start()
good = 0
for _ in range(20):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        log = _core.WaitLog("report", 0, ["sync"])
        log.start()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    good += status == 0
    if status != 0:
        break
going = False
for thread in threads:
    thread.join()
print(good)
"""


def test_a_fork_while_another_thread_begins_a_wait_that_is_counted():
    assert run(WATCHED, GPUKIT_SIMULATE="1xT4") == "20"


def test_multiprocessing_with_every_start_method():
    program = """
import multiprocessing, sys
import gpukit
def work(i):
    return gpukit.full((1000,), float(i)).sum().item()
if __name__ == "__main__":
    gpukit.cuda.device_count()
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(work, range(4)) == [0.0, 1000.0, 2000.0, 3000.0]
    print("good")
"""
    assert run_file(program) == "good"


def run_file(program: str) -> str:
    """As a file, which the spawned processes import."""
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program)
        file.flush()
        done = subprocess.run(
            [sys.executable, file.name], capture_output=True, text=True, timeout=100, check=False
        )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_host_memory_exhausted():
    program = """
import resource
import gpukit
gpukit.set_num_threads(1)
small = gpukit.ones(1000)
there = small.to("cuda:0")
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (pages + (48 << 20),) * 2)
makers = [lambda: gpukit.ones(1 << 26), lambda: gpukit.rand(1 << 26),
          lambda: gpukit.zeros(1 << 26) + 1,
          lambda: there.expand(1 << 16, 1000).cpu(), lambda: small.expand(1 << 16, 1000).clone(),
          lambda: gpukit.empty(1 << 26, pin_memory=True), lambda: gpukit.arange(1 << 25).tolist()]
found = 0
for i in range(50):
    try:
        makers[i % len(makers)]()
    except MemoryError:
        found += 1
    assert (small + 1).sum().item() == 2000
    assert there.cpu().sum().item() == 1000
print(found)
"""
    assert run(program, GPUKIT_SIMULATE="1xT4,mem=64MiB") == "50"


def test_a_thousand_shortages_lose_nothing():
    with simulation(1, "T4", memory="64MiB"):
        kept = [gpukit.full((1 << 18,), float(i), device="cuda:0") for i in range(20)]
        before = gpukit.cuda.memory_allocated()
        for _ in range(repeat(200, long=1000)):
            with pytest.raises(gpukit.OutOfMemoryError):
                gpukit.empty(1 << 24, device="cuda:0")
        assert gpukit.cuda.memory_allocated() == before
        assert [x.max().item() for x in kept] == [float(i) for i in range(20)]
        assert (kept[0] + 1).min().item() == 1.0


@pytest.mark.parametrize("fault", ["lost@3", "ecc@2", "launch_fail@4"])
def test_a_lost_device(fault):
    with simulation(2, "T4", fault=fault):
        kept = [gpukit.ones(1000, device="cuda:0").cpu()]

        def until_it_is_lost() -> None:
            for _ in range(9):
                kept.append(gpukit.ones(1000, device="cuda:0"))
                gpukit.synchronize("cuda:0")

        with pytest.raises(gpukit.DeviceError) as first:
            until_it_is_lost()
        for use in (
            lambda: kept[-1] + 1,
            kept[-1].cpu,
            lambda: gpukit.ones(1 << 20).to("cuda:0"),
            lambda: gpukit.ones(1 << 21).to("cuda:0", non_blocking=True).sum().item(),
            lambda: gpukit.cuda.synchronize(0),
            lambda: gpukit.cuda.Event().record(gpukit.cuda.default_stream(0)),
        ):
            with pytest.raises(gpukit.DeviceError, match="cuda:0"):
                use()
        assert first.value.code.startswith("GK-")
        del kept[1:]
        gpukit.cuda.empty_cache()
        assert kept[0].sum().item() == 1000
        assert (gpukit.ones(4) * 2).sum().item() == 8.0


@pytest.mark.memory_growth
def test_round_trips_do_not_grow():
    program = f"""
import gc, os
import gpukit
def trips(count):
    for i in range(count):
        x = gpukit.full((64,), float(i))
        y = x.to("cuda:0", non_blocking=bool(i % 2))
        assert y.to("cpu", non_blocking=bool(i % 3))[0].item() == i
def resident():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")
trips({repeat(3000, long=60000)})
filled = gpukit.zeros(8, device="cuda:0")
for _ in range(100_000):  # the simulator's log of events, which ends there
    filled.fill_(1.0)
gpukit.synchronize("cuda:0")
del filled, _
before, files, counts = resident(), len(os.listdir("/proc/self/fd")), gpukit._core.live_counts()
trips({repeat(15000, long=1000000)})
gpukit.synchronize("cuda:0")
assert len(os.listdir("/proc/self/fd")) == files
assert gpukit._core.live_counts() == counts
print(resident() - before)
"""
    assert int(run(program, GPUKIT_SIMULATE="1xT4")) < 2 << 20


def test_rounds_leave_the_driver_as_it_was():
    """Memory, streams, events and modules as the driver counts them."""

    def objects() -> dict[str, int]:
        gc.collect()
        gpukit.synchronize("cuda:0")
        gpukit.cuda.empty_cache()
        counts = Objects()
        simulator().gpukitSimLiveObjects(ctypes.byref(counts))
        return {name: getattr(counts, name) for name, _ in Objects._fields_}

    def round_of_all(world: World) -> None:
        for call in CALLS.values():
            call(world)
        with gpukit.cuda.stream(gpukit.cuda.Stream("cuda:0")):
            event = gpukit.cuda.Event(enable_timing=True)
            event.record()
            gpukit.ones(1 << 20).to("cuda:0", non_blocking=True).cpu()

    with simulation(1, "T4"):
        world = World(1e9)
        for _ in range(2):
            round_of_all(world)
        before = objects()
        for _ in range(repeat(3, long=100)):
            round_of_all(world)
        # Events are lent again: there are as many as were ever in use at once.
        events, end = before.pop("events"), time.monotonic() + 10
        while (after := objects()).pop("events") <= events + 16 and after != before:
            assert time.monotonic() < end, (before, after)  # gpukit threads let go of the last
        assert after == before
    assert before["modules"] > 0


def test_threads_over_all_entry_points():
    program = f"""
import threading
import gpukit
from gpukit._simulation.library import simulator
from support.entry_points import CALLS, World
failures = []
def rounds(seed):
    world = World(1e9)
    names = sorted(CALLS)
    for i in range({repeat(2, long=500)}):
        for name in names[seed:] + names[:seed]:
            try:
                CALLS[name](world)
            except Exception as error:
                failures.append((name, repr(error)))
    if world.x.sum().item() != 128.0:
        failures.append(("sum", seed))
threads = [threading.Thread(target=rounds, args=(seed,)) for seed in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failures[:5])
"""
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    assert run(program, GPUKIT_SIMULATE="2xT4", PYTHONPATH=path) == "[]"
