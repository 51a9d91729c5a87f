"""Copy, deepcopy and pickle of tensors: bytes, shape and dtype; no code runs on load."""

from __future__ import annotations

from copy import deepcopy
from math import prod
from pickle import PickleBuffer
from typing import Any

from gpukit import _core
from gpukit.errors import ArgumentError, AutogradError, DTypeError

FIRST_WITH_BUFFERS = 5  # pickle's protocol


def _attributes(tensor: _core.Tensor) -> dict[str, Any]:
    """Attributes that the user set on the tensor."""
    return dict(tensor.__dict__)


def _gradient(tensor: _core.Tensor) -> _core.Tensor | None:
    """Its gradient; a result that keeps none is not asked, since that warns."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def _detached(tensor: _core.Tensor) -> _core.Tensor:
    """By the class's method: an attribute of the tensor may have the same name."""
    return type(tensor).detach(tensor)


def _with_class(result: _core.Tensor, cls: type, requires_grad: bool) -> _core.Tensor:
    if cls is not _core.Tensor:
        result = result.as_subclass(cls)
    if requires_grad:
        result.requires_grad_(True)
    return result


def shallow_copy(tensor: _core.Tensor) -> _core.Tensor:
    """A new tensor over the same memory, of the same class and with the same attributes."""
    result = _with_class(_detached(tensor), type(tensor), tensor.requires_grad)
    result.__dict__.update(_attributes(tensor))
    result.grad = _gradient(tensor)
    return result


def deep_copy(tensor: _core.Tensor, memo: dict[int, Any]) -> _core.Tensor:
    """A copy with its own memory, attributes and gradient; of a parameter without its gradient."""
    known: _core.Tensor | None = memo.get(id(tensor))
    if known is not None:
        return known
    node = tensor.grad_fn
    if node is not None:
        raise AutogradError(
            "deepcopy: the tensor is the result of a recorded operation "
            f"({node.name()}); a copy would not belong to its graph. "
            "Use x.detach().clone()"
        )
    result = _with_class(_with_memory(tensor, memo), type(tensor), tensor.requires_grad)
    memo[id(tensor)] = result
    result.__dict__.update(deepcopy(_attributes(tensor), memo))
    if tensor.grad is not None and not getattr(type(tensor), "_copied_without_grad", False):
        result.grad = deepcopy(tensor.grad, memo)
    return result


def _with_memory(tensor: _core.Tensor, memo: dict[Any, Any]) -> _core.Tensor:
    """A copy whose memory the copies of other views of that memory share."""
    source = _detached(tensor)
    place, size = _core.storage_info(source)
    if not size:
        return source.clone()
    key = (deep_copy, place)
    _, whole = memo.get(key, (None, None))
    if whole is None and source.nbytes == size and source.is_contiguous():
        whole = source.clone()
        memo[key] = source, whole  # the source is kept, so that its address stays its own
        return whole
    if whole is None:
        whole = _core.storage_view(source, _core.uint8, (size,), (1,), 0).clone()
        memo[key] = source, whole
    return _core.storage_view(
        whole, source.dtype, source.shape, source.stride(), source.storage_offset()
    )


def reduce(tensor: _core.Tensor, protocol: int) -> tuple[Any, ...]:
    """How pickle stores a tensor.

    From protocol 5 on the elements are a PickleBuffer, which pickle hands to `buffer_callback`
    where one is given, so nothing is copied. A view stores its own elements only.
    """
    source = _detached(tensor).cpu()
    with_buffers = int(protocol) >= FIRST_WITH_BUFFERS
    arguments = (
        type(tensor),
        PickleBuffer(_bytes_of(source)) if with_buffers else source.tobytes(),
        tensor.dtype,
        tensor.shape,
        str(tensor.device),
        tensor.requires_grad,
    )
    function = rebuild_over if with_buffers else rebuild
    return function, arguments, (_attributes(tensor), _gradient(tensor)), None, None, _set_state


def _bytes_of(source: _core.Tensor) -> Any:
    """The elements, row by row, as uint8; the memory of a contiguous tensor."""
    packed = source.contiguous()
    first = packed.storage_offset() * packed.itemsize
    return _core.storage_view(packed, _core.uint8, (packed.nbytes,), (1,), first)


def rebuild(  # noqa: PLR0917 (pickle calls it by position)
    cls: type,
    data: bytes,
    dtype: _core.dtype,
    shape: tuple[int, ...],
    device: str,
    requires_grad: bool,
) -> _core.Tensor:
    """The tensor of a pickle, on the device it was saved from."""
    result = _core.tensor_from_bytes(data, dtype, shape)
    return _with_class(result.to(device), cls, requires_grad)


def rebuild_over(  # noqa: PLR0917 (pickle calls it by position)
    cls: type,
    data: Any,
    dtype: _core.dtype,
    shape: tuple[int, ...],
    device: str,
    requires_grad: bool,
) -> _core.Tensor:
    """The same over a buffer: its memory, read-only where the buffer is.

    Raises:
        ArgumentError: The buffer's size does not match shape and dtype.
    """
    result = over_buffer(data, dtype, shape).to(device)
    return _with_class(result, cls, requires_grad)


def over_buffer(data: Any, dtype: _core.dtype, shape: tuple[int, ...]) -> _core.Tensor:
    """A CPU tensor over a buffer of bytes; copied where they are at an odd address."""
    flat = _core.frombuffer(data, dtype=_core.uint8)
    wanted = prod(shape) * dtype.itemsize
    if flat.numel() != wanted or any(size < 0 for size in shape):
        raise ArgumentError(
            f"unpickle: the buffer has {flat.numel()} bytes, but shape {tuple(shape)} of "
            f"{dtype.name} takes {wanted}. The frame was cut short or changed on its way: send it "
            "again"
        )
    if flat.data_ptr() % dtype.itemsize:
        flat = flat.clone()
    strides = [prod(shape[i + 1 :]) for i in range(len(shape))]
    return _core.storage_view(flat, dtype, tuple(shape), tuple(strides), 0)


def numpy_dtype(dtype: _core.dtype) -> Any:
    """The result of `numpy.dtype(dtype)`; for bfloat16, ml_dtypes'."""
    import numpy as np

    from gpukit._dtypes import ROWS

    if ROWS[dtype].in_numpy:
        return np.dtype(dtype.name)
    try:
        import ml_dtypes
    except ImportError:
        raise DTypeError(
            f"numpy.dtype: NumPy has no {dtype.name}. Use gpukit.float32, or install the package "
            "ml_dtypes, which has it"
        ) from None
    return np.dtype(getattr(ml_dtypes, dtype.name))


def _set_state(tensor: _core.Tensor, state: tuple[dict[str, Any], _core.Tensor | None]) -> None:
    attributes, gradient = state
    tensor.__dict__.update(attributes)
    tensor.grad = gradient
