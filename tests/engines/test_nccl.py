"""Ranks whose tensors on simulated GPUs go by NCCL, between processes, under a real mpiexec."""

from __future__ import annotations

import os
import re
import sys
import time

import numpy as np
import pytest
from engines.test_mpi import RANKS, run

from support.rank_runs import run_ranks

pytestmark = pytest.mark.timeout(115)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("kind", ["values", "bytes", "order", "again", "messages"])
def test_operations_on_gpus(kind: str, ranks: int) -> None:
    status, output, _ = run(ranks, "on_gpus.py", kind)
    assert status == 0, output
    assert output.count(f"did {kind}") == ranks


@pytest.mark.parametrize("ranks", RANKS)
def test_ranks_that_differ_are_told_and_go_on(ranks: int) -> None:
    status, output, _ = run(ranks, "on_gpus.py", "refused")
    assert status == 0, output
    for kind in ("count", "dtype", "operation", "device"):
        assert output.count(f"refused {kind}: ") == ranks, output
    assert "rank 1: all_reduce(sum) of float32 (4,) on cpu" in output


FAULTS = {
    "hang": r"the GPUs did not end it within 4 s|was aborted",
    "abort": r"ncclAllReduce of 2 elements of type 7, op 0 was aborted \(a planned fault\)",
    "kill": "rank 1 was killed or ended silently",
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_of_a_rank_ends_all_and_is_named(kind: str) -> None:
    started = time.monotonic()
    status, output, _ = run(2, "on_gpus.py", kind)
    assert status != 0
    assert time.monotonic() - started < 4 + 10
    assert re.search(FAULTS[kind], output), output
    assert "no error" not in output


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("how", ["ddp", "average", "unused"])
def test_losses_are_those_of_one_process(how: str, ranks: int, tmp_path) -> None:
    found = []
    for count in (1, ranks):
        file = tmp_path / str(count)
        done = run(count, "training.py", how, file, ranks, "cuda:0", "nccl")
        assert done[0] == 0, done[1]
        found.append(dict(np.load(f"{file}.npz")))
    for name, value in found[0].items():
        np.testing.assert_allclose(found[1][name], value, rtol=2e-5, atol=2e-6, err_msg=name)


WITHOUT = """
import gpukit, gpukit.distributed as dist
{simulation}
dist.init_process_group("nccl")
"""


@pytest.mark.parametrize(
    ("simulation", "reason"),
    [
        ("", "rank 0: there is no usable GPU: .* rank 1: there is no usable GPU"),
        ("gpukit.simulate(1)", "rank 1: nccl: no usable NCCL .not looked for: GPUKIT_NCCL=none"),
    ],
)
def test_without_gpus_or_nccl_every_rank_says_what_to_use(simulation, reason, tmp_path) -> None:
    program = tmp_path / "starts.py"
    program.write_text(WITHOUT.format(simulation=simulation))
    environment = {name: text for name, text in os.environ.items() if "GPUKIT" not in name}
    environment["GPUKIT_NCCL"] = "none"
    done = run_ranks(
        [sys.executable, "-m", "gpukit", "run", "-n", "2", str(program)],
        env=environment, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode != 0
    assert re.search("needs NCCL and a GPU on every rank.*" + reason, done.stderr), done.stderr
    assert "Use backend 'mpi'" in done.stderr
