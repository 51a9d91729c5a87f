"""The findings of the probes: plain data passed from the child process to the checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gpukit._system import gpu_facts
from gpukit._system.platforms import Platform


@dataclass
class Card:
    """A display or compute controller on the PCI bus."""

    address: str
    vendor: str  # NVIDIA, AMD, Intel
    device: int
    driver: str | None = None
    dead: bool = False  # its configuration space reads as ones

    @property
    def capability(self) -> str | None:
        """Compute capability, by the PCI id."""
        facts = gpu_facts.card_of_id(self.device) if self.vendor == "NVIDIA" else None
        return facts.capability if facts else None

    def __str__(self) -> str:
        facts = gpu_facts.card_of_id(self.device) if self.vendor == "NVIDIA" else None
        named = f" ({facts.name})" if facts else ""
        return f"PCI {self.address}: {self.vendor} device 0x{self.device:04x}{named}"


@dataclass
class LibraryFile:
    """A library found on disk; `target` is what its links lead to."""

    place: str
    target: str
    version: str = ""

    def __str__(self) -> str:
        return self.place if self.target == self.place else f"{self.place} -> {self.target}"


@dataclass
class Nvml:
    """What NVML said. `status` 0 is success, None: its library was not opened."""

    library: str = ""
    status: int | None = None
    driver: str = ""
    gpus: list[dict[str, Any]] = field(default_factory=list)
    reason: str = ""


@dataclass
class Cuda:
    """What the CUDA driver said; what is decided by it stands in `status` and `cause`.

    `devices`: index, name, capability, kernel ("" when it ran, else why not), and of the failure
    `status` and `cause` as below.
    """

    library: str = ""
    version: int = 0
    failure: str = ""
    fix: str = ""
    status: int | None = None  # the driver's code, if a call of the driver failed
    cause: str = ""  # a word of csrc/base/cause.h, "" where none fits
    simulated: bool = False
    refused: list[str] = field(default_factory=list)
    devices: list[dict[str, Any]] = field(default_factory=list)
    peers: list[str] = field(default_factory=list)  # pairs whose copies came out wrong

    @property
    def working(self) -> list[dict[str, Any]]:
        """Devices on which a kernel returned the right result."""
        return [device for device in self.devices if device["kernel"] == ""]

    @property
    def failing(self) -> list[dict[str, Any]]:
        """Devices on which the kernel did not return the right result."""
        return [device for device in self.devices if device["kernel"] != ""]


@dataclass
class Own:
    """What only the asking process knows: it is read there, without touching a device."""

    mapped_driver: str = ""
    visible_now: str | None = None
    visible_at_start: str | None = None
    stale_modules: dict[str, tuple[str, str]] = field(default_factory=dict)
    kept_traceback: bool = False
    python_prefix_differs: str = ""
    lost: dict[int, str] = field(default_factory=dict)  # devices that this process cannot use


@dataclass
class Evidence:
    """All that the checks may read. Lists are empty and texts are "" if nothing was found."""

    platform: Platform = field(default_factory=lambda: Platform("plain"))
    system: str = "Linux"
    arch: str = "x86_64"
    kernel: str = ""
    distro: str = ""
    distro_version: str = ""
    environ: dict[str, str] = field(default_factory=dict)  # watched names that are set
    misspelt: list[str] = field(default_factory=list)
    path_python: str = ""  # the first python on PATH, if it is another one than this

    cards: list[Card] = field(default_factory=list)
    hardware: list[str] = field(default_factory=list)  # what shows that there is an NVIDIA GPU
    models: list[str] = field(default_factory=list)  # /proc/driver/nvidia/gpus
    module: str = ""  # version of the loaded nvidia module
    module_open: bool = False
    module_taints: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)  # modules of interest that are loaded
    module_built: bool = False  # nvidia.ko for this kernel
    secure_boot: bool = False
    suspends: int = 0
    kernel_log: list[str] = field(default_factory=list)  # NVRM, Xid and uvm lines
    nodes: dict[str, str] = field(default_factory=dict)
    node_group: str = ""
    groups: list[str] = field(default_factory=list)
    root: bool = False

    driver_files: list[LibraryFile] = field(default_factory=list)
    nvml_files: list[LibraryFile] = field(default_factory=list)
    in_loader_cache: bool = True
    stubs_in_path: list[str] = field(default_factory=list)
    missing_entries: list[str] = field(default_factory=list)  # "PATH: /nowhere"
    empty_entries: list[str] = field(default_factory=list)  # variables with an empty entry
    foreign_cudnn: list[str] = field(default_factory=list)
    toolkit: str = ""
    fabric_manager: str = ""  # "", "installed"
    nvswitch: bool = False

    packages: dict[str, str] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)  # total, available, swap, limit, used
    kfd_nodes: list[dict[str, int]] = field(default_factory=list)
    intel_loader: bool = False
    sysctl: dict[str, str] = field(default_factory=dict)
    traces: list[str] = field(default_factory=list)  # marker files that a check is about

    own: Own = field(default_factory=Own)
    nvml: Nvml | None = None
    cuda: Cuda | None = None
    ended: str = ""  # how the child ended, if it did not finish

    def env(self, name: str) -> str:
        """A watched variable, "" when unset or empty."""
        return self.environ.get(name, "")

    def cards_of(self, vendor: str) -> list[Card]:
        """The controllers of one maker."""
        return [card for card in self.cards if card.vendor == vendor]

    @property
    def nvidia(self) -> list[Card]:
        """NVIDIA's controllers."""
        return self.cards_of("NVIDIA")

    @property
    def simulated(self) -> bool:
        """True when the devices are simulated; then nothing of the hardware is judged."""
        return self.cuda is not None and self.cuda.simulated

    @property
    def works(self) -> bool:
        """True when a kernel ran somewhere."""
        return self.cuda is not None and bool(self.cuda.working)

    @property
    def works_in_part(self) -> bool:
        """True when a kernel ran on some device and failed on another."""
        return self.cuda is not None and bool(self.cuda.working) and bool(self.cuda.failing)

    @property
    def driver_version(self) -> str:
        """The driver's version, from whichever source has it."""
        if self.module or (self.nvml and self.nvml.driver):
            return self.module or (self.nvml.driver if self.nvml else "")
        return next((file.version for file in self.driver_files if "." in file.version), "")

    @property
    def cuda_status(self) -> int | None:
        """The code with which cuInit failed."""
        return self.cuda.status if self.cuda else None

    @property
    def nvml_status(self) -> int | None:
        """The code of nvmlInit, 0 for success."""
        return self.nvml.status if self.nvml else None

    @property
    def names(self) -> list[str]:
        """Names of the NVIDIA cards, from the most telling source."""
        if self.cuda and self.cuda.devices:
            return [str(device["name"]) for device in self.cuda.devices]
        if self.nvml and self.nvml.gpus:
            return [str(gpu["name"]) for gpu in self.nvml.gpus]
        facts = [gpu_facts.card_of_id(card.device) for card in self.nvidia]
        return self.models or [fact.name for fact in facts if fact]

    @property
    def capabilities(self) -> list[str]:
        """Compute capabilities of the NVIDIA cards, as far as they are known."""
        if self.cuda and self.cuda.devices:
            told = (str(device["capability"]) for device in self.cuda.devices)
            return [capability for capability in told if capability]
        named = [gpu_facts.card_facts(name) for name in self.names]
        by_id = [card.capability for card in self.nvidia]
        return [fact.capability for fact in named if fact] or [c for c in by_id if c]

    def card_expected(self) -> bool:
        """True when something speaks for an NVIDIA GPU here."""
        return bool(self.nvidia or self.models or self.module or self.platform.wsl == 2)

    def logged(self, *words: str) -> list[str]:
        """Lines of the kernel log with all of the words."""
        return [line for line in self.kernel_log if all(word in line for word in words)]
