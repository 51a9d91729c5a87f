"""Functions that run before or after a module's forward, while a module has some."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing_extensions import Self


class Forwarding(Protocol):
    """A module, as far as hooks know it."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result of a call."""


# One count for all modules: copies share their hooks, and a removed number never comes again.
_NUMBERS = itertools.count()


class _HookedForward:
    """Stands in the place of a module's forward, so that modules without hooks pay nothing."""

    def __init__(self, module: Forwarding) -> None:
        self.module = module
        self.replaced: Callable[..., Any] | None = module.__dict__.get("forward")
        self.before: dict[int, Callable[..., Any]] = {}
        self.after: dict[int, Callable[..., Any]] = {}
        self.backward: Any = None  # of _backward_hooks, once there are some

    def for_module(self, module: Forwarding) -> _HookedForward:
        """The same hooks around another module's forward."""
        other = _HookedForward(module)
        other.replaced, other.before, other.after = self.replaced, self.before, self.after
        other.backward = self.backward
        return other

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        module = self.module
        for hook in list(self.before.values()):
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        if self.replaced is None:
            result = type(module).forward(module, *args, **kwargs)
        else:
            result = self.replaced(*args, **kwargs)
        for hook in list(self.after.values()):
            changed = hook(module, args, result)
            result = result if changed is None else changed
        return result


class HookHandle:
    """The handle of a registered hook: removes it, also at the end of a `with` block."""

    def __init__(
        self, forward: _HookedForward, hooks: dict[int, Callable[..., Any]], number: int
    ) -> None:
        self._forward = forward
        self._hooks = hooks
        self._number = number

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        self._hooks.pop(self._number, None)
        forward = self._forward
        fields = forward.module.__dict__
        if forward.before or forward.after or fields.get("forward") is not forward:
            return
        if forward.replaced is None:
            del fields["forward"]
        else:
            fields["forward"] = forward.replaced

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def next_number() -> int:
    """The number of a new hook."""
    return next(_NUMBERS)


def hooked_forward(module: Forwarding) -> _HookedForward:
    """What stands in the place of a module's forward; made where there is none."""
    fields = module.__dict__
    forward = fields.get("forward")
    if not isinstance(forward, _HookedForward):
        forward = fields["forward"] = _HookedForward(module)
    return forward


def add_hook(module: Forwarding, hook: Any, *, before: bool) -> HookHandle:
    """Let a function run with each call of a module."""
    if not callable(hook):
        raise TypeError(f"hook must be a function, got {type(hook).__name__}")
    forward = hooked_forward(module)
    hooks = forward.before if before else forward.after
    number = next_number()
    hooks[number] = hook
    return HookHandle(forward, hooks, number)


def keep_hooks(copy: Forwarding) -> None:
    """Let a copy, whose attributes are the original's, compute with its own weights."""
    forward = copy.__dict__.get("forward")
    if isinstance(forward, _HookedForward) and forward.module is not copy:
        copy.__dict__["forward"] = forward.for_module(copy)
