"""NumPy arrays to compute with, and what agreement with NumPy means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import gpukit

FLOATING = ("float16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = (*UNSIGNED, *SIGNED)
NUMBERS = (*INTEGERS, *FLOATING)
ALL = ("bool", *NUMBERS)

# Largest relative error that a correct result may show, by dtype.
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-13}


def sample(dtype: str, shape: tuple[int, ...] = (3, 5), *, seed: int = 0, low: float = -9) -> Any:
    """Small numbers of a dtype, with zeros among them; floating ones have fractions."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        return rng.integers(0 if dtype in UNSIGNED else int(low), 10, shape).astype(dtype)
    return rng.uniform(low, 9, shape).astype(dtype)


def nonzero_sample(dtype: str, shape: tuple[int, ...] = (3, 5), *, seed: int = 1) -> Any:
    """As sample(), without zeros: for divisors."""
    values = sample(dtype, shape, seed=seed)
    return np.where(values == 0, np.ones_like(values), values)


def special(dtype: str) -> Any:
    """Every kind of floating number: signed zeros, infinities, NaN, tiny and huge."""
    info = np.finfo(dtype)
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, np.inf, -np.inf, np.nan, info.max, info.min]
    return np.array([*values, info.tiny, -info.tiny, info.eps], dtype=dtype)


def put(array: Any, device: Any) -> gpukit.Tensor:
    """The array as a tensor on the device."""
    import gpukit

    return gpukit.tensor(np.ascontiguousarray(array).reshape(np.shape(array)), device=device)


def fetch(value: Any) -> Any:
    """A tensor as a NumPy array."""
    return value.cpu().numpy()


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "every second": lambda x: x[:, ::2],
    "backwards": lambda x: x[::-1],
    "inner part": lambda x: x[1:, 1:4],
    "column": lambda x: x[:, 2],
    "row of size 1": lambda x: x[:1],
    "nothing": lambda x: x[:0],
    "0-d": lambda x: x[1, 2],
}


def layouts(array: Any, device: Any) -> Iterator[tuple[str, Any, gpukit.Tensor]]:
    """The same views of an array and of its tensor."""
    tensor = put(array, device)
    for name, view in LAYOUTS.items():
        yield name, view(array), view(tensor)


def assert_same(got: Any, want: Any, context: str = "", *, tolerance: float | None = None) -> None:
    """Same shape, dtype and values: exact, or within the tolerance of the dtype when floating."""
    want = np.asarray(want)
    array = fetch(got)
    assert array.shape == want.shape, f"{context}: shape {array.shape}, not {want.shape}"
    assert array.dtype == want.dtype, f"{context}: dtype {array.dtype}, not {want.dtype}"
    if tolerance is None:
        tolerance = TOLERANCE.get(str(want.dtype), 0.0)
    assert_near(array, want, tolerance, context)


def assert_near(got: Any, want: Any, tolerance: float, context: str = "") -> None:
    """Values within a relative tolerance; 0 asks for equality. NaN equals NaN."""
    if tolerance == 0:
        np.testing.assert_array_equal(got, want, err_msg=context)
    else:
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance / 8, err_msg=context)


def quiet(function: Callable[..., Any], *arguments: Any) -> Any:
    """NumPy's result without its warnings."""
    with np.errstate(all="ignore"):
        return function(*arguments)
