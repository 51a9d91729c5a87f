"""What a user sees of autograd: leaves, results, backward, in-place changes."""

from __future__ import annotations

import copy

import pytest

import gpukit
from gpukit import AutogradError


def leaf(*values: float, device: object = "cpu") -> gpukit.Tensor:
    return gpukit.tensor(list(values), device=device, requires_grad=True)


def test_leaves_and_results(device):
    x = leaf(1.0, 2.0, device=device)
    assert x.requires_grad
    assert x.is_leaf
    assert x.grad_fn is None
    y = x * 2
    assert y.requires_grad
    assert not y.is_leaf
    assert y.grad_fn.name() == "MulBackward0"
    assert (gpukit.ones(2) * 2).is_leaf
    assert not (x > 1).requires_grad
    assert not x.argmax().requires_grad
    assert not x.to(gpukit.int64).requires_grad


def test_graph_can_be_walked():
    x = leaf(1.0)
    y = (x * 2 + 1).exp()
    node = y.grad_fn
    assert repr(node).startswith("<ExpBackward0 object at 0x")
    names = []
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == ["ExpBackward0", "AddBackward0", "MulBackward0", "AccumulateGrad"]
    assert (x + gpukit.ones(1)).grad_fn.next_functions[1] == (None, -1)
    assert y.grad_fn == y.grad_fn
    assert hash(y.grad_fn) == hash(y.grad_fn)


NAMES = {
    "AddmmBackward0": lambda x: gpukit.addmm(x, x, x),
    "MmBackward0": lambda x: x @ x,
    "MvBackward0": lambda x: x @ x[0],
    "DotBackward0": lambda x: x[0] @ x[0],
    "TBackward0": lambda x: x.t(),
    "PermuteBackward0": lambda x: x.T,
    "TransposeBackward0": lambda x: x.mT,
    "ViewBackward0": lambda x: x.reshape(-1),
    "UnsafeViewBackward0": lambda x: x.T.reshape(-1),
    "SelectBackward0": lambda x: x[0],
    "SliceBackward0": lambda x: x[0, 1:],
    "UnsqueezeBackward0": lambda x: x[:, None],
    "AliasBackward0": lambda x: x[...],
    "IndexBackward0": lambda x: x[[0, 1]],
    "SumBackward0": lambda x: x.sum(),
    "SumBackward1": lambda x: x.sum(0),
    "MeanBackward0": lambda x: x.mean(),
    "MaxBackward0": lambda x: x.max(0).values,
    "MaxBackward1": lambda x: x.max(),
    "PowBackward0": lambda x: x**2,
    "PowBackward1": lambda x: x**x,
    "PowBackward2": lambda x: 2**x,
    "RsubBackward1": lambda x: 1 - x,
    "LogSoftmaxBackward0": lambda x: x.log_softmax(1),
    "ToCopyBackward0": lambda x: x.double(),
    "UnbindBackward0": lambda x: x.unbind()[0],
    "SplitBackward0": lambda x: x.split(1)[0],
    "LinalgVectorNormBackward0": lambda x: x.norm(),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_are_torchs(name):
    y = NAMES[name](gpukit.ones(2, 2, requires_grad=True))
    assert y.grad_fn.name() == name
    assert f"grad_fn=<{name}>" in repr(y)


def test_a_move_to_another_dtype_is_one_node(device):
    x = gpukit.ones(2, 2, requires_grad=True)
    y = x.to(device, gpukit.float64)
    assert y.grad_fn.name() == "ToCopyBackward0"
    assert y.grad_fn.next_functions[0][0].name() == "AccumulateGrad"
    (y * 3).sum().backward()
    assert x.grad.tolist() == [[3, 3], [3, 3]]
    assert (x.grad.device, x.grad.dtype) == (x.device, x.dtype)


def test_repr(device):
    x = gpukit.ones(1, 3, device=device, requires_grad=True)
    assert "requires_grad=True" in repr(x)
    product = gpukit.addmm(gpukit.zeros(2, device=device), x, gpukit.ones(3, 2, device=device))
    assert repr(product).startswith("tensor([[3., 3.]]")
    assert "grad_fn=<AddmmBackward0>" in repr(product)
    assert "requires_grad" not in repr(product)
    assert "grad_fn=<MulBackward0>" in repr(gpukit.ones(2000, requires_grad=True) * 2)


def test_backward_accumulates(device):
    x = leaf(1.0, 2.0, device=device)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert x.grad.device == x.device
    first = x.grad
    (x * x).sum().backward()
    assert x.grad is first
    assert x.grad.tolist() == [4.0, 8.0]
    x.grad = None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_gradient_is_nobody_elses_memory():
    x, y = leaf(1.0, 2.0), leaf(1.0, 2.0)
    given = gpukit.ones(2)
    (x + y).backward(given)
    x.grad.zero_()
    assert given.tolist() == [1.0, 1.0]
    assert y.grad.tolist() == [1.0, 1.0]
    z = gpukit.ones(2, 3, requires_grad=True)
    z.sum().backward()
    z.grad += 1  # the gradient of a sum is not an expanded view
    assert z.grad.tolist() == [[2.0] * 3] * 2


def test_backward_needs_one_element_or_a_gradient(device):
    y = leaf(1.0, 2.0, device=device) * 2
    with pytest.raises(AutogradError, match=r"loss has 2 elements; reduce it first \(loss.mean"):
        y.backward()
    with pytest.raises(gpukit.ShapeError, match=r"gradient is \(3,\), the tensor \(2,\)"):
        y.backward(gpukit.ones(3, device=device))
    with pytest.raises(gpukit.DTypeError, match="gradient is float64"):
        y.backward(gpukit.ones(2, dtype=gpukit.float64, device=device))
    with pytest.raises(TypeError, match="gradient"):
        y.backward(1.0)
    y.backward(gpukit.tensor([1.0, 3.0], device=device))


def test_backward_of_what_has_no_graph():
    with pytest.raises(AutogradError, match="does not require grad") as info:
        gpukit.ones(1).sum().backward()
    assert info.value.fix == "x.requires_grad_()"
    x = leaf(5.0)
    x.backward()
    assert x.grad.tolist() == [1.0]


def test_graph_is_freed_after_use():
    x = leaf(2.0)
    y = x.exp().sum()
    y.backward()
    with pytest.raises(AutogradError, match="ExpBackward0 was used before") as info:
        y.backward()
    assert "retain_graph=True" in info.value.fix
    z = x.exp().sum()
    z.backward(retain_graph=True)
    z.backward()
    with pytest.raises(AutogradError, match="used before"):
        z.backward()
    # What saved nothing may be used again, as in torch.
    w = (x + 1).sum()
    w.backward()
    w.backward()


def test_shared_parts_count_once_each():
    x = leaf(3.0)
    y = x * 2
    z = y * y + y
    z.backward()
    assert x.grad.item() == 2 * (2 * 6 + 1)


def test_detach_and_data():
    x = leaf(1.0, 2.0)
    y = (x * 2).detach()
    assert not y.requires_grad
    assert y.is_leaf
    (x * y).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    x.data.mul_(10)
    assert x.tolist() == [10.0, 20.0]
    x.data = gpukit.ones(3)
    x.grad = None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0] * 3


