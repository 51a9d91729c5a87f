"""What a thread chose in an ended simulation is forgotten when another begins."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import gpukit
from support.simulation import simulation


def choose_second() -> None:
    gpukit.cuda.set_device(1)
    gpukit.cuda.set_stream(gpukit.cuda.Stream(1))


def seen() -> tuple[int, str, bool]:
    stream = gpukit.cuda.current_stream()
    made = gpukit.ones(1, device="cuda")
    return gpukit.cuda.current_device(), str(made.device), stream == gpukit.cuda.default_stream()


def test_another_simulation_begins_with_the_first_device() -> None:
    with ThreadPoolExecutor(1) as other_thread:
        with simulation(2):
            choose_second()
            other_thread.submit(choose_second).result()
            assert seen() == (1, "cuda:1", False)
        with simulation(1):
            assert seen() == (0, "cuda:0", True)
            assert other_thread.submit(seen).result() == (0, "cuda:0", True)
