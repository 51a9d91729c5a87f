"""Thin, split and unaligned products and their epilogue, without cuBLAS, on both engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.mode import LONG_RUN
from support.own_kernels import OPERANDS, run, texts_of

# Whole numbers whose sums every dtype here holds exactly, so that results are equal.
VALUES = (
    OPERANDS
    + """
from functools import partial
from gpukit.nn import functional as F

SHAPES = [(1, 70, 517), (70, 1, 517), (1, 1, 900), (5, 130, 200), (130, 7, 66), (16, 16, 300),
          (3, 4, 2), (33, 65, 1100), (60, 140, 1153)]
SHAPES = SHAPES[:int(sys.argv[2])]
operand = partial(operand, most=1)

def host(x):
    return x.cpu().double().numpy()

for dtype in DTYPES:
    for m, n, k in SHAPES:
        for layouts in LAYOUTS:
            (a, x), (b, y) = operand((m, k), dtype, layouts[0]), operand((k, n), dtype, layouts[1])
            got = host(x @ y)
            assert np.array_equal(got, a @ b), (dtype, m, n, k, layouts)
        c, z = operand((m, n), dtype, "rows")
        got = host(gpukit.addmm(z, x, y, beta=3, alpha=2))
        assert np.array_equal(got, 3 * c + 2 * (a @ b)), (dtype, m, n, k)
        c, z = operand((n, 1), dtype, "rows")
        got = host(F.linear(x, y.mT, z[:, 0]))
        assert np.array_equal(got, a @ b + c[:, 0]), (dtype, m, n, k)
    (a, x), (b, y) = operand((3, 4, 600), dtype, "rows"), operand((3, 600, 70), dtype, "columns")
    assert np.array_equal(host(x @ y), a @ b)
    (a, x), (b, y) = operand((4, 600), dtype, "rows"), operand((3, 600, 70), dtype, "rows")
    assert np.array_equal(host(x @ y), a @ b)
    (a, x), (b, y) = operand((6, 900), dtype, "rows"), operand((900, 90), dtype, "columns")
    x[2, 7], x[4, 800] = float("inf"), float("nan")
    got = host(x @ y)
    rest = [0, 1, 3, 5]
    assert not np.isfinite(got[2]).all() and np.isnan(got[4]).all()
    assert np.array_equal(got[rest], (a @ b)[rest])
    y[5, 11] = float("nan")
    got = host(x @ y)[rest]
    assert np.isnan(got[:, 11]).all() and np.isfinite(np.delete(got, 11, 1)).all()
    assert (x[:0] @ y).shape == (0, 90) and not host(x[:, :0] @ y[:0]).any()
gpukit.cuda.synchronize()
"""
)
# Numbers of all bits: a bias and its activation give the bits of the operations one by one.
EPILOGUE = """
import sys
import gpukit
from gpukit.nn import functional as F

gpukit.manual_seed(0)
for dtype in (getattr(gpukit, name) for name in sys.argv[1].split()):
    for m, n, k in [(3, 70, 300), (70, 3, 300), (40, 72, 1100), (70, 136, 40)]:
        hosts = [gpukit.randn(*s).to(dtype) for s in ((m, k), (n, k), (n,))]
        x, w, bias = (host.to("cuda:0") for host in hosts)
        got = F.linear(x, w, bias).cpu()
        assert gpukit.equal(got, F.linear(x, w, bias).cpu())
        assert gpukit.equal(got, gpukit.addmm(bias, x, w.mT).cpu())
        if dtype in (gpukit.float32, gpukit.float64):
            assert gpukit.equal(got, (x @ w.mT).cpu() + hosts[2]), (dtype, m, n, k)
        layer = gpukit.nn.Sequential(gpukit.nn.Linear(k, n, dtype=dtype), gpukit.nn.ReLU())
        with gpukit.no_grad():
            layer[0].weight.copy_(hosts[1])
            layer[0].bias.copy_(hosts[2])
            assert gpukit.equal(layer.to("cuda:0")(x).cpu(), got.relu()), (dtype, m, n, k)
gpukit.cuda.synchronize()
"""
# Operands of tensor cores whose lines begin at any address, and edges of all kinds.
UNALIGNED = """
import sys
import numpy as np
import gpukit

random = np.random.default_rng(0)
for m, n, k in [(257, 261, 45), (260, 256, 40), (256, 257, 33), (30, 300, 67)]:
    for turn in range(4):
        a, b = (random.integers(-1, 2, s).astype(np.float32) for s in ((m, k), (k, n)))
        x = gpukit.tensor(a.T.copy() if turn & 1 else a, dtype=gpukit.float16).to("cuda:0")
        y = gpukit.tensor(b.T.copy() if turn & 2 else b, dtype=gpukit.float16).to("cuda:0")
        got = (x.mT if turn & 1 else x) @ (y.mT if turn & 2 else y)
        assert np.array_equal(got.cpu().float().numpy(), a @ b), (m, n, k, turn)
    batch = gpukit.ones(3, m, k, dtype=gpukit.float16).to("cuda:0")
    assert gpukit.equal((batch @ (y.mT if turn & 2 else y)).sum(0).cpu(),
                        gpukit.tensor(np.broadcast_to(3 * b.sum(0), (m, n)).copy()).half())
