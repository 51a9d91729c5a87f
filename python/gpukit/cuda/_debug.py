"""Hidden waits for a GPU: shown as warnings, or refused. A `gpukit.watch` kept for the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpukit import _core
from gpukit._arguments import plain

if TYPE_CHECKING:
    from gpukit._devices.watch import watch

_MODES = ("default", "warn", "error")
_mode: int | None = None  # None: not set, and the environment not read yet
_watch: watch | None = None


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Warn of hidden waits for a GPU ("warn" or 1), refuse them ("error" or 2), or neither (0).

    A hidden wait is an operation that stops the program until the GPU is done: reading a value,
    printing, a copy to the CPU or an upload of ordinary memory without `non_blocking=True`.
    Explicit ones (`synchronize`, `wait`) are never reported, nor what `gpukit.allow_sync()`
    allows. The setting is for the whole process; GPUKIT_SYNC_DEBUG is its start. A refused wait
    raises DeviceError.

    Args:
        debug_mode: 0, 1 or 2, or "default", "warn" or "error".

    Raises:
        ValueError: It is another number or text.
        TypeError: It is neither.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.set_sync_debug_mode("default")
        >>> gpukit.cuda.get_sync_debug_mode()
        0
    """
    _start(_number(debug_mode))


def get_sync_debug_mode() -> int:
    """Return 0 (default), 1 (warn) or 2 (error).

    Example:
        >>> import gpukit
        >>> gpukit.cuda.get_sync_debug_mode()
        0
    """
    return _mode or 0


def start_from_environment() -> None:
    """Do what GPUKIT_SYNC_DEBUG says, unless the program said something before."""
    if _mode is None:
        _start(_MODES.index(_core.environment_text("GPUKIT_SYNC_DEBUG")))


def _number(mode: object) -> int:
    mode = plain(mode)
    if isinstance(mode, bool) or not isinstance(mode, (int, str)):
        kind = type(mode).__name__
        raise TypeError(f"set_sync_debug_mode: mode must be a text or an int, got {kind}")
    if mode in _MODES:
        return _MODES.index(mode)
    if isinstance(mode, int) and 0 <= mode < len(_MODES):
        return mode
    raise ValueError(
        f"set_sync_debug_mode: mode must be 'default', 'warn', 'error', 0, 1 or 2, got {mode!r}"
    )


def _start(mode: int) -> None:
    global _mode, _watch
    if _watch is not None:
        _watch.stop()
        _watch = None
    if mode > 0:
        from gpukit._devices.watch import DEVICE_KINDS, watch

        hidden = [kind for kind in DEVICE_KINDS if kind != "sync"]  # who asks to wait knows
        _watch = watch(_MODES[mode], include=hidden).start()
    _mode = mode
