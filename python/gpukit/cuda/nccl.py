"""`gpukit.cuda.nccl`: operations between the GPUs of one process, by NVIDIA's NCCL.

NCCL is looked for where torch's wheels put it, and is never required. Every operation is queued on
the current stream of each tensor's device and returns at once. Simulated GPUs have a simulated
NCCL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of
from gpukit._names.suggest import module_getattr
from gpukit._system.nccl_library import OPS, TYPES, Library, library
from gpukit.errors import ArgumentError, DistributedError, DTypeError, ShapeError

__all__ = [
    "all_gather",
    "all_reduce",
    "broadcast",
    "is_available",
    "reduce",
    "reduce_scatter",
    "version",
]

__getattr__ = module_getattr(__name__)

Tensor = _core.Tensor


def is_available(tensors: Sequence[Any] = ()) -> bool:
    """Whether NCCL can be opened, and takes these tensors.

    Args:
        tensors: what an operation would be called with.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     gpukit.cuda.nccl.is_available()
        True
    """
    try:
        library()
        if len(tensors):
            _checked("is_available", "tensors", tensors)
    except (DistributedError, ArgumentError, DTypeError, TypeError):
        return False
    return True


def version() -> tuple[int, int, int]:
    """NCCL's version.

    Raises:
        DistributedError: there is no NCCL.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     gpukit.cuda.nccl.version()
        (2, 27, 3)
    """
    number = library().version
    return number // 10000, number % 10000 // 100, number % 100


def all_reduce(inputs: Sequence[Tensor], outputs: Any = None, op: str = "sum") -> None:
    """Give every GPU the sum, or another `op`, of all tensors.

    Args:
        inputs: one contiguous tensor a GPU, of one dtype and number of elements.
        outputs: what receives the results, one a GPU; None is the inputs themselves.
        op: "sum", "product", "max", "min" or "avg".

    Raises:
        DistributedError: there is no NCCL, or it failed.
        ArgumentError: a tensor is not on a GPU, two are on one, one is strided; op is unknown.
        DTypeError: NCCL has no such dtype.
        ShapeError: the numbers of elements differ.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     parts = [gpukit.full((2,), i + 1.0, device=f"cuda:{i}") for i in range(2)]
        ...     gpukit.cuda.nccl.all_reduce(parts)
        ...     parts[1].tolist()
        [3.0, 3.0]
    """
    given, received = _pairs("all_reduce", inputs, outputs)
    _queue("ncclAllReduce", given, received, _op("all_reduce", op))


def reduce(inputs: Sequence[Tensor], output: Any = None, root: int = 0, op: str = "sum") -> None:
    """Give one GPU the sum, or another `op`, of all tensors.

    Args:
        inputs: one contiguous tensor a GPU, of one dtype and number of elements.
        output: what receives the result, on the GPU of inputs[root]; None is that tensor itself.
        root: which of the inputs' GPUs receives.
        op: "sum", "product", "max", "min" or "avg".

    Raises:
        DistributedError: there is no NCCL, or it failed.
        ArgumentError: root is none of the inputs; and as all_reduce.
        DTypeError: NCCL has no such dtype.
        ShapeError: the numbers of elements differ.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     parts = [gpukit.ones(2, device=f"cuda:{i}") for i in range(2)]
        ...     gpukit.cuda.nccl.reduce(parts)
        ...     parts[0].tolist(), parts[1].tolist()
        ([2.0, 2.0], [1.0, 1.0])
    """
    given = _checked("reduce", "inputs", inputs)
    place = _root("reduce", root, given)
    target = given[place] if output is None else _checked("reduce", "output", [output])[0]
    if target.device != given[place].device:
        raise ArgumentError(
            f"reduce: output is on {target.device}, but inputs[{place}], the root, is on "
            f"{given[place].device}. Use an output on the root's GPU, or another root"
        )
    _check_like("reduce", "output", target, given[place], given[place].numel())
    received = [*given[:place], target, *given[place + 1 :]]
    _queue("ncclReduce", given, received, _op("reduce", op), place, written=[target])


def broadcast(inputs: Sequence[Tensor], root: int = 0) -> None:
    """Replace all tensors by one of them.

    Args:
        inputs: one contiguous tensor a GPU, of one dtype and number of elements.
        root: which of them the others receive.

    Raises:
        DistributedError: there is no NCCL, or it failed.
        ArgumentError: root is none of the inputs; and as all_reduce.
        DTypeError: NCCL has no such dtype.
        ShapeError: the numbers of elements differ.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     parts = [gpukit.full((2,), i + 1.0, device=f"cuda:{i}") for i in range(2)]
        ...     gpukit.cuda.nccl.broadcast(parts, root=1)
        ...     parts[0].tolist()
        [2.0, 2.0]
    """
    given = _checked("broadcast", "inputs", inputs)
    place = _root("broadcast", root, given)
    copies = [*given[:place], *given[place + 1 :]]
    _queue("ncclBroadcast", given, given, place, written=copies)


def all_gather(inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
    """Give every GPU all tensors, in the order of the inputs.

    Args:
        inputs: one contiguous tensor a GPU, of one dtype and number of elements.
        outputs: one tensor a GPU, of as many elements as all inputs together.

    Raises:
        DistributedError: there is no NCCL, or it failed.
        ArgumentError: as all_reduce.
        DTypeError: NCCL has no such dtype.
        ShapeError: an output has another number of elements.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     parts = [gpukit.full((1,), i + 1.0, device=f"cuda:{i}") for i in range(2)]
        ...     whole = [gpukit.zeros(2, device=f"cuda:{i}") for i in range(2)]
        ...     gpukit.cuda.nccl.all_gather(parts, whole)
        ...     whole[1].tolist()
        [1.0, 2.0]
    """
    given, received = _pairs("all_gather", inputs, outputs, output_parts=None)
    _queue("ncclAllGather", given, received)


def reduce_scatter(inputs: Sequence[Tensor], outputs: Sequence[Tensor], op: str = "sum") -> None:
    """Add up all tensors and give each GPU its part of the sum.

    Args:
        inputs: one tensor a GPU, of as many elements as all outputs together.
        outputs: one contiguous tensor a GPU, of one dtype and number of elements.
        op: "sum", "product", "max", "min" or "avg".

    Raises:
        DistributedError: there is no NCCL, or it failed.
        ArgumentError: as all_reduce.
        DTypeError: NCCL has no such dtype.
        ShapeError: an output has another number of elements.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     whole = [gpukit.ones(2, device=f"cuda:{i}") for i in range(2)]
        ...     parts = [gpukit.zeros(1, device=f"cuda:{i}") for i in range(2)]
        ...     gpukit.cuda.nccl.reduce_scatter(whole, parts)
        ...     parts[1].tolist()
        [2.0]
    """
    given, received = _pairs("reduce_scatter", inputs, outputs, input_parts=None)
    _queue("ncclReduceScatter", given, received, _op("reduce_scatter", op))


def _queue(
    function: str,
    given: list[Tensor],
    received: list[Tensor],
    *more: Any,
    written: list[Tensor] | None = None,
) -> None:
    """Queue a call on every GPU: `more` is what follows the dtype, up to the communicator.

    `written` are the tensors that the call changes: all of `received` where it is None.
    """
    nccl = library()
    with nccl.group([each.device.index or 0 for each in given]) as communicators:
        for x, y, communicator in zip(given, received, communicators, strict=True):
            _queue_one(nccl, function, x, y, *more, communicator)
    for each in received if written is None else written:
        _core.increment_version(each)


def _queue_one(nccl: Library, function: str, x: Tensor, y: Tensor, *more: Any) -> None:
    """NCCL counts the elements of one rank's part: the smaller side."""
    stream = _core.current_stream(x.device).cuda_stream
    elements = min(x.numel(), y.numel())
    code = TYPES[x.dtype.name]
    nccl.call(function, x.data_ptr(), y.data_ptr(), elements, code, *more, stream)


