"""torch's place of DistributedSampler: the one of gpukit.utils.data."""

from gpukit._names.suggest import module_getattr
from gpukit.utils.data import (
    DistributedSampler,
)

__all__ = [
    "DistributedSampler",
]

__getattr__ = module_getattr(__name__)
