"""The table: NumPy's functions, and what computes each over tensors.

A function that is not here raises TypeError. Nothing falls back to NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gpukit
from gpukit import _core
from gpukit.interop import _products as products
from gpukit.interop import _reductions as reductions
from gpukit.interop import _shapes as shapes
from gpukit.interop._ufuncs import compute, to_numpy_dtype

Tensor = _core.Tensor


def _real(a: Tensor) -> Tensor:
    return a.real


def _imag(a: Tensor) -> Tensor:
    return a.imag if a.is_complex() else gpukit.zeros_like(a)


def _has_no_imag(a: Tensor) -> Tensor:
    return _imag(a) == 0


def _has_imag(a: Tensor) -> Tensor:
    return _imag(a) != 0


def _fix(x: Tensor) -> Tensor:
    return compute(np.trunc, (x,))


def _sinc(x: Tensor) -> Tensor:
    angle = gpukit.pi * (x if x.is_floating_point() else x.double())
    return gpukit.where(angle == 0, 1.0, angle.sin() / angle)


def _isposinf(x: Tensor) -> Tensor:
    return compute(np.isinf, (x,)) & (x > 0)


def _isneginf(x: Tensor) -> Tensor:
    return compute(np.isinf, (x,)) & (x < 0)


def _angle(z: Tensor, deg: bool = False) -> Tensor:
    if z.is_complex():
        return z.angle() * (180.0 / gpukit.pi if deg else 1.0)
    values = z if z.is_floating_point() else z.double()
    turn = gpukit.where(values < 0, 180.0 if deg else gpukit.pi, 0.0).to(values.dtype)
    return gpukit.where(gpukit.isnan(values), values, turn)


def _isclose(a: Tensor, b: Any, rtol: float = 1e-5, atol: float = 1e-8, **more: Any) -> Tensor:
    first, second = _both(a, b)
    return gpukit.isclose(first, second, rtol=rtol, atol=atol, **more)


def _allclose(a: Tensor, b: Any, rtol: float = 1e-5, atol: float = 1e-8, **more: Any) -> bool:
    return bool(_isclose(a, b, rtol, atol, **more).all())


def _array_equal(a1: Any, a2: Any) -> bool:
    first, second = _both(a1, a2)
    return first.shape == second.shape and bool((first == second).all())


def _both(a: Any, b: Any) -> list[Tensor]:
    tensors = [each if isinstance(each, Tensor) else gpukit.tensor(each) for each in (a, b)]
    return shapes.common(tensors)


def _shape(a: Tensor) -> tuple[int, ...]:
    return tuple(a.shape)


def _dimensions(a: Tensor) -> int:
    return a.ndim


def _result_type(*values: Any) -> np.dtype[Any]:
    return np.result_type(
        *[to_numpy_dtype(each.dtype) if isinstance(each, Tensor) else each for each in values]
    )


def _is_complex(x: Any) -> bool:
    return bool(x.is_complex())


def _is_real(x: Any) -> bool:
    return not x.is_complex()


def _hstack(tup: Any) -> Tensor:
    return shapes.concatenate(tup, 0 if tup[0].ndim == 1 else 1)


def _vstack(tup: Any) -> Tensor:
    return shapes.concatenate([each if each.ndim > 1 else each.unsqueeze(0) for each in tup])


def _average(a: Tensor, axis: Any = None, weights: Any = None, **more: Any) -> Tensor:
    if weights is not None:
        raise TypeError("average: weights are not supported. Use (a * w).sum() / w.sum()")
    return reductions.mean(a, axis, **more)


def _copy(a: Tensor) -> Tensor:
    return a.clone()


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.all: reductions.all_,
    np.allclose: _allclose,
    np.amax: reductions.max_,
    np.amin: reductions.min_,
    np.angle: _angle,
    np.any: reductions.any_,
    np.argmax: reductions.argmax,
    np.argmin: reductions.argmin,
    np.argpartition: shapes.argpartition,
    np.argsort: shapes.argsort,
    np.argwhere: gpukit.argwhere,
    np.around: shapes.round_,
    np.array_equal: _array_equal,
    np.average: _average,
    np.bincount: shapes.bincount,
    np.broadcast_to: shapes.broadcast_to,
    np.clip: shapes.clip,
    np.compress: shapes.compress,
    np.concatenate: shapes.concatenate,
    np.copy: _copy,
    np.count_nonzero: reductions.count_nonzero,
    np.cumprod: reductions.cumprod,
    np.cumsum: reductions.cumsum,
    np.diag: gpukit.diag,
    np.diagonal: shapes.diagonal,
    np.diff: shapes.diff,
    np.digitize: shapes.digitize,
    np.dot: products.dot,
    np.einsum: products.einsum,
    np.empty_like: shapes.like(gpukit.empty),
    np.expand_dims: shapes.expand_dims,
    np.fix: _fix,
    np.flip: shapes.flip,
    np.full_like: shapes.full_like,
    np.hstack: _hstack,
    np.imag: _imag,
    np.inner: products.inner,
    np.interp: shapes.interp,
    np.isclose: _isclose,
    np.iscomplex: _has_imag,
    np.iscomplexobj: _is_complex,
    np.isin: shapes.isin,
    np.isneginf: _isneginf,
    np.isposinf: _isposinf,
    np.isreal: _has_no_imag,
    np.isrealobj: _is_real,
    np.linalg.norm: products.norm,
    np.max: reductions.max_,
    np.mean: reductions.mean,
    np.median: reductions.median,
    np.min: reductions.min_,
    np.moveaxis: shapes.moveaxis,
    np.nan_to_num: shapes.nan_to_num,
    np.nanargmax: reductions.nanargmax,
    np.nanargmin: reductions.nanargmin,
    np.nancumprod: reductions.nancumprod,
    np.nancumsum: reductions.nancumsum,
    np.nanmax: reductions.nanmax,
    np.nanmean: reductions.nanmean,
    np.nanmin: reductions.nanmin,
    np.nanprod: reductions.nanprod,
    np.nanstd: reductions.nanstd,
    np.nansum: reductions.nansum,
    np.nanvar: reductions.nanvar,
    np.ndim: _dimensions,
    np.nonzero: shapes.nonzero,
    np.ones_like: shapes.like(gpukit.ones),
    np.outer: products.outer,
    np.partition: shapes.partition,
    np.percentile: reductions.percentile,
    np.prod: reductions.prod,
    np.ravel: shapes.ravel,
    np.real: _real,
    np.repeat: shapes.repeat,
    np.reshape: shapes.reshape,
    np.result_type: _result_type,
    np.roll: shapes.roll,
    np.rollaxis: shapes.rollaxis,
    np.round: shapes.round_,
    np.searchsorted: shapes.searchsorted,
    np.shape: _shape,
    np.sinc: _sinc,
    np.size: shapes.size_of,
    np.sort: shapes.sort,
    np.squeeze: shapes.squeeze,
    np.stack: shapes.stack,
    np.std: reductions.std,
    np.sum: reductions.sum_,
    np.swapaxes: shapes.swapaxes,
    np.take: shapes.take,
    np.take_along_axis: shapes.take_along_axis,
    np.tensordot: products.tensordot,
    np.tile: shapes.tile,
    np.trace: products.trace,
    np.transpose: shapes.transpose,
    np.tril: gpukit.tril,
    np.triu: gpukit.triu,
    np.unique: shapes.unique,
    np.unravel_index: shapes.unravel_index,
    np.var: reductions.var,
    np.vdot: products.vdot,
    np.vstack: _vstack,
    np.where: shapes.where,
    np.zeros_like: shapes.like(gpukit.zeros),
}

# What ufunc.reduce and ufunc.accumulate are.
REDUCE: dict[str, Callable[..., Tensor]] = {
    "add": reductions.sum_,
    "logical_and": reductions.all_,
    "logical_or": reductions.any_,
    "maximum": reductions.max_,
    "minimum": reductions.min_,
    "multiply": reductions.prod,
}
ACCUMULATE: dict[str, Callable[..., Tensor]] = {
    "add": reductions.cumsum,
    "multiply": reductions.cumprod,
}
