"""Stage peers: the same work in gpukit, torch and CuPy on the GPU; answers compared first."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import gpukit
from gpu_day.sheet import Sheet, simulated
from gpu_day.stopwatch import host_seconds, interleaved

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Peer:
    """One library: how to bring an array to the GPU and back, and how to wait."""

    name: str
    module: Any
    upload: Callable[[Array], Any]
    download: Callable[[Any], Array]
    wait: Callable[[], Any]

    def cast(self, x: Any, dtype: str) -> Any:
        if self.name == "cupy":
            return x.astype(dtype)
        return x.to(getattr(self.module, dtype))


def find_peers() -> tuple[list[Peer], list[str]]:
    """The libraries that are here and see the GPU, and why another is not."""
    peers = [
        Peer(
            "gpukit",
            gpukit,
            lambda a: gpukit.tensor(a).to("cuda"),
            lambda t: t.cpu().numpy(),
            lambda: gpukit.synchronize("cuda"),
        )
    ]
    missing = []
    if simulated():
        return peers, ["torch and CuPy cannot use a simulated GPU"]
    for name, make in {"torch": torch_peer, "cupy": cupy_peer}.items():
        try:
            peers.append(make(importlib.import_module(name)))
        except Exception as error:  # noqa: PERF203 (whatever a peer raises is its reason)
            missing.append(f"{name}: {type(error).__name__}: {error}")
    return peers, missing


def torch_peer(torch: Any) -> Peer:
    torch.zeros(1, device="cuda")
    torch.backends.cuda.matmul.allow_tf32 = False
    return Peer(
        "torch",
        torch,
        lambda a: torch.from_numpy(a).cuda(),
        lambda t: t.cpu().numpy(),
        torch.cuda.synchronize,
    )


def cupy_peer(cupy: Any) -> Peer:
    wait = cupy.cuda.Device(0).synchronize
    return Peer("cupy", cupy, cupy.asarray, cupy.asnumpy, wait)


def add_row(
    sheet: Sheet,
    peers: list[Peer],
    name: str,
    work: Callable[[Peer], Callable[[], Any]],
    *,
    rtol: float,
    amount: float = 0.0,
    unit: str = "",
) -> None:
    """Compares the answers, then measures in turn. `amount` is bytes or FLOPs of one call."""
    works = {peer.name: work(peer) for peer in peers}
    answers = {peer.name: peer.download(works[peer.name]()) for peer in peers}
    worst = max(error_of(answers["gpukit"], answer) for answer in answers.values())
    row: dict[str, Any] = {"what": name, "answers": f"agree within {worst:.1e}"}
    if not worst <= rtol:
        sheet.add(**row | {"answers": f"DIFFER by {worst:.1e} > {rtol:.0e}"})
        return
    times = interleaved({peer.name: (works[peer.name], peer.wait) for peer in peers})
    for library, (time, spread) in times.items():
        row[f"{library} us"] = round(1e6 * time, 2)
        row[f"{library} spread"] = round(spread, 3)
    for library in times:
        if library != "gpukit":
            row[f"x {library}"] = round(times[library][0] / times["gpukit"][0], 2)
    if amount:
        row[unit] = round(amount / times["gpukit"][0] / 1e9, 1)
    sheet.add(**row)


def error_of(mine: Array, theirs: Array) -> float:
    a, b = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
    scale = float(np.max(np.abs(b), initial=0.0)) or 1.0
    return float(np.max(np.abs(a - b), initial=0.0)) / scale


def random(*shape: int) -> Array:
    return np.random.default_rng(7).standard_normal(shape, dtype=np.float32)


def small_operations(sheet: Sheet, peers: list[Peer]) -> None:
    """Host time of one tiny operation."""
    row: dict[str, Any] = {"what": "x + x, 8 elements: host"}
    for peer in peers:
        x = peer.upload(random(8))
        row[f"{peer.name} us"] = round(1e6 * host_seconds(lambda x=x: x + x, peer.wait), 2)
    sheet.add(**row)


def elementwise(sheet: Sheet, peers: list[Peer]) -> None:
    """Arrays beyond the L2 cache."""
    n = 1 << 14 if simulated() else 1 << 26
    data = random(n)
    cases: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
        "x + x": (lambda _, x: x + x, 2),
        "exp(x)": (lambda m, x: m.exp(x), 2),
        "tanh(x)": (lambda m, x: m.tanh(x), 2),
        "sum(x)": (lambda _, x: x.sum(), 1),
        "max(x)": (lambda _, x: x.max(), 1),
    }
    for name, (function, passes) in cases.items():
        arrays = {peer.name: peer.upload(data) for peer in peers}
        add_row(
            sheet,
            peers,
            f"{name}, {n} float32",
            lambda p, f=function, a=arrays: lambda: f(p.module, a[p.name]),
            rtol=1e-4,
            amount=4.0 * n * passes,
            unit="GB/s",
        )


def products(sheet: Sheet, peers: list[Peer]) -> None:
    """Square products in the same precision on all sides (no TF32)."""
    sizes = [64] if simulated() else [1024, 2048, 4096, 8192]
    for dtype, rtol in {"float32": 1e-4, "float64": 1e-6, "float16": 2e-2}.items():
        for n in sizes:
            data = random(n, n)
            arrays = {peer.name: peer.cast(peer.upload(data), dtype) for peer in peers}
            add_row(
                sheet,
                peers,
                f"a @ a, {n} {dtype}",
                lambda p, a=arrays: lambda: a[p.name] @ a[p.name],
                rtol=rtol,
                amount=2.0 * n**3,
                unit="GFLOP/s",
            )


def transfers(sheet: Sheet, peers: list[Peer]) -> None:
    """Ordinary (pageable) memory, as a learner has it."""
    n = 1 << 14 if simulated() else 1 << 26
    data = random(n)
    add_row(
        sheet,
        peers,
        f"upload {4 * n} B pageable",
        lambda p: lambda: p.upload(data),
        rtol=0,
        amount=4.0 * n,
        unit="GB/s",
    )
    arrays = {peer.name: peer.upload(data) for peer in peers}
    row: dict[str, Any] = {"what": f"download {4 * n} B pageable"}
    works = {p.name: (lambda p=p: p.download(arrays[p.name]), p.wait) for p in peers}
    for library, (time, _) in interleaved(works).items():
        row[f"{library} us"] = round(1e6 * time, 2)
        if library == "gpukit":
            row["GB/s"] = round(4.0 * n / time / 1e9, 1)
    sheet.add(**row)


def main() -> None:
    sheet = Sheet()
    peers, missing = find_peers()
    for reason in missing:
        sheet.note(reason)
    for part in (small_operations, transfers, elementwise, products):
        part(sheet, peers)


if __name__ == "__main__":
    main()
