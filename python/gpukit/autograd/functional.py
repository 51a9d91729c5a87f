"""Jacobians, Hessians and products with them, of functions of tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of
from gpukit._core import Tensor
from gpukit.autograd._grad_mode import enable_grad, set_grad_enabled
from gpukit.errors import ArgumentError, AutogradError, GpukitError

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


class _NoForwardModeError(GpukitError, NotImplementedError):
    """Forward mode was asked for in a form that is not available."""


def jacobian(  # noqa: PLR0917 (torch's order)
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return the derivatives of every element of func's results by every element of its inputs.

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, passed to func one by one.
        create_graph: record the passes, so that the result has gradients.
        strict: raise where a result does not depend on an input, instead of returning zeros.
        vectorize: accepted for compatibility with PyTorch; the passes run one by one.
        strategy: "reverse-mode", or with vectorize "forward-mode"; both compute in reverse.

    Returns:
        For one input and one result a tensor of shape `result.shape + input.shape`; a tuple over
        the inputs, over the results, or a tuple over results of tuples over inputs otherwise.

    Raises:
        TypeError: inputs or a result is not a tensor or a tuple of tensors.
        AutogradError: strict, and a result does not depend on an input.
        NotImplementedError: forward mode without vectorize, or with create_graph.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0])
        >>> gpukit.autograd.functional.jacobian(lambda x: x * x, x)
        tensor([[2., 0.],
                [0., 4.]])
    """
    _check_strategy("jacobian", "strategy", strategy, strict, vectorize, create_graph)
    with enable_grad():
        one_input, given = _tuple_of("jacobian", "inputs", inputs)
        recorded = _recorded(given, create_graph, need_graph=True)
        one_result, results = _tuple_of("jacobian", "the results of func", func(*recorded))
        _check_recorded("jacobian", "result", results, strict)
        rows = tuple(
            _jacobian_of(i, result, recorded, create_graph, strict)
            for i, result in enumerate(results)
        )
    if not create_graph:
        rows = tuple(tuple(part.detach() for part in row) for row in rows)
    parts = tuple(row[0] for row in rows) if one_input else rows
    return parts[0] if one_result else parts


