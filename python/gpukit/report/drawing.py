"""What pictures have in common: a width that a phone shows, and colours of the reader's theme."""

from __future__ import annotations

from html import escape

WIDTH, LINE = 400, 18  # of a picture and of a line of text, in its own units
_MOST_LETTERS = 50
# In a page a picture has the page's colours; as a file it has its own paper under its ink.
_STYLE = (
    "<style>svg:root{color:#1f2328}svg:root>.paper{fill:#fff}"
    "@media(prefers-color-scheme:dark){svg:root{color:#e6edf3}svg:root>.paper{fill:#0d1117}}"
    "</style>"
)


def drawing(title: str, height: float, parts: list[str]) -> str:
    """The SVG: inline in a page or as a file of its own."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" style="max-width:100%;height:auto" role="img" fill="currentColor" '
        'font-family="sans-serif" font-size="13">'
    )
    paper = '<rect class="paper" width="100%" height="100%" fill="none"/>'
    return "".join([head, f"<title>{escape(title)}</title>", _STYLE, paper, *parts, "</svg>"])


def label(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    """A line of text; one that the picture has no room for loses its middle."""
    if len(text) > _MOST_LETTERS:
        half = _MOST_LETTERS // 2
        text = f"{text[: half - 1]}…{text[-half:]}"
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def mark(x: float, y: float, color: str, text: str) -> str:
    """A colour of the picture, and what has it."""
    dot = f'<circle cx="{x + 5:.0f}" cy="{y - 5:.0f}" r="5" fill="{color}"/>'
    return dot + label(x + 16, y, text)
