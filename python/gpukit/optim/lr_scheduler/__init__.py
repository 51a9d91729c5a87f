"""Learning rates that change with the epochs."""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.optim.lr_scheduler.base import LRScheduler
from gpukit.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from gpukit.optim.lr_scheduler.cycles import CyclicLR, OneCycleLR
from gpukit.optim.lr_scheduler.falling import ExponentialLR, MultiStepLR, StepLR
from gpukit.optim.lr_scheduler.functions import LambdaLR, MultiplicativeLR
from gpukit.optim.lr_scheduler.plateau import ReduceLROnPlateau
from gpukit.optim.lr_scheduler.ramps import ConstantLR, LinearLR, PolynomialLR
from gpukit.optim.lr_scheduler.several import ChainedScheduler, SequentialLR

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

_LRScheduler = LRScheduler  # the older name, which people derive their own schedules from

__getattr__ = module_getattr(__name__)
