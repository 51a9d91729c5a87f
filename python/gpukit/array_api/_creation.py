"""Creation functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.array_api._arguments import as_dtype, check_arrays, check_kind

_Shape = int | Sequence[int]


def _sizes(shape: _Shape) -> tuple[int, ...]:
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)  # type: ignore[return-value]


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """Numbers from start up to but without stop; with one argument from 0 up to it.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.arange(1, 7, 2)
        tensor([1, 3, 5])
    """
    if stop is None:
        start, stop = 0, start
    if step and (stop - start) / step <= 0:
        floating = any(isinstance(number, float) for number in (start, stop, step))
        natural = _core.get_default_dtype() if floating else _core.int64
        return _core.empty(0, dtype=as_dtype(dtype) or natural, device=device)
    return _core.arange(start, stop, step, dtype=as_dtype(dtype), device=device)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Tensor:
    """Convert numbers, nested lists, buffers and arrays; see gpukit.asarray.

    Args:
        obj: A number, nested lists, an object with a buffer or with __dlpack__, or a tensor.
        dtype: A dtype; None keeps that of the data.
        device: Device of the result; None: the data's device.
        copy: None copies where it must, True always, False never.

    Returns:
        A tensor of the shape of the data.

    Raises:
        ValueError: copy=False would need a copy, or lists are ragged.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.asarray([1, 2, 3])
        tensor([1, 2, 3])
    """
    return _core.asarray(obj, dtype=as_dtype(dtype), device=device, copy=copy)


def empty(shape: _Shape, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Undefined elements.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.empty((2, 3)).shape
        (2, 3)
    """
    return _core.empty(_sizes(shape), dtype=as_dtype(dtype), device=device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Undefined elements in the shape of x.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.empty_like(xp.ones((2, 3))).shape
        (2, 3)
    """
    check_kind("empty_like", "x", x, "any")
    return _core.empty_like(x, dtype=as_dtype(dtype), device=device)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """Ones on the k-th diagonal, zeros elsewhere.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.eye(2, k=1)
        tensor([[0., 1.],
                [0., 0.]])
    """
    dtype = as_dtype(dtype) or _core.get_default_dtype()
    if k == 0:
        return _core.eye(n_rows, n_cols, dtype=dtype, device=device)
    n_cols = n_rows if n_cols is None else n_cols
    k = max(-n_rows, min(k, n_cols))  # beyond the corners there are no ones, however far
    rows = _core.arange(n_rows, device=device).unsqueeze(1)
    return (rows + k == _core.arange(n_cols, device=device)).to(dtype)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Tensor:
    """Take an array of any library; see gpukit.from_dlpack.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.from_dlpack(xp.ones(2))
        tensor([1., 1.])
    """
    return _core.from_dlpack(x, device=device, copy=copy)


def full(shape: _Shape, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """An array filled with one value, whose kind determines the dtype.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.full((2,), 7.0)
        tensor([7., 7.])
    """
    return _core.full(_sizes(shape), fill_value, dtype=as_dtype(dtype), device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """One value in the shape of x.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.full_like(xp.ones(2), 7)
        tensor([7., 7.])
    """
    check_kind("full_like", "x", x, "any")
    return _core.full_like(x, fill_value, dtype=as_dtype(dtype), device=device)


def linspace(
    start: float,
    stop: float,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Tensor:
    """Place num numbers at equal distances from start to stop, with stop or without it.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.linspace(0, 1, 2, endpoint=False)
        tensor([0.0000, 0.5000])
    """
    dtype = as_dtype(dtype)
    if endpoint or num == 0:
        return _core.linspace(start, stop, num, dtype=dtype, device=device)
    return _core.linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """Coordinate grids of 1-d arrays; indexing 'xy' or 'ij'.

    Example:
        >>> import gpukit.array_api as xp
        >>> [x.shape for x in xp.meshgrid(xp.arange(2), xp.arange(3))]
        [(3, 2), (3, 2)]
    """
    check_arrays("meshgrid", arrays)
    return list(_core.meshgrid(*arrays, indexing=indexing)) if arrays else []


def ones(shape: _Shape, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.ones((2,))
        tensor([1., 1.])
    """
    return _core.ones(_sizes(shape), dtype=as_dtype(dtype), device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones in the shape of x.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.ones_like(xp.zeros(2))
        tensor([1., 1.])
    """
    check_kind("ones_like", "x", x, "any")
    return _core.ones_like(x, dtype=as_dtype(dtype), device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The lower triangle of matrices up to the k-th diagonal.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.tril(xp.ones((2, 2)))
        tensor([[1., 0.],
                [1., 1.]])
    """
    check_kind("tril", "x", x, "any")
    return _core.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The upper triangle of matrices from the k-th diagonal on.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.triu(xp.ones((2, 2)))
        tensor([[1., 1.],
                [0., 1.]])
    """
    check_kind("triu", "x", x, "any")
    return _core.triu(x, k)


def zeros(shape: _Shape, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.zeros((2,))
        tensor([0., 0.])
    """
    return _core.zeros(_sizes(shape), dtype=as_dtype(dtype), device=device)


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros in the shape of x.

    Example:
        >>> import gpukit.array_api as xp
        >>> xp.zeros_like(xp.ones(2))
        tensor([0., 0.])
    """
    check_kind("zeros_like", "x", x, "any")
    return _core.zeros_like(x, dtype=as_dtype(dtype), device=device)
