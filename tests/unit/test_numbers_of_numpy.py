"""Where an int is accepted, so are NumPy's ints and anything else with `__index__`.

The parameters are read from the signatures, so that a new one is tested or named as not tried.
"""

from __future__ import annotations

import inspect
import io
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional
from gpukit.optim import lr_scheduler
from gpukit.utils import data
from support.layer_arguments import LAYERS, SEVERAL, WITHOUT_SIZES, input_of

SPACES = (
    nn,
    functional,
    nn.init,
    nn.utils,
    nn.utils.rnn,
    nn.parallel,
    gpukit.optim,
    lr_scheduler,
    data,
)


class Index:
    """An int by `__index__` alone."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


KINDS = {"int64": np.int64, "int32": np.int32, "int8": np.int8, "array": np.array, "index": Index}


def _sgd() -> gpukit.optim.SGD:
    sgd = gpukit.optim.SGD([gpukit.ones(2, requires_grad=True)], lr=0.5)
    sgd.param_groups[0]["initial_lr"] = 1.0
    return sgd


def _squares() -> data.TensorDataset:
    return data.TensorDataset(gpukit.arange(6) * gpukit.arange(6))


LABELS = gpukit.tensor([0, 2])
SCORES = gpukit.arange(6.0).reshape(2, 3)
CUBE = gpukit.arange(24.0).reshape(2, 3, 4)

# The other arguments of each call, and the int for a parameter that cannot be 2.
GIVEN: dict[Callable[..., Any], dict[str, Any]] = {
    nn.Linear: {"in_features": 4, "out_features": 3},
    nn.LazyLinear: {"out_features": 3},
    nn.LayerNorm: {"normalized_shape": 4},
    nn.Embedding: {"num_embeddings": 5, "embedding_dim": 3, "padding_idx": -1},
    nn.EmbeddingBag: {"num_embeddings": 5, "embedding_dim": 3, "padding_idx": -1},
    nn.CTCLoss: {"blank": 1},
    nn.DataParallel: {"module": nn.ReLU(), "device_ids": ["cpu"], "dim": 1},
    nn.Flatten: {"start_dim": 1, "end_dim": -1},
    nn.Softmax: {"dim": -1},
    nn.LogSoftmax: {"dim": 1},
    nn.CrossEntropyLoss: {"ignore_index": 2},
    nn.NLLLoss: {"ignore_index": 2},
    nn.MultiMarginLoss: {"p": 2},
    functional.cross_entropy: {"input": SCORES, "target": LABELS, "ignore_index": 2},
    functional.nll_loss: {"input": SCORES, "target": LABELS, "ignore_index": 2},
    functional.embedding: {"input": LABELS, "weight": CUBE[0], "padding_idx": -1},
    functional.layer_norm: {"input": CUBE, "normalized_shape": 4},
    functional.affine_grid: {
        "theta": gpukit.ones(2, 2, 3),
        "size": [2, 1, 2, 4],
        "align_corners": False,
    },
    functional.softmax: {"input": CUBE, "dim": -1},
    functional.log_softmax: {"input": CUBE, "dim": 0},
    functional.one_hot: {"tensor": LABELS, "num_classes": 4},
    nn.utils.rnn.pack_padded_sequence: {"input": CUBE, "lengths": [2, 2, 1]},
    nn.utils.rnn.pad_packed_sequence: {
        "sequence": nn.utils.rnn.pack_sequence([CUBE[0]]),
        "total_length": 5,
    },
    nn.init.dirac_: {"tensor": gpukit.ones(2, 2, 3), "groups": 2},
    nn.parallel.gather: {"outputs": [CUBE, CUBE], "device": "cpu", "dim": -1},
    nn.parallel.scatter: {"inputs": CUBE, "devices": ["cpu", "cpu"], "dim": 1},
    lr_scheduler.LRScheduler: {},
    nn.RNNBase: {},
    nn.RNNCellBase: {},
    lr_scheduler.StepLR: {"step_size": 2, "last_epoch": 3},
    lr_scheduler.MultiStepLR: {"milestones": [2, 2, 4], "last_epoch": 1},
    lr_scheduler.ExponentialLR: {"gamma": 0.5, "last_epoch": 1},
    lr_scheduler.LambdaLR: {"lr_lambda": lambda epoch: 0.5**epoch, "last_epoch": 1},
    lr_scheduler.CosineAnnealingLR: {"T_max": 5, "last_epoch": 1},
    lr_scheduler.CosineAnnealingWarmRestarts: {"T_0": 3, "T_mult": 2, "last_epoch": 1},
    lr_scheduler.OneCycleLR: {
        "max_lr": 0.5,
        "total_steps": 12,
        "epochs": 3,
        "steps_per_epoch": 4,
        "last_epoch": -1,
    },
    lr_scheduler.CyclicLR: {
        "base_lr": 0.25,
        "max_lr": 0.5,
        "step_size_up": 2,
        "step_size_down": 3,
        "last_epoch": -1,
    },
    lr_scheduler.SequentialLR: {"milestones": [2], "last_epoch": -1},
    lr_scheduler.ConstantLR: {"total_iters": 3, "last_epoch": 1},
    lr_scheduler.LinearLR: {"total_iters": 3, "last_epoch": 1},
    lr_scheduler.PolynomialLR: {"total_iters": 3, "last_epoch": 1},
    lr_scheduler.MultiplicativeLR: {"lr_lambda": lambda epoch: 0.5, "last_epoch": 1},
    gpukit.optim.LBFGS: {"max_iter": 3, "max_eval": 5, "history_size": 2},
    gpukit.optim.Muon: {"ns_steps": 2},
    lr_scheduler.ReduceLROnPlateau: {"patience": 1, "cooldown": 1},
    nn.utils.weight_norm: {"dim": 1},
    nn.utils.spectral_norm: {"dim": 1, "n_power_iterations": 2},
    data.DataLoader: {"batch_size": 4, "num_workers": 0, "prefetch": 1},
    data.BatchSampler: {"sampler": [1, 0, 2], "batch_size": 2, "drop_last": False},
    data.RandomSampler: {"data_source": range(4), "num_samples": 3},
    data.SubsetRandomSampler: {"indices": [3, 1]},
    data.WeightedRandomSampler: {"weights": [1.0, 2.0], "num_samples": 3},
    data.DistributedSampler: {"dataset": range(6), "num_replicas": 4, "rank": 1, "seed": 2},
    data.Subset: {"indices": [3, -1]},
    data.random_split: {"lengths": [2, 4]},
    **{owner: given for owner, given in LAYERS.items() if owner not in WITHOUT_SIZES},
}
ABSTRACT = {
    lr_scheduler.LRScheduler,
    nn.RNNBase,
    nn.RNNCellBase,
}  # get_lr is the subclass's; those pass last_epoch on


def _owners() -> Iterator[tuple[Callable[..., Any], str]]:
    """(class or function, parameter) for every parameter that says int."""
    for space in SPACES:
        for name in getattr(space, "__all__", ()):
            owner = getattr(space, name)
            if not (inspect.isfunction(owner) or inspect.isclass(owner)):
                continue  # of the extension, whose tests are the generator's
            for each in inspect.signature(owner).parameters.values():
                said = re.sub(r"Callable\[\[.*?\].*?\]", "", str(each.annotation))
                if re.search(r"\bint\b", said):
                    yield owner, each.name


PARAMETERS = sorted(
    {*_owners(), (data.random_split, "lengths")}, key=lambda one: (one[0].__qualname__, one[1])
)


def test_every_int_parameter_is_in_the_table():
    assert {owner for owner, _ in PARAMETERS} == set(GIVEN)
    for owner, name in PARAMETERS:
        assert name in GIVEN[owner] or owner in ABSTRACT, (owner, name)
    assert len(PARAMETERS) > 35


def _seen(owner: Callable[..., Any], given: dict[str, Any]) -> list[Any]:
    """What a call makes, as numbers and text."""
    gpukit.manual_seed(0)
    space = owner.__module__
    if owner is gpukit.optim.Muon:
        return [_plain(owner([nn.Parameter(gpukit.ones(2, 2))], **given).defaults)]
    if owner is gpukit.optim.LBFGS:
        return [_plain(owner(_sgd().param_groups[0]["params"], **given).defaults)]
    if space.startswith("gpukit.optim"):
        sgd = _sgd()
        if owner is lr_scheduler.SequentialLR:
            parts = [lr_scheduler.ConstantLR(sgd), lr_scheduler.ExponentialLR(sgd, 0.5)]
            given = {"schedulers": parts, **given}
        scheduler = owner(sgd, **given)
        for _ in range(6):
            scheduler.step(*([1.0] if owner is lr_scheduler.ReduceLROnPlateau else []))
        return [_plain(scheduler.state_dict()), scheduler.get_last_lr()]
    if owner is data.random_split:
        return [[part[0] for part in owner(list(range(6)), **given)]]
    if space == "gpukit.utils._orders":
        lists = [one if isinstance(one, list) else [one] for one in owner(**given)]
        return [[int(n) for n in one] for one in lists]
    if space == "gpukit.utils.data":
        made = owner(_squares(), **given)
        rows = [made[0], made[1]] if owner is data.Subset else list(made)
        return [[tensor.tolist() for tensor in row] for row in rows]
    if owner in {nn.utils.weight_norm, nn.utils.spectral_norm}:
        return [_plain(owner(nn.Linear(2, 2), **given).state_dict())]
    made = owner(**given)
    if owner is data.DistributedSampler:
        return list(made)
    if not isinstance(made, nn.Module):
        return [_plain(made)]
    inputs = {
        nn.Embedding: (LABELS,),
        nn.EmbeddingBag: (LABELS.reshape(1, -1),),
        nn.CTCLoss: (SCORES.log_softmax(1), LABELS[:0], [len(SCORES)], [0]),
        **{
            layer: (planes, planes.long() * 0)
            for layer in (nn.MaxUnpool1d, nn.MaxUnpool2d, nn.MaxUnpool3d)
            for planes in (gpukit.ones(1, 1, *[2] * int(layer.__name__[-2])),)
        },
        nn.CrossEntropyLoss: (SCORES, LABELS),
        nn.AdaptiveLogSoftmaxWithLoss: (CUBE[0, :2], LABELS),
        nn.NLLLoss: (SCORES, LABELS),
        nn.MultiMarginLoss: (SCORES, LABELS),
    }
    of_planes = input_of(owner)
    one = CUBE if of_planes is None else of_planes
    result = made(*inputs.get(owner, (one,) * SEVERAL.get(owner, 1)))
    return [repr(made), _plain(made.state_dict()), _plain(result)]


def _plain(value: Any) -> Any:
    """A structure whose parts know their types, so that 2 is not NumPy's 2."""
    if isinstance(value, gpukit.Tensor):
        return (tuple(value.shape), value.tolist())
    if isinstance(value, (dict, OrderedDict)):
        return [(_plain(key), _plain(each)) for key, each in value.items()]
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return (type(value).__name__, value if not callable(value) else "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("owner", "name"),
    [pair for pair in PARAMETERS if pair[0] not in ABSTRACT],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_an_int_may_be_numpys_or_have_index(owner, name, kind):
    given, make = GIVEN[owner], KINDS[kind]
    if isinstance(given[name], list):
        if owner is data.random_split and kind in {"index", "array"}:
            other = np.array(given[name])
        else:
            other = [make(each) for each in given[name]]
    else:
        other = make(given[name])
    assert _seen(owner, {**given, name: other}) == _seen(owner, given)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        pair
        for pair in PARAMETERS
        if pair[0].__module__.startswith("gpukit.nn") and pair[0] not in ABSTRACT
    ],
    ids=lambda one: getattr(one, "__name__", one),
)
@pytest.mark.parametrize("value", ["2", 2.0, None, True, gpukit.tensor(2)], ids=str)
def test_what_is_no_int_is_named(owner, name, value):
    said = str(inspect.signature(owner).parameters[name].annotation)
    if value is None and "None" in said:
        return
    wrong = ValueError if value == "2" and "str" in said else TypeError
    with pytest.raises(wrong) as caught:
        _seen(owner, {**GIVEN[owner], name: value})
    assert name in str(caught.value) or "must be" in str(caught.value) or "int" in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_containers_take_every_index(kind):
    make = KINDS[kind]
    for made in (nn.Sequential(nn.ReLU(), nn.Tanh()), nn.ModuleList([nn.ReLU(), nn.Tanh()])):
        assert made[make(1)] is made[1]
        assert made[make(-2)] is made[0]
        assert isinstance(made[make(1) :][0], nn.Tanh)
        made[make(0)] = nn.GELU()
        assert isinstance(made[0], nn.GELU)
        made.insert(make(1), nn.SiLU())
        assert [type(each).__name__ for each in made] == ["GELU", "SiLU", "Tanh"]
        del made[make(1)]
        assert [type(each).__name__ for each in made] == ["GELU", "Tanh"]
        for wrong in (make(2), make(-3)):
            with pytest.raises(IndexError):
                made[wrong]
    for wrong in (1.0, np.float32(1), "1", None, True):
        with pytest.raises(TypeError, match="an index must be an int"):
            nn.Sequential(nn.ReLU(), nn.Tanh())[wrong]


