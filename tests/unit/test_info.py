"""The report of what is here, on made-up machines and on this one."""

from __future__ import annotations

import getpass
import socket
from pathlib import Path

import pytest

import gpukit
from gpukit import _vendors


def fake_pci(root, *devices):
    for index, (kind, vendor) in enumerate(devices):
        entry = root / f"sys/bus/pci/devices/0000:0{index}:00.0"
        entry.mkdir(parents=True)
        (entry / "class").write_text(kind + "\n")
        (entry / "vendor").write_text(vendor + "\n")


def test_controllers_are_counted_by_vendor(tmp_path):
    fake_pci(
        tmp_path,
        ("0x030000", "0x10de"),
        ("0x030200", "0x10de"),
        ("0x020000", "0x10de"),
        ("0x038000", "0x1002"),
    )
    assert _vendors.display_controllers(tmp_path) == {"NVIDIA": 2, "AMD": 1}


@pytest.mark.parametrize(("place", "name"), [("dev/kfd", "ROCm"), ("opt/intel/oneapi", "oneAPI")])
def test_other_backends_are_named_with_evidence(tmp_path, place, name):
    (tmp_path / place).mkdir(parents=True)
    lights = {light.name: light for light in _vendors.other_lights(tmp_path, system="Linux")}
    assert lights[name].hardware
    assert not lights[name].usable
    assert place.split("/")[-1] in lights[name].evidence
    assert sum(light.hardware for light in lights.values()) == 1


def test_nothing_private_is_reported():
    text = gpukit.info(stack=True).to_json()
    for secret in (getpass.getuser() + "@", socket.gethostname(), str(Path.home()) + "/"):
        assert secret not in text


@pytest.mark.parametrize(("option", "value"), [("stack", 1), ("verify", "yes")])
def test_bad_options(option, value):
    with pytest.raises(TypeError, match=option):
        gpukit.info(**{option: value})


def test_cuda_versions_read_as_people_write_them():
    from gpukit._info import cuda_text

    assert cuda_text(12080) == "12.8"
    assert cuda_text(13000) == "13.0"
    assert cuda_text(0) is None