gpukit.cuda.synchronize()
"""
# Edges of a tile, in all layouts.
EDGES = (
    OPERANDS
    + """
for dtype in DTYPES:
    for layouts in LAYOUTS:
        product([(5, 33), (33, 66)], dtype, layouts, 1)
    sum_of_products(66, 5, 20, dtype, 1)
gpukit.cuda.synchronize()
"""
)
NAMES = """
from gpukit._simulation import session
print(*sorted({e.what for e in session.logged_events() if "matmul" in e.what}))
"""
COUNTS = """
import json, sys
import gpukit
from gpukit._simulation import session

simulation = session.restart(sys.argv[1])
found = []
for name in sys.argv[2].split():
    dtype = getattr(gpukit, name)
    matrix = gpukit.ones(512, 1024, dtype=dtype).to("cuda:0")
    for rows in (1, 4, 16):
        x = gpukit.ones(rows, 1024, dtype=dtype).to("cuda:0")
        y = gpukit.ones(rows, 512, dtype=dtype).to("cuda:0")
        for layout, call in (("linear", lambda: x @ matrix.mT), ("product", lambda: y @ matrix),
                             ("right", lambda: matrix @ x.mT)):
            gpukit.cuda.synchronize()
            before = len(simulation.events())
            call()
            gpukit.cuda.synchronize()
            counts = [e.counts for e in simulation.events()[before:] if e.counts is not None]
            found.append((name, rows, layout, [c.to_dict() for c in counts]))
print(json.dumps(found))
"""
# The architecture, and its dtypes here.
CARDS = {"T4": (75, "float32 float64 float16"), "A100": (80, "float32 float64 bfloat16")}
# The architecture, and the half types that its tensor cores do not multiply.
HALVES = {"bf16": "bfloat16", "f16": "float16"}
FALLBACKS = {"P100": (60, "bf16", "f16"), "T4": (75, "bf16")}
FAMILIES = ["matmul_thin", "matmul_wide", "matmul_mma", "matmul_tiled", "copy", "fill"]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The kernels of products as PTX, by card."""
    return {card: texts_of(tmp_path_factory, arch, *FAMILIES) for card, (arch, _) in CARDS.items()}


@pytest.mark.parametrize("code", [VALUES, EPILOGUE], ids=["values", "epilogue"])
@pytest.mark.parametrize("card", CARDS)
def test_results_of_the_sources(card: str, code: str) -> None:
    run(code, CARDS[card][1], "99", GPUKIT_SIMULATE=f"1x{card}")


def test_unaligned_operands_of_the_sources() -> None:
    run(UNALIGNED, GPUKIT_SIMULATE="1xT4")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("card", CARDS if LONG_RUN else ["T4"])
def test_results_of_the_ptx_without_races(card: str, texts: dict[str, Path]) -> None:
    simulation = f"1x{card},engine=ptx,ptx={texts[card]},check=race,init,sync"
    run(VALUES, CARDS[card][1], "4", GPUKIT_SIMULATE=simulation)
    run(EPILOGUE, CARDS[card][1], GPUKIT_SIMULATE=simulation)


def launched_by(code: str, dtypes: str, simulation: str, *arguments: str) -> list[str]:
    """The kernels of products that a program launches."""
    return run(code + NAMES, dtypes, *arguments, GPUKIT_SIMULATE=simulation).split()


@pytest.mark.parametrize("card", FALLBACKS)
def test_half_types_without_tensor_cores(
    card: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    arch, *kernels = FALLBACKS[card]
    dtypes = " ".join(HALVES[kernel] for kernel in kernels)
    names = [f"gk_matmul_{kernel}" for kernel in kernels]
    assert launched_by(VALUES, dtypes, f"1x{card}", "2") == names
    assert launched_by(EPILOGUE, dtypes, f"1x{card}") == names
    folder = texts_of(tmp_path_factory, arch, "matmul_tiled", "copy", "fill")
    simulation = f"1x{card},engine=ptx,ptx={folder},check=race,init,sync"
    assert launched_by(EDGES, dtypes, simulation) == names


@pytest.mark.parametrize("card", CARDS)
def test_a_thin_product_reads_its_matrix_once(card: str, texts: dict[str, Path]) -> None:
    simulation = f"1x{card},engine=ptx,ptx={texts[card]},counts=1"
    found: list[Any] = json.loads(run(COUNTS, simulation, CARDS[card][1]))
    assert len(found) == 27
    for dtype, rows, layout, launches in found:
        where = (dtype, rows, layout)
        product, *finish = launches
        item = {"float32": 4, "float64": 8}.get(dtype, 2)
        tile = 256 // item if item > 2 else 64
        matrix = 512 * 1024 * item
        # The thin operand is read again for each tile of the matrix, which is read once, in
        # requests of 512 bytes.
        again = matrix // tile * rows
        assert product["global_reads"]["bytes"] == matrix + again, where
        assert product["global_reads"]["requests"] <= matrix // 512 + again // 4, where
        assert product["bank_conflicts"] == product["local_requests"] == 0, where
        assert product["sector_efficiency"] == 1, where
        assert [one["kernel"][:17] for one in finish] in ([], ["gk_matmul_finish_"]), where
