"""gpukit's own kernels, as NVRTC makes PTX of them, held to what they move and how.

A figure that is not the best possible stands in STATED with what is wrong; who mends the kernel
takes it out there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

N = 1 << 15
PROGRAM = """
import json, sys
import gpukit
from gpukit._simulation import session

session.restart(sys.argv[1])
N, found = int(sys.argv[2]), {}
device = {"device": "cuda:0"}

def count(name, call):
    launches = session.counted(call)
    found[name] = launches.to_dict()

for dtype in ("float32", "float16", "bfloat16", "float64", "int64", "int32", "uint8"):
    kind = getattr(gpukit, dtype)
    x = gpukit.ones(N, dtype=kind, **device)
    m = x.reshape(128, N // 128)
    count(f"add {dtype}", lambda: x + x)
    count(f"neg {dtype}", lambda: -x)
    count(f"clone {dtype}", lambda: x.clone())
    count(f"full {dtype}", lambda: gpukit.full((N,), 3, dtype=kind, **device))
    count(f"sum {dtype}", lambda: x.sum())
    count(f"sum of rows {dtype}", lambda: m.sum(1))
    count(f"sum of columns {dtype}", lambda: m.sum(0))
    count(f"transpose {dtype}", lambda: m.t().contiguous())
    if kind.is_floating_point:
        count(f"relu {dtype}", lambda: gpukit.relu(x))
        count(f"softmax {dtype}", lambda: gpukit.softmax(m, 1))
        count(f"layer_norm {dtype}", lambda: gpukit.nn.functional.layer_norm(m, m.shape[1:]))
        count(f"rand {dtype}", lambda: gpukit.rand(N, dtype=kind, **device))
        count(f"cumsum {dtype}", lambda: m.cumsum(1))
def chain(a, b):
    return gpukit.tanh(a * 1.5 + b).clamp(-0.9, 0.9) * gpukit.where(b > 0, a, 0.5)

for dtype in ("float32", "float16", "bfloat16"):
    a = gpukit.linspace(-3, 3, N).to(getattr(gpukit, dtype)).to("cuda:0")
    b = a.flip(0) - 0.25
    compiled = gpukit.compile(chain, fullgraph=True, backend="tiles")
    rows, row = a.reshape(-1, 64), b[:64]
    pairs = ((a, b), (a, b), (a[1:], b[1:]), (rows, row), (rows, row))
    same = [gpukit.equal(compiled(*pair), chain(*pair)) for pair in pairs]
    count(f"chain {dtype}", lambda: compiled(a, b))
    count(f"chain of a row {dtype}", lambda: compiled(rows, row))
    found[f"chain {dtype}"]["same"] = same
x = gpukit.ones(N, **device)
row = gpukit.bench(gpukit.add, x, x, device="cuda:0", repeats=3, verbose=False)
found["bench"] = row.to_dict() | {"explained": row.explain(), "table": str(row.to_table())}
launches = [event.counts for event in session._active.events() if event.counts]
found["events"] = [launch.kernel for launch in launches]
print(json.dumps(found))
"""
BYTES = {
    "float32": 4, "float16": 2, "bfloat16": 2, "float64": 8, "int64": 8, "int32": 4, "uint8": 1,
}  # fmt: skip
# How often each element is read and written. 0 written: a few results of a reduction.
MOVED = {
    "add": (2, 1), "neg": (1, 1), "clone": (1, 1), "full": (0, 1), "relu": (1, 1),
    "sum": (1, 0), "sum of rows": (1, 0), "sum of columns": (1, 0), "transpose": (1, 1),
    "softmax": (1, 1), "layer_norm": (1, 1), "rand": (0, 1), "cumsum": (1, 1),
}  # fmt: skip
FLOATS = {"relu", "softmax", "layer_norm", "rand", "cumsum"}
ROWS = [
    f"{name} {dtype}" for dtype in BYTES for name in MOVED if "float" in dtype or name not in FLOATS
]
# The share of sectors that are used, where it is not all: by operation and bytes of an element.
STATED_SHARES: dict[tuple[str, int], float] = {}
# Turns of the banks of shared memory that are lost, a request.
STATED_CONFLICTS: dict[tuple[str, int], float] = {}


@pytest.fixture(scope="module")
def counted(own_ptx: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, f"1xT4,engine=ptx,ptx={own_ptx},counts=1", str(N)],
        env={**os.environ, "GPUKIT_SIMULATE": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_bench_and_events_show_counts(counted: dict[str, Any]) -> None:
    row = counted["bench"]
    assert row["counts"]["kernel"] == "gk_add_f32" and row["counts"]["launches"] == 1
    assert row["counts"]["global_reads"]["bytes"] == 8 * N
    for text in (row["explained"], row["table"]):
        assert "ounted in one call: 1 launch: " in text and "no bank conflicts" in text
    assert counted["events"].count("gk_add_f32") > 3


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_chains_move_inputs_and_results_alone(counted: dict[str, Any], dtype: str) -> None:
    counts = counted[f"chain {dtype}"]
    assert counts["same"] == [True] * 5
    assert counts["launches"] == 1
    assert counts["global_reads"]["bytes"] == 2 * N * BYTES[dtype]
    assert counts["sector_efficiency"] == 1.0
    assert counts["global_writes"]["bytes"] == N * BYTES[dtype]
    row = counted[f"chain of a row {dtype}"]  # the row is compared with 0 before
    assert row["global_writes"]["bytes"] == N * BYTES[dtype] + 64
    assert counts["local_requests"] == row["local_requests"] == 0  # values are in registers


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ROWS)
def test_kernels_move_what_they_need(counted: dict[str, Any], name: str) -> None:
    operation, dtype = name.rsplit(" ", 1)
    counts, width = counted[name], BYTES[dtype]
    reads, writes = MOVED[operation]
    assert counts["global_reads"]["bytes"] == pytest.approx(reads * N * width, rel=0.01)
    # Results of reductions, and what their blocks hand on: at most one in eight elements.
    room = 0 if writes else N * width / 8
    assert abs(counts["global_writes"]["bytes"] - writes * N * width) <= room

    share = STATED_SHARES.get((operation, width), 1)
    assert counts["sector_efficiency"] == pytest.approx(share, abs=0.01)
    lost = counts["bank_conflicts"] / max(1, counts["shared_requests"])
    assert lost <= STATED_CONFLICTS.get((operation, width), 0)
    assert counts["global_atomics"]["requests"] == counts["local_requests"] == 0
