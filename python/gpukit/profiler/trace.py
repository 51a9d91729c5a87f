"""A recording in the Trace Event Format, which Perfetto and chrome://tracing read.

Host calls are complete events of the process and its thread, nested as they were called; the lines
of the program are a separate track. A device is a separate process whose threads are its
streams. Flows lead from an operator to its device work (ac2g), and from an operator to its
derivative (fwdbwd).

A simulated device's work is on a virtual clock, which has nothing to do with the host's. Its tracks
say so, and begin where the host's end, so that no distance between the two can be read.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpukit.profiler.calls import DERIVATIVE, MODULE, OPERATOR, RANGE, WAIT, Call, DeviceWork
from gpukit.profiler.recorder import Recording

_CATEGORIES = {
    OPERATOR: "cpu_op",
    DERIVATIVE: "cpu_op",
    RANGE: "user_annotation",
    MODULE: "python_function",
    WAIT: "cuda_runtime",
}
_LINES_TRACK = 1 << 30  # above every thread id of Linux
_DEVICE_PROCESS = 1 << 23  # above every process id of Linux
_Point = dict[str, float]  # pid, tid, ts
_SIMULATED = "simulated: a virtual clock, no time of a GPU"


def document(recordings: list[Recording], metadata: dict[str, Any], name: str) -> dict[str, Any]:
    """The whole file as JSON's objects. Timestamps are microseconds after the first start."""
    base = recordings[0].start
    events: list[dict[str, Any]] = []
    for recording in recordings:
        events += _Track(recording, base).events()
    simulated = any(work.simulated for each in recordings for work in each.device_work)
    return {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": recordings[0].epoch,
        "deviceProperties": _devices(recordings),
        **({"simulated": _SIMULATED} if simulated else {}),
        **metadata,
        "traceName": name,
        "traceEvents": _unique_metadata(events),
    }


def write(path: str, made: dict[str, Any]) -> None:
    """Writes the file, compressed where its name ends with .gz."""
    text = json.dumps(made, default=str)
    if path.endswith(".gz"):
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.write(text)
    else:
        Path(path).write_text(text, encoding="utf-8")


def _devices(recordings: list[Recording]) -> list[dict[str, Any]]:
    from gpukit import cuda
    from gpukit.errors import GpukitError

    found: dict[int, dict[str, Any]] = {}
    for recording in recordings:
        for work in recording.device_work:
            if work.device in found:
                continue
            found[work.device] = {"id": work.device, "simulated": work.simulated}
            try:
                properties = cuda.get_device_properties(work.device)
            except GpukitError:  # a simulation that has ended
                continue
            found[work.device] |= {
                "name": properties.name,
                "totalGlobalMem": properties.total_memory,
                "computeMajor": properties.major,
                "computeMinor": properties.minor,
            }
    return list(found.values())


