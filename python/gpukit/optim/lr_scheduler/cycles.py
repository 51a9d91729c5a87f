"""Learning rates that rise and fall while the momentum falls and rises (Smith, 2015 and 2017)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpukit._arguments import int_of, plain
from gpukit.optim.lr_scheduler.base import (
    LRScheduler,
    check_optimizer,
    one_a_group,
    whole_number,
)
from gpukit.optim.optimizer import Optimizer

__all__ = ["CyclicLR", "OneCycleLR"]


def _is_beta1(optimizer: Optimizer) -> bool:
    """Whether the optimizer's momentum is the first of its betas."""
    if "betas" not in optimizer.defaults and "momentum" not in optimizer.defaults:
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
        )
    return "betas" in optimizer.defaults


def _set_momentum(group: dict[str, Any], momentum: float, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def _start_momentum(
    optimizer: Optimizer, base: list[float], largest: list[float], use_beta1: bool
) -> None:
    for group, low, high in zip(optimizer.param_groups, base, largest, strict=True):
        _set_momentum(group, high, use_beta1)
        group["max_momentum"] = high
        group["base_momentum"] = low


class OneCycleLR(LRScheduler):
    """Lets the learning rate rise to max_lr and fall far below its start, once; a step a batch.

    The momentum, or the first of betas, goes the other way.

    Args:
        optimizer: Whose learning rates are set.
        max_lr: The largest rate, or a list of one a group.
        total_steps: Steps of the cycle; without it, epochs times steps_per_epoch.
        epochs: Epochs of the training.
        steps_per_epoch: Batches an epoch, such as `len(loader)`.
        pct_start: Share of the steps in which the rate rises.
        anneal_strategy: 'cos' or 'linear'.
        cycle_momentum: Whether the momentum changes too.
        base_momentum: The least momentum, or a list of one a group.
        max_momentum: The largest, likewise.
        div_factor: The first rate is max_lr / div_factor.
        final_div_factor: The last rate is the first / final_div_factor.
        three_phase: Fall to the first rate as fast as it rose, then to the last.
        last_epoch: Where to go on; -1 starts.

    Raises:
        ValueError: The number of steps is not given, a setting is out of range, or the optimizer
            has no momentum to change; from `step`, beyond the last step.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0, momentum=0.9)
        >>> scheduler = gpukit.optim.lr_scheduler.OneCycleLR(sgd, max_lr=0.5, total_steps=10)
        >>> round(scheduler.get_last_lr()[0], 6)
        0.02
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(self, optimizer)
        last_epoch = int_of(type(self).__name__, "last_epoch", last_epoch)
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        share = plain(pct_start)
        if isinstance(share, int) or not 0 <= share <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in {"cos", "linear"}:
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._schedule_phases = _phases(self.total_steps, share, three_phase)
        self._anneal_func_type = anneal_strategy
        largest = one_a_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, largest, strict=True):
                group["initial_lr"] = lr / plain(div_factor)
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / plain(final_div_factor)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _is_beta1(optimizer)
            high = one_a_group("max_momentum", optimizer, max_momentum)
            low = one_a_group("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                _start_momentum(optimizer, low, high, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the rates of `last_epoch`, and set its momentum.

        Raises:
            ValueError: `last_epoch` is beyond the last step.
        """
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        start, phase = self._phase()
        share = (self.last_epoch - start) / (phase["end_step"] - start)
        for group in self.optimizer.param_groups if self.cycle_momentum else []:
            ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
            _set_momentum(group, self._between(*ends, share), self.use_beta1)
        return [
            self._between(group[phase["start_lr"]], group[phase["end_lr"]], share)
            for group in self.optimizer.param_groups
        ]

    def _phase(self) -> tuple[float, dict[str, Any]]:
        """Where the phase of `last_epoch` begins, and the phase."""
        start = 0.0
        for phase in self._schedule_phases[:-1]:
            if self.last_epoch <= phase["end_step"]:
                return start, phase
            start = phase["end_step"]
        return start, self._schedule_phases[-1]

    def _between(self, start: float, end: float, share: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _total_steps(total: Any, epochs: Any, steps_per_epoch: Any) -> int:
    if total is not None:
        return whole_number("total_steps", total, 1)
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    steps = whole_number("steps_per_epoch", steps_per_epoch, 1)
    return whole_number("epochs", epochs, 1) * steps


def _phases(total: int, share: float, three: bool) -> list[dict[str, Any]]:
    """The phases under torch's names, so that states of schedulers go both ways."""
    ends = [share * total - 1, total - 1]
    rates = ["initial_lr", "max_lr", "min_lr"]
    momenta = ["max_momentum", "base_momentum", "max_momentum"]
    if three:
        ends.insert(1, 2 * share * total - 2)
        rates.insert(2, "initial_lr")
        momenta.append("max_momentum")
    return [
        {
            "end_step": end,
            "start_lr": rates[i],
            "end_lr": rates[i + 1],
            "start_momentum": momenta[i],
            "end_momentum": momenta[i + 1],
        }
        for i, end in enumerate(ends)
    ]


class CyclicLR(LRScheduler):
    """Lets the learning rate rise and fall between two rates, again and again; a step a batch.

    Args:
        optimizer: Whose learning rates are set.
        base_lr: The least rate, or a list of one a group.
        max_lr: The largest, likewise.
        step_size_up: Steps in which the rate rises.
        step_size_down: Steps in which it falls; None is as many.
        mode: 'triangular', 'triangular2' (half as high each cycle) or 'exp_range' (gamma to the
            power of the step).
        gamma: For 'exp_range'.
        scale_fn: The height of a cycle as a function, instead of mode.
        scale_mode: What scale_fn gets: the number of the 'cycle' or of 'iterations'.
        cycle_momentum: Whether the momentum changes the other way.
        base_momentum: The least momentum, or a list of one a group.
        max_momentum: The largest, likewise.
        last_epoch: Where to go on; -1 starts.

    Raises:
        ValueError: mode is another one, or the optimizer has no momentum to change.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0, momentum=0.9)
        >>> scheduler = gpukit.optim.lr_scheduler.CyclicLR(sgd, 0.5, 1.0, step_size_up=2)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(self, optimizer)
        last_epoch = int_of(type(self).__name__, "last_epoch", last_epoch)
        if mode not in {"triangular", "triangular2", "exp_range"} and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        least = one_a_group("base_lr", optimizer, base_lr)
        self.max_lrs = one_a_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        self.mode = mode
        self.gamma: float = plain(gamma)
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = _is_beta1(optimizer)
            self.base_momentums = one_a_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = one_a_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, least, strict=True):
                group["lr"] = lr
            if cycle_momentum:
                lows, highs = self.base_momentums, self.max_momentums
                _start_momentum(optimizer, lows, highs, self.use_beta1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = least

    def scale_fn(self, x: float) -> float:
        """Return how high the cycle or step x is, of the distance between the rates."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular2":
            return float(1 / (2.0 ** (x - 1)))
        return float(self.gamma**x) if self.mode == "exp_range" else 1.0

    def get_lr(self) -> list[float]:
        """Return the rates of `last_epoch`, and set its momentum."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        up = x <= self.step_ratio
        height = x / self.step_ratio if up else (x - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, bounds, strict=True):
                _set_momentum(group, high - (high - low) * height, self.use_beta1)
        rates = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height for low, high in rates]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer and the function of scale_fn, as torch."""
        state = super().state_dict()
        del state["_scale_fn_custom"]  # the last one, as torch shows it
        return {**state, "_scale_fn_custom": None}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler was saved, with this one's scale_fn."""
        own = self._scale_fn_custom
        super().load_state_dict(state_dict)
        self._scale_fn_custom = own
