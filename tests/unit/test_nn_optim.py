"""Optimizers and schedulers: groups, settings, states, saving; what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import gpukit
from gpukit import nn, optim
from gpukit.optim.lr_scheduler import (
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LRScheduler,
    MultiStepLR,
    ReduceLROnPlateau,
    StepLR,
)


def parameter(*values):
    p = nn.Parameter(gpukit.tensor(values or [1.0]))
    p.grad = gpukit.ones_like(p.detach())
    return p


def test_defaults():
    p = [parameter()]
    assert optim.SGD(p).defaults == {
        "lr": 1e-3, "momentum": 0, "dampening": 0, "weight_decay": 0, "nesterov": False,
        "maximize": False, "foreach": None, "differentiable": False, "fused": None,
    }  # fmt: skip
    assert optim.Adam(p).defaults["betas"] == (0.9, 0.999)
    assert optim.AdamW(p).defaults["weight_decay"] == 1e-2


def test_repr():
    two = optim.SGD([{"params": [parameter()]}, {"params": [parameter()]}])
    assert "False\n    weight_decay: 0\n\nParameter Group 1\n" in repr(two)
    assert repr(optim.SGD([parameter()], lr=0.1)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n"
        "    foreach: None\n    fused: None\n    lr: 0.1\n    maximize: False\n    momentum: 0\n"
        "    nesterov: False\n    weight_decay: 0\n)"
    )


@pytest.mark.parametrize(
    ("make", "settings", "match"),
    [
        (optim.Adam, {"lr": float("nan")}, "Adam: lr must be 0 or more, got nan"),
        (optim.SGD, {"lr": -1}, "SGD: lr must be 0 or more, got -1"),
        (optim.SGD, {"momentum": -1}, "momentum"),
        (optim.SGD, {"weight_decay": -1}, "weight_decay"),
        (optim.SGD, {"nesterov": True}, "nesterov=True needs a momentum"),
        (optim.Adam, {"betas": (1.0, 0.9)}, r"betas\[0\] must be in"),
        (optim.Adam, {"eps": -1}, "Adam: eps must be 0 or more, got -1"),
        (optim.RMSprop, {"alpha": -1}, "RMSprop: alpha must be 0 or more, got -1"),
        (optim.Adagrad, {"lr_decay": -1}, "Adagrad: lr_decay must be 0 or more, got -1"),
        (optim.Adadelta, {"rho": 1.5}, "Adadelta: rho must be from 0 to 1, got 1.5"),
        (optim.Adadelta, {"eps": -1}, "Adadelta: eps must be 0 or more, got -1"),
        (optim.Adamax, {"betas": (0.9, 1.0)}, r"Adamax: betas\[1\] must be in \[0, 1\), got 1.0"),
        (optim.NAdam, {"momentum_decay": -1}, "NAdam: momentum_decay must be 0 or more, got -1"),
        (optim.RAdam, {"lr": -1}, "RAdam: lr must be 0 or more, got -1"),
        (optim.Rprop, {"etas": (1.2, 0.5)}, r"Rprop: etas must be below and above 1, .*\(1.2, 0.5"),
        (optim.ASGD, {"weight_decay": -1}, "ASGD: weight_decay must be 0 or more, got -1"),
    ],
)
def test_settings_out_of_range(make, settings, match):
    with pytest.raises(ValueError, match=match):
        make([parameter()], **settings)


def test_parameters_that_are_refused():
    p = parameter()
    with pytest.raises(ValueError, match="optimizer got no parameters"):
        optim.SGD([])
    with pytest.raises(ValueError, match="optimizer got no parameters"):
        optim.SGD(nn.ReLU().parameters())
    with pytest.raises(TypeError, match="one tensor"):
        optim.SGD(p)
    with pytest.raises(TypeError, match="only optimize Tensors"):
        optim.SGD([3.0])
    with pytest.raises(ValueError, match="twice"):
        optim.SGD([p, p])
    with pytest.raises(ValueError, match="twice"):
        optim.SGD([{"params": [p]}, {"params": p}])
    whole = gpukit.ones(1, dtype="int64")
    whole.grad = gpukit.ones(1, dtype="int64")
    with pytest.raises(gpukit.DTypeError, match="floating"):
        optim.SGD([whole]).step()


def test_groups_have_settings_of_their_own():
    a, b = parameter(), parameter()
    optimizer = optim.SGD([{"params": [a], "lr": 0.5}, {"params": [b]}], lr=0.25)
    optimizer.step()
    assert (a.item(), b.item()) == (0.5, 0.75)
    optimizer.param_groups[0]["lr"] = 0.0
    optimizer.step()
    assert (a.item(), b.item()) == (0.5, 0.5)
    c = parameter()
    optimizer.add_param_group({"params": c, "lr": 1.0})
    optimizer.step()
    assert c.item() == 0.0


def test_closure_and_zero_grad():
    p = parameter()
    optimizer = optim.SGD([p], lr=1.0)
    assert optimizer.step(lambda: "loss") == "loss"
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.item() == 0
    optimizer.zero_grad()
    assert p.grad is None
    optimizer.step()
    assert p.item() == 0


def test_version_is_bumped_by_a_step():
    p = parameter()
    view = p.detach()
    before = view._version if hasattr(view, "_version") else None
    optim.SGD([p], lr=1.0).step()
    assert view.item() == 0
    assert before is None or view._version > before


@pytest.mark.parametrize("make", [lambda p: optim.SGD(p, lr=0.1, momentum=0.9), optim.Adam])
def test_state_is_saved_and_loaded(make):
    first, second = parameter(1.0, 2.0), parameter(1.0, 2.0)
    a, b = make([first]), make([second])
    a.step()
    state = a.state_dict()
    assert list(state["state"]) == [0] and state["param_groups"][0]["params"] == [0]
    second.detach().copy_(first.detach())
    b.load_state_dict(state)
    for _ in range(3):
        a.step()
        b.step()
    assert first.tolist() == second.tolist()
    assert b.state_dict()["state"].keys() == state["state"].keys()
    with pytest.raises(ValueError, match="number of parameter groups"):
        b.load_state_dict({"state": {}, "param_groups": []})
    with pytest.raises(ValueError, match="size"):
        make([parameter(), parameter()]).load_state_dict(state)


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize(
    "make",
    [
        lambda params: optim.SGD(params, lr=0.1, momentum=0.9),
        lambda params: optim.Adam(params, lr=0.1, amsgrad=True),
        lambda params: optim.AdamW(params, lr=0.1),
        lambda params: optim.RMSprop(params, lr=0.1, momentum=0.9),
        lambda params: optim.Adagrad(params, lr=0.1),
        lambda params: optim.Adadelta(params, lr=0.1),
        lambda params: optim.Adamax(params, lr=0.1),
        lambda params: optim.NAdam(params, lr=0.1),
        lambda params: optim.RAdam(params, lr=0.1),
        lambda params: optim.Rprop(params, lr=0.1),
        lambda params: optim.ASGD(params, lr=0.1, t0=1),
        lambda params: optim.Adafactor(params, lr=0.1),
    ],
)
def test_a_step_that_is_refused_leaves_states_and_counts_as_they_were(make, before):
    fine, alone = parameter(*[1.0] * 100), parameter(*[1.0] * 100)
    values = np.ones(3, np.float32)
    values.flags.writeable = False
    refused = gpukit.from_numpy(values).requires_grad_()
    optimizer, other = make([fine, refused]), make([alone])
    for number in range(3):
        if number == before:
            refused.grad = gpukit.ones(3)
            for _ in range(3):
                dirt = gpukit.full((100,), 7.0)
                del dirt
                with pytest.raises(ValueError, match="parameter 1 is read-only"):
                    optimizer.step()
            refused.grad = None
        optimizer.step()
        other.step()
    assert fine.tolist() == alone.tolist()
    states = optimizer.state[fine], other.state[alone]
    assert {k: v.tolist() for k, v in states[0].items()} == {
        k: v.tolist() for k, v in states[1].items()
    }


def test_a_state_that_cannot_be_loaded_leaves_the_optimizer_as_it_was():
    params = [parameter(1.0, 2.0), parameter(3.0)]
    optimizer = optim.Adam(params, lr=0.1)
    optimizer.step()
    saved, kept = optimizer.state_dict(), repr(optimizer.state_dict())
    saved["state"][1]["step"] = "many"
    saved["param_groups"][0]["lr"] = 0.5
    with pytest.raises(ValueError, match="many"):
        optimizer.load_state_dict(saved)
    assert repr(optimizer.state_dict()) == kept


COMPOSED = [
    optim.RMSprop,
    optim.Adagrad,
    optim.Adadelta,
    optim.Adamax,
    optim.NAdam,
    optim.RAdam,
    optim.Rprop,
    optim.ASGD,
    optim.Adafactor,
]


@pytest.mark.parametrize("make", [optim.SGD, *COMPOSED])
def test_parameters_that_changed_after_the_first_step(make):
    fine, p = parameter(1.0), parameter(1.0, 2.0)
    momentum = {"momentum": 0.9} if make in {optim.SGD, optim.RMSprop} else {}
    optimizer = make([fine, p], lr=0.1, **momentum)
    optimizer.step()
    kept = fine.tolist(), repr(optimizer.state_dict())
    for data, error, match in [
        (gpukit.ones(3), gpukit.ShapeError, r"\(3,\), its state \(2,\); they must be equal\."),
        (gpukit.ones(2).double(), gpukit.DTypeError, r"float64, its state float32\. Call opt"),
    ]:
        p.grad = None
        p.data = data
        p.grad = gpukit.ones_like(data)
        with pytest.raises(error, match=rf"{make.__name__}\.step: parameter 1 is {match}"):
            optimizer.step()
        assert (p.tolist(), fine.tolist()) == ([1] * len(data), kept[0])
        assert repr(optimizer.state_dict()) == kept[1]


@pytest.mark.parametrize("make", [optim.SGD, *COMPOSED])
def test_a_learning_rate_that_is_a_tensor(make):
    first, second = parameter(1.0, 2.0), parameter(1.0, 2.0)
    make([first], lr=gpukit.tensor(0.25)).step()
    make([second], lr=0.25).step()
    assert first.tolist() == second.tolist() != [1.0, 2.0]


def test_momentum_that_begins_after_a_step():
    p = parameter(1.0)
    optimizer = optim.RMSprop([p], lr=1.0, alpha=0.0)
    optimizer.step()
    optimizer.param_groups[0]["momentum"] = 0.5
    optimizer.step()
    optimizer.step()
    np.testing.assert_allclose(p.tolist(), [1 - 1 - 1 - 1.5], 1e-6)


@pytest.mark.parametrize("make", COMPOSED)
def test_steps_are_counted_in_float32_on_the_cpu_whatever_the_defaults(make):
    p = parameter(1.0)
    gpukit.set_default_dtype(gpukit.float64)
    try:
        optimizer = make([p])
        optimizer.step()
    finally:
        gpukit.set_default_dtype(gpukit.float32)
    step = optimizer.state[p]["step"]
    assert (step.dtype, str(step.device), step.item()) == (gpukit.float32, "cpu", 1)


def test_a_centered_state_goes_on():
    first, second = (optim.RMSprop([parameter(2.0)], centered=kind) for kind in (True, False))
    for optimizer in (first, second):
        optimizer.param_groups[0]["params"][0].grad = gpukit.full((1,), 0.5)
    first.step()
    second.load_state_dict(first.state_dict())
    second.param_groups[0]["params"][0].data.copy_(first.param_groups[0]["params"][0].data)
    for optimizer in (first, second):
        optimizer.step()
    values = [optimizer.param_groups[0]["params"][0].item() for optimizer in (first, second)]
    assert values[0] == values[1] < 2


def test_step_lr():
    optimizer = optim.SGD([parameter()], lr=1.0)
    scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
    seen = []
    for _ in range(5):
        seen.append(optimizer.param_groups[0]["lr"])
        scheduler.step()
    assert seen == [1.0, 1.0, 0.5, 0.5, 0.25]
    assert scheduler.get_last_lr() == [0.25] and scheduler.last_epoch == 5
    again = StepLR(optim.SGD([parameter()], lr=1.0), step_size=2, gamma=0.5)
    again.load_state_dict(scheduler.state_dict())
    assert again.last_epoch == 5


def test_cosine_annealing():
    optimizer = optim.SGD([parameter()], lr=1.0)
    scheduler = CosineAnnealingLR(optimizer, T_max=4, eta_min=0.2)
    seen = []
    for _ in range(9):
        seen.append(round(optimizer.param_groups[0]["lr"], 6))
        scheduler.step()
    assert seen[0] == 1.0 and seen[2] == 0.6 and seen[4] == 0.2 and seen[6] == 0.6
    assert seen[8] == 1.0


def test_schedulers_refuse():
    with pytest.raises(TypeError, match="not an Optimizer"):
        StepLR(3, 1)
    with pytest.raises(ValueError, match="step_size"):
        StepLR(optim.SGD([parameter()]), 0)
    with pytest.raises(KeyError, match="initial_lr"):
        StepLR(optim.SGD([parameter()]), 1, last_epoch=3)


def test_more_schedulers_refuse():
    sgd = optim.SGD([parameter()])
    with pytest.raises(ValueError, match="2 functions"):
        LambdaLR(sgd, [len, len])
    for settings, match in [
        ({"factor": 1}, "factor"),
        ({"mode": "least"}, "mode"),
        ({"threshold_mode": "none"}, "threshold_mode"),
        ({"min_lr": [0.1, 0.2]}, "1 groups, but min_lr is a list of 2"),
    ]:
        with pytest.raises(ValueError, match=match):
            ReduceLROnPlateau(sgd, **settings)


def test_a_scheduler_goes_on_where_it_was_saved():
    first, second = (optim.SGD([parameter()], lr=1.0) for _ in range(2))
    scheduler = LambdaLR(first, lambda epoch: 0.5**epoch)
    scheduler.step()
    other = LambdaLR(second, lambda epoch: 0.5**epoch)
    other.load_state_dict(scheduler.state_dict())
    other.step()
    assert other.get_last_lr() == [0.25]
    plateau, again = ReduceLROnPlateau(first, patience=0), ReduceLROnPlateau(second, patience=0)
    plateau.step(1.0)
    again.load_state_dict(plateau.state_dict())
    again.step(1.0)
    assert again.get_last_lr() == [0.025]


@pytest.mark.parametrize(
    "make",
    [
        lambda sgd: StepLR(sgd, 1, 0.5),
        lambda sgd: MultiStepLR(sgd, [1, 2, 2], 0.5),
        lambda sgd: ExponentialLR(sgd, 0.5),
        lambda sgd: LambdaLR(sgd, lambda epoch: 0.5**epoch),
        lambda sgd: CosineAnnealingLR(sgd, 4),
        lambda sgd: ReduceLROnPlateau(sgd, patience=0),
    ],
)
def test_a_schedulers_state_goes_through_a_file(make, tmp_path):
    sgd = optim.SGD([parameter()], lr=1.0)
    scheduler = make(sgd)
    arguments = [1.0] if isinstance(scheduler, ReduceLROnPlateau) else []
    assert isinstance(scheduler, LRScheduler)
    scheduler.step(*arguments)
    gpukit.save([sgd.state_dict(), scheduler.state_dict()], tmp_path / "saved.pth")
    other = optim.SGD([parameter()], lr=1.0)
    again = make(other)
    for part, state in zip((other, again), gpukit.load(tmp_path / "saved.pth"), strict=True):
        part.load_state_dict(state)
    for _ in range(3):
        scheduler.step(*arguments)
        again.step(*arguments)
        assert again.get_last_lr() == scheduler.get_last_lr()
    assert again.state_dict().keys() == scheduler.state_dict().keys()


def test_a_plateau_has_a_least_rate_for_each_group():
    sgd = optim.SGD([{"params": [parameter()]}, {"params": [parameter()]}], lr=1.0)
    scheduler = ReduceLROnPlateau(sgd, patience=0, min_lr=[0.5, 0.2])
    assert scheduler.get_last_lr() == [1.0, 1.0]
    for _ in range(3):
        scheduler.step(1.0)
    assert scheduler.get_last_lr() == [0.5, 0.2]
    sgd.add_param_group({"params": [parameter()]})
    with pytest.raises(ValueError, match="3 groups, but min_lr is a list of 2"):
        scheduler.step(1.0)


def test_a_required_setting_is_asked_for():
    from gpukit.optim.optimizer import required

    class Plain(gpukit.optim.Optimizer):
        def __init__(self, params, lr=required):
            super().__init__(params, {"lr": lr})

    w = gpukit.ones(1, requires_grad=True)
    assert Plain([w], 0.5).param_groups[0]["lr"] == 0.5
    assert Plain([{"params": [w], "lr": 2.0}]).param_groups[0]["lr"] == 2.0
    assert repr(required) == "<required parameter>"
    with pytest.raises(ValueError, match=r"didn't specify a value .* parameter lr"):
        Plain([w])
