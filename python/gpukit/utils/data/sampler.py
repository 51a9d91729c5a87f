"""torch's place of samplers: those of gpukit.utils.data."""

from gpukit._names.suggest import module_getattr
from gpukit.utils.data import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

__getattr__ = module_getattr(__name__)
