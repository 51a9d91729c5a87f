"""Errors where torch asserts: programs that catch AssertionError catch them too."""

from __future__ import annotations

from gpukit.errors import ArgumentError, ShapeError


class AssertedError(ArgumentError, AssertionError):
    """An argument has an invalid value."""


class AssertedShapeError(ShapeError, AssertionError):
    """Sizes do not fit."""
