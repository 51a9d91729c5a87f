"""Sums over dimensions."""

import gpukit

x = gpukit.rand(4, 3)
rows = x.sum(dim=1, keepdim=True)
everything = x.sum().item() + 1
both = gpukit.mean(x, dim=(0, 1))
x.sum(dim="rows")  # E: arg-type
x.sum(keep=True)  # E: call-arg
gpukit.mean([1.0, 2.0])  # E: arg-type
x.sum(dim=1.0)  # E: arg-type
print(rows, everything, both)
