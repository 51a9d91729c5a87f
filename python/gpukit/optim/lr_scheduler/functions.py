"""Learning rates that functions of the epoch set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpukit.optim.lr_scheduler.base import LRScheduler, check_optimizer
from gpukit.optim.optimizer import Optimizer

__all__ = ["LambdaLR", "MultiplicativeLR"]


class _OfFunctions(LRScheduler):
    """What the schedulers by functions of the epoch have in common."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(self, optimizer)
        groups = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != groups:
            raise ValueError(
                f"{type(self).__name__}: there are {groups} groups, but {len(self.lr_lambdas)} "
                "functions"
            )
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer and the functions: a None for each, as torch."""
        state = super().state_dict()
        del state["lr_lambdas"]  # the last one, as torch shows it
        return {**state, "lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler was saved, with this one's functions."""
        own = self.lr_lambdas
        super().load_state_dict(state_dict)
        self.lr_lambdas = own


class LambdaLR(_OfFunctions):
    """Multiplies the first learning rate by a function of the epoch.

    Args:
        optimizer: Whose learning rates are set.
        lr_lambda: The function, or one a group.
        last_epoch: Where to go on; -1 starts.

    Raises:
        ValueError: The numbers of functions and groups differ.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.LambdaLR(sgd, lambda epoch: 0.5**epoch)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.5]
    """

    def get_lr(self) -> list[float]:
        """Return the first rates times what the functions say of the epoch."""
        return [
            base * factor(self.last_epoch)
            for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)
        ]


class MultiplicativeLR(_OfFunctions):
    """Multiplies the learning rate before by a function of the epoch.

    Args:
        optimizer: Whose learning rates are set.
        lr_lambda: The function, or one a group.
        last_epoch: Where to go on; -1 starts.

    Raises:
        ValueError: The numbers of functions and groups differ.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> scheduler = gpukit.optim.lr_scheduler.MultiplicativeLR(sgd, lambda epoch: 0.5)
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def get_lr(self) -> list[float]:
        """Return the present rates times what the functions say; the first rates unchanged."""
        groups = self.optimizer.param_groups
        if self._is_initial:
            return [group["lr"] for group in groups]
        return [
            group["lr"] * factor(self.last_epoch)
            for group, factor in zip(groups, self.lr_lambdas, strict=True)
        ]
