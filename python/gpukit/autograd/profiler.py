"""`gpukit.autograd.profiler`: the profiler under the older of torch's two names."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from gpukit._names.suggest import module_getattr
from gpukit.profiler import ProfilerActivity, record_function, supported_activities
from gpukit.profiler import profile as _profile
from gpukit.profiler.table import EventList

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["profile", "record_function"]

__getattr__ = module_getattr(__name__)


class profile:
    """Record what this thread does, as `gpukit.profiler.profile` without steps.

    Args:
        enabled: False records nothing.
        use_cuda: Record the work of GPUs; None where there is one.
        record_shapes: Note the shapes of arguments.
        with_flops: Note floating-point operations.
        profile_memory: Note the bytes that calls allocate and release.
        with_stack: Note the frames of the program, and modules.
        with_modules: Record calls of modules.
        use_cpu: False leaves the host's calls out of the tables.

    Raises:
        GpukitError: The thread is being profiled already.

    Example:
        >>> import gpukit
        >>> import gpukit.autograd.profiler as profiler
        >>> with profiler.profile() as p:
        ...     y = gpukit.ones(3) * 2
        >>> [row.key for row in p.key_averages()]
        ['gpukit::ones', 'gpukit::mul']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_cpu: bool = True,
    ) -> None:
        wanted = {ProfilerActivity.CPU} if use_cpu else set()
        if ProfilerActivity.CUDA in supported_activities() if use_cuda is None else use_cuda:
            wanted.add(ProfilerActivity.CUDA)
        self.enabled = enabled
        self._profile = _profile(
            activities=wanted,
            record_shapes=record_shapes,
            with_flops=with_flops,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_modules=with_modules,
        )

    def __enter__(self) -> Self:
        if self.enabled:
            self._profile.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        if self.enabled:
            self._profile.stop()

    def __str__(self) -> str:
        return str(self.function_events) if self.enabled else "<a profile that is not enabled>"

    @property
    def function_events(self) -> EventList:
        """The recorded calls and device work. GpukitError before the end."""
        return self._profile.events()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of the host in all calls, each counted once."""
        return self.function_events.self_cpu_time_total

    def key_averages(self, *arguments: Any, **options: Any) -> EventList:
        """As `gpukit.profiler.profile.key_averages`."""
        return self._profile.key_averages(*arguments, **options)

    def total_average(self) -> Any:
        """All events together, named "Total"."""
        return self.function_events.total_average()

    def table(self, *arguments: Any, **options: Any) -> str:
        """The table of all events; arguments as of `EventList.table`."""
        return self.function_events.table(*arguments, **options)

    def export_chrome_trace(self, path: str) -> None:
        """Write the Trace Event Format for Perfetto or chrome://tracing."""
        self._profile.export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks and their microseconds for flame graphs; needs `with_stack=True`."""
        self._profile.export_stacks(path, metric)
