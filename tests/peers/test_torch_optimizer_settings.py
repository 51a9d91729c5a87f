"""Groups of optimizers beside torch's: settings, their order, how they print, save and load."""

from __future__ import annotations

import io
from typing import Any

import pytest
import torch

import gpukit

KINDS = ["Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "LBFGS",
         "NAdam", "RAdam", "RMSprop", "Rprop", "SGD"]  # fmt: skip


def optimizer(library: Any, kind: str, **settings: Any) -> Any:
    p = library.nn.Parameter(library.tensor([1.0, 2.0]))
    return getattr(library.optim, kind)([p], **settings)


def stepped(of: Any, library: Any) -> Any:
    def closure() -> Any:
        p = of.param_groups[0]["params"][0]
        of.zero_grad()
        loss = ((p - 0.3) ** 2).sum()
        loss.backward()
        return loss

    for _ in range(3):
        of.step(closure)
    return of.param_groups[0]["params"][0]


@pytest.mark.parametrize("kind", KINDS)
def test_groups_have_the_settings_of_torch(kind: str) -> None:
    mine, theirs = (optimizer(library, kind) for library in (gpukit, torch))
    assert list(mine.defaults.items()) == list(theirs.defaults.items())
    assert repr(mine) == repr(theirs)
    assert list(mine.param_groups[0]) == list(theirs.param_groups[0])
    assert mine.state_dict()["param_groups"] == theirs.state_dict()["param_groups"]


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_loaded_both_ways(kind: str) -> None:
    for source, target in ((torch, gpukit), (gpukit, torch)):
        saved = optimizer(source, kind)
        stepped(saved, source)
        file = io.BytesIO()
        source.save(saved.state_dict(), file)
        file.seek(0)
        loaded = optimizer(target, kind)
        with target.no_grad():
            p = loaded.param_groups[0]["params"][0]
            p.copy_(target.tensor(saved.param_groups[0]["params"][0].tolist()))
        loaded.load_state_dict(target.load(file))
        assert repr(loaded) == repr(saved)
        assert stepped(loaded, target).tolist() == pytest.approx(
            stepped(saved, source).tolist(), rel=1e-6
        )


def test_given_settings_come_first_and_names_are_kept() -> None:
    shown = []
    for library in (gpukit, torch):
        net = library.nn.Linear(2, 1)
        of = library.optim.Adam(
            [{"params": net.named_parameters(), "lr": 0.5, "name": "head"}],
            foreach=False,
            fused=None,
        )
        shown.append((list(of.param_groups[0]), of.state_dict(), repr(of)))
    assert shown[0] == shown[1]
    for library in (gpukit, torch):
        net = library.nn.Linear(2, 1)
        with pytest.raises(ValueError, match="all optimizer params should be with/without names"):
            library.optim.SGD([net.weight, ("bias", net.bias)])
        of = library.optim.SGD([net.weight])
        with pytest.raises(ValueError, match="param groups should be with/without names"):
            of.add_param_group({"params": [("bias", net.bias)]})


def test_decoupled_decay_is_a_setting() -> None:
    ends = [
        stepped(optimizer(library, "Adam", weight_decay=0.5, decoupled_weight_decay=True), library)
        for library in (gpukit, torch)
    ]
    assert ends[0].tolist() == pytest.approx(ends[1].tolist(), rel=1e-6)
    mine, theirs = (optimizer(library, "AdamW") for library in (gpukit, torch))
    for library, of in ((gpukit, mine), (torch, theirs)):
        of.load_state_dict(optimizer(library, "Adam").state_dict())
    assert repr(mine) == repr(theirs)


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"LBFGS", "Adafactor"}))
def test_what_no_step_can_do_is_refused(kind: str) -> None:
    with pytest.raises(gpukit.ArgumentError, match=f"{kind}: differentiable=True: steps are not"):
        optimizer(gpukit, kind, differentiable=True)
    saved = optimizer(torch, kind, differentiable=True).state_dict()
    mine = optimizer(gpukit, kind, maximize=True)
    with pytest.raises(gpukit.ArgumentError, match="differentiable=True"):
        mine.load_state_dict(saved)
    assert mine.param_groups[0]["maximize"] is True


@pytest.mark.parametrize(
    "kind", ["Adadelta", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop"]
)
def test_steps_that_no_graph_holds_are_refused(kind: str) -> None:
    with pytest.raises(gpukit.ArgumentError, match="use SGD, Adam or AdamW in graphs"):
        optimizer(gpukit, kind, capturable=True)


def test_two_hints_are_one_too_many() -> None:
    assert optimizer(gpukit, "Adam", capturable=True).defaults["capturable"] is True
    for library in (gpukit, torch):
        with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
            optimizer(library, "SGD", fused=True, foreach=True)