@pytest.mark.parametrize("sizes", [(3, 4), [3, 4], np.array([3, 4]), (np.int64(3), Index(4))])
def test_several_sizes(sizes):
    layer = nn.LayerNorm(sizes)
    assert layer.normalized_shape == (3, 4)
    assert repr(layer) == repr(nn.LayerNorm((3, 4)))
    assert functional.layer_norm(CUBE, sizes).tolist() == layer(CUBE).tolist()


SETTINGS = {
    "SGD": {"lr": 0.5, "momentum": 0.25, "weight_decay": 0.125},
    "Adam": {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.25},
    "AdamW": {"lr": 0.5, "betas": [0.5, 0.75], "weight_decay": 0.25},
    "RMSprop": {"lr": 0.5, "alpha": 0.25, "eps": 0.25},
    "Adagrad": {"lr": 0.5, "lr_decay": 0.25},
    "Adadelta": {"lr": 0.5, "rho": 0.5, "eps": 0.25},
    "Adamax": {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.25},
    "NAdam": {"lr": 0.5, "betas": (0.5, 0.75), "momentum_decay": 0.25},
    "RAdam": {"lr": 0.5, "betas": (0.5, 0.75), "weight_decay": 0.25},
    "Rprop": {"lr": 0.5, "etas": (0.5, 1.5), "step_sizes": (0.25, 2.0)},
    "Adafactor": {"lr": 0.5, "beta2_decay": -0.5, "eps": (0.25, 0.5), "d": 1.5},
    "ASGD": {"lr": 0.5, "lambd": 0.25, "alpha": 0.5, "t0": 2.0},
}


