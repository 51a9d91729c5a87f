"""Forms of calls in torch's programs, on every device; tests/peers/call_forms.py has them all."""

from __future__ import annotations

import pytest

import gpukit

# ---- out= of values and indices


@pytest.mark.parametrize("name", ["max", "min", "median", "sort", "topk"])
def test_out_takes_values_and_indices(device, name):
    x = gpukit.tensor([[1.0, 5.0, 3.0], [6.0, 2.0, 4.0]], device=device)
    call = getattr(gpukit, name)
    positions = (x, 2, 1) if name == "topk" else (x, 1)
    want = call(*positions)
    values = gpukit.empty(*want.values.shape, device=device)
    indices = gpukit.empty(*want.indices.shape, dtype="int64", device=device)
    got = call(*positions, out=(values, indices))
    assert got.values.tolist() == values.tolist() == want.values.tolist()
    assert got.indices.tolist() == indices.tolist() == want.indices.tolist()
    assert got.values.data_ptr() == values.data_ptr()
    assert type(got) is type(want)
    call(*positions, out=[values, indices])


def test_out_of_max_without_dim_is_one_tensor(device):
    x = gpukit.tensor([1.0, 5.0], device=device)
    out = gpukit.empty((), device=device)
    assert gpukit.max(x, out=out) is out
    assert out.item() == 5
    assert gpukit.max(x, 2 - x, out=gpukit.empty(2, device=device)).tolist() == [1, 5]


def test_wrong_outs_write_nothing(device):
    x = gpukit.tensor([[1.0, 5.0, 3.0]], device=device)
    values = gpukit.zeros(1, device=device)
    places = gpukit.zeros(1, dtype="int64", device=device)
    for out, error, words in (
        ((values,), TypeError, "one for each result"),
        ((values, 3), TypeError, "out"),
        ((values, places[:0]), gpukit.ShapeError, "must be equal"),
        ((values[:0], places), gpukit.ShapeError, "must be equal"),
        (values, TypeError, "out cannot be a tensor"),
    ):
        with pytest.raises(error, match=words):
            gpukit.max(x, 1, out=out)
    with pytest.raises(TypeError, match="it gives one tensor"):
        gpukit.max(x, out=(values, places))
    assert values.tolist() == [0]


# ---- index_add(alpha=)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64"])
def test_alpha_of_index_add(device, dtype):
    x = gpukit.zeros(3, dtype=dtype, device=device)
    index = gpukit.tensor([0, 2, 2], device=device)
    source = gpukit.ones(3, dtype=dtype, device=device)
    assert gpukit.index_add(x, 0, index, source, alpha=3).tolist() == [3, 0, 6]
    assert x.tolist() == [0, 0, 0]
    assert x.index_add_(0, index, source, alpha=-2).tolist() == [-2, 0, -4]


def test_alpha_of_index_add_must_fit(device):
    x = gpukit.zeros(3, dtype="int64", device=device)
    index = gpukit.tensor([0], device=device)
    with pytest.raises(gpukit.DTypeError, match="alpha"):
        x.index_add_(0, index, gpukit.ones(1, dtype="int64", device=device), alpha=0.5)


def test_index_add_to_a_0d_tensor(device):
    x = gpukit.tensor(2.0, device=device, requires_grad=True)
    source = gpukit.tensor(3.0, device=device, requires_grad=True)
    index = gpukit.tensor([0], device=device)
    y = gpukit.index_add(x, 0, index, source, alpha=2)
    assert y.tolist() == 8
    y.backward()
    assert (x.grad.tolist(), source.grad.tolist(), source.grad.shape) == (1, 2, ())
    with pytest.raises(gpukit.ShapeError, match=r"source is \(1,\), but \(\) is needed"):
        x.detach().index_add_(0, index, gpukit.ones(1, device=device))
    with pytest.raises(IndexError, match="dim 1 is out of range"):
        x.detach().index_add_(1, index, source.detach())


