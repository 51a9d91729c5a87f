"""The current stream inside a `with` block."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from gpukit import _core

if TYPE_CHECKING:
    from typing_extensions import Self


class stream:
    """Makes a stream, and its device, the current one inside a `with` block (this thread only).

    Args:
        stream: a `gpukit.cuda.Stream`, or None for no change.

    Example:
        >>> import gpukit
        >>> with gpukit.cuda.stream(None):
        ...     pass
    """

    def __init__(self, stream: _core.Stream | None) -> None:
        if stream is not None and not isinstance(stream, _core.Stream):
            raise TypeError(f"cuda.stream: stream must be a gpukit.cuda.Stream, got {stream!r}")
        self.stream = stream
        self._before: list[tuple[int, _core.Stream]] = []

    def __enter__(self) -> Self:
        if self.stream is not None:
            device = self.stream.device
            self._before.append((_core.current_cuda_index(), _core.current_stream(device)))
            _core.switch_cuda_index(device.index)
            _core.set_current_stream(self.stream)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before:
            index, before = self._before.pop()
            _core.set_current_stream(before)
            _core.switch_cuda_index(index)
