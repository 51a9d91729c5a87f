"""In-place forms: dtypes that must fit, overlap, expanded and read-only targets."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from support.arrays import assert_same, fetch, put, sample

FORMS = {
    "add_": lambda x, y: x + y,
    "sub_": lambda x, y: x - y,
    "mul_": lambda x, y: x * y,
    "div_": lambda x, y: x / y,
}


@pytest.mark.parametrize("name", FORMS)
def test_same_as_the_new_tensor(name, device):
    x, y = sample("float32"), sample("float32", seed=1)
    tensor = put(x, device)
    assert getattr(tensor, name)(put(y, device)) is tensor
    assert_same(tensor, FORMS[name](x, y))
    getattr(tensor, name)(3)
    assert_same(tensor, FORMS[name](FORMS[name](x, y), np.float32(3)))


def test_augmented_operators(device):
    x = sample("float32")
    tensor = original = put(x, device)
    tensor += 1
    tensor *= put(x, device)
    tensor -= put(x[0], device)
    tensor /= 2
    assert tensor is original
    assert_same(tensor, ((x + 1) * x - x[0]) / np.float32(2))


def test_views_write_through(device):
    x = sample("float32", (4, 6))
    tensor = put(x, device)
    tensor[1:3, ::2].add_(10)
    tensor.T[5].mul_(put(np.arange(4, dtype=np.float32), device))
    want = x.copy()
    want[1:3, ::2] += 10
    want.T[5] *= np.arange(4)
    assert_same(tensor, want)


def test_source_that_overlaps_differently_is_read_first(device):
    x = np.arange(10, dtype=np.float32)
    for target, source in [((1, None), (None, -1)), ((None, -1), (1, None))]:
        tensor, want = put(x, device), x.copy()
        tensor[slice(*target)].add_(tensor[slice(*source)])
        want[slice(*target)] = x[slice(*target)] + x[slice(*source)]
        assert_same(tensor, want)
    square = sample("float32", (5, 5))
    tensor = put(square, device)
    tensor.add_(tensor.T)
    assert_same(tensor, square + square.T)


def test_result_must_fit_the_dtype(device):
    whole = put(np.array([4, 6]), device)
    for call in (
        lambda: whole.div_(2),
        lambda: whole.add_(0.5),
        lambda: whole.mul_(put(np.ones(2), device)),
    ):
        with pytest.raises(gpukit.DTypeError, match="cannot be stored in X of int64"):
            call()
    assert fetch(whole).tolist() == [4, 6]
    small = put(np.array([1.5], dtype=np.float16), device)
    small.add_(put(np.array([1.25], dtype=np.float64), device))
    assert_same(small, np.array([2.75], dtype=np.float16))


def test_shape_of_the_target_stays(device):
    x = put(np.zeros((1, 3), np.float32), device)
    with pytest.raises(gpukit.ShapeError, match="does not fit into X"):
        x.add_(put(np.zeros((2, 3), np.float32), device))
    x.add_(put(np.ones(3, np.float32), device))
    assert_same(x, np.ones((1, 3), np.float32))


def test_expanded_targets_are_refused(device):
    x = put(np.zeros((1, 3), np.float32), device)
    for call in (
        lambda t: t.add_(1),
        lambda t: t.fill_(1),
        lambda t: t.zero_(),
        lambda t: t.copy_(x),
    ):
        with pytest.raises(ValueError, match="several elements at one address"):
            call(x.expand(2, 3))
    assert_same(x, np.zeros((1, 3), np.float32))


def test_fill_zero_and_clamp(device):
    x = sample("float32", (3, 4))
    tensor = put(x, device)
    tensor[:, 1].fill_(7)
    tensor[0].zero_()
    want = x.copy()
    want[:, 1] = 7
    want[0] = 0
    assert_same(tensor, want)
    assert_same(tensor.clamp_(-1, 2), want.clip(-1, 2))


OUT = {
    "add": lambda x, out: gpukit.add(x, 1, out=out),
    "exp": lambda x, out: gpukit.exp(x, out=out),
    "matmul": lambda x, out: gpukit.matmul(x, x, out=out),
    "where": lambda x, out: gpukit.where(x > 0, x, 0.0, out=out),
    "cat": lambda x, out: gpukit.cat([x[:1], x[1:]], out=out),
    "clamp": lambda x, out: gpukit.clamp(x, 0, 1, out=out),
    "tril": lambda x, out: gpukit.tril(x, out=out),
    "roll": lambda x, out: gpukit.sub(gpukit.roll(x, 1), x, out=out),
    "diag": lambda x, out: gpukit.diag(x[0], out=out),
    "tensordot": lambda x, out: gpukit.tensordot(x, x, 1, out=out),
    "take_along_dim": lambda x, out: gpukit.take_along_dim(x, x.argsort(1), 1, out=out),
}


@pytest.mark.parametrize("name", OUT)
def test_out_takes_the_result(name, device):
    x = put(sample("float32", (4, 4)), device)
    out = gpukit.zeros(4, 4, device=device)
    assert OUT[name](x, out) is out
    want = OUT[name](x, None)
    assert_same(out, fetch(want))
    strided = gpukit.zeros(4, 8, device=device)[:, ::2]
    assert_same(OUT[name](x, strided), fetch(want))
    wider = gpukit.zeros(4, 4, dtype="float64", device=device)
    assert_same(OUT[name](x, wider), fetch(want).astype("float64"))


def test_out_may_be_an_operand(device):
    x = put(sample("float32", (3, 3)), device)
    want = fetch(x.T + x)
    gpukit.add(x.T, x, out=x)
    assert_same(x, want)


def test_out_of_reductions(device):
    x = put(sample("float32", (3, 5)), device)
    out = gpukit.zeros(3, device=device)
    assert gpukit.sum(x, dim=1, out=out) is out
    assert_same(out, fetch(x.sum(1)))


DIRECT = {
    "add": lambda x, y, out: gpukit.add(x, y, out=out),
    "subtract a number": lambda x, y, out: gpukit.sub(x, 2, out=out),
    "number left": lambda x, y, out: gpukit.div(1.0, x, out=out),
    "broadcast": lambda x, y, out: gpukit.mul(x, y[0], out=out),
    "exp": lambda x, y, out: gpukit.exp(x, out=out),
    "clamp": lambda x, y, out: gpukit.clamp(x, -1, 1, out=out),
    "where": lambda x, y, out: gpukit.where(x > 0, x, y, out=out),
    "matmul": lambda x, y, out: gpukit.matmul(x, y, out=out),
    "addmm": lambda x, y, out: gpukit.addmm(y[0], x, y, out=out),
    "addmm of itself": lambda x, y, out: gpukit.addmm(out, x, y, out=out),
    "cumsum": lambda x, y, out: gpukit.cumsum(x, 1, out=out),
    "alpha": lambda x, y, out: gpukit.add(x, y, alpha=3, out=out),
    "round": lambda x, y, out: gpukit.round(x, out=out),
    "std": lambda x, y, out: gpukit.std(x, 1, out=out[0]),
    "mean": lambda x, y, out: gpukit.mean(x, 0, out=out[1]),
    "amax": lambda x, y, out: gpukit.amax(x, 1, out=out[:, 1]),
}


WHOLE = ("add", "broadcast", "matmul", "addmm", "addmm of itself", "cumsum", "alpha", "amax")
OUT_CASES = [(name, "float32") for name in DIRECT] + [(name, "int64") for name in WHOLE]


@pytest.mark.parametrize(("name", "dtype"), OUT_CASES)
@pytest.mark.parametrize("shared", ["nothing", "x", "shifted"])
def test_out_has_the_result_whatever_it_shares(name, shared, dtype, device):
    """out is memory of its own, the first operand, or overlaps it elsewhere."""
    memory = put(sample(dtype, (5, 4)), device)
    before = memory.clone()
    x, y = memory[:4], put(sample(dtype, (4, 4), seed=3), device)
    out = {
        "nothing": gpukit.zeros(4, 4, dtype=dtype, device=device),
        "x": x,
        "shifted": memory[1:],
    }[shared]
    other = out.clone()
    DIRECT[name](before[:4].clone(), y, other)
    DIRECT[name](x, y, out)
    assert_same(out, fetch(other))


def test_a_refused_out_is_left_as_it_was(device):
    x = gpukit.ones(3, 3, device=device, requires_grad=True)
    out = gpukit.zeros(3, 3, device=device)
    with pytest.raises(gpukit.AutogradError, match="out="):
        gpukit.exp(x, out=out)
    with pytest.raises(gpukit.ShapeError, match="out is"):
        gpukit.sum(gpukit.ones(3, 3, device=device), dim=0, out=out)
    with pytest.raises(gpukit.DTypeError):
        gpukit.exp(
            gpukit.ones(3, 3, device=device), out=gpukit.zeros(3, 3, dtype="int64", device=device)
        )
    assert out.sum().item() == 0
    read_only = np.zeros((3, 3), np.float32)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        gpukit.add(gpukit.ones(3, 3), 1, out=gpukit.from_numpy(read_only))


def test_out_counts_as_a_change():
    x = gpukit.ones(3, requires_grad=True)
    factor = gpukit.ones(3)
    y = x * factor
    gpukit.add(gpukit.ones(3), 1, out=factor)
    with pytest.raises(gpukit.AutogradError):
        y.sum().backward()


def test_what_cannot_be_out(device):
    x = gpukit.ones(2, 2, device=device)
    with pytest.raises(gpukit.ShapeError, match=r"add: out is \(3,\), the result \(2, 2\)"):
        gpukit.add(x, x, out=gpukit.zeros(3, device=device))
    with pytest.raises(gpukit.DTypeError, match="int64"):
        gpukit.add(x, x, out=gpukit.zeros(2, 2, dtype="int64", device=device))
    with pytest.raises(TypeError, match=r"out\[0\] must be a Tensor"):
        gpukit.add(x, x, out=[1])
    with pytest.raises(gpukit.AutogradError, match="out="):
        gpukit.add(x, x, out=gpukit.zeros(2, 2, requires_grad=True, device=device))


def test_fill_takes_one_value(device):
    tensor = gpukit.zeros(2, device=device)
    assert tensor.fill_(gpukit.tensor([3.0])).tolist() == [3.0, 3.0]
    with pytest.raises(gpukit.ShapeError, match=r"fill_: value is a tensor of shape \(2,\)"):
        tensor.fill_(gpukit.tensor([3.0, 4.0]))
    with pytest.raises(gpukit.ShapeError, match=r"full: fill_value is a tensor"):
        gpukit.full((2,), gpukit.tensor([3.0, 4.0]), device=device)
    assert tensor.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("function", [gpukit.softmax, gpukit.log_softmax])
def test_softmax_answers_in_floating_dtypes(function, device):
    x = gpukit.zeros(2, device=device)
    assert function(x, 0, dtype="float64").dtype == gpukit.float64
    with pytest.raises(gpukit.DTypeError, match="int64"):
        function(x, 0, dtype="int64")


@pytest.mark.parametrize(
    ("number", "dtype", "want"),
    [
        (3, "int8", 3),
        (300, "int8", 44),  # as the tensor it stands for
        (1.75, "int32", 1),
        (True, "float32", 1),
        (0.1, "float64", 0.1),
        (2**63, "uint64", 2**63),
        (np.int16(-3), "float16", -3),
        (np.float64(0.1), "float64", 0.1),
    ],
)
def test_numbers_are_copied(device, number, dtype, want):
    x = gpukit.zeros(2, 3, dtype=dtype, device=device)
    assert x.copy_(number) is x
    assert x.tolist() == [[want] * 3] * 2
