"""Gradients by reverse mode: what stands beside `tensor.backward()`."""

from __future__ import annotations

from collections.abc import Sequence

from gpukit import _core
from gpukit._core import Tensor
from gpukit._suggest import module_getattr
from gpukit.autograd._check import gradcheck, gradgradcheck
from gpukit.autograd._grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = [
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    allow_unused: bool = False,
) -> tuple[Tensor, ...]:
    """Return the gradients of `outputs` with respect to `inputs`; no `.grad` changes.

    Args:
        outputs: tensors of one element, or of any shape where `grad_outputs` has a gradient.
        inputs: leaves or results on the way to the outputs.
        grad_outputs: gradients of the outputs, of their shapes, dtypes and devices.
        retain_graph: keep the graph for another call; None is create_graph.
        create_graph: record the pass, so that the gradients have gradients.
        allow_unused: give None for an input that no output depends on, instead of an error.

    Raises:
        AutogradError: an output has no graph, or several elements and no gradient; an input is
            not used; the graph was used before.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0], requires_grad=True)
        >>> gpukit.autograd.grad((x * x).sum(), x)
        (tensor([2., 4.]),)
        >>> (slope,) = gpukit.autograd.grad((x * x * x).sum(), x, create_graph=True)
        >>> gpukit.autograd.grad(slope.sum(), x)
        (tensor([ 6., 12.]),)
    """
    if isinstance(grad_outputs, Tensor):
        grad_outputs = [grad_outputs]
    return _core.autograd_grad(
        _listed(outputs),
        _listed(inputs),
        grad_outputs,
        retain_graph,
        create_graph,
        allow_unused,
    )


def _listed(tensors: Tensor | Sequence[Tensor]) -> Sequence[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else tensors


__getattr__ = module_getattr(__name__)
