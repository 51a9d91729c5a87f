"""Sorting by digits as NVRTC makes PTX of it: values without races, and the bytes of each pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.own_kernels import run, texts_of

VALUES = """
import sys
import numpy as np
import gpukit
from gpukit._simulation import session

session.restart(sys.argv[1])
random = np.random.default_rng(0)
for number, dtype in enumerate(("uint8", "float16", "int32", "float64")):
    kind, descending, columns = np.dtype(dtype), number % 2 == 1, 8200 if number == 3 else 4200
    x = random.integers(0, 256, (1, columns, kind.itemsize), dtype=np.uint8).view(kind)[..., 0]
    values, indices = gpukit.sort(gpukit.tensor(x).to("cuda:0"), descending=descending)
    order = np.argsort(x, 1, kind="stable")
    if descending:
        order = columns - 1 - np.argsort(x[:, ::-1], 1, kind="stable")[:, ::-1]
    assert np.array_equal(indices.cpu().numpy(), order), dtype
    sorted_ = np.ascontiguousarray(np.take_along_axis(x, order, 1))
    assert values.cpu().numpy().tobytes() == sorted_.tobytes(), dtype
"""
COUNTS = """
import json
import numpy as np
import sys
import gpukit
from gpukit._simulation import session

simulation = session.restart(sys.argv[1])
random, found = np.random.default_rng(0), {}
for dtype in ("uint8", "int16", "float32", "int64"):
    kind = np.dtype(dtype)
    host = random.integers(0, 256, (32768, kind.itemsize), dtype=np.uint8).view(kind)[:, 0]
    x = gpukit.tensor(host).to("cuda:0")
    gpukit.cuda.synchronize()
    before = len(simulation.events())
    gpukit.sort(x)
    gpukit.cuda.synchronize()
    events = simulation.events()[before:]
    found[dtype] = [event.counts.to_dict() for event in events if event.counts]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return texts_of(tmp_path_factory, 75, "sort", "copy", "fill")


def test_values_without_races(texts: Path) -> None:
    run(VALUES, f"1xT4,engine=ptx,ptx={texts},check=race,init,sync,order=rnd:2")


def test_bytes_of_each_pass(texts: Path) -> None:
    found: dict[str, Any] = json.loads(run(COUNTS, f"1xT4,engine=ptx,ptx={texts},counts=1"))
    n = 32768
    for dtype, width in (("uint8", 1), ("int16", 2), ("float32", 4), ("int64", 8)):
        bits = 64 if width == 8 else 32
        table = 1024 * n // (2048 if width == 8 else 4096)  # of the blocks' digits
        launches = found[dtype]
        assert len(launches) == 3 * width
        for number in range(width):
            count, scan, move = launches[3 * number : 3 * number + 3]
            assert count["kernel"] == f"gk_sort_count_{bits}" and scan["kernel"] == "gk_sort_scan"
            assert count["global_reads"]["bytes"] == n * width
            assert count["global_writes"]["bytes"] == scan["global_writes"]["bytes"] == table
            assert scan["global_reads"]["bytes"] == 2 * table
            # Items and the indices between passes, of 32 bits, once each; the last are int64.
            indices_in, indices_out = 4 * (number > 0), 8 if number == width - 1 else 4
            assert move["global_reads"]["bytes"] == n * (width + indices_in) + table
            assert move["global_writes"]["bytes"] == n * (width + indices_out)
            assert count["sector_efficiency"] == scan["sector_efficiency"] == 1
            assert scan["bank_conflicts"] == 0
            assert all(one["local_requests"] == 0 for one in (count, scan, move))
            # Runs of equal digits end within sectors, which is all that is lost at random keys.
            assert move["sector_efficiency"] > 0.6
