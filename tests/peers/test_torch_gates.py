"""Activations, distances, their losses, and normalisations beside torch's: values and gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit

RNG = np.random.default_rng(5)
X, Y = RNG.standard_normal((2, 4, 6))
SIGNS = np.sign(RNG.standard_normal((4, 6)))
ODD = np.array([-4, -3, -1, -0.5, 0, 0.25, 0.5, 1, 3, 6, 7, np.inf, -np.inf])
IMAGE = RNG.standard_normal((3, 4, 5, 6))
NUMBERS = np.array([0, 2, 5, 3])
CHANCES = np.abs(Y) / np.abs(Y).sum(1, keepdims=True)
CHANCES[0, 0] = 0


def answers(module, call, arrays, wanted):
    """The value, and the gradients of the first `wanted` arrays."""
    tensors = [module.tensor(a) for a in arrays]
    leaves = [t.requires_grad_() for t in tensors[:wanted]]
    out = call(module, *tensors)
    weights = module.tensor(np.linspace(0.5, 1.5, out.numel()).reshape(tuple(out.shape)))
    found = [out, *(module.autograd.grad((out * weights).sum(), leaves) if leaves else [])]
    return [np.array(t.detach().tolist()).reshape(tuple(t.shape)) for t in found]


def beside(call, *arrays, wanted=1, rtol=1e-10):
    mine = answers(gpukit, call, arrays, wanted)
    theirs = answers(torch, call, arrays, wanted)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-12)


def named(name, *arguments, **options):
    def call(module, *tensors):
        return getattr(module.nn.functional, name)(*tensors, *arguments, **options)

    return call


ELEMENTWISE = {
    "hardtanh": [(), (-0.5, 2.0)],
    "relu6": [()],
    "hardsigmoid": [()],
    "hardswish": [()],
    "mish": [()],
    "selu": [()],
    "celu": [(), (2.0,), (-1.5,)],
    "threshold": [(0.5, -2.0)],
    "softsign": [()],
    "tanhshrink": [()],
    "hardshrink": [(), (0.25,)],
    "softshrink": [(), (0.25,)],
    "rrelu": [(), (0.2, 0.6)],
}


def _tolerance(name):
    """torch has 1 / 6 as a float32 in the derivative of hardsigmoid."""
    return 1e-7 if name == "hardsigmoid" else 1e-10


@pytest.mark.parametrize(
    ("name", "arguments"), [(n, a) for n, several in ELEMENTWISE.items() for a in several]
)
def test_elementwise_functions(name, arguments):
    finite = ODD if name not in {"mish", "softsign", "tanhshrink"} else ODD[:-2]
    beside(named(name, *arguments), finite, rtol=_tolerance(name))


@pytest.mark.parametrize(
    "name", ["hardtanh", "relu6", "hardsigmoid", "hardswish", "mish", "selu", "celu", "rrelu"]
)
def test_in_place(name):
    def call(m, x):
        return getattr(m.nn.functional, name)(x * 1.0, inplace=True)

    beside(call, X, rtol=_tolerance(name))


@pytest.mark.parametrize("name", ["elu_", "leaky_relu_", "hardtanh_", "celu_"])
def test_underscores(name):
    beside(lambda m, x: getattr(m.nn.functional, name)(x * 1.0), X)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("softmin", {"dim": 1}),
        ("glu", {}),
        ("glu", {"dim": 0}),
        ("normalize", {}),
        ("normalize", {"p": 1, "dim": 0}),
        ("normalize", {"p": 3, "dim": (0, 1)}),
    ],
)
def test_functions_along_a_dimension(name, options):
    beside(named(name, **options), X)


def test_prelu():
    beside(named("prelu"), IMAGE, X[0, :4], wanted=2)
    beside(named("prelu"), X, X[0, :1], wanted=2)
    beside(named("prelu"), np.array(-2.0), np.array([0.3]), wanted=2)
    beside(lambda m, x: m.nn.PReLU(4, 0.3, dtype=m.float64)(x), IMAGE)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_losses(reduction):
    last = {"reduction": reduction}
    beside(named("triplet_margin_loss", **last), X, Y, X * Y, wanted=3)
    beside(named("triplet_margin_loss", margin=3.0, p=1, swap=True, **last), X, Y, X * Y, wanted=3)
    beside(named("margin_ranking_loss", margin=0.3, **last), X, Y, SIGNS, wanted=2)
    beside(named("cosine_embedding_loss", margin=0.1, **last), X, Y, SIGNS[:, 0], wanted=2)
    beside(named("cosine_embedding_loss", **last), X[0], Y[0], np.array(-1.0), wanted=2)
    beside(named("hinge_embedding_loss", margin=0.5, **last), X, SIGNS)
    beside(named("soft_margin_loss", **last), X, SIGNS)
    beside(named("multi_margin_loss", **last), X, NUMBERS)
    beside(named("multi_margin_loss", **last), X[0], NUMBERS[1])

    def weighed(m, x, y, w):
        return m.nn.functional.multi_margin_loss(x, y, p=2, margin=0.7, weight=w, **last)

    beside(weighed, X, NUMBERS, np.abs(Y[0]))
    beside(named("multilabel_soft_margin_loss", **last), X, (SIGNS > 0) * 1.0)
    beside(named("poisson_nll_loss", full=True, **last), X, np.abs(Y) * 3)
    beside(named("poisson_nll_loss", log_input=False, **last), np.abs(X), np.abs(Y) * 3)
    beside(named("gaussian_nll_loss", full=True, **last), X, Y, Y[:, :1] ** 2 + 0.1, wanted=3)


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
@pytest.mark.parametrize("reduction", ["none", "sum", "mean", "batchmean"])
def test_kl_div(reduction):
    beside(named("kl_div", reduction=reduction), X, CHANCES)
    beside(named("kl_div", reduction=reduction, log_target=True), X, Y, wanted=2)


def test_similarities():
    beside(named("cosine_similarity"), X, Y, wanted=2)
    beside(named("cosine_similarity", dim=0), X, Y[:1], wanted=2)
    beside(named("pairwise_distance"), X, Y, wanted=2)
    beside(named("pairwise_distance", p=1, keepdim=True), X, Y[0], wanted=2)


def test_normalisations():
    def several(name, **options):
        def call(m, x, w, b):
            return getattr(m.nn.functional, name)(x, weight=w, bias=b, **options)

        return call

    beside(several("instance_norm"), IMAGE, X[0, :4], Y[0, :4], wanted=3)
    beside(lambda m, x, w: m.nn.functional.rms_norm(x, (6,), w), IMAGE, X[0], wanted=2)
    beside(lambda m, x: m.nn.functional.rms_norm(x, (5, 6), eps=0.1), IMAGE)
    for size in (1, 2, 3, 7):
        beside(named("local_response_norm", size, 0.5, 0.7, 1.2), IMAGE)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.filterwarnings("ignore:input's size at dim=")
@pytest.mark.parametrize("lazy", [False, True])
def test_instance_norm_layers(affine, tracked, lazy):
    def states(m):
        options = {"affine": affine, "track_running_stats": tracked, "dtype": m.float64}
        made = m.nn.LazyInstanceNorm2d(**options) if lazy else m.nn.InstanceNorm2d(4, **options)
        x = m.tensor(IMAGE)
        outs = [made(x), made(x[0])]
        made.eval()
        outs.append(made(x))
        texts = [repr(made), [*made.state_dict()]]
        arrays = [np.array(t.detach().tolist()) for t in (*outs, *made.state_dict().values())]
        return texts, arrays

    mine, theirs = states(gpukit), states(torch)
    assert mine[0] == theirs[0]
    for a, b in zip(mine[1], theirs[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


LAYERS = [
    "Hardtanh(-0.5,2.0)",
    "ReLU6()",
    "Hardsigmoid()",
    "Hardswish()",
    "Mish()",
    "SELU()",
    "CELU(2.0)",
    "Softsign()",
    "Threshold(0.5,-2.0)",
    "Softmin(1)",
    "Tanhshrink()",
    "LogSigmoid()",
    "Hardshrink(0.25)",
    "Softshrink(0.25)",
    "GLU(0)",
    "RReLU(0.2,0.6)",
    "PReLU(dtype=m.float64)",
    "RMSNorm(6,dtype=m.float64)",
    "Hardtanh(inplace=True)",
    "SELU(inplace=True)",
    "Dropout1d(0.2)",
    "Dropout3d(0.2)",
    "AlphaDropout(0.2)",
    "FeatureAlphaDropout(0.2)",
    "RMSNorm((4,6),elementwise_affine=False)",
]


@pytest.mark.filterwarnings("ignore:dropout3d")
@pytest.mark.parametrize("text", LAYERS)
def test_layers_print_and_compute(text):
    def made(m):
        layer = eval(f"m.nn.{text}", {"m": m}).eval()
        out = layer(m.tensor(X))
        return repr(layer), np.array(out.detach().tolist()), [*layer.state_dict()]

    (a, x, keys), (b, y, theirs) = made(gpukit), made(torch)
    assert a == b
    assert keys == theirs
    np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


LOSSES = {
    "KLDivLoss(reduction='sum')": (X, CHANCES),
    "SoftMarginLoss()": (X, SIGNS),
    "HingeEmbeddingLoss(0.5)": (X, SIGNS),
    "CosineEmbeddingLoss(0.1)": (X, Y, SIGNS[:, 0]),
    "MarginRankingLoss(0.3)": (X, Y, SIGNS),
    "TripletMarginLoss(2.0, swap=True)": (X, Y, X * Y),
    "MultiMarginLoss(2)": (X, NUMBERS),
    "MultiLabelSoftMarginLoss()": (X, (SIGNS > 0) * 1.0),
    "PoissonNLLLoss(full=True)": (X, np.abs(Y)),
    "GaussianNLLLoss()": (X, Y, np.abs(Y)),
    "CosineSimilarity(0)": (X, Y),
    "PairwiseDistance(1.0)": (X, Y),
    "LocalResponseNorm(2)": (IMAGE,),
    "Softmax2d()": (IMAGE,),
}


@pytest.mark.parametrize("text", LOSSES)
def test_losses_as_modules(text):
    def made(m):
        module = eval(f"m.nn.{text}", {"m": m})
        return repr(module), np.array(module(*map(m.tensor, LOSSES[text])).tolist())

    (a, x), (b, y) = made(gpukit), made(torch)
    assert a == b
    np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


WRONG = [
    lambda m, x: m.nn.functional.glu(x[:, :5]),
    lambda m, x: m.nn.functional.prelu(x, x[:, 0]),
    lambda m, x: m.nn.functional.hardtanh(x, 2.0, 1.0),
    lambda m, x: m.nn.functional.softshrink(x, -1.0),
    lambda m, x: m.nn.functional.celu(x, 0.0),
    lambda m, x: m.nn.functional.triplet_margin_loss(x, x, x, margin=0.0),
    lambda m, x: m.nn.functional.cosine_embedding_loss(x, x, x),
    lambda m, x: m.nn.functional.rms_norm(x, (5,)),
    lambda m, x: m.nn.functional.local_response_norm(x, 2),
    lambda m, x: m.nn.functional.instance_norm(x[:, :, None]),
    lambda m, x: m.nn.functional.gaussian_nll_loss(x, x, -x.abs() - 1),
    lambda m, x: m.nn.functional.multi_margin_loss(x, m.tensor([0])),
    lambda m, x: m.nn.functional.kl_div(x, x, reduction="all"),
    lambda m, x: m.nn.functional.dropout1d(x[0]),
    lambda m, x: m.nn.InstanceNorm2d(4, affine=True)(m.zeros(2, 3, 5, 5)),
    lambda m, x: m.nn.InstanceNorm1d(4)(m.zeros(2)),
    lambda m, x: m.nn.Softmax2d()(x),
    lambda m, x: m.nn.functional.dropout1d(x, 1.5),
]


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls_raise_torch_s_class_or_one_beneath_it(call):
    with pytest.raises((RuntimeError, ValueError, TypeError)) as theirs:
        call(torch, torch.tensor(X))
    with pytest.raises(theirs.type):
        call(gpukit, gpukit.tensor(X))
