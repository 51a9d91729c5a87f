"""A kernel by cuda.core: compiled to PTX by NVRTC, launched on each device.

gpukit sim 2xT4 -- python examples/cuda/with_cuda_core.py
"""

import numpy as np
from cuda.core import (
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    Program,
    ProgramOptions,
    launch,
)

SOURCE = r"""
extern "C" __global__ void scale(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""
COUNT = 1000
BYTES = 4 * COUNT


def run(device: Device) -> None:
    """Scale numbers on one device and check them."""
    device.set_current()
    stream = device.create_stream()
    options = ProgramOptions(arch="compute_75", std="c++17")
    # PTX, and not "cubin": machine code is not run by the simulated driver.
    kernel = Program(SOURCE, "c++", options).compile("ptx").get_kernel("scale")
    page_locked = LegacyPinnedMemoryResource().allocate(BYTES)
    numbers = np.from_dlpack(page_locked).view(np.float32)
    numbers[:] = np.arange(COUNT)
    x, y = (device.allocate(BYTES, stream=stream) for _ in range(2))
    x.copy_from(page_locked, stream=stream)
    config = LaunchConfig(grid=8, block=128)
    launch(stream, config, kernel, y, x, np.float32(3), np.int32(COUNT))
    y.copy_to(page_locked, stream=stream)
    stream.sync()
    np.testing.assert_array_equal(numbers, 3 * np.arange(COUNT, dtype=np.float32))
    print(f"{device.name}: scale is right, y[999] is {numbers[999]:.0f}")


def main() -> None:
    """Run on every device."""
    for ordinal in range(len(Device.get_all_devices())):
        run(Device(ordinal))


main()
