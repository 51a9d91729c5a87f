"""Copies between strides, in words as wide as both sides allow: 1 to 16 bytes."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import ALL, assert_same, put

# (rows, columns of the source, first column, columns of the copy): runs of neighbours that begin
# and end at whole words of each width, or do not.
RUNS = [(7, 64, 0, 32), (7, 64, 16, 16), (7, 64, 8, 8), (7, 60, 4, 28), (5, 62, 2, 30),
        (5, 63, 0, 32), (5, 64, 1, 32), (5, 64, 0, 31), (3, 17, 16, 1), (1, 64, 0, 32)]  # fmt: skip


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Each item unlike its neighbours, in all of its bytes."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 37 + 5) % 251).astype(dtype).reshape(shape)


@pytest.mark.parametrize("run", RUNS, ids=str)
@pytest.mark.parametrize("dtype", ALL)
def test_columns_of_rows(dtype, run, device):
    rows, width, first, columns = run
    x = numbers(dtype, (rows, width))
    part = np.s_[:, first : first + columns]
    assert_same(put(x, device)[part].clone(), x[part], tolerance=0)
    target = np.zeros((rows, width + 8), dtype)
    mine = put(target, device)
    mine[part].copy_(put(x, device)[part])
    target[part] = x[part]
    assert_same(mine, target, tolerance=0)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
def test_backwards_repeated_and_of_three_dimensions(dtype, device):
    x = numbers(dtype, (6, 4, 32))
    mine = put(x, device)
    for key in (np.s_[::2, ::-1, :16], np.s_[::-1, 1::2, 8:24], np.s_[:, :, 16:20]):
        assert_same(mine[key].clone(), x[key], str(key), tolerance=0)
    assert_same(mine[:, 1:2, :16].expand(6, 5, 16).clone(), np.repeat(x[:, 1:2, :16], 5, 1),
                tolerance=0)  # fmt: skip
    assert_same(mine.permute(1, 0, 2).contiguous(), x.transpose(1, 0, 2), tolerance=0)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_joined_rows(dtype, device):
    parts = [numbers(dtype, (5, columns)) for columns in (16, 4, 1, 32)]
    got = gpukit.cat([put(part, device) for part in parts], 1)
    assert_same(got, np.concatenate(parts, 1), tolerance=0)
