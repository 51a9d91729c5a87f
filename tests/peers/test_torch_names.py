# ruff: noqa: E501 - a row is a line
"""Names that torch programs use, each form beside torch: values, errors, gradients, distributions.

A row is an expression of `t` (torch, or gpukit) and the tensors of test_torch_call_forms. What has
samples in torch's own table is also compared over those: test_torch_second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

from .test_torch_call_forms import value_of
from .test_torch_composed import agree, rows

IN_PLACE = """
x.lt_(0)
x.le_(y)
n.gt_(1)
x.ge_(v)
n.eq_(2)
x.ne_(y)
x.less_(0), x.less_equal_(0), x.greater_(0), x.greater_equal_(0), x.not_equal_(0)
x.logical_and_(y)
n.logical_or_(n)
n.logical_xor_(t.ones(2, 3))
n.logical_not_()
x.cumsum_(1)
x.cumsum_(dim=0)
n.cumprod_(1)
t.full((5,), 100, dtype=t.int8).cumsum_(0)
m.tril_()
m.triu_(1)
x.transpose_(0, 1)
x.swapaxes_(0, 1).shape, y.swapdims_(-1, 0).shape
m.addmm_(x.T, y, beta=0.5, alpha=2)
v.addmv_(m, w)
v.addmv_(m, w, beta=0)
x.addr_(v[:2], w)
m.clone().addbmm_(m[None], m[None])
m[None].clone().baddbmm_(m[None], m[None], alpha=3)
x.fmod_(0.7)
n.fmod_(2)
x.double().float_power_(2)
x.ldexp_(n)
x.fix_()
x.nan_to_num_()
t.tensor([float("nan"), float("inf"), -float("inf")]).nan_to_num_(1.0, 2.0, 3.0)
x.sgn_()
x.frac_()
x.renorm_(2, 0, 0.5)
x.abs_().polygamma_(1)
(x.abs() + 2).mvlgamma_(2)
x.arctan2_(y)
x.clamp_(-1, 1).arccos_(), y.clamp_(-1, 1).arcsin_(), v.arctan_()
(x.abs() + 1).arccosh_(), y.arcsinh_(), (v * 0.3).clamp(-0.9, 0.9).arctanh_()
t.arange(6.0).as_strided_((2, 2), (1, 2), 1)
x.resize_as_(t.ones(2, 2))
x.apply_(lambda a: a * 2 + 1)
x.map_(y, lambda a, b: a - b)
n.map_(t.ones(3, dtype=t.int64), lambda a, b: a + b)
x.index_reduce_(0, t.tensor([1, 1]), y, "prod")
"""
FUNCTIONS = """
t.arccos(x.clamp(-1, 1)), t.arcsin(x.clamp(-1, 1)), t.arctan(x), t.arctan2(x, y)
t.arccosh(x.abs() + 1), t.arcsinh(x), t.arctanh(x.clamp(-0.9, 0.9))
t.fix(x), x.fix()
t.column_stack((v, w)), t.column_stack((x, y, v[:2]))
t.column_stack((t.tensor(1.0), t.tensor(2.0)))
t.row_stack((v, w))
t.hsplit(x, 3), t.vsplit(x, 2), t.hsplit(v, [1]), x.hsplit((1, 2))
t.dsplit(t.arange(8).reshape(1, 2, 4), 2)
t.inner(v, w), t.inner(x, y), t.inner(x, t.tensor(2.0)), t.inner(n, n)
t.vdot(v, w), v.vdot(w)
t.vdot(t.tensor([1 + 2j, 3j]), t.tensor([2 - 1j, 1j]))
t.ger(v, w), v.ger(w)
t.addr(x, v[:2], w, beta=2, alpha=0.5)
t.addmv(v, m, w, beta=2, alpha=0.5)
t.addmv(t.full((3,), float("nan")), m, w, beta=0)
t.addbmm(m, m[None].expand(2, 3, 3), m[None].expand(2, 3, 3), beta=0.5)
t.logspace(0, 2, 5), t.logspace(0, 4, 5, base=2), t.logspace(-1, 1, 1), t.logspace(0, 1, 0)
t.logspace(0, 3, 4, dtype=t.int64), t.logspace(0, 1, 3, dtype=t.float64)
t.range(1, 4), t.range(0, 1, 0.25), t.range(3, 0, -1), t.range(0, 5, 2, dtype=t.int64)
t.randint_like(x, 3, 4), t.randint_like(n, 1), t.randint_like(n, 2, 3, dtype=t.float32)
t.diagflat(x), t.diagflat(v, 1), v.diagflat(-1)
t.float_power(x.abs(), y), t.float_power(n, 2), t.float_power(2, n), n.float_power(0.5)
t.float_power(t.tensor([1 + 1j]), 2)
t.frexp(x), t.frexp(x.double()), t.frexp(x.half())
t.frexp(t.tensor([0.0, -0.0, 1e-42, 1.0, -8.0, 3.4e38])).mantissa
t.frexp(t.tensor([5e-324, 1e-310, 1.7e308], dtype=t.float64)).exponent
t.ldexp(x, n), t.ldexp(x, t.tensor(-3)), t.ldexp(n, n)
t.isneginf(t.tensor([-float("inf"), 1.0])), t.isposinf(t.tensor([float("inf"), 1.0])), t.isposinf(n)
t.isreal(x), t.isreal(t.tensor([1 + 0j, 1j])), x.isreal()
t.swapdims(x, 0, 1), x.swapdims(0, -1)
t.adjoint(x), t.adjoint(t.tensor([[1 + 1j, 2]])).resolve_conj()
t.unravel_index(t.tensor([[1, 5], [0, 3]]), (2, 3))
t.unravel_index(t.tensor([4]), 6)
t.select_scatter(x, v, 0, 1), x.select_scatter(v[:2], 1, -1)
t.slice_scatter(x, y[:, :2], 1, 1), x.slice_scatter(y[:1], start=1, end=5)
t.slice_scatter(t.zeros(7), t.ones(3), step=3), t.slice_scatter(x, y[:1], 0, -1)
t.diagonal_scatter(m, v), m.diagonal_scatter(v[:2], 1)
t.split_with_sizes(x, [1, 2], 1), x.split_with_sizes((1, 1))
t.unsafe_chunk(x, 2, 1), t.unsafe_split(x, 1)
t.index_reduce(x, 0, t.tensor([1, 1]), y, "amax"), x.index_reduce(1, t.tensor([0, 0, 2]), y, "mean")
t.index_reduce(x, 0, t.tensor([1, 0]), y, "prod", include_self=False)
t.put(x, t.tensor([0, 4]), t.tensor([1.0, 2.0])), x.put(t.tensor([1, 1]), v[:2], accumulate=True)
t.is_nonzero(t.tensor([0.0])), t.tensor(3).is_nonzero()
t.is_same_size(x, y), x.is_same_size(v), t.is_signed(x), t.ones(1, dtype=t.uint8).is_signed()
x.sum_to_size(1, 3), x.sum_to_size((3,)), m[None].sum_to_size(3, 1)
t.empty_strided((2, 3), (1, 2)).stride(), x.new_empty_strided((3,), (2,)).stride()
t.scalar_tensor(3), t.scalar_tensor(2, dtype=t.int64), t.scalar_tensor(True)
t.frobenius_norm(x, 1), t.frobenius_norm(x, (0, 1), True), t.nuclear_norm(m), t.nuclear_norm(m[None], (1, 2))
t.rsub(x, y), t.rsub(x, 2, alpha=3)
t.nonzero_static(n, size=4), n.nonzero_static(size=9, fill_value=7)
t.igamma(x.abs(), y.abs()), t.igammac(x.abs(), v.abs()), x.abs().igamma(y.abs())
t.special.gammainc(x.abs(), y.abs()), t.special.gammaincc(x.abs(), y.abs())
[d.to_real() for d in (t.complex64, t.complex128, t.float16, t.int8)], [d.to_complex() for d in (t.float32, t.float64, t.bfloat16, t.complex64)]
[(s.is_shared(), s.is_pinned(), s.is_cuda, s.element_size(), s.__setitem__(0, 7), s[0]) for s in (n.clone().untyped_storage(),)], t.autograd.Function.generate_vmap_rule
x.storage().size(), len(x.storage()), n.storage().tolist(), x[1:].storage().size()
x.is_set_to(x), x.is_set_to(y), x.is_set_to(x.clone()), x.is_set_to(x[:])
x.is_quantized, x.is_meta, x.is_nested, x.is_sparse_csr, x.is_mps, x.is_xpu
t.detach(x), t.select(x, 0, 1), t.get_device(x)
t.select(x, dim=1, index=0)
"""
WINDOWS = """
t.hann_window(7), t.hann_window(8, periodic=False), t.hann_window(1), t.hann_window(0)
t.hamming_window(7), t.hamming_window(8, False, 0.6, 0.4), t.hamming_window(2, dtype=t.float64)
t.blackman_window(7), t.blackman_window(6, False)
t.bartlett_window(7), t.bartlett_window(6, False), t.bartlett_window(2)
t.kaiser_window(7), t.kaiser_window(6, False, 3.0), t.kaiser_window(6, periodic=True, beta=1.5)
t.stft(t.arange(16.0), 8, return_complex=True)
t.stft(t.arange(32.0).reshape(2, 16).sin(), 8, 3, 6, t.hann_window(6), return_complex=True)
t.stft(t.arange(16.0), 8, center=False, normalized=True, return_complex=True)
t.stft(t.arange(16.0), 7, hop_length=2, onesided=False, pad_mode="constant", return_complex=True)
t.stft(t.arange(16.0).sin(), 8, pad_mode="replicate", return_complex=True)
t.stft(t.arange(16.0).sin(), 8, pad_mode="circular", return_complex=True)
t.stft(t.arange(16.0), 8, return_complex=False)
t.stft(t.complex(t.arange(16.0), t.ones(16)), 8)
t.istft(t.stft(t.arange(16.0), 8, return_complex=True), 8)
t.istft(t.stft(t.arange(32.0).reshape(2, 16).sin(), 8, 2, 6, t.hann_window(6), return_complex=True), 8, 2, 6, t.hann_window(6))
t.istft(t.stft(t.arange(16.0), 8, return_complex=True), 8, length=13)
t.istft(t.stft(t.arange(16.0), 8, return_complex=True), 8, length=20)
t.istft(t.stft(t.arange(16.0), 8, center=False, normalized=True, return_complex=True), 8, center=False, normalized=True)
t.istft(t.stft(t.arange(16.0), 8, onesided=False, return_complex=True), 8, onesided=False)
t.arange(16.0).stft(4, return_complex=True).istft(4)
"""
LAYERS = """
t.conv1d(x[None], y[None]), t.conv1d(x[None], y[None, :, :2], v[:1], 1, 1)
t.conv2d(m[None, None], m[None, None], padding="same"), t.conv_transpose1d(x[None], y[:, None])
t.conv3d(m[None, None, None], m[None, None, None]), t.conv_transpose2d(m[None, None], m[None, None], None, 2)
t.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, True)
t.batch_norm(x, v, w, t.zeros(3), t.ones(3), False, 0.1, 1e-5, False)
t.layer_norm(x, (3,)), t.layer_norm(x, (3,), v, w, 1e-3), t.group_norm(x, 3), t.group_norm(x, 1, v, w)
t.instance_norm(m[None], None, None, None, None, True, 0.1, 1e-5, False)
t.rms_norm(x, (3,)), t.rms_norm(x, (3,), v, 1e-3)
t.dropout(x, 0.5, False), t.dropout(x, p=1.0, train=True), t.alpha_dropout(x, 0.3, False)
t.embedding(m, n[:, :2] // 2), t.embedding(m, i, 1)
t.cosine_similarity(x, y), t.cosine_similarity(x, y, dim=0), t.pairwise_distance(x, y, 1.0)
t.kl_div(x, y.abs(), 1), t.kl_div(x, y.abs(), reduction=2), t.kl_div(x, y, 0, log_target=True)
t.binary_cross_entropy_with_logits(x, y.sigmoid()), t.binary_cross_entropy_with_logits(x, y.sigmoid(), None, v.abs(), 0)
t.cosine_embedding_loss(x, y, t.tensor([1, -1])), t.cosine_embedding_loss(x, y, t.tensor([1, -1]), 0.2, 0)
t.hinge_embedding_loss(x, t.ones(2, 3)), t.margin_ranking_loss(v, w, t.ones(3), 0.5, 2)
t.triplet_margin_loss(x, y, x + 1), t.poisson_nll_loss(x, y.abs(), True, False, 1e-8, 1)
t.ctc_loss(x[:, None].log_softmax(2), t.tensor([[1]]), (2,), (1,))
t.pixel_shuffle(t.arange(16.0).reshape(1, 4, 2, 2), 2), t.pixel_unshuffle(t.arange(16.0).reshape(1, 1, 4, 4), 2)
t.channel_shuffle(t.arange(8.0).reshape(1, 4, 2), 2)
t.prelu(x, t.tensor(0.2)), t.rrelu(x), t.selu(x), t.celu(x), t.celu(x, 2.0), t.threshold(x, 0.1, 9.0), t.hardshrink(x)
t.max_pool1d(x, 2), t.max_pool2d(m[None], 2, 1), t.avg_pool1d(x, 2, 1), t.adaptive_avg_pool1d(x, 2)
t.adaptive_max_pool1d(x, 2)
t.bilinear(x, y, m[None].expand(2, 3, 3)), t.constant_pad_nd(x, (1, 2), 5.0), t.constant_pad_nd(x, [0, 1, 1, 0])
t.abs_(x), t.exp_(y), t.relu_(v), t.clamp_(w, 0, 1), t.fill_(m, 2.0), t.zero_(n)
t.sigmoid_(x), t.tanh_(y), t.sqrt_(v.abs()), t.sin_(w), t.cos_(m), t.round_(x), t.floor_(y), t.ceil_(v)
t.log_(x.abs()), t.neg_(y), t.selu_(v), t.celu_(w), t.threshold_(m, 0.0, 1.0)
"""
FAULTS = """
n.lt_(t.ones(4))
v[:1].eq_(v)
x.float_power_(2)
n.addmm_(x.T, y)
n.fmod_(0.5)
x.addr_(v, w)
n.cumsum_(5)
x.cumsum_(0, dtype=t.int64)
t.hsplit(x, 2)
t.vsplit(v, 1)
t.dsplit(x, 1)
t.inner(x, v[:2])
t.vdot(x, y)
t.addmv(v, m, v[:2])
t.logspace(0, 1, -1)
t.range(0, 3, 0)
t.range(0, 3, -1)
t.frexp(n)
t.isneginf(t.tensor([1j]))
t.is_nonzero(v)
t.unravel_index(x, (2, 3))
t.select_scatter(x, v[:2], 0, 1)
t.slice_scatter(x, y, 0, 1)
t.diagonal_scatter(m, v[:2])
t.split_with_sizes(x, [1, 1], 1)
t.index_reduce(x, 0, t.tensor([1, 1]), y, "sum")
t.index_reduce(x, 0, t.tensor([1]), y, "amax")
x.sum_to_size(2, 2)
t.hann_window(-1)
t.hann_window(3, dtype=t.int64)
t.stft(x[0], 8, return_complex=True)
t.stft(t.arange(16.0), 8)
t.stft(n, 2, return_complex=True)
t.stft(t.arange(16.0), 8, 0, return_complex=True)
t.stft(t.arange(16.0), 8, win_length=9, return_complex=True)
t.istft(x, 4)
t.istft(x.to(t.complex64), 8)
t.exponential_(x)
x.exponential_(-1.0)
n.exponential_()
x.geometric_(0.0)
x.cauchy_(0, -1)
x.log_normal_(0, -1)
x.random_(3, 3)
t.poisson(-t.ones(2))
t.nuclear_norm(v)
"""
SLOPES = """
x.float_power(3)
t.ldexp(x, n)
t.frexp(x).mantissa
t.inner(x, y)
t.addmv(v, x.T @ y, x[0])
t.addr(x, y[:, 0], y[0])
t.addbmm(x, x[None], (x.T @ y)[None])
t.select_scatter(x, y[0], 0, 1)
t.slice_scatter(x, y[:, :2], 1, 1)
t.diagonal_scatter(x, y[0, :2])
t.index_reduce(x, 0, t.tensor([1, 1]), y, "mean")
t.index_reduce(x, 0, t.tensor([1, 1]), y, "prod")
t.put(x, t.tensor([0, 4]), y[0, :2])
x.sum_to_size(1, 3)
t.diagflat(x)
t.hsplit(x, 3)[1]
t.column_stack((x, y))
t.igamma(v.abs(), x.abs())
t.igammac(t.tensor(2.0), x.abs() + y.abs())
t.view_as_real(t.stft(x.flatten(), 4, 1, window=t.hann_window(4), return_complex=True))
t.istft(t.stft(x.flatten(), 4, 1, return_complex=True), 4, 1)
(x * 1).cumsum_(1)
(x * 1).cumprod_(0)
(x * 1).tril_()
(x * 1).addr_(y[:, 0], y[0])
(x * 1).fmod_(0.7)
(x * 1).lt_(0) + x
(x * 1).renorm_(2, 0, 0.5)
t.exp_(x * y)
t.batch_norm(x, v, w, None, None, True, 0.1, 1e-1, True)
t.embedding(x, t.tensor([1, 1]))
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", rows(IN_PLACE, FUNCTIONS, WINDOWS, LAYERS))
def test_gives_what_torch_gives(row: str) -> None:
    agree(value_of(gpukit, row), value_of(torch, row), row)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", rows(FAULTS))
def test_refuses_what_torch_refuses(row: str) -> None:
    with pytest.raises(Exception):  # noqa: B017 (any of torch's)
        value_of(torch, row)
    with pytest.raises((TypeError, ValueError, IndexError, RuntimeError, AttributeError)) as caught:
        value_of(gpukit, row)
    assert len(str(caught.value)) > 10


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", rows(SLOPES))
def test_gradients_are_torchs(row: str) -> None:
    program = (
        f"x.requires_grad_(); y.requires_grad_(); r = {row}; (r * r).sum().backward(); "
        "(x.grad, y.grad)"
    )
    agree(value_of(gpukit, program), value_of(torch, program), row)


@pytest.mark.parametrize("name", ["lt_", "cumsum_", "addr_", "exponential_", "random_"])
def test_a_leaf_that_requires_a_gradient_is_refused_by_the_methods_name(name: str) -> None:
    arguments: dict[str, tuple[Any, ...]] = {
        "lt_": (0,),
        "cumsum_": (0,),
        "addr_": (gpukit.ones(2), gpukit.ones(2)),
    }
    x = gpukit.ones(2, 2, requires_grad=True)
    with pytest.raises(gpukit.AutogradError, match=name):
        getattr(x, name)(*arguments.get(name, ()))


DRAWN = {
    "exponential_(0.5)": lambda q: -np.log1p(-q) / 0.5,
    "exponential_()": lambda q: -np.log1p(-q),
    "cauchy_(1.0, 2.0)": lambda q: 1 + 2 * np.tan(np.pi * (q - 0.5)),
    "uniform_()": lambda q: q,
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("call", DRAWN)
def test_drawn_numbers_have_their_quantiles(call: str, dtype: str) -> None:
    gpukit.manual_seed(7)
    drawn = eval(f"x.{call}", {"x": gpukit.empty(40_000, dtype=dtype)}).double().numpy()
    assert np.isfinite(drawn).all() or "cauchy" in call  # whose tails leave half numbers
    shares = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    below = (drawn[:, None] <= DRAWN[call](shares)).mean(0)
    np.testing.assert_allclose(below, shares, atol=0.012)


def test_logarithms_of_log_normal_numbers_are_normal() -> None:
    gpukit.manual_seed(3)
    drawn = np.log(gpukit.empty(40_000).log_normal_(0.5, 0.25).numpy())
    assert abs(drawn.mean() - 0.5) < 0.01 and abs(drawn.std() - 0.25) < 0.01


@pytest.mark.parametrize("dtype", ["float32", "int64", "int32"])
def test_geometric_numbers(dtype: str) -> None:
    gpukit.manual_seed(5)
    drawn = gpukit.empty(40_000, dtype=dtype).geometric_(0.3).double().numpy()
    assert drawn.min() == 1
    for k in (1, 2, 5):
        assert abs((drawn == k).mean() - 0.3 * 0.7 ** (k - 1)) < 0.01


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64", "float32", "bool"])
def test_random_covers_what_the_dtype_has(dtype: str) -> None:
    gpukit.manual_seed(5)
    drawn = gpukit.empty(10_000, dtype=dtype).random_().double().numpy()
    last = {"uint8": 255, "int8": 127, "int64": 2**63 - 1, "float32": 2**24, "bool": 1}[dtype]
    assert (drawn.min() >= 0 and 0.95 * last < drawn.max() <= last) or dtype == "bool"
    few = gpukit.empty(1000, dtype=dtype).random_(0, 2).double().numpy()
    assert set(few) == {0, 1}


def test_counts_of_poisson_and_binomial_numbers() -> None:
    gpukit.manual_seed(5)
    rates = gpukit.tensor([0.5, 30.0]).expand(20_000, 2)
    drawn = gpukit.poisson(rates).numpy()
    np.testing.assert_allclose(drawn.mean(0), [0.5, 30], rtol=0.03)
    np.testing.assert_allclose(drawn.var(0), [0.5, 30], rtol=0.05)
    drawn = gpukit.binomial(gpukit.full((20_000,), 40.0), gpukit.tensor(0.25)).numpy()
    np.testing.assert_allclose([drawn.mean(), drawn.var()], [10, 7.5], rtol=0.03)


def test_a_generator_gives_the_same_counts_again() -> None:
    """And leaves the default one as it is."""
    rates, before = gpukit.tensor([0.5, 30.0, 300.0]), gpukit.get_rng_state()
    for draw in (
        lambda generator: gpukit.poisson(rates, generator=generator),
        lambda generator: gpukit.binomial(rates.ceil(), gpukit.tensor(0.25), generator),
    ):
        first, second = (draw(gpukit.Generator().manual_seed(4)) for _ in range(2))
        assert gpukit.equal(first, second)
    assert gpukit.equal(gpukit.get_rng_state(), before)
    with pytest.raises(
        TypeError, match=r"^poisson: generator must be a gpukit\.Generator, got int"
    ):
        gpukit.poisson(gpukit.zeros(0), generator=4)


@pytest.mark.parametrize("name", ["addmv", "addr", "addbmm"])
def test_beta_of_zero_gives_a_gradient_of_zeros(name: str) -> None:
    shapes = {"addmv": ((2,), (2, 3), (3,)), "addr": ((2, 3), (2,), (3,))}
    shapes["addbmm"] = ((2, 4), (5, 2, 3), (5, 3, 4))
    for library in (torch, gpukit):
        added, *others = (library.full(shape, 2.0) for shape in shapes[name])
        added[0] = float("nan")
        added.requires_grad_()
        result = getattr(library, name)(added, *others, beta=0)
        result.sum().backward()
        assert not library.isnan(result).any() and added.grad.tolist() == added.grad.mul(0).tolist()


def test_a_generator_gives_the_same_numbers_again() -> None:
    def drawn(name: str, *arguments: float) -> list[list[float]]:
        generator = gpukit.Generator().manual_seed(4)
        made = [getattr(gpukit.empty(9), name)(*arguments, generator=generator) for _ in range(2)]
        return [x.tolist() for x in made]

    for call in (
        ("exponential_",),
        ("cauchy_",),
        ("geometric_", 0.5),
        ("log_normal_",),
        ("random_",),
    ):
        one, other = drawn(*call), drawn(*call)
        assert one == other and one[0] != one[1], call


def test_low_rank_decompositions_are_those_of_the_largest_values() -> None:
    gpukit.manual_seed(1)
    drawn = np.random.default_rng(0)
    for rows_, columns in ((30, 8), (8, 30)):
        x = drawn.normal(size=(rows_, 3)) @ drawn.normal(size=(3, columns))
        u, s, v = gpukit.svd_lowrank(gpukit.tensor(x), q=4)
        np.testing.assert_allclose((u * s @ v.mT).numpy(), x, atol=1e-10)
        np.testing.assert_allclose(s[:3].numpy(), np.linalg.svd(x)[1][:3], rtol=1e-10)
        u, s, v = gpukit.pca_lowrank(gpukit.tensor(x), q=3)
        centred = x - x.mean(0)
        np.testing.assert_allclose((u * s @ v.mT).numpy(), centred, atol=1e-10)


def test_what_torch_takes_in_silence_is_refused() -> None:
    x = gpukit.ones(2, 3)
    with pytest.raises(IndexError, match="inside of 6 places"):
        gpukit.unravel_index(gpukit.tensor([7]), (2, 3))
    with pytest.raises(ValueError, match="reduction must be 0"):
        gpukit.kl_div(x, x, 7)
    with pytest.raises(ValueError, match="q must be 2 or less"):
        gpukit.pca_lowrank(x, q=4)


def test_incomplete_gamma_functions_of_large_orders() -> None:
    drawn = np.random.default_rng(0)
    a = np.concatenate([drawn.uniform(0, 9, 200), 10 ** drawn.uniform(-3, 4, 200)])
    x = a * drawn.uniform(0.3, 2, 400)
    for name in ("igamma", "igammac"):
        got = getattr(gpukit, name)(gpukit.tensor(a), gpukit.tensor(x)).numpy()
        want = getattr(torch, name)(torch.tensor(a), torch.tensor(x)).numpy()
        np.testing.assert_allclose(got, want, rtol=3e-9, atol=1e-300)


def test_incomplete_gammas_that_do_not_converge_say_so():
    large = gpukit.tensor(1e8)
    with pytest.raises(gpukit.RangeError, match="igamma: 20000 terms are not enough"):
        gpukit.igamma(large, large)


def test_the_derivative_by_the_order_is_refused():
    for t in (gpukit, torch):
        order = t.tensor(1.5, requires_grad=True)
        with pytest.raises(RuntimeError, match="derivative for 'igamma: input' is not implemented"):
            t.igamma(order, t.tensor(2.0)).backward()


@pytest.mark.parametrize(
    ("row", "equal"),
    [
        ("t.special.hermite_polynomial_h(t.ones(2), float('nan')).tolist()", True),
        ("t.special.laguerre_polynomial_l(t.ones(2), t.ones(2).double()).dtype.itemsize", True),
        ("t.svd_lowrank(t.ones(2, 3))[1].shape[0]", True),
        ("t.zeros(3, dtype=t.uint8).random_(0, 300)", False),
        ("t.zeros(3, dtype=t.int8).random_(-200, 3)", False),
    ],
)
def test_edges_of_new_names(row, equal):
    if equal:
        assert eval(row, {"t": gpukit}) == eval(row, {"t": torch})
        return
    for t in (gpukit, torch):
        with pytest.raises(RuntimeError):
            eval(row, {"t": t})


UNARY_IN_PLACE = """
acos_ acosh_ asin_ asinh_ atan_ atanh_ conj_physical_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_
expm1_ i0_ log10_ log1p_ log2_ logit_ negative_ rad2deg_ reciprocal_ rsqrt_ sinc_ sinh_ square_
tan_ trunc_
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", UNARY_IN_PLACE)
def test_functions_in_place(name):
    values = [0.25, 0.5, 0.75] if name != "acosh_" else [1.25, 2.0, 3.0]
    tensors = [t.tensor(values) for t in (gpukit, torch)]
    results = [getattr(t, name)(x) for t, x in zip((gpukit, torch), tensors, strict=True)]
    assert results[0] is tensors[0]
    np.testing.assert_allclose(tensors[0].numpy(), tensors[1].numpy(), rtol=2e-6)


@pytest.mark.parametrize(
    "row",
    [
        "t.clamp_max_(x, 0.5)",
        "t.clamp_min_(x, 0.5)",
        "t.clip_(x, 0.3, 0.6)",
        "t.xlogy_(x, x.clone())",
        "t.index_put_(x, (t.tensor([1]),), t.tensor(3.0))",
        "t.rrelu_(-x, 0.25, 0.25)",
        "t.conv_transpose3d(x.reshape(1, 1, 1, 1, 4), t.ones(1, 1, 1, 1, 2))",
        "t.max_pool3d(x.reshape(1, 1, 1, 1, 4), (1, 1, 2))",
        "t.feature_alpha_dropout(x.reshape(1, 4), 0.5, False)",
    ],
)
def test_functions_of_several_arguments_in_place(row):
    got, want = (
        eval(row, {"t": t, "x": t.tensor([0.25, 0.5, 0.75, 1.0])}).numpy() for t in (gpukit, torch)
    )
    np.testing.assert_allclose(got, want, rtol=1e-6)
