"""Made-up machines: fake roots written as data, and what NVML and the driver would say there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpukit._system.machine import Machine
from gpukit.doctor.evidence import Cuda, Evidence, Nvml, Own
from gpukit.doctor.probes import gather_files

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = "6.8.0-45-generic"
X86 = "/usr/lib/x86_64-linux-gnu"
OK = "ok"


def pci(device: str, driver: str | None = None, *, vendor="10de", kind="0x030000", slot=1) -> dict:
    """A card on the bus. `device` is its id."""
    place = f"/sys/bus/pci/devices/0000:0{slot}:00.0"
    files = {
        f"{place}/class": kind,
        f"{place}/vendor": f"0x{vendor}",
        f"{place}/device": f"0x{device}",
    }
    return files | ({f"{place}/driver": f"-> ../../drivers/{driver}"} if driver else {})


def library(version: str, folder: str = X86) -> dict:
    """libcuda and NVML of a version in a folder."""
    return {
        f"{folder}/libcuda.so.{version}": "",
        f"{folder}/libcuda.so.1": f"-> libcuda.so.{version}",
        f"{folder}/libnvidia-ml.so.{version}": "",
        f"{folder}/libnvidia-ml.so.1": f"-> libnvidia-ml.so.{version}",
    }


def module(version: str, *, flavour: str = "") -> dict:
    """The loaded kernel module; `flavour` may be "Open "."""
    middle = "Open Kernel Module for x86_64" if flavour else "x86_64 Kernel Module"
    return {
        "/proc/driver/nvidia/version": f"NVRM version: NVIDIA UNIX {middle}  {version}  Fri\n",
        "/proc/modules": "nvidia_uvm 1 0 - Live 0x0\nnvidia 1 1 nvidia_uvm, Live 0x0\n",
    }


def ubuntu(version: str = "24.04") -> dict:
    return {"/etc/os-release": f'ID=ubuntu\nVERSION_ID="{version}"\n'}


def driver(version: str = "580.82.07", folder: str = X86) -> dict:
    """A whole driver: module and libraries of one version."""
    return module(version) | library(version, folder)


BUILT = {f"/lib/modules/{KERNEL}/updates/dkms/nvidia.ko.zst": ""}
SECURE_BOOT = {"/sys/firmware/efi/efivars/SecureBoot-8be4df61": "\x06\x00\x00\x00\x01"}
T4, P100, V100 = pci("1eb8", "nvidia"), pci("15f8", "nvidia"), pci("1db1", "nvidia")
RTX4090, RTX5090, A10 = pci("2684", "nvidia"), pci("2b85", "nvidia"), pci("2236", "nvidia")
NODES = {"/dev/nvidiactl": OK, "/dev/nvidia0": OK, "/dev/nvidia-uvm": OK}
AZURE = {"/sys/class/dmi/id/chassis_asset_tag": "7783-7084-3265-9085-8269-3286-77"}
GCP = {"/sys/class/dmi/id/sys_vendor": "Google"}
AWS = {"/sys/class/dmi/id/sys_vendor": "Amazon EC2"}
DOCKER = {"/.dockerenv": ""}
WSL_KERNEL = "5.15.153.1-microsoft-standard-WSL2"


def gpu(name: str = "Tesla T4", index: int = 0, **fields: Any) -> dict:
    """One GPU as NVML tells it."""
    return {"index": index, "name": name, **fields}


def nvml(*gpus: dict, status: int = 0, version: str = "580.82.07") -> Nvml:
    return Nvml(f"{X86}/libnvidia-ml.so.1", status, version if status == 0 else "", list(gpus))


def works(*cards: tuple[str, str], version: int = 13000, **fields: Any) -> Cuda:
    """A driver on which kernels run."""
    cards = cards or (("Tesla T4", "7.5"),)
    devices = [
        {"index": i, "name": name, "capability": capability, "kernel": ""}
        for i, (name, capability) in enumerate(cards)
    ]
    return Cuda(f"{X86}/libcuda.so.1", version, devices=devices, **fields)


def fails(status: int, version: int = 13000, path: str = f"{X86}/libcuda.so.1") -> Cuda:
    """A driver whose cuInit gives a code."""
    return Cuda(path, version, "cuInit(0) failed: words.", status=status)


def kernel_fails(
    cause: str = "", status: int | None = None, name: str = "Tesla T4", capability: str = "7.5"
) -> Cuda:
    """A driver that starts, and a kernel that does not run."""
    cuda = works((name, capability))
    cuda.devices[0] |= {"kernel": "words", "status": status, "cause": cause}
    return cuda


def one_of_two_fails(cause: str = "") -> Cuda:
    """Two devices; the kernel does not run on the second."""
    cuda = works(("Tesla T4", "7.5"), ("Tesla T4", "7.5"))
    cuda.devices[1] |= {"kernel": "words", "status": None, "cause": cause}
    return cuda


NO_DRIVER = Cuda(failure="no CUDA driver: words.", cause="driver_not_found")


@dataclass
class Fake:
    """A machine, and what the doctor should say of it."""

    code: str  # must be found; the verdict's row when the verdict is not_ready
    verdict: str = "not_ready"
    files: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    system: str = "Linux"
    arch: str = "x86_64"
    kernel: str = KERNEL
    sysctl: dict[str, str] = field(default_factory=dict)
    nvml: Nvml | None = None
    cuda: Cuda | None = None
    own: Own = field(default_factory=Own)
    ended: str = ""

    def build(self, root: Path) -> Machine:
        """The machine on disk."""
        for place, text in self.files.items():
            path = root / place.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("-> "):
                path.symlink_to(text.removeprefix("-> "))
            elif text == "<folder>":
                path.mkdir(exist_ok=True)
            else:
                path.write_bytes(text.encode("latin-1", "replace"))
        states = {str(root / place.lstrip("/")): state for place, state in self.nodes.items()}
        return Machine(
            root=root,
            environ=self.env,
            system=self.system,
            arch=self.arch,
            kernel=self.kernel,
            packages=lambda: self.packages,
            version_of=self.packages.get,
            open_node=lambda path: states.get(str(path), "absent"),
            groups=lambda: ["users"],
            is_root=lambda: False,
            sysctl=lambda name: self.sysctl.get(name, ""),
        )

    def evidence(self, root: Path) -> Evidence:
        """What the probes and the later stages would find."""
        evidence = gather_files(self.build(root))
        evidence.nvml, evidence.cuda, evidence.own = self.nvml, self.cuda, self.own
        evidence.ended = self.ended
        return evidence
