"""signal.windows on every device, and what is refused."""

from __future__ import annotations

import pytest

import gpukit
from gpukit.signal import windows

NAMES = [name for name in windows.__all__ if name != "general_cosine"]


@pytest.mark.parametrize("name", NAMES)
def test_on_the_device(name, device):
    window = getattr(windows, name)(6, device=device)
    assert window.device == device
    on_cpu = getattr(windows, name)(6)
    assert window.tolist() == pytest.approx(on_cpu.tolist(), abs=1e-7)
    assert on_cpu.tolist() == pytest.approx(on_cpu.flip(0).tolist(), abs=1e-7)


def test_what_is_refused():
    with pytest.raises(gpukit.ArgumentError, match="exponential: tau must be above 0, got -1"):
        windows.exponential(4, tau=-1)
    with pytest.raises(gpukit.ArgumentError, match=r"got 1\.0\. Use sym=False"):
        windows.exponential(4, center=1.0)
    with pytest.raises(gpukit.DTypeError, match="hann: dtype must be float32 or float64, got"):
        windows.hann(4, dtype=gpukit.int32)
    with pytest.raises(ValueError, match="kaiser: beta must be 0 or more, got nan"):
        windows.kaiser(4, beta=float("nan"))
    with pytest.raises(gpukit.ArgumentError, match=r"layout must be gpukit\.strided"):
        windows.hann(4, layout="dense")
