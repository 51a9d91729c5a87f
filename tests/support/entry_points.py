"""The one table of calls that may wait for a GPU.

It feeds the tests of the GIL, of Ctrl-C and of bad arguments (`tests/sim/test_entry_points.py`),
and a gpukit call that says it waits and has no row here fails one of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import gpukit
from gpukit import cuda

GPU = "cuda:0"


@dataclass
class World:
    """What the calls work on. The GPU is a simulated one that takes its time."""

    bytes_a_second: float
    x: gpukit.Tensor = field(default_factory=lambda: gpukit.full((8, 8), 2.0, device=GPU))
    one: gpukit.Tensor = field(default_factory=lambda: gpukit.full((), 3, device=GPU))
    regular: gpukit.Tensor = field(default_factory=lambda: 2 * gpukit.eye(2, device=GPU))
    host: gpukit.Tensor = field(default_factory=lambda: gpukit.full((8, 8), 2.0))
    index: gpukit.Tensor = field(default_factory=lambda: gpukit.zeros(2, dtype="int64", device=GPU))
    large: gpukit.Tensor = field(default_factory=lambda: gpukit.ones(1 << 19))
    event: cuda.Event = field(default_factory=cuda.Event)
    stream: cuda.Stream = field(default_factory=lambda: cuda.current_stream(GPU))

    def __post_init__(self) -> None:
        self.load = gpukit.empty(1 << 18, dtype="uint8").pin_memory()
        self.target = gpukit.empty_like(self.load, device=GPU)
        for call in CALLS.values():  # what the first use of anything costs
            call(self)

    def busy(self, seconds: float) -> None:
        """Put work of this length into the current stream."""
        for _ in range(max(1, round(seconds * self.bytes_a_second / self.load.nbytes))):
            self.target.copy_(self.load, non_blocking=True)
        self.event.record()

    def rest(self) -> None:
        """Wait until all of it is done."""
        gpukit.synchronize(GPU)

    def arriving(self) -> gpukit.Tensor:
        """A CPU tensor whose bytes come behind the work."""
        return self.x.to("cpu", non_blocking=True)


def _await(w: World) -> Any:
    async def main() -> Any:
        return await w.arriving()

    return asyncio.run(main())


def _prefetch(w: World) -> Any:
    return [batch.sum().item() for batch in gpukit.prefetch([w.host, w.host], GPU)]


# name -> the call. A name with a dot or a space is not a function of the extension's table.
CALLS: dict[str, Callable[[World], Any]] = {
    "__array__": lambda w: w.arriving().__array__(),
    "__format__": lambda w: format(w.one, ".1f"),
    "__reduce_ex__": lambda w: w.x.__reduce_ex__(4),
    "__dlpack__": lambda w: w.x.__dlpack__(dl_device=(1, 0)),
    "allclose": lambda w: gpukit.allclose(w.x, w.x),
    "argwhere": lambda w: gpukit.argwhere(w.x),
    "as_tensor": lambda w: gpukit.as_tensor([w.one, 2]),
    "asarray": lambda w: gpukit.asarray(w.x, device="cpu"),
    "cholesky": lambda w: gpukit.cholesky(w.regular),
    "inverse": lambda w: gpukit.inverse(w.regular),
    "matrix_exp": lambda w: gpukit.matrix_exp(w.regular),
    "masked_scatter": lambda w: gpukit.masked_scatter(w.x, w.x > 0, w.x),
    "masked_scatter_": lambda w: gpukit.zeros_like(w.x).masked_scatter_(w.x > 0, w.x),
    "pdist": lambda w: gpukit.pdist(w.x),
    "type": lambda w: w.x.type(gpukit.FloatTensor),
    "bincount": lambda w: gpukit.bincount(w.index),
    "block_until_ready": lambda w: w.x.block_until_ready(),
    "copy_": lambda w: gpukit.zeros(8, 8).copy_(w.x),
    "cpu": lambda w: w.x.cpu(),
    "cuda": lambda w: w.host.cuda(),
    "equal": lambda w: gpukit.equal(w.x, w.x),
    "from_dlpack": lambda w: gpukit.from_dlpack(w.x, device="cpu"),
    "full": lambda w: gpukit.full((2,), w.one),
    "igamma": lambda w: gpukit.igamma(w.x, w.x),
    "is_nonzero": lambda w: gpukit.is_nonzero(w.one),
    "istft": lambda w: gpukit.istft(w.x.to("complex64"), 14),
    "nonzero_static": lambda w: gpukit.nonzero_static(w.x, size=2),
    "item": lambda w: w.one.item(),
    "masked_select": lambda w: gpukit.masked_select(w.x, w.x > 0),
    "multinomial": lambda w: gpukit.multinomial(w.x[0], 1),
    "new_full": lambda w: w.x.new_full((2,), w.one),
    "nonzero": lambda w: gpukit.nonzero(w.x),
    "numpy": lambda w: w.x.numpy(force=True),
    "pin_memory": lambda w: w.arriving().clone().pin_memory(),
    "tensor": lambda w: gpukit.tensor([w.one, 2]),
    "to": lambda w: w.x.to("cpu"),
    "tobytes": lambda w: w.x.cpu().tobytes(),
    "tolist": lambda w: w.x.tolist(),
    "unique": lambda w: gpukit.unique(w.x),
    "wait": lambda w: w.x.wait(),
    "await x": _await,
    "bool(x)": lambda w: bool(w.one),
    "cuda.synchronize": lambda w: cuda.synchronize(0),
    "Event.synchronize": lambda w: w.event.synchronize(),
    "float(x)": lambda w: float(w.one),
    "index(x)": lambda w: range(9)[w.one],
    "int(x)": lambda w: int(w.one),
    "memoryview(x)": lambda w: memoryview(w.arriving())[0, 0],
    "np.asarray(x)": lambda w: np.asarray(w.arriving()),
    "pageable upload": lambda w: w.large.to(GPU),
    "pinned upload": lambda w: w.load.to(GPU),
    "prefetch": _prefetch,
    "repr(x)": lambda w: repr(w.x),
    "Stream.synchronize": lambda w: w.stream.synchronize(),
    "sum of a copy": lambda w: w.arriving().sum(),
    "synchronize": lambda w: gpukit.synchronize(GPU),
    "tensor on a GPU": lambda w: gpukit.tensor(np.ones(4), device=GPU),
    "to_cpu": lambda w: gpukit.to_cpu([w.x, {"a": w.one}]),
    "TransferFuture.result": lambda w: gpukit.TransferFuture([w.arriving()]).result(),
    "x[mask]": lambda w: w.x[w.x > 0],
    "wait(timeout)": lambda w: w.x.wait(10),
}

# They say that they wait since memory, an image or an index on the host may make them; what these
# tests could give them only queues.
QUEUES = set(
    """
    __array_namespace__ __arrow_c_array__ __complex__ addbmm addbmm_ addcdiv addcdiv_ addcmul
    addcmul_ addmm_ addmv addmv_ addr addr_ adjoint aminmax apply_ as_strided_ as_strided_scatter
    atleast_1d atleast_2d atleast_3d backward baddbmm baddbmm_ bernoulli bernoulli_ block_diag
    broadcast_shapes broadcast_tensors bucketize cartesian_prod cauchy_ cdist chain_matmul
    cholesky_inverse cholesky_solve clamp_max clamp_max_ clamp_min clamp_min_ combinations convolve
    corrcoef cross cumprod_ cumsum_ cumulative_trapezoid deg2rad deg2rad_ det diag diag_embed
    diagflat diagonal_scatter diff dist dsplit dstack einsum exponential_ fill_diagonal_ fliplr
    flipud float_power float_power_ fmax fmin fmod fmod_ frac frac_ frexp gather gcd gcd_ geometric_
    geqrf ger gradient hardshrink heaviside heaviside_ histogram hsplit hstack index_add index_add_
    index_copy index_copy_ index_fill index_fill_ index_put index_put_ index_reduce index_reduce_
    index_select inner interp is_same_size is_set_to is_signed isin isneginf isposinf isreal kron
    kthvalue lcm lcm_ ldexp ldexp_ lerp lerp_ linalg_cross linalg_det linalg_diagonal linalg_eigh
    linalg_eigvalsh linalg_householder_product linalg_lstsq linalg_matrix_norm linalg_matrix_rank
    linalg_multi_dot linalg_norm linalg_pinv linalg_qr linalg_slogdet linalg_solve_triangular
    linalg_svd linalg_svdvals linalg_vander linalg_vecdot linalg_vector_norm log_normal_ logdet map_
    masked_fill masked_fill_ median meshgrid mode moveaxis movedim msort mvlgamma mvlgamma_
    nan_to_num nan_to_num_ nanmean nanquantile nansum narrow_copy new_empty_strided normal orgqr
    pinverse polygamma_ positive prelu put put_ qr quantile rad2deg rad2deg_ random_ renorm renorm_
    repeat_interleave resize_ resize_as_ roll rot90 scatter scatter_ scatter_add scatter_add_
    scatter_reduce scatter_reduce_ searchsorted select_scatter set_ sgn_ share_memory_ slice_scatter
    slogdet split_with_sizes squeeze_ std_mean stft storage sum_to_size svd swapaxes_ swapdims_ t_
    take take_along_dim tensor_split tensordot tile to_device trace transpose_ trapezoid trapz
    triangular_solve tril_ triu_ type_as unflatten unravel_index unsqueeze_ unstack untyped_storage
    vander var_mean vdot vecdot vsplit vstack where
    """.split()  # noqa: SIM905
)

# Linear algebra that reads an info, a norm or pivots as `inverse`, `matrix_exp` and `cholesky` do.
ALIKE = set(
    """
    cov cummax cummin histc igammac linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig
    linalg_eigvals linalg_inv linalg_inv_ex linalg_lu linalg_lu_factor linalg_lu_factor_ex
    linalg_lu_solve linalg_matrix_exp linalg_matrix_power linalg_solve linalg_solve_ex
    linalg_tensorinv linalg_tensorsolve logcumsumexp lu lu_solve lu_unpack matrix_power nanmedian
    tril_indices triu_indices unique_consecutive
    """.split()  # noqa: SIM905
)

# name -> (the call with a bad argument, the error, a part of its message)
BAD: dict[str, tuple[Callable[[World], Any], type[BaseException], str]] = {
    "__format__": (lambda w: format(w.one, "z?"), ValueError, "format"),
    "allclose": (lambda w: gpukit.allclose(w.x, "y"), TypeError, "'y'"),
    "block_until_ready": (lambda w: w.x.block_until_ready("now"), TypeError, "timeout"),
    "copy_": (lambda w: w.x.copy_(w.index), gpukit.ShapeError, "copy_"),
    "cpu": (lambda w: w.x.cpu(non_blocking="yes"), TypeError, "non_blocking"),
    "cuda": (lambda w: w.host.cuda("cuda:77"), gpukit.DeviceNotFoundError, "77"),
    "equal": (lambda w: gpukit.equal(w.x, w.host), gpukit.DeviceMismatchError, "cuda:0"),
    "item": (lambda w: w.x.item(), gpukit.ShapeError, "64"),
    "masked_select": (lambda w: gpukit.masked_select(w.x, w.index), gpukit.DTypeError, "bool"),
    "nonzero": (lambda w: gpukit.nonzero(3), TypeError, "nonzero"),
    "numpy": (lambda w: w.x.numpy(), gpukit.DeviceError, "cuda:0"),
    "to": (lambda w: w.x.to("cude:0"), gpukit.InvalidDeviceError, "cude:0"),
    "tolist": (lambda w: w.x.tolist(1), TypeError, "tolist"),
    "unique": (lambda w: gpukit.unique("x"), TypeError, "unique"),
    "wait": (lambda w: w.x.wait(-1), ValueError, "-1"),
    "bool(x)": (lambda w: bool(w.x), ValueError, "64"),
    "cuda.synchronize": (lambda w: cuda.synchronize(77), gpukit.DeviceNotFoundError, "77"),
    "Event.synchronize": (lambda w: w.event.record("s"), TypeError, "Stream"),
    "float(x)": (lambda w: float(w.x), ValueError, "64"),
    "index(x)": (lambda w: range(9)[w.x[0, 0]], TypeError, "float32"),
    "int(x)": (lambda w: int(w.x), ValueError, "64"),
    "pageable upload": (lambda w: w.large.to(GPU, stream="s"), TypeError, "stream"),
    "prefetch": (lambda w: gpukit.prefetch(3, GPU), TypeError, "int"),
    "Stream.synchronize": (lambda w: w.stream.wait_stream(3), TypeError, "stream"),
    "synchronize": (lambda w: gpukit.synchronize("gpu:x"), gpukit.InvalidDeviceError, "gpu:x"),
    "tensor on a GPU": (lambda w: gpukit.tensor([[1], [2, 3]], device=GPU), ValueError, "ragged"),
    "to_cpu": (lambda w: gpukit.to([w.x], 3.5), gpukit.InvalidDeviceError, "3.5"),
    "TransferFuture.result": (lambda w: gpukit.TransferFuture([]), TypeError, "tensors"),
    "x[mask]": (lambda w: w.x[w.x[0] > 0, 0, 0], IndexError, "3 indices"),
    "wait(timeout)": (lambda w: w.x.wait(float("nan")), ValueError, "nan"),
}
