"""Functions that run with a module's backward pass: identities around its inputs and outputs.

The identity around the outputs receives their gradients, the one around the inputs theirs; the
call's record connects the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpukit._core import Tensor, is_grad_enabled
from gpukit._handles import put_hook
from gpukit.autograd.function import Function
from gpukit.nn._hooks import (
    EVERY_BACKWARD,
    Forwarding,
    HookedForward,
    HookHandle,
    add_hook,
    hooked_forward,
    next_number,
)


class _Call:
    """One call of a module with backward hooks."""

    def __init__(self, module: Forwarding, hooks: BackwardHooks) -> None:
        self.module = module
        self.hooks = hooks
        self.outputs: tuple[Any, ...] | None = None
        self.input_places: list[int] = []
        self.input_count = 0

    def of_outputs(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the outputs, after the hooks that come first."""
        for hook in (EVERY_BACKWARD.before | self.hooks.before).values():
            changed = hook(self.module, gradients)
            if changed is not None:
                gradients = _as_tuple(changed)
        self.outputs = gradients
        if not self.input_places:  # no input has a gradient: the hooks see none
            self.of_inputs(())
        return gradients

    def of_inputs(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients of the inputs, after the hooks."""
        full: list[Any] = [None] * self.input_count
        for place, gradient in zip(self.input_places, gradients, strict=False):
            full[place] = gradient
        given = tuple(full)
        for hook in (EVERY_BACKWARD.after | self.hooks.after).values():
            changed = hook(self.module, given, self.outputs)
            if changed is not None:
                given = _as_tuple(changed)
        return tuple(given[place] for place in self.input_places)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


class BackwardHookFunction(Function):
    """Its inputs; their gradients pass through a function."""

    @staticmethod
    def forward(ctx: Any, passing: Callable[..., Any], *tensors: Tensor) -> Any:
        ctx.passing = passing
        ctx.set_materialize_grads(False)
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return None, *ctx.passing(gradients)


class BackwardHooks:
    """The backward hooks of one module, by their numbers."""

    def __init__(self) -> None:
        self.before: dict[int, Callable[..., Any]] = {}
        self.after: dict[int, Callable[..., Any]] = {}
        self.call: _Call | None = None

    def enter(self, module: Forwarding, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Put the identity around the inputs."""
        self.call = None
        own = self.before or self.after
        if not (is_grad_enabled() and (own or EVERY_BACKWARD.before or EVERY_BACKWARD.after)):
            return None
        call = self.call = _Call(module, self)
        call.input_count = len(args)
        tensors = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if not any(args[i].requires_grad for i in tensors):
            return None
        call.input_places = tensors
        results = BackwardHookFunction.apply(call.of_inputs, *(args[i] for i in tensors))
        changed = list(args)
        for i, result in zip(tensors, results, strict=True):
            changed[i] = result
        return tuple(changed)

    def leave(self, _module: Forwarding, _args: tuple[Any, ...], output: Any) -> Any:
        """Put the identity around the outputs."""
        call, self.call = self.call, None
        if call is None:
            return None
        outputs = _as_tuple(output)
        places = [i for i, o in enumerate(outputs) if isinstance(o, Tensor)]
        if not any(outputs[i].requires_grad for i in places):
            return None
        results = list(outputs)
        made = BackwardHookFunction.apply(call.of_outputs, *(outputs[i] for i in places))
        for i, result in zip(places, made, strict=True):
            results[i] = result
        return tuple(results) if isinstance(output, tuple) else results[0]


def serve_backward(module: Forwarding) -> HookedForward:
    """Let a module's calls put the identities around its inputs and outputs."""
    forward = hooked_forward(module)
    if forward.backward is None:
        forward.backward = BackwardHooks()
        add_hook(module, forward.backward.enter, before=True)
        add_hook(module, forward.backward.leave, before=False)
    return forward


def drop_backward(module: Forwarding) -> None:
    """Take the identities away from a module without backward hooks of its own."""
    forward = hooked_forward(module)
    backward = forward.backward
    if backward is None or backward.before or backward.after:
        return
    forward.backward = None
    for hooks, own in ((forward.before, backward.enter), (forward.after, backward.leave)):
        for number in [number for number, hook in hooks.items() if hook == own]:
            del hooks[number]


def add_backward_hook(
    module: Forwarding, hook: Any, *, before: bool, prepend: bool = False
) -> HookHandle:
    """Let a function run with the backward pass of each call of a module."""
    if not callable(hook):
        raise TypeError(f"hook must be a function, got {type(hook).__name__}")
    forward = serve_backward(module)
    hooks = forward.backward.before if before else forward.backward.after
    number = next_number()
    put_hook(hooks, number, hook, prepend)
    return HookHandle(forward, hooks, number)
