"""A learning rate that falls when a figure has stopped getting better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpukit._arguments import plain
from gpukit.optim.lr_scheduler.base import LRScheduler, check_optimizer
from gpukit.optim.optimizer import Optimizer

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the learning rate by a factor when a figure has stopped getting better.

    Call `step(figure)` once an epoch, for example with the loss of the validation set.

    Args:
        optimizer: Whose learning rates are set.
        mode: 'min' when smaller is better, 'max' when larger is.
        factor: What the rates are multiplied by.
        patience: Epochs without anything better that are let pass.
        threshold: How much better counts, as a share of the best figure or by itself.
        threshold_mode: 'rel' or 'abs'.
        cooldown: Epochs after a change that are not counted.
        min_lr: The least rate, or a list of one a group.
        eps: A change that is smaller is left.

    Raises:
        ValueError: factor is not below 1, a mode is another one, or min_lr has not one a group.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.ReduceLROnPlateau(sgd, patience=0)
        >>> for loss in (0.5, 0.5):
        ...     scheduler.step(loss)
        >>> scheduler.get_last_lr()
        [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        check_optimizer(self, optimizer)
        if factor >= 1:
            raise ValueError(f"ReduceLROnPlateau: factor must be below 1, got {factor}")
        if mode not in {"min", "max"}:
            raise ValueError(f"ReduceLROnPlateau: mode must be 'min' or 'max', got {mode!r}")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError(
                f"ReduceLROnPlateau: threshold_mode must be 'rel' or 'abs', got {threshold_mode!r}"
            )
        # In the order of torch's states.
        self.factor = plain(factor)
        self.optimizer = optimizer
        self.default_min_lr = None if isinstance(min_lr, Sequence) else plain(min_lr)
        self.min_lrs = [plain(least) for least in min_lr] if isinstance(min_lr, Sequence) else []
        self._check_min_lrs()
        self.patience = plain(patience)
        self.cooldown = plain(cooldown)
        self.eps = plain(eps)
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold: float = plain(threshold)
        self.threshold_mode = threshold_mode
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs without improvement do not count now."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any) -> None:  # type: ignore[override]
        """Take the figure of one more epoch, and change the rates when it is time.

        Args:
            metrics: The figure: a number or a tensor of one element.
        """
        figure = float(metrics)
        self._check_min_lrs()
        self.last_epoch += 1
        if self._is_better(figure):
            self.best = figure
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _is_better(self, figure: float) -> bool:
        sign = -1.0 if self.mode == "min" else 1.0
        least = self.threshold
        if self.threshold_mode == "rel" and math.isfinite(self.best):
            least = self.best * (1 + sign * self.threshold) * sign - self.best * sign
        return (figure - self.best) * sign > least

    def _check_min_lrs(self) -> None:
        groups = len(self.optimizer.param_groups)
        if len(self.min_lrs) != groups and self.default_min_lr is not None:
            self.min_lrs = [self.default_min_lr] * groups
        if len(self.min_lrs) != groups:
            raise ValueError(
                f"ReduceLROnPlateau: there are {groups} groups, but min_lr is a list of "
                f"{len(self.min_lrs)}. Use one number, or one a group"
            )

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            now = float(group["lr"])
            lr = max(now * self.factor, least)
            if now - lr > self.eps:
                group["lr"] = lr
