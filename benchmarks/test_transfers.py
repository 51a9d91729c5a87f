"""Copies between host and GPU beside torch's, by the device's own clock. Needs a GPU."""

from __future__ import annotations

import pytest
from harness import Row

import gpukit
from gpukit.bench import peaks

SIZE = 64 << 20


def median_ns(copy, device):
    """Nanoseconds of a copy, device time, by gpukit's engine."""
    result = gpukit.bench(copy, device=device, transfer="none", name="copy", verbose=False)
    return 1e9 * result.median, (result.iqr or 0.0) / result.median


def torch_ns(gpu, pinned, upload):
    """The same copy in torch; nothing for a simulated card, which torch does not see."""
    import torch

    if gpu.simulated or not torch.cuda.is_available():
        return None
    host = torch.ones(SIZE, dtype=torch.uint8, pin_memory=pinned)
    there = torch.empty(SIZE, dtype=torch.uint8, device=str(gpu))
    target, source = (there, host) if upload else (host, there)
    table = gpukit.bench(
        lambda: (target.copy_(source, non_blocking=pinned), torch.cuda.synchronize()),
        device="cpu",
        name="torch",
        verbose=False,
    )
    return 1e9 * table.median


@pytest.mark.parametrize("pinned", [False, True], ids=["pageable", "pinned"])
@pytest.mark.parametrize("upload", [True, False], ids=["to the device", "to the host"])
def test_copies(record_gpu, gpu, upload, pinned):
    host = gpukit.ones(SIZE, dtype="uint8", pin_memory=pinned)
    there = gpukit.empty(SIZE, dtype="uint8", device=gpu)
    target, source = (there, host) if upload else (host, there)
    seconds, spread = median_ns(lambda: target.copy_(source, non_blocking=pinned), gpu)
    ns = {"gpukit": seconds}
    if (theirs := torch_ns(gpu, pinned, upload)) is not None:
        ns["torch"] = theirs
    if link := peaks(gpu).link:
        ns["link"] = SIZE / link
    way = "to the device" if upload else "to the host"
    name = f"64 MiB {way}, {'pinned' if pinned else 'pageable'}"
    goals = {"torch": 1.0} if "torch" in ns else {}
    note = f"{SIZE / seconds:.1f} GB/s"
    record_gpu(Row("transfers", name, ns, dict.fromkeys(ns, spread), goals, note))


def test_copy_inside_the_device(record_gpu, gpu):
    source = gpukit.ones(SIZE, dtype="uint8", device=gpu)
    target = gpukit.empty(SIZE, dtype="uint8", device=gpu)
    seconds, spread = median_ns(lambda: target.copy_(source), gpu)
    ns = {"gpukit": seconds}
    goals = {}
    if not gpu.simulated:
        # Each byte is read and written; nine tenths of the datasheet is the goal.
        ns["datasheet"] = 2 * SIZE / peaks(gpu).bandwidth
        goals["datasheet"] = 0.9
    note = f"{2 * SIZE / seconds:.0f} GB/s read and written"
    name = "64 MiB inside the device"
    record_gpu(Row("transfers", name, ns, dict.fromkeys(ns, spread), goals, note))
