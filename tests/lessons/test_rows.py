"""docs/lessons/rows.md: each thing the tutorials show is somewhere, once, and the place exists."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from support.mode import PROJECT

LESSONS = PROJECT / "docs" / "lessons"
PAGE = (LESSONS / "rows.md").read_text(encoding="utf-8")
COUNTS = (64, 74, 45, 23, 32)
ROW = re.compile(r"^\| (.+?) \| (.+?) \| ((?:S\d|X)-.+?) \|$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\(([^)]+)\)")


def test_every_row_is_there_once() -> None:
    expected = {
        f"S{tutorial}-{number:02d}"
        for tutorial, count in enumerate(COUNTS)
        for number in range(1, count + 1)
    } | {f"X-{number:02d}" for number in range(1, 7)}
    found = Counter(re.findall(r"(?:S\d|X)-\d+", PAGE))
    assert set(found) == expected
    assert [name for name, times in found.items() if times > 1] == []


@pytest.mark.parametrize(("lesson", "section", "rows"), ROW.findall(PAGE))
def test_the_section_exists(lesson: str, section: str, rows: str) -> None:
    if lesson in {"later", "these pages"}:
        return
    link = LINK.fullmatch(lesson)
    assert link, lesson
    text = (LESSONS / link.group(1)).read_text(encoding="utf-8")
    assert re.search(rf"^#+ {re.escape(section)}$", text, re.MULTILINE)


def test_every_page_is_in_the_index() -> None:
    index = (LESSONS.parent / "index.md").read_text(encoding="utf-8").split()
    pages = {path.stem for path in LESSONS.parent.glob("*.md")} - {"index"}
    assert pages <= set(index)
