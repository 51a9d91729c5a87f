"""Options of printing beside torch's."""

from __future__ import annotations

import pytest
import torch

import gpukit

VALUES = [
    [1.23456e-5, 1.0],
    [0.1, 22.25, -300.0],
    [float("nan"), float("inf"), 1e10],
    list(range(40)),
    [[i / 7 + j for i in range(9)] for j in range(9)],
]
OPTIONS = [
    {"precision": 2},
    {"sci_mode": False},
    {"sci_mode": True, "precision": 3},
    {"threshold": 5, "edgeitems": 1},
    {"threshold": 5, "edgeitems": 2, "linewidth": 40},
    {"profile": "short"},
    {"profile": "full", "linewidth": 60},
]


@pytest.fixture(autouse=True)
def _options_put_back():
    yield
    for module in (gpukit, torch):
        module.set_printoptions(profile="default")


def test_refused_options_set_nothing():
    before = repr(gpukit.tensor(3.14159))
    for wrong in ({"threshold": -1}, {"linewidth": 2.5}, {"sci_mode": "no"}):
        with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
            gpukit.set_printoptions(precision=2, **wrong)
        assert repr(gpukit.tensor(3.14159)) == before == "tensor(3.1416)"


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("values", VALUES, ids=range(len(VALUES)))
def test_options(options, values):
    for module in (gpukit, torch):
        module.set_printoptions(**options)
    assert repr(gpukit.tensor(values)) == repr(torch.tensor(values))
