"""What the graph keeps for the backward pass, in a form of the user's choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._arguments import bool_of
from gpukit._core import GraphNode as Node
from gpukit._core import Tensor, increment_version

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "Node",
    "disable_saved_tensors_hooks",
    "increment_version",
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
