"""gpukit.profiler.profile: record a part of a program, then sum it up or export it."""

from __future__ import annotations

import json
import sys
import uuid
import warnings
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from gpukit.errors import ArgumentError, GpukitError, GpukitWarning
from gpukit.profiler import trace
from gpukit.profiler.events import events_of
from gpukit.profiler.plan import (
    RECORDING,
    ProfilerAction,
    ProfilerActivity,
    activities_of,
    always,
)
from gpukit.profiler.recorder import Options, Recorder, Recording, recorders
from gpukit.profiler.table import EventList, Shown

if TYPE_CHECKING:
    from typing_extensions import Self

    from gpukit.profiler.calls import Call

_SIMULATED_NOTE = (
    "Times of sim. CUDA come from a simulated device's virtual clock; they are not GPU times."
)
_NO_TIMELINE = (
    "export_memory_timeline: gpukit's profile has no categories of memory. "
    "export_chrome_trace() has the bytes over time where profile_memory=True"
)


class profile:
    """Record what this thread does: operators, derivatives, GPU work, waits, lines, memory.

    A context manager, or start() and stop(). Nothing is recorded, and nothing costs time, outside
    of it. While it records, an operator costs a few microseconds more. On a real GPU the times of
    its work are those between CUDA events around each operator; on a simulated one they are of the
    virtual clock, and are marked.

    Args:
        activities: A list of ProfilerActivity.CPU and ProfilerActivity.CUDA; None is
            `supported_activities()`.
        schedule: What to do at each step, from `profiler.schedule`; None records all.
        on_trace_ready: Called with the profile at the end of each recorded cycle.
        record_shapes: Note the shapes of arguments.
        profile_memory: Note the bytes that calls allocate and release.
        with_stack: Note the frames of the program, and modules.
        with_flops: Note floating-point operations, as `gpukit.bench` counts them.
        with_modules: Record calls of modules; they are in the trace.
        experimental_config: Accepted for compatibility with PyTorch and ignored, with a warning.
        execution_trace_observer: Ignored, with a warning.
        acc_events: Keep the events of earlier cycles.
        use_cuda: As torch: True adds ProfilerActivity.CUDA, False removes it.
        custom_trace_id_callback: Returns the id of a cycle's trace; None means a random one.
        post_processing_timeout_s: Ignored, with a warning.

    Raises:
        ArgumentError: An activity that gpukit cannot record.
        TypeError: An argument of another type.
        GpukitError: The thread is being profiled already.

    Example:
        >>> import gpukit
        >>> from gpukit.profiler import profile, ProfilerActivity
        >>> x = gpukit.ones(64, 64)
        >>> with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
        ...     y = (x @ x).relu()
        >>> [(row.key, row.count) for row in p.key_averages()]
        [('gpukit::matmul', 1), ('gpukit::relu', 1)]
        >>> print(p.key_averages().table(sort_by="cpu_time_total"))  # doctest: +ELLIPSIS
        --...Name...Self CPU...# of Calls...
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities = activities_of(activities)
        if use_cuda is not None:
            change = self.activities.add if use_cuda else self.activities.discard
            change(ProfilerActivity.CUDA)
        _check_callable("schedule", schedule)
        _check_callable("on_trace_ready", on_trace_ready)
        _check_callable("custom_trace_id_callback", custom_trace_id_callback)
        _warn_of_ignored(
            experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer,
            post_processing_timeout_s=post_processing_timeout_s,
        )
        self._options = Options(
            gpus=ProfilerActivity.CUDA in self.activities,
            shapes=record_shapes,
            memory=profile_memory,
            stack=with_stack,
            flops=with_flops,
            modules=with_modules or with_stack,
        )
        self.schedule = schedule or always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.acc_events = acc_events
        self.step_num = 0
        self.current_action = ProfilerAction.NONE
        self._make_id = custom_trace_id_callback or (lambda: str(uuid.uuid4()).upper())
        self._trace_id = ""
        self._metadata: dict[str, Any] = {}
        self._recorder: Recorder | None = None
        self._recordings: list[Recording] = []
        self._step: Call | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Begin with step 0."""
        if recorders():
            raise GpukitError("profile: this thread is being profiled; end that profile first")
        self.step_num = 0
        self._set_action(self.schedule(0))
        self._open_step()

    def step(self) -> None:
        """Say that the next step of the program begins."""
        self._close_step()
        self.step_num += 1
        self._set_action(self.schedule(self.step_num))
        self._open_step()

    def stop(self) -> None:
        """End; a cycle that is being recorded is kept and handed to `on_trace_ready`."""
        self._close_step()
        if self.current_action in RECORDING:
            self._keep()
        self._drop()
        self.current_action = ProfilerAction.NONE

    def _set_action(self, action: ProfilerAction) -> None:
        if not isinstance(action, ProfilerAction):
            raise TypeError(f"profile: schedule must return a ProfilerAction, got {action!r}")
        before, self.current_action = self.current_action, action
        if before is ProfilerAction.RECORD and action not in RECORDING:
            text = f"profile: schedule goes from RECORD to {action.name}; the cycle is not kept"
            warnings.warn(text, GpukitWarning, stacklevel=3)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._keep()
        if action is ProfilerAction.NONE or (action in RECORDING and before not in RECORDING):
            self._drop()  # a warm-up is discarded
        if action is not ProfilerAction.NONE and self._recorder is None:
            self._recorder = Recorder(self._options)
            self._recorder.start()

    def _keep(self) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        recording = recorder.stop()
        self._recordings = [*self._recordings, recording] if self.acc_events else [recording]
        self._trace_id = str(self._make_id())
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _drop(self) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.stop()

    def _open_step(self) -> None:
        if self.record_steps and self._recorder is not None:
            frame = sys._getframe(2)  # noqa: SLF001
            self._step = self._recorder.open_range(f"ProfilerStep#{self.step_num}", frame)

    def _close_step(self) -> None:
        step, self._step = self._step, None
        if step is not None and self._recorder is not None:
            self._recorder.close_range(step)

    def _kept(self) -> list[Recording]:
        if not self._recordings:
            raise GpukitError(
                "profile: nothing is recorded yet: it ends with the `with` block, with stop(), or "
                "with the last active step of a schedule"
            )
        return self._recordings

    def events(self) -> EventList:
        """Return the recorded calls and device work, in the order of their beginning.

        Raises:
            GpukitError: Nothing is recorded yet.
        """
        kept = self._kept()
        found = events_of(
            kept,
            cpu=ProfilerActivity.CPU in self.activities,
            gpus=ProfilerActivity.CUDA in self.activities,
        )
        notes = [note for recording in kept for note in recording.notes]
        if any(event.simulated for event in found):
            notes.insert(0, _SIMULATED_NOTE)
        return EventList(found, Shown(self._options.memory, self._options.flops, tuple(notes)))

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return the sums by name, and by shapes and frames where asked for.

        Args:
            group_by_input_shape: A row for each name and shapes; needs `record_shapes=True`.
            group_by_stack_n: A row for each name and this many inner frames; needs
                `with_stack=True`.
            group_by_overload_name: Accepted for compatibility with PyTorch and ignored.

        Raises:
            GpukitError: Nothing is recorded yet.
        """
        events = self.events()
        return events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(
        self,
        path: str,
        use_python_export: bool = False,  # noqa: ARG002 (torch's)
    ) -> None:
        """Write the Trace Event Format for Perfetto or chrome://tracing.

        Args:
            path: The file; one that ends with `.gz` is compressed.
            use_python_export: Accepted for compatibility with PyTorch and ignored.

        Raises:
            GpukitError: Nothing is recorded yet.
        """
        trace.write(str(path), trace.document(self._kept(), self._metadata, str(path)))

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks and their microseconds for flame graphs; needs `with_stack=True`.

        Args:
            path: The file.
            metric: "self_cpu_time_total" or "self_cuda_time_total".

        Raises:
            ArgumentError: Another metric, or no stacks were recorded.
        """
        self.events().export_stacks(str(path), metric)

    def export_memory_timeline(
        self,
        path: str,  # noqa: ARG002 (torch's)
        device: str | None = None,  # noqa: ARG002
    ) -> NoReturn:
        """Not there; raise GpukitError with what to use instead.

        Args:
            path: The file.
            device: The device.

        Raises:
            GpukitError: Always.
        """
        raise GpukitError(_NO_TIMELINE)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a text to the trace's file.

        Args:
            key: Its name.
            value: The text.
        """
        self._metadata[str(key)] = str(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add JSON to the trace's file.

        Args:
            key: Its name.
            value: JSON as text.

        Raises:
            ValueError: `value` cannot be written as JSON.
        """
        self._metadata[str(key)] = json.loads(value)

    def get_trace_id(self) -> str:
        """Return the id of the latest cycle's trace, "" before there is one."""
        return self._trace_id


