"""Learning rates that change with the epochs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gpukit._arguments import int_of, plain
from gpukit._names.suggest import module_getattr
from gpukit.optim.optimizer import Optimizer

__all__ = [
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "MultiStepLR",
    "ReduceLROnPlateau",
    "StepLR",
]


def _check_optimizer(scheduler: Any, optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"{type(scheduler).__name__}: optimizer: {type(optimizer).__name__} is not an Optimizer"
        )


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

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        _check_optimizer(self, optimizer)
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
        self._last_lr: list[float] = []
        self._is_initial = True
        try:
            self._advance()
        finally:
            del self._is_initial

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


class LambdaLR(LRScheduler):
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

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        _check_optimizer(self, optimizer)
        groups = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != groups:
            raise ValueError(
                f"LambdaLR: there are {groups} groups, but {len(self.lr_lambdas)} functions"
            )
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the first rates times what the functions say of the epoch."""
        return [
            base * factor(self.last_epoch)
            for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer and the functions: a None for each, as torch."""
        return {**super().state_dict(), "lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler was saved, with this one's functions."""
        own = self.lr_lambdas
        super().load_state_dict(state_dict)
        self.lr_lambdas = own


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
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        _check_optimizer(self, optimizer)
        if factor >= 1:
            raise ValueError(f"ReduceLROnPlateau: factor must be below 1, got {factor}")
        if mode not in {"min", "max"}:
            raise ValueError(f"ReduceLROnPlateau: mode must be 'min' or 'max', got {mode!r}")
        if threshold_mode not in {"rel", "abs"}:
            raise ValueError(
                f"ReduceLROnPlateau: threshold_mode must be 'rel' or 'abs', got {threshold_mode!r}"
            )
        self.optimizer = optimizer
        self.mode = mode
        self.factor = plain(factor)
        self.patience = plain(patience)
        self.threshold: float = plain(threshold)
        self.threshold_mode = threshold_mode
        self.cooldown = plain(cooldown)
        self.default_min_lr = None if isinstance(min_lr, Sequence) else plain(min_lr)
        self.min_lrs = [plain(least) for least in min_lr] if isinstance(min_lr, Sequence) else []
        self._check_min_lrs()
        self.eps = plain(eps)
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

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
        if self.cooldown_counter > 0:
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


__getattr__ = module_getattr(__name__)
