"""Layers, containers, initial values and losses, with NumPy as the yardstick."""

from __future__ import annotations

import copy
import math
import warnings
from collections import OrderedDict

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional as F
from gpukit.nn import init


def arrays(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def near(tensor, want, tolerance=2e-6):
    np.testing.assert_allclose(tensor.detach().numpy(), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(5,), (2, 5), (3, 2, 5), (0, 5), (2, 0, 5)])
@pytest.mark.parametrize("bias", [True, False])
def test_linear(shape, bias):
    layer = nn.Linear(5, 3, bias=bias)
    (x,) = arrays(shape)
    want = x @ layer.weight.detach().numpy().T
    if bias:
        want = want + layer.bias.detach().numpy()
    near(layer(gpukit.tensor(x)), want)
    assert (layer.bias is not None) == bias


def test_linear_without_inputs():
    near(nn.Linear(0, 2, bias=False)(gpukit.ones(3, 0)), np.zeros((3, 2)))


@pytest.mark.parametrize(("name", "value"), [("in_features", -1), ("out_features", 2.5)])
def test_linear_refuses(name, value):
    sizes = {"in_features": 2, "out_features": 2, name: value}
    with pytest.raises((TypeError, ValueError), match=name):
        nn.Linear(**sizes)


def test_lazy_linear():
    net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2, bias=False))
    assert repr(net[0]) == "LazyLinear(in_features=0, out_features=4, bias=True)"
    weight = net[0].weight
    assert net(gpukit.ones(3, 7)).shape == (3, 2)
    assert type(net[0]) is nn.Linear and net[0].weight is weight
    assert type(weight) is nn.Parameter and weight.shape == (4, 7) and weight.requires_grad
    assert 0 < weight.detach().abs().max().item() <= 1 / math.sqrt(7)
    assert len(net.state_dict()) == 3


def test_sequential_is_indexed_and_cut():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert net[-1].out_features == 1 and len(net) == 3
    assert isinstance(net[:2], nn.Sequential) and len(net[:2]) == 2
    net.append(nn.Identity())
    del net[1]
    assert [type(part).__name__ for part in net] == ["Linear", "Linear", "Identity"]
    with pytest.raises(IndexError, match="out of range"):
        _ = net[3]
    with pytest.raises(TypeError, match="not a Module"):
        nn.Sequential(gpukit.relu)


def test_a_sequential_without_layers_returns_its_input():
    x = gpukit.ones(2)
    assert nn.Sequential()(x) is x
    assert nn.Sequential(nn.ReLU())[1:](x) is x


def test_to_takes_the_name_of_a_dtype():
    net = nn.Linear(2, 2)
    assert net.to("float64").weight.dtype == gpukit.float64
    with pytest.raises(TypeError, match="int64"):
        net.to("int64")


def test_module_list_and_dict():
    parts = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)]).append(nn.ReLU())
    assert len(list(parts.parameters())) == 4
    parts.insert(0, nn.Tanh())
    parts[3] = nn.Sigmoid()
    assert repr(parts) == (
        "ModuleList(\n  (0): Tanh()\n"
        "  (1-2): 2 x Linear(in_features=2, out_features=2, bias=True)\n  (3): Sigmoid()\n)"
    )
    named = nn.ModuleDict({"a": nn.Linear(1, 1)})
    named["b"] = nn.ReLU()
    assert list(named) == ["a", "b"] and "a" in named and isinstance(named.pop("b"), nn.ReLU)
    assert list(named.state_dict()) == ["a.weight", "a.bias"]
    with pytest.raises(KeyError):
        del named["c"]


@pytest.mark.parametrize("wrong", [5, "x", nn.Linear, gpukit.ones(1)], ids=str)
@pytest.mark.parametrize("index", [0, 1, -1, 9])
def test_a_wrong_module_leaves_the_container_as_it_was(wrong, index):
    named = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
    for parts in (named, nn.Sequential(nn.ReLU(), nn.Tanh()), nn.ModuleList([nn.ReLU()])):
        before = list(parts.named_children())
        with pytest.raises(TypeError, match="is not a Module subclass"):
            parts.insert(index, wrong)
        assert list(parts.named_children()) == before


def test_update_of_a_dict_passes_on_what_its_generator_raises():
    def broken(kind):
        yield "a", nn.ReLU()
        raise kind("of my own")

    for kind in (TypeError, ValueError, OSError):
        named = nn.ModuleDict()
        with pytest.raises(kind, match=r"^of my own$"):
            named.update(broken(kind))
        assert len(named) == 0
    for wrong in (5, [nn.ReLU()], ["abc"], [("a", nn.ReLU(), 1)], nn.ReLU()):
        with pytest.raises(TypeError, match="must be a mapping or"):
            nn.ModuleDict().update(wrong)
    assert list(nn.ModuleDict((k, nn.ReLU()) for k in "ab")) == ["a", "b"]


