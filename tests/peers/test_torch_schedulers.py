"""Schedulers of learning rates beside torch's: rates, states, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch

import gpukit

SCHEDULERS = {
    "step": ("StepLR", {"step_size": 3, "gamma": 0.5}),
    "milestones": ("MultiStepLR", {"milestones": [2, 5, 5, 20], "gamma": 0.5}),
    "exponential": ("ExponentialLR", {"gamma": 0.9}),
    "lambda": ("LambdaLR", {"lr_lambda": lambda epoch: 1 / (1 + epoch)}),
    "cosine": ("CosineAnnealingLR", {"T_max": 7, "eta_min": 0.01}),
    "restarts": ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.01}),
    "constant": ("ConstantLR", {"factor": 0.25, "total_iters": 4}),
    "linear": ("LinearLR", {"start_factor": 0.25, "end_factor": 0.5, "total_iters": 4}),
    "polynomial": ("PolynomialLR", {"total_iters": 6, "power": 2.0}),
    "multiplied": ("MultiplicativeLR", {"lr_lambda": lambda epoch: 1 - 0.01 * epoch}),
}


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers(name):
    make, settings = SCHEDULERS[name]

    def rates(module):
        p = module.nn.Parameter(module.ones(1))
        optimizer = module.optim.SGD([{"params": [p], "lr": 0.3}], lr=0.1)
        scheduler = getattr(module.optim.lr_scheduler, make)(optimizer, **settings)
        seen = []
        for _ in range(30):
            optimizer.step()
            scheduler.step()
            seen.append(scheduler.get_last_lr()[0])
        return seen

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(rates(gpukit), rates(torch), 1e-9)


def rates_of(optimizer, schedulers, steps=5):
    seen = [optimizer.param_groups[0]["lr"]]
    for _ in range(steps):
        optimizer.step()
        for scheduler in schedulers:
            scheduler.step()
        seen.append(optimizer.param_groups[0]["lr"])
    return seen


def one_weight(module, **group):
    return module.optim.SGD([{"params": [module.nn.Parameter(module.ones(1))], **group}], lr=0.1)


@pytest.mark.parametrize("second", SCHEDULERS)
@pytest.mark.parametrize("first", ["lambda", "exponential"])
def test_two_schedulers_of_one_optimizer(first, second):
    def rates(module):
        sgd = one_weight(module)
        makers = [(getattr(module.optim.lr_scheduler, n), s) for n, s in map(SCHEDULERS.get, pair)]
        schedulers = [make(sgd, **settings) for make, settings in makers]
        return [scheduler.base_lrs for scheduler in schedulers], rates_of(sgd, schedulers)

    pair = (first, second)
    (bases, got), (want_bases, want) = rates(gpukit), rates(torch)
    assert bases == want_bases
    np.testing.assert_allclose(got, want, 1e-9)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_scheduler_that_goes_on_at_an_epoch(name):
    make, settings = SCHEDULERS[name]

    def rates(module):
        sgd = one_weight(module, lr=0.05, initial_lr=0.1)
        scheduler = getattr(module.optim.lr_scheduler, make)(sgd, last_epoch=2, **settings)
        return rates_of(sgd, [scheduler])

    np.testing.assert_allclose(rates(gpukit), rates(torch), 1e-9)


@pytest.mark.parametrize("name", [*SCHEDULERS, "plateau"])
def test_a_schedulers_state_goes_both_ways(name):
    make, settings = SCHEDULERS.get(name, ("ReduceLROnPlateau", {"patience": 0, "min_lr": 0.02}))
    figure = [1.0] if name == "plateau" else []

    def build(module):
        sgd = one_weight(module)
        scheduler = getattr(module.optim.lr_scheduler, make)(sgd, **settings)
        sgd.step()  # torch warns where the scheduler is before the optimizer
        return scheduler

    for one, other in ((gpukit, torch), (torch, gpukit)):
        saved, loaded = build(one), build(other)
        for _ in range(2):
            saved.step(*figure)
        loaded.load_state_dict(saved.state_dict())
        loaded.optimizer.param_groups[0]["lr"] = saved.optimizer.param_groups[0]["lr"]
        for _ in range(4):
            saved.step(*figure)
            loaded.step(*figure)
            np.testing.assert_allclose(loaded.get_last_lr(), saved.get_last_lr(), 1e-9)
        assert name != "milestones" or other is torch or type(loaded.milestones) is dict


CYCLES = {
    "one cycle": ("OneCycleLR", {"max_lr": 0.3, "total_steps": 20}),
    "three phases": (
        "OneCycleLR",
        {
            "max_lr": [0.3],
            "epochs": 4,
            "steps_per_epoch": 5,
            "anneal_strategy": "linear",
            "three_phase": True,
            "base_momentum": [0.5],
        },
    ),
    "no momentum": ("OneCycleLR", {"max_lr": 0.3, "total_steps": 20, "cycle_momentum": False}),
    "triangular": ("CyclicLR", {"base_lr": 0.1, "max_lr": 0.3, "step_size_up": 3}),
    "halving": (
        "CyclicLR",
        {
            "base_lr": [0.1],
            "max_lr": 0.3,
            "step_size_up": 2,
            "step_size_down": 4,
            "mode": "triangular2",
        },
    ),
    "range": (
        "CyclicLR",
        {"base_lr": 0.1, "max_lr": 0.3, "step_size_up": 3, "mode": "exp_range", "gamma": 0.9},
    ),
    "own": (
        "CyclicLR",
        {
            "base_lr": 0.1,
            "max_lr": 0.3,
            "step_size_up": 3,
            "scale_fn": lambda x: 1 / (1 + x),
            "scale_mode": "iterations",
            "cycle_momentum": False,
        },
    ),
}


@pytest.mark.parametrize("name", CYCLES)
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_cycles_of_rates_and_momentum(name, kind):
    make, settings = CYCLES[name]

    def seen(module, first=None):
        optimizer = getattr(module.optim, kind)([module.nn.Parameter(module.ones(1))], lr=0.1)
        scheduler = getattr(module.optim.lr_scheduler, make)(optimizer, **settings)
        if first is not None:
            group, state = first
            scheduler.load_state_dict(state)
            optimizer.param_groups[0].update(group)
        for _ in range(18 if first is None else 1):
            optimizer.step()
            scheduler.step()
        group = {k: v for k, v in optimizer.param_groups[0].items() if k != "params"}
        return [*scheduler.get_last_lr(), group.get("momentum"), group.get("betas")], (
            group,
            scheduler.state_dict(),
        )

    got, mine = seen(gpukit)
    want, theirs = seen(torch)
    assert np.ravel(got[0]) == pytest.approx(np.ravel(want[0]), 1e-9)
    assert got[1] == pytest.approx(want[1])
    assert got[2] == pytest.approx(want[2])
    if name != "own":  # torch saves no function, and loads none back
        assert seen(torch, mine)[0][0] == pytest.approx(seen(gpukit, theirs)[0][0], 1e-9)


def sequences(module, sgd):
    s = module.optim.lr_scheduler
    return {
        "after a warm-up": lambda: s.SequentialLR(
            sgd, [s.LinearLR(sgd, 0.1, total_iters=3), s.CosineAnnealingLR(sgd, 5)], [3]
        ),
        "restarted": lambda: s.SequentialLR(
            sgd,
            [s.ConstantLR(sgd), s.CosineAnnealingWarmRestarts(sgd, 2), s.StepLR(sgd, 2)],
            [2, 7],
        ),
        "functions": lambda: s.SequentialLR(
            sgd,
            [
                s.ExponentialLR(sgd, 0.9),
                s.LambdaLR(sgd, lambda e: 1 / (e + 1)),
                s.MultiStepLR(sgd, [2]),
            ],
            milestones=[2, 4],
        ),
        "chained": lambda: s.ChainedScheduler(
            [s.ConstantLR(sgd, 0.1, 2), s.ExponentialLR(sgd, 0.9)], optimizer=sgd
        ),
        "nested": lambda: s.SequentialLR(
            sgd,
            [
                s.ChainedScheduler([s.ConstantLR(sgd), s.PolynomialLR(sgd, 9)]),
                s.ExponentialLR(sgd, 0.9),
            ],
            [4],
        ),
    }


SEQUENCES = ["after a warm-up", "restarted", "functions", "chained", "nested"]


@pytest.mark.parametrize("name", SEQUENCES)
def test_several_schedulers_in_one(name):
    def rates(module):
        sgd = one_weight(module)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's, of a first step that a sequence takes back
            return rates_of(sgd, [sequences(module, sgd)[name]()], 12)

    assert rates(gpukit) == pytest.approx(rates(torch), 1e-9)


# torch's MultiStepLR takes a Counter back alone, which no weights_only file holds.
@pytest.mark.parametrize("name", ["after a warm-up", "restarted", "chained"])
def test_a_sequences_state_goes_both_ways(name):
    for one, other in ((gpukit, torch), (torch, gpukit)):
        saved, loaded = (sequences(module, one_weight(module))[name]() for module in (one, other))
        rates_of(saved.optimizer, [saved], 3)
        loaded.load_state_dict(saved.state_dict())
        loaded.optimizer.param_groups[0].update(lr=saved.optimizer.param_groups[0]["lr"])
        assert rates_of(loaded.optimizer, [loaded]) == pytest.approx(
            rates_of(saved.optimizer, [saved]), 1e-9
        )


def test_a_step_to_an_epoch():
    for name, (make, settings) in SCHEDULERS.items():
        found = []
        for module in (gpukit, torch):
            scheduler = getattr(module.optim.lr_scheduler, make)(one_weight(module), **settings)
            with warnings.catch_warnings(record=True):
                warnings.simplefilter("always")
                for epoch in (4, 2, 11):
                    scheduler.step(epoch)
                    found.append(scheduler.get_last_lr()[0])
        assert found[:3] == pytest.approx(found[3:], 1e-9), name
    for epoch in (0.5, 2.75, 9.25):
        for settings in ({"T_0": 3}, {"T_0": 3, "T_mult": 2}):
            rates = []
            for module in (gpukit, torch):
                make = module.optim.lr_scheduler.CosineAnnealingWarmRestarts
                scheduler = make(one_weight(module), **settings)
                scheduler.step(epoch)
                rates.append(scheduler.get_last_lr()[0])
            assert rates[0] == pytest.approx(rates[1], 1e-9)


@pytest.mark.parametrize(
    "call",
    [
        "OneCycleLR(o, 0.1)",
        "OneCycleLR(o, 0.1, total_steps=0)",
        "OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=3)",
        "OneCycleLR(o, 0.1, total_steps=5, pct_start=2.0)",
        "OneCycleLR(o, 0.1, total_steps=5, anneal_strategy='x')",
        "OneCycleLR(o, [0.1, 0.2], total_steps=5)",
        "OneCycleLR(3, 0.1, total_steps=5)",
        "CyclicLR(o, 0.1, 0.2, mode='x')",
        "CosineAnnealingWarmRestarts(o, 0)",
        "CosineAnnealingWarmRestarts(o, 1, 0)",
        "LinearLR(o, 0)",
        "LinearLR(o, end_factor=2)",
        "ConstantLR(o, 2)",
        "MultiplicativeLR(o, [])",
        "SequentialLR(o, [], [])",
        "SequentialLR(o, [ConstantLR(o)], [2])",
        "SequentialLR(o, [3], [])",
        "SequentialLR(o, [ReduceLROnPlateau(o)], [])",
        "ChainedScheduler([])",
        "ChainedScheduler([ReduceLROnPlateau(o)])",
    ],
)
def test_schedulers_refuse_what_torchs_refuse(call):
    def kind(module):
        with pytest.raises((TypeError, ValueError)) as error:
            eval(call, {**vars(module.optim.lr_scheduler), "o": one_weight(module)})
        return TypeError if isinstance(error.value, TypeError) else ValueError

    assert kind(gpukit) is kind(torch)


@pytest.mark.parametrize(
    "settings",
    [
        {"patience": 1},
        {"patience": 0, "min_lr": [0.02]},
        {"mode": "max", "factor": 0.5, "patience": 0, "cooldown": 2, "min_lr": 0.02},
        {"threshold": 0.2, "threshold_mode": "abs", "patience": 2},
    ],
)
def test_a_plateau(settings):
    figures = [1.0, 0.9, 0.9, 0.95, 0.5, 0.5, 0.5, 0.5, 0.3, 0.31, 0.32, 0.33, 2.0, 2.0, 2.0]

    def rates(module):
        sgd = module.optim.SGD([module.nn.Parameter(module.ones(1))], lr=0.1)
        scheduler = module.optim.lr_scheduler.ReduceLROnPlateau(sgd, **settings)
        seen = []
        for figure in figures:
            scheduler.step(figure)
            seen.append(sgd.param_groups[0]["lr"])
        return seen

    assert rates(gpukit) == rates(torch)


MORE = {
    "cyclic": ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1}),
    "one cycle": ("OneCycleLR", {"max_lr": 0.5, "total_steps": 10}),
    "plateau": ("ReduceLROnPlateau", {}),
}


def state_after_a_step(module, make):
    parameter = module.nn.Parameter(module.ones(1))
    optimizer = module.optim.SGD([parameter], lr=0.1, momentum=0.9)
    scheduler = make(module.optim.lr_scheduler, optimizer)
    optimizer.step()
    if isinstance(scheduler, module.optim.lr_scheduler.ReduceLROnPlateau):
        scheduler.step(1.0)
    else:
        scheduler.step()
    state = scheduler.state_dict()
    if milestones := state.get("milestones"):
        state["milestones"] = dict(milestones)  # torch's is a Counter
    return str(state)


def in_a_row(schedulers, optimizer):
    parts = [schedulers.ConstantLR(optimizer), schedulers.ExponentialLR(optimizer, 0.5)]
    return schedulers.SequentialLR(optimizer, parts, milestones=[2])


def at_once(schedulers, optimizer):
    parts = [schedulers.ConstantLR(optimizer), schedulers.ExponentialLR(optimizer, 0.5)]
    return schedulers.ChainedScheduler(parts)


@pytest.mark.parametrize("name", [*SCHEDULERS, *MORE, "in a row", "at once"])
def test_states_read_as_torchs(name):
    made = {"in a row": in_a_row, "at once": at_once}
    if name not in made:
        kind, settings = (SCHEDULERS | MORE)[name]
        made[name] = lambda schedulers, optimizer: getattr(schedulers, kind)(optimizer, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, theirs = (state_after_a_step(module, made[name]) for module in (gpukit, torch))
    assert mine == theirs
