"""Random numbers."""

import gpukit

gpukit.manual_seed(0)
source = gpukit.Generator().manual_seed(1)
x = gpukit.rand(2, 3, generator=source)
y = gpukit.randint(0, 10, (4,))
z = gpukit.randint(10, (4,))
w = gpukit.normal(0.0, 1.0, (2, 2))
gpukit.rand(2, generator=1)  # E: call-overload
gpukit.randint(0, 10, "4")  # E: arg-type
gpukit.randperm("5")  # E: arg-type
gpukit.randn(2.5)  # E: call-overload
print(x, y, z, w, gpukit.randperm(5))
gpukit.manual_seed("one")  # E: arg-type
