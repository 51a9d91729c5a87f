"""torch's functions of lists of tensors, which optimizers of one's own use: an operator for each.

`gpukit._foreach_add_` and its kind are found here by their names; they are no faster than a loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError

_UNARY = """
    abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2
    neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc
""".split()  # noqa: SIM905
_BINARY = "add sub mul div pow maximum minimum clamp_max clamp_min".split()  # noqa: SIM905
_BOUNDS = {"maximum": "clamp_min", "minimum": "clamp_max"}  # with a number
_SCALED = {"add", "sub"}  # take alpha


def _lists(name: str, *lists: tuple[str, Any]) -> list[list[Tensor]]:
    """The lists of tensors, of one length."""
    found = []
    for parameter, given in lists:
        if isinstance(given, (Tensor, str, bytes, dict)) or not isinstance(given, Sequence):
            raise TypeError(
                f"{name}: {parameter} must be a list of tensors, got {given!r:.80} "
                f"({type(given).__name__})"
            )
        found.append([tensor_of(name, parameter, each) for each in given])
        if len(found[-1]) != len(found[0]):
            raise ArgumentError(
                f"{name}: {parameter} has {len(given)} tensors, self {len(found[0])}; they must be "
                "as many"
            )
    if not found[0]:
        raise ArgumentError(f"{name}: self is empty; it must have at least one tensor")
    return found


def _each(name: str, parameter: str, value: Any, count: int) -> list[Any]:
    """One value for each tensor: the items of a list, or the value itself."""
    if isinstance(value, Tensor) or not isinstance(value, Sequence):
        return [value] * count
    if len(value) != count:
        raise ArgumentError(
            f"{name}: {parameter} has {len(value)} items for {count} tensors; give one for each"
        )
    return list(value)


def _method(tensor: Tensor, kind: str, in_place: bool) -> Callable[..., Any]:
    method: Callable[..., Any] = getattr(tensor, kind + "_" * in_place)
    return method


def _unary(name: str, kind: str, in_place: bool, tensors: Any) -> Any:
    (given,) = _lists(name, ("self", tensors))
    made = [_method(each, kind, in_place)() for each in given]
    return tuple(made)


def _binary(name: str, kind: str, in_place: bool, tensors: Any, other: Any, **scale: Any) -> Any:
    (given,) = _lists(name, ("self", tensors))
    unknown = set(scale) - ({"alpha"} if kind in _SCALED else set())
    if unknown:
        raise TypeError(f"{name}: unknown argument '{min(unknown)}'")
    made = []
    for each, value in zip(given, _each(name, "other", other, len(given)), strict=True):
        bound = kind if isinstance(value, Tensor) else _BOUNDS.get(kind, kind)
        if in_place and bound in _BOUNDS:  # tensors have no maximum_
            made.append(each.copy_(getattr(each, bound)(value)))
        else:
            made.append(_method(each, bound, in_place)(value, **scale))
    return tuple(made)


def _pointwise(
    name: str, kind: str, in_place: bool, tensors: Any, tensor1: Any, tensor2: Any, value: Any = 1
) -> Any:
    lists = _lists(name, ("self", tensors), ("tensor1", tensor1), ("tensor2", tensor2))
    if isinstance(value, Tensor) and value.ndim:
        value = value.tolist()
    values = _each(name, "value", value, len(lists[0]))
    made = [
        _method(x, kind, in_place)(a, b, value=v.item() if isinstance(v, Tensor) else v)
        for x, a, b, v in zip(*lists, values, strict=True)
    ]
    return tuple(made)


def _lerp(name: str, _: str, in_place: bool, tensors: Any, tensors1: Any, weight: Any) -> Any:
    given, ends = _lists(name, ("self", tensors), ("tensors1", tensors1))
    weights = _each(name, "weight", weight, len(given))
    made = [
        _method(x, "lerp", in_place)(y, w) for x, y, w in zip(given, ends, weights, strict=True)
    ]
    return tuple(made)


def _norm(
    name: str, _kind: str, _in_place: bool, tensors: Any, ord: Any = 2, dtype: Any = None
) -> Any:
    (given,) = _lists(name, ("self", tensors))
    wide = given if dtype is None else [each.to(dtype) for each in given]
    return tuple(_core.norm(each, ord) for each in wide)


def _copy(
    name: str, _kind: str, _in_place: bool, tensors: Any, src: Any, non_blocking: bool = False
) -> Any:
    pairs = zip(*_lists(name, ("self", tensors), ("src", src)), strict=True)
    return tuple(each.copy_(source, non_blocking) for each, source in pairs)


_FORMS: dict[str, Callable[..., Any]] = {
    **{form: _unary for kind in _UNARY for form in (kind, f"{kind}_")},
    **dict.fromkeys(("clone", "max", "zero_"), _unary),
    **{form: _binary for kind in _BINARY for form in (kind, f"{kind}_")},
    **{form: _pointwise for kind in ("addcmul", "addcdiv") for form in (kind, f"{kind}_")},
    **dict.fromkeys(("lerp", "lerp_"), _lerp),
    "norm": _norm,
    "copy_": _copy,
}


@functools.cache
def foreach(name: str) -> Callable[..., Any] | None:
    """The function of that name, such as '_foreach_add_'; None where torch's is not here."""
    form = name.removeprefix("_foreach_")
    if form not in _FORMS:
        return None
    function, in_place = _FORMS[form], form.endswith("_")

    def called(self: Any, *args: Any, **arguments: Any) -> Any:
        made = function(name, form.rstrip("_"), in_place, self, *args, **arguments)
        return self if in_place else made

    called.__name__ = called.__qualname__ = name
    called.__module__ = "gpukit"
    called.__doc__ = f"torch.{name}: the operator for each tensor of a list."
    return called
