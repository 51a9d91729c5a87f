"""The catalogue: one small check for each cause, in the order in which layers build on another."""

from __future__ import annotations

from importlib import import_module

from gpukit.doctor.catalogue.base import Row, registered

_MODULES = (
    "hosted",
    "system",
    "containers",
    "driver",
    "devices",
    "visibility",
    "kernels",
    "frameworks",
    "memory",
    "special",
    "other_vendors",
    "apple",
)


def rows() -> list[Row]:
    """Every row of the catalogue, first layer first."""
    for name in _MODULES:
        import_module(f"gpukit.doctor.catalogue.{name}")
    return sorted(registered(), key=lambda row: row.layer)


def row(code: str) -> Row:
    """The row of a code."""
    return next(row for row in rows() if row.code == code)
