"""Steps captured once and replayed: `gpukit.cuda.graph`."""

from __future__ import annotations

import gc
from types import TracebackType
from typing import TYPE_CHECKING

from gpukit import _core
from gpukit._core import CUDAGraph
from gpukit.cuda._context import StreamContext, cuda_index, present_index, synchronize
from gpukit.cuda._memory import empty_cache

if TYPE_CHECKING:
    from typing_extensions import Self


def is_current_stream_capturing() -> bool:
    """Return True while this thread captures a graph.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.is_current_stream_capturing()
        False
    """
    return _core.current_graph() is not None


class graph:
    """Context manager: the GPU work of the block is captured into a graph, and not run.

    Each `cuda_graph.replay()` then runs all of it with one launch, on the memory that was used
    here: keep the input tensors and fill them with `copy_`. Run the step a few times before, so
    that kernels are loaded and optimizers have their states.

    Args:
        cuda_graph: The CUDAGraph to fill; empty, or after its reset().
        pool: None; each graph has its own memory.
        stream: The stream to capture on; a fresh one of the current device otherwise.
        capture_error_mode: Accepted for compatibility with PyTorch: "global", "thread_local" or
            "relaxed". gpukit captures by thread.

    Raises:
        DeviceNotFoundError: No usable GPU; its fix is what to do.
        ValueError: A pool: each graph has its own memory.
        DeviceError: In the block, for what cannot be captured (waiting, reading values, uploads of
            ordinary memory, a first step of an optimizer with states); at its end, when nothing
            was captured.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     x = gpukit.ones(3, device="cuda")
        ...     g = gpukit.cuda.CUDAGraph()
        ...     with gpukit.cuda.graph(g):
        ...         y = x * 2
        ...     _ = x.fill_(4)
        ...     g.replay()
        ...     y.tolist()
        [8.0, 8.0, 8.0]
    """

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: None = None,
        stream: _core.Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        if not isinstance(cuda_graph, CUDAGraph):
            raise TypeError(f"graph: cuda_graph must be a CUDAGraph, got {cuda_graph!r}")
        if pool is not None:
            raise ValueError("graph: each graph has its own memory; omit pool=")
        if capture_error_mode not in {"global", "thread_local", "relaxed"}:
            raise ValueError(
                "graph: capture_error_mode must be 'global', 'thread_local' or 'relaxed', got "
                f"{capture_error_mode!r}"
            )
        self.cuda_graph = cuda_graph
        self._given = stream
        self._context = StreamContext(stream)

    def __enter__(self) -> Self:
        given = self._given
        index = present_index("cuda.graph", None) if given is None else cuda_index("", given.device)
        if is_current_stream_capturing():
            self.cuda_graph.capture_begin()  # says what is wrong
        synchronize(index)
        gc.collect()
        empty_cache()
        self._context = StreamContext(_core.Stream() if given is None else given)
        self._context.__enter__()
        try:
            self.cuda_graph.capture_begin()
        except BaseException:
            self._context.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.cuda_graph.capture_end()
            else:
                self.cuda_graph.reset()
        finally:
            self._context.__exit__(kind, error, trace)
