"""All that tell whether a GPU works agree: doctor, info, try_gpu, try_all_gpus, is_available."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import gpukit
from gpukit._device import lost_here
from gpukit.doctor.diagnosis import diagnose
from gpukit.doctor.evidence import Evidence
from gpukit.doctor.gather import gather
from support.simulation import simulation

LAUNCHES = 4  # of one device's proof: arange, two steps, a sum
STAYING = ("lost", "ecc", "launch_fail")


def states(count: int) -> dict[str, object]:
    """What each of them says."""
    found = gpukit.doctor()
    tried = [gpukit.try_gpu(index, quiet=True).type == "cuda" for index in range(count)]
    every = {device.index for device in gpukit.try_all_gpus() if device.type == "cuda"}
    report = gpukit.info()
    told = [device["verified"] for device in report.devices if device["type"] == "cuda"]
    return {
        "doctor": [device["kernel"] == "" for device in found.devices],
        "try_gpu": tried,
        "try_all_gpus": [index in every for index in range(count)],
        "info": told,
        "available": gpukit.cuda.is_available(),
        "diagnosis": found,
        "reasons": report.reasons,
    }


def check(count: int, works: list[bool]) -> None:
    """Everybody says `works`, and the verdict follows from it."""
    said = states(count)
    for name in ("doctor", "try_gpu", "try_all_gpus", "info"):
        assert said[name] == works, name
    assert said["available"] == works[0]
    found = said["diagnosis"]
    expected = "ready" if all(works) else "usable" if any(works) else "not_ready"
    assert (found.verdict, found.exit_code) == (expected, int(not all(works))), found.to_text()
    assert found.supports("cuda") == any(works)
    assert ("cuda" in said["reasons"]) == (not all(works))
    text = found.to_text()
    for index, good in enumerate(works):
        assert good or f"cuda:{index} (Tesla T4" in text
    if any(works) and not all(works):
        assert f"gpukit.try_gpu({works.index(True)})" in text
        assert f"on {sum(works)} of {count} GPUs" in text
        assert "Ready" not in found.headline


@pytest.mark.parametrize("kind", STAYING)
@pytest.mark.parametrize(("count", "broken"), [(1, 0), (2, 0), (2, 1), (3, 1), (4, 3)])
def test_one_device_is_broken(kind, count, broken):
    with simulation(count, fault=f"{kind}@{LAUNCHES * broken + random.randint(1, LAUNCHES)}"):
        check(count, [index != broken for index in range(count)])


@pytest.mark.parametrize("kind", STAYING)
@pytest.mark.parametrize(("count", "first"), [(2, 0), (3, 1)])
def test_all_from_one_on_are_broken(kind, count, first):
    with simulation(count, fault=f"{kind}@{LAUNCHES * first + 1}+"):
        check(count, [index < first for index in range(count)])


@pytest.mark.parametrize(
    "call",
    ["cuModuleLoadData:209", "cuLaunchKernel:701", "cuDevicePrimaryCtxRetain:46",
     "cuStreamCreateWithPriority:2", "cuMemAlloc:2", "cuMemcpyDtoHAsync:719"],
)  # fmt: skip
@pytest.mark.parametrize("count", [1, 2])
def test_a_call_that_always_fails_breaks_all(call, count):
    with simulation(count, fault=f"fail:{call}@1+"):
        check(count, [False] * count)


@pytest.mark.parametrize("call", ["cuModuleLoadData:209", "cuLaunchKernel:701"])
def test_a_call_that_fails_once_breaks_the_first(call):
    with simulation(2, fault=f"fail:{call}@1"):
        check(2, [False, True])


@pytest.mark.parametrize("fault", ["no_arch", "oom@1+"])
def test_faults_of_every_device(fault):
    with simulation(2, fault=fault):
        check(2, [False, False])


@pytest.mark.parametrize("fault", [
    "stub", "no_device", "hidden", "driver_too_old", "fail:cuInit:999@1+", "fail:cuInit:802@1+",
])  # fmt: skip
def test_a_driver_that_does_not_start_shows_no_device(fault):
    with simulation(2, fault=fault):
        assert gpukit.doctor().verdict == "not_ready"
        assert not gpukit.cuda.is_available()
        assert gpukit.try_gpu(quiet=True).type == "cpu"
        assert [d.type for d in gpukit.try_all_gpus()] == ["cpu"]
        report = gpukit.info()
        assert [d["type"] for d in report.devices] == ["cpu"]
        assert "cuda" in report.reasons


@pytest.mark.parametrize("fault", ["", "oom@1", "no_symbol:cuMemAllocAsync"])
def test_what_breaks_nothing(fault):
    with simulation(2, **({"fault": fault} if fault else {})):
        check(2, [True, True])


CAUSES = {
    "no_arch": "card-too-old-for-gpukit",
    f"lost@{LAUNCHES}": "context-poisoned",
    "ecc@1": "ecc-or-row-remap",
    "fail:cuModuleLoadData:209@1+": "no-kernel-for-card",
    "fail:cuLaunchKernel:701@1+": "kernel-failed",
    "oom@1+": "gpu-memory-refused",
    "fail:cuStreamCreateWithPriority:2@1+": "gpu-memory-refused",
    "no_device": "no-device-shown",
    "fail:cuInit:46@1+": "compute-mode-exclusive",
    "fail:cuInit:999@1+": "unknown-start-error",
}


def in_other_words(evidence: Evidence) -> Evidence:
    """The same evidence with all sentences of errors replaced."""
    cuda = evidence.cuda
    devices = [d | {"kernel": d["kernel"] and "autres mots"} for d in cuda.devices]
    said = replace(cuda, failure=cuda.failure and "autres mots", fix="", devices=devices)
    return replace(evidence, cuda=said)


@pytest.mark.parametrize("fault", CAUSES)
def test_the_doctor_reads_codes_and_no_sentences(fault):
    with simulation(1, fault=fault):
        evidence = gather()
    found, other = diagnose(evidence), diagnose(in_other_words(evidence))
    assert CAUSES[fault] in {check.id for check in found.problems}, found.to_text()
    assert [check.id for check in other.problems] == [check.id for check in found.problems]
    assert (other.verdict, other.exit_code) == (found.verdict, found.exit_code)
    assert other.lights == found.lights


def test_a_device_lost_after_its_proof_is_noticed_by_all():
    with simulation(2, fault=f"lost@{LAUNCHES * 2 + 3}"):
        assert [device.index for device in gpukit.try_all_gpus()] == [0, 1]
        with pytest.raises(gpukit.DeviceError):
            (gpukit.ones(3, device="cuda:1") + 1 + 1 + 1).cpu()
        assert list(lost_here()) == [1]
        assert gpukit.try_gpu(1, quiet=True).type == "cpu"
        assert [device.index for device in gpukit.try_all_gpus()] == [0]
        assert [d["verified"] for d in gpukit.info().devices] == [True, False, True]
        found = gpukit.doctor()  # its own process can use both
        assert (found.verdict, found.exit_code) == ("usable", 1)
        assert "cuda:1, in this process" in found.to_text()
        assert "Restart the kernel" in found.to_text()
