"""Copies in every direction, kind of memory and layout; nobody sees bytes that have not arrived."""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import gc
import threading
from typing import NamedTuple

import numpy as np
import pytest

import gpukit
from gpukit.errors import InvalidDeviceError

# Below the driver's own staging, at once, and in the worker's hands.
SIZES = (1, 1000, 1 << 17, (1 << 20) + 3, (5 << 20) + 1)


def numbers(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 255, count, dtype=np.uint8)


@pytest.mark.parametrize("non_blocking", [False, True])
@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("count", SIZES)
def test_there_and_back(count, pinned, non_blocking):
    data = numbers(count)
    x = gpukit.from_numpy(data)
    if pinned:
        x = x.pin_memory()
    y = x.to("cuda:0", non_blocking=non_blocking)
    back = y.to("cpu", non_blocking=non_blocking)
    assert np.array_equal(back.numpy(), data)


@pytest.mark.parametrize("count", SIZES)
def test_into_what_is_there(count):
    data = numbers(count)
    target = gpukit.zeros(count, dtype="uint8", device="cuda:0")
    target.copy_(gpukit.from_numpy(data), non_blocking=True)
    for home in (
        gpukit.zeros(count, dtype="uint8"),
        gpukit.zeros(count, dtype="uint8").pin_memory(),
    ):
        home.copy_(target, non_blocking=True)
        assert np.array_equal(home.numpy(), data)


READERS = {
    "item": lambda x: x[-1].item(),
    "float": lambda x: float(x[-1]),
    "index": lambda x: x[-1].tolist(),
    "tolist": lambda x: x.tolist()[-1],
    "numpy": lambda x: x.numpy()[-1],
    "asarray": lambda x: np.asarray(x)[-1],
    "buffer": lambda x: memoryview(x)[-1],
    "add": lambda x: (x + 0)[-1].item(),
    "max": lambda x: x.max().item(),
    "bytes": lambda x: np.frombuffer(x.tobytes(), np.float32)[-1],
    "clone": lambda x: x.clone()[-1].item(),
    "cast": lambda x: x.double()[-1].item(),
    "mask": lambda x: x[x > 0][-1].item(),
    "cat": lambda x: gpukit.cat([x, x])[-1].item(),
    "view": lambda x: x.view(-1, 1)[-1, 0].item(),
    "print": lambda x: float(repr(x).split(",")[-1].split("]")[0]),
    "copy_": lambda x: gpukit.zeros(x.shape).copy_(x)[-1].item(),
    "up again": lambda x: x.to("cuda:0")[-1].item(),
    "in place": lambda x: x.mul_(1)[-1].item(),
    "address": lambda x: (x.data_ptr(), x[-1].item())[1],
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_waits(name):
    count = 1 << 21
    source = gpukit.full((count,), 7.0, device="cuda:0")
    assert READERS[name](source.cpu(non_blocking=True)) == 7.0
    home = gpukit.zeros(count)
    home.copy_(source, non_blocking=True)
    assert READERS[name](home) == 7.0


@pytest.mark.parametrize(
    "name", ["add", "index", "tolist", "max", "cat", "clone", "mask", "view", "in place"]
)
def test_every_user_of_an_upload_comes_after_it(name):
    x = gpukit.full((1 << 21,), 7.0)
    for _ in range(1 if name == "mask" else 3):  # selecting takes the simulator a second
        assert READERS[name](x.to("cuda:0", non_blocking=True)) == 7.0


def test_another_stream_comes_after_the_upload():
    x = gpukit.full((1 << 22,), 3.0)
    stream = gpukit.cuda.Stream(device="cuda:0")
    y = x.to("cuda:0", non_blocking=True)
    with gpukit.cuda.stream(stream):
        assert (y * 2).min().item() == 6.0


def test_an_upload_counts_as_work_of_the_stream():
    x = gpukit.full((1 << 22,), 3.0)
    y = x.to("cuda:0", non_blocking=True)
    event = gpukit.cuda.Event()
    event.record()
    event.synchronize()
    gpukit.synchronize("cuda:0")
    assert y.ready()
    z = x.to("cuda:0", non_blocking=True)
    gpukit.cuda.current_stream("cuda:0").synchronize()
    gpukit.cuda.synchronize(0)
    assert z.ready()


def test_the_source_may_change_in_place_after_a_non_blocking_upload():
    x = gpukit.full((1 << 22,), 1.0)
    for i in range(5):
        y = x.to("cuda:0", non_blocking=True)
        x.add_(1.0)
        assert y.min().item() == y.max().item() == i + 1.0
        x[0] = x[1]


def test_the_device_source_may_change_after_a_non_blocking_download():
    x = gpukit.full((1 << 22,), 1.0, device="cuda:0")
    for i in range(5):
        y = x.cpu(non_blocking=True)
        x.add_(1.0)
        assert y.min().item() == y.max().item() == i + 1.0


def test_sources_and_results_may_be_dropped_under_way():
    for _ in range(30):
        x = gpukit.from_numpy(np.full(1 << 19, 5.0))
        y = x.to("cuda:0", non_blocking=True)
        del x
        z = y.cpu(non_blocking=True)
        del y
        gpukit.full((1 << 19,), -1.0, dtype="float64", device="cuda:0")
        last = z
    gc.collect()
    assert last.min().item() == last.max().item() == 5.0
    gpukit.full((1 << 20,), 1.0).to("cuda:0", non_blocking=True)
    gpukit.full((1 << 20,), 1.0, device="cuda:0").cpu(non_blocking=True)


LAYOUTS = {
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[::-1],
    "every other": lambda a: a[::2, 1:],
    "middle": lambda a: a[3:-3, 5:-5],
    "swapped": lambda a: a.reshape(30, -1, 50).transpose(2, 0, 1),
    "expanded": lambda a: np.broadcast_to(a[:, None, :2], (a.shape[0], 40, 2)),
    "one": lambda a: a[1:2, 3:4],
    "none": lambda a: a[:0],
}


@pytest.mark.parametrize("non_blocking", [False, True])
@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name, non_blocking):
    a = np.arange(600 * 500, dtype=np.float32).reshape(600, 500)
    strided = LAYOUTS[name](a)
    up = gpukit.as_tensor(strided).to("cuda:0", non_blocking=non_blocking)
    assert up.is_contiguous()
    assert np.array_equal(up.cpu(non_blocking=non_blocking).numpy(), strided)
    on_device = gpukit.as_tensor(a).to("cuda:0")
    if name == "reversed":
        return  # gpukit's own views never step backwards
    if name == "expanded":
        view = on_device[:, None, :2].expand(600, 40, 2)
    elif name == "swapped":
        view = on_device.reshape(30, -1, 50).permute(2, 0, 1)
    else:
        view = LAYOUTS[name](on_device)
    assert np.array_equal(view.cpu(non_blocking=non_blocking).numpy(), strided)


