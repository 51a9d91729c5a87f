"""The steps to a working GPU, as `info` and the doctor show them."""

from __future__ import annotations

HARDWARE, DRIVER, NVML = "hardware present", "driver loaded", "NVML sees it"
START, KERNEL = "cuInit accepts it", "kernel ran"


def lights_of(
    *,
    hardware: bool | None,
    driver: bool | None,
    nvml: bool | None,
    start: bool | None,
    kernel: bool | None,
) -> dict[str, bool | None]:
    """One light for each step, in order; None where nothing could be asked."""
    return {HARDWARE: hardware, DRIVER: driver, NVML: nvml, START: start, KERNEL: kernel}