def _op(name: str, op: Any) -> int:
    if not isinstance(op, str) or op not in OPS:
        raise ArgumentError(f"{name}: op is {op!r}; use {', '.join(OPS)}")
    return OPS[op]


def _root(name: str, root: Any, given: list[Tensor]) -> int:
    number = int_of(name, "root", root)
    if not 0 <= number < len(given):
        raise ArgumentError(f"{name}: root is {number}; there are {len(given)} inputs")
    return number


def _checked(name: str, argument: str, tensors: Any) -> list[Tensor]:
    """One tensor a GPU, of one dtype and number of elements."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence) or not len(tensors):
        raise TypeError(f"{name}: {argument} must be a list of tensors, one a GPU")
    found: dict[int, Tensor] = {}
    for place, each in enumerate(tensors):
        label = f"{name}: {argument}[{place}]"
        if not isinstance(each, Tensor):
            raise TypeError(f"{label} must be a gpukit.Tensor, got {type(each).__name__}")
        if not each.is_cuda or not each.is_contiguous():
            where = "strided" if each.is_cuda else f"on {each.device}"
            fix = "x.contiguous()" if each.is_cuda else "x.to('cuda:0')"
            raise ArgumentError(f"{label} is {where}. Use {fix}")
        if each.dtype.name not in TYPES:
            raise DTypeError(f"{label} is {each.dtype.name}; NCCL has {', '.join(TYPES)}")
        if (index := each.device.index or 0) in found:
            raise ArgumentError(f"{label} is on cuda:{index} as one before it; give one a GPU")
        found[index] = each.detach()
        first = next(iter(found.values()))
        _check_like(name, f"{argument}[{place}]", each, first, first.numel())
    return list(found.values())


def _check_like(name: str, argument: str, tensor: Tensor, like: Tensor, count: int) -> None:
    if tensor.numel() == count and tensor.dtype is like.dtype:
        return
    raise ShapeError(
        f"{name}: {argument} has {tensor.numel()} elements of {tensor.dtype.name}; it must have "
        f"{count} of {like.dtype.name}"
    )


def _pairs(
    name: str,
    inputs: Any,
    outputs: Any,
    input_parts: int | None = 1,
    output_parts: int | None = 1,
) -> tuple[list[Tensor], list[Tensor]]:
    """Inputs and outputs, GPU by GPU, of so many parts; None means one a GPU."""
    given = _checked(name, "inputs", inputs)
    if outputs is None and input_parts == output_parts:
        return given, given
    input_parts, output_parts = input_parts or len(given), output_parts or len(given)
    received = _checked(name, "outputs", outputs)
    if [x.device for x in given] != [y.device for y in received]:
        raise ArgumentError(f"{name}: inputs and outputs must be on the same GPUs, in one order")
    for place, (x, y) in enumerate(zip(given, received, strict=True)):
        _check_like(name, f"outputs[{place}]", y, x, x.numel() * output_parts // input_parts)
        if x.numel() % input_parts:
            raise ShapeError(f"{name}: inputs[{place}] has {x.numel()} elements for {input_parts}")
    return given, received
