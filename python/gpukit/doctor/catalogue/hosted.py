"""Hosted notebooks: Colab, Kaggle and what happens in every notebook."""

from __future__ import annotations

import re
from datetime import date

from gpukit._system import installing, steps
from gpukit.doctor.catalogue.base import (
    BLOCKER,
    CRASH,
    DEGRADED,
    INFORMATION,
    KERNEL,
    RUNTIME,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Evidence

_P100_TORCH = 'pip install "torch==2.10.*" --index-url https://download.pytorch.org/whl/cu126'
_OLD_AFTER_DAYS = 180


def _with_gpu(evidence: Evidence) -> Fix:
    return Fix(steps.steps(evidence.platform), restart=RUNTIME)


def _on_kaggle(evidence: Evidence) -> Fix:
    push = "For `kaggle kernels push`: enable_gpu true, accelerator NvidiaTeslaT4."
    return Fix(f"{steps.steps(evidence.platform)} {push}", restart=RUNTIME)


def _without_gpu(evidence: Evidence) -> bool:
    """No trace of an NVIDIA card; libcuda itself makes /dev/nvidiactl."""
    node = evidence.nodes.get("/dev/nvidia0", "absent")
    return node == "absent" and not evidence.hardware and not evidence.works


@check(
    "colab-tpu-runtime",
    Layer.PLACE,
    BLOCKER,
    "This Colab runtime has a TPU; gpukit computes on NVIDIA GPUs and on the CPU.",
    _with_gpu,
)
def colab_tpu(evidence: Evidence) -> list[str]:
    """The variables or the device of a TPU."""
    if evidence.platform.name != "colab" or not _without_gpu(evidence):
        return []
    names = ("COLAB_TPU_ADDR", "TPU_NAME", "XRT_TPU_CONFIG")
    return [f"{name} is set" for name in names if evidence.env(name)] + [
        "/dev/accel0 exists" for trace in evidence.traces if trace == "/dev/accel0"
    ]


@check(
    "colab-cpu-runtime",
    Layer.PLACE,
    BLOCKER,
    "This Colab runtime was started without a GPU.",
    _with_gpu,
)
def colab_cpu(evidence: Evidence) -> list[str]:
    """Colab, and no trace of a driver."""
    if evidence.platform.name != "colab" or not _without_gpu(evidence):
        return []
    return ["/dev/nvidia0 does not exist", "no NVIDIA card on the PCI bus"]


@check(
    "colab-gpu-quota",
    Layer.PLACE,
    INFORMATION,
    "If Colab refuses the GPU, the account has used its share for now.",
    Fix(
        "Wait some hours, end other sessions (Runtime > Manage sessions), or use Kaggle, which "
        "offers two T4. Take a CPU runtime for steps that need no GPU.",
    ),
    symptoms=(r"[Cc]annot connect to (a )?GPU backend", r"usage limits in Colab"),
    likely=True,
)
def colab_quota(evidence: Evidence) -> list[str]:
    """Cannot be detected from inside: named together with the first cause."""
    return ["cannot be seen from inside the runtime"] if colab_cpu(evidence) else []


@check(
    "kaggle-accelerator-off",
    Layer.PLACE,
    BLOCKER,
    "This Kaggle notebook runs without an accelerator.",
    _on_kaggle,
)
def kaggle_off(evidence: Evidence) -> list[str]:
    """Kaggle, and no trace of a driver."""
    if evidence.platform.name != "kaggle" or not _without_gpu(evidence):
        return []
    return ["/dev/nvidia0 does not exist", "no NVIDIA card on the PCI bus"]


@check(
    "colab-libs-not-in-ldcache",
    Layer.LIBRARY,
    DEGRADED,
    "Colab's driver is in a folder that programs started by this notebook do not search.",
    Fix(
        "gpukit looks there itself. For other programs run these lines in a cell.",
        ("!echo /usr/lib64-nvidia > /etc/ld.so.conf.d/libcuda.conf", "!ldconfig"),
    ),
    symptoms=(r"libcuda\.so (cannot|can't|could not) (be )?found",),
)
def colab_cache(evidence: Evidence) -> list[str]:
    """The folder is in neither the loader's list nor its variable."""
    folder = "/usr/lib64-nvidia"
    there = [file for file in evidence.driver_files if file.place.startswith(folder)]
    listed = evidence.in_loader_cache or folder in evidence.env("LD_LIBRARY_PATH").split(":")
    if evidence.platform.name != "colab" or not there or listed:
        return []
    return [f"{there[0]} exists", "the loader's list has no NVIDIA folder"]


@check(
    "colab-runtime-pinned-old",
    Layer.USE,
    INFORMATION,
    "This Colab runtime is an old version.",
    Fix("Runtime > Change runtime type > Runtime version: choose a newer one or keep this one."),
)
def colab_pinned(evidence: Evidence) -> list[str]:
    """The date in the release's name."""
    stamp = re.search(r"(20\d\d)(\d\d)(\d\d)", evidence.env("COLAB_RELEASE_TAG"))
    if not stamp:
        return []
    try:
        made = date(*map(int, stamp.groups()))
    except ValueError:
        return []
    age = (date.today() - made).days
    return [f"the runtime is of {made}, {age} days ago"] if age > _OLD_AFTER_DAYS else []


@check(
    "kaggle-p100-no-kernel",
    Layer.FRAMEWORK,
    CRASH,
    "The torch installed here has no code for this P100: it says the GPU is available, and its "
    "first operation fails. gpukit runs on it.",
    Fix(
        f"{steps.KAGGLE}, or install a torch that still has code for it.",
        (_P100_TORCH,),
        restart=RUNTIME,
    ),
)
def kaggle_p100(evidence: Evidence) -> list[str]:
    """Kaggle, compute capability 6.0, a torch for CUDA 12.8 or newer."""
    tag = evidence.packages.get("torch", "").partition("+")[2]
    new = tag.startswith("cu") and tag[2:].isdigit() and int(tag[2:]) >= 128
    if evidence.platform.name != "kaggle" or "6.0" not in evidence.capabilities or not new:
        return []
    return ["the card has compute capability 6.0", f"torch {evidence.packages['torch']}"]


@check(
    "kaggle-t4x2-one-used",
    Layer.USE,
    INFORMATION,
    "The second T4 is idle.",
    Fix("Use both: nn.parallel.DataParallel, or one process for each card."),
)
def kaggle_idle(evidence: Evidence) -> list[str]:
    """Two cards, one with memory in use and one without."""
    gpus = evidence.nvml.gpus if evidence.nvml else []
    used = [int(gpu.get("memory_used") or 0) >> 20 for gpu in gpus]
    if evidence.platform.name != "kaggle" or len(used) != 2 or max(used) < 512 or min(used) > 16:
        return []
    return [f"memory in use: {used[0]} MiB and {used[1]} MiB"]


known(
    "kaggle-internet-off",
    Layer.USE,
    INFORMATION,
    "This Kaggle notebook has no internet, so pip finds nothing.",
    Fix("Settings > Internet > On; where a competition forbids it, attach the wheel as a dataset."),
)


@check(
    "notebook-kernel-other-env",
    Layer.USE,
    DEGRADED,
    "The notebook runs another Python than the one that pip installs into.",
    Fix("Install with %pip, which uses the notebook's own Python.", (installing.in_a_cell(),)),
    likely=True,
)
def other_environment(evidence: Evidence) -> list[str]:
    """The first python on PATH is in another folder."""
    differs = evidence.own.python_prefix_differs
    return [differs] if differs else []


@check(
    "restart-needed-after-install",
    Layer.USE,
    DEGRADED,
    "A library was updated after it was imported: the old one is still in use.",
    Fix("Restart the kernel.", restart=KERNEL),
    likely=True,
)
def stale_modules(evidence: Evidence) -> list[str]:
    """Version of the module against version of the installed package."""
    return [
        f"{name}: {loaded} is loaded, {installed} is installed"
        for name, (loaded, installed) in evidence.own.stale_modules.items()
    ]
