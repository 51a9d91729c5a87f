"""Functions that programs register, and the handles that take them away again."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from gpukit import _core

if TYPE_CHECKING:
    from typing_extensions import Self

K = TypeVar("K")

_NUMBERS = count()


def put_hook(
    hooks: dict[K, Callable[..., Any]], key: K, hook: Callable[..., Any], prepend: bool
) -> None:
    """Add a hook behind the others, or before them."""
    others = dict(hooks) if prepend else {}
    if prepend:
        hooks.clear()
    hooks[key] = hook
    hooks.update(others)


class RemovableHandle(metaclass=ABCMeta):  # noqa: B024 (the core's handles are some, too)
    """The handle of a registered hook: removes it, also at the end of a `with` block.

    Args:
        hooks_dict: The hooks, by the `id` of their handles.
        extra_dict: A dictionary, or a list of them, with more about the hooks, by the same keys.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.hooks import RemovableHandle
        >>> handle = gpukit.nn.ReLU().register_forward_hook(print)
        >>> isinstance(handle, RemovableHandle)
        True
    """

    def __init__(self, hooks_dict: dict[Any, Any], *, extra_dict: Any = None) -> None:
        self.id = next(_NUMBERS)
        more = extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self._dictionaries = [each for each in (hooks_dict, *more) if each is not None]

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        for dictionary in self._dictionaries:
            dictionary.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


RemovableHandle.register(_core.RemovableHandle)


class HookHandle(RemovableHandle):
    """The handle of a function in a dictionary."""

    def __init__(self, hooks: dict[HookHandle, Callable[..., Any]]) -> None:
        self._hooks = hooks
        self.id = next(_NUMBERS)

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        self._hooks.pop(self, None)


HookHandle.__name__ = "RemovableHandle"  # torch's


def add_hook(
    hooks: dict[HookHandle, Callable[..., Any]],
    hook: Any,
    prepend: bool = False,
    kind: type[HookHandle] = HookHandle,
) -> HookHandle:
    """Register a function; the handle takes it away."""
    if not callable(hook):
        raise TypeError(f"hook must be a function, got {hook!r:.80} ({type(hook).__name__})")
    handle = kind(hooks)
    put_hook(hooks, handle, hook, prepend)
    return handle
