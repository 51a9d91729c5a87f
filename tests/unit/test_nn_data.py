"""Data sets, the loader's thread, and functions on several devices at once."""

from __future__ import annotations

import gc
import threading
import time

import numpy as np
import pytest

import gpukit
from gpukit.utils.data import (
    DataLoader,
    Dataset,
    Subset,
    TensorDataset,
    default_collate,
    random_split,
)


def dataset(n=10):
    return TensorDataset(gpukit.arange(2 * n).reshape(n, 2), gpukit.arange(n))


def workers():
    return [t for t in threading.enumerate() if t.name == "gpukit-data"]


def test_tensor_dataset():
    data = dataset()
    x, y = data[3]
    assert x.tolist() == [6, 7] and y.item() == 3 and len(data) == 10
    with pytest.raises(ValueError, match="first sizes"):
        TensorDataset(gpukit.ones(2), gpukit.ones(3))
    with pytest.raises(ValueError, match="at least one"):
        TensorDataset()


@pytest.mark.parametrize("prefetch", [0, 2])
@pytest.mark.parametrize("drop_last", [False, True])
def test_batches_in_order(prefetch, drop_last):
    loader = DataLoader(dataset(), 4, prefetch=prefetch, drop_last=drop_last)
    sizes = [4, 4] if drop_last else [4, 4, 2]
    batches = list(loader)
    assert [len(y) for _, y in batches] == sizes and len(loader) == len(sizes)
    assert gpukit.cat([y for _, y in batches]).tolist() == list(range(sum(sizes)))
    assert all((x[:, 0] == 2 * y).all() for x, y in batches)


def test_shuffle_is_of_the_seed():
    def order(seed):
        generator = gpukit.Generator().manual_seed(seed)
        loader = DataLoader(dataset(100), 10, shuffle=True, generator=generator)
        return gpukit.cat([y for _, y in loader]).tolist()

    assert order(1) == order(1) != order(2)
    assert sorted(order(1)) == list(range(100))
    loader = DataLoader(dataset(100), 100, shuffle=True)
    assert next(iter(loader))[1].tolist() != next(iter(loader))[1].tolist()


def test_any_data_set():
    class Pairs(Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return {"x": np.full(2, i, np.float32), "name": f"n{i}"}

    (batch,) = DataLoader(Pairs(), 3)
    assert batch["x"].tolist() == [[0, 0], [1, 1], [2, 2]] and batch["name"] == ["n0", "n1", "n2"]
    (batch,) = DataLoader(Pairs(), 3, collate_fn=len)
    assert batch == 3


def test_collate_and_split():
    assert default_collate([1.5, 2.0]).tolist() == [1.5, 2.0]
    assert default_collate([1.5, 2.0]).dtype is gpukit.float64
    assert default_collate([("a", 1), ("b", 2)])[0] == ("a", "b")
    assert default_collate(["a", "b"]) == ["a", "b"]
    assert default_collate([np.str_("a"), np.str_("b")]) == ["a", "b"]
    assert [each.tolist() for each in default_collate([range(2)] * 3)] == [[0] * 3, [1] * 3]
    with pytest.raises(TypeError, match="got NoneType; give the DataLoader a collate_fn"):
        default_collate([{"x": None}, {"x": None}])
    with pytest.raises(gpukit.ShapeError, match=r"got \[1, 2\]"):
        default_collate([[1], [1, 2]])
    parts = random_split(dataset(), [7, 3])
    assert [len(p) for p in parts] == [7, 3] and isinstance(parts[0], Subset)
    assert sorted(i for p in parts for i in p.indices) == list(range(10))
    with pytest.raises(ValueError, match="sum to 9"):
        random_split(dataset(), [7, 2])


def test_the_thread_works_ahead_and_ends():
    seen = []

    class Slow(Dataset):
        def __len__(self):
            return 50

        def __getitem__(self, i):
            seen.append(i)
            return i

    batches = iter(DataLoader(Slow(), 1, prefetch=3))
    assert next(batches).item() == 0
    deadline = time.monotonic() + 5
    while len(seen) < 5 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert 4 <= len(seen) <= 6
    batches.close()
    assert workers() == []
    half = iter(DataLoader(Slow(), 1))
    next(half)
    del half
    gc.collect()
    assert workers() == []


def test_an_error_in_the_thread_reaches_the_loop():
    class Broken(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            if i == 2:
                raise OSError("file is gone")
            return i

    seen = []
    with pytest.raises(OSError, match="file is gone"):
        seen.extend(batch.item() for batch in DataLoader(Broken()))
    assert workers() == []


def test_memory_is_not_pinned_without_a_gpu(monkeypatch):
    monkeypatch.setattr("gpukit.utils.data.num_gpus", lambda: 0)
    with pytest.warns(gpukit.GpukitWarning, match="pin_memory") as said:
        loader = DataLoader(dataset(), batch_size=5, pin_memory=True)
    assert said[0].filename == __file__
    assert len(list(loader)) == 2


@pytest.mark.parametrize("settings", [{"batch_size": 0}, {"batch_size": 1.5}, {"prefetch": -1}])
def test_loader_refuses(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        DataLoader(dataset(), **settings)


def test_parallel_runs_at_once_and_keeps_order():
    meeting = threading.Barrier(2, timeout=10)

    def first():
        meeting.wait()
        return "a"

    def second():
        meeting.wait()
        return "b"

    assert gpukit.parallel([first, second], ["cpu", "cpu"]) == ["a", "b"]


def test_parallel_raises_what_a_function_raised():
    done = []

    def fails():
        raise KeyError("first")

    with pytest.raises(KeyError, match="first"):
        gpukit.parallel([fails, lambda: done.append(1)], ["cpu", "cpu"])
    assert done == [1]
    with pytest.raises(ValueError, match="2 functions, but 1 devices"):
        gpukit.parallel([fails, fails], ["cpu"])
    with pytest.raises(TypeError, match="functions"):
        gpukit.parallel([1], ["cpu"])


@pytest.mark.parametrize(
    "name", ["batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"]
)
def test_what_the_order_is_made_of_is_fixed(name):
    class Own(DataLoader):
        pass

    for loader in (DataLoader(dataset(), batch_size=4), Own(dataset(), batch_sampler=[[1], [2]])):
        before = getattr(loader, name)
        words = f"{name} attribute should not be set after {type(loader).__name__} is initialized"
        with pytest.raises(ValueError, match=words):
            setattr(loader, name, None)
        assert getattr(loader, name) is before
        loader.prefetch = 0  # others may be set
        assert len(list(loader)) == len(loader)
