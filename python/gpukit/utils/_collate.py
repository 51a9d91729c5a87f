"""Batches of samples: one structure of many, with tensors of what can be one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from copy import copy
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit.errors import ShapeError


def default_collate(batch: Sequence[Any]) -> Any:
    """Make one structure of many samples: tensors stacked, numbers as a tensor, strings unchanged.

    Python's floats become float64, its ints int64.

    Args:
        batch: The samples: tensors, arrays, numbers, strings, or sequences and dicts of them.

    Raises:
        TypeError: A sample is something else, such as None.
        ShapeError: Tensors of different shapes, or sequences of different lengths.

    Example:
        >>> from gpukit.utils.data import default_collate
        >>> default_collate([(1, 0.5), (2, 1.5)])
        [tensor([1, 2]), tensor([0.5000, 1.5000], dtype=gpukit.float64)]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _core.stack(list(batch))
    if isinstance(first, float):
        return _core.tensor(batch, dtype=_core.float64)  # as torch does, and as Python computes
    if isinstance(first, int):
        return _core.tensor(batch)
    if isinstance(first, Mapping):
        columns = {key: default_collate([sample[key] for sample in batch]) for key in first}
        return of_kind(first, columns)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(column) for column in _columns(batch)))
    if isinstance(first, (str, bytes)):
        return batch
    if hasattr(first, "__array__") or hasattr(first, "__array_interface__"):
        return _core.stack([_core.as_tensor(sample) for sample in batch])
    if isinstance(first, Sequence):
        return [default_collate(column) for column in _columns(batch)]
    raise TypeError(
        "default_collate: batch must hold tensors, arrays, ints, floats, strings, or sequences and "
        f"dicts of them, got {type(first).__name__}; give the DataLoader a collate_fn for it"
    )


def _columns(batch: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    lengths = sorted({len(sample) for sample in batch})
    if len(lengths) > 1:
        raise ShapeError(
            f"default_collate: the sequences in batch must have one length, got {lengths}; give "
            "the DataLoader a collate_fn that pads them"
        )
    return zip(*batch, strict=True)


def of_kind(mapping: Mapping[Any, Any], columns: dict[Any, Any]) -> Any:
    """Columns as a mapping of the kind of a sample, such as an OrderedDict; else as a dict."""
    try:
        if not isinstance(mapping, MutableMapping):
            return type(mapping)(columns)  # type: ignore[call-arg]
        made = copy(mapping)
        made.update(columns)
    except TypeError:  # not made of a dict
        return columns
    return made


def default_convert(data: Any) -> Any:
    """Make tensors of arrays inside of a structure; the rest stays as it is.

    Args:
        data: An array, or tuples, lists and dicts with arrays.

    Returns:
        The same structure.

    Example:
        >>> import numpy as np
        >>> from gpukit.utils.data import default_convert
        >>> default_convert((np.ones(2), "text"))
        [tensor([1., 1.], dtype=gpukit.float64), 'text']
    """
    if isinstance(data, (Tensor, str, bytes)):
        return data
    if hasattr(data, "__array__") or hasattr(data, "__array_interface__"):
        return _core.as_tensor(data)
    if isinstance(data, Mapping):
        return of_kind(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(value) for value in data))
    if isinstance(data, (tuple, list)):
        return [default_convert(value) for value in data]
    return data