def _unique_metadata(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    seen = set()
    kept = []
    for event in events:
        if event["ph"] == "M":
            key = (event["name"], event["pid"], event["tid"])
            if key in seen:
                continue
            seen.add(key)
        kept.append(event)
    return kept


class _Track:
    """The events of one recording."""

    def __init__(self, recording: Recording, base: int) -> None:
        self._recording = recording
        self._offset = recording.start - base
        self._process = os.getpid()
        self._thread = recording.thread
        self._ids = {id(call): number for number, call in enumerate(recording.calls, 1)}
        self._first_flow = self._offset * 2  # unique among recordings

    def events(self) -> list[dict[str, Any]]:
        """Metadata, calls, lines, device work, flows, memory."""
        made = list(self._names())
        made += [self._call(call) for call in self._recording.calls]
        made += self._lines()
        made += [self._work(work) for work in self._recording.device_work]
        made += self._device_flows()
        made += self._derivative_flows()
        made += self._memory()
        return made

    def _us(self, nanoseconds: int) -> float:
        return (nanoseconds + self._offset) / 1000

    def _host_us(self, when: int) -> float:
        return self._us(when - self._recording.start)

    def _work_us(self, work: DeviceWork, when: int) -> float:
        """A virtual clock starts after the host's time."""
        if work.simulated:
            when += self._recording.end - self._recording.start
        return self._us(when)

    def _names(self) -> Iterator[dict[str, Any]]:
        process, thread = self._process, self._thread
        yield _meta("process_name", process, 0, name="python")
        yield _meta("process_labels", process, 0, labels="CPU")
        yield _meta("process_sort_index", process, 0, sort_index=process)
        yield _meta("thread_name", process, thread, name=f"thread {thread} ({self._thread_name})")
        yield _meta("thread_sort_index", process, thread, sort_index=thread)
        lines = thread + _LINES_TRACK
        yield _meta("thread_name", process, lines, name=f"lines of thread {thread}")
        yield _meta("thread_sort_index", process, lines, sort_index=thread)
        streams = {(w.device, w.stream): w.simulated for w in self._recording.device_work}
        for (device, stream), simulated in sorted(streams.items()):
            number = _DEVICE_PROCESS + device
            name = f"simulated GPU {device}" if simulated else f"GPU {device}"
            yield _meta("process_name", number, 0, name=name)
            yield _meta("process_labels", number, 0, labels=_SIMULATED if simulated else name)
            yield _meta("process_sort_index", number, 0, sort_index=number)
            stream_name = f"stream {stream}" + (" (virtual clock)" if simulated else "")
            yield _meta("thread_name", number, stream, name=stream_name)
            yield _meta("thread_sort_index", number, stream, sort_index=stream)

    @property
    def _thread_name(self) -> str:
        return self._recording.thread_name

    def _call(self, call: Call) -> dict[str, Any]:
        start = self._host_us(call.start)
        arguments: dict[str, Any] = {"External id": self._ids[id(call)]}
        if call.sequence >= 0:
            arguments["Sequence number"] = call.sequence
        if call.shapes:
            arguments |= {"Input Dims": call.shapes, "Input type": call.types}
        if call.place[0]:
            arguments["Line"] = _line_name(call.place)
        if call.stack:
            arguments["Call stack"] = ";".join(reversed(call.stack))
        if call.note:
            arguments["Note"] = call.note
        return {
            "ph": "X",
            "cat": _CATEGORIES[call.kind],
            "name": call.name,
            "pid": self._process,
            "tid": self._thread,
            "ts": start,
            "dur": round(self._host_us(call.end) - start, 3),
            "args": arguments,
        }

    def _lines(self) -> Iterator[dict[str, Any]]:
        """One event for each run of outermost operators that one line of the program called."""
        runs: list[list[Any]] = []
        for call in self._recording.calls:
            if call.kind == RANGE or not call.place[0]:
                continue
            if call.parent is not None and call.parent.kind != RANGE:
                continue
            if runs and runs[-1][0] == call.place and runs[-1][3] is call.parent:
                runs[-1][2] = max(call.end, runs[-1][2])
            elif not runs or call.start >= runs[-1][2]:
                runs.append([call.place, call.start, call.end, call.parent])
        for place, start, end, _ in runs:
            yield {
                "ph": "X",
                "cat": "python_line",
                "name": _line_name(place),
                "pid": self._process,
                "tid": self._thread + _LINES_TRACK,
                "ts": self._host_us(start),
                "dur": round(self._host_us(end) - self._host_us(start), 3),
                "args": {"file": place[0], "line": place[1], "function": place[2]},
            }

    def _work(self, work: DeviceWork) -> dict[str, Any]:
        start = self._work_us(work, work.start)
        arguments: dict[str, Any] = {"device": work.device, "stream": work.stream}
        if work.bytes:
            arguments["bytes"] = work.bytes
        if work.owner is not None:
            arguments["External id"] = self._ids[id(work.owner)]
        arguments["clock"] = _SIMULATED if work.simulated else "events around the operator"
        return {
            "ph": "X",
            "cat": "gpu_memcpy" if work.is_copy else "kernel",
            "name": work.name,
            "pid": _DEVICE_PROCESS + work.device,
            "tid": work.stream,
            "ts": start,
            "dur": round(self._work_us(work, work.end) - start, 3),
            "args": arguments,
        }

    def _device_flows(self) -> Iterator[dict[str, Any]]:
        number = self._first_flow
        for work in self._recording.device_work:
            if work.owner is None:
                continue
            number += 1
            begin = self._host_us(work.owner.start)
            end = self._work_us(work, work.start)
            source = {"pid": self._process, "tid": self._thread, "ts": begin}
            target = {"pid": _DEVICE_PROCESS + work.device, "tid": work.stream, "ts": end}
            yield from _flow("ac2g", number, source, target)

    def _derivative_flows(self) -> Iterator[dict[str, Any]]:
        forward = {
            call.number: call
            for call in self._recording.calls
            if call.kind == OPERATOR and call.sequence == call.number
        }
        number = self._first_flow + len(self._recording.device_work)
        host = {"pid": self._process, "tid": self._thread}
        for call in self._recording.calls:
            if call.kind != DERIVATIVE or call.sequence not in forward:
                continue
            number += 1
            begin = self._host_us(forward[call.sequence].start)
            end = self._host_us(call.start)
            yield from _flow("fwdbwd", number, {**host, "ts": begin}, {**host, "ts": end})

    def _memory(self) -> Iterator[dict[str, Any]]:
        for sample in self._recording.memory:
            where = "CPU" if sample.device < 0 else f"cuda:{sample.device}"
            when = self._host_us(sample.when)
            yield {
                "ph": "C",
                "name": f"allocated bytes, {where}",
                "pid": self._process,
                "tid": self._thread,
                "ts": when,
                "args": {"bytes": sample.total},
            }
            yield {
                "ph": "i",
                "s": "t",
                "cat": "cpu_instant_event",
                "name": "[memory]",
                "pid": self._process,
                "tid": self._thread,
                "ts": when,
                "args": {
                    "Total Allocated": sample.total,
                    "Bytes": sample.change,
                    "Device Type": int(sample.device >= 0),
                    "Device Id": sample.device,
                },
            }


def _meta(kind: str, process: int, thread: int, **arguments: Any) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "ts": 0, "args": arguments}


def _flow(name: str, number: int, begin: _Point, end: _Point) -> Iterator[dict[str, Any]]:
    """An arrow between two complete events; each end binds to the event that begins there."""
    shared = {"id": number, "cat": name, "name": name}
    yield {"ph": "s", **shared, **begin}
    yield {"ph": "f", "bp": "e", **shared, **end}


def _line_name(place: tuple[str, int, str]) -> str:
    return f"{Path(place[0]).name}:{place[1]} {place[2]}"
