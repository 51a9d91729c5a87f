"""A kernel that races. On a card this test may pass; with check=race it fails, and says where.

pytest --gpukit-simulate 2xT4,check=memory,race examples/cuda/test_with_numba_race.py
"""

import numpy as np
import pytest
from numba import cuda

pytestmark = pytest.mark.filterwarnings("ignore")


@cuda.jit(lineinfo=True)
def add_up(x, total):
    total[0] += x[cuda.grid(1)]  # two threads read the same total, and one sum is lost


def test_add_up():
    total = cuda.to_device(np.zeros(1, np.float32))
    add_up[1, 64](cuda.to_device(np.zeros(64, np.float32)), total)
    assert total.copy_to_host()[0] == 0
