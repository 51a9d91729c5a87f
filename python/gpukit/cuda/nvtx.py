"""`gpukit.cuda.nvtx`: named ranges and marks for NVIDIA's profilers.

They go to libnvToolsExt, which Nsight Systems and Nsight Compute watch. Where the library is not
installed they do nothing, as NVTX itself does while no profiler is attached.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpukit._names.suggest import module_getattr

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

__getattr__ = module_getattr(__name__)

_LIBRARY = "libnvToolsExt.so.1"
_UNTRACKED = -2  # what NVTX returns while no tool is attached (NVTX_NO_PUSH_POP_TRACKING)


def _candidates() -> Iterator[str]:
    """NVIDIA's wheel, then the loader's own search."""
    from importlib.util import find_spec

    spec = find_spec("nvidia")
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / "nvtx" / "lib" / _LIBRARY
        if path.is_file():
            yield str(path)
    yield _LIBRARY


@functools.cache
def _library() -> Any:
    """NVTX, or None."""
    import ctypes

    for place in _candidates():
        try:
            library = ctypes.CDLL(place)
            library.nvtxRangeStartA.restype = ctypes.c_uint64
        except (OSError, AttributeError):
            continue
        return library
    return None


def _text(function: str, message: object) -> bytes:
    if not isinstance(message, str):
        raise TypeError(f"{function}: msg must be a str, got {type(message).__name__}")
    return message.encode().replace(b"\0", b"")


def range_push(msg: str) -> int:
    """Begin a range of this thread inside the one that is open.

    Args:
        msg: Its name.

    Returns:
        Its depth, 0 for the outermost; negative while no profiler listens.

    Raises:
        TypeError: `msg` is not a str.

    Example:
        >>> import gpukit
        >>> depth = gpukit.cuda.nvtx.range_push("step")
        >>> depth == gpukit.cuda.nvtx.range_pop()
        True
    """
    text = _text("range_push", msg)
    library = _library()
    return _UNTRACKED if library is None else int(library.nvtxRangePushA(text))


def range_pop() -> int:
    """End the innermost range of this thread.

    Returns:
        Its depth, 0 for the outermost; negative while no profiler listens.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.nvtx.range_push("step") == gpukit.cuda.nvtx.range_pop()
        True
    """
    library = _library()
    return _UNTRACKED if library is None else int(library.nvtxRangePop())


def range_start(msg: str) -> int:
    """Begin a range that any thread may end.

    Args:
        msg: Its name.

    Returns:
        The number for `range_end`; 0 while no profiler listens.

    Raises:
        TypeError: `msg` is not a str.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.nvtx.range_end(gpukit.cuda.nvtx.range_start("copy"))
    """
    text = _text("range_start", msg)
    library = _library()
    return 0 if library is None else int(library.nvtxRangeStartA(text))


def range_end(range_id: int) -> None:
    """End a range that `range_start` began.

    Args:
        range_id: What `range_start` returned.

    Raises:
        TypeError: `range_id` is not an int.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.nvtx.range_end(gpukit.cuda.nvtx.range_start("copy"))
    """
    if not isinstance(range_id, int):
        raise TypeError(f"range_end: range_id must be an int, got {type(range_id).__name__}")
    if (library := _library()) is not None:
        import ctypes

        library.nvtxRangeEnd(ctypes.c_uint64(range_id))


def mark(msg: str) -> None:
    """Mark this moment.

    Args:
        msg: Its name.

    Raises:
        TypeError: `msg` is not a str.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.nvtx.mark("loaded")
    """
    text = _text("mark", msg)
    if (library := _library()) is not None:
        library.nvtxMarkA(text)


@contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """Name a part of the program: a context manager or a decorator.

    Args:
        msg: Its name, a format for `args` and `kwargs`.
        args: Values of the format.
        kwargs: Values of the format, by name.

    Raises:
        TypeError: `msg` is not a str.

    Example:
        >>> import gpukit
        >>> with gpukit.cuda.nvtx.range("step {}", 3):
        ...     y = gpukit.ones(3)
    """
    range_push(msg.format(*args, **kwargs) if isinstance(msg, str) else msg)
    try:
        yield
    finally:
        range_pop()
