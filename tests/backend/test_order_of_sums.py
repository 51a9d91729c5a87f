"""Sums of rows on GPUs add in the order that docs promise, however their elements are read.

A row of n elements has 2^k lanes, at most 256, of four runs each. The runs of a lane are added in
pairs, then lanes at half the distance, again and again.
"""

from __future__ import annotations

import numpy as np
import pytest

import gpukit

LENGTHS = (5, 13, 16, 17, 64, 65, 100, 255, 256, 513, 1000, 1001, 1024, 1027, 4099)


def lanes_of(length: int) -> int:
    lanes = 1
    while lanes < min(max(1, length // 4), 256):
        lanes *= 2
    return lanes


def summed(row: np.ndarray) -> np.float32:
    lanes, sums = lanes_of(row.size), []
    for lane in range(lanes):
        runs, at = [np.float32(0)] * 4, lane
        while at + 3 * lanes < row.size:
            runs = [run + row[at + e * lanes] for e, run in enumerate(runs)]
            at += 4 * lanes
        for x in row[at::lanes]:
            runs[0] = runs[0] + x
        sums.append((runs[0] + runs[1]) + (runs[2] + runs[3]))
    while len(sums) > 1:
        half = len(sums) // 2
        sums = [a + b for a, b in zip(sums[:half], sums[half:], strict=True)]
    return sums[0]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("offset", [0, 1], ids=["aligned", "one element on"])
def test_rows_add_in_one_order(gpu_device, length, offset):
    drawn = np.random.default_rng(length).standard_normal(3 * length + 1).astype(np.float32)
    rows = drawn[offset : offset + 3 * length].reshape(3, length)
    on_gpu = gpukit.tensor(drawn, device=gpu_device)[offset : offset + 3 * length].reshape(
        3, length
    )
    assert on_gpu.sum(1).tolist() == [summed(row) for row in rows]
    assert on_gpu.amax(1).tolist() == rows.max(1).tolist()
    assert on_gpu.amin(1).tolist() == rows.min(1).tolist()
    first = on_gpu[0, 1:] if length > 5 else on_gpu[0]
    assert first.sum().item() == summed(rows[0, 1:] if length > 5 else rows[0])