def _check_callable(name: str, value: object) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"profile: {name} must be a function, got {type(value).__name__}")


def _warn_of_ignored(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            text = f"profile: {name} is accepted for compatibility with PyTorch and ignored"
            warnings.warn(text, GpukitWarning, stacklevel=3)


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,
    use_python_export: bool = False,  # noqa: ARG001 (torch's)
) -> Callable[[profile], None]:
    """Return an `on_trace_ready` that writes each cycle's trace into a folder for TensorBoard.

    Args:
        dir_name: The folder; it is made if missing.
        worker_name: The beginning of the file's name; None means host and process.
        use_gzip: Compress the files.
        use_python_export: Accepted for compatibility with PyTorch and ignored.

    Returns:
        A function of a profile.

    Raises:
        ArgumentError: The folder's name is a file's.

    Example:
        >>> import gpukit, tempfile, os
        >>> from gpukit.profiler import profile, tensorboard_trace_handler
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with profile(on_trace_ready=tensorboard_trace_handler(folder)):
        ...         y = gpukit.ones(3) * 2
        ...     [name.endswith(".pt.trace.json") for name in os.listdir(folder)]
        [True]
    """
    import os
    import socket
    import time
    from pathlib import Path

    folder = Path(dir_name)

    def write(finished: profile) -> None:
        if folder.exists() and not folder.is_dir():
            raise ArgumentError(f"tensorboard_trace_handler: {dir_name!r} is a file")
        folder.mkdir(parents=True, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        finished.export_chrome_trace(str(folder / name))

    return write
