"""Runs the stages, each in a process of its own with a time limit, and writes the report."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from time import monotonic

from gpu_day.report import write_report

STAGES = ("machine", "measure", "suite", "peers", "sanitizer", "conformance")
LIMIT_S = 480.0
CARDS = "2xT4"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/gpu_day.sh")
    parser.add_argument("--out", type=Path, default=Path("gpu_day_results"))
    parser.add_argument("--stage", action="append", choices=STAGES, dest="stages")
    parser.add_argument("--simulate", action="store_true", help="on a simulated GPU")
    parser.add_argument("--seed", type=int, default=1, help="which third of the suite runs")
    parser.add_argument("--whole", action="store_true", help="the whole suite, not a third")
    return parser.parse_args()


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


def run_stage(name: str, out: Path, environment: dict[str, str]) -> bool:
    """One stage. What it wrote before it failed or ran out of time stays."""
    file = out / f"{name}.json"
    file.unlink(missing_ok=True)
    begin = monotonic()
    command = [sys.executable, "-m", f"gpu_day.{name}", str(file)]
    try:
        code = subprocess.run(command, env=environment, timeout=LIMIT_S, check=False).returncode
        ending = "ok" if code == 0 else f"exit code {code}"
    except subprocess.TimeoutExpired:
        ending = f"stopped after {LIMIT_S:.0f} s"
    document = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"rows": []}
    document |= {"stage": name, "ending": ending, "seconds": round(monotonic() - begin, 1)}
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(f"gpu_day: {name}: {ending}, {document['seconds']} s", flush=True)
    return ending == "ok"


def main() -> int:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    environment = stage_environment(options)
    fine = True
    for name in options.stages or STAGES:
        fine = run_stage(name, options.out, environment) and fine
        write_report(options.out, STAGES)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
