"""Special functions are as near to the exact values as SciPy's; the table is in docs/tensors.md."""

from __future__ import annotations

import numpy as np
import pytest

from .special_accuracy import CASES, distance, distances

# Nearly as near: both lose what x / sqrt(2) rounds, one a little more than the other.
MUCH = {("ndtr", "float64"): 1.5, ("log_ndtr", "float64"): 1.5}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_no_farther_than_scipy(name: str, dtype: str) -> None:
    found = distances(name, dtype, 100)
    assert found["gpukit"] <= max(2.5, found["scipy"] * MUCH.get((name, dtype), 1.0)), found


def test_distances_count_units_of_the_last_place() -> None:
    assert distance(np.array([1.0, 1 + 2.0**-51]), [1.0, 1.0]) == 2
    assert distance(np.array([np.float32(2)]), [2.0]) == 0
