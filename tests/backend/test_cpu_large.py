"""More elements than 32 bits can count."""

from __future__ import annotations

import gpukit

COUNT = 2**31 + 70


def test_an_index_beyond_two_to_the_31_reaches_its_element():
    x = gpukit.zeros(COUNT, dtype=gpukit.uint8)
    x[COUNT - 1] = 7
    assert int(x.argmax()) == COUNT - 1
    assert int(x.max()) == 7
    assert int(gpukit.count_nonzero(x)) == 1
    x += 1
    assert int(x.sum()) == COUNT + 7
    assert x[2**31 :].tolist() == [1] * 69 + [8]
    rows = x.reshape(2, COUNT // 2)
    assert rows.T[-1].tolist() == [1, 8]
