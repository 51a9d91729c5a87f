"""Averages of a model's parameters over its training."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.autograd import no_grad
from gpukit.errors import ArgumentError
from gpukit.nn.batchnorm import _BatchNorm
from gpukit.nn.module import Module
from gpukit.optim.lr_scheduler.base import LRScheduler, check_optimizer, one_a_group
from gpukit.optim.optimizer import Optimizer

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

_Average = Callable[[Tensor, Tensor, Any], Any]
_Averages = Callable[[list[Tensor], list[Tensor], Any], Any]


def get_ema_avg_fn(decay: float = 0.999) -> _Average:
    """Return the update of an exponential average, for AveragedModel.

    Args:
        decay: Share of the average that is kept at each update.

    Raises:
        ValueError: decay is outside 0 to 1.

    Example:
        >>> import gpukit
        >>> average = gpukit.optim.swa_utils.get_ema_avg_fn(0.5)
        >>> average(gpukit.zeros(1), gpukit.ones(1), 1)
        tensor([0.5000])
    """
    if not 0 <= decay <= 1:
        raise ArgumentError(f"get_ema_avg_fn: decay must be from 0 to 1, got {decay}")

    def update(kept: Tensor, current: Tensor, _: Any) -> Tensor:
        average: Tensor = decay * kept + (1 - decay) * current
        return average

    return update


def get_swa_avg_fn() -> _Average:
    """Return the update of the mean of all, which AveragedModel takes by itself.

    Example:
        >>> import gpukit
        >>> average = gpukit.optim.swa_utils.get_swa_avg_fn()
        >>> average(gpukit.zeros(1), gpukit.ones(1), 3)
        tensor([0.2500])
    """
    return _mean


def _of_lists(update: _Average) -> _Averages:
    def updates(kept: list[Tensor], current: list[Tensor], count: Any) -> None:
        with no_grad():
            for average, value in zip(kept, current, strict=True):
                at = count.to(average.device) if isinstance(count, Tensor) else count
                average.copy_(update(average, value, at))

    return updates


def get_ema_multi_avg_fn(decay: float = 0.999) -> _Averages:
    """Return the update of an exponential average of lists of tensors, in place.

    Args:
        decay: Share of the average that is kept at each update.

    Raises:
        ValueError: decay is outside 0 to 1.

    Example:
        >>> import gpukit
        >>> kept = [gpukit.zeros(1)]
        >>> gpukit.optim.swa_utils.get_ema_multi_avg_fn(0.5)(kept, [gpukit.ones(1)], 1)
        >>> kept
        [tensor([0.5000])]
    """
    return _of_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> _Averages:
    """Return the update of the means of lists of tensors, in place.

    Example:
        >>> import gpukit
        >>> kept = [gpukit.zeros(1)]
        >>> gpukit.optim.swa_utils.get_swa_multi_avg_fn()(kept, [gpukit.ones(1)], 1)
        >>> kept
        [tensor([0.5000])]
    """
    return _of_lists(_mean)


def _mean(kept: Tensor, current: Tensor, count: Any) -> Tensor:
    mean: Tensor = kept + (current - kept) / (count + 1)
    return mean


class AveragedModel(Module):
    """A copy of a model whose parameters are averages over the calls of update_parameters.

    Args:
        model: The model; it is copied.
        device: Where the copy lies; None means where the model does.
        avg_fn: `f(average, parameter, number of averages)` gives the new average; None means
            the mean of all.
        multi_avg_fn: `f(averages, parameters, number of averages)` changes a list of averages in
            place; in the place of avg_fn.
        use_buffers: Average the buffers too; False copies the model's.

    Raises:
        ValueError: Both functions are given.

    Example:
        >>> import gpukit
        >>> model = gpukit.nn.Linear(1, 1)
        >>> averaged = gpukit.optim.swa_utils.AveragedModel(model)
        >>> averaged.update_parameters(model)
        >>> averaged.n_averaged
        tensor(1)
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: _Average | None = None,
        multi_avg_fn: _Averages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ArgumentError("AveragedModel: only one of avg_fn and multi_avg_fn may be given")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", _core.tensor(0, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the averaged model gives."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's parameters into the averages; the first call copies them.

        Args:
            model: A model with the same parameters.
        """
        update = self.multi_avg_fn or _of_lists(self.avg_fn or _mean)
        first = self.n_averaged.item() == 0
        kept, current = [], []
        with no_grad():
            for own, other in zip(self._all(self.module), self._all(model), strict=True):
                value = other.detach().to(own.device)
                if first or not own.is_floating_point():
                    own.detach().copy_(value)
                else:
                    kept.append(own.detach())
                    current.append(value)
            if kept:
                update(kept, current, self.n_averaged)
            if not self.use_buffers:
                for own, other in zip(self.module.buffers(), model.buffers(), strict=True):
                    own.detach().copy_(other.detach())
        self.n_averaged += 1

    def _all(self, model: Module) -> Iterable[Tensor]:
        buffers = model.buffers() if self.use_buffers else []
        return [*model.parameters(), *buffers]


class SWALR(LRScheduler):
    """Learning rates that go to the rate of the averaging, and stay there.

    Args:
        optimizer: An optimizer.
        swa_lr: The last learning rate, one for all groups or one a group.
        anneal_epochs: How many epochs it takes.
        anneal_strategy: "cos" or "linear".
        last_epoch: -1 for a new start.

    Raises:
        ValueError: Another strategy, or negative epochs.

    Example:
        >>> import gpukit
        >>> sgd = gpukit.optim.SGD([gpukit.ones(1, requires_grad=True)], lr=0.3)
        >>> rates = gpukit.optim.swa_utils.SWALR(sgd, 0.1, anneal_epochs=1)
        >>> rates.step()
        >>> rates.get_last_lr()
        [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(self, optimizer)
        rates = one_a_group("swa_lr", optimizer, swa_lr)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in {"cos", "linear"}:
            raise ArgumentError(
                "SWALR: anneal_strategy must be one of 'cos' or 'linear', instead got "
                f"{anneal_strategy}"
            )
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = int_from("SWALR", "anneal_epochs", anneal_epochs, 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one a group, from those before."""
        step = max(1, self.last_epoch) if self.anneal_epochs == 0 else self.last_epoch
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            last = group["swa_lr"]
            begin = last if before == 1 else (group["lr"] - before * last) / (1 - before)
            rates.append(last * now + begin * (1 - now))
        return rates

    def _share(self, step: int) -> float:
        part = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * part)) / 2 if self._anneal_strategy == "cos" else part


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the statistics of batch normalisation again, as means over all batches.

    Args:
        loader: Batches; of tuples and lists the first item is the model's input.
        model: A model, such as one of averages.
        device: Where to move the batches; None leaves them.

    Example:
        >>> import gpukit
        >>> model = gpukit.nn.BatchNorm1d(1)
        >>> gpukit.optim.swa_utils.update_bn([gpukit.tensor([[1.0], [3.0]])], model)
        >>> model.running_mean
        tensor([2.])
    """
    norms = [part for part in model.modules() if isinstance(part, _BatchNorm)]
    if not norms:
        return
    momenta = [part.momentum for part in norms]
    training = model.training
    model.train()
    try:
        for part in norms:
            part.reset_running_stats()
            part.momentum = None
        with no_grad():
            for batch in loader:
                first = batch[0] if isinstance(batch, (list, tuple)) else batch
                model(first if device is None else first.to(device))
    finally:
        for part, momentum in zip(norms, momenta, strict=True):
            part.momentum = momentum
        model.train(training)


__getattr__ = module_getattr(__name__)
