"""Every row of the catalogue on a machine that has its fault, or by a text that shows it."""

from __future__ import annotations

import html
import json
from dataclasses import replace

import pytest

from gpukit.doctor.catalogue import rows
from gpukit.doctor.catalogue.base import BLOCKER, CRASH, Layer
from gpukit.doctor.diagnosis import diagnose
from support.broken_machines import HEALTHY, MACHINES
from support.machines import pci

DRIVER_WORDS = ("nvidia-driver", "ubuntu-drivers", "modprobe", "reboot", "apt ", "dnf ")
# What people paste, for the rows that no file shows.
PASTES = {
    "kaggle-internet-off": "Temporary failure in name resolution",
    "spot-or-idle-kill": "Runtime disconnected",
    "windows-pre-cuda13-1-driver": "CUDA Toolkit 13.1 installed, no display driver found",
    "windows-nvcuda-missing": "Could not load dynamic library 'nvcuda.dll'",
    "tf-native-windows": "TensorFlow GPU support is not available on native Windows for >= 2.11",
    "wddm-caveats": "NVIDIA GeForce MX150  WDDM",
    "toolkit-not-installed": 'could not select device driver "" with capabilities: [[gpu]]',
    "wsl-smi-segfault": "$ nvidia-smi\nSegmentation fault".replace("\n", " "),
    "wsl-symlink-noise": "/sbin/ldconfig: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link",
    "vgpu-unlicensed": "vGPU Software Licensed Product: Unlicensed (Unrestricted)",
    "aws-nvswitch": "on p4d.24xlarge: error 802 system not yet initialized",
    "link-degraded": "PCIe link is x4 instead of x16",
    "fork-after-init": "Cannot re-initialize CUDA in forked subprocess",
    "tf-grabs-all-memory": "Physical devices cannot be modified after being initialized",
    "jax-banner-false-alarm": "An NVIDIA GPU may be present on this machine, but",
    "oom-fragmentation": "If reserved but unallocated memory is large try",
    "intel-xpu-crash-on-probe": "torch.xpu.is_available: exit code 0xC0000005",
    "mps-watermark-oom": "MPS backend out of memory (MPS allocated: 9 GB)",
    "mps-op-missing": "The operator is not currently implemented for the MPS device",
}


@pytest.mark.parametrize("fake", MACHINES, ids=[fake.code for fake in MACHINES])
def test_machine(fake, tmp_path):
    diagnosis = diagnose(fake.evidence(tmp_path))
    problems = {check.id: check for check in diagnosis.problems}
    assert diagnosis.notes == []
    assert fake.code in problems
    assert diagnosis.verdict == fake.verdict, diagnosis.to_text()
    check = problems[fake.code]
    assert check.found
    assert check.remedy
    assert check.evidence
    if diagnosis.verdict == "not_ready" and check.severity in {BLOCKER, CRASH}:
        assert diagnosis.problems[0].id == fake.code
        assert diagnosis.exit_code == 1
    if diagnosis.platform in {"Google Colab", "Kaggle"}:
        commands = " ".join(c.command or "" for c in diagnosis.problems)
        assert not any(word in commands for word in DRIVER_WORDS)


@pytest.mark.parametrize("fake", MACHINES, ids=[fake.code for fake in MACHINES])
def test_only_the_first_broken_layer_is_told(fake, tmp_path):
    diagnosis = diagnose(fake.evidence(tmp_path))
    broken = [c for c in diagnosis.problems if c.severity in {BLOCKER, CRASH}]
    if diagnosis.verdict == "not_ready":
        assert len(broken) == 1
    for text in (diagnosis.to_text(), diagnosis.to_markdown(), diagnosis.to_html()):
        assert diagnosis.headline.split(":")[0] in html.unescape(text)
    assert json.loads(diagnosis.to_json())["verdict"] == diagnosis.verdict


