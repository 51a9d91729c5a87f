"""`assert_close`: equal within what the dtype allows, and if not, where and by how much."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpukit._names.earlier import renamed

_DEPTH = 100  # lists in lists
# (rtol, atol) by dtype: torch's defaults.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}


def _tolerances(a: Any, b: Any, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """The given tolerance, else the looser of the two dtypes' defaults; integers must be equal."""
    if (rtol is None) != (atol is None):
        raise ValueError("assert_close: give both rtol and atol, or none of them")
    if rtol is not None and atol is not None:
        return rtol, atol
    names = [_dtype_name(side) for side in (a, b)]
    if _are_lists(a, b) and any(isinstance(each, float) for each in (*a, *b)):
        names.append("float64")  # of numbers of one kind: _pairs takes others apart
    kinds = [_TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    return max(kind[0] for kind in kinds), max(kind[1] for kind in kinds)


def _dtype_name(value: Any) -> str:
    """The dtype's name; a Python float is float64, other numbers and lists have none."""
    kind = "float64" if isinstance(value, float) else ""
    return str(getattr(value, "dtype", kind)).rsplit(".", maxsplit=1)[-1]


def _array(what: str, value: Any) -> Any:
    """The numbers of one side on the host; `what` names it in the error."""
    try:
        found = _numbers(value)
    except (TypeError, ValueError, RecursionError):
        found = None
    if found is None:
        raise TypeError(
            f"assert_close: {what} is no numbers of one shape, but {type(value).__name__} "
            f"{reprlib.repr(value):.60}. Give a tensor, an array, a number, None, or a list or "
            "dict of these"
        )
    return found


def _numbers(value: Any) -> Any:
    import numpy as np

    import gpukit
    from gpukit._dtypes import HALF
    from gpukit.bench.accuracy import host_answer

    if isinstance(value, gpukit.Tensor) and value.dtype in HALF:
        value = value.float()
    found = np.asarray(host_answer(value))
    objects = found.flat if found.dtype.kind == "O" else ()
    if found.dtype.kind in "US" or any(np.asarray(each).item() is None for each in objects):
        return None  # NumPy would read "0.5" as a number, and None as NaN
    return found if found.dtype.kind in "biu" else found.astype(np.float64)


def _difference_text(a: Any, b: Any, wrong: Any) -> str:
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        absolute = np.abs(a.astype(np.float64) - b.astype(np.float64))
        relative = absolute / np.abs(b.astype(np.float64))
    absolute = np.where(np.isnan(absolute), np.inf, absolute)
    worst = np.unravel_index(int(np.argmax(np.where(wrong, absolute, -1.0))), a.shape)
    place = tuple(int(index) for index in worst)
    return (
        f"{int(wrong.sum())} of {wrong.size} elements differ; the worst at {place}: "
        f"{a[worst]} and {b[worst]}, apart by {absolute[worst]:.3g} "
        f"({relative[worst]:.3g} of the second)"
    )


@renamed(a="actual", b="expected")
def assert_close(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    *,
    equal_nan: bool = False,
    check_device: bool = False,
    check_dtype: bool = True,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raises AssertionError unless |a - b| <= atol + rtol · |b| everywhere and shapes are equal.

    a is actual, b expected. Two tensors must have one dtype, as in torch, and so must two arrays; a
    tensor and an array, a number or a list are compared by their numbers. Devices are compared only
    where that is asked for: a GPU's result is compared with a tensor of the CPU. Dicts, and two
    lists, are compared item by item; Python's floats in them have float64's tolerance.

    Args:
        actual: a tensor of any device, an array, a number or a list; also torch's and NumPy's,
            and dicts and lists of these.
        expected: what is expected.
        rtol: relative tolerance; default by dtype, as in torch (float32: 1.3e-6). Integers are
            compared exactly.
        atol: absolute tolerance; default by dtype (float32: 1e-5).
        equal_nan: NaN equals NaN.
        check_device: both must be tensors of one device.
        check_dtype: two tensors of one library must have one dtype; False compares their numbers.
        msg: the message of the error, or a function of the message that it would have.

    Example:
        >>> import gpukit
        >>> gpukit.testing.assert_close(gpukit.ones(2), [1.0, 2.0])
        Traceback (most recent call last):
        ...
        AssertionError: assert_close: 1 of 2 elements differ; the worst at (1,): 1.0 and 2.0, apart by 1 (0.5 of the second); allowed 1e-05 + 1.3e-06 · |b|
    """  # noqa: E501 (the message is one line)
    for item, mine, theirs in _pairs(actual, expected, msg):
        told = _told(msg, item)
        if mine is None or theirs is None:
            if mine is not theirs:
                raise _failure(told, f"{_shown(mine)} and {_shown(theirs)} differ")
            continue
        _check_kinds(mine, theirs, check_device, check_dtype, told)
        arrays = _array(f"actual{item}", mine), _array(f"expected{item}", theirs)
        _compare(*arrays, _tolerances(mine, theirs, rtol, atol), equal_nan, told)


def _shown(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _told(msg: Any, item: str) -> Any:
    """The user's message, else one that names the item."""
    return (lambda text: f"{text}; at item {item}") if item and msg is None else msg


def _pairs(
    actual: Any, expected: Any, msg: Any, item: str = "", above: tuple[Any, ...] = ()
) -> Iterator[tuple[str, Any, Any]]:
    """What is compared: the values of dicts, and of lists that hold more than plain numbers."""
    keys: Any = None
    if isinstance(actual, Mapping) != isinstance(expected, Mapping):
        kinds = type(actual).__name__, type(expected).__name__
        raise TypeError(
            "assert_close: actual{2} is a {0} and expected{2} a {1}".format(*kinds, item)
        )
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        keys = list(actual)
        if set(keys) != set(expected):
            raise _failure(_told(msg, item), f"keys {keys} and {list(expected)} differ")
    elif _are_lists(actual, expected) and not (_are_numbers(actual) and _are_numbers(expected)):
        keys = range(len(actual))
        if len(actual) != len(expected):
            raise _failure(_told(msg, item), f"lengths {len(actual)} and {len(expected)} differ")
    if keys is None:
        yield item, actual, expected
        return
    here = id(actual), id(expected)
    if here in above or len(above) > _DEPTH:
        reason = "contains itself" if here in above else "is nested too deeply"
        raise TypeError(f"assert_close: actual{item:.60} {reason}. Compare its parts")
    for key in keys:
        inner = f"{item}[{key!r}]"
        yield from _pairs(actual[key], expected[key], msg, inner, (*above, here))


def _are_lists(*values: Any) -> bool:
    return all(isinstance(value, (list, tuple)) for value in values)


def _are_numbers(values: Any) -> bool:
    """Only floats, or only integers: compared as one array, which names the worst element."""
    kinds = {type(each) for each in values}
    return kinds <= {float} or kinds <= {int, bool}


def _library(value: Any) -> str:
    """Whose tensor or array it is; one of a class derived from it is the library's, too."""
    kind = next((kind for kind in type(value).__mro__ if "dtype" in vars(kind)), object)
    return kind.__module__.split(".", maxsplit=1)[0]


def _check_kinds(actual: Any, expected: Any, device: bool, dtype: bool, msg: Any) -> None:
    of_one_library = _library(actual) == _library(expected) != "builtins"
    for name, wanted in (("device", device), ("dtype", dtype and of_one_library)):
        left, right = (str(getattr(side, name, "none")) for side in (actual, expected))
        if wanted and left != right:
            raise _failure(msg, f"the {name}s {left} and {right} differ")


def _compare(
    mine: Any, theirs: Any, tolerances: tuple[float, float], equal_nan: bool, msg: Any
) -> None:
    import numpy as np

    relative, absolute = tolerances
    if mine.shape != theirs.shape:
        raise _failure(msg, f"shapes {mine.shape} and {theirs.shape} differ")
    close = np.isclose(mine, theirs, rtol=relative, atol=absolute, equal_nan=equal_nan)
    if close.all():
        return
    text = _difference_text(mine, theirs, ~close)
    raise _failure(msg, f"{text}; allowed {absolute:g} + {relative:g} · |b|")


def _failure(msg: str | Callable[[str], str] | None, text: str) -> AssertionError:
    text = f"assert_close: {text}"
    return AssertionError(msg(text) if callable(msg) else text if msg is None else msg)
