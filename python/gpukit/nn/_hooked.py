"""What registers functions that see a module's calls and gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gpukit.nn._backward_hooks import add_backward_hook
from gpukit.nn._hooks import HookHandle, add_hook, of_module


def _own(forward: Any, kind: str, of_backward: str) -> dict[int, Callable[..., Any]]:
    """A module's hooks of a kind, without the one that serves its backward hooks."""
    hooks: dict[int, Callable[..., Any]] = getattr(forward, kind, {})
    backward = getattr(forward, "backward", None)
    if backward is None:
        return hooks
    own = getattr(backward, of_backward)
    return {number: hook for number, hook in hooks.items() if hook != own}


def _forward_kind(kind: str, of_backward: str, register: str) -> property:
    """Torch's dictionary of one kind of hooks around forward; setting it replaces them."""

    def read(self: Any) -> dict[int, Callable[..., Any]]:
        return _own(of_module(self), kind, of_backward)

    def remove(self: Any) -> None:
        for number in list(read(self)):
            del getattr(of_module(self), kind)[number]

    return property(read, _replacement(remove, register))


def _backward_kind(kind: str, register: str) -> property:
    """As _forward_kind, of hooks of the backward pass."""

    def read(self: Any) -> dict[int, Callable[..., Any]]:
        backward = getattr(of_module(self), "backward", None)
        hooks: dict[int, Callable[..., Any]] = {} if backward is None else getattr(backward, kind)
        return hooks

    return property(read, _replacement(lambda self: read(self).clear(), register))


def _replacement(remove: Callable[[Any], None], register: str) -> Callable[[Any, Any], None]:
    def replace(self: Any, hooks: Mapping[Any, Callable[..., Any]]) -> None:
        added = list(hooks.values())
        remove(self)
        for hook in added:
            getattr(self, register)(hook)

    return replace


class Hooked:
    """The hooks of a module, which is the only class that derives from this one."""

    __slots__ = ()

    if TYPE_CHECKING:

        def forward(self, *args: Any, **kwargs: Any) -> Any: ...

    # Programs count, clear and replace them. Beside backward hooks those of forward are copies.
    _forward_hooks = _forward_kind("after", "leave", "register_forward_hook")
    _forward_pre_hooks = _forward_kind("before", "enter", "register_forward_pre_hook")
    _backward_hooks = _backward_kind("after", "register_full_backward_hook")
    _backward_pre_hooks = _backward_kind("before", "register_full_backward_pre_hook")

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:
        """Register a function that receives each output of the module and may replace it.

        Args:
            hook: Called with the module, the tuple of inputs and the output. Its return value
                replaces the output unless it is None.
            prepend: Run before the hooks that are there.
            with_kwargs: The hook also receives the dict of keyword arguments, before the output.
            always_call: The hook also runs when forward raises, with None for the output.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.

        Example:
            >>> import gpukit
            >>> layer = gpukit.nn.ReLU()
            >>> handle = layer.register_forward_hook(lambda m, inputs, output: print(output.shape))
            >>> _ = layer(gpukit.ones(2, 3))
            (2, 3)
            >>> handle.remove()
        """
        return add_hook(
            self,
            hook,
            before=False,
            prepend=prepend,
            with_kwargs=with_kwargs,
            always_call=always_call,
        )

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Register a function that receives the inputs of each call and may replace them.

        Args:
            hook: Called with the module and the tuple of inputs. Its return value replaces
                them unless it is None.
            prepend: Run before the hooks that are there.
            with_kwargs: The hook also receives the dict of keyword arguments; it returns None,
                or the tuple of inputs and the dict.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.

        Example:
            >>> import gpukit
            >>> layer = gpukit.nn.ReLU()
            >>> with layer.register_forward_pre_hook(lambda m, inputs: -inputs[0]):
            ...     layer(gpukit.tensor([-1.0, 2.0]))
            tensor([1., 0.])
        """
        return add_hook(self, hook, before=True, prepend=prepend, with_kwargs=with_kwargs)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Register a function that sees the gradients of each call's inputs and outputs.

        Args:
            hook: Called with the module, the gradients of the inputs and those of the outputs,
                as tuples, when those of the inputs are computed. Its return value replaces the
                gradients of the inputs unless it is None.
            prepend: Run before the hooks that are there.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.

        Example:
            >>> import gpukit
            >>> layer = gpukit.nn.Tanh()
            >>> _ = layer.register_full_backward_hook(lambda m, inputs, outputs: print(outputs))
            >>> layer(gpukit.zeros(1, requires_grad=True)).backward()
            (tensor([1.]),)
        """
        return add_backward_hook(self, hook, before=False, prepend=prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Register a function that sees the gradients of each call's outputs first.

        Args:
            hook: Called with the module and the gradients of the outputs, a tuple. Its return
                value replaces them unless it is None.
            prepend: Run before the hooks that are there.

        Returns:
            A handle with `remove()`.

        Raises:
            TypeError: hook is not callable.

        Example:
            >>> import gpukit
            >>> layer = gpukit.nn.Tanh()
            >>> _ = layer.register_full_backward_pre_hook(lambda m, outputs: (outputs[0] * 2,))
            >>> x = gpukit.zeros(1, requires_grad=True)
            >>> layer(x).backward()
            >>> x.grad
            tensor([2.])
        """
        return add_backward_hook(self, hook, before=True, prepend=prepend)
