"""Hidden waits for a GPU: shown as warnings, or refused."""

from __future__ import annotations

from gpukit import _core


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Warn of hidden waits for a GPU ("warn" or 1), refuse them ("error" or 2), or neither (0).

    A hidden wait is an operation that stops the program until the GPU is done: reading a value,
    printing, a copy to the CPU or an upload of ordinary memory without `non_blocking=True`.
    Explicit ones (`synchronize`, `wait`) are never reported. The setting is for the whole process;
    GPUKIT_SYNC_DEBUG is its start. Raises ValueError and TypeError.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.set_sync_debug_mode("default")
        >>> gpukit.cuda.get_sync_debug_mode()
        0
    """
    _core.set_sync_debug_mode(debug_mode)


def get_sync_debug_mode() -> int:
    """Return 0 (default), 1 (warn) or 2 (error).

    Example:
        >>> import gpukit
        >>> gpukit.cuda.get_sync_debug_mode()
        0
    """
    return _core.get_sync_debug_mode()
