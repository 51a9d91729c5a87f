"""torch's place of data sets: those of gpukit.utils.data."""

from gpukit._names.suggest import module_getattr
from gpukit.utils.data import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

__getattr__ = module_getattr(__name__)
