"""The virtual clock: what it charges, in which order, and never beside a measured time."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

import gpukit
from gpukit._simulation import session
from gpukit.errors import SimulationError


def in_a_simulation(program: str, *arguments: str) -> str:
    """Run a program that begins its own simulation; returns what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", "import gpukit\n" + program, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "GPUKIT_SIMULATE": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def events_of(what: str, simulation: str = "1, 'T4', launch_us=5") -> list[tuple[str, float, int]]:
    """(what, microseconds, bytes) of the events that the work leaves, after a warm start."""
    program = f"""
with gpukit.simulate({simulation}) as simulation:
    x = gpukit.ones(1 << 20, device="cuda:0")
    m = gpukit.ones(512, 512, device="cuda:0")
    (x + x, m @ m)
    gpukit.cuda.synchronize()
    before = len(simulation.events())
    {what}
    gpukit.cuda.synchronize()
    for e in simulation.events()[before:]:
        print(e.what, (e.end_ms - e.start_ms) * 1e3, e.bytes, sep="|")
"""
    rows = [line.split("|") for line in in_a_simulation(program).splitlines()]
    return [(what, float(time), int(size)) for what, time, size in rows]


def test_a_kernel_costs_its_launch_and_its_bytes() -> None:
    (event,) = [e for e in events_of("y = x + x") if e[0].startswith("gk_")]
    name, microseconds, size = event
    assert name == "gk_add_f32"
    assert size == 3 * 4 << 20
    assert microseconds == pytest.approx(5 + size / 320e3, rel=0.01)  # a T4 moves 320 GB/s


def test_a_product_costs_its_arithmetic() -> None:
    (event,) = [e for e in events_of("y = m @ m") if e[0] == "product"]
    flops, peak = 2 * 512**3, 2 * 40 * 64 * 1.59e9
    assert event[1] == pytest.approx(5 + flops / peak * 1e6, rel=0.01)


def test_small_work_costs_its_launch() -> None:
    small = [e for e in events_of("y = gpukit.ones(4, device='cuda:0') * 2") if e[2] < 1000]
    assert small
    assert all(5 <= e[1] < 6 for e in small if e[0].startswith("gk_"))


def test_a_faster_card_is_faster() -> None:
    slow = sum(e[1] for e in events_of("y = x * 2"))
    fast = sum(e[1] for e in events_of("y = x * 2", "1, 'RTX 2080 Ti', launch_us=5"))
    assert fast < slow


def test_copies_cost_the_link() -> None:
    found = [e for e in events_of("y = x.cpu()", "1, 'T4', link_gbps=4") if e[0] == "copy to host"]
    assert found
    moved = sum(e[2] for e in found)
    assert moved == 4 << 20
    assert sum(e[1] for e in found) >= moved / 4e3


def test_the_clock_only_goes_on() -> None:
    out = in_a_simulation(
        """
with gpukit.simulate(2, "T4") as simulation:
    marks = [simulation.clock_ms("cuda:1")]
    for _ in range(3):
        gpukit.ones(1000, device="cuda:1").sum().item()
        marks.append(simulation.clock_ms(1))
    assert marks == sorted(marks) and marks[-1] > marks[0], marks
    assert {e.device for e in simulation.events()} == {"cuda:1"}
    ends = [e.end_ms for e in simulation.events()]
    assert max(ends) <= simulation.clock_ms(1) + 1e-9
print("ok")
try:
    simulation.events()
except gpukit.SimulationError as error:
    print(error)
"""
    )
    assert out.splitlines() == ["ok", "events: the simulation has ended"]


def test_real_time_sleeps_what_the_model_charges() -> None:
    out = in_a_simulation(
        """
import time
with gpukit.simulate(1, "T4", launch_us=200000, realtime=True):
    x = gpukit.ones(4, device="cuda:0")
    gpukit.cuda.synchronize()
    start = time.perf_counter()
    x + 1
    queued = time.perf_counter() - start
    gpukit.cuda.synchronize()
    print(queued, time.perf_counter() - start)
"""
    )
    queued, waited = map(float, out.split())
    assert queued < 0.1
    assert 0.2 <= waited < 2


def test_simulated_times_are_never_compared_with_measured_ones() -> None:
    options = {"verbose": False, "max_time": 0.05, "min_time": 0.01}
    simulated = gpukit.bench(gpukit.ones, 8, device="cuda:0", **options)
    measured = gpukit.bench(gpukit.ones, 8, device="cpu", **options)
    assert type(simulated) is not type(measured)
    with pytest.raises(SimulationError, match="simulated"):
        _ = simulated < measured
    with pytest.raises(SimulationError, match="simulated"):
        _ = measured < simulated


def test_events_of_the_session() -> None:
    assert session._active is not None
    start = time.monotonic()
    gpukit.ones(3, device="cuda:0").sum().item()
    last = session._active.events()[-1]
    assert last.device == "cuda:0"
    assert time.monotonic() - start < 10


def test_arguments_may_be_numpys_numbers() -> None:
    said = in_a_simulation("""
import numpy as np

class Two:
    def __index__(self):
        return 2

given = {"memory": np.int64(1 << 28), "link_gbps": np.float64(3.5), "launch_us": np.float32(2)}
for n in (np.int64(2), np.int8(2), Two()):
    with gpukit.simulate(n, seed=np.int32(4), **given) as running:
        print(running.text, gpukit.num_gpus())
""")
    line = "2xT4,mem=268435456,link_gbps=3.5,launch_us=2.0,order=rnd:4 2"
    assert said.split("\n")[:3] == [line] * 3
