"""Whatever form a call has, bench finds the devices that it used, waits for them and names them."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import dataclasses
import functools
import os
import random
import re
import subprocess
import sys
import threading
import time
import types

import pytest

import gpukit
from gpukit import nn
from gpukit.bench import BenchResult, SimulatedBenchResult
from gpukit.bench.clock import DeviceClock
from support.mode import PROJECT
from support.plugin import PLUGIN_OPTIONS
from support.simulation import simulation

QUICK = {"min_time": 0.01, "max_time": 0.2, "verbose": False}
SIDE = 128


@dataclasses.dataclass
class Holder:
    tensor: gpukit.Tensor

    def square(self):
        return self.tensor @ self.tensor

    def __call__(self):
        return self.square()

    @classmethod
    def of(cls, device):
        return cls(gpukit.rand(SIDE, SIDE, device=device))


GLOBAL: dict[str, gpukit.Tensor] = {}


def of_globals():
    return GLOBAL["x"] @ GLOBAL["x"]


def in_threads(work, count=3):
    """The work in threads of its own, which end before the call does."""
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def make_lambda(device):
    x = gpukit.rand(SIDE, SIDE, device=device)
    return lambda: x @ x


def make_closure(device):
    boxes = {"deep": [Holder.of(device)]}

    def outer():
        def inner():
            return boxes["deep"][0].square()

        return inner()

    return outer


def make_global(device):
    GLOBAL["x"] = gpukit.rand(SIDE, SIDE, device=device)
    return of_globals


def make_module(device):
    net = nn.Sequential(nn.Linear(SIDE, SIDE), nn.ReLU(), nn.Linear(SIDE, 4)).to(device)
    x = gpukit.rand(8, SIDE, device=device)
    return lambda: net(x)


def make_step(device):
    net = nn.Linear(SIDE, 4).to(device)
    optimizer = gpukit.optim.SGD(net.parameters(), lr=0.1)
    x = gpukit.rand(8, SIDE, device=device)

    def step():
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()

    return step


def make_optimizer(device):
    net = nn.Linear(SIDE, 4).to(device)
    optimizer = gpukit.optim.Adam(net.parameters())
    net(gpukit.rand(8, SIDE, device=device)).sum().backward()
    return optimizer.step


def make_graph(device):
    x = gpukit.rand(SIDE, SIDE, device=device)
    out = x @ x
    graph = gpukit.cuda.CUDAGraph()
    with gpukit.cuda.device(device), gpukit.cuda.graph(graph):
        out.copy_(x @ x)
    return graph.replay


def make_side_stream(device):
    x = gpukit.rand(SIDE, SIDE, device=device)
    side = gpukit.cuda.Stream(device)
    gpukit.synchronize(device)

    def work():
        with gpukit.cuda.stream(side):
            return x @ x

    return work


def make_second_call(device):
    holder, calls = Holder.of(device), []

    def work():
        calls.append(1)
        return holder.square() if len(calls) > 1 else None

    return work


def make_rare(device):
    """Only every seventh call uses the device."""
    holder, calls = Holder.of(device), []

    def work():
        calls.append(1)
        return holder.square() if len(calls) % 7 == 0 else None

    return work


def make_upload(device):
    host = gpukit.rand(SIDE, SIDE)
    return lambda: host.to(device)


def make_default_argument(device):
    x = gpukit.rand(SIDE, SIDE, device=device)

    def work(given=x):
        return given + 1

    return work


def make_namespace(device):
    box = types.SimpleNamespace(holder=Holder.of(device))
    return lambda: box.holder.square() * 2


def make_deque(device):
    queue = collections.deque([Holder.of(device)])
    return lambda: queue[0].square() * 2


def make_asyncio(device):
    holder = Holder.of(device)
    return lambda: asyncio.run(_awaiting(holder))


def make_partial_of_dict(device):
    return functools.partial(lambda box: box["x"] * 2, {"x": Holder.of(device).tensor})


def make_pool(device):
    holder = Holder.of(device)

    def work():
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            return pool.submit(holder.square).result()

    return work


def make_method_of_tensor(device):
    return gpukit.rand(SIDE, SIDE, device=device).sum


def make_later_upload(device):
    host = gpukit.rand(1 << 19)
    return lambda: host.to(device, non_blocking=True)


def make_class(device):
    class Job:
        shared = gpukit.rand(SIDE, SIDE, device=device)

        def __init__(self):
            self.answer = self.shared @ self.shared

    return Job


def make_generator_inside(device):
    holder = Holder.of(device)
    return lambda: sum(holder.square().sum() for _ in range(2))


FORMS = {
    "lambda": make_lambda,
    "closure": make_closure,
    "partial": lambda d: functools.partial(Holder.square, Holder.of(d)),
    "partial of a dict": make_partial_of_dict,
    "bound method": lambda d: Holder.of(d).square,
    "method of a tensor": make_method_of_tensor,
    "callable object": Holder.of,
    "namespace": make_namespace,
    "default argument": make_default_argument,
    "global": make_global,
    "class": make_class,
    "decorated": lambda d: decorated(Holder.of(d).square),
    "cached": lambda d: functools.lru_cache(maxsize=0)(Holder.of(d).square),
    "module": make_module,
    "training step": make_step,
    "optimizer": make_optimizer,
    "graph": make_graph,
    "side stream": make_side_stream,
    "second call": make_second_call,
    "rare": make_rare,
    "threads": lambda d: functools.partial(in_threads, Holder.of(d).square),
    "pool": make_pool,
    "upload": make_upload,
    "later upload": make_later_upload,
    "download": lambda d: Holder.of(d).tensor.cpu,
    "item": lambda d: gpukit.ones((), device=d).item,
    "creation": lambda d: lambda: gpukit.zeros(8, device=d),
    "generator inside": make_generator_inside,
    "asyncio": make_asyncio,
    "deque": make_deque,
}


async def _awaiting(holder):
    await asyncio.sleep(0)
    return holder.square()


@pytest.mark.parametrize("form", FORMS)
def test_the_device_is_found(form):
    device = random.Random(form).choice(["cuda:0", "cuda:1"])
    result = gpukit.bench(FORMS[form](device), **QUICK)
    assert result.device_name == device, form
    assert isinstance(result, SimulatedBenchResult), "a simulated device is always labelled"
    assert f"{device} (simulated)" in str(result)
    GLOBAL.clear()


@pytest.mark.parametrize("form", FORMS)
def test_the_clock_stops_after_the_devices_work(form):
    """Each sample's end is behind everything that the simulator charged for the call."""
    call = FORMS[form]("cuda:0")
    clock = DeviceClock()
    for _ in range(8):
        clock.sample(call)
        before = gpukit._core.device_use()[0][0]
        gpukit.synchronize("cuda:0")
        assert gpukit._core.device_use()[0][0] == before, "work was queued after the clock stopped"
        assert gpukit.cuda.current_stream("cuda:0").query()
    assert clock.used == {0}
    GLOBAL.clear()


