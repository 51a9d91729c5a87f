"""Arguments of functions composed in Python: the value of each, or a typed error that names it."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._dtypes import FLOATING, ROWS
from gpukit.errors import ArgumentError, BoundsError, RangeError

LARGEST = {dtype: ROWS[dtype].largest for dtype in FLOATING}


def tensor_of(function: str, name: str, value: Any) -> Tensor:
    """A tensor."""
    if isinstance(value, Tensor):
        return value
    raise TypeError(
        f"{function}: {name} must be a Tensor, got {value!r:.80} ({type(value).__name__})"
        + (_core.torch_advice(value) or ". Use gpukit.tensor(…) first")
        + "."
    )


def tensors_of(function: str, values: Sequence[Any]) -> list[Tensor]:
    """A list or tuple of tensors, as a list."""
    if isinstance(values, tuple) and not values:
        raise TypeError(f"{function}: argument 'tensors' is missing")
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{function}: tensors must be a list or tuple of tensors, got {values!r}")
    return [tensor_of(function, f"tensors[{i}]", value) for i, value in enumerate(values)]


def parameters_of(function: str, values: Any, name: str = "parameters") -> list[Tensor]:
    """One tensor, or those of anything that can be gone over, such as module.parameters()."""
    if isinstance(values, Tensor):
        return [values]
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(
            f"{function}: {name} must be a Tensor or several, such as model.parameters(), got "
            f"{values!r:.80} ({type(values).__name__})"
        )
    return [tensor_of(function, f"{name}[{i}]", value) for i, value in enumerate(values)]


def int_of(function: str, name: str, value: Any, kind: str = "an int") -> int:
    """An int, or an object with __index__; `kind` is what the error asks for."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, (bool, Tensor)):
        with suppress(TypeError):  # an array of several elements has __index__ too
            return operator.index(value)
    raise TypeError(
        f"{function}: {name} must be {kind}, got {value!r:.80} ({type(value).__name__})"
    )


def int_from(function: str, name: str, value: Any, least: int) -> int:
    """An int that is at least `least`."""
    number = int_of(function, name, value)
    if number < least:
        raise ArgumentError(f"{function}: {name} must be {least} or more, got {number}")
    return number


def bytes_of(function: str, name: str, value: Any, example: str = "4GiB") -> int:
    """Bytes: an int, or text such as "4GiB" (2^30) or "4GB" (10^9)."""
    if not isinstance(value, str):
        with suppress(TypeError):
            return int_of(function, name, value)
        raise TypeError(
            f"{function}: {name} must be bytes or text such as '{example}', got {value!r:.80}"
        )
    count = _core.parse_byte_count(value) if value.isascii() else None
    if count is None:
        raise ArgumentError(f"{function}: {name} must be text such as '{example}', got {value!r}")
    return count


def ints_of(function: str, name: str, value: Any) -> list[int]:
    """One int or several, as a list."""
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1:
        return [int_of(function, name, item) for item in value]
    return [int_of(function, name, value)]


def bool_of(function: str, name: str, value: Any) -> bool:
    """True or False."""
    if isinstance(value, bool):
        return value
    raise TypeError(f"{function}: {name} must be True or False, got {value!r}")


def function_of(function: str, name: str, value: Any, example: str) -> Any:
    """A callable or None; `example` is what the error shows."""
    if value is None or callable(value):
        return value
    raise TypeError(
        f"{function}: {name} must be a function such as {example}, or None, "
        f"got {value!r:.80} ({type(value).__name__})"
    )


def names_of(function: str, name: str, value: Any, example: str) -> list[str]:
    """One text or several, as a list; `example` is what the error shows."""
    if isinstance(value, str):
        return [value]
    given = list(value) if isinstance(value, Iterable) else None
    if given is None or not all(isinstance(each, str) for each in given):
        raise TypeError(
            f"{function}: {name} must be a str or a list of them such as {example}, "
            f"got {value!r:.80} ({type(value).__name__})"
        )
    return given


def number_or_none(value: Any) -> int | float | None:
    """The Python number that a number of Python's or NumPy's is; None for all else."""
    if type(value) in {bool, int, float}:
        return value  # type: ignore[no-any-return]
    if isinstance(value, Tensor) or getattr(value, "ndim", 0) > 0:
        return None
    with suppress(TypeError):
        return operator.index(value)
    with suppress(TypeError, ValueError):
        return float(value) if hasattr(type(value), "__float__") else None
    return None


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's, also inside a tuple or list; other values unchanged."""
    if type(value) in {tuple, list}:
        return type(value)(map(plain, value))
    number = number_or_none(value)
    return value if number is None else number


def number_for(function: str, name: str, value: Any, tensor: Tensor) -> float:
    """A number combined with a tensor: float32 if it fits, or float64 if the tensor is float64."""
    number = number_of(function, name, value)
    dtype = _core.float64 if tensor.dtype is _core.float64 else _core.float32
    if math.isfinite(number) and abs(number) > LARGEST[dtype]:
        raise RangeError(
            f"{function}: {name} {number} does not fit into {dtype.name}. Use input.double()."
        )
    return number


def number_of(function: str, name: str, value: Any, kind: str = "a number") -> float:
    """A number, or what has __float__; of a tensor it would be a hidden wait."""
    if not isinstance(value, (bool, Tensor)):
        if isinstance(value, (int, float)):
            return value
        if hasattr(type(value), "__float__"):
            with suppress(TypeError, ValueError):  # an array of several
                return float(value)
    raise TypeError(
        f"{function}: {name} must be {kind}, got {value!r:.80} ({type(value).__name__})"
    )


def dim_of(function: str, name: str, value: Any, rank: int) -> int:
    """A dimension, counted from the front."""
    dim = int_of(function, name, value)
    if -rank <= dim < rank:
        return dim % rank
    raise BoundsError(f"{function}: {name} {dim} is out of range for {rank} dimensions")


def is_tensor(obj: Any) -> bool:
    """Return whether an object is a tensor.

    Args:
        obj: Anything.

    Example:
        >>> import gpukit
        >>> gpukit.is_tensor(gpukit.ones(1)), gpukit.is_tensor([1])
        (True, False)
    """
    return isinstance(obj, Tensor)