@pytest.mark.parametrize("name", HEALTHY)
def test_a_machine_without_faults_has_nothing_to_mend(name, tmp_path):
    fake = HEALTHY[name]
    diagnosis = diagnose(fake.evidence(tmp_path))
    assert (diagnosis.verdict, diagnosis.exit_code) == (fake.verdict, 0), diagnosis.to_text()
    assert fake.code in {check.id for check in diagnosis.problems} | {""}
    assert diagnosis.supports("cuda") == bool(fake.cuda.devices)
    assert bool(diagnosis.options) != diagnosis.supports("cuda")


def test_all_lights_of_a_good_machine_are_on(tmp_path):
    assert set(diagnose(HEALTHY["server"].evidence(tmp_path)).lights.values()) == {True}


def test_one_of_two_cards_lost(tmp_path):
    server = HEALTHY["server"]
    lost = {"/sys/bus/pci/devices/0000:02:00.0/config": "\xff" * 4}
    files = server.files | pci("1eb8", "nvidia", slot=2) | lost
    diagnosis = diagnose(replace(server, files=files).evidence(tmp_path))
    assert diagnosis.verdict == "usable"
    assert diagnosis.problems[0].id == "gpu-fell-off-bus"
    assert diagnosis.exit_code == 1


def test_one_of_two_kernels_fails_is_said_with_the_way_around(tmp_path):
    fake = next(fake for fake in MACHINES if fake.code == "some-gpus-fail")
    visible = replace(fake, env={"CUDA_VISIBLE_DEVICES": "GPU-aa, GPU-bb"})
    for machine, value in ((fake, "0"), (visible, "GPU-aa")):
        diagnosis = diagnose(machine.evidence(tmp_path / value))
        assert (diagnosis.verdict, diagnosis.exit_code) == ("usable", 1)
        assert diagnosis.problems[0].id == "kernel-failed"
        text = diagnosis.to_text()
        assert "it failed on cuda:1 (Tesla T4). 1 issue to fix." in text
        assert "kernel ran: on 1 of 2 GPUs" in text
        assert f"$ export CUDA_VISIBLE_DEVICES={value}\n" in text + "\n"
        assert "gpukit.try_gpu(0)" in text


@pytest.mark.parametrize("lines", [2, 3])
def test_a_gpu_that_nvml_does_not_list_is_missed(lines, tmp_path):
    server = HEALTHY["server"]
    models = {
        f"/proc/driver/nvidia/gpus/0000:0{i}:00.0/information": "Model: Tesla T4\n"
        for i in range(lines)
    }
    diagnosis = diagnose(replace(server, files=server.files | models).evidence(tmp_path))
    assert (diagnosis.verdict, diagnosis.problems[0].id) == ("usable", "gpu-fell-off-bus")


def test_every_row_has_a_machine_or_a_text():
    shown = {fake.code for fake in MACHINES} | set(PASTES)
    assert {row.code for row in rows()} == shown
    assert len(MACHINES) >= 40


@pytest.mark.parametrize("code", PASTES)
def test_a_pasted_error_names_its_row(code):
    from gpukit.doctor import explain
    from gpukit.doctor.errors.answer import find_causes
    from gpukit.doctor.evidence import Evidence

    assert code in [each.row.code for each in find_causes(PASTES[code], Evidence())[0]]
    assert code in explain(PASTES[code])


def test_codes_are_unique_and_layers_are_in_order():
    codes = [row.code for row in rows()]
    assert len(codes) == len(set(codes))
    layers = [row.layer for row in rows()]
    assert layers == sorted(layers)
    assert {row.layer for row in rows()} == set(Layer)


def test_a_machine_without_a_gpu_ends_with_the_free_options_first(tmp_path):
    fake = next(fake for fake in MACHINES if fake.code == "no-nvidia-hardware")
    diagnosis = diagnose(fake.evidence(tmp_path))
    assert diagnosis.exit_code == 0
    last = diagnosis.to_text().splitlines()[-len(diagnosis.options) :]
    kinds = [line.split(". ", 1)[1].split(":")[0] for line in last]
    assert kinds[0] == "free"
    assert kinds == sorted(kinds)  # every free one before every paid one


def test_likely_is_said(tmp_path):
    fake = next(fake for fake in MACHINES if fake.code == "device-permission")
    assert "likely: device-permission" in diagnose(fake.evidence(tmp_path)).to_text()
