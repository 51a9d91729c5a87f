"""Functions for the calls, gradients and parts of all modules: what torch calls, in its order."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.modules import module as torch_module

import gpukit
from gpukit.nn.modules import module as gpukit_module

BOTH = ((torch, torch_module), (gpukit, gpukit_module))


def name(module: Any) -> str:
    return type(module).__name__


def net(t: Any) -> Any:
    made = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Tanh(), t.nn.Sequential(t.nn.Linear(2, 1)))
    with t.no_grad():
        for parameter in made.parameters():
            parameter.fill_(0.5)
    return made


def sums(tensors: Any) -> list[Any]:
    return [None if each is None else round(each.sum().item(), 3) for each in tensors]


def calls(t: Any, place: Any) -> list[Any]:
    """Own and global functions around two calls; the log also has what follows their removal."""
    log: list[Any] = []
    model = net(t)
    model[0].register_forward_pre_hook(lambda m, x: log.append(["own pre", name(m)]))
    model[0].register_forward_hook(lambda m, x, y: log.append(["own", name(m)]))
    model[1].register_full_backward_pre_hook(lambda m, o: log.append(["own back pre", sums(o)]))
    model[1].register_full_backward_hook(lambda m, i, o: log.append(["own back", sums(i), sums(o)]))
    handles = [
        place.register_module_forward_pre_hook(lambda m, x: log.append(["pre", name(m), sums(x)])),
        place.register_module_forward_hook(
            lambda m, x, kwargs, y: log.append(["after", name(m), sorted(kwargs), sums([y])]),
            with_kwargs=True,
        ),
        place.register_module_full_backward_pre_hook(
            lambda m, o: log.append(["back pre", name(m), sums(o)])
        ),
        place.register_module_full_backward_hook(
            lambda m, i, o: log.append(["back", name(m), sums(i), sums(o)])
        ),
    ]
    x = t.ones(3, 2, requires_grad=True)
    model(x).sum().backward()
    log.append(sums([x.grad]))
    for handle in handles:
        log.append("removed")
        handle.remove()
        model(x).sum().backward()
        with t.no_grad():
            model[2](input=x)
    return log


def changes(t: Any, place: Any) -> list[Any]:
    """What the functions return replaces inputs, outputs and gradients."""
    model, x = net(t), t.ones(3, 2, requires_grad=True)
    found = []
    with place.register_module_forward_pre_hook(lambda m, x: x[0] * 2):
        found += sums([model(x)])
    with place.register_module_forward_hook(lambda m, x, y: y + 1):
        found += sums([model(x)])
    with place.register_module_full_backward_pre_hook(lambda m, o: (o[0] * 3,)):
        found += sums(t.autograd.grad(model(x).sum(), x))
    with place.register_module_full_backward_hook(lambda m, i, o: (i[0] * 5,)):
        found += sums(t.autograd.grad(model(x).sum(), x))
    return [*found, *sums([model(x)]), *sums(t.autograd.grad(model(x).sum(), x))]


def errors(t: Any, place: Any) -> list[Any]:
    """`always_call` also runs where forward raises."""
    log: list[Any] = []

    class Failing(t.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            raise KeyError("no")

    with place.register_module_forward_hook(
        lambda m, x, y: log.append([name(m), y]), always_call=True
    ):
        with pytest.raises(KeyError):
            t.nn.Sequential(Failing())(t.ones(1))
        log.append("next")
        t.nn.Identity()(3)
    return log


def parts(t: Any, place: Any) -> list[Any]:
    """Every new parameter, buffer and module, also by assignment; results replace them."""
    log: list[Any] = []
    with (
        place.register_module_parameter_registration_hook(
            lambda m, n, p: log.append(["parameter", name(m), n, tuple(p.shape)])
        ),
        place.register_module_buffer_registration_hook(
            lambda m, n, b: log.append(["buffer", name(m), n, b is None])
        ),
        place.register_module_module_registration_hook(
            lambda m, n, c: log.append(["module", name(m), n, name(c)])
        ),
    ):
        t.nn.Sequential(t.nn.Linear(2, 2, bias=False), t.nn.BatchNorm1d(2, affine=False))
        made = t.nn.Linear(1, 1)
        made.weight = t.nn.Parameter(t.ones(1, 1))
        made.extra = t.nn.ReLU()
        made.register_buffer("none", None)
        made.register_buffer("count", t.zeros(1), persistent=False)
        made.count = t.ones(1)
        log.append(sorted(made.state_dict()))
        made.count = t.nn.Buffer(t.ones(1))
        log.append(sorted(made.state_dict()))
        made.count = made.bias = made.extra = None
        t.nn.ModuleList([t.nn.Tanh()]).append(t.nn.Tanh())
    with place.register_module_parameter_registration_hook(
        lambda m, n, p: t.nn.Parameter(p.detach(), requires_grad=False)
    ):
        log += [each.requires_grad for each in t.nn.Linear(1, 1).parameters()]
    made = t.nn.BatchNorm1d(1)
    with place.register_module_buffer_registration_hook(lambda m, n, b: b + 5):
        made.running_mean = t.zeros(1)
        made.running_var = t.nn.Buffer(t.zeros(1))
    log += sums([*made.buffers(), made.running_mean, made.running_var])
    log.append(len(log))
    t.nn.Linear(1, 1)
    return log


@pytest.mark.parametrize("program", [calls, changes, errors, parts])
def test_calls_them_as_torch_does(program: Callable[[Any, Any], list[Any]]) -> None:
    theirs, ours = (program(*pair) for pair in BOTH)
    assert ours == theirs


def test_nothing_is_left_when_they_are_removed() -> None:
    model = net(gpukit)
    before = {id(each): dict(each.__dict__) for each in model.modules()}
    with (
        gpukit_module.register_module_forward_hook(lambda *_: None),
        gpukit_module.register_module_full_backward_hook(lambda *_: None),
    ):
        assert "__call__" in gpukit.nn.Module.__dict__
        model(gpukit.ones(1, 2)).sum().backward()
        twin = copy.deepcopy(model)
    assert "__call__" not in gpukit.nn.Module.__dict__
    assert {id(each): dict(each.__dict__) for each in model.modules()} == before
    assert twin(gpukit.ones(1, 2)).tolist() == model(gpukit.ones(1, 2)).tolist()


def test_what_is_no_function_is_refused() -> None:
    for function in (each for each in dir(gpukit_module) if each.startswith("register_module")):
        with pytest.raises(TypeError, match="hook must be a function"):
            getattr(gpukit_module, function)(3)
    assert "__call__" not in gpukit.nn.Module.__dict__


@pytest.mark.parametrize("library", [gpukit, torch])
def test_dictionaries_of_hooks_are_counted_cleared_and_replaced(library):
    layer, seen = library.nn.Tanh(), []
    registered = {
        "_forward_hooks": layer.register_forward_hook,
        "_forward_pre_hooks": layer.register_forward_pre_hook,
        "_backward_hooks": layer.register_full_backward_hook,
        "_backward_pre_hooks": layer.register_full_backward_pre_hook,
        "_state_dict_pre_hooks": layer.register_state_dict_pre_hook,
        "_load_state_dict_pre_hooks": layer.register_load_state_dict_pre_hook,
        "_load_state_dict_post_hooks": layer.register_load_state_dict_post_hook,
    }
    for name, register in registered.items():
        assert len(getattr(layer, name)) == 0
        register(lambda *given: seen.append(given))
        assert len(getattr(layer, name)) == 1
        getattr(layer, name).clear()
        assert len(getattr(layer, name)) == 0
        register(lambda *given: seen.append(given))
        setattr(layer, name, OrderedDict())
        assert len(getattr(layer, name)) == 0
    layer(library.zeros(1, requires_grad=True)).backward()
    layer.load_state_dict(layer.state_dict())
    assert seen == []
    layer._forward_hooks = {0: lambda *given: seen.append(given)}
    layer(library.zeros(1))
    assert len(seen) == 1
