"""Products of half types on tensor cores, without cuBLAS: on both engines of the simulator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.own_kernels import OPERANDS, run, texts_of

# Whole numbers whose sums both half types hold exactly, so that results are equal.
VALUES = (
    OPERANDS
    + """
shapes = [(1, 1, 1), (65, 63, 33), (72, 136, 40)] + [(64, 64, 32), (130, 90, 60)] * int(sys.argv[2])
for dtype in DTYPES:
    for m, n, k in shapes:
        for layouts in LAYOUTS:
            product([(m, k), (k, n)], dtype, layouts, 1)
    for layouts in (["rows", "rows"], ["columns", "columns"]):  # large tiles: enough of them
        product([(MANY, 70, 24), (MANY, 24, 136)], dtype, layouts, 1)
    sum_of_products(70, 72, 50, dtype, 1)
gpukit.cuda.synchronize()
"""
)
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
CARDS = {"T4": (75, "float16"), "B200": (80, "float16 bfloat16")}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The kernels of this file alone as PTX, by card."""
    return {
        card: texts_of(tmp_path_factory, arch, "matmul_mma", "copy", "fill")
        for card, (arch, _) in CARDS.items()
    }


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
