"""The last proof: a kernel ran and returned the right result."""

from __future__ import annotations

from typing import Any

from gpukit._system import installing
from gpukit._system.gpu_facts import OLDEST_CAPABILITY, parse_capability
from gpukit.doctor.catalogue.base import (
    ADMIN,
    BLOCKER,
    CRASH,
    INFORMATION,
    KERNEL,
    REBOOT,
    Fix,
    Layer,
    check,
)
from gpukit.doctor.evidence import Evidence

_NO_KERNELS, _LOST, _NO_MEMORY = "no_kernels", "device_lost", "out_of_memory"
_MEMORY_ERROR = 214  # a lost device, too; it has a row of its own


def _failing(evidence: Evidence) -> list[dict[str, Any]]:
    return evidence.cuda.failing if evidence.cuda else []


def _cause(device: dict[str, Any]) -> str:
    """Why the kernel did not run, as a word; "" where no word fits or the code has its own row."""
    return "" if device.get("status") == _MEMORY_ERROR else str(device.get("cause", ""))


def _lines(devices: list[dict[str, Any]]) -> list[str]:
    return [f"cuda:{d['index']} ({d['name']}): {d['kernel']}" for d in devices]


def _kernel_errors(evidence: Evidence, cause: str) -> list[str]:
    return _lines([device for device in _failing(evidence) if _cause(device) == cause])


@check(
    "no-device-shown",
    Layer.START,
    BLOCKER,
    "The driver starts, and shows no GPU to this process.",
    Fix("Check that the container or notebook was given a GPU, and CUDA_VISIBLE_DEVICES."),
)
def no_device(evidence: Evidence) -> list[str]:
    """Code 100 that no earlier check explained."""
    return ["cuInit: 100 no device"] if evidence.cuda_status == 100 else []


@check(
    "card-too-old-for-gpukit",
    Layer.KERNEL,
    BLOCKER,
    "gpukit's kernels are built for compute capability 6.0 and newer: this card is older.",
    Fix("gpukit uses the CPU here. Colab and Kaggle offer a T4 (7.5) for nothing."),
)
def card_too_old(evidence: Evidence) -> list[str]:
    """Every card is below the oldest capability."""
    old = [c for c in evidence.capabilities if parse_capability(c) < OLDEST_CAPABILITY]
    if not old or len(old) < len(evidence.capabilities) or evidence.works:
        return []
    devices = evidence.cuda.devices if evidence.cuda else []
    return [
        f"cuda:{device['index']} ({device['name']}): compute capability {device['capability']}"
        for device in devices
    ] or [f"compute capability {capability}" for capability in old]


@check(
    "no-kernel-for-card",
    Layer.KERNEL,
    CRASH,
    "This gpukit carries no kernels for the card.",
    Fix(
        "Install a build for this card: published wheels have the kernels of all cards, and so has "
        "a build whose GPUKIT_ARCHS was not narrowed.",
        (installing.command().replace("install", "install --force-reinstall", 1),),
        restart=KERNEL,
    ),
    symptoms=(r"carries no kernels for it",),
)  # fmt: skip
def no_kernel(evidence: Evidence) -> list[str]:
    """Code 209, or no image in this gpukit."""
    return _kernel_errors(evidence, _NO_KERNELS)


def _restart(evidence: Evidence) -> Fix:
    """A separate process that fails immediately is not the notebook's fault."""
    if not evidence.own.lost and _kernel_errors(evidence, _LOST):
        return Fix(
            "It happened in a fresh process too: look into the kernel's log for an Xid, then reset "
            "the GPU or reboot; a card that goes on failing needs replacing.",
            ("sudo dmesg | grep -iE 'nvrm|xid'",),
            ADMIN,
            REBOOT,
        )
    return Fix(
        "Restart the kernel: nothing else helps. Run the failing cell on the CPU, or with "
        "CUDA_LAUNCH_BLOCKING=1, to see which call it was.",
        restart=KERNEL,
    )