def test_alpha_of_index_add_is_in_the_gradient(device):
    source = gpukit.ones(2, requires_grad=True, device=device)
    index = gpukit.tensor([1, 1], device=device)
    gpukit.zeros(3, device=device).index_add(0, index, source, alpha=4).sum().backward()
    assert source.grad.tolist() == [4, 4]


# ---- backward(inputs=)


def test_backward_stores_gradients_of_the_inputs_alone(device):
    x = gpukit.ones(2, requires_grad=True, device=device)
    y = gpukit.full((2,), 3.0, requires_grad=True, device=device)
    middle = x * y
    middle.retain_grad()
    loss = (middle * y).sum()
    loss.backward(inputs=[x], retain_graph=True)
    assert x.grad.tolist() == [9, 9]
    assert y.grad is None
    loss.backward(inputs=x, retain_graph=True)
    assert x.grad.tolist() == [18, 18]
    loss.backward(inputs=(middle, y))
    assert middle.grad.tolist() == [9, 9]  # of all three passes, as in torch
    assert y.grad.tolist() == [6, 6]
    assert x.grad.tolist() == [18, 18]


def test_an_input_named_twice_gets_its_gradient_once(device):
    x = gpukit.ones(2, requires_grad=True, device=device)
    stored = []
    x.register_post_accumulate_grad_hook(lambda leaf: stored.append(leaf.grad.tolist()))
    (x * 3).sum().backward(inputs=[x, x])
    assert stored == [[3, 3]]


def test_wrong_inputs_of_backward(device):
    x = gpukit.ones(2, requires_grad=True, device=device)
    unused = gpukit.ones(2, requires_grad=True, device=device)
    loss = (x * 2).sum()
    with pytest.raises(ValueError, match="inputs is empty"):
        loss.backward(inputs=[])
    with pytest.raises(TypeError, match="inputs"):
        loss.backward(inputs=[3])
    with pytest.raises(TypeError, match="inputs"):
        loss.backward(inputs=3)
    with pytest.raises(gpukit.AutogradError, match="does not require grad"):
        loss.backward(inputs=[gpukit.ones(2, device=device)])
    loss.backward(inputs=[unused])
    assert unused.grad is None
    assert x.grad is None


# ---- names and places of arguments


def test_torch_s_names_of_arguments(device):
    x = gpukit.arange(6.0, device=device).reshape(2, 3)
    v = x[0]
    assert gpukit.dot(v, tensor=v).item() == 5
    assert [part.tolist() for part in v.split(split_size=2)] == [[0, 1], [2]]
    assert gpukit.swapaxes(x, axis0=0, axis1=1).shape == (3, 2)
    assert x.view(size=(6,)).shape == (6,)
    index = gpukit.tensor([1], device=device)
    assert gpukit.scatter(v, 0, index, value=9.0).tolist() == [0, 9, 2]
    ends = {"from": 2, "to": 3}
    assert (gpukit.empty(3, device=device).uniform_(**ends) >= 2).all()
    with pytest.raises(TypeError, match="no argument 'tensor'"):
        gpukit.add(v, tensor=v)


def test_std_takes_unbiased_alone(device):
    x = gpukit.tensor([1.0, 2.0, 4.0], device=device)
    assert gpukit.std(x, False).item() == gpukit.std(x, correction=0).item()
    assert x.var(True).item() == x.var().item()
    with pytest.raises(TypeError, match="dim"):
        gpukit.std(x, False, keepdim=True)


def test_bernoulli_of_one_probability(device):
    x = gpukit.zeros(100, device=device)
    assert gpukit.bernoulli(x, 1.0).sum().item() == 100
    assert gpukit.bernoulli(x + 1, p=0.0).sum().item() == 0
    with pytest.raises(TypeError, match="p must be"):
        gpukit.bernoulli(x, p="often")
