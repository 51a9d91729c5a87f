"""The Python of README and of the pages runs from top to bottom, as a reader types it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpukit
from support import mode

BLOCKS = {
    path.relative_to(mode.PROJECT).as_posix(): blocks
    for path in (mode.PROJECT / "README.md", *sorted((mode.PROJECT / "docs").glob("*.md")))
    if (
        blocks := re.findall(
            r"^```python\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
        )
    )
}
# A block that processes import again is a program of its own; the others are one.
START = 'if __name__ == "__main__":'
PAGES = {page: [block for block in blocks if START not in block] for page, blocks in BLOCKS.items()}
PROGRAMS = [
    pytest.param(page, block, id=f"{page} {number}")
    for page, blocks in BLOCKS.items()
    for number, block in enumerate(blocks)
    if START in block
]


# They start a simulation themselves, as on a machine without a GPU, or refuse what it measures.
WITHOUT_SIMULATION = {
    "README.md",
    "docs/cloud.md",
    "docs/index.md",
    "docs/own-kernels.md",
    "docs/scale-out.md",
    "docs/simulator.md",
    "docs/training.md",
}


def environment(page: str) -> dict[str, str]:
    """A machine with two GPUs, simulated where there are fewer, unless the page starts its own."""
    given = {name: text for name, text in os.environ.items() if name != "GPUKIT_SIMULATE"}
    given |= {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    given.pop("GPUKIT_LIBCUDA", None)
    if page in WITHOUT_SIMULATION and "simulate(" in "".join(PAGES[page]):
        given["CUDA_VISIBLE_DEVICES"] = "-1"
    enough = mode.MODE.name == "gpu" and gpukit.num_gpus() >= 2
    if not enough and page not in WITHOUT_SIMULATION:
        given["GPUKIT_SIMULATE"] = "2xT4"
    return given


def run(page: str, folder: Path, *command: str) -> None:
    """Run Python as a reader of the page does."""
    done = subprocess.run(
        [sys.executable, *command],
        env=environment(page),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs(page: str, tmp_path: Path) -> None:
    run(page, tmp_path, "-c", "\n".join(PAGES[page]))


@pytest.mark.parametrize(("page", "program"), PROGRAMS)
def test_a_program_of_a_page_runs(page: str, program: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    run(page, tmp_path, str(path))


def test_the_pages_have_code() -> None:
    assert len(PAGES) > 15
    assert PROGRAMS
