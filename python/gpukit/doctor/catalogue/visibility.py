"""Which libraries and devices a process is shown."""

from __future__ import annotations

import re

from gpukit._names.plural import count_of
from gpukit._system.gpu_facts import cuda_text, parse_capability
from gpukit.doctor.catalogue.base import (
    ADMIN,
    BLOCKER,
    CONTAINER,
    DEGRADED,
    INFORMATION,
    KERNEL,
    YOU,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.commands import install_driver
from gpukit.doctor.evidence import Evidence

_HIDING = {"", "-1", "NoDevFiles", "none", "void"}


def _first_library(evidence: Evidence) -> str:
    return evidence.cuda.library if evidence.cuda else ""


@check(
    "stub-libcuda-loaded",
    Layer.LIBRARY,
    BLOCKER,
    "A folder with the toolkit's stubs comes before the driver on the path.",
    Fix(
        "Take the folder 'stubs' out of LD_LIBRARY_PATH. gpukit never opens a stub.",
        ("echo $LD_LIBRARY_PATH | tr : '\\n' | grep stubs",),
        restart=KERNEL,
    ),
    symptoms=(r"STUB_LIBRARY", r"CUDA driver is a stub library"),
)  # fmt: skip
def stub_opened(evidence: Evidence) -> list[str]:
    """Code 34, or nothing but stubs to open."""
    if evidence.works:
        return []
    real = [f for f in evidence.driver_files if "/stubs/" not in f"{f.place} {f.target}"]
    stubs = [
        f"{f} is a stub" for f in evidence.driver_files if "/stubs/" in f"{f.place} {f.target}"
    ]
    proved = ["cuInit: 34 stub library"] if evidence.cuda_status == 34 else []
    path = [f"LD_LIBRARY_PATH has {entry}" for entry in evidence.stubs_in_path]
    return [*proved, *path] if proved or (path and stubs and not real) else []


@check(
    "stubs-in-library-path",
    Layer.USE,
    DEGRADED,
    "LD_LIBRARY_PATH has a folder of stubs: other programs may take it for the driver.",
    Fix("Take it out. gpukit is not touched by it.", restart=KERNEL),
)
def stubs_in_path(evidence: Evidence) -> list[str]:
    """The entry, when the GPU works all the same."""
    return [f"LD_LIBRARY_PATH has {entry}" for entry in evidence.stubs_in_path]


@check(
    "compat-on-geforce",
    Layer.LIBRARY,
    BLOCKER,
    "The image's compatibility library does not serve this card: it is for data-centre cards.",
    Fix(
        "Take /usr/local/cuda/compat out of the library path, take an older image, or update the "
        "host's driver.",
        restart=CONTAINER,
    ),
    symptoms=(r"forward compatibility was attempted on non supported HW",
              r"COMPAT_NOT_SUPPORTED_ON_DEVICE"),
)  # fmt: skip
def compat_refused(evidence: Evidence) -> list[str]:
    """Code 804."""
    if evidence.cuda_status != 804:
        return []
    return ["cuInit: 804 not supported on this device", f"opened {_first_library(evidence)}"]


@check(
    "compat-shadows-driver",
    Layer.LIBRARY,
    BLOCKER,
    "An older compatibility library is used instead of the driver.",
    Fix(
        "Take /usr/local/cuda/compat out of LD_LIBRARY_PATH, or remove the package cuda-compat.",
        restart=KERNEL,
    ),
    symptoms=(r"unsupported display driver / cuda driver combination", r"SYSTEM_DRIVER_MISMATCH"),
)
def compat_shadows(evidence: Evidence) -> list[str]:
    """The opened library is a compat one of another version, or the path names its folder."""
    opened = _first_library(evidence)
    if evidence.works or "/compat" not in opened:
        return []
    return [f"opened {opened}", f"the loaded module is {evidence.module or 'not known'}"]


@check(
    "two-drivers-on-disk",
    Layer.USE,
    INFORMATION,
    "Two CUDA drivers are on disk; this names the one that gpukit opens.",
    Fix("Nothing is to be done: the mounted driver is used, the compatibility library is not."),
)
def two_drivers(evidence: Evidence) -> list[str]:
    """A driver and a compat library."""
    compat = [f for f in evidence.driver_files if "/compat" in f.place]
    others = [f for f in evidence.driver_files if "/compat" not in f.place]
    opened = [f"opened {_first_library(evidence)}"] if _first_library(evidence) else []
    return [*(str(f) for f in [*others[:1], *compat]), *opened] if compat and others else []


def _update_driver(evidence: Evidence) -> Fix:
    old = any(parse_capability(capability) < (7, 5) for capability in evidence.capabilities)
    branch = 580 if old else 0
    text = "Update the driver to 525.60.13 or newer."
    if old:
        text = "Update the driver to branch 580; newer ones ignore this card."
    if evidence.platform.wsl:
        return Fix(
            "Update NVIDIA's driver on Windows to 528.33 or newer.", ("wsl --shutdown",), YOU
        )
    commands = install_driver(evidence.distro, evidence.distro_version, branch=branch)
    return Fix(text, tuple(commands), ADMIN, "the machine")


@check(
    "driver-too-old",
    Layer.LIBRARY,
    BLOCKER,
    "The driver is too old: gpukit needs 525.60.13 (CUDA 12) or newer.",
    _update_driver,
    symptoms=(
        r"NVIDIA driver on your system is too old",
        r"CUDA driver version is insufficient",
        r"gpukit needs driver 525",
    ),
)
def too_old(evidence: Evidence) -> list[str]:
    """The driver's version, else the module's."""
    if evidence.works:
        return []
    version = evidence.cuda.version if evidence.cuda else 0
    if 0 < version < 12000:
        return [f"{_first_library(evidence)} supports up to CUDA {cuda_text(version)}"]
    major = evidence.module.split(".", maxsplit=1)[0]
    if version == 0 and major.isdigit() and int(major) < 525 and not evidence.platform.wsl:
        return [f"the loaded module is {evidence.module}"]
    return []


@check(
    "library-missing",
    Layer.LIBRARY,
    BLOCKER,
    "The driver's module is loaded, but libcuda.so.1 is nowhere to be found.",
    Fix(
        "Install the driver's compute libraries in the module's version; in a container start it "
        "with the GPU.",
        ("sudo apt install -y libnvidia-compute-580",),
        who=ADMIN,
    ),
)
def library_missing(evidence: Evidence) -> list[str]:
    """A module and no library."""
    if not evidence.module or evidence.driver_files or evidence.works or evidence.simulated:
        return []
    return [f"the loaded module is {evidence.module}", "no libcuda.so.1 in any known folder"]


@check(
    "cvd-hides-all",
    Layer.VISIBILITY,
    BLOCKER,
    "CUDA_VISIBLE_DEVICES hides every GPU from this process.",
    Fix(
        "Unset it, or name an existing GPU, before gpukit is imported.",
        ("unset CUDA_VISIBLE_DEVICES", "nvidia-smi -L"),
        restart=KERNEL,
    ),
)
def hides_all(evidence: Evidence) -> list[str]:
    """The value, and a driver that shows nothing."""
    if "CUDA_VISIBLE_DEVICES" not in evidence.environ or evidence.works or evidence.simulated:
        return []
    value = evidence.env("CUDA_VISIBLE_DEVICES")
    first = value.split(",")[0].strip()
    count = len(evidence.nvml.gpus) if evidence.nvml and evidence.nvml.status == 0 else None
    beyond = first.isdigit() and count is not None and int(first) >= count
    if first not in _HIDING and not beyond:
        return []
    total = f"; {count_of(count, 'GPU')} there" if count is not None else ""
    return [f"CUDA_VISIBLE_DEVICES={value!r}{total}"]


@check(
    "cvd-misspelt",
    Layer.USE,
    DEGRADED,
    "A variable's name is misspelt, so it does nothing.",
    Fix("Its name is CUDA_VISIBLE_DEVICES.", restart=KERNEL),
)
def misspelt(evidence: Evidence) -> list[str]:
    """Near misses among the variables."""
    return [f"{name} is set" for name in evidence.misspelt]


@check(
    "cvd-set-too-late",
    Layer.USE,
    DEGRADED,
    "CUDA_VISIBLE_DEVICES was changed after the driver had read it.",
    Fix("Restart the kernel and set it in the first cell, before any import.", restart=KERNEL),
)
def set_too_late(evidence: Evidence) -> list[str]:
    """The value now against the value at the start, with a driver in this process."""
    own = evidence.own
    if not own.mapped_driver or own.visible_now == own.visible_at_start:
        return []
    return [
        f"at the start: {own.visible_at_start!r}, now: {own.visible_now!r}",
        f"{own.mapped_driver} is in use",
    ]


@check(
    "device-order-differs",
    Layer.USE,
    DEGRADED,
    "CUDA counts these GPUs in another order than nvidia-smi.",
    Fix(
        "Have both count by bus, before Python starts.",
        ("export CUDA_DEVICE_ORDER=PCI_BUS_ID",),
        restart=KERNEL,
    ),
    likely=True,
)
def order_differs(evidence: Evidence) -> list[str]:
    """Several models, and the order not chosen."""
    gpus = evidence.nvml.gpus if evidence.nvml else []
    names = [str(gpu["name"]) for gpu in gpus if gpu["name"]]
    if len(set(names)) < 2 or evidence.env("CUDA_DEVICE_ORDER"):
        return []
    return [f"nvidia-smi's order: {', '.join(names)}", "CUDA_DEVICE_ORDER is not set"]


@check(
    "mig-no-instance",
    Layer.VISIBILITY,
    BLOCKER,
    "The GPU is in MIG mode, and no slice of it has been made.",
    Fix("Make slices, or use a GPU without MIG.", ("sudo nvidia-smi mig -cgi 19 -C",), who=ADMIN),
)
def mig_empty(evidence: Evidence) -> list[str]:
    """MIG on, no instance."""
    if evidence.works:
        return []
    return [
        f"GPU {gpu.get('index')}: MIG is on, {gpu.get('mig_devices', 0)} slices"
        for gpu in (evidence.nvml.gpus if evidence.nvml else [])
        if gpu.get("mig") and not gpu.get("mig_devices")
    ]


@check(
    "mig-one-per-process",
    Layer.USE,
    INFORMATION,
    "A process uses one MIG slice only.",
    Fix("Start one process for each, with CUDA_VISIBLE_DEVICES=MIG-<uuid> (see nvidia-smi -L)."),
)
def mig_several(evidence: Evidence) -> list[str]:
    """Several slices."""
    return [
        f"GPU {gpu.get('index')}: {gpu['mig_devices']} slices"
        for gpu in (evidence.nvml.gpus if evidence.nvml else [])
        if (gpu.get("mig_devices") or 0) > 1
    ]


@check(
    "mig-uuid-parsing",
    Layer.USE,
    INFORMATION,
    "CUDA_VISIBLE_DEVICES names a GPU by its UUID: programs that expect numbers may stumble.",
    Fix("Inside the process the device is number 0."),
)
def uuid_value(evidence: Evidence) -> list[str]:
    """The value's first letters."""
    value = evidence.env("CUDA_VISIBLE_DEVICES")
    kind = re.match(r"(MIG|GPU)-", value)
    return [f"CUDA_VISIBLE_DEVICES begins with {kind.group()}"] if kind and evidence.works else []


known(
    "fork-after-init",
    Layer.USE,
    DEGRADED,
    "A child made by fork cannot use the GPU that its parent has started.",
    Fix(
        "Start workers with spawn, from a function in a .py file.",
        ('multiprocessing.set_start_method("spawn")',),
        restart=KERNEL,
    ),
)


@check(
    "empty-path-entry",
    Layer.USE,
    DEGRADED,
    "LD_LIBRARY_PATH has an empty entry: programs then load libraries from the working directory.",
    Fix(
        "Set it without the empty entry; gpukit never looks there.",
        ('export LD_LIBRARY_PATH="${LD_LIBRARY_PATH%:}"',),
        restart=KERNEL,
    ),
)
def empty_entry(evidence: Evidence) -> list[str]:
    """A colon at an end, or two together."""
    return [f"{name} has an empty entry" for name in evidence.empty_entries if name != "PATH"]


@check(
    "path-entry-missing",
    Layer.USE,
    INFORMATION,
    "A search path names CUDA folders that do not exist.",
    Fix("Take them out of the file that sets them, such as ~/.bashrc."),
)
def missing_entry(evidence: Evidence) -> list[str]:
    """Entries of a toolkit that is not installed."""
    return [entry for entry in evidence.missing_entries if "cuda" in entry.lower()]
