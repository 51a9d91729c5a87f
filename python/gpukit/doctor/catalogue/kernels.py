"""The last proof: a kernel ran and gave the right answer."""

from __future__ import annotations

from gpukit._gpu_facts import OLDEST_CAPABILITY, parse_capability
from gpukit.doctor.catalogue.base import (
    BLOCKER,
    CRASH,
    INFORMATION,
    KERNEL,
    Fix,
    Layer,
    check,
)
from gpukit.doctor.evidence import Evidence


def _kernel_errors(evidence: Evidence, *words: str) -> list[str]:
    devices = evidence.cuda.devices if evidence.cuda else []
    return [
        f"cuda:{device['index']} ({device['name']}): {device['kernel']}"
        for device in devices
        if device["kernel"] and any(word in device["kernel"] for word in words or ("",))
    ]


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
    Fix("gpukit uses the CPU here. Colab and Kaggle lend a T4 (7.5) for nothing."),
)
def card_too_old(evidence: Evidence) -> list[str]:
    """Every card is below the oldest capability."""
    old = [c for c in evidence.capabilities if parse_capability(c) < OLDEST_CAPABILITY]
    if not old or len(old) < len(evidence.capabilities) or evidence.works:
        return []
    return [f"compute capability {capability}" for capability in old]


@check(
    "no-kernel-for-card",
    Layer.KERNEL,
    CRASH,
    "This gpukit carries no kernels for the card.",
    Fix("Install the published wheel, which has them all.",
        ("pip install --force-reinstall gpukit",), restart=KERNEL),
    symptoms=(r"carries no kernels for it",),
)  # fmt: skip
def no_kernel(evidence: Evidence) -> list[str]:
    """Code 209, or gpukit's own words."""
    return _kernel_errors(evidence, "no kernels for it", "(209)")


@check(
    "context-poisoned",
    Layer.KERNEL,
    CRASH,
    "An earlier kernel went wrong, and this process cannot use the GPU any more.",
    Fix(
        "Restart the kernel: nothing else helps. Run the failing cell on the CPU, or with "
        "CUDA_LAUNCH_BLOCKING=1, to see which call it was.",
        restart=KERNEL,
    ),
    symptoms=(
        r"device-side assert triggered",
        r"illegal memory access",
        r"ILLEGAL_ADDRESS",
        r"LAUNCH_FAILED",
        r"unspecified launch failure",
    ),
)
def poisoned(evidence: Evidence) -> list[str]:
    """Codes that stay."""
    return _kernel_errors(evidence, "(700)", "(710)", "(719)", "is lost")


@check(
    "kernel-failed",
    Layer.KERNEL,
    CRASH,
    "The driver starts, but a small kernel did not give its known answer.",
    Fix("Restart the kernel and run gpukit doctor --deep; report it with its output.",
        ("gpukit doctor --deep",), restart=KERNEL),
)  # fmt: skip
def kernel_failed(evidence: Evidence) -> list[str]:
    """Any error that no earlier check explained."""
    return _kernel_errors(evidence)


@check(
    "p2p-hang",
    Layer.KERNEL,
    CRASH,
    "A copy between two GPUs came out wrong.",
    Fix(
        "In the firmware switch ACS and IOMMU off, or boot with iommu=pt; for NCCL:",
        ("export NCCL_P2P_DISABLE=1",),
    ),
    symptoms=(r"NCCL.*(timeout|timed out|hang)",),
)
def peers(evidence: Evidence) -> list[str]:
    """Pairs that were tried by --deep."""
    return evidence.cuda.peers if evidence.cuda else []


@check(
    "simulated-devices",
    Layer.USE,
    INFORMATION,
    "These GPUs are simulated: their answers are real, their times are a model's.",
    Fix("gpukit.simulate was asked for; unset GPUKIT_SIMULATE for the real machine."),
    fault=False,
)
def simulated(evidence: Evidence) -> list[str]:
    """The label of the driver."""
    if not evidence.simulated or evidence.cuda is None:
        return []
    return [f"cuda:{d['index']}: {d['name']}" for d in evidence.cuda.devices]
