"""The state of one GPU: each field is a value, or None and `missing` says why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from gpukit.monitor.calls import MigInstance
from gpukit.monitor.running import GpuProcess


@dataclass
class GpuState:
    """One GPU. °C, %, W, MHz, bytes, and J since the driver was loaded.

    None if there is no value, and `missing` says why.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     gpu = gpukit.monitor.snapshot().gpus[0]
        >>> gpu.name, gpu.memory_total > 2**33, gpu.fan_speed
        ('Tesla T4 (simulated)', True, None)
    """

    index: int
    uuid: str | None = None
    name: str | None = None
    pci_bus_id: str | None = None
    cuda_index: int | None = None
    temperature: int | None = None
    utilization: int | None = None
    memory_utilization: int | None = None
    power_draw: float | None = None
    power_limit: float | None = None
    energy: float | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    memory_free: int | None = None
    memory_reserved: int | None = None
    fan_speed: int | None = None
    performance_state: int | None = None
    clock_sm: int | None = None
    clock_sm_max: int | None = None
    clock_memory: int | None = None
    clock_memory_max: int | None = None
    throttle_reasons: list[str] | None = None
    persistence_mode: bool | None = None
    compute_mode: str | None = None
    ecc_errors: int | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    mig_mode: bool | None = None
    mig: list[MigInstance] | None = None
    processes: list[GpuProcess] | None = None
    missing: dict[str, str] = field(default_factory=dict)
    missing_status: dict[str, int] = field(default_factory=dict)

    @property
    def device(self) -> str | None:
        """The name in CUDA's order, e.g. "cuda:0"; None while CUDA has not started here."""
        return None if self.cuda_index is None else f"cuda:{self.cuda_index}"

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dict."""
        return {"device": self.device, **asdict(self)}
