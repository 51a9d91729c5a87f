"""Reverse-mode gradients: everything besides `tensor.backward()`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from gpukit import _core
from gpukit._arguments import bool_of, tensors_of
from gpukit._core import Tensor
from gpukit._names.suggest import no_attribute
from gpukit.autograd import function, functional
from gpukit.autograd._anomaly import detect_anomaly, set_detect_anomaly
from gpukit.autograd._check import gradcheck, gradgradcheck
from gpukit.autograd._grad_mode import (
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from gpukit.autograd.function import Function
from gpukit.errors import ArgumentError, AutogradError

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_Edge: TypeAlias = tuple[_core.GraphNode, int]  # a GradientEdge
_Tensors: TypeAlias = Tensor | _Edge | Iterable[Tensor | _Edge]


def grad(  # noqa: PLR0917 (torch's order)
    outputs: _Tensors,
    inputs: _Tensors,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]:
    """Return the gradients of `outputs` with respect to `inputs`; no `.grad` changes.

    Args:
        outputs: tensors of one element, or of any shape where `grad_outputs` has a gradient.
        inputs: leaves or results on the way to the outputs, also as `model.parameters()`. Both may
            be gradient edges (`autograd.graph.get_gradient_edge`).
        grad_outputs: gradients of the outputs, of their shapes, dtypes and devices.
        retain_graph: keep the graph for another call; None means the value of create_graph.
        create_graph: record the pass, so that the gradients have gradients.
        only_inputs: accepted for compatibility with PyTorch; must be True.
        allow_unused: return None for an input that no output depends on, instead of raising.
        is_grads_batched: `grad_outputs` have a first dimension of gradients; so has the result.
        materialize_grads: return zeros for an input that no output depends on.

    Raises:
        ValueError: only_inputs is False, materialize_grads is True and allow_unused False or an
            input a gradient edge, or batched gradients are none or not equally many.
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
    only_inputs = bool_of("grad", "only_inputs", only_inputs)
    materialize_grads = bool_of("grad", "materialize_grads", materialize_grads)
    if not only_inputs:
        raise ArgumentError(
            "grad: only_inputs=False would add to every leaf's .grad. Use outputs.backward()."
        )
    batched = bool_of("grad", "is_grads_batched", is_grads_batched)
    if materialize_grads and allow_unused is not None and not allow_unused:
        raise ArgumentError(
            "grad: materialize_grads=True returns zeros for unused inputs, and allow_unused=False "
            "refuses them. Leave out one of the two."
        )
    if isinstance(grad_outputs, Tensor):
        grad_outputs = [grad_outputs]
    ends, starts = _listed(inputs), _listed(outputs)
    if materialize_grads and any(map(_is_edge, ends)):
        raise ArgumentError(
            "grad: materialize_grads=True needs tensors for inputs, to make zeros like them, got a "
            "GradientEdge. Use allow_unused=True"
        )
    unused = materialize_grads if allow_unused is None else allow_unused
    if batched:
        gradients = _batched(starts, ends, grad_outputs, retain_graph, create_graph, unused)
    else:
        gradients = _core.autograd_grad(
            starts, ends, grad_outputs, retain_graph, create_graph, unused
        )
    return _materialized(gradients, ends, create_graph) if materialize_grads else gradients


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | _Edge | Sequence[Tensor | _Edge] | None = None,
) -> None:
    """Add the gradients of several tensors to the `.grad` of the leaves, in one pass.

    Args:
        tensors: One tensor or several, on one device.
        grad_tensors: Their gradients, of their shapes; None for those of one element.
        retain_graph: Keep the graph for another pass; None means the value of create_graph.
        create_graph: Record the pass, so that the gradients have gradients.
        inputs: Only these leaves receive gradients, or results, which keep them; also gradient
            edges. None is all leaves.

    Raises:
        ValueError: grad_tensors has another length.
        AutogradError: A tensor has no graph, or several elements and no gradient.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0], requires_grad=True)
        >>> gpukit.autograd.backward([x.sum(), (x * x).sum()])
        >>> x.grad
        tensor([3., 5.])
    """
    roots = tensors_of("backward", _listed(tensors))
    given = [grad_tensors] if isinstance(grad_tensors, Tensor) else grad_tensors
    gradients = [None] * len(roots) if given is None else list(given)
    if len(gradients) != len(roots):
        raise ArgumentError(
            f"backward: there are {len(roots)} tensors and {len(gradients)} grad_tensors"
        )
    if len(roots) == 1:
        roots[0].backward(gradients[0], retain_graph, create_graph, inputs)
        return
    total: Tensor | int = 0
    for number, (root, gradient) in enumerate(zip(roots, gradients, strict=True)):
        if not root.requires_grad:
            raise AutogradError(f"backward: tensors[{number}] is part of no graph")
        if gradient is None and root.numel() != 1:
            raise AutogradError(
                f"backward: tensors[{number}] has {root.numel()} elements; give its gradient in "
                "grad_tensors, or sum it first"
            )
        total = total + (root if gradient is None else root * gradient).sum()
    if isinstance(total, Tensor):
        total.backward(None, retain_graph, create_graph, inputs)


