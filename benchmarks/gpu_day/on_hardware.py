"""pytest plugin: tests of the PTX executor run on the hardware, by the driver that gpukit opens.

What they ask of the simulated driver alone, its configuration and its messages, is empty. Texts
name the device's architecture.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu_day import instructions
from support import sim_driver

FILES = (
    "test_ptx_atomics.py",
    "test_ptx_bulk_copies.py",
    "test_ptx_matrices.py",
    "test_ptx_mbarrier.py",
    "test_ptx_programs.py",
    "test_ptx_warp_ops.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """tests/sim is not collected in mode gpu: its named files are, here."""
    if collection_path.name == "sim" or collection_path.name in FILES:
        return False
    return None


class HardwareDriver(instructions.Driver):
    """The device's driver, with the calls that tests make of a simulated one."""

    def __init__(self, _: Path) -> None:
        plain, self.head = instructions.device_driver()
        super().__init__(Path(plain.library._name))
        self.retain_all()

    def configure(self, _: str) -> str:
        return ""

    def start(self, _: str) -> None:
        pass

    def load(self, image: bytes, status: int = 0) -> Any:
        target = instructions.ptx_runner.HEAD.splitlines()[1].encode()
        return super().load(image.replace(target, self.head.splitlines()[1].encode()), status)


# Before tests/sim/conftest.py, whose fixtures make the driver of the tests, is imported.
sim_driver.SimDriver = HardwareDriver  # type: ignore[assignment,misc]
