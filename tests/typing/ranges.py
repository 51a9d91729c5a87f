"""Counted numbers."""

import gpukit

x = gpukit.arange(10)
y = gpukit.arange(0.0, 1.0, 0.1)
z = gpukit.linspace(0, 1, 5)
gpukit.arange("10")  # E: call-overload
gpukit.linspace(0, 1, "5")  # E: arg-type
gpukit.eye([3])  # E: arg-type
print(x, y, z, gpukit.eye(3))
