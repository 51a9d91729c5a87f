"""Module: registration, names, state, moving, and what errors say."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 256)
        self.output = nn.Linear(256, 10)

    def forward(self, X):
        return self.output(F.relu(self.hidden(X)))


NAMES = ["hidden.weight", "hidden.bias", "output.weight", "output.bias"]


def test_parameters_and_their_names():
    net = MLP()
    assert [name for name, _ in net.named_parameters()] == NAMES
    assert [tuple(p.shape) for p in net.parameters()] == [(256, 20), (256,), (10, 256), (10,)]
    assert all(isinstance(p, nn.Parameter) and p.requires_grad for p in net.parameters())
    assert [name for name, _ in net.named_modules()] == ["", "hidden", "output"]
    assert [name for name, _ in net.named_children()] == ["hidden", "output"]
    assert net.get_submodule("hidden") is net.hidden
    assert net.get_parameter("hidden.weight") is net.hidden.weight


def test_repr():
    assert repr(MLP()) == (
        "MLP(\n"
        "  (hidden): Linear(in_features=20, out_features=256, bias=True)\n"
        "  (output): Linear(in_features=256, out_features=10, bias=True)\n"
        ")"
    )
    assert repr(nn.Sequential(nn.Sequential(nn.ReLU()), nn.Dropout())) == (
        "Sequential(\n  (0): Sequential(\n    (0): ReLU()\n  )\n"
        "  (1): Dropout(p=0.5, inplace=False)\n)"
    )
    assert repr(nn.Module()) == "Module()"


def test_super_init_forgotten():
    class Forgetful(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) in Forgetful.__init__"):
        Forgetful()


def test_forward_missing():
    with pytest.raises(NotImplementedError, match="forward"):
        nn.Module()(1)


def test_assigning_again_keeps_one_name_in_one_table():
    net = nn.Module()
    net.part = nn.Parameter(gpukit.ones(1))
    net.part = nn.Linear(1, 1)
    assert list(net._parameters) == [] and list(net._modules) == ["part"]
    net.part = None
    assert net.part is None and list(net.parameters()) == []
    with pytest.raises(TypeError, match="cannot assign 'int' as module 'part'"):
        net.part = 3
    del net.part
    assert not hasattr(net, "part") and list(net._modules) == []


def test_tensor_where_a_parameter_stood_is_refused():
    layer = nn.Linear(1, 1)
    with pytest.raises(TypeError, match="cannot assign 'Tensor' as parameter 'weight'"):
        layer.weight = gpukit.ones(1, 1)


def test_buffers():
    net = nn.Module()
    net.register_buffer("mean", gpukit.zeros(2))
    net.register_buffer("cache", gpukit.zeros(2), persistent=False)
    assert [name for name, _ in net.named_buffers()] == ["mean", "cache"]
    assert list(net.state_dict()) == ["mean"]
    net.mean = gpukit.ones(2)
    assert net.state_dict()["mean"].tolist() == [1.0, 1.0]
    with pytest.raises(KeyError, match="forward"):
        net.register_buffer("forward", None)


@pytest.mark.parametrize("name", ["a.b", ""])
def test_bad_names(name):
    with pytest.raises(KeyError):
        nn.Module().add_module(name, nn.ReLU())


def test_state_dict_shares_memory_and_has_no_gradient():
    net = MLP()
    state = net.state_dict()
    assert isinstance(state, OrderedDict) and list(state) == NAMES
    assert type(state["hidden.bias"]) is gpukit.Tensor
    assert not state["hidden.bias"].requires_grad
    state["hidden.bias"].fill_(7)
    assert net.hidden.bias.detach().min().item() == 7
    assert net.state_dict(keep_vars=True)["hidden.bias"] is net.hidden.bias


def test_load_state_dict():
    net, other = MLP(), MLP()
    weight = net.hidden.weight
    report = net.load_state_dict(other.state_dict())
    assert repr(report) == str(report) == "<All keys matched successfully>"
    assert net.hidden.weight is weight
    assert gpukit.equal(net.output.bias.detach(), other.output.bias.detach())


def test_load_state_dict_converts_dtypes():
    net = nn.Linear(1, 1)
    net.load_state_dict({"weight": gpukit.ones(1, 1, dtype="float64"), "bias": gpukit.zeros(1)})
    assert net.weight.dtype is gpukit.float32 and net.weight.item() == 1.0


def test_load_state_dict_that_does_not_fit_changes_nothing():
    net = MLP()
    before = net.hidden.weight.detach().clone()
    state = net.state_dict()
    bad = {name: value + 1 for name, value in state.items()}
    del bad["hidden.bias"]
    bad["fc.bias"] = gpukit.ones(1)
    bad["output.weight"] = gpukit.ones(10, 128)
    with pytest.raises(gpukit.CheckpointError) as caught:
        net.load_state_dict(bad)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for MLP:\n"
        '\tMissing key(s) in state_dict: "hidden.bias". \n'
        '\tUnexpected key(s) in state_dict: "fc.bias". \n'
        "\tsize mismatch for output.weight: copying a param with shape (10, 128) from "
        "checkpoint, the shape in current model is (10, 256)."
    )
    assert gpukit.equal(net.hidden.weight.detach(), before)
    del bad["output.weight"]
    report = net.load_state_dict(bad, strict=False)
    assert report.missing_keys == ["hidden.bias", "output.weight"]
    assert report.unexpected_keys == ["fc.bias"]
    with pytest.raises(TypeError, match="mapping"):
        net.load_state_dict([1])
    with pytest.raises(TypeError, match=r"hidden.weight must be a Tensor"):
        net.load_state_dict({"hidden.weight": 1}, strict=False)


def test_errors_name_the_layer():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = MLP()

        def forward(self, X):
            return self.body(X)

    with pytest.raises(gpukit.ShapeError) as caught:
        Outer()(gpukit.ones(2, 21))
    assert str(caught.value).startswith("body.hidden (Linear): linear: input is (2, 21)")
    assert caught.value.details["layer"] == "body.hidden"
    with pytest.raises(gpukit.ShapeError, match=r"^Linear: linear: input is \(3,\)"):
        nn.Linear(2, 2)(gpukit.ones(3))
    with pytest.raises(gpukit.ShapeError, match=r"^0 \(Linear\)"):
        nn.Sequential(nn.Linear(2, 2))(gpukit.ones(3))


def test_to_changes_dtypes_in_place():
    net = MLP()
    weight = net.hidden.weight
    weight.grad = gpukit.ones_like(weight.detach())
    assert net.to(gpukit.float64) is net
    assert net.hidden.weight is weight
    assert weight.dtype is gpukit.float64 and weight.grad.dtype is gpukit.float64
    assert net.float().hidden.weight.dtype is gpukit.float32
    assert net.to("cpu", gpukit.float16).hidden.bias.dtype is gpukit.float16
    assert net.to(gpukit.ones(1)).hidden.bias.dtype is gpukit.float32
    assert net.to("torch.float64").hidden.bias.dtype is gpukit.float64
    with pytest.raises(TypeError, match="floating"):
        net.to(gpukit.int64)


def test_to_leaves_integer_buffers():
    net = nn.Module()
    net.register_buffer("count", gpukit.zeros(1, dtype="int64"))
    net.double()
    assert net.count.dtype is gpukit.int64


def test_train_and_eval():
    net = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout()))
    assert net.eval() is net and not net[1][0].training
    assert net.train()[1][0].training
    with pytest.raises(ValueError, match="boolean"):
        net.train(1)


def test_zero_grad():
    net = nn.Linear(2, 2)
    net.weight.grad = gpukit.ones(2, 2)
    net.zero_grad(set_to_none=False)
    assert net.weight.grad.tolist() == [[0, 0], [0, 0]] and net.bias.grad is None
    net.zero_grad()
    assert net.weight.grad is None


def test_requires_grad_and_apply():
    net = MLP().requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())
    seen = []
    net.apply(seen.append)
    assert seen == [net.hidden, net.output, net]


def test_shared_parts_count_once():
    layer = nn.Linear(2, 2)
    net = nn.Sequential(layer, layer)
    assert len(list(net.parameters())) == 2
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_copies():
    net = MLP()
    other = copy.deepcopy(net)
    other.hidden.weight.detach().fill_(3)
    assert net.hidden.weight.detach().max().item() < 3
    assert other.hidden.weight is other._modules["hidden"]._parameters["weight"]
    again = pickle.loads(pickle.dumps(nn.Linear(2, 2)))
    assert isinstance(again.weight, nn.Parameter) and again.weight.requires_grad


def test_parameter():
    p = nn.Parameter(gpukit.zeros(2))
    assert repr(p) == "Parameter containing:\ntensor([0., 0.], requires_grad=True)"
    assert isinstance(p, gpukit.Tensor) and type(p + 1) is gpukit.Tensor
    assert not nn.Parameter(gpukit.ones(1), requires_grad=False).requires_grad
    assert tuple(nn.Parameter().shape) == (0,)
    data = gpukit.zeros(2)
    nn.Parameter(data).detach().fill_(1)
    assert data.tolist() == [1, 1]
    with pytest.raises(gpukit.DTypeError):
        nn.Parameter(gpukit.arange(2))


def test_names_that_are_not_there():
    with pytest.raises(AttributeError, match="Sequential"):
        _ = nn.Sequental
    with pytest.raises(AttributeError, match="hidde"):
        _ = MLP().hidde


def test_forward_hooks_see_and_change():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    seen = []
    first = net[1].register_forward_hook(lambda m, inputs, output: seen.append(output.shape))
    second = net.register_forward_hook(lambda m, inputs, output: output * 0)
    with net.register_forward_pre_hook(lambda m, inputs: inputs[0] + 1):
        assert net(gpukit.ones(3, 2)).sum().item() == 0
    copied = copy.deepcopy(net)
    assert copied(gpukit.ones(3, 2)).sum().item() == 0
    assert seen == [(3, 2)] * 2
    for handle in (first, second, second):
        handle.remove()
    assert "_gpukit_hooks" not in net.__dict__ and "_gpukit_hooks" not in net[1].__dict__
    assert copied[0].weight is not net[0].weight
    assert copied.__dict__["_gpukit_hooks"].module is copied
    with pytest.raises(TypeError, match="hook must be a function"):
        net.register_forward_hook(3)


def test_a_hook_keeps_a_forward_of_the_objects_own():
    net = nn.Identity()
    net.forward = lambda x: x + 1
    handle = net.register_forward_hook(lambda m, inputs, output: output * 10)
    assert net(gpukit.ones(1)).item() == 20
    assert net.forward(gpukit.ones(1)).item() == 2  # hooks run with calls alone
    net.forward = lambda x: x + 2
    assert net(gpukit.ones(1)).item() == 30
    handle.remove()
    assert net(gpukit.ones(1)).item() == 3


def test_hooks_need_no_name_of_the_modules():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self._hooked = self._hooks = None

        def forward(self, x):
            return x + 1

    net = Net()
    handle = net.register_forward_hook(lambda m, inputs, output: output * 10)
    assert net(gpukit.ones(1)).item() == 20
    handle.remove()
    assert net(gpukit.ones(1)).item() == 2


def test_a_shallow_copy_with_hooks_computes_with_its_own_weights():
    net, seen = nn.Linear(1, 1, bias=False), []
    net.register_forward_hook(lambda m, inputs, output: seen.append(m))
    copied = copy.copy(net)
    copied.weight = nn.Parameter(gpukit.full((1, 1), 7.0))
    assert copied(gpukit.ones(1)).item() == 7 and seen == [copied]
    assert net._parameters["weight"] is net.weight is not copied.weight
    parallel = nn.DataParallel(nn.Sequential(net, nn.ReLU()), ["cpu", "cpu"])
    assert parallel(gpukit.ones(4, 1)).shape == (4, 1)
    assert len(seen) == 3 and net not in seen


@pytest.mark.parametrize(
    "dtype", [gpukit.int32, "int64", int, gpukit.bool, "torch.LongTensor"], ids=str
)
def test_type_refuses_a_dtype_without_gradients_before_it_converts(dtype):
    net = nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 2))
    with pytest.raises(RuntimeError, match=r"Module\.type: parameter 'weight' of Linear requires"):
        net.type(dtype)
    assert {each.dtype for each in net.parameters()} == {gpukit.float32}
    assert all(each.requires_grad for each in net[1].parameters())
    net[1].requires_grad_(False)
    assert not net.type(dtype)[1].weight.dtype.is_floating_point
    assert "Linear" in repr(net)


@pytest.mark.parametrize("dtype", [gpukit.float64, "torch.DoubleTensor", gpukit.DoubleTensor])
def test_type_takes_every_name_of_a_floating_dtype(dtype):
    assert nn.Linear(2, 2).type(dtype).weight.dtype == gpukit.float64
    with pytest.raises(TypeError, match="dtype must be a dtype"):
        nn.Linear(2, 2).type(None)


def test_pruning_that_is_refused_or_removed_leaves_the_module_as_it_was():
    layer, prune = nn.Linear(2, 2), nn.utils.prune
    weight, fields = layer.weight, dict(layer.__dict__)
    with pytest.raises(gpukit.ArgumentError, match="more than the 4 elements"):
        prune.l1_unstructured(layer, "weight", 5)
    assert layer.weight is weight and layer.__dict__ == fields
    prune.l1_unstructured(layer, "weight", 1)
    with pytest.raises(gpukit.ArgumentError, match="importance_scores"):
        prune.l1_unstructured(layer, "weight", 1, importance_scores=gpukit.ones(3))
    assert prune.is_pruned(layer) and layer.weight_mask.sum() == 3
    prune.remove(layer, "weight")
    assert layer.weight is weight and layer.__dict__.keys() == fields.keys()
