"""How the GPUs of this machine are connected: buses, NVLinks, and who reads whose memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from gpukit._system.machine import Machine
from gpukit.monitor._snapshot import snapshot
from gpukit.monitor.gpu_state import GpuState
from gpukit.monitor.nvml import Library, NvmlFault, library
from gpukit.monitor.reading import STEP_SECONDS, TOTAL_SECONDS, within
from gpukit.report import Column, Table, Tabular

# The words of nvidia-smi's matrix, by NVML's number of the nearest common ancestor.
_PATHS = {0: "PSB", 10: "PIX", 20: "PXB", 30: "PHB", 40: "NODE", 50: "SYS"}
_MEANINGS = {
    "PSB": "on one board",
    "PIX": "through one PCIe switch",
    "PXB": "through several PCIe switches",
    "PHB": "through the CPU's PCIe host bridge",
    "NODE": "through the host bridges of one NUMA node",
    "SYS": "through the link between CPUs",
}
_NVLINK = "NV{count}: {count} NVLinks"
_PEERS = {
    0: True,
    1: "the chipset cannot",
    2: "the GPU cannot",
    3: "the bridges between them cannot",
    4: "the driver's settings forbid it",
    5: "not supported",
}
_NO_LINK = (2, 3, 13)  # a card, a link or a driver without NVLink


@dataclass
class GpuPlace:
    """Where a GPU stands: its bus, and the CPU cores and the NUMA node that are nearest.

    Example:
        >>> from gpukit.monitor import GpuPlace
        >>> GpuPlace(0).cpus is None
        True
    """

    index: int
    device: str | None = None
    name: str | None = None
    pci_bus_id: str | None = None
    numa_node: int | None = None
    cpus: str | None = None


@dataclass
class GpuLink:
    """The connection of two GPUs, by their numbers in NVML's order.

    `path` is a word of nvidia-smi ("PIX", "PHB", "SYS" …), `nvlinks` counts the active NVLinks,
    `peer` says whether one reads the other's memory; what is None has its reason in `missing`.

    Example:
        >>> from gpukit.monitor import GpuLink
        >>> GpuLink(0, 1, path="PIX", nvlinks=4).word
        'NV4'
    """

    a: int
    b: int
    path: str | None = None
    nvlinks: int | None = None
    peer: bool | None = None
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def word(self) -> str:
        """What the matrix shows: NVLinks where there are some, else the way over the buses."""
        return f"NV{self.nvlinks}" if self.nvlinks else (self.path or "?")


@dataclass(repr=False)
class Topology(Tabular):
    """What `gpukit.monitor.topology()` found. `reason` says why there is nothing.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2, "T4"):
        ...     found = gpukit.monitor.topology()
        >>> found.link(0, 1).path, found.link(1, 0).peer
        ('PHB', True)
    """

    gpus: list[GpuPlace]
    links: list[GpuLink]
    reason: str = ""
    simulated: bool = False

    def link(self, a: int, b: int) -> GpuLink:
        """The connection of two GPUs.

        Args:
            a: number of a GPU, in NVML's order.
            b: number of the other; which comes first does not matter.

        Raises:
            LookupError: There is no such pair.
        """
        for each in self.links:
            if {each.a, each.b} == {a, b}:
                return each
        raise LookupError(f"topology: there is no pair of GPUs {a} and {b}")

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dict, with the number of the schema."""
        return {"schema": 1, **asdict(self)}

    def to_json(self) -> str:
        """`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), indent=2)

    def to_table(self) -> Table:
        """The matrix of all pairs, with what each word means below it."""
        several = len(self.gpus) > 1
        columns = (
            Column("gpu", "GPU"),
            *(Column(str(each.index), f"GPU {each.index}") for each in self.gpus if several),
            Column("numa_node", "NUMA node", numeric=True),
            Column("cpus", "CPU cores"),
        )
        title = "Connections of simulated GPUs" if self.simulated else "Connections of GPUs"
        return Table(title, columns, [self._row(each) for each in self.gpus], self._notes())

    def _row(self, place: GpuPlace) -> dict[str, Any]:
        shown = f"GPU {place.index}" + (f" ({place.device})" if place.device else "")
        row = {"gpu": shown, "numa_node": place.numa_node, "cpus": place.cpus}
        for each in self.links:
            if place.index in (each.a, each.b):
                row[str(each.b if place.index == each.a else each.a)] = each.word
        return {**row, str(place.index): "X"}

    def _notes(self) -> list[str]:
        notes = [self.reason] if self.reason else []
        words = {each.path for each in self.links if each.path and not each.nvlinks}
        notes += [f"{word}: {_MEANINGS[word]}." for word in _MEANINGS if word in words]
        counts = sorted({each.nvlinks for each in self.links if each.nvlinks})
        notes += [_NVLINK.format(count=count) + "." for count in counts]
        apart = [each for each in self.links if each.peer is False]
        notes += [
            f"GPU {each.a} and GPU {each.b} do not read each other's memory "
            f"({each.missing['peer']}); copies go through the CPU's."
            for each in apart
        ]
        for each in self.links:
            notes += [
                f"GPU {each.a} and GPU {each.b}: {name} not known: {reason}"
                for name, reason in each.missing.items()
                if getattr(each, name) is None
            ]
        return notes


def topology() -> Topology:
    """Return how the GPUs are connected: the matrix of `nvidia-smi topo -m`, and peer access.

    NVML's calls are made as for a snapshot: one that fails or hangs costs its own field only.
    Starts no CUDA context. NUMA nodes and cores are Linux's; simulated GPUs have none.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2, "T4"):
        ...     print(gpukit.monitor.topology().to_table().rows[0]["1"])
        PHB
    """
    taken = snapshot()
    found = Topology([], [], taken.reason, taken.simulated)
    machine = None if taken.simulated else Machine()
    found.gpus = [_place(gpu, machine) for gpu in taken.gpus]
    deadline = time.monotonic() + TOTAL_SECONDS
    pairs = [(a, b) for a in taken.gpus for b in taken.gpus if a.index < b.index]
    for a, b in pairs:
        found.links.append(_link(a, b, deadline))
    return found


def _place(gpu: GpuState, machine: Machine | None) -> GpuPlace:
    place = GpuPlace(gpu.index, gpu.device, gpu.name, gpu.pci_bus_id)
    if machine is None or not gpu.pci_bus_id:
        return place
    domain, _, rest = gpu.pci_bus_id.lower().partition(":")
    folder = f"/sys/bus/pci/devices/{domain[-4:]}:{rest}"
    node = machine.read(f"{folder}/numa_node")
    place.numa_node = int(node) if node.isdigit() else None  # -1 is a machine without nodes
    place.cpus = machine.read(f"{folder}/local_cpulist") or None
    return place


def _link(a: GpuState, b: GpuState, deadline: float) -> GpuLink:
    link = GpuLink(a.index, b.index)
    steps: dict[str, Callable[[Library, Any, Any], Any]] = {
        "path": _path,
        "nvlinks": lambda nvml, first, _: _nvlinks(nvml, first, b.pci_bus_id),
        "peer": _peer,
    }
    for name, step in steps.items():
        seconds = min(STEP_SECONDS, max(0.0, deadline - time.monotonic()))
        try:
            value = _asked(name, a.index, b.index, step, seconds)
        except NvmlFault as fault:
            link.missing[name] = fault.reason
            continue
        if name == "peer" and value is not True:
            link.missing[name], value = value or "NVML does not know", False if value else None
        setattr(link, name, value)
    return link


def _asked(
    name: str, a: int, b: int, step: Callable[[Library, Any, Any], Any], seconds: float
) -> Any:
    nvml = library(TOTAL_SECONDS)

    def job() -> Any:
        handles = [nvml.call("nvmlDeviceGetHandleByIndex", index) for index in (a, b)]
        return step(nvml, *handles)

    return within(nvml, f"{name} of GPU {a} and GPU {b}", seconds, job)


def _path(nvml: Library, a: Any, b: Any) -> str | None:
    return _PATHS.get(int(nvml.call("nvmlDeviceGetTopologyCommonAncestor", a, b)))


def _peer(nvml: Library, a: Any, b: Any) -> Any:
    """True, or why not; None when NVML does not know."""
    read = nvml.constant("NVML_P2P_CAPS_INDEX_READ")
    index = read[0] if isinstance(read, tuple) else read  # a comma too many in nvidia-ml-py
    return _PEERS.get(int(nvml.call("nvmlDeviceGetP2PStatus", a, b, index)))


def _nvlinks(nvml: Library, a: Any, bus_id: str | None) -> int:
    """Active links of the first GPU that end at the second's bus address."""
    count = 0
    for link in range(int(nvml.constant("NVML_NVLINK_MAX_LINKS"))):
        try:
            if not nvml.call("nvmlDeviceGetNvLinkState", a, link):
                continue
            info = nvml.call("nvmlDeviceGetNvLinkRemotePciInfo", a, link)
        except NvmlFault as fault:
            if fault.code in _NO_LINK:
                break
            raise
        text = info.busId
        remote = text.decode() if isinstance(text, bytes) else str(text)
        count += remote.lower() == (bus_id or "").lower()
    return count