def hessian(  # noqa: PLR0917 (torch's order)
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of func, whose result has one element.

    Args:
        func: a function of tensors that returns a tensor of one element.
        inputs: a tensor or a tuple of tensors, passed to func one by one.
        create_graph: record the passes, so that the result has gradients.
        strict: raise where the result or a derivative does not depend on an input.
        vectorize: accepted for compatibility with PyTorch; the passes run one by one.
        outer_jacobian_strategy: "reverse-mode", or with vectorize "forward-mode".

    Returns:
        For one input a tensor of shape `input.shape + input.shape`; for a tuple of inputs a tuple
        of tuples, where `[i][j]` holds the derivatives by input i and input j.

    Raises:
        TypeError: inputs or the result is not a tensor.
        AutogradError: the result has several elements; or strict, and something does not depend
            on an input.
        NotImplementedError: forward mode without vectorize, or with create_graph.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0])
        >>> gpukit.autograd.functional.hessian(lambda x: (x**3).sum(), x)
        tensor([[ 6.,  0.],
                [ 0., 12.]])
    """
    one_input, given = _tuple_of("hessian", "inputs", inputs)
    _check_strategy(
        "hessian", "outer_jacobian_strategy", outer_jacobian_strategy, strict, vectorize, False
    )

    def scalar(*inputs: Tensor) -> Tensor:
        result = _scalar_of("hessian", func(*inputs), strict)
        return result.reshape([])

    def gradients(*inputs: Tensor) -> tuple[Tensor, ...]:
        first: tuple[Tensor, ...] = jacobian(scalar, inputs, create_graph=True)
        _check_recorded("hessian", "first derivative", first, strict)
        return first

    second = jacobian(
        gradients, given, create_graph, strict, vectorize, strategy=outer_jacobian_strategy
    )
    return second[0][0] if one_input else second


def vjp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return func's results, and the product of `v` with the Jacobian: one backward pass.

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, passed to func one by one.
        v: tensors of the results' shapes; None for a result of one element.
        create_graph: record the pass, so that both have gradients.
        strict: raise where a result does not depend on an input, instead of returning zeros.

    Raises:
        TypeError: inputs, v or a result is not a tensor or a tuple of tensors.
        AutogradError: v does not fit the results, or is missing; strict, and a result does not
            depend on an input.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0])
        >>> gpukit.autograd.functional.vjp(lambda x: x * x, x, gpukit.tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        one_input, given = _tuple_of("vjp", "inputs", inputs)
        recorded = _recorded(given, create_graph, need_graph=True)
        one_result, results = _tuple_of("vjp", "the results of func", func(*recorded))
        _check_recorded("vjp", "result", results, strict)
        vectors = _vectors_of("vjp", v, results, "results", create_graph)
    with _recording(create_graph):
        parts = _gradients(results, recorded, vectors, create_graph)
        product = _filled("vjp", parts, recorded, strict, create_graph)
    return (
        _given_back(results, one_result, create_graph),
        _given_back(product, one_input, create_graph),
    )


def jvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return func's results, and the product of the Jacobian with `v`: two backward passes.

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, passed to func one by one.
        v: tensors of the inputs' shapes; None for an input of one element.
        create_graph: record the passes, so that both have gradients.
        strict: raise where a result does not depend on an input, instead of returning zeros.

    Raises:
        TypeError: inputs, v or a result is not a tensor or a tuple of tensors.
        AutogradError: v does not fit the inputs, or is missing; strict, and a result does not
            depend on an input.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0])
        >>> gpukit.autograd.functional.jvp(lambda x: x * x, x, gpukit.tensor([1.0, 10.0]))
        (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        _, given = _tuple_of("jvp", "inputs", inputs)
        recorded = _recorded(given, create_graph, need_graph=True)
        vectors = _vectors_of("jvp", v, recorded, "inputs", create_graph)
        one_result, results = _tuple_of("jvp", "the results of func", func(*recorded))
        _check_recorded("jvp", "result", results, strict)
        # The product is the derivative of the backward pass by the gradients that it receives.
        received = tuple(_core.zeros_like(result, requires_grad=True) for result in results)
        backward = _gradients(results, recorded, received, create_graph=True)
        _check_recorded("jvp", "gradient", backward, strict)
    with _recording(create_graph):
        parts = _gradients(backward, received, vectors, create_graph)
        product = _filled("jvp", parts, results, strict, create_graph)
    return (
        _given_back(results, one_result, create_graph),
        _given_back(product, one_result, create_graph),
    )


def vhp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return func's result, of one element, and the product of `v` with the Hessian.

    Args:
        func: a function of tensors that returns a tensor of one element.
        inputs: a tensor or a tuple of tensors, passed to func one by one.
        v: tensors of the inputs' shapes; None for an input of one element.
        create_graph: record the passes, so that both have gradients.
        strict: raise where the result or a derivative does not depend on an input.

    Raises:
        TypeError: inputs, v or the result is not a tensor.
        AutogradError: v does not fit the inputs, or is missing; the result has several elements;
            strict, and something does not depend on an input.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0])
        >>> gpukit.autograd.functional.vhp(lambda x: (x**3).sum(), x, gpukit.tensor([1.0, 1.0]))
        (tensor(9.), tensor([ 6., 12.]))
    """
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(
    func: Callable[..., Any],
    inputs: Any,
    v: Any = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """Return func's result, of one element, and the product of the Hessian with `v`.

    It is computed as `vhp`: Hessians are symmetric where second derivatives are continuous.

    Args:
        func: a function of tensors that returns a tensor of one element.
        inputs: a tensor or a tuple of tensors, passed to func one by one.
        v: tensors of the inputs' shapes; None for an input of one element.
        create_graph: record the passes, so that both have gradients.
        strict: raise where the result or a derivative does not depend on an input.

    Raises:
        TypeError: inputs, v or the result is not a tensor.
        AutogradError: v does not fit the inputs, or is missing; the result has several elements;
            strict, and something does not depend on an input.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0])
        >>> gpukit.autograd.functional.hvp(lambda x: (x**3).sum(), x, gpukit.tensor([1.0, 1.0]))
        (tensor(9.), tensor([ 6., 12.]))
    """
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)


