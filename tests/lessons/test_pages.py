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

PAGES = {
    path.relative_to(mode.PROJECT).as_posix(): blocks
    for path in (mode.PROJECT / "README.md", *sorted((mode.PROJECT / "docs").glob("*.md")))
    if (
        blocks := re.findall(
            r"^```python\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
        )
    )
}


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


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs(page: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(PAGES[page])],
        env=environment(page),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_pages_have_code() -> None:
    assert len(PAGES) > 15