def test_a_named_stream_carries_the_copy():
    stream = gpukit.cuda.Stream(device="cuda:0")
    x = gpukit.full((1 << 20,), 2.0)
    y = x.to("cuda:0", non_blocking=True, stream=stream)
    gpukit.cuda.current_stream("cuda:0").wait_stream(stream)
    assert y.sum().item() == 2.0 * (1 << 20)
    late = x.to("cuda:0", non_blocking=True)
    assert late.to("cpu", non_blocking=True, stream=stream).sum().item() == 2.0 * (1 << 20)


def test_two_devices(device_pair):
    first, second = device_pair
    x = gpukit.arange(1 << 20, dtype="float32")
    y = x.to(first, non_blocking=True).to(second, non_blocking=True).cpu(non_blocking=True)
    assert gpukit.equal(x, y)
    pinned = x.pin_memory()
    assert gpukit.equal(pinned.to(second, non_blocking=True).cpu(), x)


@pytest.fixture
def device_pair():
    count = gpukit.cuda.device_count()
    return "cuda:0", f"cuda:{count - 1}"


def test_many_threads():
    failures = []

    def rounds(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for i in range(12):
            data = rng.integers(0, 255, 1 << 20 if i % 2 else 3000, dtype=np.uint8)
            y = gpukit.from_numpy(data).to("cuda:0", non_blocking=bool(i % 3))
            back = y.cpu(non_blocking=bool(i % 4))
            if not np.array_equal(back.numpy(), data):
                failures.append((seed, i))

    threads = [threading.Thread(target=rounds, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@dataclasses.dataclass
class Batch:
    x: gpukit.Tensor
    name: str = "b"


class Pair(NamedTuple):
    left: gpukit.Tensor
    right: int


def test_structures():
    x = gpukit.ones(3)
    state = collections.OrderedDict(
        w=x,
        again=x,
        parts=[x * 2, (x * 3, "s")],
        pair=Pair(x, 4),
        batch=Batch(x * 5),
        a=np.zeros(2),
    )
    moved = gpukit.to(state, "cuda:0")
    assert type(moved) is collections.OrderedDict
    assert moved["w"] is moved["again"]
    assert moved["parts"][1][1] == "s"
    assert isinstance(moved["pair"], Pair)
    assert moved["pair"].right == 4
    assert moved["batch"].name == "b"
    assert moved["batch"].x.device == moved["a"].device == gpukit.device("cuda:0")
    assert state["batch"].x.is_cpu
    home = gpukit.to_cpu(moved)
    assert home["batch"].x.tolist() == [5.0] * 3
    assert home["parts"][1][0].tolist() == [3.0] * 3
    assert gpukit.to(7, "cuda:0") == 7
    with pytest.raises(InvalidDeviceError, match="cude"):
        gpukit.to(state, "cude:0")
    with pytest.raises(TypeError, match="non_blocking"):
        gpukit.to(state, "cpu", non_blocking=1)


def test_prefetch():
    batches = ({"x": np.full(1 << 18, i, np.float32), "i": i} for i in range(6))
    seen = [
        (b["x"].device.type, b["x"].mean().item(), b["i"])
        for b in gpukit.prefetch(batches, "cuda:0")
    ]
    assert seen == [("cuda", float(i), i) for i in range(6)]
    assert list(gpukit.prefetch([], "cuda:0")) == []
    assert [x.item() for x in gpukit.prefetch([gpukit.ones(1)], "cuda:0", depth=0)] == [1.0]


def test_prefetch_raises_in_its_turn():
    def broken():
        yield gpukit.ones(1)
        yield gpukit.ones(1) * 2
        raise RuntimeError("no more data")

    fetched = gpukit.prefetch(broken(), "cuda:0", depth=5)
    assert [next(fetched).item(), next(fetched).item()] == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="no more data"):
        next(fetched)
    with pytest.raises(TypeError, match="iterable"):
        gpukit.prefetch(5, "cuda:0")
    with pytest.raises(ValueError, match="depth"):
        gpukit.prefetch([], "cuda:0", depth=-1)
    with pytest.raises(TypeError, match="depth"):
        gpukit.prefetch([], "cuda:0", depth="2")


def test_futures():
    state = gpukit.to([gpukit.ones(1 << 20, device="cuda:0"), gpukit.zeros(3)], "cpu")
    future = gpukit.TransferFuture(state)
    assert future.nbytes == (4 << 20) + 12
    assert future.result(timeout=10)[0].sum().item() == 1 << 20
    assert future.done()
    assert future.seconds >= 0
    assert "done" in repr(future)
    with pytest.raises(TypeError, match="tensors"):
        gpukit.TransferFuture({"a": 1})


def test_await():
    async def both():
        x = gpukit.full((1 << 20,), 2.0).to("cuda:0", non_blocking=True)
        y = await x.to("cpu", non_blocking=True)
        (z,) = await gpukit.TransferFuture([x.cpu(non_blocking=True)])
        return y.sum().item(), z.sum().item(), await x is x

    assert asyncio.run(both()) == (2.0 * (1 << 20), 2.0 * (1 << 20), True)


def test_wait_and_ready():
    x = gpukit.ones(4)
    assert x.wait() is x
    assert x.wait(0) is x
    assert x.wait(timeout=0.5) is x
    assert x.block_until_ready(None) is x
    y = gpukit.ones(4, device="cuda:0")
    assert y.wait(5).ready()
    with pytest.raises(ValueError, match="timeout"):
        x.wait(-1)
    with pytest.raises(TypeError, match="timeout"):
        x.wait("soon")


def test_pinned_memory():
    x = gpukit.arange(5)
    pinned = x.pin_memory()
    assert pinned.is_pinned()
    assert not x.is_pinned()
    assert pinned.pin_memory() is pinned
    assert gpukit.equal(pinned, x)
    assert gpukit.zeros(3, pin_memory=True).is_pinned()
    assert gpukit.zeros(3, pin_memory=True).tolist() == [0.0] * 3
    with pytest.raises(ValueError, match="cuda:0"):
        gpukit.ones(2, device="cuda:0").pin_memory()
