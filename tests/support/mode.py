"""The mode of this test process: cpu, sim or gpu, chosen by GPUKIT_TEST_MODE before import.

Importing this module sets the environment for the mode; conftest.py does so first of all.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
PROJECT = TESTS.parent
SIMULATION = "2xT4"


@dataclass(frozen=True)
class Mode:
    """What a mode runs."""

    name: str
    folders: frozenset[str]

    def runs(self, relative: Path) -> bool:
        """Whether the mode runs this file of tests/."""
        without_driver = relative.name.startswith("test_no_driver")
        if relative.parts[0] == "driver":
            return without_driver == (self.name == "cpu")
        return len(relative.parts) == 1 or relative.parts[0] in self.folders


MODES = {
    "cpu": Mode("cpu", frozenset({"layout", "unit", "backend", "lessons"})),
    "sim": Mode("sim", frozenset({"layout", "unit", "backend", "driver", "sim", "cpp", "lessons"})),
    "gpu": Mode("gpu", frozenset({"unit", "backend", "driver", "gpu", "lessons"})),
}


def choose_mode() -> Mode:
    """The mode of the environment; default sim, which needs no hardware."""
    name = os.environ.setdefault("GPUKIT_TEST_MODE", "sim")
    if name not in MODES:
        raise ValueError(f"GPUKIT_TEST_MODE={name!r}: use one of {', '.join(MODES)}")
    return MODES[name]


def apply(mode: Mode) -> None:
    """Set what gpukit reads, for this process and its children."""
    if mode.name == "sim":
        os.environ.setdefault("GPUKIT_SIMULATE", SIMULATION)
        os.environ.pop("GPUKIT_LIBCUDA", None)
        return
    os.environ.pop("GPUKIT_SIMULATE", None)
    if mode.name == "cpu":
        os.environ["GPUKIT_LIBCUDA"] = "none"


MODE = choose_mode()
apply(MODE)
# GPUKIT_TEST_DEVICES=one: each test on one GPU, chosen by its name; two: on the CPU as well.
FEW_DEVICES = os.environ.get("GPUKIT_TEST_DEVICES", "all")
# Rounds of a long job; 0 in the plain suite.
LONG_RUN = int(os.environ.get("GPUKIT_TEST_LONG") or 0)


def fault() -> str | None:
    """Why the mode is not really on; None if it is."""
    import gpukit

    count = gpukit.cuda.device_count()
    simulated = [gpukit.device("cuda", index).simulated for index in range(count)]
    if MODE.name == "cpu" and count:
        return f"mode cpu, but {count} CUDA devices exist"
    if MODE.name == "sim" and (count < 2 or not all(simulated)):
        reason = gpukit.cuda.why_unavailable()
        return f"mode sim wants 2 simulated devices, found {count}, simulated {simulated}: {reason}"
    if MODE.name == "gpu" and (not count or any(simulated)):
        reason = gpukit.cuda.why_unavailable()
        return f"mode gpu wants a real GPU, found {count}, simulated {simulated}: {reason}"
    return None


def device_names() -> list[str]:
    """The devices that tests of this mode run on."""
    if MODE.name == "cpu":
        return ["cpu"]
    if MODE.name == "sim":
        return ["cpu", "cuda:0", "cuda:1"]
    import gpukit

    return ["cpu", *(f"cuda:{index}" for index in range(gpukit.cuda.device_count()))]


def devices_of(test: str) -> list[str]:
    """The devices that a test runs on, by its name."""
    names = device_names()
    if FEW_DEVICES not in {"one", "two"} or len(names) == 1:
        return names
    chosen = names[1 + zlib.crc32(test.encode()) % (len(names) - 1)]
    return [chosen] if FEW_DEVICES == "one" else [names[0], chosen]
