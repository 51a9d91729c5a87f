"""gpukit tensors as the chunks of Dask arrays (extra `dask`).

`from_tensor(x)` makes a Dask array of a tensor. Importing this module registers `Chunk` with dask;
a worker imports it when the first chunk arrives there, because pickle names this module.
"""

from __future__ import annotations

import math
from typing import Any

import dask.array as da
import numpy as np
from dask.array import dispatch
from dask.sizeof import sizeof

import gpukit
from gpukit import _core
from gpukit.interop import _reductions
from gpukit.interop._chunk import Chunk

__all__ = ["Chunk", "from_tensor", "to_numpy"]

Chunk.__module__ = __name__  # what pickle names, so that a worker registers before it unpickles


def from_tensor(x: _core.Tensor, chunks: Any = "auto", *, name: Any = None) -> Any:
    """A Dask array whose chunks are gpukit's.

    Args:
        x: a tensor, on any device; dask copies it once, and the chunks stay on its device.
        chunks: as for `dask.array.from_array`: a size, a shape, sizes by axis, or "auto".
        name: as for `dask.array.from_array`; None names it by its contents.

    Returns:
        a `dask.array.Array`; `compute()` returns a `Chunk`, whose `.tensor` is the result.

    Raises:
        TypeError: x is not a tensor.

    Example:
        >>> import gpukit
        >>> from gpukit.interop.dask import from_tensor
        >>> x = from_tensor(gpukit.arange(6).reshape(2, 3), chunks=(1, 3))
        >>> (x + 1).sum(axis=0).compute().tensor
        tensor([5, 7, 9])
    """
    return da.from_array(Chunk(x), chunks=chunks, name=name, asarray=False)


def to_numpy(chunk: Any) -> Any:
    """The chunk as a NumPy array: what `map_blocks` takes to leave gpukit on purpose.

    Args:
        chunk: a `Chunk`; anything else is returned unchanged.

    Returns:
        a NumPy array; a copy for a chunk on a GPU.

    Example:
        >>> import gpukit
        >>> from gpukit.interop.dask import from_tensor, to_numpy
        >>> from_tensor(gpukit.ones(4), chunks=2).map_blocks(to_numpy).compute()
        array([1., 1., 1., 1.], dtype=float32)
    """
    return chunk.tensor.numpy(force=True) if isinstance(chunk, Chunk) else chunk


def _numel(x: Chunk, **kwargs: Any) -> Any:
    """How many elements each reduced place has, as dask's own function for NumPy."""
    axis, keepdims = kwargs.get("axis"), bool(kwargs.get("keepdims", False))
    dtype = np.dtype(kwargs.get("dtype") or np.float64)
    axes = tuple(range(x.ndim)) if axis is None else tuple(np.atleast_1d(axis).tolist())
    count = math.prod(x.shape[each] for each in axes)
    kept = [1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes]
    return np.full_like(x, count, shape=tuple(kept), dtype=dtype)


def _nannumel(x: Chunk, **kwargs: Any) -> Any:
    return np.sum(~np.isnan(x), **kwargs)


def _divide(a: Any, b: Any, dtype: Any = None) -> Any:
    return np.true_divide(a, b, dtype=dtype)


def _percentile(a: Chunk, q: Any, method: str = "linear") -> tuple[Chunk, int]:
    """Percentiles of a chunk and how many elements it has, as dask merges them."""
    count = len(a)
    if not count:
        return a, 0
    found = _reductions.percentile(a.tensor, to_numpy(q), method=method)
    return Chunk(found), count


def _sizeof(tensor: _core.Tensor) -> int:
    """Bytes that the object keeps alive; an expanded tensor has fewer than its elements' bytes."""
    _, stored = _core.storage_info(tensor)
    return 100 + min(tensor.nbytes, int(stored))


def _sizeof_chunk(chunk: Chunk) -> int:
    return 50 + _sizeof(chunk.tensor)


def _empty(shape: Any, dtype: Any = None) -> Chunk:
    return Chunk(gpukit.empty(shape, dtype=np.dtype(dtype)))


def _register() -> None:
    """Dispatch by chunk class for dask; everything else uses NumPy's protocols."""
    for lookup, function in {
        dispatch.concatenate_lookup: np.concatenate,
        dispatch.divide_lookup: _divide,
        dispatch.einsum_lookup: np.einsum,
        dispatch.empty_lookup: _empty,
        dispatch.nannumel_lookup: _nannumel,
        dispatch.numel_lookup: _numel,
        dispatch.percentile_lookup: _percentile,
        dispatch.take_lookup: np.take,
        dispatch.tensordot_lookup: np.tensordot,
        dispatch.to_numpy_dispatch: to_numpy,
    }.items():
        lookup.register(Chunk, function)
    sizeof.register(Chunk, _sizeof_chunk)
    sizeof.register(gpukit.Tensor, _sizeof)


_register()
