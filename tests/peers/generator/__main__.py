"""`python -m peers.generator --calls 1000000 --minutes 60 --resume`, from the folder `tests/`.

Calls run in a child process, which says before each call which one it makes: when the child dies, the parent knows
the call and the library that made it, notes a crash of gpukit's or of the peer's and goes on behind it. The record is a small JSON file that `--resume` goes on from.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

RECORD = Path(__file__).with_name("record.json")
BATCH = 2000
KEPT = 40  # findings in the record
PEERS = {"torch", "numpy"}
MARK = 40  # bytes: the number of a call, and the library that makes it


def child(seed: int, start: int, count: int, marks: Path) -> int:
    """Make the calls; the number of the current one stands in `marks`, what was found goes to stdout."""
    import warnings

    from support import mode

    assert mode.MODE.name == "sim"
    warnings.simplefilter("ignore")
    import torch

    from .runner import Runner

    torch.set_num_threads(1)
    runner = Runner(seed)
    with marks.open("r+b", buffering=0) as place:
        for number in range(start, start + count):

            def mark(library: str, number: int = number) -> None:
                place.seek(0)
                place.write(f"{number} {library}".ljust(MARK).encode())

            mark("")
            runner.announce(mark)
            for finding in runner.one(number):
                print(json.dumps(_told(finding)), flush=True)
    tally = runner.tally
    counts = {
        name: getattr(tally, name)
        for name in ("calls", "values", "errors", "gradients", "simulated")
    }
    print(
        json.dumps({"counts": counts, "explained": tally.explained, "rows": len(tally.rows)}),
        flush=True,
    )
    return 0


def _told(finding: Any) -> dict[str, Any]:
    return {
        "seed": finding.seed, "call": finding.number, "row": finding.call.row, "device": finding.device,
        "difference": str(finding.found)[:300],
    }  # fmt: skip


def _run_child(seed: int, start: int, count: int) -> tuple[subprocess.CompletedProcess[str], str]:
    """One child: how it ended, and which call of which library was the last."""
    with tempfile.TemporaryDirectory() as folder:
        marks = Path(folder) / "call"
        marks.write_bytes(b" " * MARK)
        arguments = ["--child", str(seed), str(start), str(count), str(marks)]
        run = subprocess.run(
            [sys.executable, "-m", "peers.generator", *arguments],
            cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False, timeout=1800,
        )  # fmt: skip
        return run, marks.read_text()


def _run_batch(seed: int, start: int, count: int) -> dict[str, Any]:
    """All calls of a batch, in as many children as it takes, as a record of them."""
    record, end = _fresh(seed), start + count
    while start < end:
        run, mark = _run_child(seed, start, end - start)
        told = [json.loads(text) for text in run.stdout.splitlines() if text.startswith("{")]
        for line in told:
            if "counts" not in line:
                record["differences"] += 1
                record["findings"].append(line)
                continue
            record["counts"] = dict(Counter(record["counts"]) + Counter(line["counts"]))
            record["explained"] = dict(Counter(record["explained"]) + Counter(line["explained"]))
        if run.returncode == 0:
            break
        death = {"seed": seed, "status": run.returncode, "said": run.stderr[-400:]}
        at = noted_crash(record, mark, start, death)
        record["counts"]["calls"] = record["counts"].get("calls", 0) + at + 1 - start
        start = at + 1
    return record


def _add(record: dict[str, Any], batch: dict[str, Any]) -> None:
    """Add what a batch found to the record."""
    for name in ("counts", "explained"):
        record[name] = dict(Counter(record[name]) + Counter(batch[name]))
    record["differences"] += batch["differences"]
    record["findings"] = [*record["findings"], *batch["findings"]][:KEPT]
    for name in ("crashes", "peer_crashes"):
        record[name] += batch[name]


def noted_crash(record: dict[str, Any], mark: str, start: int, death: dict[str, Any]) -> int:
    """Note which call of which library died, and return its number; a peer's fails nothing."""
    number, _, library = mark.strip().partition(" ")
    at = int(number) if number else start
    kind = "peer_crashes" if library in PEERS else "crashes"
    record[kind].append({"call": at, "library": library or "none", **death})
    return at


def _write(record: dict[str, Any], path: Path) -> None:
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(record, indent=1) + "\n")
    os.replace(temporary, path)  # noqa: PTH105


def replay(path: Path) -> int:
    """Make the calls that differed once more, and note in the record which still do."""
    from support import mode

    assert mode.MODE.name == "sim"
    from .runner import Runner

    record = json.loads(path.read_text())
    runner = Runner(record["seed"])
    numbers = [found["call"] for found in record["findings"]]
    left = [_told(finding) for number in numbers for finding in runner.one(number)]
    record["replayed"] = {"commit": _commit(), "calls": len(numbers), "left": left}
    _write(record, path)
    print(f"{len(numbers)} calls made again, {len(left)} differences left")
    return 1 if left else 0


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=False,
        cwd=Path(__file__).parent,
    )  # fmt: skip
    return found.stdout.strip()


def _fresh(seed: int) -> dict[str, Any]:
    return {
        "seed": seed, "next": 0, "commit": _commit(), "counts": {}, "differences": 0, "findings": [], "crashes": [],
        "peer_crashes": [], "explained": {}, "minutes": 0.0,
    }  # fmt: skip


def main() -> int:
    """Run for long."""
    parser = argparse.ArgumentParser(prog="python -m peers.generator", description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="children at a time")
    parser.add_argument(
        "--resume", action="store_true", help="go on from the record, if the commit is the same"
    )
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument(
        "--show", type=int, help="print this call of the seed as programs, and what it gives"
    )
    parser.add_argument(
        "--replay", action="store_true", help="make the calls of the record's findings again"
    )
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        seed, start, count, marks = options.child
        return child(int(seed), int(start), int(count), Path(marks))
    if options.show is not None:
        return show(options.seed, options.show)
    if options.replay:
        return replay(options.record)
    record = _fresh(options.seed)
    if options.resume and options.record.exists():
        kept = json.loads(options.record.read_text())
        record = kept if (kept["seed"], kept["commit"]) == (options.seed, _commit()) else record
    begun, before = time.monotonic(), record["minutes"]
    with ThreadPoolExecutor(options.jobs) as pool:
        while record["next"] < options.calls and time.monotonic() - begun < options.minutes * 60:
            end = min(record["next"] + BATCH * options.jobs, options.calls)
            starts = range(record["next"], end, BATCH)
            batches = [
                pool.submit(_run_batch, options.seed, n, min(BATCH, end - n)) for n in starts
            ]
            for batch in batches:
                _add(record, batch.result())
            record["next"] = end
            record["minutes"] = round(before + (time.monotonic() - begun) / 60, 1)
            _write(record, options.record)
            print(
                f"{record['next']} calls, {record['differences']} differences, {len(record['crashes'])} crashes",
                flush=True,
            )
    return 1 if record["differences"] or record["crashes"] else 0


def show(seed: int, number: int) -> int:
    """One call as programs for both libraries, shrunk if they differ."""
    from support import mode

    assert mode.MODE.name == "sim"
    from .arguments import snippet
    from .calls import draw_call
    from .runner import Runner, shrunk

    runner = Runner(seed)
    findings = runner.one(number)
    call, row = draw_call(seed, number)
    for finding in findings:
        call = shrunk(finding, runner, row) if finding.device == "cpu" else finding.call
        print(finding)
    mine = "gpukit.array_api" if call.library == "numpy" else "gpukit"
    print("\n# smaller" if findings else "# no difference")
    print(snippet(call, mine), snippet(call, call.library), sep="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