def test_requires_grad_is_for_floating_leaves():
    with pytest.raises(gpukit.DTypeError, match="only floating"):
        gpukit.arange(3).requires_grad_()
    with pytest.raises(gpukit.DTypeError, match="only floating"):
        gpukit.zeros(2, dtype=gpukit.int32, requires_grad=True)
    x = leaf(1.0)
    y = x * 2
    with pytest.raises(AutogradError, match="result of a recorded operation"):
        y.requires_grad_(False)
    y.requires_grad_(True)
    x.requires_grad_(False)
    assert not (x * 2).requires_grad


def test_grad_is_checked():
    x = leaf(1.0, 2.0)
    with pytest.raises(gpukit.ShapeError, match="grad"):
        x.grad = gpukit.ones(3)
    with pytest.raises(gpukit.DTypeError, match="grad"):
        x.grad = gpukit.ones(2, dtype=gpukit.float64)
    with pytest.raises(ValueError, match="own gradient"):
        x.grad = x


def test_retain_grad():
    x = leaf(1.0, 2.0)
    y = x * 2
    assert not y.retains_grad
    y.retain_grad()
    assert y.retains_grad
    (y * y).sum().backward()
    assert y.grad.tolist() == [4.0, 8.0]
    with pytest.warns(gpukit.GpukitWarning, match="retain_grad"):
        assert (x * 2).grad is None
    with pytest.raises(AutogradError, match="retain_grad"):
        gpukit.ones(2).retain_grad()


