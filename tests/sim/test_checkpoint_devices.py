"""Saving from and loading to CUDA devices, and what the host memory pays for it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

import gpukit
from gpukit._checkpoint.storage_bytes import CHUNK
from gpukit.errors import DeviceNotFoundError
from support.checkpoints import loaded, saved


def test_tensors_go_back_to_where_they_were():
    base = gpukit.arange(12, device="cuda:1").reshape(3, 4)
    back = loaded(saved({"a": base, "t": base.T, "c": gpukit.ones(2), "d": base.device}))
    assert [str(back[name].device) for name in "atc"] == ["cuda:1", "cuda:1", "cpu"]
    assert back["d"] == gpukit.device("cuda:1")
    assert back["a"].tolist() == base.tolist()
    back["a"][0, 0] = 50
    assert back["t"][0, 0].item() == 50


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("cpu", ["cpu", "cpu", "cpu"]),
        ("cuda:1", ["cuda:1"] * 3),
        ("cuda", ["cuda:0"] * 3),
        (1, ["cuda:1"] * 3),
        ({"cuda:0": "cuda:1"}, ["cuda:1", "cuda:1", "cpu"]),
        ({"cpu": "cuda:0", "cuda:1": "cpu"}, ["cuda:0", "cpu", "cuda:0"]),
        (lambda storage, name: storage, ["cpu", "cpu", "cpu"]),
        (lambda storage, name: storage.cuda(0), ["cuda:0"] * 3),
        (lambda storage, name: None if name == "cuda:1" else "cpu", ["cpu", "cuda:1", "cpu"]),
    ],
    ids=lambda value: "function" if callable(value) else repr(value),
)
@pytest.mark.parametrize("mmap", [False, True])
def test_map_location(where, expected, mmap, tmp_path):
    path = tmp_path / "net.pth"
    tensors = [gpukit.rand(5, device=device) for device in ("cuda:0", "cuda:1", "cpu")]
    gpukit.save(tensors, path)
    back = gpukit.load(path, where, mmap=mmap)
    assert [str(tensor.device) for tensor in back] == expected
    assert [tensor.tolist() for tensor in back] == [tensor.tolist() for tensor in tensors]


@pytest.mark.parametrize("format", ["npz", "safetensors"])
def test_other_formats_to_a_device(format):
    data = saved({"x": gpukit.arange(6, device="cuda:0").reshape(2, 3).T}, format=format)
    assert loaded(data)["x"].device.type == "cpu"
    back = loaded(data, "cuda:1")["x"]
    assert str(back.device) == "cuda:1"
    assert back.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_several_chunks():
    tensor = gpukit.arange(2 * CHUNK // 8 + 3, device="cuda:0")
    for format in ("torch", "safetensors", "npz"):
        back = loaded(saved({"x": tensor}, format=format), "cuda:1")["x"]
        assert gpukit.equal(back.cpu(), tensor.cpu())


def test_copy_under_way_is_waited_for():
    source = gpukit.rand(1 << 22, device="cuda:0")
    copy = (source * 2).to("cpu", non_blocking=True)
    assert gpukit.equal(loaded(saved(copy)), source.cpu() * 2)


def test_absent_device_of_a_file():
    data = saved(gpukit.ones(2, device="cuda:1"))
    program = (
        "import sys, gpukit\n"
        "x = gpukit.load(sys.argv[1]); y = gpukit.load(sys.argv[1])\n"
        "assert x.device.type == y.device.type == 'cpu' and x.tolist() == [1, 1]\n"
        "try:\n    gpukit.load(sys.argv[1], 'cuda:1')\n"
        "except gpukit.DeviceNotFoundError as error:\n    print(error.fix)\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    environment["GPUKIT_LIBCUDA"] = "none"
    path = f"/proc/self/fd/{_memory_file(data)}"
    result = subprocess.run(
        [sys.executable, "-c", program, path], env=environment, capture_output=True, text=True,
        pass_fds=[int(path.rsplit("/", 1)[1])], check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stdout == "map_location=gpukit.try_gpu()\n"
    assert result.stderr.count("saved on 'cuda:1'") == 1


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("checkpoint")
    os.write(descriptor, data)
    return descriptor


def test_map_location_names_an_absent_gpu():
    with pytest.raises(DeviceNotFoundError, match="cuda:7") as caught:
        loaded(saved(gpukit.ones(1, device="cuda:0")), "cuda:7")
    assert caught.value.fix == "map_location=gpukit.try_gpu()"


HOST_MEMORY = """
import io, json, resource, gpukit
x = gpukit.empty(400 << 20, dtype="uint8", device="cuda:0")
gpukit.save(gpukit.ones(9 << 20, device="cuda:0"), "/dev/null")
def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
before = used()
gpukit.save(x, "/dev/null")
print(json.dumps(used() - before))
"""


@pytest.mark.memory_growth
def test_saving_from_a_gpu_streams():
    """At most 64 MiB of host memory more, for a tensor of 400 MiB."""
    environment = {**os.environ, "GPUKIT_SIMULATE": "1xT4"}
    result = subprocess.run(
        [sys.executable, "-c", HOST_MEMORY], env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    # The simulated device's own pages are host memory too: they are touched when they are read.
    assert json.loads(result.stdout) < (400 + 64) << 20


def test_after_a_refused_file_the_device_works():
    data = saved(gpukit.ones(4, device="cuda:0"))
    before = gpukit.cuda.memory_allocated(0)
    for cut in range(20, len(data), 200):
        with pytest.raises(gpukit.CheckpointError):
            gpukit.load(io.BytesIO(data[:cut]))
    assert gpukit.cuda.memory_allocated(0) == before
    assert loaded(data).sum().item() == 4
