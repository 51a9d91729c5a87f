"""Learning rates of a warm-up or of a fall that ends after some epochs."""

from __future__ import annotations

from gpukit._arguments import plain
from gpukit.optim.lr_scheduler.base import LRScheduler
from gpukit.optim.optimizer import Optimizer

__all__ = ["ConstantLR", "LinearLR", "PolynomialLR"]


class ConstantLR(LRScheduler):
    """Multiplies the learning rate by a factor until epoch total_iters.

    Args:
        optimizer: Whose learning rates are set.
        factor: The factor, from 0 to 1.
        total_iters: The epoch from which the rate is whole.
        last_epoch: Where to go on; -1 starts.

    Raises:
        ValueError: factor is not between 0 and 1.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.ConstantLR(sgd, factor=0.5, total_iters=4)
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.factor = plain(factor)
        self.total_iters: int = plain(total_iters)
        if not 0 <= self.factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the present rates, changed at the first epoch and at the last."""
        factor = 1.0
        if self.last_epoch == 0:
            factor = self.factor
        elif self.last_epoch == self.total_iters:
            factor = 1.0 / self.factor
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[float]:
        factor = 1.0 if self.last_epoch >= self.total_iters else self.factor
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Changes the learning rate's factor in a straight line until epoch total_iters.

    Args:
        optimizer: Whose learning rates are set.
        start_factor: The factor at the first epoch, above 0 and at most 1.
        end_factor: The factor from epoch total_iters on, from 0 to 1.
        total_iters: The epoch at which the line ends.
        last_epoch: Where to go on; -1 starts.

    Raises:
        ValueError: A factor is out of range.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.LinearLR(sgd, start_factor=0.5, total_iters=2)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor: float = plain(start_factor)
        self.end_factor: float = plain(end_factor)
        self.total_iters: int = plain(total_iters)
        if not 0 < self.start_factor <= 1:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal "
                "to 1."
            )
        if not 0 <= self.end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates on the line, from the rates before, as torch computes them."""
        return [group["lr"] * self._factor() for group in self.optimizer.param_groups]

    def _factor(self) -> float:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1.0
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return 1.0 + rise / before

    def _get_closed_form_lr(self) -> list[float]:
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        factor = self.start_factor + (self.end_factor - self.start_factor) * share
        return [base * factor for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Lets the learning rate fall to 0 along a polynomial until epoch total_iters.

    Args:
        optimizer: Whose learning rates are set.
        total_iters: The epoch at which the rate is 0.
        power: The polynomial's; 1 is a straight line.
        last_epoch: Where to go on; -1 starts.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.PolynomialLR(sgd, total_iters=2, power=2)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters: int = plain(total_iters)
        self.power = plain(power)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates on the polynomial, from the rates before, as torch computes them."""
        factor = 1.0
        if not self._is_initial and self.last_epoch <= self.total_iters:
            now = 1.0 - self.last_epoch / self.total_iters
            factor = (now / (1.0 - (self.last_epoch - 1) / self.total_iters)) ** self.power
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[float]:
        share = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * share**self.power for base in self.base_lrs]
