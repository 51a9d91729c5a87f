"""Functions without methods of their own: made tensors, joined ones, norms, as torch's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from, int_of, number_of, tensor_of, tensors_of
from gpukit._core import Tensor
from gpukit._operators.rearranged import _with_strides
from gpukit.errors import ArgumentError

_OPTIONS = ("dtype", "device", "requires_grad", "pin_memory")


def options_of(
    function: str, options: dict[str, Any], more: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Those of a made tensor; a layout is accepted and there is one only."""
    for name, value in options.items():
        if name not in {*_OPTIONS, "layout", *more}:
            raise TypeError(f"{function}: there is no argument {name!r}, got {value!r:.80}")
    return {
        name: value for name, value in options.items() if name != "layout" and value is not None
    }


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Return the tensors side by side; 1-d ones are columns.

    Args:
        tensors: Tensors with as many rows.

    Raises:
        ShapeError: The sizes do not fit.

    Example:
        >>> import gpukit
        >>> gpukit.column_stack((gpukit.tensor([1, 2]), gpukit.tensor([3, 4])))
        tensor([[1, 3],
                [2, 4]])
    """
    parts = tensors_of("column_stack", tensors)
    return _core.hstack([x if x.ndim > 1 else x.reshape(-1, 1) for x in parts])


def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Return `gpukit.vstack`.

    Args:
        tensors: Tensors with as many columns.

    Raises:
        ShapeError: The sizes do not fit.

    Example:
        >>> import gpukit
        >>> gpukit.row_stack((gpukit.tensor([1, 2]), gpukit.tensor([3, 4])))
        tensor([[1, 2],
                [3, 4]])
    """
    return _core.vstack(tensors)


def logspace(
    start: float | Tensor, end: float | Tensor, steps: int, base: float = 10.0, **options: Any
) -> Tensor:
    """Return powers of a base, whose exponents are evenly spaced.

    Args:
        start: The first exponent.
        end: The last one.
        steps: How many.
        base: The base.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.linspace`.

    Raises:
        ValueError: `steps` is negative.

    Example:
        >>> import gpukit
        >>> gpukit.logspace(0, 2, 3)
        tensor([  1.,  10., 100.])
    """
    given = options_of("logspace", options)
    dtype = given.pop("dtype", None)
    wanted = _core.get_default_dtype() if dtype is None else dtype
    record = given.pop("requires_grad", False)
    count = int_from("logspace", "steps", steps, 0)
    first, last = (
        value if isinstance(value, Tensor) else number_of("logspace", name, value)
        for name, value in (("start", start), ("end", end))
    )
    points = _core.linspace(first, last, count, dtype=_core.float64, **given)
    powers = _core.pow(number_of("logspace", "base", base), points)
    return powers.to(_core.parse_target("logspace", "dtype", wanted)[1]).requires_grad_(record)


def range(start: float = 0, end: float | None = None, step: float = 1, **options: Any) -> Tensor:
    """Return numbers from `start` to `end`, which is included; `gpukit.arange` leaves it out.

    Args:
        start: The first number; alone, the last one.
        end: The last one.
        step: From one to the next.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.arange`.

    Raises:
        ValueError: `step` is 0 or leads away from `end`.

    Example:
        >>> import gpukit
        >>> gpukit.range(1, 3)
        tensor([1., 2., 3.])
    """
    given = options_of("range", options)
    if end is None:
        start, end = 0, start
    first, last, pace = (
        number_of("range", name, value)
        for name, value in (("start", start), ("end", end), ("step", step))
    )
    if not pace or (last - first) / pace < 0:
        raise ArgumentError(f"range: step {step} does not lead from {start} to {end}")
    dtype = given.pop("dtype", None)
    wanted = _core.get_default_dtype() if dtype is None else dtype
    record = given.pop("requires_grad", False)
    count = int((last - first) / pace) + 1
    exact = isinstance(start, int) and isinstance(step, int)
    inner = _core.int64 if exact else _core.float64
    numbers = _core.arange(count, dtype=inner, **given) * (step if exact else pace)
    numbers = numbers + (start if exact else first)
    return numbers.to(_core.parse_target("range", "dtype", wanted)[1]).requires_grad_(record)


