"""Readings that may hang, in threads that can be abandoned: no caller waits for a hung driver."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpukit.monitor.nvml import Library, NvmlFault

STEP_SECONDS = 0.35
TOTAL_SECONDS = 0.8


@dataclass(frozen=True)
class Step:
    """One NVML call and the fields that it returns. `read` takes the handle of the GPU."""

    call: str
    fields: tuple[str, ...]
    read: Callable[[Any], dict[str, Any]]


def ask(nvml: Library, call: str, seconds: float) -> Any:
    """The result of a call without a GPU; NvmlFault if it fails or takes longer.

    A call that has not returned since an earlier time is not made again.
    """
    return within(nvml, call, seconds, lambda: nvml.call(call))


def within(nvml: Library, call: str, seconds: float, job: Callable[[], Any]) -> Any:
    """The job's result; NvmlFault when it fails or takes longer."""
    since = nvml.stuck.get(call)
    if since is not None:
        raise NvmlFault(_timeout_text(call, since))
    answer: list[Any] = []
    fault: list[NvmlFault] = []

    def run() -> None:
        try:
            answer.append(job())
        except NvmlFault as error:
            fault.append(error)
        nvml.stuck.pop(call, None)

    started = time.monotonic()
    thread = threading.Thread(target=run, name="gpukit-nvml", daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if fault:
        raise fault[0]
    if answer:
        return answer[0]
    nvml.stuck[call] = started
    if not thread.is_alive():  # it came back between the two lines
        nvml.stuck.pop(call, None)
    raise NvmlFault(_timeout_text(call, started))


class Reader:
    """The steps of one GPU, and which of them have not returned since an earlier reading."""

    def __init__(self, handle: Step, steps: Sequence[Step]) -> None:
        self.handle = handle
        self.steps = steps
        self.stuck: dict[str, float] = {}

    def begin(self) -> Reading:
        """Start reading."""
        return Reading(self)


class Reading:
    """One pass over the steps, in its own thread. A step that hangs is left to that thread."""

    def __init__(self, reader: Reader) -> None:
        self.values: dict[str, Any] = {}
        self.missing: dict[str, str] = {}
        self.missing_status: dict[str, int] = {}
        self.fields = [name for step in reader.steps for name in step.fields]
        self._reader = reader
        self._todo = deque([reader.handle, *reader.steps])
        self._handle: Any = None
        self._lock = threading.Lock()
        self._owner = 0  # the thread that may write; older ones hang somewhere
        self._current: Step | None = None
        self._since = 0.0
        self._done = threading.Event()
        self._start_thread()

    def _start_thread(self) -> None:
        name = "gpukit-nvml"
        threading.Thread(target=self._run, args=(self._owner,), name=name, daemon=True).start()

    def _run(self, me: int) -> None:
        while (step := self._next(me)) is not None:
            try:
                values, failed = step.read(self._handle), None
            except NvmlFault as fault:
                values, failed = {}, fault
            if not self._store(me, step, values, failed):
                return
        if self._owner == me:
            self._done.set()

    def _next(self, me: int) -> Step | None:
        """The next step to do; None when there is none, or when it is another thread's turn."""
        with self._lock:
            while self._owner == me and self._todo:
                step = self._todo.popleft()
                since = self._reader.stuck.get(step.call)
                if since is None:
                    self._current, self._since = step, time.monotonic()
                    return step
                self._miss(step, NvmlFault(_timeout_text(step.call, since)))
            self._current = None
            return None

    def _store(self, me: int, step: Step, values: dict[str, Any], failed: NvmlFault | None) -> bool:
        with self._lock:
            if self._owner != me:  # this thread was abandoned, and now it has returned
                self._reader.stuck.pop(step.call, None)
                return False
            self._current = None
            if failed is not None:
                self._miss(step, failed)
            elif step is self._reader.handle:
                self._handle = values["handle"]
            else:
                self.values.update(values)
            return True

    def _miss(self, step: Step, fault: NvmlFault) -> None:
        """Note why the step's fields are missing; without a handle that is all of them."""
        self._note(step, fault)
        if step is self._reader.handle:
            for other in self._todo:
                self._note(other, fault)
            self._todo.clear()

    def _note(self, step: Step, fault: NvmlFault) -> None:
        self.missing.update(dict.fromkeys(step.fields, fault.reason))
        if fault.code:
            self.missing_status.update(dict.fromkeys(step.fields, fault.code))

    def _replace_stuck_thread(self) -> None:
        """Abandon a step that has taken too long, and continue with the next in a new thread."""
        with self._lock:
            step = self._current
            if step is None or time.monotonic() - self._since < STEP_SECONDS:
                return
            self._reader.stuck[step.call] = self._since
            self._current = None
            self._owner += 1
            self._miss(step, NvmlFault(_timeout_text(step.call, self._since)))
            if not self._todo:
                self._done.set()
                return
        self._start_thread()

    def finish(self, deadline: float) -> None:
        """Wait for the end, or for the deadline: what is not read by then has its reason."""
        while not self._done.wait(min(0.05, max(0.0, deadline - time.monotonic()))):
            self._replace_stuck_thread()
            if time.monotonic() >= deadline:
                break
        with self._lock:
            if self._done.is_set():
                return
            self._owner += 1
            if self._current is not None:
                self._reader.stuck[self._current.call] = self._since
                hanging = _timeout_text(self._current.call, self._since)
                self._miss(self._current, NvmlFault(hanging))
            for step in self._todo:
                self._note(step, NvmlFault("NVML took too long"))
            self._todo.clear()
            self._done.set()


def _timeout_text(call: str, since: float) -> str:
    return f"{call} has not responded for {time.monotonic() - since:.1f} s"