def test_autograd_grad(device):
    x, w = leaf(1.0, 2.0, device=device), leaf(3.0, 4.0, device=device)
    hidden = x * w
    loss = (hidden * hidden).sum()
    by_hidden, by_x = gpukit.autograd.grad(loss, [hidden, x], retain_graph=True)
    assert by_hidden.tolist() == [6.0, 16.0]
    assert by_x.tolist() == [18.0, 64.0]
    assert x.grad is None
    assert w.grad is None
    assert gpukit.autograd.grad([loss], (w,))[0].tolist() == [6.0, 32.0]
    with pytest.raises(AutogradError, match=r"inputs\[1\] was not used"):
        gpukit.autograd.grad((x * 2).sum(), [x, w])
    assert gpukit.autograd.grad((x * 2).sum(), [x, w], allow_unused=True)[1] is None
    used, unused = gpukit.autograd.grad((x * 2).sum(), [x, w], materialize_grads=True)
    assert (used.tolist(), unused.tolist(), unused.device) == ([2.0, 2.0], [0.0, 0.0], w.device)
    ones = gpukit.ones(2, device=device)
    both = gpukit.autograd.grad([x * 2, w * 3, (x * w).sum()], [x, w], [ones, ones, None])
    assert [g.tolist() for g in both] == [[5.0, 6.0], [4.0, 5.0]]
    with pytest.raises(AutogradError, match="does not require grad"):
        gpukit.autograd.grad((x * 2).sum(), gpukit.ones(1))


def test_autograd_grad_takes_iterators():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    for inputs in (iter([x, w]), (t for t in (x, w)), {"x": x, "w": w}.values(), (x, w)):
        found = gpukit.autograd.grad(iter([(x * w).sum()]), inputs, materialize_grads=True)
        assert [g.tolist() for g in found] == [[3.0, 4.0], [1.0, 2.0]]
    layer = gpukit.nn.Linear(2, 1)
    by_weight, by_bias = gpukit.autograd.grad(layer(gpukit.ones(1, 2)).sum(), layer.parameters())
    assert by_weight.tolist() == [[1.0, 1.0]]
    assert by_bias.tolist() == [1.0]
    for wrong in (3, None, "x", [3], iter([3])):
        with pytest.raises(TypeError, match="grad: inputs"):
            gpukit.autograd.grad((x * w).sum(), wrong)


def test_autograd_grad_takes_what_torch_s_takes():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    by_position = gpukit.autograd.grad((x * 2).sum(), [x, w], None, None, False, True, True)
    assert by_position[0].tolist() == [2.0, 2.0]
    assert by_position[1] is None
    (slope,) = gpukit.autograd.grad(
        (x * x).sum(), x, create_graph=True, only_inputs=True, is_grads_batched=False
    )
    assert slope.requires_grad
    for words, text in [
        ({"only_inputs": False}, "only_inputs=False"),
        ({"is_grads_batched": True}, "with is_grads_batched=True each of grad_outputs has"),
        ({"materialize_grads": True, "allow_unused": False}, "materialize_grads=True"),
    ]:
        with pytest.raises(gpukit.ArgumentError, match=text):
            gpukit.autograd.grad((x * x).sum(), x, **words)
    for name in ("only_inputs", "is_grads_batched", "materialize_grads"):
        with pytest.raises(TypeError, match=f"grad: {name} must be True or False"):
            gpukit.autograd.grad((x * x).sum(), x, **{name: 3})


def test_grad_runs_only_what_leads_to_the_inputs():
    x, w = leaf(2.0), leaf(3.0)
    other = w.exp()
    loss = x * 2 + other
    gpukit.autograd.grad(loss, x)
    other.backward()  # what exp saved is still there


def test_in_place_on_a_leaf_is_refused(device):
    x = leaf(1.0, 2.0, device=device)
    for change in (
        lambda: x.add_(1),
        x.zero_,
        lambda: x.__setitem__(0, 1.0),
        x.uniform_,
        lambda: x.copy_(gpukit.ones(2, device=device)),
        lambda: x.__imul__(2),
    ):
        with pytest.raises(AutogradError, match="leaf that requires grad") as info:
            change()
        assert "no_grad" in info.value.fix
    assert x.tolist() == [1.0, 2.0]
    with gpukit.no_grad():
        x -= 0.5
        x[0] = 7.0
    assert x.tolist() == [7.0, 1.5]
    assert x.is_leaf
    x.detach().add_(1)


def test_saved_tensor_changed_in_place(device):
    x = leaf(1.0, 2.0, device=device)
    y = x.exp()
    z = y * 2
    y.add_(1)
    with pytest.raises(AutogradError, match=r"ExpBackward0 needs a tensor of shape \(2,\)"):
        (z + y).sum().backward()
    w = gpukit.ones(2, device=device)
    loss = (x * w).sum()
    w[0] = 5.0
    with pytest.raises(AutogradError, match=r"MulBackward0 .* changed in place"):
        loss.backward()
    # A view shares its counter, and a view changed is its base changed.
    v = gpukit.ones(2, 2, device=device)
    loss = (x * v).sum()
    v[1].zero_()
    with pytest.raises(AutogradError, match="changed in place"):
        loss.backward()
    # What was not saved may change.
    u = gpukit.ones(2, device=device)
    loss = (x + u).sum()
    u.zero_()
    loss.backward()


