"""The READMEs' pictures show today's report, in a light and a dark theme, and are not empty."""

from __future__ import annotations

import os
import subprocess
import sys

import matplotlib.image
import numpy as np
import pytest

from support.mode import PROJECT
from support.tools import load_tool

make_pictures = load_tool("make_pictures")
FOLDER = PROJECT / "docs" / "_static"


def check() -> subprocess.CompletedProcess[str]:
    """Run the tool's check in a process that simulates nothing yet."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    command = [sys.executable, str(PROJECT / "tools" / "make_pictures.py"), "--check"]
    environment = dict(os.environ) | {"PYTHONPATH": path}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_they_are_of_this_report() -> None:
    done = check()
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("theme", "paper"), [("light", 1.0), ("dark", 0.06)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_they_are_seen(language: str, theme: str, paper: float) -> None:
    name, height = make_pictures.LANGUAGES[language]
    picture = matplotlib.image.imread(FOLDER / f"{name}-{theme}.png")[..., :3]
    scale = make_pictures.SCALE
    assert picture.shape[:2] == (height * scale, make_pictures.WIDTH * scale)
    grey = picture.mean(axis=2)
    assert np.median(grey) == pytest.approx(paper, abs=0.02)
    written = np.abs(grey - np.median(grey)) > 0.3
    assert 0.01 < written.mean() < 0.3
    # The last line of the report is inside: there is writing near the edge, and a margin below it.
    rows = np.flatnonzero(written.any(axis=1))
    assert 0 < picture.shape[0] - rows[-1] < 60 * scale


def test_a_picture_of_another_page_is_noticed() -> None:
    png = (FOLDER / "info-light.png").read_bytes()
    assert make_pictures.note_of(png) != make_pictures.digest("another page")
    plain = png[:-12] + png[-12:]
    noted = make_pictures.with_note(plain, b"abc")
    assert noted.endswith(png[-12:])
    assert make_pictures.note_of(b"") == b""
