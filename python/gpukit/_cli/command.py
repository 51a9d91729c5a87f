"""Commands and what they share: exit statuses, one JSON document, writing files."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_DIFFER, EXIT_INTERRUPTED = 0, 1, 2, 3, 130
SCHEMA = 1


def _no_arguments(_: argparse.ArgumentParser) -> None:
    """Most commands that only print take none."""


@dataclass(frozen=True)
class Command:
    """One command: what it does, and the arguments it takes.

    `run` prints its result on stdout, messages on stderr, and returns the exit status. ValueError,
    OSError and gpukit's errors may pass: they become one line on stderr and status 1.
    """

    name: str
    summary: str
    run: Callable[[argparse.Namespace], int]
    arguments: Callable[[argparse.ArgumentParser], None] = _no_arguments


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option --json: one document with "schema": 1 on stdout and nothing else there."""
    parser.add_argument("--json", action="store_true", help="one JSON document")


def print_document(document: Mapping[str, Any]) -> None:
    """Prints a mapping as the one JSON document of a command."""
    print(json.dumps({"schema": SCHEMA, **document}, indent=2, ensure_ascii=False, default=str))


def print_lines(text: str) -> None:
    """Prints a text; in a terminal its long lines are wrapped at the words, under their indent."""
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        text = "\n".join(part for line in text.split("\n") for part in wrapped(line, room) or [""])
    print(text)


def wrapped(text: str, room: int) -> list[str]:
    """The text in lines of that many columns; Chinese signs take two, and break anywhere."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.text import Text

    if cell_len(text) <= room:
        return [text]
    head = text[: len(text) - len(text.lstrip(" -"))]
    lines = Text(text[len(head) :]).wrap(Console(width=room), max(10, room - len(head)))
    return [
        (" " * len(head) if place else head) + line.plain.rstrip()
        for place, line in enumerate(lines)
    ]


def print_bytes(data: bytes) -> None:
    """Writes a file's bytes to stdout, in the file's own encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write(path: str, text: str, holds: str) -> None:
    """Writes a result to a file, after saying on stderr what it holds; `-` is stdout."""
    if path == "-":
        print(text)
    else:
        print(f"gpukit: {path} will hold {holds}; no user name, no home path", file=sys.stderr)
        Path(path).write_text(text + "\n", encoding="utf-8")
