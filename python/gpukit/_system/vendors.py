"""Which kinds of GPU this machine could have, from files only: no library is opened here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._names.plural import count_of
from gpukit._system.machine import Machine

if TYPE_CHECKING:
    from gpukit.report import Table

PCI_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
DISPLAY_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")
_LIBRARY_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
)
BACKENDS = {"cuda": "CUDA", "rocm": "ROCm", "mps": "MPS", "oneapi": "oneAPI"}
_AS_OF = "2026-11"


@dataclass(frozen=True)
class BackendLight:
    """One backend: was its hardware seen, does gpukit compute on it, and the evidence."""

    name: str
    hardware: bool
    usable: bool
    evidence: str
    advice: str = ""


def display_controllers(machine: Machine) -> dict[str, int]:
    """Display and accelerator controllers on the PCI bus, counted by vendor."""
    found: dict[str, int] = {}
    for place in machine.glob("/sys/bus/pci/devices/*"):
        kind, vendor = machine.read(f"{place}/class"), machine.read(f"{place}/vendor")
        if kind.startswith(DISPLAY_CLASSES) and vendor in PCI_VENDORS:
            found[PCI_VENDORS[vendor]] = found.get(PCI_VENDORS[vendor], 0) + 1
    return found


def _library(machine: Machine, *names: str) -> list[str]:
    """Libraries of these names in the system's folders, by their file names."""
    return [
        name
        for name in names
        if any(machine.exists(f"{folder}/{name}") for folder in _LIBRARY_FOLDERS)
    ]


def _controllers(machine: Machine, vendor: str) -> list[str]:
    count = display_controllers(machine).get(vendor, 0)
    return [f"{count_of(count, f'{vendor} controller')} on the PCI bus"] if count else []


def nvidia_evidence(machine: Machine) -> list[str]:
    """What only a machine with an NVIDIA GPU shows.

    Device nodes are not evidence: libcuda, run as root, makes /dev/nvidiactl on a machine without a
    card. Nor is /dev/dxg alone, which WSL2 has for a GPU of any maker.
    """
    listed = len(list(machine.glob("/proc/driver/nvidia/gpus/*")))
    found = _controllers(machine, "NVIDIA")
    found += [f"{count_of(listed, 'GPU')} in /proc/driver/nvidia/gpus"] if listed else []
    found += machine.seen("/proc/driver/nvidia/version", "/etc/nv_tegra_release")
    windows = machine.seen("/dev/dxg", "/usr/lib/wsl/lib/libcuda.so.1")
    return found + (windows if len(windows) == 2 else [])


def rocm_light(machine: Machine) -> BackendLight:
    """AMD: card, kernel driver, ROCm, its run-time library."""
    seen = _controllers(machine, "AMD") + machine.seen("/dev/kfd", "/opt/rocm")
    evidence = seen + _library(machine, "libamdhip64.so", "libamdhip64.so.6", "libamdhip64.so.7")
    return _other("ROCm", evidence, "no AMD controller, no /dev/kfd, no /opt/rocm",
                  "torch's ROCm build computes on it, under the name cuda")  # fmt: skip


def mps_light(machine: Machine) -> BackendLight:
    """Apple: by system and chip, not by a framework's attribute."""
    if machine.system != "Darwin":
        return _other("MPS", [], "not a Mac", "")
    if machine.arch != "arm64":
        translated = machine.sysctl("sysctl.proc_translated") == "1"
        nothing = "an Intel build of Python on Apple silicon" if translated else "not Apple silicon"
        return _other("MPS", [], nothing, "")
    chip = machine.sysctl("machdep.cpu.brand_string") or "Apple silicon"
    return _other("MPS", [chip], "", "torch computes on it as mps")


def oneapi_light(machine: Machine) -> BackendLight:
    """Intel: card, Level Zero, oneAPI."""
    seen = _controllers(machine, "Intel") + machine.seen("/opt/intel/oneapi")
    evidence = seen + _library(machine, "libze_loader.so.1")
    return _other("oneAPI", evidence, "no Intel controller, no Level Zero, no /opt/intel/oneapi",
                  "torch's XPU build computes on it")  # fmt: skip


def _other(name: str, evidence: list[str], nothing: str, advice: str) -> BackendLight:
    if not evidence:
        return BackendLight(name, False, False, nothing)
    text = f"{', '.join(evidence)}; gpukit does not compute on it"
    return BackendLight(name, True, False, text, advice)


_LIGHTS: dict[str, Callable[[Machine], BackendLight]] = {
    "rocm": rocm_light,
    "mps": mps_light,
    "oneapi": oneapi_light,
}


def other_lights(machine: Machine) -> dict[str, BackendLight]:
    """ROCm, MPS and oneAPI: looked for and named; gpukit computes on none of them."""
    return {name: light(machine) for name, light in _LIGHTS.items()}


# The rows of tutorial 000's comparison. Opinions are views of that date.
_ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("hardware", "fact", "NVIDIA GPUs", "AMD GPUs", "Apple silicon", "Intel GPUs and CPUs"),
    ("market share", "opinion", "high (data centres, research)", "medium", "Macs only", "new"),
    ("maturity", "opinion", "very mature", "growing", "growing fast", "growing"),
    ("frameworks", "opinion", "all", "PyTorch, TensorFlow, JAX", "PyTorch, MLX", "PyTorch"),
    ("difficulty", "opinion", "medium", "medium", "low", "medium"),
    ("where it runs", "fact", "server, workstation, laptop", "server, workstation", "Mac",
     "many kinds of Intel hardware"),
    ("suited to", "opinion", "AI and HPC of every kind", "AI and HPC", "apps on a device",
     "mixed work"),
    ("in PyTorch", "fact", "torch.cuda", "torch.cuda (torch.version.hip is set; no torch.hip)",
     "torch.mps", "torch.xpu"),
)  # fmt: skip
_HERE = ("what gpukit does", "fact", "computes", "names it", "names it", "names it")


def vendors(machine: Machine | None = None) -> Table:
    """Compare the four kinds of GPU, and say which of them this machine has.

    The rows are those of the first tutorial, dated; `kind` says which of them are opinions.

    Args:
        machine: The machine to inspect; None means this one.

    Returns:
        A table that prints, with `to_markdown()`, `to_csv()` and `to_json()`.

    Example:
        >>> import gpukit
        >>> [row["row"] for row in gpukit.vendors().rows][:2]
        ['hardware', 'market share']
    """
    from gpukit.report import Column, Table

    own, machine = machine is None, machine or Machine()
    here = {name: light.hardware for name, light in other_lights(machine).items()}
    here["cuda"] = bool(nvidia_evidence(machine))
    simulated = own and _core.session_is_open() and _core.cuda_is_simulated()
    titles = ("NVIDIA CUDA", "AMD ROCm", "Apple MPS", "Intel oneAPI")
    columns = [Column("row", ""), *map(Column, BACKENDS, titles), Column("kind", "kind")]
    rows: list[dict[str, Any]] = []
    for name, kind, *cells in (*_ROWS, _HERE):
        rows.append({"row": name, **dict(zip(BACKENDS, cells, strict=True)), "kind": kind,
                     "as_of": _AS_OF})  # fmt: skip
    found = {name: "found" if here[name] else "not found" for name in BACKENDS}
    if simulated and not here["cuda"]:
        found["cuda"] = "not found; simulated"
    rows.append({"row": "on this machine", **found, "kind": "measured", "as_of": None})
    return Table("Kinds of GPU", columns, rows, [f"Facts and opinions of {_AS_OF}."])
