"""Functions of other libraries: bench waits as they say, or refuses to give a number."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import sys
import threading
import time
import types

import pytest

import gpukit
from gpukit.bench.foreign import Waits, modules_reached, wait_for_queues

QUICK = {"min_time": 0.01, "max_time": 0.1, "verbose": False}
LASTS = 0.01


def library(monkeypatch, name, **parts):
    """A stand-in module under the name of a library."""
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    for key, value in parts.items():
        setattr(module, key, value)
    monkeypatch.setitem(sys.modules, name, module)
    return module


class Queue:
    """Work that goes on when a call returns, as on a GPU; `wait` ends with it."""

    def __init__(self):
        self.done_at = 0.0
        self.waited = []

    def launch(self):
        self.done_at = time.perf_counter() + LASTS

    def wait(self, device=None):
        self.waited.append(device)
        time.sleep(max(0.0, self.done_at - time.perf_counter()))


def torch_of(queue, devices=2):
    return {
        "cuda": types.SimpleNamespace(
            is_initialized=lambda: True, device_count=lambda: devices, synchronize=queue.wait
        )
    }


def test_torch_is_waited_for_on_each_device(monkeypatch):
    queue = Queue()
    library(monkeypatch, "torch", **torch_of(queue))
    begin = time.perf_counter()
    queue.launch()
    wait_for_queues()
    assert time.perf_counter() - begin >= LASTS
    assert queue.waited == [0, 1]


def test_torch_that_never_used_a_gpu_is_not_asked(monkeypatch):
    part = types.SimpleNamespace(is_initialized=lambda: False, device_count=lambda: 1 / 0)
    library(monkeypatch, "torch", cuda=part)
    wait_for_queues()


def test_cupy_is_waited_for_on_each_device(monkeypatch):
    queue = Queue()
    cuda = types.SimpleNamespace(
        runtime=types.SimpleNamespace(getDeviceCount=lambda: 3),
        Device=lambda index: types.SimpleNamespace(synchronize=lambda: queue.wait(index)),
    )
    library(monkeypatch, "cupy", cuda=cuda)
    result = gpukit.bench(queue.launch, repeats=3, warmup=1, **QUICK)
    assert result.median >= LASTS
    assert queue.waited[:3] == [0, 1, 2]


@pytest.mark.parametrize("form", ["lambda", "partial", "method", "object", "global in a dict"])
def test_a_library_that_bench_does_not_know_is_refused(monkeypatch, form):
    queue = Queue()
    module = library(monkeypatch, "mlx", launch=queue.launch)
    owner = types.SimpleNamespace(lib=module)
    box = {"deep": [owner]}

    def of_box():
        return box["deep"][0].lib.launch()

    forms = {
        "lambda": lambda: [module.launch()],
        "partial": functools.partial(lambda m: m.launch(), module),
        "method": types.MethodType(lambda self: self.lib.launch(), owner),
        "object": type("Job", (), {"__call__": lambda self: module.launch()})(),
        "global in a dict": of_box,
    }
    with pytest.raises(gpukit.BenchError, match=r"uses mlx.*wait=mlx\.core\.synchronize"):
        gpukit.bench(forms[form], **QUICK)
    result = gpukit.bench(forms[form], wait=queue.wait, repeats=3, warmup=1, **QUICK)
    assert result.median >= LASTS


def test_an_import_inside_the_function_is_seen(monkeypatch):
    library(monkeypatch, "tinygrad", run=lambda: None)

    def work():
        import tinygrad

        return tinygrad.run()

    with pytest.raises(gpukit.BenchError, match="tinygrad"):
        gpukit.bench(work, **QUICK)


def test_a_name_alone_is_no_library():
    class Image:
        def warp(self):
            return self

    image = Image()
    assert gpukit.bench(lambda: [image.warp()], **QUICK).median > 0


@pytest.mark.parametrize("wait", [3, "now"])
def test_wait_must_be_callable(wait):
    with pytest.raises(TypeError, match="wait must be callable"):
        gpukit.bench(len, "abc", wait=wait, **QUICK)


def test_what_a_function_reaches_ends():
    """Rings, large containers and strange objects end the look quickly."""
    ring: list[object] = []
    ring.append(ring)
    strange = type("Strange", (), {"__getattr__": lambda self, name: 1 / 0})()
    many = [object() for _ in range(100_000)]
    begin = time.perf_counter()
    homes = modules_reached(lambda: (ring, strange, many, gpukit, threading))
    assert {"gpukit", "threading"} <= homes
    assert time.perf_counter() - begin < 2
    Waits(lambda: ring, [many], None)
