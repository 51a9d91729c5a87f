"""The forms in which findings are printed: full, concise, json, github and sarif."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpukit._language import shown
from gpukit._names.plural import count_of
from gpukit.lint.checking import rules
from gpukit.lint.findings import Finding

_WIDE = 160


def plain(text: str) -> str:
    """A text without control characters, which could move a terminal's cursor."""
    return "".join(
        sign
        if not unicodedata.category(sign).startswith(("Cc", "Cf", "Cs", "Zl", "Zp"))
        else _escape(sign)
        for sign in text
    )


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def concise(findings: Sequence[Finding]) -> str:
    """One line a finding, and a last line with their number."""
    return "\n".join([*map(line, findings), _count(findings)])


def line(finding: Finding) -> str:
    """One line: the place, the code and the sentence."""
    mark = " [*]" if finding.fixable else ""
    return f"{plain(finding.place)}: {finding.code}{mark} {_message(finding)}"


def _message(finding: Finding) -> str:
    """The sentence in the language of the screen."""
    return plain(shown(finding.message))


def _count(findings: Sequence[Finding]) -> str:
    if not findings:
        return shown("All checks passed!")
    safe = sum(finding.fixable for finding in findings)
    count = shown(f"Found {count_of(len(findings), 'error')}.")
    fixable = shown(f"{safe} fixable with the `--fix` option.")
    return f"{count}\n[*] {fixable}" if safe else count


def full(findings: Sequence[Finding]) -> str:
    """Each finding with its line of code and a mark below the place."""
    return "\n".join([*map(block, findings), _count(findings)])


def block(finding: Finding) -> str:
    """The sentence, the place, the line of code and a mark below the place."""
    number = str(finding.line)
    margin = " " * len(number)
    before = plain(finding.text.expandtabs(1)[: max(finding.column - 1, 0)])
    code = plain(finding.text.expandtabs(1))
    width = sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in before)
    if len(code) > _WIDE:
        code, width = code[:_WIDE] + " …", min(width, _WIDE)
    head = f"{finding.code}{' [*]' if finding.fixable else ''} {_message(finding)}"
    return "\n".join(
        [
            f"{head}",
            f"{margin}--> {plain(finding.place)}",
            f"{margin} |",
            f"{number} | {code}".rstrip(),
            f"{margin} | {' ' * width}^ {finding.name}",
            "",
        ]
    )


def as_json(findings: Sequence[Finding]) -> str:
    """A list of objects with the names that ruff's have."""
    return json.dumps([as_object(finding) for finding in findings], indent=2)


def as_object(finding: Finding) -> dict[str, Any]:
    """A finding for JSON, with the names that ruff's have."""
    return {
        "cell": finding.cell,
        "code": finding.code,
        "name": finding.name,
        "filename": finding.path,
        "location": {"row": finding.line, "column": finding.column},
        "message": finding.message,
        "fixable": finding.fixable,
    }


def github(findings: Sequence[Finding]) -> str:
    """Commands of a workflow that annotate the lines."""
    return "\n".join(map(_annotation, findings))


def _annotation(finding: Finding) -> str:
    file = _github(finding.path, also=":,")
    where = f"file={file},line={finding.line},col={finding.column}"
    title = f"gpukit ({finding.code})"
    text = _github(f"{plain(finding.place)}: {finding.code} {plain(finding.message)}")
    return f"::error title={title},{where}::{text}"


def _github(text: str, also: str = "") -> str:
    for sign in "%\r\n" + also:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return plain(text)


def sarif(findings: Sequence[Finding]) -> str:
    """A SARIF 2.1.0 log with the rules that fired."""
    return sarif_log(findings, {code: (each.name, each.message) for code, each in rules().items()})


def sarif_log(findings: Sequence[Finding], table: Mapping[str, tuple[str, str]]) -> str:
    """A SARIF 2.1.0 log; the table has each code's name and sentence."""
    used = sorted({finding.code for finding in findings})
    driver = {
        "name": "gpukit",
        "rules": [
            {"id": code, "name": table[code][0], "shortDescription": {"text": table[code][1]}}
            for code in used
        ],
    }
    results = [_result(finding, used) for finding in findings]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2)


def _result(finding: Finding, used: list[str]) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column}
    place = {"artifactLocation": {"uri": finding.path}, "region": region}
    return {
        "ruleId": finding.code,
        "ruleIndex": used.index(finding.code),
        "level": "error",
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place}],
    }


FORMS: dict[str, Callable[[Sequence[Finding]], str]] = {
    "full": full,
    "concise": concise,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