def test_in_place_on_results(device):
    x = leaf(1.0, 2.0, device=device)
    y = x * 1
    y += 3
    y *= x
    y[0] = 0.0
    assert y.grad_fn.name() == "CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 2 * 2.0 + 3]
    buffer = gpukit.zeros(3, device=device)
    buffer[1:] = x.detach().requires_grad_() * 2
    assert buffer.requires_grad


def test_a_view_follows_changes_of_its_base():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    v = y[1:]
    y.mul_(2)
    v.sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 2.0]


def test_a_base_follows_changes_of_its_views():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    v = y.view(-1)
    y[1:].mul_(2)
    v[0] = 5
    (y * x.detach()).sum().backward()
    assert y.tolist() == [5.0, 4.0, 6.0]
    assert x.grad.tolist() == [0.0, 4.0, 6.0]
    assert v.grad_fn.name() == "AsStridedBackward0"


def test_a_buffer_written_row_by_row_has_gradients():
    x = leaf(1.0, 2.0, 3.0)
    buffer = gpukit.zeros(2, 3)
    other = buffer[:, 1]
    buffer[0].copy_(x)
    buffer[1].copy_(x * 2)
    assert buffer.requires_grad
    assert other.requires_grad
    (buffer.sum() + other.sum()).backward()
    assert x.grad.tolist() == [3.0, 6.0, 3.0]


def test_views_that_cannot_be_changed_while_recorded():
    x = leaf(1.0, 2.0, 3.0)
    with pytest.raises(AutogradError, match="a view of a leaf"):
        x[1:].mul_(2)
    y = x * 2
    with gpukit.no_grad():
        v = y[:2]
    with pytest.raises(AutogradError, match="inside no_grad"):
        v.copy_(x[1:])
    bits = gpukit.zeros(3, dtype=gpukit.int32)
    with pytest.raises(AutogradError, match="a view as another dtype"):
        bits.view(gpukit.float32).copy_(x)


def test_replaced_data_ends_a_view():
    x = leaf(1.0, 2.0, 3.0)
    y = x * 2
    v = y[:2]
    y.data = gpukit.ones(3)
    y.mul_(3)
    v.mul_(5)
    v.sum().backward()
    assert y.tolist() == [3.0] * 3
    assert x.grad.tolist() == [10.0, 10.0, 0.0]


def test_detach_ends_a_view():
    x = leaf(1.0, 2.0)
    y = x * 2
    v = y.view(2, 1)
    v.detach_()
    v.copy_(x.reshape(2, 1) * 3)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_copies():
    x = leaf(1.0, 2.0)
    x.grad = gpukit.ones(2)
    twin = copy.deepcopy(x)
    assert twin.requires_grad
    assert twin.is_leaf
    twin.grad.zero_()
    assert x.grad.tolist() == [1.0, 1.0]
    with pytest.raises(AutogradError, match="deepcopy"):
        copy.deepcopy(x * 2)


def test_a_failed_pass_leaves_the_next_one_working():
    x = leaf(1.0)
    loss = (x // 2 + x).sum()
    with pytest.raises(AutogradError):
        loss.backward()
    assert gpukit.is_grad_enabled()
    x.grad = None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0]


def test_inputs_that_ops_return_unchanged_keep_their_graph():
    x = leaf(1.0)
    y = x * 2
    assert y.to("cpu") is y
    assert y.float() is y
    assert y.contiguous() is y
    assert y.flatten() is y
    assert +y is y


def test_training_a_line(device):
    gpukit.manual_seed(0)
    inputs = gpukit.randn(64, 3, device=device)
    truth = gpukit.tensor([[1.0], [-2.0], [0.5]], device=device)
    labels = inputs @ truth + 4.0
    w = gpukit.zeros(3, 1, device=device, requires_grad=True)
    b = gpukit.zeros(1, device=device, requires_grad=True)
    for _ in range(100):
        loss = ((inputs @ w + b - labels) ** 2).mean()
        loss.backward()
        with gpukit.no_grad():
            for p in (w, b):
                p.sub_(0.1 * p.grad)
                p.grad.zero_()
    assert loss.item() < 1e-6
    assert abs(b.item() - 4.0) < 1e-3
