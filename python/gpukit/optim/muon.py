"""Muon: steps along the nearest orthogonal matrix to the mean of gradients."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import int_of
from gpukit._core import Tensor
from gpukit.autograd import no_grad
from gpukit.errors import ShapeError
from gpukit.optim._composed import gradients, refuse_complex
from gpukit.optim.optimizer import Optimizer

__all__ = ["Muon"]

_RATES = (None, "original", "match_rms_adamw")
_MOST_STEPS = 100


class Muon(Optimizer):
    """Momentum whose steps are made orthogonal by Newton and Schulz's iteration (Jordan, 2024).

    For the matrices of hidden layers; give biases, embeddings and the last layer to AdamW.

    Args:
        params: Matrices, or dicts of `params` and their own settings.
        lr: Learning rate.
        weight_decay: The parameters shrink by this times lr.
        momentum: What is kept of the mean of gradients.
        nesterov: Look ahead by the newest gradient.
        ns_coefficients: The three coefficients of the iteration's polynomial.
        eps: The smallest norm that a mean is divided by.
        ns_steps: Iterations; fewer than 100.
        adjust_lr_fn: How lr follows the sizes: 'original' (None too) or 'match_rms_adamw'.

    Raises:
        ValueError: A setting out of range, a parameter that is no matrix, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.zeros(2, 2))
        >>> p.grad = gpukit.tensor([[3.0, 0.0], [0.0, 4.0]])
        >>> gpukit.optim.Muon([p], lr=1.0).step()
        >>> (p.detach().diagonal() + 1).abs().max() < 0.4  # about the unit matrix
        tensor(True)
    """

    _state_names = ("momentum_buffer",)

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": int_of("Muon", "ns_steps", ns_steps),
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr", "momentum", "weight_decay")
        if group["adjust_lr_fn"] not in _RATES:
            raise ValueError(
                "Muon: adjust_lr_fn must be 'original', 'match_rms_adamw' or None, got "
                f"{group['adjust_lr_fn']!r}"
            )
        if len(group["ns_coefficients"]) != 3:
            raise ValueError(
                f"Muon: ns_coefficients must be three numbers, got {group['ns_coefficients']!r:.80}"
            )
        if not group["ns_steps"] < _MOST_STEPS:
            raise ValueError(f"Muon: ns_steps must be below {_MOST_STEPS}, got {group['ns_steps']}")
        for i, param in enumerate(group["params"]):
            if param.ndim != 2:
                raise ShapeError(
                    f"Muon: parameter {i} is {tuple(param.shape)}; it must be a matrix. Give "
                    "others to another optimizer, such as AdamW"
                )
        refuse_complex("Muon", group["params"])

    def _step_group(self, group: dict[str, Any], lists: tuple[list[Any], ...]) -> bool:
        (means,) = lists
        lr, momentum = float(group["lr"]), group["momentum"]
        decoupled = {**group, "decoupled_weight_decay": True}
        with no_grad():
            for i, param, gradient in gradients("Muon", decoupled, lists):
                if means[i] is None:
                    means[i] = _core.zeros_like(param)
                means[i].lerp_(gradient, 1 - momentum)
                ahead = gradient.lerp(means[i], momentum) if group["nesterov"] else means[i]
                step = _orthogonal(ahead, group["ns_coefficients"], group["ns_steps"], group["eps"])
                param.mul_(1 - lr * group["weight_decay"])
                rate = _rate(lr, group["adjust_lr_fn"], *param.shape)
                param.sub_(step.to(param.dtype), alpha=rate)
        return True


def _orthogonal(
    matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> Tensor:
    """About U Vᵀ of the singular vectors: singular values end near 1, most from 0.5 to 1.5."""
    a, b, c = coefficients
    high = matrix.shape[0] > matrix.shape[1]
    x = matrix.bfloat16().T if high else matrix.bfloat16()
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.T
        x = _core.addmm(x, _core.addmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if high else x


def _rate(lr: float, kind: str | None, height: int, width: int) -> float:
    """The learning rate of a matrix of that size."""
    if kind == "match_rms_adamw":
        return lr * 0.2 * math.sqrt(max(height, width))
    return lr * math.sqrt(max(1, height / max(1, width)))