@pytest.mark.parametrize("number", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_optimizers_may_be_numpys_and_are_saved(name, number):
    kind = getattr(gpukit.optim, name)
    found = []
    for make in (float, number):
        given = {
            key: type(value)(map(make, value)) if isinstance(value, (tuple, list)) else make(value)
            for key, value in SETTINGS[name].items()
        }
        w = gpukit.tensor([4.0, 2.0], requires_grad=True)
        made = kind([w], **given)
        for _ in range(3):
            made.zero_grad()
            (w * w).sum().backward()
            made.step()
        gpukit.save(made.state_dict(), io.BytesIO())
        found.append((_plain(made.param_groups[0]), w.tolist()))
    assert str(found[0]) == str(found[1])


@pytest.mark.parametrize("kind", KINDS)
def test_counts_beside_the_layers(kind):
    make = KINDS[kind]
    assert gpukit.gpu(make(1)) == gpukit.gpu(1)
    assert [int(x.item()) for x in gpukit.prefetch([gpukit.ones(())] * 2, "cpu", make(1))] == [1, 1]
    log = gpukit.DeviceLog(make(4), make(1))
    log.append(gpukit.ones(1))
    assert len(log) == 1
    assert gpukit.cuda.device(make(-1)).index == -1  # torch's word for no device
    gpukit.cuda.set_device(make(-1))
    for call in (
        gpukit.gpu,
        gpukit.DeviceLog,
        lambda i: list(gpukit.prefetch([], "cpu", i)),
    ):
        with pytest.raises(TypeError, match="must be an int"):
            call("1")
        with pytest.raises(ValueError, match="-1"):
            call(make(-1))
