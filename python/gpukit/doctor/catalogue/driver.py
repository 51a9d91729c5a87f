"""NVIDIA's kernel module and the libraries that belong to it, on a machine of one's own."""

from __future__ import annotations

from gpukit._system import gpu_facts
from gpukit._system.gpu_facts import parse_capability, parse_version
from gpukit.doctor.catalogue.base import (
    ADMIN,
    BLOCKER,
    DEGRADED,
    INFORMATION,
    REBOOT,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.commands import driver_commands, family, rebuild_initramfs
from gpukit.doctor.evidence import Evidence

_LOST = 15  # of NVML
_TURING = (7, 5)
_BLACKWELL = 10


def _own_machine(evidence: Evidence) -> bool:
    """Linux with its own card: not WSL, not a container, not simulated."""
    place = evidence.platform
    inside = place.wsl or place.container or evidence.simulated
    return evidence.system == "Linux" and bool(evidence.nvidia) and not inside


def _without_module(evidence: Evidence) -> bool:
    return _own_machine(evidence) and not evidence.module and not evidence.works


def _old_cards(evidence: Evidence) -> list[str]:
    """Cards before Turing, as lines of evidence."""
    return [
        f"{card}, compute capability {card.capability}"
        for card in evidence.nvidia
        if card.capability and parse_capability(card.capability) < _TURING
    ]


def _blackwell_cards(evidence: Evidence) -> list[str]:
    return [
        str(card)
        for card in evidence.nvidia
        if card.capability and parse_capability(card.capability)[0] >= _BLACKWELL
    ]


def _reinstall(evidence: Evidence) -> Fix:
    """The driver that suits the cards: branch 580 for old ones, the open flavour for Blackwell."""
    branch = gpu_facts.LAST_BRANCH_FOR_OLD_CARDS if _old_cards(evidence) else 0
    new = bool(_blackwell_cards(evidence))
    commands = driver_commands(evidence, branch=branch or (580 if new else 0), open_module=new)
    text = "Install NVIDIA's driver. gpukit needs nothing else: no CUDA Toolkit, no compiler."
    if branch:
        text += f" This card needs branch {branch}: newer ones ignore it."
    if not commands:
        text += " See your distribution's manual."
    return Fix(text, commands, ADMIN, REBOOT)


def _branch_580(evidence: Evidence) -> Fix:
    branch = gpu_facts.LAST_BRANCH_FOR_OLD_CARDS
    text = f"Install branch {branch}: it is the last that drives Maxwell, Pascal and Volta."
    return Fix(text, driver_commands(evidence, branch=branch), ADMIN, REBOOT)


@check(
    "gpu-fell-off-bus",
    Layer.HARDWARE,
    BLOCKER,
    "A GPU no longer responds: it fell off the bus.",
    Fix(
        "Reboot. If it happens again: power connectors, temperature, the firmware's version; in a "
        "cloud ask for another machine.",
        ("sudo nvidia-smi -lgc 300,1500",),
        who=ADMIN,
        restart=REBOOT,
    ),
    symptoms=(r"fallen off the bus", r"GPU is lost", r"Unable to determine the device handle",
              r"Xid.{0,20}\b79\b"),
)  # fmt: skip
def fell_off_bus(evidence: Evidence) -> list[str]:
    """A dead configuration space, NVML's code 15, or the kernel's line."""
    gpus = evidence.nvml.gpus if evidence.nvml else []
    silent = [f"GPU {g['index']}: {g['silent']}" for g in gpus if g.get("silent_status") == _LOST]
    if evidence.simulated:  # then the bus and the log are another machine's
        return silent
    dead = [
        f"{card}: its configuration space reads as ones" for card in evidence.nvidia if card.dead
    ]
    lost = ["NVML: GPU is lost (15)"] if evidence.nvml_status == _LOST else []
    gone = len(evidence.models) - len(gpus)
    if gpus and gone > 0 and not evidence.platform.container:
        lost.append(f"the driver lists {len(evidence.models)} GPUs, NVML {len(gpus)}")
    return dead + lost + silent + evidence.logged("fallen off the bus")[-1:]


@check(
    "vfio-bound",
    Layer.DRIVER,
    BLOCKER,
    "The card is reserved for a virtual machine (vfio-pci).",
    Fix("Give it to the machine that should use it, or unbind vfio-pci.", who=ADMIN),
    likely=True,
)
def vfio_bound(evidence: Evidence) -> list[str]:
    """Every card is bound to vfio-pci."""
    bound = [f"{card}: driver vfio-pci" for card in evidence.nvidia if card.driver == "vfio-pci"]
    return bound if len(bound) == len(evidence.nvidia) and not evidence.works else []


def _drop_nouveau(evidence: Evidence) -> Fix:
    return Fix(
        "Keep nouveau from loading, install NVIDIA's driver if it is missing, reboot.",
        (
            "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' | "
            "sudo tee /etc/modprobe.d/blacklist-nouveau.conf",
            rebuild_initramfs(evidence.distro),
            *driver_commands(evidence),
        ),
        ADMIN,
        REBOOT,
    )


@check(
    "nouveau-bound",
    Layer.DRIVER,
    BLOCKER,
    "The card is driven by nouveau, with which CUDA does not work.",
    _drop_nouveau,
)
def nouveau_bound(evidence: Evidence) -> list[str]:
    """The link of the PCI device."""
    return [f"{card}: driver nouveau" for card in evidence.nvidia if card.driver == "nouveau"]


@check(
    "gpu-dropped-by-driver",
    Layer.DRIVER,
    BLOCKER,
    "This driver ignores the card: Maxwell, Pascal and Volta ended with branch 580.",
    _branch_580,
    symptoms=(r"580\.xx Legacy",),
)
def dropped(evidence: Evidence) -> list[str]:
    """A branch from 590 on, and only cards before Turing."""
    version = parse_version(evidence.driver_version)
    old = _old_cards(evidence)
    new_branch = version[:1] >= (gpu_facts.FIRST_TURING_ONLY_BRANCH,)
    if not new_branch or not old or len(old) < len(evidence.nvidia) or evidence.works:
        return []
    return [*old, f"driver {evidence.driver_version}"]


@check(
    "gcp-driver-prompt",
    Layer.DRIVER,
    BLOCKER,
    "This Deep Learning VM has not installed its driver yet.",
    Fix("Run the image's script.", ("sudo /opt/deeplearning/install-driver.sh",), ADMIN, REBOOT),
)
def gcp_prompt(evidence: Evidence) -> list[str]:
    """Google's image without a module."""
    image = "/opt/deeplearning" in evidence.traces
    if not image or evidence.platform.cloud != "gcp" or not _without_module(evidence):
        return []
    return ["/opt/deeplearning exists", "the nvidia module is not loaded"]


@check(
    "gcp-azure-secure-boot",
    Layer.DRIVER,
    BLOCKER,
    "Secure Boot of this cloud machine refuses the driver's module.",
    Fix(
        "Recreate the machine without Secure Boot (Azure: security type Standard), or install "
        "the signed driver.",
        who=ADMIN,
        restart=REBOOT,
    ),
)
def cloud_secure_boot(evidence: Evidence) -> list[str]:
    """Secure Boot on, in a cloud, no module."""
    if evidence.platform.cloud not in {"gcp", "azure"} or not evidence.secure_boot:
        return []
    return (
        ["Secure Boot is on", "the nvidia module is not loaded"]
        if _without_module(evidence)
        else []
    )


@check(
    "secure-boot-key-rejected",
    Layer.DRIVER,
    BLOCKER,
    "Secure Boot refuses the driver's module, because its key is not enrolled.",
    Fix(
        "Enroll the key: the first command asks for a password, the firmware asks for it again "
        "after the reboot (Enroll MOK). Or install the distribution's signed driver.",
        ("sudo mokutil --import /var/lib/shim-signed/mok/MOK.der", "sudo reboot"),
        ADMIN,
        REBOOT,
    ),
)
def secure_boot(evidence: Evidence) -> list[str]:
    """Secure Boot on, the module is built, it is not loaded."""
    if not _without_module(evidence) or not evidence.secure_boot or not evidence.module_built:
        return []
    return ["Secure Boot is on", f"nvidia.ko exists for kernel {evidence.kernel}", "not loaded"]


def _rebuild_module(evidence: Evidence) -> Fix:
    kind = family(evidence.distro)
    headers = {
        "rhel": "sudo dnf install -y kernel-devel-$(uname -r)",
        "arch": "sudo pacman -S linux-headers",
        "suse": "sudo zypper install kernel-default-devel",
    }.get(kind, "sudo apt install -y linux-headers-$(uname -r)")
    return Fix(
        "Build the module for this kernel, or boot the older kernel.",
        (headers, "sudo dkms autoinstall", "sudo modprobe nvidia"),
        ADMIN,
    )


@check(
    "module-not-built-for-kernel",
    Layer.DRIVER,
    BLOCKER,
    "The driver is installed, but its module is not built for the kernel that runs.",
    _rebuild_module,
)
def module_not_built(evidence: Evidence) -> list[str]:
    """The libraries exist, nvidia.ko does not."""
    libraries = [file for file in evidence.driver_files if file.version]
    if not _without_module(evidence) or not libraries or evidence.module_built:
        return []
    return [f"{libraries[0]}", f"no nvidia.ko for kernel {evidence.kernel}"]


@check(
    "module-not-loaded",
    Layer.DRIVER,
    BLOCKER,
    "The driver's module is built, but not loaded.",
    Fix("Load it; the kernel's log says why if that fails.",
        ("sudo modprobe nvidia", "sudo dmesg | grep -i nvrm"), ADMIN),
    likely=True,
)  # fmt: skip
def module_not_loaded(evidence: Evidence) -> list[str]:
    """nvidia.ko exists and there is no other symptom."""
    if not _without_module(evidence) or not evidence.module_built:
        return []
    return [f"nvidia.ko exists for kernel {evidence.kernel}", "the nvidia module is not loaded"]


@check(
    "driver-not-installed",
    Layer.DRIVER,
    BLOCKER,
    "The machine has an NVIDIA GPU, and no NVIDIA driver.",
    _reinstall,
)
def not_installed(evidence: Evidence) -> list[str]:
    """A card on the bus, no module and no library."""
    if not _without_module(evidence) or any(file.version for file in evidence.driver_files):
        return []
    cards = [str(card) for card in evidence.nvidia]
    return [*cards, "/proc/driver/nvidia/version does not exist", "no libcuda.so.1"]


@check(
    "open-module-needs-turing",
    Layer.DRIVER,
    BLOCKER,
    "The open flavour of the driver does not know cards before Turing.",
    _branch_580,
    symptoms=(r"not supported by open nvidia\.ko", r"does not include the required GPU System"),
)
def open_needs_turing(evidence: Evidence) -> list[str]:
    """Open module, only old cards."""
    old = _old_cards(evidence)
    if not evidence.module_open or not old or len(old) < len(evidence.nvidia) or evidence.works:
        return []
    return [*old, f"module {evidence.module} is the open flavour"]


def _open_flavour(evidence: Evidence) -> Fix:
    commands = driver_commands(evidence, branch=580, open_module=True)
    return Fix("Install the open flavour of branch 580 or newer.", commands, ADMIN, REBOOT)


@check(
    "blackwell-needs-open-module",
    Layer.DRIVER,
    BLOCKER,
    "Blackwell cards need the open flavour of the driver.",
    _open_flavour,
    symptoms=(r"requires use of the NVIDIA open kernel modules",),
)
def blackwell_needs_open(evidence: Evidence) -> list[str]:
    """Blackwell, and a module that is not open."""
    new = _blackwell_cards(evidence)
    if not new or not evidence.module or evidence.module_open or evidence.works:
        return []
    return [*new, f"module {evidence.module} is the proprietary flavour"]


@check(
    "gsp-or-bar-failure",
    Layer.DRIVER,
    BLOCKER,
    "The driver could not start the card.",
    Fix(
        "Switch the machine off and on again (no warm reboot). In the firmware enable Above 4G "
        "Decoding and Resizable BAR, and update it.",
        who=ADMIN,
        restart=REBOOT,
    ),
)
def adapter_failed(evidence: Evidence) -> list[str]:
    """The kernel's own lines."""
    lines = evidence.logged("RmInitAdapter failed") + evidence.logged("unexpected WPR2")
    return lines[-2:] if not evidence.works else []


def _versions(evidence: Evidence) -> list[str]:
    """Libraries of a normal folder whose version is not the module's."""
    if not evidence.module:
        return []
    files = [*evidence.driver_files, *evidence.nvml_files]
    return [
        f"{file}"
        for file in files
        if file.version
        and file.version != evidence.module
        and "/compat" not in file.target
        and "/stubs" not in file.target
    ]


def _reload_module(evidence: Evidence) -> Fix:
    if evidence.platform.container:
        text = "Remove the driver's libraries that are baked into the image; the host brings them."
        return Fix(text, ("sudo apt purge 'libnvidia-compute-*'",), ADMIN)
    return Fix(
        "Reboot. Or stop everything that uses the GPU and load the new module.",
        (
            "sudo rmmod nvidia_drm nvidia_modeset nvidia_uvm nvidia",
            "sudo modprobe nvidia",
        ),
        ADMIN,
        REBOOT,
    )


@check(
    "driver-library-mismatch",
    Layer.LIBRARY,
    BLOCKER,
    "The loaded module and the driver's libraries have different versions: the driver was updated.",
    _reload_module,
    symptoms=(r"Driver/library version mismatch", r"LIB_RM_VERSION_MISMATCH"),
)
def mismatch(evidence: Evidence) -> list[str]:
    """The version of the module against that of the files."""
    others = _versions(evidence)
    proved = evidence.nvml_status == 18 or evidence.cuda_status == 803
    matching = any(file.version == evidence.module for file in evidence.driver_files)
    if evidence.works or evidence.simulated or not others or (matching and not proved):
        return []
    return [f"the loaded module is {evidence.module}", *others]


@check(
    "reboot-pending",
    Layer.USE,
    INFORMATION,
    "The driver was updated since it was loaded: reboot before its programs stop working.",
    Fix("Reboot when it suits you.", ("sudo reboot",), ADMIN, REBOOT),
)
def reboot_pending(evidence: Evidence) -> list[str]:
    """A mismatch on disk, while the GPU still works."""
    others = _versions(evidence)
    return [f"the loaded module is {evidence.module}", *others] if others and evidence.works else []


@check(
    "azure-grid-needed",
    Layer.DRIVER,
    BLOCKER,
    "Azure's NVadsA10 machines need Azure's GRID driver.",
    Fix("Install the extension NvidiaGpuDriverLinux for this machine.", who=ADMIN, restart=REBOOT),
)
def azure_grid(evidence: Evidence) -> list[str]:
    """An A10 in Azure whose driver does not start."""
    a10 = [str(card) for card in evidence.nvidia if card.device in {0x2236, 0x2238}]
    broken = not evidence.works and bool(evidence.module) and evidence.platform.cloud == "azure"
    return [*a10, "the driver does not start on it"] if a10 and broken else []


known(
    "vgpu-unlicensed",
    Layer.USE,
    DEGRADED,
    "A virtual GPU without a licence slows down after some minutes.",
    Fix("Install the licence token and restart nvidia-gridd.",
        ("sudo systemctl restart nvidia-gridd",), ADMIN),
    symptoms=(r"Unlicensed", r"License Status\s{0,30}:\s{0,9}Unlicensed", r"DEVICE_NOT_LICENSED"),
    likely=True,
)  # fmt: skip