def _hessian_product(  # noqa: PLR0917 (the order of its callers)
    function: str, func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    with enable_grad():
        one_input, given = _tuple_of(function, "inputs", inputs)
        recorded = _recorded(given, create_graph, need_graph=True)
        vectors = _vectors_of(function, v, recorded, "inputs", create_graph)
        result = _scalar_of(function, func(*recorded), strict)
        first = _gradients((result,), recorded, None, create_graph=True)
        _check_recorded(function, "first derivative", first, strict)
    with _recording(create_graph):
        parts = _gradients(first, recorded, vectors, create_graph)
        product = _filled(function, parts, recorded, strict, create_graph)
    return (
        _given_back((result,), True, create_graph),
        _given_back(product, one_input, create_graph),
    )


def _jacobian_of(
    i: int, result: Tensor, inputs: Sequence[Tensor], create_graph: bool, strict: bool
) -> tuple[Tensor, ...]:
    """For each input the derivatives of one result, of shape result.shape + input.shape."""
    elements = result.reshape(-1)
    rows = []
    for j in range(elements.numel()):
        parts = _gradients((elements[j],), inputs, None, create_graph, retain_graph=True)
        rows.append(_filled("jacobian", parts, inputs, strict, create_graph, f"result {i}"))
    return tuple(
        _core.stack([row[n] for row in rows]).reshape(list(result.shape) + list(input.shape))
        if rows
        else _core.zeros_like(input).new_zeros(list(result.shape) + list(input.shape))
        for n, input in enumerate(inputs)
    )


def _tuple_of(function: str, name: str, values: Any) -> tuple[bool, tuple[Tensor, ...]]:
    """Whether it is one tensor, and the tensors."""
    alone = not isinstance(values, tuple)
    tensors = (values,) if alone else values
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            where = name if alone else f"element {i} of {name}"
            raise TypeError(
                f"{function}: {where} is of type {type(tensor).__name__}; expected "
                f"{'a tensor or a tuple of tensors' if alone else 'a tensor'}."
            )
    return alone, tensors


def _recorded(inputs: Sequence[Tensor], create_graph: bool, need_graph: bool) -> tuple[Tensor, ...]:
    """New tensors over the same memory: connected to the user's graph, or leaves of their own."""
    return tuple(
        input.view(list(input.shape))
        if create_graph and input.requires_grad
        else input.detach().requires_grad_(need_graph)
        for input in inputs
    )


def _recording(create_graph: bool) -> set_grad_enabled:
    return set_grad_enabled(create_graph or _core.is_grad_enabled())


def _vectors_of(
    function: str, v: Any, like: Sequence[Tensor], name: str, create_graph: bool
) -> tuple[Tensor, ...] | None:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise AutogradError(
                f"{function}: v=None is for {name} of one element in all. Pass v, with the shapes "
                f"of the {name}."
            )
        return None
    _, vectors = _tuple_of(function, "v", v)
    if len(vectors) != len(like):
        raise AutogradError(
            f"{function}: v has {len(vectors)} tensors for {len(like)} {name}. Pass one for each."
        )
    for i, (vector, tensor) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != tensor.shape:
            raise AutogradError(
                f"{function}: element {i} of v has shape {tuple(vector.shape)}, and of the {name} "
                f"{tuple(tensor.shape)}. Reshape v."
            )
    return _recorded(vectors, create_graph, need_graph=False)


def _scalar_of(function: str, result: Any, strict: bool) -> Tensor:
    alone, results = _tuple_of(function, "the result of func", result)
    _check_recorded(function, "result", results, strict)
    if not alone:
        raise AutogradError(
            f"{function}: func returns a tuple of {len(results)} tensors. Return one tensor."
        )
    (scalar,) = results
    if math.prod(scalar.shape) != 1:
        raise AutogradError(
            f"{function}: func returns a tensor of shape {tuple(scalar.shape)}. Return one "
            "element, for example with .sum()."
        )
    return scalar


def _gradients(
    outputs: Sequence[Tensor | None],
    inputs: Sequence[Tensor],
    vectors: Sequence[Tensor] | None,
    create_graph: bool,
    retain_graph: bool | None = None,
) -> tuple[Tensor | None, ...]:
    """Gradients of the outputs that have a graph; None where an input is not used."""
    weights = vectors if vectors is not None else [None] * len(outputs)
    pairs = [
        (output, weight)
        for output, weight in zip(outputs, weights, strict=True)
        if output is not None and output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    return tuple(
        _core.autograd_grad(
            [output for output, _ in pairs],
            list(inputs),
            [weight for _, weight in pairs],
            retain_graph,
            create_graph,
            True,
        )
    )


def _filled(  # noqa: PLR0917 (private)
    function: str,
    gradients: Sequence[Tensor | None],
    like: Sequence[Tensor],
    strict: bool,
    create_graph: bool,
    result: str = "the result",
) -> tuple[Tensor, ...]:
    """Zeros where nothing is used; strict refuses that."""
    for i, gradient in enumerate(gradients):
        if strict and gradient is None:
            raise AutogradError(
                f"{function}: strict=True, and {result} does not depend on tensor {i}. Leave out "
                "strict, which gives zeros."
            )
        if strict and create_graph and gradient is not None and not gradient.requires_grad:
            raise AutogradError(
                f"{function}: strict=True and create_graph=True, and the derivative of {result} "
                f"by tensor {i} is constant. Leave out strict."
            )
    return tuple(
        _core.zeros_like(tensor) if gradient is None else gradient
        for gradient, tensor in zip(gradients, like, strict=True)
    )


def _given_back(tensors: Sequence[Tensor], alone: bool, create_graph: bool) -> Any:
    parts = tuple(tensors) if create_graph else tuple(tensor.detach() for tensor in tensors)
    return parts[0] if alone else parts


def _check_recorded(
    function: str, what: str, tensors: Sequence[Tensor | None], strict: bool
) -> None:
    for i, tensor in enumerate(tensors):
        if strict and (tensor is None or not tensor.requires_grad):
            raise AutogradError(
                f"{function}: strict=True, and {what} {i} does not depend on the inputs. Leave "
                "out strict, which gives zeros."
            )


def _check_strategy(  # noqa: PLR0917 (private)
    function: str, name: str, strategy: str, strict: bool, vectorize: bool, create_graph: bool
) -> None:
    strict = bool_of(function, "strict", strict)
    vectorize = bool_of(function, "vectorize", vectorize)
    if strategy not in {"reverse-mode", "forward-mode"}:
        raise ArgumentError(
            f'{function}: {name}={strategy!r}; expected "reverse-mode" or "forward-mode".'
        )
    if strict and vectorize:
        raise AutogradError(
            f"{function}: strict=True and vectorize=True do not go together. Leave out vectorize."
        )
    if strategy == "forward-mode" and (create_graph or not vectorize):
        raise _NoForwardModeError(
            f'{function}: {name}="forward-mode" needs vectorize=True and create_graph=False. Use '
            '"reverse-mode".'
        )
