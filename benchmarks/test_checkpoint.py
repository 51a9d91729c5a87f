"""Files beside NumPy, torch and safetensors. In memory where there is room: not the disk."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch
from harness import compare

import gpukit

COUNT = 25_000_000
SHARED = Path("/dev/shm")


@pytest.fixture(scope="module")
def folder():
    """A folder on a file system in memory, else an ordinary one."""
    roomy = SHARED.is_dir() and shutil.disk_usage(SHARED).free > 2 << 30
    with tempfile.TemporaryDirectory(dir=SHARED if roomy else None) as name:
        yield Path(name)


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(0).standard_normal(COUNT).astype(np.float32)


def test_save(record, folder, values):
    mine, theirs = gpukit.tensor(values), torch.tensor(values)
    works = {
        "gpukit": lambda: gpukit.save(mine, folder / "gpukit.pth"),
        "numpy": lambda: np.save(folder / "numpy.npy", values),
        "torch": lambda: torch.save(theirs, folder / "torch.pth"),
        "safetensors": lambda: safetensors.numpy.save_file({"w": values}, folder / "w.safetensors"),
    }
    for work in works.values():
        work()
    assert np.array_equal(gpukit.load(folder / "gpukit.pth").numpy(), values)
    assert np.array_equal(torch.load(folder / "gpukit.pth", weights_only=True).numpy(), values)
    goals = {"numpy": 1, "torch": 1, "safetensors": 1}
    note = "checksum, fsync and rename included; NumPy has none of them"
    record(compare("files", "save 100 MB", works, goals, check=False, note=note))


def touched(load):
    """The sum of one element of each page."""
    return load()["w"][::1024].sum()


def test_load_by_mapping(record, folder, values):
    path = folder / "mapped.safetensors"
    gpukit.save({"w": gpukit.tensor(values)}, path)

    works = {
        "gpukit": partial(touched, partial(gpukit.load, path, mmap=True)),
        "safetensors": partial(touched, partial(safetensors.torch.load_file, path)),
    }
    record(compare("files", "map 100 MB and touch", works, {"safetensors": 1 / 1.1}, rtol=1e-3))


def test_load_of_many_small_tensors(record, folder):
    names = [f"layer{i}.weight" for i in range(200)]
    path = folder / "small.pth"
    gpukit.save({name: gpukit.ones(16, 16) for name in names}, path)
    assert gpukit.load(path).keys() == torch.load(path, weights_only=True).keys()
    works = {
        "gpukit": partial(gpukit.load, path),
        "torch": partial(torch.load, path, weights_only=True),
    }
    record(compare("files", "load 200 small tensors", works, {"torch": 1}, check=False))
