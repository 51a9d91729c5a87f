"""What `--help` and wrong usage show, in the language of the screen, at the terminal's width."""

from __future__ import annotations

import argparse
from typing import Any

from gpukit import _language
from gpukit._cli.command import wrapped


class HelpText(argparse.HelpFormatter):
    """argparse's layout. The words are translated; a Chinese sign takes two columns."""

    def start_section(self, heading: str | None) -> None:
        """Begin a group of options."""
        super().start_section(None if heading is None else _language.shown(heading))

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text = action.help
        return _language.shown(text) if text and text != argparse.SUPPRESS else text

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None) -> str:
        from rich.cells import cell_len

        before = _language.shown("usage:") + " " if prefix is None else prefix
        width, self._width = self._width, self._width - cell_len(before) + len(before)
        text = super()._format_usage(usage, actions, groups, before)
        self._width = width
        return text

    def _format_text(self, text: str) -> str:
        return super()._format_text(_language.shown(text))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = wrapped(" ".join(text.split()), width - len(indent))
        return "\n".join(indent + line for line in lines)
