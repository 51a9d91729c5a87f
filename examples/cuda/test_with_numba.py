"""A test of a numba kernel, as a project without a GPU has it; it knows nothing of gpukit.

pytest --gpukit-simulate 2xT4,check=memory,race examples/cuda/test_with_numba.py
"""

import numpy as np
import pytest
from numba import cuda

pytestmark = pytest.mark.filterwarnings("ignore")


@cuda.jit
def shift(x, y):
    i = cuda.grid(1)
    if i < x.size - 1:
        y[i] = x[i + 1]


def test_shift():
    x = np.arange(200, dtype=np.float32)
    y = cuda.to_device(np.zeros_like(x))
    shift[2, 128](cuda.to_device(x), y)
    np.testing.assert_array_equal(y.copy_to_host()[:-1], x[1:])


def test_every_device_has_its_own_memory():
    for device in cuda.gpus:
        with device:
            assert cuda.to_device(np.ones(3)).copy_to_host().sum() == 3
    assert len(cuda.gpus) == 2
