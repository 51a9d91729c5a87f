"""Large products of float and double without cuBLAS: on both engines of the simulator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.mode import LONG_RUN
from support.own_kernels import OPERANDS, run, texts_of

# Whole numbers, so that results are equal.
VALUES = (
    OPERANDS
    + """
for dtype in DTYPES:
    for m, n, k, tiles in [(65, 130, 19, 4), (8, 12, 40, 1), (1, 1, 1, 1)]:
        many = -(-MANY // (2 * tiles))
        for layouts in LAYOUTS:
            product([(many, m, k), (many, k, n)], dtype, layouts, 9)
    sum_of_products(32 * MANY - 3, 132, 9, dtype, 9)
gpukit.cuda.synchronize()
"""
)
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
CARDS = {"T4": (75, "float32"), "B200": (80, "float32 float64")}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The kernels of this file alone as PTX, by card."""
    return {
        card: texts_of(tmp_path_factory, arch, "matmul_wide", "matmul_thin", "copy", "fill")
        for card, (arch, _) in CARDS.items()
    }


@pytest.mark.parametrize("card", CARDS)
def test_values_of_the_sources(card: str) -> None:
    run(VALUES, CARDS[card][1], GPUKIT_SIMULATE=f"1x{card}")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("card", CARDS if LONG_RUN else ["T4"])
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
