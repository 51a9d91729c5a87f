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


def section_of(row: str) -> str:
    """The text of the section that the page names for a row, with its smaller sections."""
    for lesson, section, rows in ROW.findall(PAGE):
        if row in rows.split():
            text = (LESSONS / LINK.fullmatch(lesson).group(1)).read_text(encoding="utf-8")
            start = re.search(rf"^(#+) {re.escape(section)}$", text, re.MULTILINE)
            rest = text[start.end() :]
            end = re.search(rf"^#{{1,{len(start.group(1))}}} ", rest, re.MULTILINE)
            return rest[: end.start()] if end else rest
    raise AssertionError(f"{row} is in no row of the page")


def other_sections(phrase: str, own: str) -> int:
    """How many sections have the phrase, beside those that are part of `own` or have it in them."""
    sections = {
        section_of(rows.split()[0]) for lesson, _, rows in ROW.findall(PAGE) if LINK.match(lesson)
    }
    return sum(phrase in text and text not in own and own not in text for text in sections)


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


SHOWN = dict(
    line.split(" ", 1)
    for line in (LESSONS.parents[1] / "tests" / "lessons" / "shown.txt")
    .read_text("utf-8")
    .splitlines()
)


@pytest.mark.parametrize("row", SHOWN)
def test_what_the_row_needs_is_in_its_section(row: str) -> None:
    assert SHOWN[row] in section_of(row)


MOST_OTHERS = 3


@pytest.mark.parametrize("row", SHOWN)
def test_the_phrase_tells_its_section_from_others(row: str) -> None:
    assert other_sections(SHOWN[row], section_of(row)) <= MOST_OTHERS


@pytest.mark.parametrize("word", ["device", "gpukit", "info"])
def test_a_word_that_is_everywhere_is_found(word: str) -> None:
    assert word in section_of("S0-01")
    assert other_sections(word, section_of("S0-01")) > MOST_OTHERS


def test_a_row_that_is_not_shown_is_found() -> None:
    assert SHOWN["S1-52"] not in section_of("S0-01")
