"""Build and run the C++ tests: programs that use the sources directly and return 0 when all held.

The compiler is $CXX, else c++ or g++; a machine without one fails, as a build of gpukit would.
"""

from __future__ import annotations

import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.compiler import find_compiler
from support.long_job import repeat
from support.mode import PROJECT

CSRC = PROJECT / "csrc"
HERE = Path(__file__).parent
FLAGS = ["-std=c++20", "-O1", "-g1", "-Wall", "-Wextra", "-Werror", "-fno-strict-aliasing"]
FIBER = "fiber_aarch64.S" if platform.machine() in {"aarch64", "arm64"} else "fiber_x86_64.S"


@dataclass(frozen=True)
class Program:
    """What a test is linked from, as patterns relative to csrc, and how it is called."""

    sources: tuple[str, ...]
    arguments: tuple[str, ...] = ()

    def files(self) -> list[Path]:
        """The sources; a pattern without a file is an error."""
        found = [sorted(CSRC.glob(pattern)) for pattern in self.sources]
        assert all(found), dict(zip(self.sources, found, strict=True))
        return [path for paths in found for path in paths]


ALLOCATOR = (
    "memory/block_table.cpp",
    "memory/caching_resource.cpp",
    "memory/free_list.cpp",
    "memory/limiting_resource.cpp",
    "memory/statistics_resource.cpp",
    "backend/device_runtime.cpp",
    "core/*.cpp",
    "base/format.cpp",
)

PROGRAMS = {
    "allocator_replay_test": Program(ALLOCATOR, (str(repeat(2 * 10**6, long=10**9)),)),
    "block_executor_test": Program(
        (
            "sim/block_executor.cpp",
            "sim/fiber.cpp",
            f"sim/{FIBER}",
            "sim/kernel_registry.cpp",
            "sim/memory_fault.cpp",
            "sim/shared_memory.cpp",
            "sim/warp.cpp",
        )
    ),
    "caching_resource_test": Program(ALLOCATOR, ("20000", "20")),  # operations, replays
    "chain_tile_test": Program(("cpu/chain_tile.cpp", "core/*.cpp", "base/format.cpp")),
    "core_mask_test": Program(("cpu/core_mask.cpp",)),
    "dtype_test": Program(("core/*.cpp", "base/format.cpp")),
    "observer_test": Program(("base/observer.cpp", "base/wait_watch.cpp", "base/fork_hooks.cpp")),
    "product_size_test": Program(("core/*.cpp", "base/format.cpp")),
    "wait_pacing_test": Program(("base/wait_pacing.cpp",)),
}


def test_every_program_is_listed() -> None:
    assert {path.stem for path in HERE.glob("*_test.cpp")} == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    built = tmp_path / name
    sources = map(str, [HERE / f"{name}.cpp", *program.files()])
    command = [find_compiler(), *FLAGS, f"-I{CSRC}", f"-I{HERE}", *sources, "-pthread", "-ldl"]
    done = subprocess.run([*command, "-o", str(built)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run(
        [str(built), *program.arguments],
        capture_output=True,
        text=True,
        timeout=repeat(100, long=3600),
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    print(ran.stdout)
