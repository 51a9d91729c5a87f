"""Functions that run before or after a module's forward, while a module has some."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any, Protocol

from gpukit._handles import RemovableHandle, put_hook

HOOKED = "_gpukit_hooks"  # in the dictionary of a module with hooks, where its call looks


class Forwarding(Protocol):
    """A module, as far as hooks know it."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The result of a call."""


# One count for all modules: copies share their hooks, and a removed number never comes again.
_NUMBERS = itertools.count()


class CallHooks:
    """The functions for calls of one module, or of all."""

    def __init__(self) -> None:
        # By what each was registered under: a number, or a handle.
        self.before: dict[Any, Callable[..., Any]] = {}
        self.after: dict[Any, Callable[..., Any]] = {}
        self.taking_kwargs: set[Any] = set()  # hooks that receive the keyword arguments, too
        self.always: set[Any] = set()  # hooks that also run when forward raises


EVERY = CallHooks()  # of all modules: `_global_hooks` fills these two
EVERY_BACKWARD = CallHooks()


class HookedForward(CallHooks):
    """What a call of a module with hooks runs: its forward between them."""

    def __init__(self, module: Forwarding) -> None:
        super().__init__()
        self.module = module
        self.backward: Any = None  # of _backward_hooks, once there are some

    def for_module(self, module: Forwarding) -> HookedForward:
        """The same hooks around another module's forward."""
        other = HookedForward(module)
        other.before, other.after = self.before, self.after
        other.taking_kwargs, other.always = self.taking_kwargs, self.always
        other.backward = self.backward
        return other

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not (self.always or EVERY.always):
            args, kwargs = self._enter(args, kwargs)
            return self._leave(args, kwargs, self.module.forward(*args, **kwargs), set())
        left: set[Any] = set()
        try:
            args, kwargs = self._enter(args, kwargs)
            return self._leave(args, kwargs, self.module.forward(*args, **kwargs), left)
        except Exception:
            self._leave_after_error(args, kwargs, left)
            raise

    def _enter(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, after the hooks that come first."""
        for number, hook in (EVERY.before | self.before).items():
            if number in self.taking_kwargs:
                changed = hook(self.module, args, kwargs)
                if changed is None:
                    continue
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {changed!r:.80}."
                    )
                args, kwargs = changed
            else:
                changed = hook(self.module, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def _leave(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, left: set[Any]
    ) -> Any:
        """The result, after the hooks; `left` receives the number of each."""
        for number, hook in (EVERY.after | self.after).items():
            left.add(number)
            changed = self._seen(number, hook, args, kwargs, result)
            result = result if changed is None else changed
        return result

    def _leave_after_error(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], left: set[Any]
    ) -> None:
        always = EVERY.always | self.always
        for number, hook in (EVERY.after | self.after).items():
            if number in always and number not in left:
                try:
                    self._seen(number, hook, args, kwargs, None)
                except Exception as error:
                    warnings.warn(
                        "module forward hook with ``always_call=True`` raised an exception that "
                        f"was silenced as another error was raised in forward: {error}",
                        stacklevel=3,
                    )

    def _seen(
        self,
        number: Any,
        hook: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> Any:
        if number in self.taking_kwargs or number in EVERY.taking_kwargs:
            return hook(self.module, args, kwargs, result)
        return hook(self.module, args, result)


class HookHandle(RemovableHandle):
    """The handle of a function that runs around a module's forward."""

    def __init__(
        self, forward: HookedForward, hooks: dict[int, Callable[..., Any]], number: int
    ) -> None:
        self._forward = forward
        self._hooks = hooks
        self.id = number

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        self._hooks.pop(self.id, None)
        forward = self._forward
        forward.always.discard(self.id)
        if of_module(forward.module) is forward:
            without_hooks(forward.module)


HookHandle.__name__ = "RemovableHandle"  # torch's


def next_number() -> int:
    """The number of a new hook."""
    return next(_NUMBERS)


def of_module(module: Forwarding) -> HookedForward | None:
    """What runs a module's hooks; None for a module without hooks."""
    return module.__dict__.get(HOOKED)


def hooked_forward(module: Forwarding) -> HookedForward:
    """What runs a module's hooks; made where there is none."""
    forward = of_module(module)
    if forward is None:
        forward = module.__dict__[HOOKED] = HookedForward(module)
    return forward


def without_hooks(module: Forwarding) -> None:
    """Let a module's call go straight to its forward again, where no hook is left."""
    forward = of_module(module)
    if forward is not None and not (forward.before or forward.after):
        module.__dict__.pop(HOOKED, None)


def add_hook(
    module: Forwarding,
    hook: Any,
    *,
    before: bool,
    prepend: bool = False,
    with_kwargs: bool = False,
    always_call: bool = False,
) -> HookHandle:
    """Let a function run with each call of a module."""
    if not callable(hook):
        raise TypeError(f"hook must be a function, got {type(hook).__name__}")
    forward = hooked_forward(module)
    hooks = forward.before if before else forward.after
    number = next_number()
    put_hook(hooks, number, hook, prepend)
    if with_kwargs:
        forward.taking_kwargs.add(number)
    if always_call:
        forward.always.add(number)
    return HookHandle(forward, hooks, number)


def keep_hooks(copy: Forwarding) -> None:
    """Let a copy, whose attributes are the original's, compute with its own weights."""
    forward = of_module(copy)
    if forward is not None and forward.module is not copy:
        copy.__dict__[HOOKED] = forward.for_module(copy)
