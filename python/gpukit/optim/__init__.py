"""Optimizers: one call of the extension changes all parameters of a group."""

from __future__ import annotations

from importlib import import_module

from gpukit._names.suggest import no_attribute
from gpukit.optim import lr_scheduler
from gpukit.optim.adadelta import Adadelta
from gpukit.optim.adafactor import Adafactor
from gpukit.optim.adam import Adam, AdamW
from gpukit.optim.adam_variants import Adamax, NAdam, RAdam
from gpukit.optim.asgd import ASGD
from gpukit.optim.lbfgs import LBFGS
from gpukit.optim.mean_square import Adagrad, RMSprop
from gpukit.optim.muon import Muon
from gpukit.optim.optimizer import Optimizer
from gpukit.optim.rprop import Rprop
from gpukit.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "swa_utils",
]


def __getattr__(name: str) -> object:
    if name == "swa_utils":  # loaded when it is first named
        return import_module("gpukit.optim.swa_utils")
    return no_attribute(__name__, name)