@pytest.mark.parametrize("form", ["lambda", "side stream", "threads", "graph"])
def test_time_is_the_devices_whatever_stream_it_used(form):
    """A product of 128×128 takes the model 5 µs and more; an empty span would read less."""
    result = gpukit.bench(FORMS[form]("cuda:0"), **QUICK)
    assert result.device is not None
    assert result.median >= 5e-6


@pytest.mark.parametrize("seed", range(12))
def test_any_mix_of_devices_is_named(seed):
    draw = random.Random(seed)
    wanted = draw.sample(["cuda:0", "cuda:1", "cpu"], draw.choice([1, 2, 3]))
    makers = [FORMS[draw.choice(["lambda", "callable object", "bound method"])] for _ in wanted]
    calls = [make(device) for make, device in zip(makers, wanted, strict=True)]

    def work():
        for call in calls:
            call()

    result = gpukit.bench(work, **QUICK)
    assert result.device_name == ", ".join(sorted(wanted))
    assert result.simulated == (wanted != ["cpu"])
    if len(wanted) > 1:
        assert result.verdict is None, "the time of several devices is not that of one"


def test_two_devices_are_both_waited_for():
    small, large = Holder.of("cuda:0"), Holder(gpukit.rand(1024, 1024, device="cuda:1"))
    alone = gpukit.bench(large, **QUICK)
    both = gpukit.bench(lambda: (large(), small()), **QUICK)
    assert both.device_name == "cuda:0, cuda:1"
    assert both.median >= 0.99 * alone.median


def test_the_cpu_stays_the_cpu():
    x = gpukit.rand(8, 8)
    for call in (lambda: x @ x, lambda: sum(range(100)), lambda: time.sleep(1e-4)):
        result = gpukit.bench(call, **QUICK)
        assert (result.device_name, type(result)) == ("cpu", BenchResult)


def test_a_dict_of_functions_has_a_label_for_each():
    table = gpukit.bench(
        {name: FORMS["lambda"](name) for name in ("cuda:0", "cpu", "cuda:1")}, check=False, **QUICK
    )
    assert [row.device_name for row in table] == ["cuda:0", "cpu", "cuda:1"]
    assert [row.simulated for row in table] == [True, False, True]


def test_a_list_of_functions_has_a_row_for_each():
    calls = [FORMS["lambda"](name) for name in ("cuda:1", "cuda:0")]
    table = gpukit.bench([*calls, sum_of_nothing], check=False, **QUICK)
    assert [(row.name, row.device_name) for row in table] == [
        ("<lambda>", "cuda:1"),
        ("<lambda> #2", "cuda:0"),
        ("sum_of_nothing", "cpu"),
    ]


def sum_of_nothing():
    return sum(())


def test_what_is_made_inside_is_made_on_the_device_that_was_asked_for():
    table = gpukit.bench(lambda: gpukit.ones(64) + 1, devices=["cpu", "cuda:1"], **QUICK)
    assert [row.device_name for row in table] == ["cpu", "cuda:1"]


