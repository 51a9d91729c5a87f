"""Tangents carried through operations: torch's dual tensors, from the recorded graph.

A dual tensor records what is done with it, and `unpack_dual` multiplies the recorded derivative by
the tangent: it differentiates the backward pass by the gradient that goes in (J. Townsend, "A new
trick for calculating Jacobian vector products", 2017). So operations need no formulas beyond those
of second derivatives, and a dual tensor says `requires_grad=True`, where torch's does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from gpukit import _core
from gpukit._core import Tensor
from gpukit._names.suggest import module_getattr
from gpukit.autograd._grad_mode import enable_grad
from gpukit.autograd.function import Function
from gpukit.errors import AutogradError, DTypeError, ShapeError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

# Results of these have no tangent in torch either.
_WITHOUT_TANGENT = {"detach", "data", "grad", "requires_grad_"}


class _Unpacked(NamedTuple):
    primal: Tensor
    tangent: Tensor | None


class UnpackedDualTensor(_Unpacked):
    """What `unpack_dual` returns, a named tuple.

    Args:
        primal: The tensor without its tangent.
        tangent: The tangent, or None where there is none.

    Example:
        >>> import gpukit
        >>> from gpukit.autograd import forward_ad
        >>> forward_ad.unpack_dual(gpukit.ones(1))
        UnpackedDualTensor(primal=tensor([1.]), tangent=None)
    """

    __slots__ = ()

    def __new__(cls, primal: Tensor, tangent: Tensor | None) -> Self:
        """Make a pair of both."""
        return super().__new__(cls, primal, tangent)


class _Dual(NamedTuple):
    tensor: Tensor
    tangent: Tensor
    node: Any  # where gradients of the tensor arrive
    own: bool  # made from a tensor that records nothing


class _Level:
    """The dual tensors of the level that is open, and the observer that guards them."""

    def __init__(self) -> None:
        self.duals: list[_Dual] = []
        self.observation: Any = None
        self.paused = False

    def add(self, dual: _Dual) -> None:
        if self.observation is None:
            self.observation = _core.observe(_Guard(self), all_threads=True)
        self.duals.append(dual)

    def close(self) -> None:
        if self.observation is not None:
            self.observation.stop()
        for dual in self.duals:
            if dual.own:
                dual.tensor.requires_grad_(False)

    def of(self, tensor: Tensor) -> _Dual | None:
        return next((dual for dual in self.duals if dual.tensor is tensor), None)

    def reached(self, node: Any) -> bool:
        """Whether a node depends on a dual tensor."""
        own = {dual.node for dual in self.duals}
        return any(each in own for each in _nodes_under(node))


_levels: list[_Level] = []


class _Guard:
    """Refuses operations whose results would lose their tangents silently."""

    def __init__(self, level: _Level) -> None:
        self._level = level

    def before_operator(self, call: Any) -> None:
        pass

    def after_operator(self, call: Any) -> None:
        if self._level.paused or call.depth or call.error or _core.is_grad_enabled():
            return
        if call.name in _WITHOUT_TANGENT or call.name.endswith("_like") or call.name[:4] == "new_":
            return
        given = list(_tensors(call.arguments.values()))
        results = given[:1] if "setitem" in call.name else list(_tensors(call.result))
        lost = any(
            _smooth(each) and (not self._carries(each) or any(each is other for other in given))
            for each in results
        )
        if lost and any(map(self._carries, given)) and _recordable():
            raise AutogradError(
                f"forward_ad: {call.name} of a dual tensor runs under no_grad(), where its result "
                "would have no tangent. Use enable_grad() there, or x.detach() for no tangent"
            )

    def before_derivative(self, call: Any) -> None:
        if (
            not self._level.paused
            and not _core.is_grad_enabled()
            and self._level.reached(call.node)
        ):
            raise AutogradError(
                "forward_ad: a backward pass through dual tensors would give gradients without "
                "tangents. Use create_graph=True"
            )

    def after_derivative(self, call: Any) -> None:
        pass

    def _carries(self, tensor: Tensor) -> bool:
        if self._level.of(tensor) is not None:
            return True
        return tensor.grad_fn is not None and self._level.reached(tensor.grad_fn)


class dual_level:
    """A level of dual tensors, between the beginning and the end of a block of `with`.

    Tangents are forgotten at its end.

    Raises:
        NotImplementedError: A level is open already.

    Example:
        >>> import gpukit
        >>> from gpukit.autograd import forward_ad
        >>> with forward_ad.dual_level():
        ...     x = forward_ad.make_dual(gpukit.tensor([3.0]), gpukit.tensor([1.0]))
        ...     forward_ad.unpack_dual(x * x)
        UnpackedDualTensor(primal=tensor([9.]), tangent=tensor([6.]))
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


