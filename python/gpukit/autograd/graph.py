"""The graph: what it keeps for the backward pass, its nodes, and hooks of several tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from gpukit import _core
from gpukit._arguments import bool_of, function_of, tensor_of, tensors_of
from gpukit._core import GraphNode as Node
from gpukit._core import Tensor, increment_version
from gpukit.errors import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "GradientEdge",
    "Node",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class saved_tensors_hooks:
    """Keep what the backward pass needs in another form: on disk, in fewer bits, or not at all.

    In the block, each tensor that an operation of this thread saves is given to `pack_hook`, and
    what that returns is kept instead. The backward pass gives it to `unpack_hook`. Of nested
    blocks the innermost counts. The graph keeps nothing else of the tensor.

    Args:
        pack_hook: A function of a tensor, which it must not change in place. It may return any
            object.
        unpack_hook: A function of such an object. It returns a tensor with the shape, dtype and
            device of the saved one.

    Raises:
        TypeError: A hook is not callable; in the backward pass: unpack_hook returned no tensor.
        AutogradError: This thread is inside `disable_saved_tensors_hooks`.
        ShapeError, DTypeError, DeviceMismatchError: In the backward pass: unpack_hook returned
            another kind of tensor.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([1.0, 2.0], requires_grad=True)
        >>> with gpukit.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), gpukit.from_numpy):
        ...     y = x.detach() * x
        >>> y.sum().backward()
        >>> x.grad
        tensor([1., 2.])
    """

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> Self:
        _core.push_saved_tensor_hooks(self.pack_hook, self.unpack_hook)
        return self

    def __exit__(self, *_: object) -> None:
        _core.pop_saved_tensor_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Keep what the backward pass needs in the host's memory; it is copied back there.

    Args:
        pin_memory: Use pinned memory, from which copies are faster and need no wait.
        device_type: Accepted for compatibility with PyTorch: tensors of any device are moved.

    Raises:
        TypeError: pin_memory is not a bool.
        AutogradError: As of saved_tensors_hooks.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(2, requires_grad=True, device=gpukit.try_gpu())
        >>> with gpukit.autograd.graph.save_on_cpu(pin_memory=False):
        ...     y = (x * x).sum()
        >>> y.backward()
        >>> x.grad.tolist()
        [2.0, 2.0]
    """

    def __init__(
        self,
        pin_memory: bool = False,
        device_type: str = "cuda",  # noqa: ARG002
    ) -> None:
        pinned = bool_of("save_on_cpu", "pin_memory", pin_memory)

        def pack(tensor: Tensor) -> Tensor | tuple[Any, Tensor]:
            if tensor.device.type == "cpu":
                return tensor.detach()  # as such: a change in place is noticed
            if not pinned:
                return tensor.device, tensor.detach().cpu()
            kept = _core.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
            return tensor.device, kept.copy_(tensor)

        def unpack(packed: Tensor | tuple[Any, Tensor]) -> Tensor:
            if isinstance(packed, Tensor):
                return packed
            device, kept = packed
            return kept.to(device, non_blocking=pinned)

        super().__init__(pack, unpack)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse saved_tensors_hooks in the block, in this thread.

    Args:
        error_message: The text of the error.

    Raises:
        AutogradError: Hooks are active already.

    Example:
        >>> import gpukit
        >>> with gpukit.autograd.graph.disable_saved_tensors_hooks("not here"):
        ...     with gpukit.autograd.graph.save_on_cpu():
        ...         pass
        Traceback (most recent call last):
        ...
        gpukit.errors.AutogradError: not here
    """
    before = _core.saved_tensor_hooks_disabled()
    _core.disable_saved_tensor_hooks(error_message)
    try:
        yield
    finally:
        _core.disable_saved_tensor_hooks(before)


class _Edge(NamedTuple):
    node: Node
    output_nr: int


class GradientEdge(_Edge):
    """Where the gradient of a tensor goes.

    Args:
        node: The node that receives it.
        output_nr: The number of the node's result, which is always 0.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(2, requires_grad=True) * 2
        >>> edge = gpukit.autograd.graph.GradientEdge(x.grad_fn, 0)
        >>> edge == gpukit.autograd.graph.get_gradient_edge(x)
        True
    """

    __slots__ = ()

    def __new__(cls, node: Node, output_nr: int = 0) -> Self:
        """Make a pair of both."""
        return super().__new__(cls, node, output_nr)


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the node that a tensor's gradient goes to: of a leaf, the one that stores it.

    Args:
        tensor: A tensor that requires a gradient.

    Raises:
        AutogradError: It does not.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(2, requires_grad=True)
        >>> gpukit.autograd.graph.get_gradient_edge(x).node.name()
        'AccumulateGrad'
    """
    return GradientEdge(_core.gradient_node(tensor_of("get_gradient_edge", "tensor", tensor)), 0)


class _MultiHandle:
    """Takes the hook of several tensors away again."""

    def __init__(self, handles: tuple[Any, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class _Arrivals:
    """The gradients of several tensors in each backward pass, which keeps them until it ends."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[..., None]) -> None:
        self.nodes = [get_gradient_edge(tensor).node for tensor in tensors]
        self.fn = fn

    def add(self, index: int, gradient: Tensor) -> None:
        labels = _core.pass_labels()
        if self not in labels:
            reached = {i for i, node in enumerate(self.nodes) if _core.pass_reaches(node)}
            labels[self] = reached, [None] * len(self.nodes)
        missing, gradients = labels[self]
        missing.discard(index)
        gradients[index] = gradient
        if not missing:
            del labels[self]
            self.fn(gradients)


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: str = "all"
) -> _MultiHandle:
    """Call a function in each backward pass with the gradients of several tensors.

    Args:
        tensors: Tensors that require a gradient.
        fn: With mode="all" a function of a list of the gradients, called when the last of them is
            there, None for a tensor that the pass does not reach. With mode="any" a function of
            the first gradient that arrives. What it returns is ignored.
        mode: "all" or "any".

    Returns:
        A handle, whose `remove()` takes the hook away.

    Raises:
        ValueError: There is no such mode.
        AutogradError: A tensor does not require a gradient.

    Example:
        >>> import gpukit
        >>> x, y = (gpukit.ones(1, requires_grad=True) for _ in range(2))
        >>> handle = gpukit.autograd.graph.register_multi_grad_hook((x, y), print)
        >>> (x * 2 + y).backward()
        [tensor([2.]), tensor([1.])]
    """
    function_of("register_multi_grad_hook", "fn", fn, "a function of the gradients")
    every = tensors_of("register_multi_grad_hook", tensors)
    if mode not in {"all", "any"}:
        raise ArgumentError(
            f"register_multi_grad_hook: mode is {mode!r}; it must be 'all' or 'any'"
        )
    if mode == "all":
        arrivals = _Arrivals(every, fn)
        return _MultiHandle(tuple(x.register_hook(_of(arrivals, i)) for i, x in enumerate(every)))

    def first(gradient: Tensor) -> None:
        labels = _core.pass_labels()
        if first not in labels:
            labels[first] = True
            fn(gradient)

    return _MultiHandle(tuple(x.register_hook(first) for x in every))


def _of(arrivals: _Arrivals, index: int) -> Callable[[Tensor], None]:
    return lambda gradient: arrivals.add(index, gradient)
