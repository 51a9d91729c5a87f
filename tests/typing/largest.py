"""Largest elements, and where they are."""

import gpukit

scores = gpukit.rand(8, 10)
best = scores.max()
values, places = scores.max(dim=1)
named = gpukit.max(scores, dim=1)
larger = gpukit.max(scores, gpukit.zeros(8, 10))
answer: int = scores.argmax(dim=1)  # E: assignment
print(best.item(), values.shape, places.dtype, named.indices)
print(best.values)  # E: attr-defined
print(named.places)  # E: attr-defined
print(larger)
