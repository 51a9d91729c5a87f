"""Links between our own pages lead somewhere: files, and the headings behind a #."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.mode import PROJECT

PAGES = sorted([*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md"), *PROJECT.glob("csrc/*/*.md")])
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"')
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def links(text: str) -> list[str]:
    """Link targets outside code that are not web addresses."""
    prose = re.sub(r"`[^`]*`", "", FENCE.sub("", text))
    found = [first or second for first, second in LINK.findall(prose)]
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def web_links(text: str) -> list[str]:
    """Web addresses outside of code."""
    prose = re.sub(r"`[^`]*`", "", FENCE.sub("", text))
    found = [first or second for first, second in LINK.findall(prose)]
    return [target for target in found if re.match(r"[a-z]+:", target)]


def malformed(link: str) -> bool:
    """Whether this is not an https address of a named host."""
    parts = urlsplit(link)
    host = parts.hostname or ""
    return parts.scheme != "https" or not re.fullmatch(r"([a-z0-9-]+\.)+[a-z]{2,}", host)


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_links_to_other_sites_are_well_formed(page: Path) -> None:
    assert [link for link in web_links(page.read_text(encoding="utf-8")) if malformed(link)] == []


@pytest.mark.parametrize("link", ["http://e.org", "https:/e.org", "https://e", "htps://e.org/a"])
def test_a_malformed_link_is_found(link: str) -> None:
    assert web_links(f"[a]({link})") == [link]
    assert malformed(link)
    assert not malformed("https://docs.e-f.org/a/b?c=d#e")
