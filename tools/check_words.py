"""Refuse the words of tools/words.txt: names and text are in the words that the field uses.

`python tools/check_words.py` prints a line a finding; the exit status is 1 where there is any.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("csrc", "python", "docs")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
SUFFIXES = {".h", ".cpp", ".cu", ".def", ".py", ".pyi", ".md", ".ipynb", ".txt"}


def read_words(text: str) -> dict[str, str]:
    """The words to refuse and what to write, from lines `word->replacement`."""
    rows = (line.split("#", 1)[0].strip() for line in text.splitlines())
    return dict(row.split("->", 1) for row in rows if row)


def pattern_of(words: dict[str, str]) -> re.Pattern[str]:
    """One pattern for all words. They match whole words, or whole parts of a name.

    A word that ends in a parenthesis is a function's name, refused where it is called or defined.
    """
    longest_first = sorted(words, key=len, reverse=True)
    choices = "|".join(
        re.escape(word).replace(r"\ ", r"\s+") + ("" if word.endswith("(") else "(?![A-Za-z])")
        for word in longest_first
    )
    return re.compile(rf"(?<![A-Za-z])(?:{choices})", re.IGNORECASE)


def files(root: Path) -> Iterator[Path]:
    """The files that are checked."""
    for folder in FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*")) if path.is_file())
    yield from (root / page for page in PAGES)


def findings(text: str, words: dict[str, str]) -> Iterator[tuple[int, str]]:
    """(line, what to write instead) for each refused word."""
    for match in pattern_of(words).finditer(text):
        found = match.group()
        instead = words[" ".join(found.lower().split())]
        yield text.count("\n", 0, match.start()) + 1, f"'{found}': write {instead}"


def check(root: Path = ROOT) -> list[str]:
    """One line for each refused word of the tree."""
    words = read_words((root / "tools" / "words.txt").read_text(encoding="utf-8"))
    return [
        f"{path.relative_to(root).as_posix()}:{line}: {finding}"
        for path in files(root)
        if path.suffix in SUFFIXES
        for line, finding in findings(path.read_text(encoding="utf-8"), words)
    ]


def main() -> int:
    """Print the findings."""
    found = check()
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
