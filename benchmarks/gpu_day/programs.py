"""Rows of the stage `peers` that are programs, not single operations."""

from __future__ import annotations

from typing import Any

import numpy as np

import gpukit
from gpu_day.libraries import Array, Library
from gpu_day.rows import add_row
from gpu_day.sheet import Sheet, simulated

STEPS = 2 if simulated() else 50
BATCHES = (32,) if simulated() else (32, 1024)
NORMS = 10 if simulated() else 1000
COPY = "256KiB" if simulated() else "256MiB"


class Trainer:
    """An MLP 20-256-relu-10 with SGD: the same weights and batch in either library."""

    def __init__(self, library: Library, rows: int) -> None:
        module, rng = library.module, np.random.default_rng(0)
        nn = module.nn
        self.loss = nn.functional.cross_entropy
        self.net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10)).to("cuda")
        for parameter in self.net.parameters():
            values = rng.uniform(-0.1, 0.1, tuple(parameter.shape)).astype(np.float32)
            parameter.detach().copy_(library.upload(values))
        self.x = library.upload(rng.standard_normal((rows, 20)).astype(np.float32))
        self.target = module.tensor(rng.integers(0, 10, rows)).to("cuda")
        self.optimizer = module.optim.SGD(self.net.parameters(), lr=1e-3)

    def steps(self) -> Any:
        """Some steps; the last loss, which no one waits for."""
        for _ in range(STEPS):
            self.optimizer.zero_grad()
            loss = self.loss(self.net(self.x), self.target)
            loss.backward()
            self.optimizer.step()
        return loss.detach()

    def captured(self) -> Any:
        """The same steps as one graph of gpukit."""
        graph = gpukit.cuda.CUDAGraph()
        with gpukit.cuda.graph(graph):
            loss = self.steps()

        def replay() -> Any:
            graph.replay()
            return loss

        return replay


def training_steps(sheet: Sheet, libraries: list[Library]) -> None:
    """Steps of a small and of a larger batch. The first answers are losses after equal steps."""
    tensors = [library for library in libraries if library.has_tensors]
    for rows in BATCHES:
        trainers = {library.name: Trainer(library, rows) for library in tensors}
        add_row(
            sheet,
            tensors,
            f"{STEPS} steps of an MLP, batch {rows}",
            lambda p, t=trainers: t[p.name].steps,
            rtol=1e-3,
        )
        again = {library.name: Trainer(library, rows) for library in tensors}
        add_row(
            sheet,
            tensors,
            f"{STEPS} steps of an MLP, batch {rows}, gpukit's captured",
            lambda p, t=again: t[p.name].captured() if p.name == "gpukit" else t[p.name].steps,
            rtol=1e-3,
        )


def logs(sheet: Sheet, libraries: list[Library]) -> None:
    """A loop of products and their norms: kept in a list, in gpukit's log, and read one by one."""
    a: Array = np.random.default_rng(3).random((100, 100), dtype=np.float32)
    tensors = [library for library in libraries if library.has_tensors]
    arrays = {library.name: library.upload(a) for library in tensors}

    def kept(library: Library) -> Any:
        x = arrays[library.name]
        return lambda: library.module.stack([(x @ x).norm() for _ in range(NORMS)])

    def read(library: Library) -> Any:
        x, stack = arrays[library.name], library.module.tensor
        return lambda: stack([(x @ x).norm().item() for _ in range(NORMS)])

    def logged(library: Library) -> Any:
        x = arrays[library.name]

        def loop() -> Any:
            log = gpukit.DeviceLog(NORMS, device="cuda")
            for _ in range(NORMS):
                log.append((x @ x).norm())
            return gpukit.tensor(log.numpy())

        return loop

    add_row(sheet, tensors, f"{NORMS} norms kept", kept, rtol=1e-4)
    add_row(sheet, tensors, f"{NORMS} norms, item() each", read, rtol=1e-4)
    add_row(sheet, tensors[:1], f"{NORMS} norms in a DeviceLog", logged, rtol=1e-4)


def overlap(sheet: Sheet, _: list[Library]) -> None:
    """Copies beside products: the hidden part of the shorter, and a Python thread's rate."""
    for row in gpukit.bench.overlap("cuda", COPY).rows:
        share, python = f"{100 * row['overlap']:.0f} %", f"{row['python']:.0f} %"
        sheet.add(what=f"overlap: {row['what']}", overlap=share, python=python)


def python_threads(sheet: Sheet, _: list[Library]) -> None:
    """What a Python thread keeps of its rate during calls of gpukit and of torch."""
    for row in gpukit.bench.gil("cuda", COPY).rows:
        what = f"Python thread during {row['what']} ({row['library']})"
        sheet.add(what=what, python=f"{row['share']:.0f} %", stall_us=1e6 * row["longest_stall"])
