"""The same work in several libraries, in turn: results compared first, then medians and spread."""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import Any

import numpy as np
import torch
from alone import GROUPS

import gpukit

torch.set_num_threads(gpukit.get_num_threads())

Work = Callable[[], Any]


@dataclass
class Row:
    """One line of the report: nanoseconds a call by library, ratios against the goal."""

    group: str
    name: str
    ns: dict[str, float]
    spread: dict[str, float]
    goals: dict[str, float] = field(default_factory=dict)
    note: str = ""

    def ratio(self, peer: str) -> float:
        """How many times as fast as the peer gpukit is."""
        return self.ns[peer] / self.ns["gpukit"]

    def meets(self, peer: str) -> bool:
        return self.ratio(peer) >= self.goals[peer]


def triple(shape: tuple[int, ...], seed: int = 0) -> tuple[Any, Any, Any]:
    """The same random float32 values in gpukit, NumPy and torch."""
    data = np.random.default_rng(seed).random(shape, dtype=np.float32)
    return gpukit.tensor(data), data, torch.tensor(data)


def inner_count(work: Work, target_ns: float = 2e5) -> int:
    """Calls a sample so that a sample lasts about `target_ns`."""
    begin = perf_counter_ns()
    work()
    once = max(perf_counter_ns() - begin, 50)
    return max(1, min(20_000, math.ceil(target_ns / once)))


def sample(work: Work, inner: int) -> float:
    """Nanoseconds of one call."""
    begin = perf_counter_ns()
    for _ in range(inner):
        work()
    return (perf_counter_ns() - begin) / inner


def interleaved(
    works: Mapping[str, Work], rounds: int = 40, budget_s: float = 4.0
) -> dict[str, list[float]]:
    """Samples of each library in turn, so that a drift of the machine meets all of them."""
    inner = {name: inner_count(work) for name, work in works.items()}
    for name, work in works.items():
        for _ in range(3):
            sample(work, inner[name])
    times: dict[str, list[float]] = {name: [] for name in works}
    gc.collect()
    gc.disable()
    begin = perf_counter_ns()
    try:
        for _ in range(rounds):
            for name, work in works.items():
                times[name].append(sample(work, inner[name]))
            if perf_counter_ns() - begin > budget_s * 1e9 and len(times[name]) >= 5:
                break
    finally:
        gc.enable()
    return times


def as_array(value: Any) -> np.ndarray:
    """Any library's answer as float64."""
    if isinstance(value, torch.Tensor):
        value = value.double().numpy()
    elif isinstance(value, gpukit.Tensor):
        value = value.to(gpukit.float64).numpy()
    return np.asarray(value, dtype=np.float64)


def assert_same(answers: Mapping[str, Any], rtol: float) -> None:
    """All results agree with gpukit's, relative to the largest element."""
    mine = as_array(answers["gpukit"])
    for name, answer in answers.items():
        theirs = as_array(answer)
        assert mine.shape == theirs.shape, f"{name}: shape {theirs.shape}, gpukit {mine.shape}"
        scale = float(np.max(np.abs(theirs), initial=0.0)) or 1.0
        error = float(np.max(np.abs(mine - theirs), initial=0.0)) / scale
        assert error <= rtol, f"{name} and gpukit differ by {error:.2g} > {rtol:.2g}"


def alone(
    group: str, rounds: int = 5, threads: int | None = None
) -> dict[str, dict[str, list[float]]]:
    """Nanoseconds by case and library of a group of alone.py, from fresh processes in turn."""
    count = str(threads or gpukit.get_num_threads())
    times: dict[str, dict[str, list[float]]] = {name: {} for name in GROUPS[group]}
    program = str(Path(__file__).with_name("alone.py"))
    for _ in range(rounds):
        for library in ("gpukit", "numpy", "torch"):
            command = [sys.executable, program, library, group, count]
            # NumPy takes its threads from here; gpukit and torch are told.
            given = os.environ | {"OPENBLAS_NUM_THREADS": count}
            done = subprocess.run(command, capture_output=True, check=True, text=True, env=given)
            text = done.stdout
            for name, seen in json.loads(text).items():
                times[name].setdefault(library, []).extend(seen)
    return times


def alone_row(group: str, name: str, times: Mapping[str, list[float]]) -> Row:
    """Compares the answers of a case of alone.py in this process, then makes its row."""
    case = GROUPS[group][name]
    answers = {library: case.in_library(library)() for library in case.libraries}
    assert_same(answers, case.rtol)
    return row_of(group, name, times, case.goals, "fresh processes")


def compare(
    group: str,
    name: str,
    works: Mapping[str, Work],
    goals: Mapping[str, float],
    *,
    rtol: float = 1e-5,
    check: bool = True,
    note: str = "",
    budget_s: float = 4.0,
) -> Row:
    """Compares the answers, then measures; `goals` are least ratios, peer's time to gpukit's."""
    if check:
        assert_same({library: work() for library, work in works.items()}, rtol)
    return row_of(group, name, interleaved(works, budget_s=budget_s), goals, note)


def row_of(
    group: str,
    name: str,
    times: Mapping[str, list[float]],
    goals: Mapping[str, float],
    note: str = "",
) -> Row:
    """Medians of nanoseconds by library; the spread is the middle half."""
    quarters = {k: np.percentile(v, [25, 75]) for k, v in times.items()}
    return Row(
        group,
        name,
        {k: median(v) for k, v in times.items()},
        {k: float(q[1] - q[0]) / median(times[k]) for k, q in quarters.items()},
        dict(goals),
        note,
    )
