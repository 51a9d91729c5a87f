"""Which kinds of GPU this machine could have, by files alone: no library is opened here."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

_PCI_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x8086": "Intel"}
_DISPLAY_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")


@dataclass(frozen=True)
class BackendLight:
    """One backend: was its hardware seen, does gpukit compute on it, and the evidence."""

    name: str
    hardware: bool
    usable: bool
    evidence: str


def display_controllers(root: Path = Path("/")) -> dict[str, int]:
    """Display and accelerator controllers on the PCI bus, counted by vendor."""
    found: dict[str, int] = {}
    for entry in sorted((root / "sys/bus/pci/devices").glob("*")):
        try:
            kind = (entry / "class").read_text().strip()
            vendor = (entry / "vendor").read_text().strip()
        except OSError:
            continue
        if kind.startswith(_DISPLAY_CLASSES) and vendor in _PCI_VENDORS:
            found[_PCI_VENDORS[vendor]] = found.get(_PCI_VENDORS[vendor], 0) + 1
    return found


def _seen(root: Path, *places: str) -> list[str]:
    return [place for place in places if (root / place.lstrip("/")).exists()]


def nvidia_evidence(root: Path = Path("/")) -> list[str]:
    """Files that only an NVIDIA driver or card leaves."""
    seen = _seen(root, "/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg")
    count = display_controllers(root).get("NVIDIA", 0)
    return ([f"{count} NVIDIA controller(s) on the PCI bus"] if count else []) + seen


def other_lights(root: Path = Path("/"), system: str | None = None) -> list[BackendLight]:
    """ROCm, MPS and oneAPI: looked for and named; gpukit computes on none of them."""
    controllers = display_controllers(root)
    amd = _seen(root, "/dev/kfd", "/opt/rocm") + (
        ["AMD controller"] if "AMD" in controllers else []
    )
    intel = _seen(root, "/opt/intel/oneapi") + (
        ["Intel controller"] if "Intel" in controllers else []
    )
    apple = (system or platform.system()) == "Darwin" and platform.machine() == "arm64"
    return [
        _light("ROCm", amd, "no /dev/kfd, no /opt/rocm, no AMD controller"),
        _light("MPS", ["Apple silicon"] if apple else [], "not an Apple silicon Mac"),
        _light("oneAPI", intel, "no /opt/intel/oneapi, no Intel controller"),
    ]


def _light(name: str, evidence: list[str], nothing: str) -> BackendLight:
    if evidence:
        return BackendLight(
            name, True, False, f"{', '.join(evidence)}; gpukit does not compute on it"
        )
    return BackendLight(name, False, False, nothing)
