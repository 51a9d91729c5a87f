"""Products of half types on tensor cores, without cuBLAS: on both engines of the simulator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.mode import PROJECT

# Whole numbers whose sums both half types hold exactly, so that results are equal.
VALUES = """
import itertools, sys
import numpy as np
import gpukit

SHAPES = [(1, 1, 1), (65, 63, 33), (72, 136, 40)] + [(64, 64, 32), (130, 90, 60)] * int(sys.argv[2])
MANY = gpukit.cuda.get_device_properties(0).multi_processor_count
random = np.random.default_rng(0)

def operand(shape, dtype, layout):
    host = random.integers(-1, 2, shape).astype(np.float32)
    if layout == "rows":
        x = gpukit.tensor(host, dtype=dtype).to("cuda:0")
    elif layout == "columns":
        turned = np.ascontiguousarray(host.swapaxes(-1, -2))
        x = gpukit.tensor(turned, dtype=dtype).to("cuda:0").mT
    else:  # every second row, every third column, from an odd address
        wide = np.zeros((*shape[:-2], 2 * shape[-2], 3 * shape[-1] + 1), np.float32)
        wide[..., ::2, 1::3] = host
        x = gpukit.tensor(wide, dtype=dtype).to("cuda:0")[..., ::2, 1::3]
    return host, x

def compare(shapes, dtype, layouts):
    (a, x), (b, y) = (operand(s, dtype, layout) for s, layout in zip(shapes, layouts))
    got = (x @ y).cpu().float().numpy()
    assert np.array_equal(got, a @ b), (shapes, dtype, layouts)

kinds = [getattr(gpukit, name) for name in sys.argv[1].split()]
for dtype in kinds:
    for m, n, k in SHAPES:
        for layouts in itertools.product(["rows", "columns", "apart"], repeat=2):
            compare([(m, k), (k, n)], dtype, layouts)
    for layouts in (["rows", "rows"], ["columns", "columns"]):  # large tiles: enough of them
        compare([(MANY, 70, 24), (MANY, 24, 136)], dtype, layouts)
    (a, x), (b, y) = operand((70, 50), dtype, "rows"), operand((50, 72), dtype, "rows")
    c, z = operand((70, 72), dtype, "rows")
    got = gpukit.addmm(z, x, y, beta=3, alpha=2).cpu().float().numpy()
    assert np.array_equal(got, 3 * c + 2 * (a @ b))
    x[3, 7] = float("inf")
    got = (x @ y).cpu().float()
    assert not got[3].isfinite().all() and got[:3].isfinite().all() and got[4:].isfinite().all()
gpukit.cuda.synchronize()
"""
COUNTS = """
import json, sys
import gpukit
from gpukit._simulation import session

session.restart(sys.argv[1])
found = {}
for dtype in sys.argv[2].split():
    a, b = (gpukit.ones(2, 128, 128, dtype=getattr(gpukit, dtype)).to("cuda:0") for _ in range(2))
    for name, x, y in (("nn", a, b), ("tn", a.mT, b), ("nt", a, b.mT), ("tt", a.mT, b.mT)):
        found[f"{dtype} {name}"] = session.counted(lambda: x @ y).to_dict()
print(json.dumps(found))
"""
CARDS = {"T4": (75, "float16"), "A100": (80, "float16 bfloat16")}


def run(code: str, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "GPUKIT_SIMULATE": "", "GPUKIT_CUBLAS": "none", **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The kernels of this file alone as PTX, by card."""
    folders = {}
    for card, (arch, _) in CARDS.items():
        folders[card] = tmp_path_factory.mktemp(card)
        tool = str(PROJECT / "tools" / "make_ptx.py")
        command = [
            sys.executable,
            tool,
            str(arch),
            str(folders[card]),
            "matmul_mma",
            "copy",
            "fill",
        ]
        made = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert made.returncode == 0, made.stderr
    return folders


@pytest.mark.parametrize("card", CARDS)
def test_values_of_the_sources(card: str) -> None:
    run(VALUES, CARDS[card][1], "1", GPUKIT_SIMULATE=f"1x{card}")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("card", CARDS)
def test_values_of_the_ptx_without_races(card: str, texts: dict[str, Path]) -> None:
    simulation = f"1x{card},engine=ptx,ptx={texts[card]},check=race,init,sync"
    run(VALUES, CARDS[card][1], "0", GPUKIT_SIMULATE=simulation)


@pytest.mark.parametrize("card", CARDS)
def test_bytes_and_banks(card: str, texts: dict[str, Path]) -> None:
    simulation = f"1x{card},engine=ptx,ptx={texts[card]},counts=1"
    found: dict[str, Any] = json.loads(run(COUNTS, simulation, CARDS[card][1]))
    assert len(found) == 4 * len(CARDS[card][1].split())
    for name, counts in found.items():
        assert counts["kernel"] == f"gk_matmul_mma_{'bf16' if 'bfloat' in name else 'f16'}"
        # Each of the four tiles of 64 x 64 of both products reads its rows and columns once.
        assert counts["global_reads"]["bytes"] == 2 * 4 * 2 * 64 * 128 * 2, name
        assert counts["global_writes"]["bytes"] == 2 * 128 * 128 * 2
        assert counts["sector_efficiency"] == 1
        assert counts["bank_conflicts"] == counts["local_requests"] == 0
