"""One sample of a function's time on a device, taken so that it means what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gpukit


@dataclass(frozen=True)
class Sample:
    """Times of one sample, in seconds a call.

    `wall` is the host clock from before the call until the device is done. `device` is the time
    between two events around the work. `naive` is what a stopwatch without synchronise would have
    shown.
    """

    wall: float
    device: float | None
    naive: float


class DeviceClock:
    """Times calls on one device: the host clock on the CPU, events and the host clock on a GPU."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self._is_cuda = device.type == "cuda"
        if self._is_cuda:
            with gpukit.cuda.device(device):
                self._start = gpukit.cuda.Event(enable_timing=True)
                self._stop = gpukit.cuda.Event(enable_timing=True)

    def sample(self, call: Callable[[], Any], inner: int = 1) -> Sample:
        """Synchronises, runs `call` `inner` times, waits, and gives the time of one call."""
        if not self._is_cuda:
            return self._host_sample(call, inner)
        with gpukit.cuda.device(self.device):
            return self._device_sample(call, inner)

    def _host_sample(self, call: Callable[[], Any], inner: int) -> Sample:
        begin = perf_counter()
        for _ in range(inner):
            call()
        wall = (perf_counter() - begin) / inner
        return Sample(wall, None, wall)

    def _device_sample(self, call: Callable[[], Any], inner: int) -> Sample:
        gpukit.synchronize(self.device)
        begin = perf_counter()
        self._start.record()
        for _ in range(inner):
            call()
        self._stop.record()
        launched = perf_counter()
        self._stop.synchronize()
        end = perf_counter()
        device = self._start.elapsed_time(self._stop) / 1e3
        return Sample((end - begin) / inner, device / inner, (launched - begin) / inner)
