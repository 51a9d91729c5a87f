"""Lessons, each run once in a process of its own, as a reader would run them."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support import mode

FOLDER = mode.PROJECT / "docs" / "lessons"
LESSONS = sorted(FOLDER.glob("0*.md"))
RUNNER = mode.PROJECT / "tests" / "lessons" / "run_lesson.py"


def environment() -> dict[str, str]:
    """The environment of a reader: no simulation is asked for; the lesson starts its own."""
    given = {name: text for name, text in os.environ.items() if name != "GPUKIT_SIMULATE"}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    given |= {"PYTHONPATH": path}
    if mode.MODE.name == "cpu":
        given["GPUKIT_LESSONS"] = "cpu"
    return given


def run(lesson: Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a lesson in a process of its own, in an empty folder."""
    return subprocess.run(
        [sys.executable, str(RUNNER), str(lesson)],
        env=environment() | {"IPYTHONDIR": str(folder), "COLUMNS": "120"} | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@functools.cache
def done(lesson: Path, language: str = "") -> subprocess.CompletedProcess[str]:
    """A lesson's run; several tests read the same one."""
    with tempfile.TemporaryDirectory() as folder:
        return run(lesson, Path(folder), GPUKIT_LANG=language)


def output(number: int) -> str:
    """What the lesson of that number printed."""
    return done(LESSONS[number - 1]).stdout
