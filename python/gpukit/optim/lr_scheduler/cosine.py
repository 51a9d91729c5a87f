"""Learning rates that fall along a cosine."""

from __future__ import annotations

import math

from gpukit._arguments import plain
from gpukit.optim.lr_scheduler.base import LRScheduler, whole_number
from gpukit.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts"]


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
        self.T_max = plain(T_max)
        if self.T_max <= 0:
            raise ValueError(f"CosineAnnealingLR: T_max must be positive, got {T_max}")
        self.eta_min = plain(eta_min)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates on the cosine, from the rates before, as torch computes them."""
        groups = self.optimizer.param_groups
        if self._is_initial:
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

    def _get_closed_form_lr(self) -> list[float]:
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Lets the learning rate fall along half a cosine, again and again (Loshchilov, Hutter, 2016).

    Args:
        optimizer: Whose learning rates are set.
        T_0: Epochs of the first fall.
        T_mult: How many times longer each fall is than the one before.
        eta_min: The bottom.
        last_epoch: Where to go on; -1 starts.

    Raises:
        ValueError: T_0 or T_mult is not a positive int, or eta_min is not a number.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.CosineAnnealingWarmRestarts(sgd, T_0=2)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803 (torch's name)
        T_mult: int = 1,  # noqa: N803 (torch's name)
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_0 = self.T_i = whole_number("T_0", T_0, 1)
        self.T_mult = whole_number("T_mult", T_mult, 1)
        self.eta_min = plain(eta_min)
        if not isinstance(self.eta_min, (int, float)):
            raise ValueError(  # noqa: TRY004 (torch's)
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_cur: float = plain(last_epoch)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates at `T_cur` epochs of a fall of `T_i`."""
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go to the next epoch and set its learning rates.

        Args:
            epoch: Go to this epoch instead, which may be a fraction: `epoch + i / batches`.

        Raises:
            ValueError: The epoch is negative.
        """
        if epoch is None and self.last_epoch >= 0:
            self._go_on()
        else:
            self._go_to(plain(epoch or 0))
        self._set_rates(self.get_lr())

    def _go_on(self) -> None:
        self.last_epoch += 1
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur %= self.T_i
            self.T_i *= self.T_mult

    def _go_to(self, epoch: float) -> None:
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        self.last_epoch = math.floor(epoch)
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            falls = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_i = self.T_0 * self.T_mult**falls
            begin = self.T_0 * (self.T_mult**falls - 1) / (self.T_mult - 1)
            self.T_cur = epoch - begin
