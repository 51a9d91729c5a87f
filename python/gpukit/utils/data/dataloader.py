"""torch's place of the loader: that of gpukit.utils.data."""

from gpukit._names.suggest import module_getattr
from gpukit.utils.data import (
    DataLoader,
    default_collate,
    default_convert,
    get_worker_info,
)

__all__ = [
    "DataLoader",
    "default_collate",
    "default_convert",
    "get_worker_info",
]

__getattr__ = module_getattr(__name__)
