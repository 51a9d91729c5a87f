"""Functions composed of others, torch's older constructors, and tensors beside arrays: as in torch.

A row is an expression of `t` (torch, or gpukit) and the tensors of test_torch_call_forms.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit

from .test_torch_call_forms import value_of

PLACES = """
t.index_fill(x, 1, t.tensor([0, 2]), 5.0)
t.index_fill(n, 0, t.tensor([1]), 7)
t.index_fill(x, -1, t.tensor([1]), t.tensor(2.5))
x.index_fill_(1, t.tensor([1]), -1.0)
x.index_copy(0, t.tensor([1, 0]), y)
t.index_copy(x, 1, t.tensor([2]), y[:, :1])
x.index_copy_(1, t.tensor([0, 1, 2]), y)
x.index_put((t.tensor([0, 1]), t.tensor([2, 2])), t.tensor([8.0, 9.0]))
t.index_put(x, (t.tensor([0, 0]), t.tensor([1, 1])), t.ones(2), accumulate=True)
x.index_put_((b,), t.tensor(0.0))
x.t().index_put_((t.tensor([0, 0]),), t.ones(2), accumulate=True)
x.put_(t.tensor([0, -1]), t.tensor([4.0, 5.0]))
x.put_(t.tensor([[1, 1]]), t.tensor([[4.0, 5.0]]), accumulate=True)
x.masked_scatter(b, y)
x.masked_scatter_(b, y)
v.masked_scatter(b, y)
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "sum")
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "mean")
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "prod")
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "amax", include_self=False)
x.scatter_reduce(0, t.tensor([[0, 0, 1], [0, 1, 1]]), y, reduce="amin")
n.scatter_reduce(1, t.tensor([[0, 0], [1, 1]]), n + 1, "mean", include_self=False)
n.scatter_reduce(1, t.tensor([[0, 0], [1, 1]]), n + 1, "prod")
x.scatter_reduce_(1, t.tensor([[0], [1]]), y, "amax")
x.scatter(1, t.tensor([[2, 0, 1]]), y, reduce="add")
x.scatter(1, t.tensor([[2, 0, 0]]), 3.0, reduce="multiply")
x.scatter_(1, t.tensor([[2, 2, 2]]), y, reduce="multiply")
v.scatter_(0, t.tensor(1), value=1)
v.scatter(0, t.tensor(1), t.tensor(2.0))
v.scatter(0, t.tensor([1]), t.tensor(2.0))
v.scatter(0, t.tensor(1), t.tensor([2.0, 3.0]))
v.scatter(0, t.tensor(1), 3.0, reduce="add")
v.scatter(0, t.tensor(1), 3.0, reduce="multiply")
v.scatter_add(0, t.tensor(1), t.tensor(2.0))
v.scatter_reduce(0, t.tensor(1), t.tensor(2.0), "sum")
v.scatter_reduce(0, t.tensor(1), t.tensor(2.0), "prod")
v.scatter_reduce(0, t.tensor([1]), t.tensor(2.0), "amax", include_self=False)
v.gather(0, t.tensor(1))
v.gather(-1, t.tensor([2, 0]))
t.tensor(5.0).gather(0, t.tensor([0, 0]))
t.tensor(5.0).scatter(0, t.tensor([0]), 7.0)
t.tensor(5.0).scatter(0, t.tensor([0, 0]), t.tensor([7.0, 7.0]))
v.index_add(0, t.tensor(1), t.tensor([2.0]))
x.index_add(0, t.tensor(1), y[:1], alpha=2)
p = v.requires_grad_(); (p.gather(0, t.tensor(1)) * 3).backward(); p.grad
p = t.tensor(2.0, requires_grad=True); (v.scatter(0, t.tensor(1), p) * w).sum().backward(); p.grad
p = t.tensor(2.0, requires_grad=True); v.scatter_add(0, t.tensor([1]), p).sum().backward(); p.grad
p = w.requires_grad_(); p.scatter(0, t.tensor(1), 5.0).sum().backward(); p.grad
p = y.requires_grad_(); (x.index_add(0, t.tensor(1), p[:1]) * x).sum().backward(); p.grad
t.diag_embed(v)
t.diag_embed(x, offset=1)
t.diag_embed(x, -2, 0, 1)
t.diag_embed(x, 0, 2, 0)
m.fill_diagonal_(5.0)
t.zeros(7, 3).fill_diagonal_(1.0, wrap=True)
t.zeros(7, 3).fill_diagonal_(2.0)
t.zeros(3, 3, 3).fill_diagonal_(1)
t.empty(3).bernoulli_(1.0)
t.empty(2, dtype=t.int64).bernoulli_(0.0)
t.unique(n, dim=0)
t.unique(t.tensor([[1, 2], [0, 5], [1, 2]]), dim=0, return_inverse=True, return_counts=True)
t.unique(t.tensor([[1, 1, 2], [3, 3, 4]]), dim=1, return_counts=True)
t.tensor([[True, False], [True, False]]).unique(dim=0)
t.searchsorted(t.tensor([0.0, 1.0]), x, out_int32=True)
t.diagonal(t.arange(24.0).reshape(2, 3, 4), dim1=1, dim2=2)
t.arange(24.0).reshape(2, 3, 4).diagonal(-1, 2, 0)
t.arange(24.0).reshape(2, 3, 4).diagonal(offset=1, dim1=-2, dim2=-1)
"""
NUMBERS = """
t.clamp(x, min=y)
t.clamp(x, max=y)
t.clamp(x, v, w)
x.clamp(t.tensor(float("nan")), 3.0)
n.clamp(min=t.tensor([1, 2, 0]))
n.clamp(min=v)
x.clamp_(min=y)
x.clamp_(v, w)
t.clip(x, v, w)
t.clamp_min(x, 0)
t.clamp_min(x, y)
t.clamp_max(x, 0.5)
x.clamp_min_(0)
x.clamp_max_(y)
t.fmax(x, y)
t.fmin(x, y)
t.fmax(x, t.tensor([float("nan"), 0.5, -0.5]))
t.fmin(t.tensor([float("nan"), 0.5, -0.5]), x)
t.fmax(n, y)
x.fmax(v)
x.fmin(v)
t.fmod(x, 0.7)
t.fmod(x, y)
t.fmod(n - 2, 3)
t.fmod(-x, t.tensor(float("inf")))
t.frac(x)
t.lerp(x, y, 0.3)
t.lerp(x, y, 0.8)
t.lerp(x, y, v.abs())
x.lerp_(y, 0.5)
t.addcmul(x, y, y, value=0.5)
t.addcmul(n, n, n)
x.addcmul_(v, w)
t.addcdiv(x, y, y.abs() + 1, value=2)
x.addcdiv_(y, w)
t.baddbmm(m[None], m[None], m[None], beta=2, alpha=0.5)
t.baddbmm(v, m[None], m[None], beta=0)
t.var_mean(x)
t.var_mean(x, 1)
t.var_mean(x, dim=0, correction=0, keepdim=True)
t.std_mean(x, False)
t.std_mean(x, dim=(0, 1), unbiased=False)
t.quantile(x, 0.3)
t.quantile(x, t.tensor([0.0, 0.5, 1.0]), dim=1)
t.quantile(x, 0.6, dim=1, keepdim=True)
x.quantile(0.25, 0, interpolation="lower")
x.quantile(0.25, 0, interpolation="nearest")
x.quantile(0.25, interpolation="midpoint")
t.quantile(t.tensor([1.0, float("nan")]), 0.5)
t.aminmax(x)
t.aminmax(x, dim=1).max
x.aminmax(dim=0, keepdim=True).min
t.dist(x, y)
t.dist(x, y, 1)
t.cdist(x, y)
t.cdist(x, m, p=1.0)
t.cdist(x[None], y[None], p=float("inf"))
t.pdist(m)
t.pdist(m, p=1)
t.renorm(x, 2, 0, 0.5)
t.renorm(x, 1, 1, 5.0)
t.nansum(t.tensor([[1.0, float("nan")], [2.0, 3.0]]), dim=1)
t.nanmean(t.tensor([[1.0, float("nan")], [float("nan")] * 2]), 1, True)
t.nansum(n)
t.result_type(2, 3.0)
t.result_type(1, True)
t.result_type(True, False)
t.result_type(x, 2)
x.round_(decimals=1)
t.std(x, True)
t.isin(n, 2)
t.isin(3, n)
"""
SHAPES = """
x.unflatten(1, (3, 1))
t.unflatten(t.arange(6), 0, (-1, 2))
t.arange(7).unfold(0, 3, 2)
t.gcd(t.tensor([5, 10, 15, -12, 0, -128]).to(t.int8), t.tensor([3, 4, 5, 18, 7, 0]).to(t.int8))
t.lcm(t.tensor([[4], [-6]]), t.tensor([10, 15, 0], dtype=t.int32))
t.gcd(t.tensor([12, 18], dtype=t.int32), t.tensor(8))
t.gcd(t.tensor([12, 250], dtype=t.uint8), t.tensor([9, 100], dtype=t.uint8))
t.tensor([12, 18]).gcd_(t.tensor(8))
t.tensor([12, 18]).lcm_(t.tensor(8))
t.inner(x, y)
t.inner(x[0], t.tensor(2.0))
t.hann_window(5)
t.hann_window(5, periodic=False)
t.hann_window(1)
t.hann_window(0)
t.hamming_window(6, dtype=t.float64)
t.hamming_window(6, False, 0.5, 0.4)
t.blackman_window(6, periodic=False)
t.bartlett_window(7)
t.kaiser_window(6)
t.kaiser_window(6, False, 4.0)
t.arange(t.tensor(3))
t.arange(t.tensor(1), t.tensor(4.5), t.tensor(0.5))
t.randint_like(x, 3, 4)
t.randint_like(t.arange(3), 1).dtype
x.unfold(1, 2, 1)
t.tensor_split(t.arange(7), 3)
t.tensor_split(x, [1, 2], dim=1)
t.tensor_split(t.arange(5), t.tensor([2, 9]))
t.tensor_split(t.arange(5), (-2,))
t.dstack((v, w))
t.dstack([x, y])
t.atleast_1d(t.tensor(3.0))
t.atleast_2d(v)
t.atleast_3d(x)
t.atleast_3d(v)
t.atleast_2d(t.tensor(1.0), v)
t.block_diag(x, t.ones(1, 1), v)
t.cartesian_prod(t.tensor([1, 2]), t.tensor([3, 4]))
t.cartesian_prod(v)
t.combinations(v)
t.combinations(v, r=3)
t.combinations(v, 2, with_replacement=True)
t.rot90(x)
t.rot90(x, 2)
t.rot90(x, -1, [1, 0])
t.rot90(x, 3, (0, 1))
t.fliplr(x)
t.flipud(x)
x.t_().shape
t.ones(1, 3, 1).squeeze_().shape
t.ones(1, 3, 1).squeeze_(0).shape
x.unsqueeze_(1).shape
x.resize_(3, 2)
x.resize_(2)
t.zeros(1).set_(v)
t.as_strided(x, (2, 2), (1, 2))
x.as_strided((2,), (3,), 1)
x.untyped_storage().nbytes()
x.is_sparse
"""
TYPES = """
t.Tensor(2, 3).shape
t.Tensor().shape
t.Tensor([1, 2])
t.Tensor([[1, 2], [3, 4]])
t.Tensor((1, 2))
t.Tensor(range(3))
t.Tensor(t.Size([2, 1])).shape
t.Tensor(n)
t.Tensor(5).dtype
t.FloatTensor([1, 2])
t.FloatTensor(2, 2).shape
t.LongTensor([1.5, 2.5])
t.LongTensor(3).dtype
t.DoubleTensor([1]).dtype
t.HalfTensor([1]).dtype
t.BFloat16Tensor([1]).dtype
t.IntTensor([1])
t.ShortTensor([1])
t.CharTensor([-1])
t.ByteTensor([255])
t.BoolTensor([True, False])
t.FloatTensor(x)
t.LongTensor(2, device="cpu").shape
isinstance(x, t.FloatTensor), isinstance(n, t.FloatTensor)
isinstance(n, t.LongTensor), isinstance(b, t.BoolTensor)
isinstance(t.nn.Parameter(x), t.FloatTensor)
isinstance(3, t.FloatTensor)
t.FloatTensor.dtype
t.FloatTensor.__name__
x.type()
n.type(), b.type(), x.half().type(), x.bfloat16().type(), x.to(t.uint16).type()
n.type(t.FloatTensor)
n.type("torch.DoubleTensor")
x.type(t.LongTensor).type()
x.type(t.Tensor).dtype
x.type(t.int32)
x.byte(), n.char(), n.short()
x.abs().byte()
n.new(2, 3).shape
x.new([1, 2])
n.new([1, 2]).dtype
x.view(t.int32)
x.view(dtype=t.int16)
x.view(t.int32).view(t.float32)
t.zeros(2, 4).view(t.float64)
t.arange(4, dtype=t.uint8).view(t.int16)
n.t().view(t.float64).shape
str(x.layout)
x.layout == t.strided
isinstance(x.shape, t.Size), isinstance(x.size(), t.Size), isinstance(x.shape, tuple)
x.shape.numel()
x.shape[1:].numel()
isinstance(x.shape[:1] + (2,), t.Size)
isinstance((2,) + x.shape, t.Size)
tuple(x.shape * 2)
t.Size([2, 3]) == (2, 3), hash(t.Size([2, 3])) == hash((2, 3))
t.Size([True, 2]) == (1, 2)
tuple(t.Size())
t.zeros(t.Size([2])).shape == t.Size((2,))
t.Size([])
"""
FAULTS = """
t.Tensor(2.5)
t.Tensor("a")
t.Tensor(True)
t.Tensor([[1], [2, 3]])
t.Tensor(-1)
t.FloatTensor(n)
x.type("FloatTensor")
t.Size([1.5])
t.Size("a")
t.Size(2)
t.Size([2]) + [1]
t.Size([2]) + ("a",)
t.scatter(x, 1, t.tensor([[0]]), y, reduce="max")
t.diagonal(m, dim1=1, dim2=1)
t.unique(x, dim=5)
x.view(t.int64)
t.quantile(x, 1.5)
t.quantile(n, 0.5)
x.as_strided((9,), (1,))
t.gcd(x, x)
t.lcm(t.arange(3), t.arange(4))
t.tensor(3).gcd_(t.arange(3))
t.inner(t.ones(2), t.ones(3))
t.hann_window(-1)
t.hann_window(3, dtype=t.int64)
t.arange(t.ones(2))
x.masked_scatter(b, v[:1])
x.index_fill(0, t.tensor([5]), 1.0)
x.scatter_reduce(1, t.tensor([[7]]), y, "amax")
t.set_default_tensor_type(t.LongTensor)
t.cdist(x, v[None, :2])
t.combinations(x)
x.unfold(0, 5, 1)
"""


def rows(*tables: str) -> list[str]:
    return [row for table in tables for row in table.strip().splitlines()]


def agree(got: object, want: object, row: str) -> None:
    if isinstance(want, dict):
        assert isinstance(got, dict) and got["dtype"] == want["dtype"], row
        np.testing.assert_allclose(got["array"], want["array"], rtol=1e-5, atol=1e-6, err_msg=row)
    elif isinstance(want, list):
        assert isinstance(got, list) and len(got) == len(want), row
        for one, other in zip(got, want, strict=True):
            agree(one, other, row)
    else:
        assert str(got).replace("gpukit", "torch") == str(want), row


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", rows(PLACES, NUMBERS, SHAPES, TYPES))
def test_gives_what_torch_gives(row: str) -> None:
    agree(value_of(gpukit, row), value_of(torch, row), row)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", rows(FAULTS))
def test_refuses_what_torch_refuses(row: str) -> None:
    with pytest.raises(Exception):  # noqa: B017 (any of torch's)
        value_of(torch, row)
    with pytest.raises((TypeError, ValueError, IndexError, RuntimeError)) as caught:
        value_of(gpukit, row)
    assert len(str(caught.value)) > 10


SLOPES = """
x.index_fill(1, t.tensor([0]), 5.0)
x.index_copy(0, t.tensor([1, 0]), y)
x.index_put((t.tensor([0]), t.tensor([1])), y[0, :1])
x.index_put((t.tensor([0, 0]), t.tensor([1, 1])), y[0, :2], accumulate=True)
x.masked_scatter(b, y)
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "sum")
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "mean")
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "prod")
x.scatter_reduce(1, t.tensor([[0, 0, 1], [2, 2, 2]]), y, "amax")
t.diag_embed(x, offset=1)
x.clamp(min=y)
x.clamp(y, v)
x.clamp(max=y)
t.lerp(x, y, 0.3)
t.addcmul(x, y, y, value=2)
t.addcdiv(x, y, y.abs() + 1)
t.fmax(x, y)
t.fmin(x, y)
t.fmax(x, x * 1)
t.fmin(x, t.tensor([float("nan"), 0.5, -0.5]))
t.fmod(x, y)
t.var_mean(x, 1)[0]
t.std_mean(x, 1)[1]
t.quantile(x, 0.3, dim=1)
t.quantile(x[0], x[0].sigmoid())
t.quantile(x, x[1, 0].sigmoid(), dim=1, keepdim=True)
t.aminmax(x, dim=1)[0]
t.dist(x, y)
t.cdist(x, y)
t.renorm(x, 2, 0, 0.5)
t.nansum(x, 1)
x.unflatten(1, (3, 1))
x.unfold(1, 2, 1)
t.block_diag(x, y)
t.combinations(x[0])
t.rot90(x)
t.dstack((x, y))
t.as_strided(x, (2, 2), (1, 2))
t.diagonal(x, dim1=1, dim2=0)
"""


@pytest.mark.parametrize("row", rows(SLOPES))
def test_gradients_are_torchs(row: str) -> None:
    program = (
        f"x.requires_grad_(); y.requires_grad_(); r = {row}; (r * r).sum().backward(); "
        "(x.grad, y.grad)"
    )
    agree(value_of(gpukit, program), value_of(torch, program), row)


OPERATORS = ["+", "-", "*", "/", "**", "//", "%", "@", "=="]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_tensor_beside_an_array_is_torchs(operator: str, dtype: str) -> None:
    program = (
        "import numpy as np; "
        f"a = np.array([2, 3, 1]).astype('{dtype}'); (m {operator} a if '{operator}' == '@' else "
        f"v.abs() {operator} a)"
    )
    agree(value_of(gpukit, program), value_of(torch, program), program)


@pytest.mark.parametrize("operator", [*OPERATORS, "!="])
def test_an_array_beside_a_tensor_is_the_tensor_over_it(operator: str) -> None:
    x, a = gpukit.tensor([1.0, 2.0, 4.0]).double(), np.array([2.0, 3.0, 1.0])
    got = eval(f"a {operator} x", {"a": a, "x": x})
    want = eval(f"a {operator} x", {"a": gpukit.from_numpy(a), "x": x})
    assert type(got) is gpukit.Tensor
    assert got.dtype is want.dtype
    assert got.tolist() == want.tolist()


def test_an_array_changes_a_tensor_in_place_and_keeps_gradients() -> None:
    x = gpukit.ones(2)
    y = x
    x += np.array([1.0, 2.0])
    assert y.tolist() == [2.0, 3.0] and y is x
    w = gpukit.ones(2, requires_grad=True)
    (w * np.array([3.0, 4.0], dtype=np.float32)).sum().backward()
    assert w.grad.tolist() == [3.0, 4.0]


def test_arrays_with_rules_of_their_own_are_refused() -> None:
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    with pytest.raises(TypeError, match="from_numpy"):
        gpukit.ones(2) * masked


def test_the_default_type_is_that_of_older_programs() -> None:
    try:
        gpukit.set_default_tensor_type(gpukit.DoubleTensor)
        assert gpukit.Tensor([1]).dtype is gpukit.float64
        gpukit.set_default_tensor_type("torch.FloatTensor")
        assert gpukit.ones(1).dtype is gpukit.float32
    finally:
        gpukit.set_default_dtype(gpukit.float32)
        gpukit.set_default_device("cpu")


def test_older_arguments_of_losses_warn_as_torchs() -> None:
    x, y = gpukit.tensor([1.0, 2.0]), gpukit.tensor([0.0, 4.0])
    for make, want in (
        (lambda: gpukit.nn.functional.mse_loss(x, y, size_average=False), [5.0]),
        (lambda: gpukit.nn.MSELoss(reduce=False)(x, y), [1.0, 4.0]),
        (lambda: gpukit.nn.L1Loss(size_average=True)(x, y), [1.5]),
        (lambda: gpukit.nn.SmoothL1Loss(size_average=False)(x, y), [2.0]),
        (lambda: gpukit.nn.MSELoss(False)(x, y), [5.0]),
    ):
        with pytest.warns(UserWarning, match=r"please use reduction='\w+' instead"):
            got = make()
        assert got.reshape(-1).tolist() == want


SECOND = {
    "addcdiv": lambda x, y: gpukit.addcdiv(x, y, y + 3),
    "addcmul": lambda x, y: gpukit.addcmul(x, x, y, value=2),
    "baddbmm": lambda x, y: gpukit.baddbmm(x[None], y[None], x[None]),
    "cdist": gpukit.cdist,
    "clamp": lambda x, y: (x * x).clamp(min=y),
    "diag_embed": lambda x, y: gpukit.diag_embed(x * y),
    "dist": lambda x, y: gpukit.dist(x, y, 3),
    "index_copy": lambda x, y: gpukit.index_copy(x, 0, gpukit.tensor([1]), y[:1]) ** 2,
    "index_put": lambda x, y: x.index_put((gpukit.tensor([1, 1]),), y, accumulate=True) ** 3,
    "lerp": lambda x, y: gpukit.lerp(x, y, x * y),
    "masked_scatter": lambda x, y: x.masked_scatter(gpukit.tensor([True, False]), y) ** 2,
    "nanmean": lambda x, y: gpukit.nanmean(x * y),
    "pdist": lambda x, y: gpukit.pdist(x + y * y),
    "quantile": lambda x, y: gpukit.quantile(x * y, 0.3),
    "renorm": lambda x, y: gpukit.renorm(x + y, 2, 0, 0.5),
    "scatter_multiply": lambda x, y: gpukit.scatter_reduce(
        x, 0, gpukit.tensor([[1, 0], [0, 1]]), y, "prod"
    ),
    "std_mean": lambda x, y: gpukit.std_mean(x * y)[0],
    "unfold": lambda x, y: (x * y).unfold(0, 2, 1) ** 2,
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_are_those_of_differences(name: str) -> None:
    x = gpukit.tensor([[0.5, -1.2], [2.0, 0.7]], dtype=gpukit.float64, requires_grad=True)
    y = gpukit.tensor([[1.1, 0.3], [-0.4, 1.7]], dtype=gpukit.float64, requires_grad=True)
    assert gpukit.autograd.gradcheck(SECOND[name], (x, y))
    assert gpukit.autograd.gradgradcheck(SECOND[name], (x, y))
