"""Tensors of one size between the GPUs of a process: by NCCL where it works, else by copies."""

from __future__ import annotations

from collections.abc import Sequence

from gpukit import _core
from gpukit.errors import GpukitError


class Exchange:
    """Between devices that are all different, of which the first is home."""

    def __init__(self, devices: Sequence[_core.device]) -> None:
        self._devices = list(devices)
        self._verdict: tuple[int, bool] | None = None  # of a session

    def broadcast(self, tensors: Sequence[_core.Tensor]) -> None:
        """Give all of them, one a device, what the first has."""
        from gpukit.cuda import nccl

        if self._is_by_nccl(tensors):
            nccl.broadcast(tensors)
            return
        for each in tensors[1:]:
            each.copy_(tensors[0])

    def reduce(self, tensors: Sequence[_core.Tensor]) -> None:
        """Add all of them up in the first."""
        from gpukit.cuda import nccl

        if self._is_by_nccl(tensors):
            nccl.reduce(tensors)
            return
        for each in tensors[1:]:
            tensors[0].add_(each.to(tensors[0].device))

    def _is_by_nccl(self, tensors: Sequence[_core.Tensor]) -> bool:
        from gpukit.cuda import nccl

        if not all(each.is_cuda for each in tensors):
            return False
        if self._verdict is None or self._verdict[0] != _core.session_id():
            self._verdict = _core.session_id(), self._works()
        return self._verdict[1] and nccl.is_available(tensors)

    def _works(self) -> bool:
        """Whether NCCL connects these devices: two of them may be logical ones of one card."""
        from gpukit.cuda import nccl

        try:
            nccl.all_reduce([_core.ones((1,), device=each) for each in self._devices])
        except GpukitError:
            return False
        return True
