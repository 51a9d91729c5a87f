"""A small task that needs a hidden layer: arms of a spiral, one class an arm."""

from __future__ import annotations

from typing import Any

import numpy as np


def spirals(points: int, arms: int = 3, *, seed: int = 0) -> tuple[Any, Any]:
    """(x, class): `points` in the plane for each arm, float32, with a little noise; int64."""
    rng = np.random.default_rng(seed)
    radius = np.linspace(0.05, 1, points)
    parts = []
    for arm in range(arms):
        angle = 4 * radius + 2 * np.pi * arm / arms + rng.normal(0, 0.1, points)
        parts.append(np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1))
    return np.concatenate(parts).astype(np.float32), np.repeat(np.arange(arms), points)


def accuracy(logits: Any, classes: Any) -> float:
    """Share of rows whose largest logit is that of their class."""
    return float((np.asarray(logits).argmax(1) == classes).mean())
