"""Elementary functions are within 2 ulp; the tables are in docs/tensors.md."""

from __future__ import annotations

import numpy as np
import pytest

from .elementary_accuracy import COMPLEX, REAL, complex_distance, distances

# log|z| near the unit circle; NumPy computes it with more digits there.
COMPLEX_LIMIT = 2.0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", REAL)
def test_real_functions_are_within_two_units(name: str, dtype: str) -> None:
    found = distances(name, dtype, 200)
    assert found["gpukit"] <= 2, found


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_functions_are_as_near_as_numpy_or_within_two_units(name: str, dtype: str) -> None:
    found = distances(name, dtype, 200)
    assert found["gpukit"] <= max(COMPLEX_LIMIT, found["numpy"]), found


def test_complex_distances_are_of_the_absolute_value() -> None:
    eps = 2.0**-52
    assert complex_distance(np.array([1 + 3j * eps]), [1.0]) == 3
    assert complex_distance(np.array([2 + 0j]), [2.0]) == 0