def test_activations():
    (x,) = arrays((3, 4))
    t = gpukit.tensor(x)
    near(nn.ReLU()(t), np.maximum(x, 0))
    near(nn.Sigmoid()(t), 1 / (1 + np.exp(-x)))
    near(nn.Tanh()(t), np.tanh(x))
    gelu = 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    near(nn.GELU()(t), gelu, 1e-5)
    near(nn.GELU("tanh")(t), gelu, 5e-3)
    softmax = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    near(nn.Softmax(dim=1)(t), softmax)
    near(nn.LogSoftmax(dim=1)(t), np.log(softmax), 5e-6)
    with pytest.warns(gpukit.GpukitWarning, match="dim=1"):
        near(nn.Softmax()(t), softmax)
    near(nn.LeakyReLU(0.1)(t), np.where(x > 0, x, 0.1 * x))
    near(nn.ELU(2.0)(t), np.where(x > 0, x, 2 * np.expm1(x)))
    near(nn.SiLU()(t), x / (1 + np.exp(-x)))
    near(nn.Softplus()(t), np.log1p(np.exp(x)))
    again = t.clone()
    assert nn.LeakyReLU(inplace=True)(again) is again
    assert nn.ReLU(inplace=True)(again) is again and again.min().item() == 0


def test_flatten_and_identity():
    assert nn.Flatten()(gpukit.ones(2, 3, 4)).shape == (2, 12)
    assert nn.Flatten(0)(gpukit.ones(2, 3)).shape == (6,)
    x = gpukit.ones(1)
    assert nn.Identity(3, a=1)(x) is x


def test_dropout():
    gpukit.manual_seed(0)
    layer = nn.Dropout(0.25)
    x = gpukit.ones(10_000)
    y = layer(x).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.02
    assert layer.eval()(x) is x
    assert nn.Dropout(1.0)(x).abs().max().item() == 0
    with pytest.raises(ValueError, match="probability"):
        nn.Dropout(1.5)


def test_layer_norm():
    (x,) = arrays((3, 4, 5))
    for shape in (5, (4, 5)):
        layer = nn.LayerNorm(shape)
        axes = (2,) if shape == 5 else (1, 2)
        deviation = np.sqrt(x.var(axes, keepdims=True) + 1e-5)
        near(layer(gpukit.tensor(x)), (x - x.mean(axes, keepdims=True)) / deviation, 1e-5)
    assert len(list(nn.LayerNorm(2, elementwise_affine=False).parameters())) == 0
    with pytest.raises(gpukit.ShapeError, match="layer_norm"):
        nn.LayerNorm(3)(gpukit.tensor(x))


def test_embedding():
    table = nn.Embedding(10, 3, padding_idx=-1)
    assert table.padding_idx == 9 and table.weight.detach()[9].abs().max().item() == 0
    numbers = gpukit.tensor([[1, 9], [3, 1]])
    near(table(numbers), table.weight.detach().numpy()[numbers.numpy()])
    assert repr(table) == "Embedding(10, 3, padding_idx=9)"
    with pytest.raises(IndexError):
        table(gpukit.tensor([10]))
    with pytest.raises(gpukit.DTypeError, match="long"):
        table(gpukit.tensor([1.0]))


def test_one_hot():
    assert F.one_hot(gpukit.tensor([1, 0]), 3).tolist() == [[0, 1, 0], [1, 0, 0]]
    with pytest.raises(ValueError, match="0 to 1"):
        F.one_hot(gpukit.tensor([2]), 2)


DISTRIBUTIONS = {
    "uniform_": (lambda t: init.uniform_(t, -2, 4), 1.0, 6 / math.sqrt(12)),
    "normal_": (lambda t: init.normal_(t, 1.0, 2.0), 1.0, 2.0),
    "xavier_uniform_": (init.xavier_uniform_, 0.0, math.sqrt(2 / 500)),
    "xavier_normal_": (lambda t: init.xavier_normal_(t, 2.0), 0.0, 2 * math.sqrt(2 / 500)),
    "kaiming_uniform_": (init.kaiming_uniform_, 0.0, math.sqrt(2 / 200)),
    "kaiming_normal_": (
        lambda t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="relu"),
        0.0,
        math.sqrt(2 / 300),
    ),
    "Linear.weight": (lambda t: nn.Linear(200, 300).weight.detach(), 0.0, 1 / math.sqrt(600)),
    "Linear.bias": (lambda t: nn.Linear(3, 60_000).bias.detach(), 0.0, 1 / 3),
    "Embedding": (lambda t: nn.Embedding(300, 200).weight.detach(), 0.0, 1.0),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_initial_values(name):
    gpukit.manual_seed(1)
    make, mean, deviation = DISTRIBUTIONS[name]
    values = make(gpukit.empty(300, 200)).numpy().astype(np.float64)
    assert abs(values.mean() - mean) < 0.02 * deviation
    assert abs(values.std() / deviation - 1) < 0.02


