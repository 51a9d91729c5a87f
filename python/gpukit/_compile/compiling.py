"""gpukit.compile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gpukit import _core
from gpukit._compile.compiled import CompiledFunction, Options, compiled_module
from gpukit.errors import ArgumentError

__all__ = ["compile"]

_BACKENDS = ("tiles", "nvrtc", "python", "eager")


def compile(
    model: Callable[..., Any] | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | None = None,
    disable: bool = False,
) -> Any:
    """Run chains of elementwise operators of a function as one pass over memory.

    The first call runs the function and records its operators. Later calls with tensors of the
    same number of dimensions, dtypes and devices, and the same other arguments, run what was
    recorded: neighbouring elementwise operators as one chain, all else as it is. The results are
    those of the function, bit for bit. On devices without chains, and on real GPUs without
    NVRTC, the operators run one by one.

    What cannot be recorded (a branch on a tensor's value, a change of something outside, an object
    that is no tensor) runs as it is written, with one warning that names the line. While gradients
    are recorded a chain is one node of the graph, and its backward pass is a chain too; a function
    that writes in place runs as it is written then, and under autocast any.

    Args:
        model: A function of tensors, or a gpukit.nn.Module, which stays one with the same
            parameters; None gives a decorator.
        fullgraph: True raises instead of running as written.
        dynamic: False records again for each set of shapes; None and True do so only for functions
            that ask for sizes.
        backend: None runs chains where they are quicker: on devices that have them, of more than
            32 768 elements, and on real GPUs as kernels that the CUDA compiler, NVRTC, makes.
            "tiles" runs them always, by gpukit's own kernels; "nvrtc" too, and on all GPUs as
            compiled ones; "python" has an interpreter to compare with, "eager" records nothing.
        disable: True gives the function back as it is.

    Returns:
        A function that is called like `model` and has `explain()`, or a module.

    Raises:
        CompileError: fullgraph is True and the function cannot be recorded; raised by the call.
        TypeError: model is not callable, or an argument has the wrong type.
        ArgumentError: An unknown backend.

    Example:
        >>> import gpukit
        >>> @gpukit.compile
        ... def smooth(x, y):
        ...     return gpukit.sigmoid(1.5 * x + y) * gpukit.tanh(y)
        >>> a, b = gpukit.zeros(3), gpukit.ones(3)
        >>> smooth(a, b)
        tensor([0.5568, 0.5568, 0.5568])
        >>> gpukit.equal(smooth(a, b), gpukit.sigmoid(1.5 * a + b) * gpukit.tanh(b))
        True
    """
    options = _checked(fullgraph, dynamic, backend)
    if model is None:
        return partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, disable=disable
        )
    if disable is True:
        return model
    inner = getattr(model, "_compiled_from", model)
    if isinstance(inner, _core.ModuleBase):
        return compiled_module(inner, options)
    if not callable(inner) or isinstance(inner, type):
        raise TypeError(
            f"compile: model must be a function or a gpukit.nn.Module, got {model!r:.80} "
            f"({type(model).__name__})"
        )
    return CompiledFunction(inner, options)


def _checked(fullgraph: Any, dynamic: Any, backend: Any) -> Options:
    if not isinstance(fullgraph, bool):
        raise TypeError(f"compile: fullgraph must be a bool, got {fullgraph!r:.80}")
    if not (dynamic is None or isinstance(dynamic, bool)):
        raise TypeError(f"compile: dynamic must be a bool or None, got {dynamic!r:.80}")
    if backend is not None and not isinstance(backend, str):
        raise TypeError(f"compile: backend must be a str or None, got {backend!r:.80}")
    if backend is not None and backend not in _BACKENDS:
        known = ", ".join(map(repr, _BACKENDS))
        raise ArgumentError(f"compile: there is no backend {backend!r}. Known: {known}.")
    return Options(fullgraph, dynamic, backend)
