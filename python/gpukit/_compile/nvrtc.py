"""Chains as kernels that the CUDA compiler makes: for "nvrtc", and on real GPUs for None."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gpukit
from gpukit import _core
from gpukit._compile.choice import compiles_unasked
from gpukit._compile.cuda_source import EACH, RELEASE, THREADS, source_of
from gpukit._compile.group import Program, program_from
from gpukit.errors import CompileError, GpukitWarning

_MOST_KERNELS = 256
_MOST_ELEMENTS = 1 << 31  # indices of broadcast inputs have 32 bits
# What a process compiles without having been asked to; what comes later runs as operators.
_MOST_SECONDS = 20.0
_kernels: dict[str, Any] = {}  # by their source; the oldest go first
_Place = tuple[int, int, str]  # session, device, source
Code = Callable[[tuple[Any, ...], Any], "tuple[Any, ...] | None"]  # of inputs and their shape
_ready: dict[_Place, None] = {}
_failed: dict[_Place, None] = {}
_warned: list[str] = []
_spent = [0.0]  # seconds of compiling


@dataclass(frozen=True)
class _Call:
    source: str
    shape: tuple[int, ...]
    count: int
    divisor: int


class CompiledKernels:
    """A program's kernels, one for each way in which its inputs lie over the shape.

    Those that nobody asked for have to have the values of the wheel's kernels, so they are refused
    to a compiler of another release where they call functions of its library.
    """

    def __init__(self, program: Program, asked: bool) -> None:
        self._program, self._asked = program, asked
        self._sources: dict[tuple[str, ...], str | None] = {}

    def run(self, inputs: Sequence[Any], shape: Any = None) -> tuple[Any, ...] | None:
        """The results, of this shape or that of the inputs; None where something else runs."""
        call = self._call(inputs, shape)
        return None if call is None else self._launched(call, inputs)

    def are_ready(self, inputs: Sequence[Any]) -> bool:
        """Whether run() is likely to have results, or to compile what gives them."""
        call = self._call(inputs, None)
        return call is not None and self._may_run(_place(call, inputs))

    def _call(self, inputs: Sequence[Any], shape: Any) -> _Call | None:
        if shape is None:
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
        return _Call(source, tuple(shape), count, divisors.pop())

    def _source(self, kinds: tuple[str, ...]) -> str | None:
        if kinds not in self._sources:
            release = None if self._asked else RELEASE
            self._sources[kinds] = source_of(self._program, kinds, release)
        return self._sources[kinds]

    def _launched(self, call: _Call, inputs: Sequence[Any]) -> tuple[Any, ...] | None:
        device, place = inputs[0].device, _place(call, inputs)
        if not self._may_run(place):
            return None
        dtypes = [self._program.dtypes[value] for value in self._program.results]
        made = [_core.empty(call.shape, dtype=dtype, device=device) for dtype in dtypes]
        blocks = -(-call.count // (THREADS * EACH))
        started = time.monotonic()
        try:
            with _core.device(device):
                given = [x if x.is_contiguous() else x.as_strided((1,), (1,)) for x in inputs]
                arguments = (*given, *made, call.count, call.divisor, 0)
                _kernel(call.source)((blocks,), (THREADS,), arguments)
        except CompileError as error:
            _remember(_failed, place)
            _warn(error, self._asked)
            return None
        if place not in _ready:
            _remember(_ready, place)
            _spent[0] += time.monotonic() - started
        return tuple(made)

    def _may_run(self, place: _Place) -> bool:
        return place not in _failed and (place in _ready or self._may_compile())

    def _may_compile(self) -> bool:
        """A captured graph holds launches only, and code is loaded between launches."""
        in_time = self._asked or _spent[0] < _MOST_SECONDS
        return in_time and _core.current_graph() is None


class ProgramCompiler:
    """Makes the kernels of the programs that a recorded chain and its derivative are.

    `asked` is set by the backend that runs the chain; None compiles nothing.
    """

    asked: bool | None = None

    def __call__(self, dtypes: list[Any], steps: list[Any], results: list[int]) -> Code:
        """The code of one program."""
        kernels: dict[bool, CompiledKernels] = {}

        def run(inputs: tuple[Any, ...], shape: Any) -> tuple[Any, ...] | None:
            asked = self.asked
            if asked is None or not (asked or compiles_unasked()):
                return None
            if asked not in kernels:
                kernels[asked] = CompiledKernels(program_from(dtypes, steps, results), asked)
            recording = _core.is_grad_enabled()
            _core.set_grad_mode(False)  # the chain is what is recorded
            try:
                return kernels[asked].run(inputs, shape)
            finally:
                _core.set_grad_mode(recording)

        return run


def _place(call: _Call, inputs: Sequence[Any]) -> _Place:
    return _core.session_id(), inputs[0].device.index, call.source


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
    if tensor.numel() and not any(tensor.stride()):  # one element, expanded
        return ("single", 0)
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


def _remember(places: dict[_Place, None], place: _Place) -> None:
    """Of this session alone; the oldest go first."""
    for old in [each for each in list(places) if each[0] != place[0]]:
        places.pop(old, None)
    while len(places) >= _MOST_KERNELS:
        places.pop(next(iter(places)), None)
    places[place] = None


def _warn(error: CompileError, asked: bool) -> None:
    """Once: the chains run all the same."""
    if _warned:
        return
    _warned.append(str(error))
    if asked:
        text = "backend='nvrtc' cannot compile, the interpreting kernel runs"
    else:
        text = "chains on this GPU run operator by operator, since they cannot be compiled"
    warnings.warn(f"gpukit.compile: {text}: {error}", GpukitWarning, stacklevel=2)
