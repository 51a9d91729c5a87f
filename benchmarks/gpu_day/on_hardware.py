"""pytest plugin: tests of the PTX executor run on the hardware instead.

They go through the driver that gpukit opens; their texts name the device's architecture. What is
the simulated driver's alone is left out, and its messages are taken as said. A kernel that faults
ends the context of its process, so each of those tests has a process of its own.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu_day import instructions
from support import ptx_runner, sim_driver

FILES = (
    "test_ptx_atomics.py",
    "test_ptx_bulk_copies.py",
    "test_ptx_matrices.py",
    "test_ptx_mbarrier.py",
    "test_ptx_programs.py",
    "test_ptx_warp_ops.py",
)
# Names of tests, each by its start. Those of faults run one a process.
FAULTS = (
    "test_faults_end_the_launch_as_a_card_does",
    "test_the_name_of_a_file_is_shown_and_never_opened",
    "test_wrong_copies_are_faults",
)
ONLY_SIMULATED = (
    # Texts that the executor does not take, and a card may.
    "test_a_text_is_refused_with_its_line[mov.u32 %r1, 0x123456789abcdef01",
    "test_a_text_is_refused_with_its_line[tex.",
    "test_a_text_is_refused_with_its_line[wgmma.",
    "test_a_text_that_asks_for_endless_work_is_refused",
    "test_what_needs_more_is_refused_by_name",
    # What a card does not notice, or never ends.
    "test_dynamic_shared_memory_has_an_end",
    "test_faults_end_the_launch_as_a_card_does[beyond-",
    "test_faults_end_the_launch_as_a_card_does[forever-",
    "test_faults_end_the_launch_as_a_card_does[stuck-",
    "test_misuse_is_named_with_its_line",
    "test_there_is_no_other_block_in_it",
    "test_wrong_copies_are_faults[266240-",
    # What takes a card long, or needs two.
    "test_a_grid_of_many_blocks_ends_with_the_simulation",
    "test_damaged_texts_never_end_the_process",
    "test_memory_of_another_device_is_out_of_reach",
)
FAULT = "GPU_DAY_FAULT"  # which of the tests of faults a process runs; unset: all other tests
PLAIN, ptx_runner.HEAD = instructions.device_driver()


class Anything(str):
    """A message of which every assertion holds."""

    def __contains__(self, _: object) -> bool:
        return True


class HardwareDriver(instructions.Driver):
    """The device's driver, with the calls that tests make of a simulated one."""

    def __init__(self, _: Path) -> None:
        super().__init__(Path(PLAIN.library._name))
        self.retain_all()

    def message(self) -> str:
        return Anything()

    def configure(self, _: str) -> str:
        return ""

    def start(self, _: str) -> None:
        pass


@pytest.hookimpl(tryfirst=True)
def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """tests/sim is not collected in mode gpu: its named files are, here."""
    if collection_path.suffix == ".py" and collection_path.name != "conftest.py":
        return collection_path.name not in FILES
    return False if collection_path.name == "sim" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    names = [item.name for item in items]
    for start in (*FAULTS, *ONLY_SIMULATED):
        if not any(name.startswith(start) for name in names):
            raise pytest.UsageError(f"gpu_day.on_hardware: no test is named {start}...")
    items[:] = [item for item in items if not item.name.startswith(ONLY_SIMULATED)]
    faults = [item for item in items if item.name.startswith(FAULTS)]
    if (number := os.environ.get(FAULT)) is None:
        items[:] = [item for item in items if not item.name.startswith(FAULTS)]
    else:
        items[:] = faults[int(number) : int(number) + 1]


# Before tests/sim/conftest.py, whose fixtures make the driver of the tests, is imported.
sim_driver.SimDriver = HardwareDriver  # type: ignore[assignment,misc]
