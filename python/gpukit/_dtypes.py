"""The table of dtypes (csrc/base/dtypes.def) in Python: rows, and lookups by kind."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from gpukit import _core

T = TypeVar("T")


class Row(NamedTuple):
    """One dtype's row of the table."""

    name: str
    kind: str  # bool, integer, floating, complex
    is_half: bool  # storage only: computed in float32
    in_numpy: bool
    storage: str  # torch's storage class in pickled files, or ""
    safetensors: str
    precision: int  # bits; 0 where it is not floating, as the next two
    smallest_exponent: int  # of the smallest subnormal number
    largest: float


ROWS: dict[_core.dtype, Row] = {
    _core.dtype(row["name"]): Row(**{**row, "kind": row["kind"].lower()})
    for row in _core.dtype_rows()
}
KINDS = frozenset(row.kind for row in ROWS.values())
HALF = frozenset(dtype for dtype, row in ROWS.items() if row.is_half)
FLOATING = frozenset(dtype for dtype, row in ROWS.items() if row.kind == "floating")
COMPLEX = frozenset(dtype for dtype, row in ROWS.items() if row.kind == "complex")
INTEGER = frozenset(dtype for dtype, row in ROWS.items() if row.kind == "integer")


def by_kind(**values: T) -> dict[_core.dtype, T]:
    """A value for each dtype, by its kind.

    All kinds are named, so a module that does not handle a new kind fails at import. What
    treats one kind differently from all others uses this, not `is_floating_point`.

    Example:
        >>> import gpukit
        >>> from gpukit._dtypes import by_kind
        >>> has_nan = by_kind(bool=False, integer=False, floating=True, complex=False)
        >>> has_nan[gpukit.int8]
        False
    """
    if values.keys() != KINDS:
        raise TypeError(f"by_kind: give a value for each of {sorted(KINDS)}, got {sorted(values)}")
    return {dtype: values[row.kind] for dtype, row in ROWS.items()}