def randint_like(input: Tensor, low: int, high: int | None = None, **options: Any) -> Tensor:
    """Return random whole numbers of [low, high) in the shape, dtype and device of a tensor.

    Args:
        input: The tensor.
        low: The least number; alone, above the largest one, and 0 is the least.
        high: Above the largest number.
        options: `dtype`, `device`, `requires_grad` and `generator`, as of `gpukit.randint`.

    Raises:
        ValueError: `low` is not below `high`.

    Example:
        >>> import gpukit
        >>> gpukit.randint_like(gpukit.ones(2), 3, 4)
        tensor([3., 3.])
    """
    x = tensor_of("randint_like", "input", input)
    given = options_of("randint_like", options, ("generator", "memory_format"))
    given.pop("memory_format", None)
    first, last = (0, low) if high is None else (low, high)
    bounds = int_of("randint_like", "low", first), int_of("randint_like", "high", last)
    return _core.randint(*bounds, tuple(x.shape), **{"dtype": x.dtype, "device": x.device, **given})


def scalar_tensor(s: float, **options: Any) -> Tensor:
    """Return a number as a 0-d tensor of the default floating dtype.

    Args:
        s: The number.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.full`.

    Raises:
        TypeError: `s` is no number.

    Example:
        >>> import gpukit
        >>> gpukit.scalar_tensor(2)
        tensor(2.)
    """
    given = options_of("scalar_tensor", options)
    number = s if isinstance(s, (bool, complex)) else number_of("scalar_tensor", "s", s)
    return _core.full((), number, **{"dtype": _core.get_default_dtype(), **given})


def empty_strided(size: Sequence[int], stride: Sequence[int], **options: Any) -> Tensor:
    """Return a tensor with that layout in memory; its elements are whatever was there.

    Args:
        size: The sizes.
        stride: The steps in memory.
        options: `dtype`, `device` and `requires_grad`, as of `gpukit.empty`.

    Raises:
        ValueError: A size or stride is negative.

    Example:
        >>> import gpukit
        >>> gpukit.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    return _with_strides("empty_strided", size, stride, options_of("empty_strided", options))


def rsub(input: Tensor, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """Return other - alpha * input.

    Args:
        input: A tensor.
        other: A tensor that broadcasts, or a number.
        alpha: A factor.

    Raises:
        ShapeError: The shapes do not broadcast.

    Example:
        >>> import gpukit
        >>> gpukit.rsub(gpukit.tensor([1, 2]), 5)
        tensor([4, 3])
    """
    return _core.sub(other, tensor_of("rsub", "input", input), alpha=alpha)


def frobenius_norm(input: Tensor, dim: int | Sequence[int] = (), keepdim: bool = False) -> Tensor:
    """Return the root of the sum of squares.

    Args:
        input: Floating or complex.
        dim: A dimension or two of them; () is all.
        keepdim: Keep reduced dimensions as dimensions of size 1.

    Raises:
        IndexError: `dim` is no dimension.

    Example:
        >>> import gpukit
        >>> gpukit.frobenius_norm(gpukit.tensor([3.0, 4.0]), 0)
        tensor(5.)
    """
    dims = [dim] if isinstance(dim, int) else [*dim]
    return _core.linalg_vector_norm(
        tensor_of("frobenius_norm", "input", input), 2, dims or None, keepdim
    )


def nuclear_norm(input: Tensor, dim: Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """Return the sum of singular values.

    Args:
        input: A matrix, or with `dim` a tensor of them.
        dim: Two dimensions.
        keepdim: Keep reduced dimensions as dimensions of size 1.

    Raises:
        IndexError: `dim` is no dimension.

    Example:
        >>> import gpukit
        >>> gpukit.nuclear_norm(gpukit.tensor([[3.0, 0.0], [0.0, 4.0]]))
        tensor(7.)
    """
    x = tensor_of("nuclear_norm", "input", input)
    return _core.linalg_matrix_norm(x, "nuc", (-2, -1) if dim is None else tuple(dim), keepdim)
