"""Errors of what torch asserts: programs that catch AssertionError see them too."""

from __future__ import annotations

from gpukit.errors import ArgumentError, ShapeError


class AssertedError(ArgumentError, AssertionError):
    """An argument has a value that will not do."""


class AssertedShapeError(ShapeError, AssertionError):
    """Sizes do not fit."""
