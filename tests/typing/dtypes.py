"""Types of elements."""

import gpukit

x = gpukit.tensor([1, 2, 3])
y = x.float()
z = gpukit.zeros(3, dtype="float64")
w = x.to(dtype=gpukit.bool)
x.dtype.name.upper()
x.float32()  # E: attr-defined
x.type(3)  # E: call-overload
gpukit.sum(x, dtype=1)  # E: arg-type
kept: str = x.dtype  # E: assignment
print(y, z, w, x.element_size() * x.numel())
