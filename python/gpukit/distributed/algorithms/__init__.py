"""torch's place of what wraps training loops: `gpukit.distributed.algorithms.join`."""

from gpukit._names.suggest import module_getattr
from gpukit.distributed.algorithms import join

__all__ = ["join"]

__getattr__ = module_getattr(__name__)
