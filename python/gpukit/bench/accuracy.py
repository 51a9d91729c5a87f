"""How far two correct results may differ, and how far these two do."""

from __future__ import annotations

import math
from typing import Any

from gpukit._dtypes import FLOATING, ROWS

_EPSILON = {dtype.name: 2.0 ** (1 - ROWS[dtype].precision) for dtype in FLOATING}


def tolerance(dtype: str, terms: int = 1) -> float:
    """Largest error, relative to the largest result, of a sum of `terms` products in `dtype`.

    Independent rounding errors of a sum grow like the root of its length (Higham, Accuracy and
    Stability of Numerical Algorithms, section 2.8): 16 · eps + 4 · sqrt(terms) · eps of the dtype
    that sums are kept in, float32 for half types. Integers must be equal.

    Example:
        >>> from gpukit.bench.accuracy import tolerance
        >>> tolerance("int64")
        0.0
        >>> tolerance("float32", 2000) < 1e-4
        True
    """
    epsilon = _EPSILON.get(dtype)
    if epsilon is None:
        return 0.0
    return 16 * epsilon + 4 * math.sqrt(terms) * min(epsilon, _EPSILON["float32"])


def relative_error(answer: Any, reference: Any) -> float:
    """Return max |answer - reference| / max |reference|; infinite when shapes or NaNs differ."""
    import numpy as np

    a = np.asarray(answer, dtype=np.float64)
    b = np.asarray(reference, dtype=np.float64)
    if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
        return math.inf
    if a.size == 0:
        return 0.0
    same_infinities = np.array_equal(np.where(np.isinf(a), a, 0), np.where(np.isinf(b), b, 0))
    if not same_infinities:
        return math.inf
    finite = np.isfinite(a) & np.isfinite(b)
    if not finite.any():
        return 0.0
    error = float(np.max(np.abs(a[finite] - b[finite])))
    scale = float(np.max(np.abs(b[finite])))
    return error / scale if scale > 0 else error


def host_answer(value: Any) -> Any:
    """The result as a NumPy array (or a list of them for tuples), copied from its device."""
    import numpy as np

    import gpukit

    if isinstance(value, gpukit.Tensor):
        return value.detach().cpu().numpy() if hasattr(value, "detach") else value.cpu().numpy()
    if isinstance(value, (tuple, list)):
        return [host_answer(item) for item in value]
    try:
        return np.asarray(_on_host(value))
    except (TypeError, ValueError, RuntimeError):  # no NumPy array: equal where its text is
        return np.asarray(repr(value), dtype=object)


def _on_host(value: Any) -> Any:
    """An array of torch or CuPy as one that NumPy takes."""
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        found = value.detach().cpu()
        return found.float().numpy() if "bfloat16" in str(found.dtype) else found.numpy()
    return value.get() if type(value).__module__.partition(".")[0] == "cupy" else value


def largest_error(answer: Any, reference: Any) -> float:
    """`relative_error` of two results; for lists, the largest over their parts."""
    if isinstance(reference, list):
        if not isinstance(answer, list) or len(answer) != len(reference):
            return math.inf
        return max(
            (largest_error(a, b) for a, b in zip(answer, reference, strict=True)), default=0.0
        )
    if isinstance(answer, list):
        return math.inf
    if {answer.dtype.kind, reference.dtype.kind} & set("OSU"):  # not numbers: equal or not
        same = answer.shape == reference.shape and bool((answer == reference).all())
        return 0.0 if same else math.inf
    return relative_error(answer, reference)


def dtype_name(value: Any) -> str:
    """The dtype that decides the tolerance: the first floating-point dtype of a result."""
    first = value[0] if isinstance(value, list) and value else value
    return str(getattr(first, "dtype", "object"))
