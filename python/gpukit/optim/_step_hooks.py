"""Functions that run with each step of an optimizer, and with the reading of its state."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gpukit._handles import HookHandle, add_hook


class StepHooks:
    """The hooks of one optimizer, in the order in which they were registered."""

    def __init__(self) -> None:
        self.before: dict[HookHandle, Callable[..., Any]] = {}
        self.after: dict[HookHandle, Callable[..., Any]] = {}
        self.running = False
        # Of state_dict and load_state_dict.
        self.state_before: dict[HookHandle, Callable[..., Any]] = {}
        self.state_after: dict[HookHandle, Callable[..., Any]] = {}
        self.load_before: dict[HookHandle, Callable[..., Any]] = {}
        self.load_after: dict[HookHandle, Callable[..., Any]] = {}

    # Copies and files of an optimizer have no hooks, as in torch.
    def __reduce__(self) -> tuple[type[StepHooks], tuple[()]]:
        return (StepHooks, ())

    def around(
        self, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A step between its hooks. What a hook before it returns are the step's arguments.

        A class's own step may call that of its base: the hooks run once.
        """
        if self.running:
            return step(*args, **kwargs)
        self.running = True
        try:
            return self._around(step, args, kwargs)
        finally:
            self.running = False

    def _around(
        self, step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        optimizer = args[0]
        for hook in list(self.before.values()):
            changed = hook(optimizer, args, kwargs)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise RuntimeError(
                    f"{hook} must return None or a tuple of (new_args, new_kwargs), but got "
                    f"{changed!r:.80}"
                )
            args, kwargs = changed
        result = step(*args, **kwargs)
        for hook in list(self.after.values()):
            hook(optimizer, args, kwargs)
        return result


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """The step that a class defines itself, between the hooks of its optimizers."""

    @functools.wraps(step)
    def hooked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._step_hooks is None:
            return step(self, *args, **kwargs)
        return self._step_hooks.around(step, (self, *args), kwargs)

    return hooked


class StateHooks:
    """The hooks of an optimizer's state, for Optimizer, the only class that derives from this."""

    if TYPE_CHECKING:

        def _hooks(self) -> StepHooks: ...

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Let a function run before `state_dict` reads the optimizer.

        Args:
            hook: Called with the optimizer.
            prepend: Run before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook away.

        Raises:
            TypeError: hook cannot be called.
        """
        return add_hook(self._hooks().state_before, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Let a function see, change or replace the dict that `state_dict` returns.

        Args:
            hook: Called with the optimizer and the dict. It returns None or another dict.
            prepend: Run before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook away.

        Raises:
            TypeError: hook cannot be called.

        Example:
            >>> import gpukit
            >>> sgd = gpukit.optim.SGD([gpukit.ones(1, requires_grad=True)], lr=0.1)
            >>> handle = sgd.register_state_dict_post_hook(lambda opt, state: {**state, "step": 7})
            >>> sgd.state_dict()["step"]
            7
        """
        return add_hook(self._hooks().state_after, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Let a function change a copy of the dict before `load_state_dict` reads it.

        Args:
            hook: Called with the optimizer and the dict. It returns None or another dict.
            prepend: Run before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook away.

        Raises:
            TypeError: hook cannot be called.
        """
        return add_hook(self._hooks().load_before, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> HookHandle:
        """Let a function run when a state was loaded.

        Args:
            hook: Called with the optimizer.
            prepend: Run before the hooks that are there.

        Returns:
            A handle, whose `remove()` takes the hook away.

        Raises:
            TypeError: hook cannot be called.
        """
        return add_hook(self._hooks().load_after, hook, prepend)
