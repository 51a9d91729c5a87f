"""Small names and places that torch programs use, beside torch's."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections import OrderedDict
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.distributions.utils
import torch.utils.benchmark

import gpukit
from gpukit.errors import ArgumentError

pytestmark = pytest.mark.filterwarnings("ignore")  # torch warns of its older names

LIBRARIES = pytest.mark.parametrize("lib", [gpukit, torch], ids=["gpukit", "torch"])

_SEARCH = """
import sys
from pathlib import Path
import gpukit
root = Path(gpukit.__file__).parent
for place in sys.argv[1:]:
    file = root.joinpath(*place.split("."))
    if not file.with_suffix(".py").exists() and not (file / "__init__.py").exists():
        continue
    found = gpukit
    for name in place.split("."):
        found = getattr(found, name, None)
    if found is None:
        print(place)
"""


def _places(module: ModuleType, path: str, found: list[str], depth: int = 4) -> None:
    """The modules of torch that are reached by attributes after `import torch`."""
    for name, value in sorted(vars(module).items()):
        inside = f"{path}.{name}"
        if not isinstance(value, ModuleType) or name.startswith("_") or value.__name__ != inside:
            continue
        if inside not in found and depth:
            found.append(inside)
            _places(value, inside, found, depth - 1)


def test_modules_are_reached_as_in_torch() -> None:
    """`torch.utils.data.sampler.RandomSampler` needs no import of its own; a fresh process asks."""
    listed = "import torch, sys; print(*[n for n in sys.modules if n.startswith('torch.')])"
    fresh = subprocess.run(
        [sys.executable, "-c", listed], capture_output=True, text=True, check=True
    )
    found: list[str] = []
    _places(torch, "torch", found)
    asked = [place.partition(".")[2] for place in found if place in fresh.stdout.split()]
    assert len(asked) > 50
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _SEARCH, *asked],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []


@LIBRARIES
def test_forms_of_randint(lib: Any) -> None:
    for drawn in (
        lib.randint(10, (2, 3)),
        lib.randint(10, size=(2, 3)),
        lib.randint(high=10, size=(2, 3)),
        lib.randint(0, 10, size=(2, 3)),
        lib.randint(low=0, high=10, size=(2, 3)),
    ):
        assert tuple(drawn.shape) == (2, 3)
        assert int(drawn.max()) < 10
    for wrong in ({"size": (2,)}, {"high": 3}, {"low": 3}):
        with pytest.raises(TypeError):
            lib.randint(**wrong)


@LIBRARIES
def test_new_without_sizes(lib: Any) -> None:
    like = lib.ones(2, dtype=lib.float64)
    made = like.new()
    assert tuple(made.shape) == (0,)
    assert made.dtype == lib.float64
    assert like.new().resize_as_(like).zero_().tolist() == [0.0, 0.0]


@LIBRARIES
def test_reversed(lib: Any) -> None:
    x = lib.arange(3.0).requires_grad_()
    assert [float(r) for r in reversed(x)] == [2.0, 1.0, 0.0]
    assert tuple(reversed(lib.ones(2, 3)).shape) == (2, 3)
    assert float(reversed(lib.tensor(4.0))) == 4.0
    (reversed(x) * lib.arange(3.0)).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 1.0, 0.0]


@LIBRARIES
def test_a_parameter_is_copied_without_its_gradient(lib: Any) -> None:
    layer = lib.nn.Linear(2, 2)
    layer(lib.ones(1, 2)).sum().backward()
    twin = copy.deepcopy(layer)
    assert layer.weight.grad is not None
    assert twin.weight.grad is None
    assert twin.weight.requires_grad
    leaf = lib.ones(2, requires_grad=True)
    leaf.sum().backward()
    assert copy.deepcopy(leaf).grad is not None


@LIBRARIES
def test_a_loader_shows_how_it_makes_batches(lib: Any) -> None:
    data = lib.utils.data
    assert data.DataLoader([1]).collate_fn is data.default_collate
    assert data.DataLoader([1], batch_size=None).collate_fn is data.default_convert
    assert data.DataLoader([1], collate_fn=list).collate_fn is list


@LIBRARIES
def test_handles_have_numbers(lib: Any) -> None:
    layer = lib.nn.Linear(1, 1)
    a, b = (layer.register_forward_hook(lambda *_: None) for _ in range(2))
    assert a.id != b.id
    assert a.id in layer._forward_hooks
    x = lib.ones(1, requires_grad=True)
    c, d = (x.register_hook(lambda g: g) for _ in range(2))
    assert c.id != d.id


@LIBRARIES
def test_small_names(lib: Any) -> None:
    assert lib.is_autocast_cpu_enabled() is False
    with lib.autocast("cpu", dtype=lib.bfloat16):
        assert lib.is_autocast_cpu_enabled() is True
    layer = lib.nn.Linear(1, 1)
    assert lib.typename(lib.ones(1)) == lib.typename(layer.weight) == "torch.FloatTensor"
    assert (lib.typename(3), lib.typename("a"), lib.typename(len)) == ("int", "str", "len")
    assert lib.typename(layer).endswith("linear.Linear")
    for mode, fan in (("fan_in", 36), ("FAN_OUT", 72)):
        assert lib.nn.init._calculate_correct_fan(lib.empty(8, 4, 3, 3), mode) == fan
    with pytest.raises(ValueError, match=r"(?i)mode"):
        lib.nn.init._calculate_correct_fan(lib.empty(2, 2), "fan")


@LIBRARIES
def test_helpers_of_distributions(lib: Any) -> None:
    helpers = lib.distributions.utils
    a, b = helpers.broadcast_all(1.0, lib.zeros(2, dtype=lib.float64))
    assert (a.tolist(), a.dtype, b.tolist()) == ([1.0, 1.0], lib.float64, [0.0, 0.0])
    probs = lib.tensor([0.25, 0.75])
    for binary in (False, True):
        logits = helpers.probs_to_logits(probs, is_binary=binary)
        assert helpers.logits_to_probs(logits, binary).tolist() == pytest.approx([0.25, 0.75])
    assert 0 < float(helpers.clamp_probs(lib.tensor([0.0]))) < 1e-6
    with pytest.raises(ValueError, match="must all be instances of"):
        helpers.broadcast_all("a")

    class Twice:
        @helpers.lazy_property
        def value(self) -> Any:
            return lib.ones(1) * 2

    twice = Twice()
    assert twice.value is twice.value


@LIBRARIES
def test_a_measurement_names_its_task(lib: Any) -> None:
    timer = lib.utils.benchmark.Timer("1 + 1", "x = 1", label="sum", sub_label="small", env="here")
    task = timer.timeit(2).task_spec
    assert (task.stmt, task.setup, task.label, task.sub_label, task.env, task.num_threads) == (
        "1 + 1",
        "x = 1",
        "sum",
        "small",
        "here",
        1,
    )
    assert task.title == "sum: small"


@LIBRARIES
def test_a_complex_number_is_no_float(lib: Any) -> None:
    for kind in (float, int):
        with pytest.raises(RuntimeError):
            kind(lib.tensor(1 + 2j))
    with pytest.raises(TypeError):
        float(gpukit.tensor(1 + 2j))


def test_the_fan_of_a_wrong_mode_is_named() -> None:
    with pytest.raises(ArgumentError, match="'fan_in' or 'fan_out'"):
        gpukit.nn.init._calculate_correct_fan(gpukit.empty(2, 2), "both")


@LIBRARIES
def test_a_block_names_torchs_implementations_of_attention(lib: Any) -> None:
    attention = lib.nn.attention
    x = lib.ones(1, 1, 3, 4)
    plain = lib.nn.functional.scaled_dot_product_attention(x, x, x)
    for given in (attention.SDPBackend.MATH, [attention.SDPBackend.MATH]):
        with attention.sdpa_kernel(given):
            again = lib.nn.functional.scaled_dot_product_attention(x, x, x)
        assert again.tolist() == plain.tolist()
    assert str(attention.SDPBackend.MATH) == "SDPBackend.MATH"


def test_implementations_of_attention_are_checked() -> None:
    for wrong in (["math"], "math", 3, None):
        with pytest.raises(TypeError, match=r"members of SDPBackend, got "):
            gpukit.nn.attention.sdpa_kernel(wrong).__enter__()  # type: ignore[arg-type]


@LIBRARIES
def test_handles_are_of_one_class(lib: Any) -> None:
    layer = lib.nn.Linear(1, 1)
    handles = [
        layer.register_forward_hook(print),
        layer.register_full_backward_hook(print),
        layer.register_load_state_dict_post_hook(print),
        layer.weight.register_hook(print),
        lib.optim.SGD([layer.weight], 1.0).register_step_post_hook(print),
    ]
    for handle in handles:
        assert isinstance(handle, lib.utils.hooks.RemovableHandle)
        assert type(handle).__name__ == "RemovableHandle"
        with handle:
            pass
    own, more = OrderedDict[Any, str](), OrderedDict[Any, str]()
    third = lib.utils.hooks.RemovableHandle(own, extra_dict=more)
    more[third.id] = "more"
    third.remove()
    assert not more
    handle, other = (lib.utils.hooks.RemovableHandle(own) for _ in range(2))
    own[handle.id], own[other.id] = "a", "b"
    handle.remove()
    assert list(own.values()) == ["b"]
    assert not layer._forward_hooks and not isinstance(3, lib.utils.hooks.RemovableHandle)
