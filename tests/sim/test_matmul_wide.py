"""Large products of float and double without cuBLAS: on both engines of the simulator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.mode import PROJECT

# Whole numbers, so that results are equal.
VALUES = """
import itertools, sys
import numpy as np
import gpukit

MANY = gpukit.cuda.get_device_properties(0).multi_processor_count // 2
random = np.random.default_rng(0)

def operand(shape, dtype, layout):
    host = random.integers(-9, 10, shape).astype(np.float64)
    if layout == "rows":
        x = gpukit.tensor(host, dtype=dtype).to("cuda:0")
    elif layout == "columns":
        turned = np.ascontiguousarray(host.swapaxes(-1, -2))
        x = gpukit.tensor(turned, dtype=dtype).to("cuda:0").mT
    else:  # every second row, every third column, from an odd address
        wide = np.zeros((*shape[:-2], 2 * shape[-2], 3 * shape[-1] + 1))
        wide[..., ::2, 1::3] = host
        x = gpukit.tensor(wide, dtype=dtype).to("cuda:0")[..., ::2, 1::3]
    return host, x

for dtype in (getattr(gpukit, name) for name in sys.argv[1].split()):
    for m, n, k, tiles in [(65, 130, 19, 4), (8, 12, 40, 1), (1, 1, 1, 1)]:
        many = -(-MANY // tiles)
        for layouts in itertools.product(["rows", "columns", "apart"], repeat=2):
            a, x = operand((many, m, k), dtype, layouts[0])
            b, y = operand((many, k, n), dtype, layouts[1])
            got = (x @ y).cpu().numpy()
            assert np.array_equal(got, a @ b), (dtype, m, n, k, layouts)
    rows = 64 * MANY - 3
    (a, x), (b, y) = operand((rows, 9), dtype, "rows"), operand((9, 132), dtype, "rows")
    c, z = operand((rows, 132), dtype, "rows")
    got = gpukit.addmm(z, x, y, beta=3, alpha=2).cpu().numpy()
    assert np.array_equal(got, 3 * c + 2 * (a @ b))
    x[3, 7] = float("inf")
    got = (x @ y).cpu()
    assert not got[3].isfinite().all() and got[:3].isfinite().all() and got[4:].isfinite().all()
gpukit.cuda.synchronize()
"""
COUNTS = """
import json, sys
import gpukit
from gpukit._simulation import session

session.restart(sys.argv[1])
many = gpukit.cuda.get_device_properties(0).multi_processor_count // 2
found = {}
for dtype in sys.argv[2].split():
    a = gpukit.ones(many, 64, 64, dtype=getattr(gpukit, dtype)).to("cuda:0")
    b = gpukit.ones(many, 64, 128, dtype=getattr(gpukit, dtype)).to("cuda:0")
    turned = gpukit.ones(many, 128, 64, dtype=getattr(gpukit, dtype)).to("cuda:0").mT
    for name, x, y in (("nn", a, b), ("tn", a.mT, b), ("nt", a, turned), ("tt", a.mT, turned)):
        found[f"{dtype} {name}"] = session.counted(lambda: x @ y).to_dict()
print(json.dumps({"many": many, "found": found}))
"""
# The architecture, and the dtypes that these tiles are for.
CARDS = {"T4": (75, "float32"), "A100": (80, "float32 float64")}


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
        families = ["matmul_wide", "matmul_thin", "copy", "fill"]
        command = [sys.executable, tool, str(arch), str(folders[card]), *families]
        made = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert made.returncode == 0, made.stderr
    return folders


@pytest.mark.parametrize("card", CARDS)
def test_values_of_the_sources(card: str) -> None:
    run(VALUES, CARDS[card][1], GPUKIT_SIMULATE=f"1x{card}")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("card", CARDS)
def test_values_of_the_ptx_without_races(card: str, texts: dict[str, Path]) -> None:
    simulation = f"1x{card},engine=ptx,ptx={texts[card]},check=race,init,sync"
    run(VALUES, CARDS[card][1], GPUKIT_SIMULATE=simulation)


@pytest.mark.parametrize("card", CARDS)
def test_bytes_and_banks(card: str, texts: dict[str, Path]) -> None:
    simulation = f"1x{card},engine=ptx,ptx={texts[card]},counts=1"
    answer: dict[str, Any] = json.loads(run(COUNTS, simulation, CARDS[card][1]))
    assert len(answer["found"]) == 4 * len(CARDS[card][1].split())
    for name, counts in answer["found"].items():
        item = 8 if "64" in name else 4
        assert counts["kernel"] == f"gk_matmul_large_f{8 * item}"
        assert counts["global_reads"]["bytes"] == answer["many"] * 64 * (64 + 128) * item, name
        assert counts["global_writes"]["bytes"] == answer["many"] * 64 * 128 * item
        assert counts["sector_efficiency"] == 1, name
        assert counts["bank_conflicts"] == counts["local_requests"] == 0, name
