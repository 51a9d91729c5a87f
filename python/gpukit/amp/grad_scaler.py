"""GradScaler: gradients of half types are kept above underflow by a factor in the loss."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from, number_of
from gpukit._core import Tensor
from gpukit._device import num_gpus
from gpukit.errors import ArgumentError, GpukitError, GpukitWarning

__all__ = ["GradScaler"]

_READY, _UNSCALED, _STEPPED = "ready", "unscaled", "stepped"


class GradScaler:
    """Scales a loss, so that small gradients of half types do not become 0, and steps optimizers.

    A step whose gradients have an infinity or NaN is skipped, and the factor becomes smaller; after
    a number of good steps it grows.

    Args:
        device: 'cuda' or 'cpu'. Without a GPU 'cuda' switches the scaler off, with a warning.
        init_scale: Where the factor starts.
        growth_factor: What it is multiplied by after `growth_interval` good steps; above 1.
        backoff_factor: What it is multiplied by after a skipped step; below 1.
        growth_interval: Number of good steps.
        enabled: False makes every method do what it would do without a scaler.

    Raises:
        ValueError: growth_factor is not above 1, or backoff_factor not below 1.

    Example:
        >>> import gpukit
        >>> w = gpukit.ones(1, requires_grad=True)
        >>> optimizer = gpukit.optim.SGD([w], lr=0.5)
        >>> scaler = gpukit.amp.GradScaler("cpu")
        >>> scaler.scale((w * w).sum()).backward()
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> w.detach()
        tensor([0.])
    """

    def __init__(  # noqa: PLR0917 (torch's order)
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._enabled = bool(enabled)
        if self._enabled and device == "cuda" and num_gpus() == 0:
            warnings.warn(
                "GradScaler: there is no GPU, so it is off. Use GradScaler('cpu') for the CPU.",
                GpukitWarning,
                stacklevel=2,
            )
            self._enabled = False
        self._scale = number_of("GradScaler", "init_scale", init_scale)
        self.set_growth_factor(growth_factor)
        self.set_backoff_factor(backoff_factor)
        self.set_growth_interval(growth_interval)
        self._good_steps = 0
        self._stages: dict[int, tuple[str, bool]] = {}  # of each optimizer, and what was found

    def is_enabled(self) -> bool:
        """Return whether it scales."""
        return self._enabled

    def get_scale(self) -> float:
        """Return the factor; 1 where it is off."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Return what the factor is multiplied by to grow."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by to grow.

        Args:
            new_factor: Above 1.
        """
        factor = number_of("GradScaler", "growth_factor", new_factor)
        if self._enabled and factor <= 1:
            raise ArgumentError(f"GradScaler: growth_factor must be above 1, got {factor}")
        self._growth_factor = factor

    def get_backoff_factor(self) -> float:
        """Return what the factor is multiplied by after a skipped step."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set what the factor is multiplied by after a skipped step.

        Args:
            new_factor: Below 1.
        """
        factor = number_of("GradScaler", "backoff_factor", new_factor)
        if self._enabled and factor >= 1:
            raise ArgumentError(f"GradScaler: backoff_factor must be below 1, got {factor}")
        self._backoff_factor = factor

    def get_growth_interval(self) -> int:
        """Return the number of good steps before the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of good steps before the factor grows.

        Args:
            new_interval: 1 or more.
        """
        self._growth_interval = int_from("GradScaler", "growth_interval", new_interval, 1)

    def scale(self, outputs: Any) -> Any:
        """Return a loss, or a list or tuple of them, times the factor.

        Args:
            outputs: Tensors.

        Raises:
            ValueError: Something else is given.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable) and not isinstance(outputs, (str, bytes, dict)):
            scaled = [self.scale(output) for output in outputs]
            return tuple(scaled) if isinstance(outputs, tuple) else scaled
        raise ArgumentError(
            f"scale: outputs must be a tensor or a list of them, got {type(outputs).__name__}"
        )

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimizer's parameters by the factor, to look at or clip them.

        Args:
            optimizer: Its parameters have gradients of scaled losses. `step` does this otherwise.

        Raises:
            RuntimeError: It was called before since the last update().
            ValueError: A gradient is float16; parameters must be float32.
        """
        if not self._enabled:
            return
        stage, _ = self._stages.get(id(optimizer), (_READY, False))
        if stage == _UNSCALED:
            raise GpukitError(
                "unscale_: it was called for this optimizer since the last update(). Call it once."
            )
        if stage == _STEPPED:
            raise GpukitError("unscale_: it is called after step(). Call update() before it.")
        self._stages[id(optimizer)] = (_UNSCALED, self._unscale(optimizer))

    def _unscale(self, optimizer: Any) -> bool:
        """Whether a gradient has an infinity or NaN."""
        factor = 1.0 / self._scale
        bad: dict[Any, Tensor] = {}
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        for gradient in [p.grad.detach() for p in parameters if p.grad is not None]:
            if gradient.dtype == _core.float16:
                raise ArgumentError(
                    "unscale_: a gradient is float16, in which it may have become 0 or infinite. "
                    "Keep the parameters in float32."
                )
            gradient.mul_(factor)
            found = (~gradient.isfinite()).any()
            before = bad.get(gradient.device)
            bad[gradient.device] = found if before is None else before | found
        return any(bool(found.item()) for found in bad.values())

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Call optimizer.step() unless a gradient has an infinity or NaN; waits for that.

        Args:
            optimizer: Unscales its gradients first, unless unscale_ was called.
            args: Arguments of optimizer.step.
            kwargs: Its keyword arguments, but no closure.

        Returns:
            What optimizer.step() returns; None if it was skipped.

        Raises:
            RuntimeError: A closure is given, or step() was called since the last update().
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise GpukitError("step: optimizers with a closure are not supported by GradScaler.")
        stage, found = self._stages.get(id(optimizer), (_READY, False))
        if stage == _STEPPED:
            raise GpukitError("step: it was called since the last update(). Call update() first.")
        if stage == _READY:
            found = self._unscale(optimizer)
        self._stages[id(optimizer)] = (_STEPPED, found)
        return None if found else optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Make the factor smaller after a skipped step, larger after enough good ones.

        Args:
            new_scale: Set it to this instead.

        Raises:
            AssertionError: No step() or unscale_() was called since the last update().
        """
        if not self._enabled:
            return
        if new_scale is not None:
            value = new_scale.item() if isinstance(new_scale, Tensor) else new_scale
            self._scale = number_of("update", "new_scale", value)
        else:
            if not self._stages:
                raise _NothingFoundError("update: call step() or unscale_() of an optimizer first.")
            if any(found for _, found in self._stages.values()):
                self._scale *= self._backoff_factor
                self._good_steps = 0
            else:
                self._good_steps += 1
                if self._good_steps == self._growth_interval:
                    self._scale *= self._growth_factor
                    self._good_steps = 0
        self._stages = {}

    def state_dict(self) -> dict[str, Any]:
        """Return the factor and its settings; empty where it is off."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._good_steps,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what state_dict() returned, torch's too.

        Args:
            state_dict: The saved state.

        Raises:
            RuntimeError: It is empty: the scaler that made it was off.
        """
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise GpukitError(
                "load_state_dict: the state is empty; it is of a scaler that was off. Use "
                "enabled=False here, or leave the state out."
            )
        self._scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._good_steps = state_dict["_growth_tracker"]


class _NothingFoundError(GpukitError, AssertionError):
    """torch raises AssertionError."""
