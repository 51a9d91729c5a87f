"""What the Trace Event Format asks of a file, and what a viewer needs to draw it right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# Phase -> what an event of it must have.
NEEDED = {
    "X": {"name", "cat", "ts", "dur", "pid", "tid"},
    "M": {"name", "pid", "tid", "args"},
    "s": {"name", "cat", "id", "ts", "pid", "tid"},
    "f": {"name", "cat", "id", "ts", "pid", "tid", "bp"},
    "C": {"name", "ts", "pid", "args"},
    "i": {"name", "ts", "pid", "tid", "s"},
}
METADATA = {
    "process_name": "name",
    "process_labels": "labels",
    "process_sort_index": "sort_index",
    "thread_name": "name",
    "thread_sort_index": "sort_index",
}


def read(path: Path) -> dict[str, Any]:
    """The file, as strict JSON: no NaN, no infinity."""

    def refuse(text: str) -> None:
        raise AssertionError(f"{text} is not JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def check(document: dict[str, Any]) -> None:
    """Raise AssertionError for what a viewer would refuse, drop or draw in the wrong place."""
    events = document["traceEvents"]
    assert document["displayTimeUnit"] in {"ms", "ns"}
    for event in events:
        _check_event(event)
    slices = slices_by_track(events)
    for track, found in slices.items():
        check_nesting(found, track)
    _check_flows(events, slices)
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert set(slices) <= named, "a track has no name"


def _check_event(event: dict[str, Any]) -> None:
    assert event["ph"] in NEEDED, event
    assert NEEDED[event["ph"]] <= set(event), event
    assert all(type(event[key]) is int for key in ("pid", "tid") if key in event), event
    if event["ph"] == "M":
        assert METADATA[event["name"]] in event["args"], event
        return
    assert isinstance(event["ts"], (int, float)), event
    assert event["ts"] >= 0, event
    if event["ph"] == "X":
        assert event["dur"] >= 0, event
    if event["ph"] == "C":
        assert all(isinstance(value, (int, float)) for value in event["args"].values()), event
    if event["ph"] == "i":
        assert event["s"] in {"t", "p", "g"}, event


def slices_by_track(events: list[dict[str, Any]]) -> dict[tuple[int, int], list[dict[str, Any]]]:
    """The complete events of each thread of each process."""
    found: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in events:
        if event["ph"] == "X":
            found.setdefault((event["pid"], event["tid"]), []).append(event)
    return found


def thousandths(event: dict[str, Any]) -> tuple[int, int]:
    """Begin and end in nanoseconds, without the rounding of floats."""
    begin = round(event["ts"] * 1000)
    return begin, begin + round(event["dur"] * 1000)


def check_nesting(slices: list[dict[str, Any]], track: Any = None) -> None:
    """Two slices of a track lie apart or one inside the other."""
    open_ends: list[int] = []
    for begin, negative_end in sorted((b, -e) for b, e in map(thousandths, slices)):
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        assert not open_ends or -negative_end <= open_ends[-1], f"slices cross on {track}"
        open_ends.append(-negative_end)


def _check_flows(
    events: list[dict[str, Any]], slices: dict[tuple[int, int], list[dict[str, Any]]]
) -> None:
    """Each flow has one begin and one end, forward in time, both at the begin of a slice."""
    flows: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for event in events:
        if event["ph"] in "sf":
            ends = flows.setdefault((event["cat"], event["id"]), {})
            assert event["ph"] not in ends, event
            ends[event["ph"]] = event
    for ends in flows.values():
        assert set(ends) == {"s", "f"}
        assert ends["s"]["ts"] <= ends["f"]["ts"], ends
        for end in ends.values():
            track = slices.get((end["pid"], end["tid"]), [])
            assert any(each["ts"] == end["ts"] for each in track), end


def flows(document: dict[str, Any], category: str) -> list[tuple[str, str]]:
    """The names of the slices that flows lead from and to: the longest that begins there."""
    events = document["traceEvents"]
    slices = slices_by_track(events)

    def name(end: dict[str, Any]) -> str:
        at = [s for s in slices[end["pid"], end["tid"]] if s["ts"] == end["ts"]]
        return max(at, key=lambda each: each["dur"])["name"]

    starts = {e["id"]: e for e in events if e["ph"] == "s" and e["cat"] == category}
    ends = {e["id"]: e for e in events if e["ph"] == "f" and e["cat"] == category}
    return [(name(starts[number]), name(ends[number])) for number in starts]
