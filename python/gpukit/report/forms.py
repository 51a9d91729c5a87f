"""The displays of a result in a terminal, a notebook and an issue, from its three forms."""

from __future__ import annotations

from typing import Any


class Forms:
    """The displays in a terminal, a notebook and an issue of an object with these three forms."""

    def to_text(self) -> str:
        """Plain text."""
        raise NotImplementedError

    def to_markdown(self) -> str:
        """Markdown for an issue or a cell of notes."""
        raise NotImplementedError

    def to_html(self) -> str:
        """One HTML fragment without script; everything from outside is escaped."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {
            "text/plain": self.to_text(),
            "text/html": self.to_html(),
            "text/markdown": self.to_markdown(),
        }