def test_init_changes_parameters_in_place():
    p = nn.Parameter(gpukit.zeros(2, 2))
    assert init.ones_(p) is p and p.detach().min().item() == 1
    with pytest.raises(gpukit.ShapeError, match="2 dimensions"):
        init.xavier_uniform_(gpukit.ones(3))
    with pytest.raises(ValueError, match="mode"):
        init.kaiming_uniform_(gpukit.ones(2, 2), mode="fan")


def log_softmax(x):
    shifted = x - x.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


REDUCTIONS = {"mean": np.mean, "sum": np.sum, "none": lambda x: x}


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_simple_losses(reduction):
    x, y = arrays((4, 3), (4, 3))
    reduce = REDUCTIONS[reduction]
    a, b = gpukit.tensor(x), gpukit.tensor(y)
    near(nn.MSELoss(reduction)(a, b), reduce((x - y) ** 2), 1e-5)
    near(nn.L1Loss(reduction)(a, b), reduce(abs(x - y)), 1e-5)
    labels = (y > 0).astype(np.float32)
    bce = np.maximum(x, 0) - x * labels + np.log1p(np.exp(-abs(x)))
    near(nn.BCEWithLogitsLoss(reduction=reduction)(a, gpukit.tensor(labels)), reduce(bce), 1e-5)


def test_class_losses_of_images():
    (x,) = arrays((2, 3, 4, 5))
    target = np.random.default_rng(1).integers(0, 3, (2, 4, 5))
    rows = log_softmax(np.moveaxis(x, 1, -1).reshape(-1, 3))
    want = -rows[np.arange(40), target.reshape(-1)]
    t, c = gpukit.tensor(x), gpukit.tensor(target)
    near(F.cross_entropy(t, c), want.mean(), 1e-5)
    near(F.cross_entropy(t, c, reduction="none"), want.reshape(2, 4, 5), 1e-5)
    near(F.nll_loss(F.log_softmax(t, 1), c), want.mean(), 1e-5)
    near(F.nll_loss(F.log_softmax(t, 1), c, reduction="none"), want.reshape(2, 4, 5), 1e-5)


def test_cross_entropy_with_probabilities():
    x, p = arrays((4, 3), (4, 3))
    p = np.exp(log_softmax(p))
    want = -(log_softmax(x) * p).sum(1)
    near(F.cross_entropy(gpukit.tensor(x), gpukit.tensor(p)), want.mean(), 1e-5)
    near(F.cross_entropy(gpukit.tensor(x), gpukit.tensor(p), reduction="sum"), want.sum(), 1e-5)


def test_cross_entropy_of_certain_probabilities():
    p = gpukit.tensor([0.0, 1.0, 0.0, 1.0], requires_grad=True)
    losses = F.binary_cross_entropy(p, gpukit.tensor([0.0, 1.0, 1.0, 0.0]), reduction="none")
    assert losses.tolist() == [0.0, 0.0, 100.0, 100.0]
    losses.sum().backward()
    assert p.grad.isfinite().all()
    x = gpukit.tensor([-95.0, -90.0, 0.0], requires_grad=True)
    F.binary_cross_entropy(x.sigmoid(), gpukit.ones(3), reduction="sum").backward()
    assert x.grad.isfinite().all() and x.grad[2].item() == -0.5


