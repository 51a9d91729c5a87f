"""Operations with derivatives of the user's own: torch.autograd.Function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from gpukit import _core
from gpukit._core import Tensor
from gpukit.autograd._grad_mode import no_grad
from gpukit.errors import AutogradError

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class _Result(NamedTuple):
    """What is needed to make zeros in the place of a missing gradient."""

    shape: tuple[int, ...]
    dtype: Any
    device: Any


class FunctionCtx:
    """What `forward` leaves for `backward`; attributes of any name can be set.

    Example:
        >>> import gpukit
        >>> class Scale(gpukit.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x, factor):
        ...         ctx.factor = factor
        ...         return x * factor
        ...
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         return gradient * ctx.factor, None
        >>> x = gpukit.ones(2, requires_grad=True)
        >>> Scale.apply(x, 3).sum().backward()
        >>> x.grad
        tensor([3., 3.])
    """

    needs_input_grad: tuple[bool, ...]

    def __init__(self) -> None:
        self.to_save: tuple[Any, ...] = ()
        self.unpacked: tuple[Any, ...] | None = None
        self.dirty_tensors: tuple[Tensor, ...] = ()
        self.non_differentiable: tuple[Tensor, ...] = ()
        self.materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`, which finds them in `saved_tensors`.

        Args:
            tensors: Inputs, outputs or others; None keeps its place. A change of one in place
                before the backward pass is an error then.

        Raises:
            TypeError: Something else is given; keep it as an attribute.
        """
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward: takes tensors and None, got {type(tensor).__name__}. "
                    "Keep it as an attribute: ctx.value = value."
                )
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Accept tensors for forward mode, which gpukit does not have.

        Args:
            tensors: Not kept.
        """

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors of save_for_backward.

        Raises:
            AutogradError: The graph was used and has let go of them.
        """
        if self.unpacked is None:
            raise AutogradError(
                "saved_tensors: the saved tensors are there while backward runs. Call "
                "backward(retain_graph=True) the first time to run it twice."
            )
        return self.unpacked

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Name the inputs that `forward` has changed in place; it must return them.

        Args:
            tensors: Inputs.
        """
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Name the outputs that have no gradient.

        Args:
            tensors: Outputs.
        """
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Choose what `backward` gets for an output whose gradient nobody asked for.

        Args:
            value: True for zeros, False for None.
        """
        self.materialize_grads = bool(value)


class Function:
    """An operation with a derivative of its own: override `forward` and `backward`.

    `forward(ctx, *args)` computes the outputs, or `forward(*args)` with
    `setup_context(ctx, inputs, output)`. `backward(ctx, *gradients)` gets a gradient for each
    output and returns one for each input, None where there is none. Written with operations of
    gpukit, it has derivatives itself (`create_graph=True`). Call it by `apply`.

    Example:
        >>> import gpukit
        >>> class Exp(gpukit.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         result = x.exp()
        ...         ctx.save_for_backward(result)
        ...         return result
        ...
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         (result,) = ctx.saved_tensors
        ...         return gradient * result
        >>> x = gpukit.zeros(1, requires_grad=True)
        >>> Exp.apply(x).backward()
        >>> x.grad
        tensor([1.])
    """

    generate_vmap_rule = False  # vmap works with any Function whose forward it can batch

    def __call__(self, *args: object, **kwargs: object) -> NoReturn:  # noqa: ARG002
        """Raise the error that names `apply`."""
        name = type(self).__name__
        raise AutogradError(f"{name}: call {name}.apply(...); forward and backward are static.")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs.

        Args:
            args: ctx, unless setup_context is overridden, and the arguments of `apply`.
            kwargs: None: `apply` takes no keywords.

        Raises:
            NotImplementedError: It is not overridden.
        """
        raise NotImplementedError("override the static method forward(ctx, *args)")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Leave in ctx what `backward` needs, where `forward` has no ctx.

        Args:
            ctx: A FunctionCtx.
            inputs: The arguments of `apply`.
            output: What forward returned.

        Raises:
            NotImplementedError: It is not overridden.
        """
        raise NotImplementedError("override the static method setup_context(ctx, inputs, output)")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradients of the inputs.

        Args:
            ctx: What forward has left.
            grad_outputs: The gradients of the outputs.

        Raises:
            NotImplementedError: It is not overridden.
        """
        raise NotImplementedError("override the static method backward(ctx, *grad_outputs)")

    vjp = backward

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` and record it, if a gradient is needed.

        Args:
            args: The arguments of forward after ctx. Tensors among them, not those inside of lists,
                get gradients.

        Returns:
            What forward returns.

        Raises:
            AutogradError: An input that was marked dirty is not among the outputs; in the backward
                pass: the number of gradients is not that of the inputs.
        """
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        recorded = _core.is_grad_enabled() and any(ctx.needs_input_grad)
        several = isinstance(output, tuple)
        outputs = list(output) if several else [output]
        _check_dirty(cls.__name__, ctx, outputs)
        if recorded:
            outputs = _recorded(cls, ctx, args, outputs)
        ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = ()
        return tuple(outputs) if several else outputs[0]


def _check_dirty(name: str, ctx: FunctionCtx, outputs: list[Any]) -> None:
    for tensor in ctx.dirty_tensors:
        if not any(tensor is output for output in outputs):
            raise AutogradError(
                f"{name}: forward marks a tensor as dirty that it does not return. Return it."
            )


def _recorded(
    cls: type[Function], ctx: FunctionCtx, args: tuple[Any, ...], outputs: list[Any]
) -> list[Any]:
    """The outputs with a node of the graph."""
    inputs = [a for a in args if isinstance(a, Tensor)]
    places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    name = f"{cls.__name__}Backward"
    made, numbers = [], []
    for i, output in enumerate(outputs):
        if not isinstance(output, Tensor) or not output.is_floating_point():
            continue
        if any(output is fixed for fixed in ctx.non_differentiable):
            outputs[i] = output.detach() if output.requires_grad else output
            continue
        dirty = any(output is tensor for tensor in ctx.dirty_tensors)
        if not dirty and (output.requires_grad or any(output is a for a in inputs)):
            outputs[i] = output.detach()  # an input: the result is another tensor
        made.append(outputs[i])
        numbers.append(i)
    kept = [tensor for tensor in ctx.to_save if tensor is not None]
    missing = [tensor is None for tensor in ctx.to_save]
    results = [_Result(tuple(t.shape), t.dtype, t.device) for t in outputs if isinstance(t, Tensor)]
    all_places = [i for i, t in enumerate(outputs) if isinstance(t, Tensor)]

    count = len(args)  # the arguments themselves would live as long as the node

    def run(saved: list[Tensor], gradients: list[Tensor | None]) -> list[Tensor | None]:
        arrived = dict(zip(numbers, gradients, strict=True))
        full = iter(saved)
        ctx.unpacked = tuple(None if gone else next(full) for gone in missing)
        try:
            given = [
                _filled(arrived.get(i), result, ctx.materialize_grads)
                for i, result in zip(all_places, results, strict=True)
            ]
            found = cls.backward(ctx, *given)
        finally:
            ctx.unpacked = None
        return _for_tensors(name, found, count, places)

    if made:
        _core.record_function(name, made, inputs, kept, run, len(ctx.dirty_tensors) > 0)
    return outputs


def _filled(gradient: Tensor | None, result: _Result, materialize: bool) -> Tensor | None:
    if gradient is not None or not materialize:
        return gradient
    return _core.zeros(result.shape, dtype=result.dtype, device=result.device)


def _for_tensors(name: str, found: Any, count: int, places: Sequence[int]) -> list[Tensor | None]:
    """The gradients of the arguments that are tensors, of those of all arguments."""
    gradients = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(gradients) < count or any(g is not None for g in gradients[count:]):
        raise AutogradError(
            f"{name}: backward returned {len(gradients)} gradients for {count} arguments of "
            "forward. Return one for each, None where there is none."
        )
    for i, gradient in enumerate(gradients[:count]):
        if gradient is not None and not isinstance(gradient, Tensor):
            raise TypeError(
                f"{name}: gradient {i} is of type {type(gradient).__name__}; it must be a tensor "
                "or None."
            )
        if gradient is not None and i not in places:
            raise AutogradError(
                f"{name}: backward returned a gradient for argument {i}, which is no tensor. "
                "Return None there."
            )
    return [gradients[i] for i in places]


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a `backward` that has no derivative itself; differentiating its results is an error.

    Args:
        function: The static method.

    Returns:
        The method, which runs without recording.

    Example:
        >>> import gpukit
        >>> class Double(gpukit.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...
        ...     @staticmethod
        ...     @gpukit.autograd.function.once_differentiable
        ...     def backward(ctx, gradient):
        ...         return gradient * 2
        >>> x = gpukit.ones(1, requires_grad=True)
        >>> Double.apply(x).backward()
        >>> x.grad
        tensor([2.])
    """

    @functools.wraps(function)
    def run(ctx: FunctionCtx, *args: Any) -> Any:
        with no_grad():
            found = function(ctx, *args)
        sources = [a for a in args if isinstance(a, Tensor) and a.requires_grad]
        if not _core.is_grad_enabled() or not sources:
            return found

        def refuse(_saved: list[Tensor], _gradients: list[Tensor | None]) -> NoReturn:
            raise AutogradError(
                "backward(): a function marked once_differentiable was differentiated twice. "
                "Write its backward with operations of gpukit, without the mark."
            )

        several = isinstance(found, (tuple, list))
        parts = list(found) if several else [found]
        for i, part in enumerate(parts):
            if isinstance(part, Tensor) and part.is_floating_point():
                parts[i] = part.detach()
                _core.record_function("OnceBackward", [parts[i]], sources, [], refuse)
        return tuple(parts) if several else parts[0]

    return run
