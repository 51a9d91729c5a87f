"""Learning rates that change with the epochs."""

from __future__ import annotations

import math
from typing import Any

from gpukit._suggest import module_getattr
from gpukit.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "LRScheduler", "StepLR"]


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

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group["initial_lr"] = group["lr"]
            elif "initial_lr" not in group:
                raise KeyError(
                    "param 'initial_lr' is not specified in "
                    f"param_groups[{number}] when resuming an optimizer"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr: list[float] = []
        self._advance()

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one a group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """Return the learning rates set last, one a group."""
        return self._last_lr

    def step(self) -> None:
        """Go to the next epoch and set its learning rates."""
        self._advance()

    def _advance(self) -> None:
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler was saved."""
        self.__dict__.update(state_dict)


class StepLR(LRScheduler):
    """Multiplies the learning rate by gamma every step_size epochs.

    Args:
        optimizer: Whose learning rates are set.
        step_size: Epochs between two changes.
        gamma: The factor.
        last_epoch: Where to go on; -1 starts.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.StepLR(sgd, step_size=1, gamma=0.5)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        if step_size <= 0:
            raise ValueError(f"StepLR: step_size must be positive, got {step_size}")
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the present rates, times gamma where an epoch says so."""
        due = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        factor = self.gamma if due else 1.0
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class CosineAnnealingLR(LRScheduler):
    """Lets the learning rate fall along half a cosine to eta_min in T_max epochs.

    Args:
        optimizer: Whose learning rates are set.
        T_max: Epochs to the bottom.
        eta_min: The bottom.
        last_epoch: Where to go on; -1 starts.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.CosineAnnealingLR(sgd, T_max=2)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,  # noqa: N803 (torch's name)
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_max <= 0:
            raise ValueError(f"CosineAnnealingLR: T_max must be positive, got {T_max}")
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates on the cosine, from the rates before, as torch computes them."""
        groups = self.optimizer.param_groups
        if self.last_epoch == 0:
            return [group["lr"] for group in groups]
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [
                group["lr"] + (base - self.eta_min) * rise
                for base, group in zip(self.base_lrs, groups, strict=True)
            ]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (group["lr"] - self.eta_min) + self.eta_min for group in groups]


__getattr__ = module_getattr(__name__)
