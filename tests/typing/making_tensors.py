"""Tensors of numbers and of sizes."""

import gpukit

a = gpukit.tensor([[1.0, 2.0], [3.0, 4.0]])
b = gpukit.zeros(2, 3)
c = gpukit.ones((2, 3), dtype=gpukit.int64)
d = gpukit.full((2, 2), 7)
e = gpukit.zeros("2")  # E: arg-type
f = gpukit.ones(2, 3, dtype=3)  # E: call-overload
g = gpukit.full("2", 7)  # E: arg-type
print(a.shape[0], b.ndim, c.dtype, d.numel())
