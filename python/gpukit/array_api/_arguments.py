"""Checks that the functions of the standard share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import HALF, by_kind
from gpukit.errors import DTypeError


def _names(signed: bool | None = None, **kinds: bool) -> tuple[str, ...]:
    """The dtypes of these kinds, but for half types, which are not of the standard."""
    return tuple(
        dtype.name
        for dtype, taken in by_kind(**kinds).items()
        if taken and dtype not in HALF and signed in {None, dtype.is_signed}
    )


# The standard's names of the kinds of dtypes.
KINDS: dict[str, tuple[str, ...]] = {
    "bool": _names(bool=True, integer=False, floating=False, complex=False),
    "signed integer": _names(bool=False, integer=True, floating=False, complex=False, signed=True),
    "unsigned integer": _names(
        bool=False, integer=True, floating=False, complex=False, signed=False
    ),
    "real floating": _names(bool=False, integer=False, floating=True, complex=False),
    "complex floating": _names(bool=False, integer=False, floating=False, complex=True),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]
# What functions of this namespace ask for.
KINDS["real numbers or integral"] = KINDS["integral"] + KINDS["real floating"]
KINDS["real or complex"] = KINDS["real floating"] + KINDS["complex floating"]
KINDS["real or complex floating"] = KINDS["real or complex"]
KINDS["any"] = KINDS["bool"] + KINDS["numeric"]
KINDS["bool or integral"] = KINDS["bool"] + KINDS["integral"]


def check_kind(function: str, name: str, x: Any, kind: str) -> None:
    """Raise for a tensor of another kind, and for anything that is not a tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(
            f"{function}: {name} must be an array, got {x!r:.80} ({type(x).__name__}). "
            "Use asarray(…) first."
        )
    known = KINDS[kind]
    # Half types are accepted where the standard accepts floating-point ones.
    if x.dtype.name not in known and not ("float32" in known and x.dtype in HALF):
        raise DTypeError(f"{function}: {name} is {x.dtype.name}; {kind} is needed")


def check_arrays(function: str, arrays: Any) -> list[Tensor]:
    """The arrays as a list."""
    if not isinstance(arrays, (list, tuple)):
        raise TypeError(f"{function}: arrays must be a list or tuple of arrays, got {arrays!r:.80}")
    for i, x in enumerate(arrays):
        check_kind(function, f"arrays[{i}]", x, "any")
    return list(arrays)


def check_number(function: str, name: str, x: Any) -> None:
    """Raise unless it is a tensor or a Python number."""
    if not isinstance(x, (Tensor, bool, int, float, complex)):
        raise TypeError(
            f"{function}: {name} must be an array or a number, got {x!r:.80} ({type(x).__name__})"
        )


def promoted(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Both in their common dtype where one has no dimensions, which torch would let count less."""
    if not isinstance(x1, Tensor) or not isinstance(x2, Tensor):
        return x1, x2
    if x1.dtype is x2.dtype or bool(x1.ndim) == bool(x2.ndim):
        return x1, x2
    dtype = _core.promote_types(x1.dtype, x2.dtype)
    return x1.to(dtype), x2.to(dtype)


def as_axes(axis: int | Sequence[int] | None, rank: int) -> list[int]:
    """The axes as a list; None means all of them."""
    if axis is None:
        return list(range(rank))
    return list(axis) if isinstance(axis, (tuple, list)) else [axis]  # type: ignore[list-item]


def reduced(
    call: Callable[[Tensor, list[int], bool], Tensor],
    x: Tensor,
    axis: int | Sequence[int] | None,
    keepdims: bool,
) -> Tensor:
    """The reduction over the axes; over no axes, each element is its own group."""
    if isinstance(axis, (tuple, list)) and not axis:
        return call(x.unsqueeze(-1), [-1], False)
    return call(x, as_axes(axis, x.ndim), keepdims)


def as_dtype(dtype: Any) -> _core.dtype | None:
    """The dtype, or None."""
    return None if dtype is None else _core.dtype(dtype)