def enter_dual_level() -> int:
    """Open the level of dual tensors, for all threads.

    Returns:
        The number of the level, 0.

    Raises:
        NotImplementedError: A level is open already.

    Example:
        >>> import gpukit
        >>> from gpukit.autograd import forward_ad
        >>> level = forward_ad.enter_dual_level()
        >>> forward_ad.exit_dual_level(level=level)
    """
    if _levels:
        raise _NestedError(
            "enter_dual_level: a level is open already, and there is one at most. Call "
            "exit_dual_level() first. For derivatives of derivatives use gpukit.func.jvp"
        )
    _levels.append(_Level())
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level of dual tensors and forget their tangents.

    Args:
        level: The level's number; None for the open one.

    Raises:
        AutogradError: The level is not open.

    Example:
        >>> import gpukit
        >>> from gpukit.autograd import forward_ad
        >>> level = forward_ad.enter_dual_level()
        >>> forward_ad.exit_dual_level()
    """
    _opened("exit_dual_level", level).close()
    _levels.pop()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a tensor over the same memory that carries a tangent.

    Args:
        tensor: The primal, of floating-point or complex numbers.
        tangent: The direction of the derivative, of the primal's shape and device.
        level: The level's number; None for the open one.

    Raises:
        AutogradError: No level is open, or the tensor is dual already.
        DTypeError: A tensor is of whole numbers.
        ShapeError: The shapes differ.
        TypeError: An argument is no tensor.

    Example:
        >>> import gpukit
        >>> from gpukit.autograd import forward_ad
        >>> with forward_ad.dual_level():
        ...     x = forward_ad.make_dual(gpukit.tensor([0.0]), gpukit.tensor([2.0]))
        ...     forward_ad.unpack_dual(x.sin()).tangent
        tensor([2.])
    """
    here = _opened("make_dual", level)
    for name, each in (("tensor", tensor), ("tangent", tangent)):
        if not isinstance(each, Tensor):
            raise TypeError(f"make_dual: {name} must be a Tensor, got {type(each).__name__}")
        if not _smooth(each):
            raise _NotSmoothError(
                f"make_dual: {name} must be floating point or complex, got {each.dtype}. Convert "
                "it, as by .float()"
            )
    if tensor.shape != tangent.shape:
        raise ShapeError(
            f"make_dual: tangent must have the shape of tensor, {tuple(tensor.shape)}, got "
            f"{tuple(tangent.shape)}"
        )
    if here.of(tensor) is not None or (tensor.grad_fn and here.reached(tensor.grad_fn)):
        raise AutogradError(
            "make_dual: tensor has a tangent at this level already. Give tensor.detach()"
        )
    own = not tensor.requires_grad
    with enable_grad():
        dual = tensor.detach().requires_grad_() if own else tensor.view_as(tensor)
        node: Any = dual.view_as(dual).grad_fn if own else dual.grad_fn
    here.add(_Dual(dual, tangent, node.next_functions[0][0] if own else node, own))
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return a tensor's primal and its tangent.

    Args:
        tensor: A dual tensor, or what was computed from some; another has no tangent.
        level: The level's number; None for the open one.

    Returns:
        A named tuple; the tangent is None for a tensor that depends on no dual tensor, and where no
        level is open.

    Raises:
        AutogradError: The level is not open, or an operation has no second derivative.
        TypeError: The argument is no tensor.

    Example:
        >>> import gpukit
        >>> from gpukit.autograd import forward_ad
        >>> with forward_ad.dual_level():
        ...     x = forward_ad.make_dual(gpukit.tensor([3.0]), gpukit.tensor([1.0]))
        ...     forward_ad.unpack_dual(x * x).tangent
        tensor([6.])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"unpack_dual: tensor must be a Tensor, got {type(tensor).__name__}")
    if not _levels and level is None:
        return UnpackedDualTensor(tensor, None)
    here = _opened("unpack_dual", level)
    dual = here.of(tensor)
    here.paused = True
    try:
        if dual is not None:
            return UnpackedDualTensor(tensor.detach() if dual.own else tensor, dual.tangent)
        return _product(here, tensor)
    finally:
        here.paused = False


