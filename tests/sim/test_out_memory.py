"""out= on a device takes the memory of the result and no other."""

from __future__ import annotations

import gpukit


def test_out_takes_no_memory_besides():
    device = "cuda:0"
    x, y = gpukit.rand(256, 256, device=device), gpukit.rand(256, 256, device=device)
    out, row = gpukit.zeros(256, 256, device=device), gpukit.zeros(256, device=device)
    calls = [
        lambda: gpukit.add(x, y, out=out),
        lambda: gpukit.add(x, y[0], out=out.T),
        lambda: gpukit.tanh(out, out=out),
        lambda: gpukit.where(x > 0.5, x, y, out=out),
        lambda: gpukit.clamp(x, 0.1, 0.2, out=out),
        lambda: gpukit.matmul(x, y.T, out=out),
        lambda: gpukit.sum(x, dim=1, out=row),
        lambda: gpukit.amax(x, 0, out=row),
        lambda: gpukit.mv(x, y[0], out=row),
    ]
    for call in calls:
        call()
        held = gpukit.cuda.memory_allocated(0)
        gpukit.cuda.reset_peak_memory_stats(0)
        call()
        assert gpukit.cuda.max_memory_allocated(0) - held < x.nbytes
