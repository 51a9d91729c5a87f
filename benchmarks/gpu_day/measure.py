"""Stage measure: launch cost, transfers by size, device copy rate, matrix products by dtype.

The products once more in a process without cuBLAS: gpukit's own kernels.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np

import gpukit
from gpu_day.sheet import Sheet, simulated
from gpu_day.stopwatch import host_seconds, seconds

DEVICE = gpukit.device("cuda", 0)
MIB = 1 << 20
SIZES = [MIB] if simulated() else [1 << 10, 64 << 10, MIB, 16 * MIB, 256 * MIB]
PRODUCTS = [128] if simulated() else [1024, 2048, 4096, 8192, 16384]
DTYPES = ["float32", "float64", "float16", "bfloat16"]
OWN_PRODUCTS = os.environ.get("GPUKIT_CUBLAS") == "none"
OWN_LARGEST = 4096
COPY_BYTES = MIB if simulated() else 2048 * MIB


def wait() -> None:
    gpukit.synchronize(DEVICE)


def launches(sheet: Sheet) -> None:
    """What the host pays for one tiny operation, and what one takes when many are queued."""
    x = gpukit.ones(8, device=DEVICE)
    sheet.add(what="x + x, 8 elements: host", us=1e6 * host_seconds(lambda: x + x, wait))
    sheet.add(what="x + x, 8 elements: queued", us=1e6 * seconds(lambda: x + x, wait)[0])
    sheet.add(what="x.sum().item()", us=1e6 * seconds(lambda: x.sum().item(), wait)[0])


def transfers(sheet: Sheet) -> None:
    """Both directions, pageable and pinned."""
    for size in SIZES:
        pageable = gpukit.tensor(np.random.default_rng(0).random(size // 8))
        pinned = pageable.pin_memory()
        there = pageable.to(DEVICE)
        ways = {
            "h2d pageable": lambda p=pageable: p.to(DEVICE),
            "h2d pinned": lambda p=pinned: p.to(DEVICE, non_blocking=True),
            "d2h pageable": lambda t=there: t.to("cpu"),
            "d2h pinned": lambda t=there, p=pinned: p.copy_(t, non_blocking=True),
        }
        for name, work in ways.items():
            time, spread = seconds(work, wait)
            sheet.add(what=name, bytes=size, us=1e6 * time, gbps=size / time / 1e9, spread=spread)


def device_copy(sheet: Sheet) -> None:
    """A tensor's clone beyond the caches: bytes read and written."""
    x = gpukit.rand(COPY_BYTES // 4, device=DEVICE)
    y = gpukit.empty_like(x)
    time, spread = seconds(lambda: y.copy_(x), wait)
    rate = 2 * COPY_BYTES / time / 1e9
    sheet.add(what="d2d copy", bytes=COPY_BYTES, us=1e6 * time, gbps=rate, spread=spread)


def products(sheet: Sheet) -> None:
    """Square products of random numbers; TF32 apart from float32."""
    for dtype in DTYPES:
        for n in PRODUCTS:
            if OWN_PRODUCTS and n > OWN_LARGEST:
                continue
            a = gpukit.randn(n, n, device=DEVICE).to(dtype)
            for mode in ["highest", "high"] if dtype == "float32" else ["highest"]:
                gpukit.set_float32_matmul_precision(mode)
                time, spread = seconds(lambda a=a: a @ a, wait)
                name = f"{dtype} {'tf32 ' if mode == 'high' else ''}{n}x{n}"
                name += ", own kernel" if OWN_PRODUCTS else ""
                rate = 2 * n**3 / time / 1e12
                sheet.add(what=name, us=1e6 * time, tflops=rate, spread=spread)
    gpukit.set_float32_matmul_precision("highest")


def products_without_cublas(sheet: Sheet) -> None:
    """The rows of a process of its own, which does not load cuBLAS."""
    file = sheet.file.with_suffix(".own")
    environment = {**os.environ, "GPUKIT_CUBLAS": "none"}
    command = [sys.executable, "-m", "gpu_day.measure", str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"] if file.exists() else []
    file.unlink(missing_ok=True)
    for row in rows:
        sheet.add(**row)
    if done.returncode:
        raise RuntimeError(f"products without cuBLAS: {done.stderr[-1000:]}")


def main() -> None:
    sheet = Sheet()
    if OWN_PRODUCTS:
        products(sheet)
        return
    for part in (launches, transfers, device_copy, products, products_without_cublas):
        part(sheet)


if __name__ == "__main__":
    main()
