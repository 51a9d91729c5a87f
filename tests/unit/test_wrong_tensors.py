"""Whatever is given in a tensor's place, the error is typed and names the argument."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import gpukit
from gpukit import nn, optim
from gpukit.nn import functional, init, utils
from gpukit.utils import data
from support import layer_arguments


class Stranger:
    """A tensor of some other library."""

    shape = (2, 2)
    dtype = "float32"
    requires_grad = False


WRONG: dict[str, Any] = {
    "None": None,
    "list": [1.0, 2.0],
    "ndarray": np.ones((2, 2), np.float32),
    "str": "text",
    "number": 3.5,
    "stranger": Stranger(),
    "dict": {"a": 1},
    "class": Stranger,
}
MODULES: dict[str, ModuleType] = {
    "functional": functional,
    "init": init,
    "utils": utils,
    "utils.rnn": utils.rnn,
    "linalg": gpukit.linalg,
    "random": gpukit.random,
    "array_api": gpukit.array_api,
}
X = gpukit.tensor([[0.25, 0.5], [0.75, 0.125]])
CLASSES = gpukit.tensor([0, 1])
# What stands for a parameter in a call that works, by its name or by "function.name".
VALUES: dict[str, Any] = {
    "vector_to_parameters.vec": gpukit.arange(4.0),
    "tensors": [X, X],
    "total_norm": gpukit.tensor(2.0),
    "bn_rm": X[0],
    "bn_rv": X[0],
    "bn_w": X[0],
    "bn_b": X[0],
    "conv_b": X[0],
    "linear_b": X[0],
    "bn_eps": 1e-5,
    "dirac_.tensor": gpukit.ones(2, 2, 3),
    "sparse_.sparsity": 0.5,
    "affine_grid.theta": gpukit.ones(1, 2, 3),
    "affine_grid.size": (1, 1, 2, 2),
    "affine_grid.align_corners": False,
    "grid_sample.input": gpukit.ones(1, 1, 2, 2),
    "grid_sample.grid": gpukit.zeros(1, 2, 2, 2),
    "grid_sample.align_corners": False,
    "set_rng_state.new_state": gpukit.random.get_rng_state(),
    "axis": 0,
    "axes": (1, 0),
    "dim": 0,
    "shape": (2, 2),
    "source": 0,
    "destination": 1,
    "shift": 1,
    "repetitions": (1, 2),
    "repeats": 2,
    "fill_value": 1.0,
    "dtype": gpukit.float32,
    "normalized_shape": (2,),
    "val": 1.0,
    "max_norm": 1.0,
    "clip_value": 1.0,
    "arrays": [X, X],
    "parameters": [X],
    "sequences": [X, X],
    "lengths": [2, 2],
    "permutation": CLASSES,
    "packed_sequences": utils.rnn.pack_sequence([X, X]),
    "sequence": utils.rnn.pack_sequence([X, X]),
    "tensordot.axes": 1,
    "broadcast_to.shape": (2, 2),
    "cross_entropy.target": CLASSES,
    "nll_loss.target": CLASSES,
    "cross_entropy.weight": gpukit.ones(2),
    "nll_loss.weight": gpukit.ones(2),
    "layer_norm.weight": gpukit.ones(2),
    "layer_norm.bias": gpukit.ones(2),
    "embedding.input": CLASSES,
    "one_hot.tensor": CLASSES,
    "bilinear.weight": gpukit.ones(1, 2, 2),
    "bilinear.bias": gpukit.ones(1),
    "multilabel_margin_loss.target": gpukit.tensor([[0, 1], [1, -1]]),
    "take.indices": CLASSES,
    "take_along_axis.indices": gpukit.tensor([[0, 1], [1, 0]]),
    "where.condition": X > 0.3,
    "meshgrid.arrays": [X[0], X[1]],
    "squeeze.x": X.unsqueeze(0),
    "searchsorted.x1": X[0],
    "searchsorted.sorter": CLASSES,
    "matrix_norm.dim": (0, 1),
}
# Functions that look at any object (isdtype, asarray), or take no tensor.
BITS = {"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "bitwise_left_shift",
        "bitwise_right_shift"}  # fmt: skip
TRUTHS = {"logical_and", "logical_or", "logical_xor", "logical_not"}


def _public(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    names = getattr(module, "__all__", None) or dir(module)
    for name in sorted(names):
        value = getattr(module, name)
        if callable(value) and not inspect.isclass(value) and not name.startswith("_"):
            yield name, value


def _takes_tensor(parameter: inspect.Parameter) -> bool:
    return "Tensor" in str(parameter.annotation)


def _value(function: str, parameter: inspect.Parameter) -> Any:
    table = layer_arguments.LAYERS.get(getattr(functional, function, None), {})
    if parameter.name in table:
        return table[parameter.name]
    if table and parameter.default is not inspect.Parameter.empty:
        return parameter.default
    for name in (f"{function}.{parameter.name}", parameter.name):
        if name in VALUES:
            return VALUES[name]
    if _takes_tensor(parameter):
        return X.to(gpukit.int32) if function in BITS else X > 0.3 if function in TRUTHS else X
    return parameter.default


def _cases() -> list[tuple[str, str, str]]:
    found = []
    for where, module in MODULES.items():
        for name, function in _public(module):
            try:
                parameters = inspect.signature(function).parameters.values()
            except ValueError:  # a row of the extension, which tests/unit/test_wrong_arguments has
                continue
            found += [(where, name, p.name) for p in parameters if _takes_tensor(p)]
    return found


def _call(where: str, name: str, wrong: str | None, value: Any) -> Any:
    function = getattr(MODULES[where], name)
    positional, named = [], {}
    for parameter in inspect.signature(function).parameters.values():
        given = value if parameter.name == wrong else _value(name, parameter)
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += given if parameter.name != wrong else [X, given]
        elif parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = given
        else:
            positional.append(given)
    return function(*positional, **named)


def _allowed(where: str, name: str, parameter: str, kind: str) -> bool:
    """What the signature itself allows."""
    text = str(inspect.signature(getattr(MODULES[where], name)).parameters[parameter].annotation)
    return (kind == "None" and "None" in text) or (
        kind == "number" and re.search("float|complex", text) is not None
    )


CASES = _cases()


def test_there_are_functions_to_try():
    assert len(CASES) > 150


@pytest.mark.parametrize(("where", "name"), sorted({(w, n) for w, n, _ in CASES}))
def test_the_call_itself_works(where, name):
    _call(where, name, None, None)


@pytest.mark.parametrize(("where", "name", "parameter"), CASES)
def test_what_is_no_tensor_is_refused_by_name(where, name, parameter):
    for kind, value in WRONG.items():
        if _allowed(where, name, parameter, kind):
            continue
        with pytest.raises((TypeError, ValueError)) as caught:
            _call(where, name, parameter, value)
        text = str(caught.value)
        assert re.search(rf"\b{parameter}\b", text), f"{kind}: {text}"
        assert "object has no attribute" not in text, f"{kind}: {text}"


LAYERS: dict[str, Callable[[], nn.Module]] = {
    "Linear": lambda: nn.Linear(2, 2),
    "Sequential": lambda: nn.Sequential(nn.Linear(2, 2), nn.ReLU()),
    "LayerNorm": lambda: nn.LayerNorm(2),
    "Embedding": lambda: nn.Embedding(3, 2),
    "EmbeddingBag": lambda: nn.EmbeddingBag(3, 2),
    "Flatten": nn.Flatten,
    "Dropout": lambda: nn.Dropout(0.5),
    "Dropout.eval": lambda: nn.Dropout(0.5).eval(),
    "Softmax": lambda: nn.Softmax(dim=0),
    **{
        name: getattr(nn, name)
        for name in (
            "ReLU", "GELU", "Sigmoid", "Tanh", "LeakyReLU", "ELU", "SiLU", "Softplus", "LogSoftmax",
        )
    },
    **{
        layer.__name__: partial(layer, **arguments)
        for layer, arguments in layer_arguments.LAYERS.items()
        if inspect.isclass(layer) and layer not in layer_arguments.SEVERAL
    },
}  # fmt: skip
LOSSES = ["MSELoss", "L1Loss", "CrossEntropyLoss", "NLLLoss", "BCELoss", "BCEWithLogitsLoss",
          "SmoothL1Loss", "HuberLoss", "KLDivLoss", "SoftMarginLoss", "HingeEmbeddingLoss",
          "MultiLabelSoftMarginLoss", "PoissonNLLLoss"]  # fmt: skip


def _refused(call: Callable[[], Any], names: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    text = str(caught.value)
    assert re.search(rf"\b({names})\b", text), text
    assert "object has no attribute" not in text, text


def test_every_layer_is_tried():
    known = {name.partition(".")[0] for name in LAYERS} | set(LOSSES)
    containers = {"Module", "Parameter", "LazyLinear", "ModuleList", "ModuleDict", "ParameterList",
                  "ParameterDict", "DataParallel", "Identity", "Buffer", "UninitializedBuffer",
                  "UninitializedParameter", "RNNBase", "RNNCellBase"}  # fmt: skip
    public = {n for n in dir(nn) if inspect.isclass(getattr(nn, n)) and not n.startswith("_")}
    several = {layer.__name__ for layer in layer_arguments.SEVERAL}  # backend/test_attention.py
    assert public - known - containers - several == set()


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("layer", LAYERS)
def test_layers_refuse_what_is_no_tensor(layer, kind):
    module = LAYERS[layer]()
    _refused(lambda: module(WRONG[kind]), "input")


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("loss", LOSSES)
def test_losses_refuse_what_is_no_tensor(loss, kind):
    module = getattr(nn, loss)()
    target = CLASSES if loss in {"CrossEntropyLoss", "NLLLoss"} else X
    _refused(lambda: module(WRONG[kind], target), "input")
    _refused(lambda: module(X, WRONG[kind]), "target")


OPTIMIZERS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam",
              "Rprop", "ASGD", "Adafactor"]  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_refuse_what_is_no_parameter(name, kind):
    make = getattr(optim, name)
    for given in (WRONG[kind], [WRONG[kind]], [{"params": WRONG[kind]}], {"params": WRONG[kind]}):
        _refused(lambda given=given: make(given, lr=0.1), "params|parameters|param")
    weight = nn.Parameter(gpukit.ones(2))
    _refused(lambda: make([weight, WRONG[kind]], lr=0.1), "params|parameters|param")


@pytest.mark.parametrize("kind", [k for k in WRONG if k not in {"list", "ndarray", "str", "dict"}])
def test_loaders_refuse_what_is_no_data(kind):
    _refused(lambda: data.DataLoader(WRONG[kind], batch_size=2), "dataset")


@pytest.mark.parametrize("kind", WRONG)
def test_datasets_of_tensors_refuse_what_is_none(kind):
    _refused(lambda: data.TensorDataset(X, WRONG[kind]), "tensors|tensor")


@pytest.mark.parametrize("kind", WRONG)
def test_schedulers_refuse_what_is_no_optimizer(kind):
    for name, rest in (
        ("StepLR", (1,)),
        ("ExponentialLR", (0.5,)),
        ("CosineAnnealingLR", (3,)),
        ("LambdaLR", (float,)),
        ("MultiStepLR", ([1],)),
        ("ReduceLROnPlateau", ()),
    ):
        make = getattr(optim.lr_scheduler, name)
        _refused(lambda make=make, rest=rest: make(WRONG[kind], *rest), "optimizer")


@pytest.mark.parametrize("kind", [k for k in WRONG if k != "None"])
def test_modules_refuse_what_is_no_parameter(kind):
    module = nn.Linear(2, 2)
    _refused(lambda: module.register_parameter("w", WRONG[kind]), "param|w")
    _refused(lambda: module.register_buffer("b", WRONG[kind]), "tensor|buffer|b")
    _refused(lambda: setattr(module, "weight", WRONG[kind]), "weight")
    _refused(lambda: module.add_module("m", WRONG[kind]), "module|m")
    _refused(lambda: nn.Sequential(WRONG[kind]), "Sequential|module|modules")
    _refused(lambda: nn.ModuleList([WRONG[kind]]), "ModuleList|module|modules")
    if kind != "dict":
        _refused(lambda: module.load_state_dict(WRONG[kind]), "state_dict")


@pytest.mark.parametrize("kind", ["str", "stranger", "dict", "class"])
def test_parameters_refuse_what_is_no_tensor(kind):
    _refused(lambda: nn.Parameter(WRONG[kind]), "data")