def test_losses_refuse():
    x = gpukit.zeros(2, 3)
    with pytest.raises(ValueError, match="BCEWithLogitsLoss"):
        nn.BCELoss()(gpukit.tensor([2.0]), gpukit.tensor([1.0]))
    with pytest.raises(gpukit.ShapeError, match="equal"):
        nn.BCELoss()(gpukit.zeros(2, 1), gpukit.zeros(2))
    for make, setting, value in ((F.smooth_l1_loss, "beta", -1), (F.huber_loss, "delta", 0)):
        with pytest.raises(ValueError, match=setting):
            make(x, x, **{setting: value})
    with pytest.raises(ValueError, match="reduction"):
        nn.MSELoss("avg")
    with pytest.raises(ValueError, match="reduction"):
        F.cross_entropy(x, gpukit.tensor([0, 1]), reduction="avg")
    with pytest.raises(gpukit.DTypeError, match="int64"):
        F.cross_entropy(x, gpukit.tensor([0.0, 1.0]))
    with pytest.raises(gpukit.ShapeError, match="2 rows"):
        F.cross_entropy(x, gpukit.tensor([0]))
    with pytest.raises(IndexError, match=r"target\[1\] is 3"):
        F.cross_entropy(x, gpukit.tensor([0, 3]))
    with pytest.raises(ValueError, match="label_smoothing"):
        F.cross_entropy(x, gpukit.tensor([0, 1]), label_smoothing=2.0)
    with pytest.raises(gpukit.ShapeError, match="3 classes"):
        F.cross_entropy(x, gpukit.tensor([0, 1]), weight=gpukit.ones(2))
    with pytest.warns(gpukit.GpukitWarning, match="broadcast"):
        F.mse_loss(gpukit.zeros(2, 1), gpukit.zeros(2))


WRONG = {
    "l1_loss: target": lambda: F.l1_loss(gpukit.zeros(1), 1.0),
    "binary_cross_entropy: input": lambda: F.binary_cross_entropy(0.5, gpukit.zeros(1)),
    "leaky_relu: input": lambda: F.leaky_relu(-1.0),
    "elu: alpha": lambda: F.elu(gpukit.zeros(1), "x"),
    "softplus: input": lambda: F.softplus([1.0]),
    "smooth_l1_loss: beta": lambda: F.smooth_l1_loss(gpukit.zeros(1), gpukit.zeros(1), beta="a"),
    "clip_grad_value_: clip_value": lambda: nn.utils.clip_grad_value_([], "a"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_named(name):
    with pytest.raises(TypeError, match=f"{name} must be a"):
        WRONG[name]()


@pytest.mark.parametrize("make", [nn.LeakyReLU, nn.ELU, nn.SiLU])
def test_inplace_layers_change_their_input_and_learn_the_same(make):
    grads = []
    for inplace in (False, True):
        x = gpukit.tensor([-1.0, 0.5, 2.0], requires_grad=True)
        y = x * 1
        result = make(inplace=inplace)(y)
        assert (result is y) == inplace
        result.sum().backward()
        grads.append(x.grad.tolist())
    assert grads[0] == grads[1] and "inplace=True" in repr(make(inplace=True))


def test_nll_loss_of_classes_that_are_none():
    rows = gpukit.tensor([[-math.inf, -1.0], [-0.5, -1.0]])
    assert F.nll_loss(rows, gpukit.tensor([-100, 1])).item() == 1
    for wrong in (-1, 2):
        with pytest.raises(IndexError, match=rf"target\[1\] is {wrong}"):
            F.nll_loss(rows, gpukit.tensor([0, wrong]))
    many = gpukit.full((4096, 2), -1.0, dtype=gpukit.float16)
    assert F.nll_loss(many, gpukit.zeros(4096, dtype=gpukit.int64)).item() == 1


def test_smooth_l1_without_a_bend_and_a_tensor_as_a_clip():
    assert F.smooth_l1_loss(gpukit.zeros(2), gpukit.tensor([1.0, 3.0]), beta=0).item() == 2
    p = nn.Parameter(gpukit.zeros(1))
    p.grad = gpukit.tensor([3.0])
    nn.utils.clip_grad_value_(p, gpukit.tensor(2.0))
    assert p.grad.item() == 2


def test_sizes_are_warned_of_where_the_caller_is():
    for loss in (F.l1_loss, nn.L1Loss(), F.mse_loss, nn.MSELoss(), F.huber_loss, nn.HuberLoss()):
        with pytest.warns(gpukit.GpukitWarning) as seen:
            loss(gpukit.zeros(2, 1), gpukit.zeros(2))
        assert seen[0].filename == __file__


def test_copying_a_result_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy.copy(gpukit.ones(1, requires_grad=True) * 2)


@pytest.mark.filterwarnings("ignore::gpukit.GpukitWarning")
@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss", "smooth_l1_loss"])
@pytest.mark.parametrize("half", [gpukit.float16, gpukit.bfloat16])
def test_losses_of_two_dtypes_take_the_wider_one_also_of_0_d_tensors(loss, half):
    function = getattr(gpukit.nn.functional, loss)
    for shape in ((1, 2), (3,), ()):
        narrow, wide = gpukit.ones(shape, dtype=half), gpukit.tensor(3.0001)
        for pair in ((narrow, wide), (wide, narrow)):
            for reduction in ("mean", "none"):
                assert function(*pair, reduction=reduction).dtype is gpukit.float32
