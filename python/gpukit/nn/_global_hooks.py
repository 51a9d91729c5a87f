"""Functions that run with every module's calls, gradients and registered parts.

While no function for calls or gradients is registered, modules are called as if there were none of
this: the first one gives `Module` a `__call__` of Python, and the last one takes it away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from gpukit import _core
from gpukit._handles import HookHandle
from gpukit._handles import add_hook as add_to
from gpukit.nn._backward_hooks import drop_backward, serve_backward
from gpukit.nn._hooks import (
    EVERY,
    EVERY_BACKWARD,
    hooked_forward,
    of_module,
    without_hooks,
)
from gpukit.nn.module import REGISTERED, Module

__all__ = [
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

# Modules whose forward was made a hooked one for these functions alone.
_TOUCHED: WeakSet[Module] = WeakSet()


class _CallHandle(HookHandle):
    """The handle of a function for all calls."""

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        if self not in self._hooks:
            return
        super().remove()
        EVERY.taking_kwargs.discard(self)
        EVERY.always.discard(self)
        if not (EVERY.before or EVERY.after or EVERY_BACKWARD.before or EVERY_BACKWARD.after):
            del Module.__call__
            for module in list(_TOUCHED):
                drop_backward(module)
                without_hooks(module)
            _TOUCHED.clear()


def _call(module: Module, /, *args: Any, **kwargs: Any) -> Any:
    """A call of a module while there are functions for all calls."""
    if of_module(module) is None:
        _TOUCHED.add(module)
    forward = hooked_forward(module)
    if forward.backward is None and (EVERY_BACKWARD.before or EVERY_BACKWARD.after):
        _TOUCHED.add(module)
        serve_backward(module)
    return _core.ModuleBase.__call__(module, *args, **kwargs)


def _for_calls(hooks: dict[Any, Callable[..., Any]], hook: Any) -> HookHandle:
    handle = add_to(hooks, hook, kind=_CallHandle)
    Module.__call__ = _call  # type: ignore[method-assign, assignment]
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> HookHandle:
    """Register a function that receives the inputs of every module's calls.

    Args:
        hook: Called with the module and the tuple of inputs, before the module's own hooks. Its
            return value replaces the inputs unless it is None.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: hook is not callable.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.modules.module import register_module_forward_pre_hook
        >>> with register_module_forward_pre_hook(lambda m, inputs: print(type(m).__name__)):
        ...     _ = gpukit.nn.Sequential(gpukit.nn.ReLU())(gpukit.ones(1))
        Sequential
        ReLU
    """
    return _for_calls(EVERY.before, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> HookHandle:
    """Register a function that receives the outputs of every module's calls.

    Args:
        hook: Called with the module, the tuple of inputs and the output, before the module's own
            hooks. Its return value replaces the output unless it is None.
        with_kwargs: The hook also receives the dict of keyword arguments, before the output.
        always_call: The hook also runs when forward raises, with None for the output.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: hook is not callable.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.modules.module import register_module_forward_hook
        >>> with register_module_forward_hook(lambda m, inputs, output: print(output.shape)):
        ...     _ = gpukit.nn.Linear(3, 2)(gpukit.ones(1, 3))
        (1, 2)
    """
    handle = _for_calls(EVERY.after, hook)
    if with_kwargs:
        EVERY.taking_kwargs.add(handle)
    if always_call:
        EVERY.always.add(handle)
    return handle


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> HookHandle:
    """Register a function that sees the gradients of every module's outputs first.

    Args:
        hook: Called with the module and the gradients of its outputs, a tuple, before the module's
            own hooks. Its return value replaces them unless it is None.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: hook is not callable.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.modules.module import register_module_full_backward_pre_hook
        >>> with register_module_full_backward_pre_hook(lambda m, outputs: (outputs[0] * 2,)):
        ...     x = gpukit.zeros(1, requires_grad=True)
        ...     gpukit.nn.Tanh()(x).backward()
        >>> x.grad
        tensor([2.])
    """
    return _for_calls(EVERY_BACKWARD.before, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> HookHandle:
    """Register a function that sees the gradients of every module's inputs and outputs.

    Args:
        hook: Called with the module, the gradients of its inputs and those of its outputs, before
            the module's own hooks. Its return value replaces the gradients of the inputs unless it
            is None.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: hook is not callable.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.modules.module import register_module_full_backward_hook
        >>> with register_module_full_backward_hook(lambda m, inputs, outputs: print(outputs)):
        ...     gpukit.nn.Tanh()(gpukit.zeros(1, requires_grad=True)).backward()
        (tensor([1.]),)
    """
    return _for_calls(EVERY_BACKWARD.after, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> HookHandle:
    """Register a function that sees every parameter that a module gets.

    Args:
        hook: Called with the module, the name and the parameter. Its return value replaces the
            parameter unless it is None.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: hook is not callable.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.modules import module
        >>> with module.register_module_parameter_registration_hook(lambda m, n, p: print(n)):
        ...     _ = gpukit.nn.Linear(1, 1)
        weight
        bias
    """
    return add_to(REGISTERED["parameter"], hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> HookHandle:
    """Register a function that sees every buffer that a module gets.

    Args:
        hook: Called with the module, the name and the tensor, which may be None. Its return value
            replaces the tensor unless it is None.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: hook is not callable.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.modules import module
        >>> with module.register_module_buffer_registration_hook(lambda m, n, b: print(n)):
        ...     _ = gpukit.nn.BatchNorm1d(1)
        running_mean
        running_var
        num_batches_tracked
    """
    return add_to(REGISTERED["buffer"], hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> HookHandle:
    """Register a function that sees every module that a module gets.

    Args:
        hook: Called with the module, the name and the new part, which may be None. Its return value
            replaces the part unless it is None.

    Returns:
        A handle with `remove()`.

    Raises:
        TypeError: hook is not callable.

    Example:
        >>> import gpukit
        >>> from gpukit.nn.modules import module
        >>> with module.register_module_module_registration_hook(lambda m, n, part: print(n)):
        ...     _ = gpukit.nn.Sequential(gpukit.nn.ReLU(), gpukit.nn.Tanh())
        0
        1
    """
    return add_to(REGISTERED["module"], hook)
