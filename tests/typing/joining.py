"""Tensors put together and taken apart."""

import gpukit

a, b = gpukit.zeros(2, 3), gpukit.ones(2, 3)
long = gpukit.cat([a, b], dim=0)
deep = gpukit.stack((a, b))
left, right = gpukit.split(long, 2)
gpukit.cat(a)  # E: arg-type
gpukit.stack([a, 1])  # E: list-item
gpukit.cat([a, b], dim=None)  # E: arg-type
gpukit.chunk(a, 2).sum()  # E: attr-defined
print(deep, left, right, gpukit.chunk(a, 2)[0])
