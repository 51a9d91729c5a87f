"""Reading and writing catalogues: gettext's text format, as translators' programs open it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Entry(NamedTuple):
    """A message of the source, its translation, and the files that have it."""

    message: str
    translation: str
    files: tuple[str, ...]


def parse(text: str) -> list[Entry]:
    """The entries of a catalogue, without the header."""
    entries = []
    for block in text.split("\n\n"):
        parts: dict[str, list[str]] = {"msgid": [], "msgstr": []}
        files: list[str] = []
        key = ""
        for line in block.splitlines():
            if line.startswith("#:"):
                files += line[2:].split()
            elif line and not line.startswith("#"):
                word, _, rest = line.partition(" ")
                key, quoted = (word, rest) if word in parts else (key, line)
                parts[key].append(json.loads(quoted))
        if any(parts["msgid"]):
            entries.append(Entry("".join(parts["msgid"]), "".join(parts["msgstr"]), tuple(files)))
    return entries


def unparse(entries: Iterable[Entry], language: str) -> str:
    """The text of a catalogue: the same entries give the same bytes."""
    head = f"Language: {language}\nContent-Type: text/plain; charset=UTF-8\n"
    blocks = [f'msgid ""\nmsgstr {json.dumps(head)}']
    for message, translation, files in entries:
        lines = [f"#: {name}" for name in files]
        quoted = (json.dumps(text, ensure_ascii=False) for text in (message, translation))
        lines += [f"{key} {text}" for key, text in zip(("msgid", "msgstr"), quoted)]  # noqa: B905
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
