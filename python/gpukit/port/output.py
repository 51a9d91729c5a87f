"""The forms in which a ported file is printed: full, concise, json, github and sarif."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from gpukit._language import shown
from gpukit._names.plural import count_of
from gpukit.lint.output import as_object, block, github, line, plain, sarif_log
from gpukit.port.found import CODES, Leftover
from gpukit.port.porting import Ported

Done = Sequence[Ported]


def _left(done: Done) -> list[Leftover]:
    return [left for each in done for left in each.leftovers]


def _shown(diff: str) -> str:
    """A diff without control characters, which could move a terminal's cursor; tabs stay."""
    lines = ["\t".join(map(plain, one.split("\t"))) for one in diff.split("\n")]
    return "\n".join(lines)


def _count(done: Done, *, written: bool) -> str:
    changed = sum(each.changed for each in done)
    left = len(_left(done))
    lines, places = count_of(changed, "line"), count_of(left, "place")
    said = shown(f"{lines} changed" if written else f"{lines} to change")
    rest = shown(f"{places} left over." if left else "nothing left over.")
    return f"{said}{',' if said.isascii() else '，'}{' ' if said.isascii() else ''}{rest}"


def _printed(done: Done, one: Callable[[Leftover], str], *, written: bool) -> str:
    diffs = [] if written else [_shown(each.diff).rstrip("\n") for each in done if each.diff]
    return "\n".join([*diffs, *map(one, _left(done)), _count(done, written=written)])


def full(done: Done, *, written: bool) -> str:
    """The differences, and each leftover with its line of code and a mark below the place."""
    return _printed(done, block, written=written)


def concise(done: Done, *, written: bool) -> str:
    """The differences, and one line a leftover."""
    return _printed(done, line, written=written)


def as_json(done: Done, *, written: bool) -> str:
    """One document with each file's difference and leftovers."""
    files = [
        {
            "filename": each.path,
            "changed": each.changed,
            "written": written and each.changed > 0,
            "diff": each.diff,
            "leftovers": [_object(left) for left in each.leftovers],
        }
        for each in done
    ]
    return json.dumps({"schema": 1, "files": files}, indent=2)


def _object(left: Leftover) -> dict[str, Any]:
    found = as_object(left)
    del found["fixable"]
    return {**found, "torch_name": left.torch_name}


def as_github(done: Done, *, written: bool) -> str:
    """Commands of a workflow that annotate the lines of leftovers."""
    del written
    return github(_left(done))


def sarif(done: Done, *, written: bool) -> str:
    """A SARIF 2.1.0 log of the leftovers."""
    del written
    return sarif_log(_left(done), CODES)


FORMS: dict[str, Callable[..., str]] = {
    "full": full,
    "concise": concise,
    "json": as_json,
    "github": as_github,
    "sarif": sarif,
}
