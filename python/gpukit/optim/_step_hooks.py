"""Functions that run before and after each step of an optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self


class StepHooks:
    """The hooks of one optimizer, in the order in which they were registered."""

    def __init__(self) -> None:
        self.before: dict[StepHookHandle, Callable[..., Any]] = {}
        self.after: dict[StepHookHandle, Callable[..., Any]] = {}

    # Copies and files of an optimizer have no hooks, as in torch.
    def __reduce__(self) -> tuple[type[StepHooks], tuple[()]]:
        return (StepHooks, ())

    def add(self, hooks: dict[StepHookHandle, Callable[..., Any]], hook: Any) -> StepHookHandle:
        """Register a function; the handle takes it away."""
        if not callable(hook):
            raise TypeError(f"hook must be a function, got {hook!r:.80} ({type(hook).__name__})")
        handle = StepHookHandle(hooks)
        hooks[handle] = hook
        return handle

    def around(self, step: Callable[..., Any], optimizer: Any, closure: Any) -> Any:
        """A step between its hooks. What a hook before it returns are the step's arguments."""
        args: tuple[Any, ...] = (optimizer,) if closure is None else (optimizer, closure)
        kwargs: dict[str, Any] = {}
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
        result = step(*args[1:], **kwargs)
        for hook in list(self.after.values()):
            hook(optimizer, args, kwargs)
        return result


class StepHookHandle:
    """The handle of a registered hook: removes it, also at the end of a `with` block."""

    def __init__(self, hooks: dict[StepHookHandle, Callable[..., Any]]) -> None:
        self._hooks = hooks

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        self._hooks.pop(self, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()
