"""Whether this thread records operations: context managers that are decorators too."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from gpukit import _core

_Function = TypeVar("_Function", bound=Callable[..., Any])


class _GradMode:
    """Sets the mode between `__enter__` and `__exit__`, or during each call of a function."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._before: list[bool] = []

    def _again(self) -> _GradMode:
        """A manager for one call: a function may call itself, and run on several threads."""
        return _GradMode(self._enabled)

    def __enter__(self) -> None:
        self._before.append(_core.is_grad_enabled())
        _core.set_grad_mode(self._enabled)

    def __exit__(self, *_: object) -> None:
        _core.set_grad_mode(self._before.pop())

    def __call__(self, function: _Function) -> _Function:
        """Decorate a function, or a generator function, whose every step then has the mode."""
        if inspect.isgeneratorfunction(function):
            stepped: _Function = self._around_generator(function)
            return stepped

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return wrapper  # type: ignore[return-value]

    def _around_generator(self, function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            generator = function(*args, **kwargs)
            step: Callable[[], Any] = functools.partial(next, generator)
            while True:
                try:
                    with self._again():
                        value = step()
                except StopIteration as end:
                    return end.value
                try:
                    sent = yield value
                except GeneratorExit:
                    with self._again():
                        generator.close()
                    raise
                except BaseException as error:
                    step = functools.partial(generator.throw, error)
                else:
                    step = functools.partial(generator.send, sent)

        return wrapper


class no_grad(_GradMode):
    """Record no operations in this thread: as `with gpukit.no_grad():` or as a decorator.

    Args:
        function: What `@no_grad` without parentheses decorates.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, requires_grad=True)
        >>> with gpukit.no_grad():
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    def __new__(cls, function: Any = None) -> Any:
        """`@no_grad` without parentheses is a decorator too."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(_GradMode):
    """Record operations in this thread, inside `no_grad()` too.

    Args:
        function: What `@enable_grad` without parentheses decorates.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, requires_grad=True)
        >>> with gpukit.no_grad(), gpukit.enable_grad():
        ...     y = x * 2
        >>> y.requires_grad
        True
    """

    def __new__(cls, function: Any = None) -> Any:
        """`@enable_grad` without parentheses is a decorator too."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self) -> None:
        super().__init__(True)


class set_grad_enabled(_GradMode):
    """Set at once whether this thread records; as context manager, until its end.

    Args:
        mode: True records.

    Example:
        >>> import gpukit
        >>> with gpukit.set_grad_enabled(False):
        ...     gpukit.is_grad_enabled()
        False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled: mode must be a bool, got {mode!r}")
        super().__init__(mode)
        self._outside = _core.is_grad_enabled()
        _core.set_grad_mode(mode)

    def __enter__(self) -> None:
        self._before.append(self._outside)
        _core.set_grad_mode(self._enabled)

    def __call__(self, function: _Function) -> _Function:
        """Decorate a function; outside of it the mode is what it was."""
        _core.set_grad_mode(self._outside)
        return super().__call__(function)


class inference_mode(_GradMode):
    """Record nothing, as `no_grad`; `is_inference_mode_enabled()` says so.

    Args:
        mode: False switches recording on again inside an inference_mode.

    Example:
        >>> import gpukit
        >>> with gpukit.inference_mode():
        ...     gpukit.is_inference_mode_enabled()
        True
    """

    def __new__(cls, mode: Any = True) -> Any:
        """`@inference_mode` without parentheses is a decorator too."""
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)
        self._labels: list[bool] = []

    def _again(self) -> inference_mode:
        again: inference_mode = inference_mode(not self._enabled)
        return again

    def __enter__(self) -> None:
        self._labels.append(_core.is_inference_mode_enabled())
        _core.set_inference_mode(not self._enabled)  # first: it says whether modes have an effect
        super().__enter__()

    def __exit__(self, *_: object) -> None:
        _core.set_inference_mode(self._labels.pop())
        super().__exit__()


class set_multithreading_enabled:
    """Accepted as in torch: gpukit runs a backward pass on the thread that asks for it.

    Args:
        mode: True or False; neither changes anything.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, requires_grad=True)
        >>> with gpukit.autograd.set_multithreading_enabled(False):
        ...     (x * 2).backward()
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_multithreading_enabled: mode must be a bool, got {mode!r}")
        self.mode = mode
        self.before = is_multithreading_enabled()
        _multithreading.enabled = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _multithreading.enabled = self.before


_multithreading = threading.local()


def is_multithreading_enabled() -> bool:
    """Return what `set_multithreading_enabled` was given last in this thread, at first True.

    Example:
        >>> import gpukit
        >>> with gpukit.autograd.set_multithreading_enabled(False):
        ...     gpukit.autograd.is_multithreading_enabled()
        False
    """
    return bool(getattr(_multithreading, "enabled", True))
