"""TensorFlow's list of devices: its names, and entries that work wherever a device is taken."""

from __future__ import annotations

import copy
import pickle

import pytest

import gpukit
from gpukit.config import PhysicalDevice, experimental


@pytest.mark.parametrize("kind", [None, "CPU", "GPU", "gpu"])
def test_the_list_is_that_of_the_devices(kind: str | None) -> None:
    listed = experimental.list_physical_devices(kind)
    devices = [one.device for one in listed]
    wanted = {None: ("cpu", "cuda"), "CPU": ("cpu",)}.get(kind, ("cuda",))
    assert devices == [one for one in gpukit.devices() if one.type in wanted]
    for one in listed:
        assert one.name == f"/physical_device:{one.device_type}:{one.device.index or 0}"
        assert one.device_type == {"cpu": "CPU", "cuda": "GPU"}[one.device.type]
        assert repr(one) == f"PhysicalDevice(name={one.name!r}, device_type={one.device_type!r})"
        assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
        assert type(copy.copy(one)) is PhysicalDevice


@pytest.mark.parametrize(
    "use",
    [
        lambda one: gpukit.ones(2, device=one).device,
        lambda one: gpukit.ones(2).to(one).device,
        lambda one: gpukit.as_tensor([1.0], device=one).device,
        gpukit.device,
    ],
)
def test_an_entry_is_taken_as_a_device(use) -> None:
    for one in experimental.list_physical_devices():
        assert use(one) == one.device


def test_the_tutorial_s_lines_run() -> None:
    gpus = experimental.list_physical_devices("GPU")
    assert len(gpus) == gpukit.num_gpus()
    for one in gpus:
        experimental.set_memory_growth(one, True)
        assert experimental.get_memory_growth(one)
        assert gpukit.cuda.memory_allocated(one) >= 0


def test_another_name_gets_an_answer() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'list_physical_devices'"):
        _ = experimental.list_physical_device
    with pytest.raises(gpukit.InvalidDeviceError):
        PhysicalDevice("xpu")


def test_an_entry_reads_and_compares_as_a_device() -> None:
    for one in experimental.list_physical_devices():
        assert (one.type, one.index) == (one.device.type, one.device.index)
        assert one == one.device
        assert one == str(one.device)
        assert one != gpukit.device("cuda:31")
        assert hash(one) == hash(str(one.device))
