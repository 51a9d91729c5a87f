"""Stage conformance: the driver tests and some observations, real beside simulated; differences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import gpukit
from gpu_day.sheet import Sheet, simulated
from gpu_day.suite import run_tests

LIMIT_S = 200.0


def likeness() -> str:
    """The simulated card that is most like the real one."""
    from gpukit._simulation.session import known_cards

    name = gpukit.cuda.get_device_name(0)
    return next((card for card in known_cards() if card in name.split()), "H100")


def environment_of(mode: str) -> dict[str, str]:
    """The whole suite of one mode."""
    environment = {**os.environ, "GPUKIT_TEST_MODE": mode, "GPU_DAY_PARTS": "1"}
    if mode == "gpu":
        environment.pop("GPUKIT_SIMULATE", None)
    else:
        environment.setdefault("GPUKIT_SIMULATE", f"2x{likeness()}")
    return environment


def observe(environment: dict[str, str]) -> dict[str, str]:
    """What gpu_day.observations prints in one mode."""
    program = [sys.executable, "-m", "gpu_day.observations"]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"gpu_day.observations ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def tests_of(mode: str, folder: Path) -> dict[str, str]:
    """Test -> outcome of tests/driver in one mode."""
    file = folder / f"conformance-{mode}.outcomes"
    seen, ending = run_tests(file, ["tests/driver"], environment_of(mode), LIMIT_S)
    if not seen:
        raise RuntimeError(f"tests/driver in mode {mode}: {ending}")
    return {name: outcome for name, (outcome, _) in seen.items()}


def add_differences(sheet: Sheet, kind: str, real: dict[str, str], other: dict[str, str]) -> int:
    """One row for each name whose values differ. Returns their number."""
    names = [name for name in sorted({*real, *other}) if real.get(name) != other.get(name)]
    sheet.add(kind=kind, name="compared", real=len(real), simulated=len(other), differ=len(names))
    for name in names:
        sheet.add(kind=kind, name=name, real=real.get(name), simulated=other.get(name))
    return len(names)


def main() -> int:
    sheet = Sheet()
    real_mode = "sim" if simulated() else "gpu"
    if simulated():
        sheet.note("Simulated beside simulated: there must be no difference.")
    count = add_differences(
        sheet,
        "observation",
        observe(environment_of(real_mode)),
        observe(environment_of("sim")),
    )
    folder = sheet.file.parent
    count += add_differences(sheet, "test", tests_of(real_mode, folder), tests_of("sim", folder))
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
