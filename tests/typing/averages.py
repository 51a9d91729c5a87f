"""Means, deviations and scaled data."""

import gpukit


def scaled(data: gpukit.Tensor) -> gpukit.Tensor:
    """Mean 0 and deviation 1 in each column."""
    return (data - data.mean(dim=0)) / data.std(dim=0)


def count(data: gpukit.Tensor) -> int:
    """How many elements are over the mean."""
    return (data > data.mean()).sum()  # E: return-value


x = gpukit.randn(100, 3)
print(scaled(x), gpukit.var(x, dim=0, correction=0))
scaled([1.0, 2.0])  # E: arg-type
scaled(x, 0)  # E: call-arg
gpukit.std(x, dim="columns")  # E: arg-type
middle = gpukit.median(x, dim=0)
print(middle.values, gpukit.median(x).item())
