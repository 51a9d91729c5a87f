"""Differences that are not meant: seen, reported, not fixed yet. The shorter the better; a fix takes its row away."""

from __future__ import annotations

from .differences import Documented, accepts, has, no_dims, refuses, seen

NOTES = "open"

TABLE: tuple[Documented, ...] = ()


__all__ = ["NOTES", "TABLE", "Documented", "accepts", "has", "no_dims", "refuses", "seen"]
