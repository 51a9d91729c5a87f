"""Links between our own pages lead somewhere: files, and the headings behind a #."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.mode import PROJECT

PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md"), *PROJECT.glob("csrc/*/*.md")])
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"')
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(text: str) -> list[str]:
    """Targets outside of code that are no web addresses."""
    prose = re.sub(r"`[^`]*`", "", FENCE.sub("", text))
    found = [first or second for first, second in LINK.findall(prose)]
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchor(heading: str) -> str:
    """The name of a heading as GitHub and MyST make it."""
    plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return plain.replace(" ", "-")


def dead(page: Path, target: str) -> str | None:
    """Why a link leads nowhere."""
    name, _, place = target.partition("#")
    file = (page.parent / name) if name else page
    if not file.exists():
        return f"{page.name}: {target}: there is no such file"
    if place and anchor(place) not in map(anchor, HEADING.findall(file.read_text("utf-8"))):
        return f"{page.name}: {target}: there is no such heading"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    found = [dead(page, target) for target in links(page.read_text(encoding="utf-8"))]
    assert [fault for fault in found if fault] == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Here\n[a](#here) [b](gone.md) [c](#away) [d](https://e.org) `[e](f)`\n")
    faults = [dead(page, target) for target in links(page.read_text())]
    assert faults[0] is None
    assert faults[1:] == [
        "page.md: gone.md: there is no such file",
        "page.md: #away: there is no such heading",
    ]
