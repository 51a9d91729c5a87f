"""Hooks around an optimizer's step, in gpukit and in torch."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch

import gpukit


def log_of(library):
    """What hooks see and do, with the parameter's value after each step."""
    weight = library.tensor([4.0], requires_grad=True)
    sgd = library.optim.SGD([weight], lr=0.5)
    said = []

    def told(name):
        return lambda opt, args, kwargs: said.append(
            (name, opt is sgd, [type(a).__name__ for a in args], sorted(kwargs))
        )

    def closure():
        sgd.zero_grad()
        loss = (weight * weight).sum()
        loss.backward()
        return loss

    first = sgd.register_step_pre_hook(told("first"))
    sgd.register_step_pre_hook(told("second"))
    sgd.register_step_post_hook(told("after"))
    said.append(("loss", sgd.step(closure).item()))
    first.remove()
    first.remove()
    sgd.step()
    with sgd.register_step_pre_hook(lambda opt, args, kwargs: ((args[0], closure), kwargs)):
        said.append(("loss", sgd.step().item()))
    sgd.step()
    said.append(("value", weight.item()))
    twin = copy.deepcopy(sgd)
    count = len(said)
    twin.step()
    pickle.loads(pickle.dumps(sgd)).step()
    said.append(("copies called hooks", len(said) - count))
    return said


def test_hooks_see_what_those_of_torch_see():
    assert log_of(gpukit) == log_of(torch)


@pytest.mark.parametrize("library", [gpukit, torch])
def test_what_a_hook_returns_is_checked(library):
    sgd = library.optim.SGD([library.ones(1, requires_grad=True)], lr=0.1)
    sgd.register_step_pre_hook(lambda *_: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        sgd.step()


def test_what_is_no_function_is_refused():
    sgd = gpukit.optim.LBFGS([gpukit.ones(1, requires_grad=True)])
    with pytest.raises(TypeError, match="hook must be a function, got 3"):
        sgd.register_step_post_hook(3)


def test_optimizers_with_closures_have_hooks():
    weight = gpukit.ones(1, requires_grad=True)
    lbfgs = gpukit.optim.LBFGS([weight])
    steps = []
    lbfgs.register_step_post_hook(lambda opt, args, _: steps.append(len(args)))

    def closure():
        lbfgs.zero_grad()
        loss = (weight * weight).sum()
        loss.backward()
        return loss

    lbfgs.step(closure)
    assert steps == [2]


def log_of_own_class(library):
    """What hooks of an optimizer see whose class defines step."""

    class Own(library.optim.Optimizer):
        def __init__(self, params, lr=0.5):
            super().__init__(params, {"lr": lr})

        def __setstate__(self, state):
            super().__setstate__(state)
            said.append(sorted(state.keys() & {"state", "param_groups"}))
            for group in self.param_groups:
                group.setdefault("new", 3)

        def step(self, closure=None, scale=1):
            said.append(("step", scale))

    said = []
    weight = library.tensor([4.0], requires_grad=True)
    own = Own([weight])
    own.register_step_pre_hook(lambda opt, args, kwargs: said.append(("pre", len(args), kwargs)))
    handle = own.register_step_post_hook(lambda opt, args, kwargs: said.append(("post", kwargs)))
    own.step()
    own.step(scale=2)
    handle.remove()
    own.step(None)
    own.load_state_dict(own.state_dict())
    copied = copy.deepcopy(own)
    copied.step()
    said.append((own.param_groups[0]["new"], copied.param_groups[0]["new"]))
    return said


def test_a_class_with_its_own_step():
    assert log_of_own_class(gpukit) == log_of_own_class(torch)


def test_hooks_run_once_where_a_step_calls_its_bases():
    class Own(gpukit.optim.SGD):
        def step(self, closure=None):
            return super().step(closure)

    weight = gpukit.tensor([4.0], requires_grad=True)
    own, said = Own([weight], lr=0.5), []
    own.register_step_pre_hook(lambda *_: said.append("before"))
    own.register_step_post_hook(lambda *_: said.append("after"))
    (weight * weight).sum().backward()
    own.step()
    assert said == ["before", "after"]
    assert weight.item() == 0
