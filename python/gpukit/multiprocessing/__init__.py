"""The standard library's multiprocessing, with CPU tensors whose memory the processes share.

A tensor that goes to another process, as an argument, through a Queue, a Pipe or a Pool, is moved
into shared memory: both processes then have the same elements, and see each other's changes in
place. A tensor on a GPU is copied.
"""

from __future__ import annotations

from multiprocessing import (
    Array,
    AuthenticationError,
    Barrier,
    BoundedSemaphore,
    BufferTooShort,
    Condition,
    Event,
    JoinableQueue,
    Lock,
    Manager,
    Pipe,
    Pool,
    Process,
    ProcessError,
    Queue,
    RawArray,
    RawValue,
    RLock,
    Semaphore,
    SimpleQueue,
    TimeoutError,  # noqa: A004 (multiprocessing's)
    Value,
    active_children,
    allow_connection_pickling,
    cpu_count,
    current_process,
    freeze_support,
    get_all_start_methods,
    get_context,
    get_logger,
    get_start_method,
    log_to_stderr,
    parent_process,
    set_executable,
    set_forkserver_preload,
    set_start_method,
)

from gpukit import _shared_memory
from gpukit._names.suggest import module_getattr
from gpukit.errors import ArgumentError
from gpukit.multiprocessing._spawning import (
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)
from gpukit.nn.parameter import Parameter

__all__ = [
    "Array",
    "AuthenticationError",
    "Barrier",
    "BoundedSemaphore",
    "BufferTooShort",
    "Condition",
    "Event",
    "JoinableQueue",
    "Lock",
    "Manager",
    "Pipe",
    "Pool",
    "Process",
    "ProcessContext",
    "ProcessError",
    "ProcessExitedException",
    "ProcessRaisedException",
    "Queue",
    "RLock",
    "RawArray",
    "RawValue",
    "Semaphore",
    "SimpleQueue",
    "SpawnContext",
    "TimeoutError",
    "Value",
    "active_children",
    "allow_connection_pickling",
    "cpu_count",
    "current_process",
    "freeze_support",
    "get_all_sharing_strategies",
    "get_all_start_methods",
    "get_context",
    "get_logger",
    "get_sharing_strategy",
    "get_start_method",
    "log_to_stderr",
    "parent_process",
    "set_executable",
    "set_forkserver_preload",
    "set_sharing_strategy",
    "set_start_method",
    "spawn",
    "start_processes",
]

_STRATEGIES = {"file_descriptor", "file_system"}
_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """Return the names that `set_sharing_strategy` takes.

    Example:
        >>> import gpukit.multiprocessing as mp
        >>> sorted(mp.get_all_sharing_strategies())
        ['file_descriptor', 'file_system']
    """
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """Return the name that was set, by default "file_descriptor".

    Example:
        >>> import gpukit.multiprocessing as mp
        >>> mp.get_sharing_strategy()
        'file_descriptor'
    """
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Choose how shared memory is passed; in any case it has no name and goes by its descriptor.

    Args:
        new_strategy: "file_descriptor", or "file_system", which programs choose where file
            descriptors run out: it raises this process's limit to what the system allows.

    Raises:
        ValueError: There is no such strategy.

    Example:
        >>> import gpukit.multiprocessing as mp
        >>> mp.set_sharing_strategy("file_descriptor")
    """
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise ArgumentError(
            f"set_sharing_strategy: new_strategy is {new_strategy!r}; use one of "
            f"{', '.join(sorted(_STRATEGIES))}"
        )
    if new_strategy == "file_system":
        import resource

        _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    _strategy = new_strategy


_shared_memory.register(Parameter)
__getattr__ = module_getattr(__name__)
