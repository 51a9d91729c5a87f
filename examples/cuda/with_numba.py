"""Kernels by numba-cuda: a sum by atomics, shared memory with barriers, two devices.

gpukit sim 2xT4 -- python examples/cuda/with_numba.py
"""

import warnings

import numpy as np
from numba import cuda, float32
from numba.core.errors import NumbaPerformanceWarning

warnings.simplefilter("ignore", NumbaPerformanceWarning)
THREADS = 128


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def block_sums(x, total):
    shared = cuda.shared.array(THREADS, float32)
    i, thread = cuda.grid(1), cuda.threadIdx.x
    shared[thread] = x[i] if i < x.size else 0
    step = THREADS // 2
    while step > 0:
        cuda.syncthreads()
        if thread < step:
            shared[thread] += shared[thread + step]
        step //= 2
    if thread == 0:
        cuda.atomic.add(total, 0, shared[0])


def main():
    x = np.arange(1000, dtype=np.float32)
    for device in cuda.gpus:
        with device:
            y = cuda.to_device(np.ones(1000, np.float32))
            saxpy[8, THREADS](np.float32(2), cuda.to_device(x), y)
            np.testing.assert_array_equal(y.copy_to_host(), 1 + 2 * x)
            total = cuda.to_device(np.zeros(1, np.float32))
            block_sums[8, THREADS](cuda.to_device(x), total)
            assert total.copy_to_host()[0] == x.sum()
            print(
                f"{device.name.decode() if isinstance(device.name, bytes) else device.name}: "
                f"saxpy and block_sums are right, the sum is {total.copy_to_host()[0]:.0f}"
            )


main()
