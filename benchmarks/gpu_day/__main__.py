"""Runs the stages, each in a process group of its own with a time limit, and writes the report."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic

from gpu_day.report import write_report

STAGES = (
    *("machine", "kernels", "measure", "suite", "peers", "sanitizer", "conformance"),
    *("approximations", "instructions", "executor", "counters"),
)
LIMIT_S = 480.0
TOTAL_S = 1440.0
CARDS = "2xT4"
# The stages of tests import these; `pip install` names are in requirements.txt.
MODULES = (
    "gpukit",
    "hypothesis",
    "IPython",
    "ml_dtypes",
    "numpy",
    "pytest",
    "pytest_benchmark",
    "pytest_timeout",
    "safetensors",
)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/gpu_day.sh")
    parser.add_argument("--out", type=Path, default=Path("gpu_day_results"))
    parser.add_argument("--stage", action="append", choices=STAGES, dest="stages")
    parser.add_argument("--simulate", action="store_true", help="on a simulated GPU")
    parser.add_argument("--seed", type=int, default=1, help="which third of the suite runs")
    parser.add_argument("--whole", action="store_true", help="the whole suite, not a third")
    return parser.parse_args()


def missing_modules() -> list[str]:
    """What the stages import and this Python does not have."""
    return [name for name in MODULES if importlib.util.find_spec(name) is None]


def stage_environment(options: argparse.Namespace) -> dict[str, str]:
    """What a stage reads: the mode of the tests, the simulation, the choice of tests."""
    here = str(Path(__file__).resolve().parents[1])
    environment = {
        **os.environ,
        "GPUKIT_TEST_MODE": "sim" if options.simulate else "gpu",
        "GPU_DAY_SEED": str(options.seed),
        "GPU_DAY_PARTS": "1" if options.whole else "3",
        "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]),
    }
    if options.simulate:
        environment["GPUKIT_SIMULATE"] = CARDS
    return environment


def run_limited(command: list[str], environment: dict[str, str], limit_s: float) -> str:
    """How the command ended: "ok" or why not. Its children end with it."""
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    try:
        code = process.wait(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"stopped after {limit_s:.0f} s"
    return "ok" if code == 0 else f"exit code {code}"


def run_stage(name: str, out: Path, environment: dict[str, str], limit_s: float) -> bool:
    """One stage. What it wrote before it failed or ran out of time stays."""
    file = out / f"{name}.json"
    file.unlink(missing_ok=True)
    begin = monotonic()
    ending = f"not run: {TOTAL_S / 60:.0f} minutes are over"
    if limit_s > 0:
        command = [sys.executable, "-m", f"gpu_day.{name}", str(file)]
        ending = run_limited(command, environment, limit_s)
    document = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"rows": []}
    document |= {"stage": name, "ending": ending, "seconds": round(monotonic() - begin, 1)}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"gpu_day: {name}: {ending}, {document['seconds']} s", flush=True)
    return ending == "ok"


def main() -> int:
    options = arguments()
    if missing := missing_modules():
        print(
            f"gpu_day: {sys.executable} has no {', '.join(missing)}. Use: "
            'pip install ".[test]", or give --wheel WHEEL and --wheelhouse DIR '
            "(tools/wheelhouse.sh packs one)",
            file=sys.stderr,
        )
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    environment = stage_environment(options)
    fine, end = True, monotonic() + TOTAL_S
    for name in options.stages or STAGES:
        limit_s = min(LIMIT_S, end - monotonic())
        fine = run_stage(name, options.out, environment, limit_s) and fine
        write_report(options.out, STAGES)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
