"""A page of findings: a headline, facts, sections with items. The same words in every form."""

from __future__ import annotations

import html
import json
import re
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any

from gpukit._language import shown
from gpukit.report.forms import Forms
from gpukit.report.text import printable

_PLAIN_WIDTH = 200
# Colours come from the theme: currentColor is dark on light and light on dark.
_STYLE = (
    "<style>.gpukit-page{color:inherit;line-height:1.45;max-width:60em}"
    ".gpukit-page h4{margin:.2em 0;font-size:1.05em}"
    ".gpukit-page .facts{margin:.3em 0 .6em;opacity:.85}"
    ".gpukit-page .facts span{display:inline-block;margin-right:1.2em}"
    ".gpukit-page section{margin:.7em 0;padding-left:.8em;border-left:3px solid "
    "color-mix(in srgb,currentColor 30%,transparent)}"
    ".gpukit-page section.strong{border-left-color:currentColor}"
    ".gpukit-page .label{font-size:.85em;opacity:.75}"
    ".gpukit-page ul,.gpukit-page ol{margin:.2em 0 .2em 1.3em;padding:0}"
    ".gpukit-page pre{margin:.4em 0;padding:.4em .6em;color:inherit;overflow-x:auto;"
    "white-space:pre-wrap;background:color-mix(in srgb,currentColor 8%,transparent)}</style>"
)


@dataclass
class Section:
    """One finding. `code` is shown as it is typed; `strong` draws the eye to it."""

    title: str
    label: str = ""
    items: list[str] = field(default_factory=list)
    text: str = ""
    code: str = ""
    strong: bool = False


@dataclass(repr=False)
class Page(Forms):
    """The content of a display, independent of its format. It has no markup: all formats escape it.

    Example:
        >>> from gpukit.report import Page, Section
        >>> print(Page("Title", ["a: yes"], sections=[Section("One", items=["two"])]).to_text())
        Title
        a: yes
        <BLANKLINE>
        One
          - two
    """

    title: str
    facts: list[str] = field(default_factory=list)
    lead: str = ""
    sections: list[Section] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    list_title: str = ""
    numbered: list[str] = field(default_factory=list)

    def in_language(self) -> Page:
        """The page in the language that is shown; commands stay as they are typed."""
        return Page(
            title=shown(self.title),
            facts=[shown(fact) for fact in self.facts],
            lead=shown(self.lead),
            sections=[_section_in_language(section) for section in self.sections],
            notes=[shown(note) for note in self.notes],
            list_title=shown(self.list_title),
            numbered=[shown(item) for item in self.numbered],
        )

    def to_text(self) -> str:
        """Plain text."""
        return _page_text(self.in_language())

    def to_markdown(self) -> str:
        """Markdown for an issue or a cell of notes."""
        return _page_markdown(self.in_language())

    def to_html(self) -> str:
        """One fragment without script or outside files."""
        return _page_html(self.in_language())

    def __rich_console__(self, console: Any, options: Any) -> Any:
        from rich.padding import Padding
        from rich.text import Text

        page = self.in_language()
        bold = {page.title, *(section.title for section in page.sections if section.items)}
        dim = {f"[{section.label}]" for section in page.sections if section.label}
        for line in _page_text(page).split("\n"):
            command = line.startswith("    $ ")
            style = "bold" if line.strip() in bold else "cyan" if command else ""
            words = line.lstrip()
            text = Text(words, style="dim" if line in dim else style)
            # Padding keeps the indent of a line that is broken.
            yield Padding(text, (0, 0, 0, len(line) - len(words)))


