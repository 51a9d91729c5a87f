"""Several schedulers of one optimizer: one after another, or all at each step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from gpukit._arguments import plain
from gpukit.optim.lr_scheduler.base import LRScheduler
from gpukit.optim.lr_scheduler.plateau import ReduceLROnPlateau
from gpukit.optim.optimizer import Optimizer

__all__ = ["ChainedScheduler", "SequentialLR"]


class _Several(LRScheduler):
    """What both have in common: their schedulers' states are part of theirs."""

    _schedulers: list[LRScheduler]

    def _take(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        if len(schedulers) < 1:
            raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
        for number, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(
                    f"{name} at index {number} should have `optimizer` as its attribute."
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(  # noqa: TRY004 (torch's)
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{number} in the given schedulers sequence."
                )
            optimizer = optimizer or scheduler.optimizer
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but the one "
                    f"at index {number}, {type(scheduler).__name__}, has another."
                )
        self._schedulers = list(schedulers)
        self.optimizer = self._schedulers[0].optimizer

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimizer, with the states of the schedulers."""
        state = super().state_dict()
        del state["_schedulers"]  # the last one, as torch shows it
        return {**state, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler was saved."""
        own = {name: value for name, value in state_dict.items() if name != "_schedulers"}
        super().load_state_dict(own)
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(_Several):
    """Uses one scheduler after another; each begins at its milestone with its epoch 0.

    Args:
        optimizer: Whose learning rates are set.
        schedulers: The schedulers in order, all of this optimizer.
        milestones: The epochs at which the second and the next begin.
        last_epoch: Where to go on; -1 starts.

    Raises:
        TypeError: One of them is not a scheduler.
        ValueError: There is none, one is of another optimizer or a ReduceLROnPlateau, or there is
            not one milestone fewer.

    Example:
        >>> import gpukit
        >>> from gpukit.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> parts = [ConstantLR(sgd, factor=0.5), ExponentialLR(sgd, gamma=0.25)]
        >>> scheduler = SequentialLR(sgd, parts, milestones=[1])
        >>> for _ in range(2):
        ...     scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        self._take(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        self._milestones = [plain(milestone) for milestone in milestones]
        self.last_epoch = plain(last_epoch) + 1
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        _undo(self)
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._initial_step()  # noqa: SLF001 (of this package)
        self._last_lr = first.get_last_lr()

    def step(self, epoch: int | None = None) -> None:  # noqa: ARG002 (the base's)
        """Go to the next epoch and set its learning rates."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)  # noqa: SLF001 (of this package)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def _undo(scheduler: LRScheduler) -> None:
    """Take back the first step of all schedulers in it: each begins when it is its turn."""
    if isinstance(scheduler, _Several):
        for inner in scheduler._schedulers:  # noqa: SLF001 (of this module)
            _undo(inner)
    else:
        scheduler.last_epoch -= 1


class ChainedScheduler(_Several):
    """Steps several schedulers at each step; each changes the rates that the one before set.

    Args:
        schedulers: The schedulers in order, all of one optimizer.
        optimizer: Their optimizer; None takes it from the first.

    Raises:
        TypeError: One of them is not a scheduler.
        ValueError: There is none, or one is of another optimizer or a ReduceLROnPlateau.

    Example:
        >>> import gpukit
        >>> from gpukit.optim.lr_scheduler import ChainedScheduler, ExponentialLR
        >>> sgd = gpukit.optim.SGD([gpukit.nn.Parameter(gpukit.ones(1))], lr=1.0)
        >>> halves = [ExponentialLR(sgd, gamma=0.5), ExponentialLR(sgd, gamma=0.5)]
        >>> scheduler = ChainedScheduler(halves)
        >>> scheduler.step()
        >>> scheduler.get_last_lr()
        [0.25]
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._take(schedulers, optimizer)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:  # noqa: ARG002 (the base's)
        """Take one step of every scheduler."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]
