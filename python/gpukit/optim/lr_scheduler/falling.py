"""Learning rates that are multiplied by a factor at some epochs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from gpukit._arguments import plain
from gpukit.optim.lr_scheduler.base import LRScheduler
from gpukit.optim.optimizer import Optimizer

__all__ = ["ExponentialLR", "MultiStepLR", "StepLR"]


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
        self.step_size = plain(step_size)
        if self.step_size <= 0:
            raise ValueError(f"StepLR: step_size must be positive, got {step_size}")
        self.gamma = plain(gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the present rates, times gamma where an epoch says so."""
        due = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        factor = self.gamma if due else 1.0
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [base * factor for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiplies the learning rate by gamma at each of some epochs.

    Args:
        optimizer: Whose learning rates are set.
        milestones: The epochs.
        gamma: The factor.
        last_epoch: Where to go on; -1 starts.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.MultiStepLR(sgd, [1, 30], gamma=0.5)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = dict(Counter(map(plain, milestones)))
        self.gamma = plain(gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the present rates, times gamma where an epoch says so."""
        factor = self.gamma ** self.milestones.get(self.last_epoch, 0)
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[float]:
        passed = [count for epoch, count in self.milestones.items() if epoch <= self.last_epoch]
        return [base * self.gamma ** sum(passed) for base in self.base_lrs]

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler was saved."""
        super().load_state_dict(state_dict)
        self.milestones = dict(self.milestones)  # torch's is a Counter, which save() refuses


class ExponentialLR(LRScheduler):
    """Multiplies the learning rate by gamma every epoch.

    Args:
        optimizer: Whose learning rates are set.
        gamma: The factor.
        last_epoch: Where to go on; -1 starts.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.ExponentialLR(sgd, gamma=0.5)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = plain(gamma)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the current rates times gamma; the initial rates unchanged."""
        factor = 1.0 if self._is_initial else self.gamma
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[float]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]
