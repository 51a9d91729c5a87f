"""The lessons run, each in a process of its own, as a reader would run them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support import mode
from support.lesson_runs import LESSONS, done, run

FIRST_OUTPUT = re.compile(r"Out\[1\]:.*?\n?\]", re.DOTALL)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_lesson(lesson: Path) -> None:
    ended = done(lesson)
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    devices = FIRST_OUTPUT.search(ended.stdout)
    assert devices
    assert ("cuda" in devices.group()) == (mode.MODE.name != "cpu")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_it_opens_with_what_one_learns_and_ends_with_checked_exercises(lesson: Path) -> None:
    text = lesson.read_text(encoding="utf-8")
    opening = text.split("\n# ", 1)[1].split("```", 1)[0]
    assert "After this lesson you" in opening
    sections = text.split("\n## ")
    exercises = [part for part in sections[-2:] if re.match(r"Exercises|Your turn", part)]
    assert len(exercises) == 1
    assert len(re.findall(r"^\s*assert ", exercises[0], re.MULTILINE)) >= 3


def test_there_are_eight_lessons() -> None:
    assert [path.stem[:2] for path in LESSONS] == [f"0{number}" for number in range(1, 9)]


def test_a_failing_cell_is_shown(tmp_path: Path) -> None:
    broken = tmp_path / "broken.md"
    broken.write_text(
        "---\njupytext: {}\n---\n\n```{code-cell} ipython3\nx = 1\n```\n\n"
        "```{code-cell} ipython3\nassert x == 2, 'planted'\n```\n",
        encoding="utf-8",
    )
    ended = run(broken, tmp_path)
    assert ended.returncode == 1
    assert "code cell 2, failed" in ended.stdout and "planted" in ended.stdout