def _product(level: _Level, tensor: Tensor) -> UnpackedDualTensor:
    """The tensor, and its derivative by the level's dual tensors times their tangents."""
    node = tensor.grad_fn
    if node is None or not level.reached(node):
        return UnpackedDualTensor(tensor, None)
    own = {dual.node for dual in level.duals if dual.own}
    kept = any(not each.next_functions and each not in own for each in _nodes_under(node))
    kept = kept or any(dual.tangent.requires_grad for dual in level.duals)
    with enable_grad():
        received = _core.zeros_like(tensor.detach(), requires_grad=True)
        slopes = _core.autograd_grad(
            [tensor], [dual.tensor for dual in level.duals], [received], True, True, True
        )
        parts = [
            (slope, dual.tangent.to(slope.dtype))
            for slope, dual in zip(slopes, level.duals, strict=True)
            if slope is not None and slope.requires_grad
        ]
        tangent = None
        if parts:
            starts, weights = (list(each) for each in zip(*parts, strict=True))
            (tangent,) = _core.autograd_grad(starts, [received], weights, True, kept, True)
    if tangent is None:
        tangent = _core.zeros_like(received.detach())
    if any(tangent.data_ptr() == weight.data_ptr() for _, weight in parts):
        tangent = tangent.clone()  # of an identity: the caller's memory
    return UnpackedDualTensor(tensor if kept else tensor.detach(), tangent)


def _opened(function: str, level: int | None) -> _Level:
    if _levels and level in {None, 0}:
        return _levels[-1]
    wanted = "no level is open" if not _levels else f"level {level!r} is not open, level 0 is"
    raise AutogradError(
        f"{function}: {wanted}. Use it inside `with forward_ad.dual_level():`, without level="
    )


def _smooth(tensor: Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict)):
        for each in value if isinstance(value, (tuple, list)) else list(value):
            yield from _tensors(each)


def _nodes_under(node: Any) -> Iterator[Any]:
    waiting, seen = [node], {node}
    while waiting:
        here = waiting.pop()
        yield here
        parts = {each for each, _ in here.next_functions if each is not None} - seen
        seen |= parts
        waiting += parts


def _recordable() -> bool:
    """Whether the operation is outside of a `Function.forward`, which is recorded as a whole."""
    code = Function.apply.__func__.__code__  # type: ignore[attr-defined]
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 (the only way to ask)
    while frame is not None:
        if frame.f_code is code:
            return False
        frame = frame.f_back
    return True


class _NestedError(AutogradError, NotImplementedError):
    """A second level."""


class _NotSmoothError(DTypeError, ValueError):
    """A tensor of whole numbers, where torch raises ValueError."""


__getattr__ = module_getattr(__name__)
