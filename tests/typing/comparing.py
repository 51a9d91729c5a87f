"""Masks."""

import gpukit

x = gpukit.randn(5)
mask = x > 0
positive = x[mask]
clean = gpukit.where(mask, x, 0.0)
places = gpukit.where(mask)
found: bool = gpukit.allclose(x, x)
gpukit.where(True, x, 0.0)  # E: call-overload
gpukit.allclose(x, 1.0)  # E: arg-type
gpukit.clamp(x, min="0")  # E: arg-type
print(places.shape)  # E: attr-defined
print(positive, clean, found, mask.any().item(), gpukit.clamp(x, 0, 1))
