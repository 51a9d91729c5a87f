"""Stage peers: the same work in gpukit, torch and CuPy on the GPU; results compared first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpu_day import programs
from gpu_day.chains import chains
from gpu_day.libraries import Library, find_libraries, random
from gpu_day.rows import add_row, add_times
from gpu_day.sheet import Sheet, simulated
from gpu_day.stopwatch import host_seconds

ELEMENTS = 1 << 14 if simulated() else 1 << 26
SLOW_S = 0.1
LINES = 64 if simulated() else 1 << 16


def small_operations(sheet: Sheet, libraries: list[Library]) -> None:
    """Host time of one tiny operation."""
    row: dict[str, Any] = {"what": "x + x, 8 elements: host"}
    for library in libraries:
        x = library.upload(random(8))
        row[f"{library.name} us"] = round(1e6 * host_seconds(lambda x=x: x + x, library.wait), 2)
    sheet.add(**row)


def bandwidth(sheet: Sheet, libraries: list[Library]) -> None:
    """Arrays beyond the L2 cache, in bytes read and written."""
    data = random(ELEMENTS)
    arrays = {library.name: library.upload(data) for library in libraries}
    cases: dict[str, tuple[Callable[[Library, Any], Any], int]] = {
        "copy": (lambda p, x: p.clone(x), 2),
        "x + x": (lambda _, x: x + x, 2),
        "exp(x)": (lambda p, x: p.module.exp(x), 2),
        "tanh(x)": (lambda p, x: p.module.tanh(x), 2),
        "sum(x)": (lambda _, x: x.sum(), 1),
        "max(x)": (lambda _, x: x.max(), 1),
    }
    for name, (function, passes) in cases.items():
        add_row(
            sheet,
            libraries,
            f"{name}, {ELEMENTS} float32",
            lambda p, f=function: lambda: f(p, arrays[p.name]),
            rtol=1e-4,
            amount=4.0 * ELEMENTS * passes,
            unit="GB/s",
        )


def softmax(sheet: Sheet, libraries: list[Library]) -> None:
    """Along rows of 1024, which CuPy has no function for."""
    tensors = [library for library in libraries if library.has_tensors]
    data = random(LINES, 1024)
    arrays = {library.name: library.upload(data) for library in tensors}
    add_row(
        sheet,
        tensors,
        f"softmax, {LINES}x1024 float32",
        lambda p: lambda: p.module.softmax(arrays[p.name], dim=1),
        rtol=1e-4,
        amount=8.0 * data.size,
        unit="GB/s",
    )


def set_precision(libraries: list[Library], mode: str) -> None:
    for library in libraries:
        if library.has_tensors:
            library.module.set_float32_matmul_precision(mode)


def products(sheet: Sheet, libraries: list[Library]) -> None:
    """Square products, in the same precision on all sides; TF32 only where it is named."""
    sizes = [64] if simulated() else [1024, 2048, 4096, 8192, 16384]
    tensors = [library for library in libraries if library.has_tensors]
    cases = {
        "float32": ("highest", libraries, 1e-4),
        "float32 by tf32": ("high", tensors, 5e-3),
        "float64": ("highest", libraries, 1e-6),
        "float16": ("highest", libraries, 2e-2),
        "bfloat16": ("highest", tensors, 8e-2),
    }
    for name, (precision, those, rtol) in cases.items():
        set_precision(libraries, precision)
        for n in sizes:
            data = random(n, n)
            dtype = name.split(maxsplit=1)[0]
            arrays = {library.name: library.cast(library.upload(data), dtype) for library in those}
            own = add_row(
                sheet,
                those,
                f"a @ a, {n} {name}",
                lambda p, a=arrays: lambda: a[p.name] @ a[p.name],
                rtol=rtol,
                amount=2.0 * n**3,
                unit="GFLOP/s",
            )
            if own > SLOW_S:  # the next takes eight times as long, for each sample of each library
                break
    set_precision(libraries, "highest")


def transfers(sheet: Sheet, libraries: list[Library]) -> None:
    """Ordinary (pageable) memory, as a learner has it, and pinned memory."""
    data = random(ELEMENTS)
    amount = 4.0 * data.size
    add_row(
        sheet,
        libraries,
        f"upload {data.nbytes} B pageable",
        lambda p: lambda: p.upload(data),
        rtol=0,
        amount=amount,
        unit="GB/s",
    )
    arrays = {library.name: library.upload(data) for library in libraries}
    home: dict[str, Callable[[], Any]] = {
        p.name: (lambda p=p: arrays[p.name].cpu() if p.has_tensors else p.download(arrays[p.name]))
        for p in libraries
    }
    ending: dict[str, Any] = {"amount": amount, "unit": "GB/s"}
    add_times(sheet, libraries, {"what": f"download {data.nbytes} B pageable"}, home, **ending)
    tensors = [library for library in libraries if library.has_tensors]
    pinned = {p.name: arrays[p.name].cpu().pin_memory() for p in tensors}
    up: dict[str, Callable[[], Any]] = {
        p.name: (lambda x=pinned[p.name]: x.to("cuda", non_blocking=True)) for p in tensors
    }
    down: dict[str, Callable[[], Any]] = {
        p.name: (lambda x=pinned[p.name], y=arrays[p.name]: x.copy_(y, non_blocking=True))
        for p in tensors
    }
    add_times(sheet, tensors, {"what": f"upload {data.nbytes} B pinned"}, up, **ending)
    add_times(sheet, tensors, {"what": f"download {data.nbytes} B pinned"}, down, **ending)


# The most informative first; products, which take longest, last.
PARTS = (
    small_operations,
    bandwidth,
    softmax,
    programs.training_steps,
    programs.logs,
    programs.overlap,
    programs.python_threads,
    transfers,
    chains,
    products,
)


def main() -> None:
    sheet = Sheet()
    libraries, missing = find_libraries()
    for reason in missing:
        sheet.note(reason)
    for part in PARTS:
        part(sheet, libraries)


if __name__ == "__main__":
    main()