class Shown(Forms, ABC):
    """A result that shows itself as a page: in a terminal, a notebook, an issue, a program."""

    @abstractmethod
    def to_page(self) -> Page:
        """The content of the display."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, with `schema`."""

    def to_text(self) -> str:
        """Plain text."""
        return self.to_page().to_text()

    def to_markdown(self) -> str:
        """Markdown for an issue or a cell of notes."""
        return self.to_page().to_markdown()

    def to_html(self) -> str:
        """One HTML fragment without script; everything from outside is escaped."""
        return self.to_page().to_html()

    def to_json(self) -> str:
        """`to_dict` as one JSON document."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, default=str)

    def print(self, file: Any = None) -> None:
        """Prints to a terminal with emphasis, to anything else plainly. Honours NO_COLOR."""
        target = sys.stdout if file is None else file
        if not getattr(target, "isatty", lambda: False)():
            print(self.to_text(), file=target)
            return
        from rich.console import Console

        Console(file=target, highlight=False, force_jupyter=False).print(self.to_page())


def _page_text(page: Page) -> str:
    lines = [page.title, " · ".join(page.facts), page.lead]
    lines = [line for line in lines if line]
    for section in page.sections:
        lines += ["", *_section_text(section)]
    lines += [part for note in page.notes for part in ("", note)]
    if page.numbered:
        lines += ["", page.list_title]
        lines += [f"  {number}. {item}" for number, item in enumerate(page.numbered, 1)]
    return "\n".join(printable(line) for line in lines)


def _page_markdown(page: Page) -> str:
    lines = [f"**{_literal(page.title)}**"]
    for part in (" · ".join(page.facts), page.lead):
        lines += ["", _literal(part)] if part else []
    for section in page.sections:
        lines += ["", *_section_markdown(section)]
    lines += [part for note in page.notes for part in ("", _literal(note))]
    if page.numbered:
        lines += ["", _literal(page.list_title), ""]
        lines += [f"{number}. {_literal(item)}" for number, item in enumerate(page.numbered, 1)]
    return "\n".join(lines)


def _page_html(page: Page) -> str:
    facts = "".join(f"<span>{_escaped(fact)}</span>" for fact in page.facts)
    parts = [
        f"<h4>{_escaped(page.title)}</h4>",
        f'<div class="facts">{facts}</div>' if facts else "",
        f'<div class="label">{_escaped(page.lead)}</div>' if page.lead else "",
        *(_section_html(section) for section in page.sections),
        *(f"<p>{_escaped(note)}</p>" for note in page.notes),
    ]
    if page.numbered:
        items = "".join(f"<li>{_escaped(item)}</li>" for item in page.numbered)
        parts.append(f"<div>{_escaped(page.list_title)}<ol>{items}</ol></div>")
    return f'<div class="gpukit-page">{_STYLE}{"".join(parts)}</div>'


def _section_in_language(section: Section) -> Section:
    return replace(
        section,
        title=shown(section.title),
        label=shown(section.label),
        items=[shown(item) for item in section.items],
        text=shown(section.text),
    )


def _escaped(text: str) -> str:
    return html.escape(printable(text))


def _literal(text: str) -> str:
    """Text from outside, escaped so that Markdown shows it literally."""
    escaped = html.escape(printable(text), quote=False).replace("\n", " ")
    return re.sub(r"([\\`*_\[\]|#])", r"\\\1", escaped)


def _fenced(code: str) -> list[str]:
    """Code between fences that are longer than any inside it."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}sh", printable(code), fence]


def _section_text(section: Section) -> list[str]:
    lines = [f"[{section.label}]"] if section.label else []
    indent = "  " if section.label else ""
    lines += [f"{indent}{section.title}", *(f"{indent}  - {item}" for item in section.items)]
    lines += [f"{indent}{section.text}"] if section.text else []
    return lines + [f"    $ {line}" for line in section.code.splitlines()]


def _section_markdown(section: Section) -> list[str]:
    lines = [f"### {_literal(section.title)}"]
    lines += ["", f"_{_literal(section.label)}_"] if section.label else []
    lines += ["", *(f"* {_literal(item)}" for item in section.items)] if section.items else []
    lines += ["", _literal(section.text)] if section.text else []
    return lines + (["", *_fenced(section.code)] if section.code else [])


def _section_html(section: Section) -> str:
    items = "".join(f"<li>{_escaped(item)}</li>" for item in section.items)
    parts = [
        f"<b>{_escaped(section.title)}</b>",
        f'<div class="label">{_escaped(section.label)}</div>' if section.label else "",
        f"<ul>{items}</ul>" if items else "",
        f"<div>{_escaped(section.text)}</div>" if section.text else "",
        f"<pre>{_escaped(section.code)}</pre>" if section.code else "",
    ]
    kind = ' class="strong"' if section.strong else ""
    return f"<section{kind}>{''.join(parts)}</section>"
