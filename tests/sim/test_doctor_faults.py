"""The doctor's whole way, child process and all, on simulated machines with faults."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def doctor(simulation, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "gpukit", "doctor", "--json", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={**os.environ, "GPUKIT_SIMULATE": simulation},
    )
    return json.loads(done.stdout), done.returncode


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("stub", "stub-libcuda-loaded"),
        ("no_device", "no-device-shown"),
        ("driver_too_old", "driver-too-old"),
        ("no_arch", "card-too-old-for-gpukit"),
        ("lost@1", "context-poisoned"),
        ("ecc", "ecc-or-row-remap"),
        ("launch_fail@1", "context-poisoned"),
    ],
)
def test_faults_of_the_simulated_driver_are_named(fault, code):
    document, status = doctor(f"T4,fault={fault}")
    assert code in {check["id"] for check in document["checks"]}
    assert (document["verdict"], status) == ("not_ready", 1)
    assert document["checks"][0]["id"] == code


@pytest.mark.parametrize(
    ("settings", "code", "verdict"),
    [
        ("fault=lost@2", "context-poisoned", "usable"),
        ("fault=ecc", "ecc-or-row-remap", "usable"),
        ("fault=launch_fail@1+", "context-poisoned", "not_ready"),
        ("nvml=lost@1", "gpu-fell-off-bus", "usable"),
        ("fault=hidden", "no-device-shown", "not_ready"),
        ("fault=oom@1+", "gpu-memory-refused", "not_ready"),
        ("fault=oom@2+", "gpu-memory-refused", "usable"),  # the second GPU's first allocation
        ("fault=oom@3", "simulated-devices", "ready"),  # what is freed and asked for again passes
    ],
)
def test_faults_are_named_on_two_gpus(settings, code, verdict):
    document, _ = doctor(f"2xT4,{settings}")
    assert code in {check["id"] for check in document["checks"]}
    assert document["verdict"] == verdict
    assert document["simulated"] or verdict == "not_ready"
    if settings == "fault=oom@2+":
        [refused] = [check for check in document["checks"] if check["id"] == code]
        assert [line.split()[0] for line in refused["evidence"]] == ["cuda:1"]


def test_a_good_simulation_is_ready():
    document, status = doctor("2xT4", "--deep", "--require", "cuda")
    assert (document["verdict"], status) == ("ready", 0)
    assert len(document["devices"]) == 2
    assert document["simulated"]
    lights = document["lights"]
    assert not lights.pop("hardware present") or Path("/proc/driver/nvidia").exists()
    assert set(lights.values()) == {True}
