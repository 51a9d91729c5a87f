"""Arrow's libraries read gpukit's tensors without a copy."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

import gpukit

# Arrow has neither bfloat16 nor complex numbers: tests/unit/test_hand_over.py.
DTYPES = {value for value in vars(gpukit).values() if isinstance(value, gpukit.dtype)}
DTYPES -= {gpukit.bfloat16, gpukit.complex64, gpukit.complex128}
DTYPES = sorted(DTYPES, key=lambda dtype: dtype.name)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_pyarrow_reads_the_elements(dtype: gpukit.dtype) -> None:
    x = (gpukit.arange(11) % 5).to(dtype)
    assert pa.array(x).to_pylist() == x.tolist()
    assert pa.array(x[3:]).to_pylist() == x[3:].tolist()
    assert pa.array(x[::2]).to_pylist() == x[::2].tolist()
    assert pa.array(x[:0]).to_pylist() == []


def test_pyarrow_shares_the_memory_and_keeps_it_alive() -> None:
    x = gpukit.arange(5.0)
    array = pa.array(x)
    assert array.buffers()[1].address == x.data_ptr()
    del x
    assert array.to_pylist() == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_polars_makes_a_series() -> None:
    series = pl.Series("a", gpukit.arange(4.0))
    assert series.to_list() == [0.0, 1.0, 2.0, 3.0]
    assert series.dtype == pl.Float32
    assert pl.Series(gpukit.tensor([True, False])).to_list() == [True, False]
