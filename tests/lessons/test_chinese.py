"""The Chinese README and lessons: the code of the English ones, which runs, and their form."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.lesson_runs import done
from support.mode import MODE, PROJECT
from support.tools import load_tool

lesson_text = load_tool("lesson_text")
ENGLISH = PROJECT / "docs" / "lessons"
CHINESE = PROJECT / "docs" / "zh" / "lessons"
LESSONS = sorted(path.name for path in ENGLISH.glob("0*.md"))
BLOCK = re.compile(r"^```(?:bash|python|text)\n.*?^```$", re.DOTALL | re.MULTILINE)
SIGN = re.compile(r"[\u4e00-\u9fff]")


def test_every_lesson_is_there():
    assert sorted(path.name for path in CHINESE.glob("0*.md")) == LESSONS
    listed = re.findall(r"^(0\d-[\w-]+)$", (CHINESE / "index.md").read_text("utf-8"), re.MULTILINE)
    assert [f"{name}.md" for name in listed] == LESSONS


@pytest.mark.parametrize("name", LESSONS)
def test_the_same_cells_in_the_same_order(name):
    english, chinese = (
        lesson_text.cells((folder / name).read_text(encoding="utf-8"))
        for folder in (ENGLISH, CHINESE)
    )
    assert [cell.kind for cell in chinese] == [cell.kind for cell in english]
    for ours, theirs in zip(chinese, english, strict=True):
        if ours.kind == "code":
            assert ours.text == theirs.text
        else:
            assert SIGN.search(ours.text), ours.text
            for mark in ("## ", "\n|", "\n* "):
                assert ours.text.count(mark) == theirs.text.count(mark), ours.text


def test_the_readme_has_the_same_code_and_numbers():
    english = (PROJECT / "README.md").read_text(encoding="utf-8")
    chinese = (PROJECT / "docs" / "zh" / "README.md").read_text(encoding="utf-8")
    ours, theirs = (
        [block for block in BLOCK.findall(text) if not re.search("gpukit doctor|GFLOP/s", block)]
        for text in (chinese, english)
    )
    assert ours == theirs
    ours, theirs = (
        next(block for block in BLOCK.findall(text) if "GFLOP/s" in block)
        for text in (chinese, english)
    )
    assert SIGN.search(ours)
    assert re.findall(r"\d+\.\d+|\d+ µs", ours) == re.findall(r"\d+\.\d+|\d+ µs", theirs)
    assert english.count("\n## ") == chinese.count("\n## ")
    table = english[english.index("| | gpukit | NumPy") :].split("\n\n")[0]
    for value in re.findall(r"[\d.]+ (?:ns|µs|ms|s) ", table):
        assert value in chinese


# ---- run as a reader who has only Chinese runs them, with GPUKIT_LANG=zh

SHOWN = [
    line.split(maxsplit=1)
    for line in (Path(__file__).parent / "shown_in_chinese.txt").read_text("utf-8").splitlines()
]
ENGLISH_WORDS = re.compile(r"(?:\b[A-Za-z]{2,}\b[,;:]? ){4,}[A-Za-z]{2,}")
LEFT_IN_ENGLISH = (
    "All keys matched successfully",  # torch's text, which programs compare
    "Python waits here for a GPU",  # a warning of the core
    "bytes moved before",  # compile's explain() shows operators by their names
    "runs as the interpreting kernel",
    "usable=",  # the lesson prints data, which is English
    "of 4 bytes",  # a TypeError is Python's own, and what a checked kernel did is a report of PTX
)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_in_chinese(name):
    ended = done(CHINESE / name, "zh")
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    assert SIGN.search(ended.stdout) or name.startswith("07")  # whose program shows only values


@pytest.mark.parametrize("name", LESSONS)
def test_sentences_that_it_shows_are_chinese_or_its_own(name):
    """Five English words in a row are the lesson's own: they stand in one of its code cells."""
    text = (CHINESE / name).read_text(encoding="utf-8")
    code = " ".join(lesson_text.code_cells(text))
    left = [
        line
        for line in done(CHINESE / name, "zh").stdout.splitlines()
        for found in ENGLISH_WORDS.findall(line)[:1]
        if not any(words in line for words in LEFT_IN_ENGLISH) and found.split()[0] not in code
    ]
    assert left == []


@pytest.mark.skipif(MODE.name != "sim", reason="the outputs held are those of simulated GPUs")
@pytest.mark.parametrize(("number", "words"), SHOWN)
def test_what_it_shows(number, words):
    [name] = [each for each in LESSONS if each.startswith(f"0{number}")]
    shown = re.sub(r"\s+", " ", done(CHINESE / name, "zh").stdout)
    assert words in shown
