"""Systems, clusters and machines on which this process cannot have an NVIDIA GPU."""

from __future__ import annotations

from gpukit._system import installing, steps
from gpukit.doctor.catalogue.base import (
    ADMIN,
    BLOCKER,
    INFORMATION,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Evidence


def _with_gpu(evidence: Evidence) -> Fix:
    place = evidence.platform
    types = steps.CLOUD_TYPES.get(place.name) or steps.CLOUD_TYPES[place.cloud or "aws"]
    return Fix(f"Choose a type with one: {types}.")


def _on_a_mac(evidence: Evidence) -> Fix:
    return Fix(steps.steps(evidence.platform))


@check(
    "mac-no-cuda",
    Layer.PLACE,
    BLOCKER,
    "macOS has no CUDA since version 10.2: gpukit computes on the CPU here.",
    _on_a_mac,
    fault=False,
)
def mac(evidence: Evidence) -> list[str]:
    """Darwin."""
    chip = evidence.sysctl.get("machdep.cpu.brand_string") or evidence.arch
    return [f"macOS on {chip}"] if evidence.system == "Darwin" else []


@check(
    "windows-use-wsl2",
    Layer.PLACE,
    BLOCKER,
    "gpukit has no wheel for Windows: it runs in WSL2.",
    Fix(
        "Install WSL2, then gpukit inside it. Only Windows's NVIDIA driver is needed.",
        ("wsl --install -d Ubuntu", installing.command()),
    ),
)
def windows(evidence: Evidence) -> list[str]:
    """Windows itself."""
    return ["the system is Windows"] if evidence.system == "Windows" else []


@check(
    "slurm-no-gpu-requested",
    Layer.PLACE,
    BLOCKER,
    "This SLURM job was given no GPU.",
    Fix(
        "Ask for one: a line in the job script, or an interactive shell.",
        ("#SBATCH --gres=gpu:1", "srun --gres=gpu:1 --pty bash"),
    ),
)
def slurm_job(evidence: Evidence) -> list[str]:
    """A job without the variables that a GPU brings."""
    asked = evidence.env("SLURM_JOB_GPUS") or evidence.env("SLURM_GPUS_ON_NODE")
    visible = evidence.env("CUDA_VISIBLE_DEVICES")
    if not evidence.platform.slurm or asked or visible not in {"", "NoDevFiles"}:
        return []
    if (
        evidence.nodes.get("/dev/nvidia0") == "ok"
        and "CUDA_VISIBLE_DEVICES" not in evidence.environ
    ):
        return []
    return ["SLURM_JOB_ID is set", "SLURM_JOB_GPUS is not set"] + (
        [f"CUDA_VISIBLE_DEVICES={visible!r}"] if "CUDA_VISIBLE_DEVICES" in evidence.environ else []
    )


@check(
    "login-node",
    Layer.PLACE,
    BLOCKER,
    "This looks like a cluster's login node, which has no GPU.",
    Fix("Ask for an interactive job.", ("srun --gres=gpu:1 --pty bash",)),
    likely=True,
    fault=False,
)
def login_node(evidence: Evidence) -> list[str]:
    """SLURM's programs, but no job and no card."""
    inside = evidence.platform.slurm or evidence.nvidia or evidence.module
    there = "/usr/bin/sinfo" in evidence.traces
    return ["sinfo is installed, SLURM_JOB_ID is not set"] if there and not inside else []


@check(
    "cloud-instance-has-no-gpu",
    Layer.HARDWARE,
    BLOCKER,
    "This cloud machine is of a type without a GPU.",
    _with_gpu,
    likely=True,
    fault=False,
)
def cloud_without_gpu(evidence: Evidence) -> list[str]:
    """A cloud's firmware, and no controller of a GPU maker."""
    makers = evidence.nvidia or evidence.cards_of("AMD")
    place = evidence.platform
    if not (place.cloud or place.name == "sagemaker") or place.hosted or makers or evidence.module:
        return []
    return [f"the machine is of {place.label}", "no NVIDIA or AMD card on the PCI bus"]


@check(
    "no-nvidia-hardware",
    Layer.HARDWARE,
    BLOCKER,
    "This machine has no NVIDIA GPU: gpukit computes on the CPU.",
    Fix("gpukit.simulate(2) gives two simulated GPUs to practise on."),
    likely=True,
    fault=False,
)
def no_hardware(evidence: Evidence) -> list[str]:
    """Nothing on the bus, no driver, no way in through WSL or a container."""
    if evidence.card_expected() or evidence.system != "Linux" or evidence.driver_files:
        return []
    nodes = {n: s for n, s in evidence.nodes.items() if n != "/dev/nvidiactl"}  # libcuda makes it
    if any("nvidia" in node and state != "absent" for node, state in nodes.items()):
        return []
    others = sorted({card.vendor for card in evidence.cards})
    found = f"only cards of {', '.join(others)}" if others else "no GPU"
    return [f"{found} on the PCI bus", "no NVIDIA driver file"]


known(
    "spot-or-idle-kill",
    Layer.USE,
    INFORMATION,
    "The runtime ended: hosted notebooks stop after a time, or when idle.",
    Fix(
        "Save checkpoints. Colab's free runtime ends after at most 12 hours and about 90 minutes "
        "idle; Kaggle's likely after 12 hours."
    ),
    symptoms=(r"runtime disconnected", r"session (has )?(ended|timed out)"),
)

known(
    "windows-pre-cuda13-1-driver",
    Layer.DRIVER,
    BLOCKER,
    "CUDA 13.1 and newer for Windows bring no display driver.",
    Fix("Install NVIDIA's driver for Windows on its own.", who=ADMIN),
    symptoms=(r"CUDA Toolkit 13\.[1-9].{0,40}(no|missing) .{0,20}driver",),
)

known(
    "windows-nvcuda-missing",
    Layer.LIBRARY,
    BLOCKER,
    "Windows has no nvcuda.dll: NVIDIA's driver is not installed there.",
    Fix(
        "Install NVIDIA's driver for Windows; the CUDA Toolkit alone does not bring it. Then use "
        "gpukit in WSL2.",
        who=ADMIN,
    ),
    symptoms=(
        r"could not load .{0,30}nvcuda\.dll",
        r"nvcuda\.dll.{0,30}not found",
    ),
)

known(
    "tf-native-windows",
    Layer.FRAMEWORK,
    BLOCKER,
    "TensorFlow from 2.11 on never sees a GPU on Windows itself.",
    Fix("Use WSL2.", ("pip install 'tensorflow[and-cuda]'",)),
    symptoms=(r"TensorFlow GPU support is not available on native Windows",),
)

known(
    "wddm-caveats",
    Layer.USE,
    INFORMATION,
    "Windows's display driver model (WDDM) batches launches and shares memory with the desktop.",
    Fix(
        "Times of single calls are distorted: measure with gpukit.bench, which loops. More memory "
        "can be handed out than the card has, and is slow; leave the desktop some 500 MiB."
    ),
    symptoms=(r"\bWDDM\b",),
)
