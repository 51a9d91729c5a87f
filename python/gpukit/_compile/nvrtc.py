"""The backend "nvrtc": groups on GPUs as kernels that the CUDA compiler makes, where it is."""

from __future__ import annotations

import warnings
from typing import Any

import gpukit
from gpukit import _core
from gpukit._compile.cuda_source import EACH, THREADS, source_of
from gpukit._compile.group import Group
from gpukit._compile.trace import Trace
from gpukit.errors import CompileError, GpukitWarning

_MOST_KERNELS = 256
_MOST_ELEMENTS = 1 << 31  # indices of broadcast inputs have 32 bits
_kernels: dict[str, Any] = {}  # by their source; the oldest go first
_warned: list[str] = []


class CompiledKernels:
    """A group's kernels, one for each way in which its inputs lie over the shape."""

    def __init__(self, group: Group, trace: Trace) -> None:
        self._group, self._trace = group, trace
        self._sources: dict[tuple[str, ...], str | None] = {}

    def run(self, inputs: list[Any]) -> tuple[Any, ...] | None:
        """The results; None where the interpreting kernel is to do it."""
        if self._group.endings or any(each.requires_grad for each in inputs):
            return None
        shape = gpukit.broadcast_shapes(*(tuple(each.shape) for each in inputs))
        count = gpukit.Size(shape).numel()
        found = (_lies(each, tuple(shape)) for each in inputs)
        laid = [each for each in found if each is not None]
        if not 0 < count < _MOST_ELEMENTS or len(laid) < len(inputs):
            return None
        divisors = {divisor for _, divisor in laid if divisor} or {1}
        source = self._source(tuple(kind for kind, _ in laid))
        if source is None or len(divisors) > 1:
            return None
        return self._launched(source, inputs, tuple(shape), count, divisors.pop())

    def _source(self, kinds: tuple[str, ...]) -> str | None:
        if kinds not in self._sources:
            self._sources[kinds] = source_of(self._group, self._trace, kinds)
        return self._sources[kinds]

    def _launched(
        self, source: str, inputs: list[Any], shape: tuple[int, ...], count: int, divisor: int
    ) -> tuple[Any, ...] | None:
        device = inputs[0].device
        dtypes = [self._trace.facts[value].dtype for value in self._group.results]
        made = [_core.empty(shape, dtype=dtype, device=device) for dtype in dtypes]
        blocks = -(-count // (THREADS * EACH))
        try:
            with _core.device(device):
                _kernel(source)((blocks,), (THREADS,), (*inputs, *made, count, divisor, 0))
        except CompileError as error:
            _warn(error)
            return None
        return tuple(made)


def _kernel(source: str) -> Any:
    found = _kernels.get(source)
    if found is None:
        found = gpukit.cuda.RawKernel(source, "gk_chain", ("--std=c++17",))
        while len(_kernels) >= _MOST_KERNELS:
            _kernels.pop(next(iter(_kernels)), None)
        _kernels[source] = found
    return found


def _lies(tensor: Any, shape: tuple[int, ...]) -> tuple[str, int] | None:
    """How an input lies over the shape, and by what an index is divided; None for other ways."""
    own = tuple(tensor.shape)
    if not tensor.is_contiguous() or tensor.data_ptr() % 16:
        return None
    if own == shape:
        return ("full", 0)
    if tensor.numel() == 1:
        return ("single", 0)
    while own and own[0] == 1:
        own = own[1:]
    if own == shape[len(shape) - len(own) :]:
        return ("row", tensor.numel())
    kept = len(own)
    while kept and own[kept - 1] == 1:
        kept -= 1
    if len(own) == len(shape) and own[:kept] == shape[:kept]:
        return ("column", gpukit.Size(shape[kept:]).numel())
    return None


def _warn(error: CompileError) -> None:
    """Once: the chains run all the same."""
    if not _warned:
        _warned.append(str(error))
        text = (
            f"gpukit.compile: backend='nvrtc' cannot compile, the interpreting kernel runs: {error}"
        )
        warnings.warn(text, GpukitWarning, stacklevel=2)