class _VariableType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        """Whether it is a tensor: tensors record by themselves."""
        return isinstance(instance, Tensor)

    def __call__(cls, data: Tensor, requires_grad: bool = False, volatile: object = None) -> Tensor:
        """Return the tensor, over the same memory."""
        if volatile:
            text = "Variable: volatile has no effect; use `with gpukit.no_grad():`"
            warnings.warn(text, stacklevel=2)
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable: data must be a Tensor, got {type(data).__name__}")
        plain = data.detach()
        return plain.requires_grad_() if requires_grad else plain


class Variable(metaclass=_VariableType):
    """torch's older way to a tensor that records: `gpukit.tensor(data, requires_grad=True)`.

    Example:
        >>> import gpukit
        >>> gpukit.autograd.Variable(gpukit.ones(1), requires_grad=True)
        tensor([1.], requires_grad=True)
    """


def _batched(  # noqa: PLR0917
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    gradients: Any,
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool,
) -> tuple[Any, ...]:
    """One pass for each of the batched gradients."""
    given = list(gradients or ())
    sizes = {len(each) for each in given if isinstance(each, Tensor) and each.ndim}
    if len(sizes) != 1 or not min(sizes):
        raise ArgumentError(
            "grad: with is_grads_batched=True each of grad_outputs has a first dimension of "
            f"gradients, of one size; got {[getattr(each, 'shape', each) for each in given]}"
        )
    count = sizes.pop()
    keep = create_graph if retain_graph is None else retain_graph
    passes = [
        _core.autograd_grad(
            outputs,
            inputs,
            [None if each is None else each[number] for each in given],
            keep or number + 1 < count,
            create_graph,
            allow_unused,
        )
        for number in range(count)
    ]
    return tuple(
        None if each[0] is None else _core.stack(each) for each in zip(*passes, strict=True)
    )


def _materialized(
    gradients: tuple[Tensor | None, ...], inputs: Sequence[Tensor], recorded: bool
) -> tuple[Tensor, ...]:
    return tuple(
        _core.zeros_like(input, requires_grad=recorded) if gradient is None else gradient
        for gradient, input in zip(gradients, inputs, strict=True)
    )


def _is_edge(value: object) -> bool:
    """Whether it is a GradientEdge, which is a tuple too; its module is not loaded for that."""
    return isinstance(value, tuple) and hasattr(value, "output_nr")


def _listed(tensors: Any) -> Sequence[Any]:
    """A sequence; model.parameters() is an iterator. The core refuses anything else."""
    if isinstance(tensors, Tensor) or _is_edge(tensors):
        return [tensors]
    if isinstance(tensors, Sequence) or not isinstance(tensors, Iterable):
        return tensors
    return list(tensors)


def __getattr__(name: str) -> object:
    if name in {"forward_ad", "graph", "profiler"}:  # loaded when it is first named
        return import_module(f"gpukit.autograd.{name}")
    return no_attribute(__name__, name)
