"""gpukit tensors as chunks of Dask arrays: 38 checks against NumPy chunks, and refusals.

The checks were written down before the code. Every result must have gpukit's chunks: its meta, each
block, and what compute() gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

import gpukit
from gpukit.interop.dask import Chunk, from_tensor, to_numpy

SHAPE, CHUNKS = (4, 6, 5), (2, 3, 4)


def numbers() -> np.ndarray:
    return np.random.default_rng(0).standard_normal(SHAPE).astype(np.float32)


def setitem(x: Any) -> Any:
    x = x.copy()
    x[1, 2:5] = 7
    x[x < -1] = 0
    return x


CHECKS: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda x: x,
    "add": lambda x: x + x,
    "number": lambda x: 2 * x - 1,
    "divide": lambda x: x / 3,
    "power": lambda x: x**2,
    "compare": lambda x: x > 0.5,
    "absolute": abs,
    "exp": np.exp,
    "expm1": da.expm1,
    "where": lambda x: da.where(x > 0, x, -x),
    "clip": lambda x: x.clip(-0.5, 0.5),
    "round": lambda x: x.round(1),
    "astype": lambda x: x.astype("int64"),
    "index": lambda x: x[1],
    "slices": lambda x: x[::2, None, 1:4],
    "fancy": lambda x: x[:, [0, 5, 2]],
    "transpose": lambda x: x.T,
    "reshape": lambda x: x.reshape((24, 5)),
    "rechunk": lambda x: x.rechunk((4, 2, 5)),
    "concatenate": lambda x: da.concatenate([x, x + 1], axis=1),
    "stack": lambda x: da.stack([x, x]),
    "flip": lambda x: da.flip(x, 0),
    "sum": lambda x: x.sum(),
    "sum over axes": lambda x: x.sum(axis=(0, 2)),
    "mean": lambda x: x.mean(axis=1),
    "std": lambda x: x.std(),
    "var": lambda x: x.var(axis=0, ddof=1),
    "max": lambda x: x.max(axis=2),
    "argmax": lambda x: x.argmax(axis=1),
    "cumsum": lambda x: x.cumsum(axis=1),
    "topk": lambda x: da.topk(x, 3, axis=1),
    "percentile": lambda x: da.percentile(x.reshape(-1).rechunk(-1), [5, 50, 95]),
    "tensordot": lambda x: da.tensordot(x, x, axes=[(0, 1), (0, 1)]),
    "einsum": lambda x: da.einsum("ijk,ijk", x, x),
    "full_like": lambda x: da.full_like(x, 5),
    "setitem": setitem,
    "map_blocks": lambda x: x.map_blocks(lambda block: block * 2),
    "any of none": lambda x: da.any(da.isnan(x), axis=0),
}


def both() -> tuple[Any, Any]:
    a = numbers()
    return from_tensor(gpukit.tensor(a), chunks=CHUNKS), da.from_array(a, chunks=CHUNKS)


def blocks(x: Any) -> list[Any]:
    (computed,) = dask.compute(x.to_delayed().ravel().tolist(), scheduler="sync")
    return list(computed)


@pytest.mark.filterwarnings("ignore::dask.array.core.PerformanceWarning")
@pytest.mark.parametrize("name", CHECKS)
def test_the_same_as_numpy_with_gpukits_chunks(name: str) -> None:
    ours, theirs = (CHECKS[name](x) for x in both())
    assert type(ours._meta) is Chunk
    assert {type(block) for block in blocks(ours)} == {Chunk}
    got, wanted = ours.compute(scheduler="sync"), theirs.compute(scheduler="sync")
    assert type(got) is Chunk
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(to_numpy(got), wanted, rtol=2e-5, atol=1e-5)


def test_there_are_38_checks() -> None:
    assert len(CHECKS) == 38


REFUSED: dict[str, Callable[[Any], Any]] = {
    "svd": lambda x: da.linalg.svd(x.reshape((24, 5)).rechunk((12, 5)))[1],
    "qr": lambda x: da.linalg.qr(x.reshape((24, 5)).rechunk((12, 5)))[1],
    "inv": lambda x: da.linalg.inv(x[0, :5, :5].rechunk(5)),
    "fft": lambda x: da.fft.fft(x.rechunk({2: -1})),
    "i0": lambda x: x.map_blocks(np.i0, dtype="f4"),
    "asarray": lambda x: x.map_blocks(np.asarray, dtype="f4"),
    "gcd": lambda x: x.astype("int64").map_blocks(lambda b: np.gcd(b, 2), dtype="i8"),
}


@pytest.mark.filterwarnings("ignore::dask.array.core.PerformanceWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_what_gpukit_lacks_raises_and_never_becomes_numpy(name: str) -> None:
    with pytest.raises(TypeError, match=r"gpukit|complex|singular"):
        REFUSED[name](both()[0]).compute(scheduler="sync")


DTYPES = ("bool", "uint8", "int16", "int32", "int64", "float16", "float64")
NOT_OF_BOOL = {"number", "where", "max"}  # these subtract, which NumPy refuses for bool


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in ("sum", "mean", "std", "max", "divide", "cumsum", "number", "where")
        for dtype in DTYPES
        if dtype != "bool" or name not in NOT_OF_BOOL
    ],
)
def test_dtypes_are_numpys(name: str, dtype: str) -> None:
    a = (np.arange(120).reshape(SHAPE) % 7).astype(dtype)
    x = from_tensor(gpukit.tensor(a), chunks=CHUNKS)
    got = CHECKS[name](x).compute(scheduler="sync")
    wanted = CHECKS[name](da.from_array(a, chunks=CHUNKS)).compute(scheduler="sync")
    assert got.dtype == wanted.dtype
    tolerance = 2e-3 if dtype == "float16" else 1e-6
    np.testing.assert_allclose(to_numpy(got), wanted, rtol=tolerance)


def test_dask_knows_the_bytes() -> None:
    from dask.sizeof import sizeof

    x = gpukit.ones(400, 1000)
    assert sizeof(x) >= x.nbytes
    assert sizeof(Chunk(x)) >= x.nbytes
    assert sizeof(gpukit.ones(1).expand(1_000_000)) < 1000
    assert from_tensor(x, chunks=(100, 1000)).nbytes == x.nbytes


def test_chunks_on_simulated_gpus_stay_there() -> None:
    x = gpukit.arange(24.0, device="cuda:1").reshape(4, 6)
    result = (from_tensor(x, chunks=(2, 3)) * 2).sum(axis=0).compute(scheduler="sync")
    assert str(result.tensor.device) == "cuda:1"
    assert result.tensor.tolist() == (x * 2).sum(0).tolist()
    with pytest.raises(gpukit.DeviceMismatchError, match="NumPy array meets a chunk on cuda:1"):
        Chunk(x) + np.ones((4, 6), np.float32)


def test_a_tensor_itself_is_what_it_was() -> None:
    """NumPy's protocols are the chunk's alone; a tensor wraps results, as torch's do."""
    assert not hasattr(gpukit.Tensor, "__array_function__")
    assert not hasattr(gpukit.Tensor, "__array_ufunc__")
    assert type(np.exp(gpukit.ones(2))) is gpukit.Tensor