@pytest.mark.parametrize(
    ("asked", "used"), [("cpu", "cuda:1"), ("cuda:0", "cpu"), ("cuda:0", "cuda:1")]
)
def test_a_device_that_was_asked_for_and_did_nothing_is_not_the_label(asked, used):
    result = gpukit.bench(Holder.of(used), device=asked, **QUICK)
    assert result.device_name == used
    assert f"{asked} was asked for and did nothing: the work was on {used}" in str(result)
    assert "was asked for" in result.explain()


async def _coroutine():
    return 1


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda: (i for i in range(3)), "generator"),
        (lambda: map(str, [1]), "iterator"),
        (_coroutine, "coroutine"),
        (lambda: [_coroutine()], "coroutine"),
        (concurrent.futures.Future, "future"),
        (lambda: gpukit.DeviceLog(device="cuda:0").flush(), "future"),
        (lambda: iter([1]), "iterator"),
    ],
)
def test_what_has_not_run_yet_has_no_time(function, words):
    with pytest.raises(TypeError, match=words):
        gpukit.bench(function, **QUICK)


def test_an_asynchronous_generator_has_no_time():
    async def steps():
        yield 1

    with pytest.raises(TypeError, match="asynchronous generator"):
        gpukit.bench(steps, **QUICK)


def test_threads_that_run_on_are_said():
    end = threading.Event()

    def work():
        threading.Thread(target=end.wait, args=(5,), daemon=True).start()

    try:
        result = gpukit.bench(work, repeats=3, warmup=1, **QUICK)
    finally:
        end.set()
    assert "threads that the call started ran on" in str(result)


def test_the_function_is_of_the_plugin_too(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import gpukit\n"
        "def test_it(gpubench):\n"
        "    x = gpukit.rand(64, 64, device='cuda:1')\n"
        "    result = gpubench(lambda: x @ x, max_time=0.1)\n"
        "    assert result.device_name == 'cuda:1' and result.simulated\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN_OPTIONS],
        cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.fixture
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    created = InteractiveShell.instance(history_manager=None)
    created.run_line_magic("load_ext", "gpukit")
    yield created
    created.run_line_magic("unload_ext", "gpukit")
    created.user_ns.clear()
    InteractiveShell.clear_instance()


def test_a_cell_and_an_expression(shell):
    shell.user_ns.update(gpukit=gpukit, box={"x": gpukit.rand(SIDE, SIDE, device="cuda:1")})
    cell = shell.run_cell_magic("gpubench", "", "y = box['x'] @ box['x']\n")
    line = shell.run_line_magic("gpubench", "box['x'] @ box['x']")
    nested = shell.run_line_magic("gpubench", "(lambda: box['x'].sum())()")
    assert [row.device_name for row in (cell, line, nested)] == ["cuda:1"] * 3
    assert all(row.simulated for row in (cell, line, nested))


def test_an_exercise_refuses_work_on_another_device_than_it_gave():
    stray = Holder.of("cuda:1")
    with pytest.raises(gpukit.BenchError, match="cuda:1"):
        gpukit.bench.crossover(lambda n, device: stray, lo=8, hi=16, device="cuda:0", budget_s=5)
    with pytest.raises(gpukit.BenchError, match="cuda:1"):
        gpukit.bench.scaling(["cuda:0"], size=8, work=lambda device: stray)


def test_another_librarys_row_does_not_time_gpukit():
    x, stray = gpukit.rand(8, 8), Holder.of("cuda:0")
    table = gpukit.bench(
        lambda t: (t, stray())[0], x, devices=["cpu"], libraries=("gpukit", "numpy"), **QUICK
    )
    assert "cuda:0" in table[0].device_name
    assert "used gpukit on cuda:0" in table[1].error


def test_watch_is_not_told_of_benchs_own_waits():
    holder = Holder.of("cuda:0")
    with gpukit.watch() as seen:
        gpukit.bench(holder, repeats=3, warmup=1, **QUICK)
    assert seen.report.count() == 0
    with gpukit.watch() as seen:
        gpukit.bench(lambda: holder().sum().item(), repeats=3, warmup=1, **QUICK)
    assert seen.report.count("item") >= 5


def test_the_example_of_the_page_prints_its_own_text():
    page = (PROJECT / "docs" / "bench.md").read_text(encoding="utf-8")
    block = next(b for b in page.split("```python\n")[1:] if "r.explain()" in b).split("```")[0]
    code, _, expected = block.partition("# copy on cuda:0")
    done = subprocess.run(
        [sys.executable, "-c", f"import gpukit\n{code}"],
        capture_output=True, text=True, timeout=100, check=True,
        env={**os.environ, "GPUKIT_SIMULATE": "1xT4"},
    )  # fmt: skip
    wanted = ("copy on cuda:0" + expected).replace("\n# ", " ").strip()
    figure = re.compile(r"\d[\d.]* [mµn]?s\b")
    assert len(figure.findall(wanted)) == 2
    assert figure.sub("?", done.stdout.strip()).startswith(figure.sub("?", wanted))


def test_a_lost_device_concerns_only_who_uses_it():
    with simulation(2, "T4"):
        Holder.of("cuda:1")()
    result = gpukit.bench(lambda: sum(range(10)), **QUICK)
    assert result.device_name == "cpu"