@check(
    "context-poisoned",
    Layer.KERNEL,
    CRASH,
    "A kernel went wrong, and its process cannot use that GPU any more.",
    _restart,
)
def poisoned(evidence: Evidence) -> list[str]:
    """Codes that stay, in the probing process or in the one that asks."""
    here = [f"cuda:{index}, in this process: {text}" for index, text in evidence.own.lost.items()]
    return here + _kernel_errors(evidence, _LOST)


@check(
    "gpu-memory-refused",
    Layer.KERNEL,
    CRASH,
    "The GPU had not even the few KiB of memory that a small kernel needs.",
    Fix("See which processes hold its memory, and end idle ones; else use another GPU.",
        ("gpukit smi",)),
)  # fmt: skip
def no_memory(evidence: Evidence) -> list[str]:
    """Code 2, or an out-of-memory error of gpukit's own."""
    return _kernel_errors(evidence, _NO_MEMORY)


@check(
    "kernel-failed",
    Layer.KERNEL,
    CRASH,
    "The driver starts, but a small kernel did not return its known result.",
    Fix("Restart the kernel and run gpukit doctor --deep; report it with its output.",
        ("gpukit doctor --deep",), restart=KERNEL),
)  # fmt: skip
def kernel_failed(evidence: Evidence) -> list[str]:
    """Any error that no earlier check explained."""
    return _lines(
        [
            device
            for device in _failing(evidence)
            if _cause(device) not in {_NO_KERNELS, _LOST, _NO_MEMORY}
            and device.get("status") != _MEMORY_ERROR
        ]
    )


def _use_working_devices(evidence: Evidence) -> Fix:
    """How a program uses the devices that work, by index and by variable."""
    working = [device["index"] for device in evidence.cuda.working] if evidence.cuda else []
    first = working[0] if working else 0
    text = (
        f"Until that is fixed use the others: gpukit.try_gpu({first}), or "
        f"gpukit.cuda.set_device({first}) before anything else; gpukit.try_all_gpus() lists them."
    )
    if evidence.simulated:
        return Fix(text)
    shown = evidence.env("CUDA_VISIBLE_DEVICES").split(",")
    names = [shown[i].strip() if len(shown) > i and shown[0] else str(i) for i in working]
    return Fix(
        f"{text} Or show a program only those.", (f"export CUDA_VISIBLE_DEVICES={','.join(names)}",)
    )


@check(
    "some-gpus-fail",
    Layer.KERNEL,
    INFORMATION,  # the cause has its own row
    "Some GPUs work and some do not.",
    _use_working_devices,
)
def some_fail(evidence: Evidence) -> list[str]:
    """A kernel returned the right result on one device and not on another."""
    if not evidence.works_in_part or evidence.cuda is None:
        return []
    working = ", ".join(f"cuda:{device['index']}" for device in evidence.cuda.working)
    failing = ", ".join(f"cuda:{device['index']}" for device in evidence.cuda.failing)
    return [f"works: {working}", f"fails: {failing}"]


@check(
    "p2p-hang",
    Layer.KERNEL,
    CRASH,
    "A copy between two GPUs came out wrong.",
    Fix(
        "In the firmware switch ACS and IOMMU off, or boot with iommu=pt; for NCCL:",
        ("export NCCL_P2P_DISABLE=1",),
    ),
)
def peers(evidence: Evidence) -> list[str]:
    """Pairs that were tried by --deep."""
    return evidence.cuda.peers if evidence.cuda else []


@check(
    "simulated-devices",
    Layer.USE,
    INFORMATION,
    "These GPUs are simulated: their results are real, their times come from a model.",
    Fix("gpukit.simulate was asked for; unset GPUKIT_SIMULATE for the real machine."),
    fault=False,
)
def simulated(evidence: Evidence) -> list[str]:
    """The label of the driver."""
    if not evidence.simulated or evidence.cuda is None:
        return []
    return [f"cuda:{d['index']}: {d['name']}" for d in evidence.cuda.devices]
