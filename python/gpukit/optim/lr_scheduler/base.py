"""Base of schedulers."""

from __future__ import annotations

import warnings
from typing import Any

from gpukit._arguments import int_of, plain
from gpukit.optim.optimizer import Optimizer

__all__ = ["LRScheduler"]


def check_optimizer(scheduler: Any, optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"{type(scheduler).__name__}: optimizer: {type(optimizer).__name__} is not an Optimizer"
        )


def one_a_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """One number for all groups, or a list of one a group."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [plain(value)] * groups
    if len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {groups}."
        )
    return [plain(each) for each in value]


def whole_number(name: str, value: Any, least: int) -> int:
    """An int that is at least `least`; torch's ValueError otherwise."""
    number = plain(value)
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise ValueError(f"Expected integer {name} >= {least}, but got {value}")
    return number


class LRScheduler:
    """Base of schedulers: `step()` once an epoch, after the optimizer's steps.

    A subclass says in `get_lr` what the learning rates of `last_epoch` are.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.ones(1, requires_grad=True)], lr=0.1)
        >>> steps = gpukit.optim.lr_scheduler.StepLR(sgd, step_size=2)
        >>> isinstance(steps, gpukit.optim.lr_scheduler.LRScheduler), steps.get_last_lr()
        (True, [0.1])
    """

    #: While `__init__` sets the first rates: they may be those of a loaded optimizer.
    _is_initial = False
    _step_count = 0

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(self, optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    "param 'initial_lr' is not specified in "
                    f"param_groups[{number}] when resuming an optimizer"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = int_of(type(self).__name__, "last_epoch", last_epoch)
        self._step_count = 0  # before the next two in torch's states
        self._is_initial = self._get_lr_called_within_step = False  # torch's states have both
        self._last_lr: list[float] = []
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one a group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """Return the learning rates set last, one a group."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch and set its learning rates.

        Args:
            epoch: Go to this epoch instead, as torch still accepts with a warning.
        """
        if epoch is not None:
            message = "LRScheduler.step: epoch is deprecated. Call step() once an epoch"
            warnings.warn(message, UserWarning, stacklevel=2)
            epoch = int_of(type(self).__name__, "epoch", epoch)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        """Set the rates of the next epoch, or of one that is named."""
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set_rates(self.get_lr() if epoch is None else self._get_closed_form_lr())

    def _get_closed_form_lr(self) -> list[float]:
        """Return the rates of `last_epoch` without those before, where there is a formula."""
        return self.get_lr()

    def _set_rates(self, rates: list[float]) -> None:
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler was saved."""
        self.__dict__.update(state_dict)
