"""Averages of a model's parameters over its training."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from gpukit import _core
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.autograd import no_grad
from gpukit.errors import ArgumentError
from gpukit.nn.module import Module

__all__ = ["AveragedModel", "get_ema_avg_fn"]

_Average = Callable[[Tensor, Tensor, Any], Any]


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
        multi_avg_fn: Must be None: each parameter is averaged by itself.
        use_buffers: Average the buffers too, in place of copying nothing.

    Raises:
        ValueError: multi_avg_fn is given.

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
        multi_avg_fn: Any = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if multi_avg_fn is not None:
            raise ArgumentError("AveragedModel: multi_avg_fn is not supported. Use avg_fn")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", _core.tensor(0, device=device))
        self.avg_fn = avg_fn or _mean
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the averaged model gives."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's parameters into the averages; the first call copies them.

        Args:
            model: A model with the same parameters.
        """
        first = int(self.n_averaged.item()) == 0
        with no_grad():
            for kept, current in zip(self._all(self.module), self._all(model), strict=True):
                value = current.detach().to(kept.device)
                if not first and kept.is_floating_point():
                    value = self.avg_fn(kept.detach(), value, self.n_averaged.to(kept.device))
                kept.detach().copy_(value)
        self.n_averaged += 1

    def _all(self, model: Module) -> Iterable[Tensor]:
        buffers = model.buffers() if self.use_buffers else []
        return [*model.parameters(), *buffers]


__getattr__ = module_getattr(__name__)
