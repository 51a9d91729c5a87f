"""The examples of scale-out run as they are."""

from __future__ import annotations

import sys

import pytest

from support.mode import PROJECT
from support.rank_runs import run_ranks

FOLDER = PROJECT / "examples" / "scale_out"


def run(*command: object) -> str:
    done = run_ranks([sys.executable, *map(str, command)], capture_output=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("ranks", [1, 2])
def test_training_on_ranks(ranks: int) -> None:
    output = run("-m", "gpukit", "run", "-n", ranks, FOLDER / "train_mpi.py")
    assert output.count("epoch") == 8


def test_an_array_larger_than_its_chunks() -> None:
    assert "Chunk(tensor" in run(FOLDER / "dask_array.py")


@pytest.mark.long
def test_training_on_rays_workers() -> None:
    assert run(FOLDER / "train_ray.py").count("loss") == 7


@pytest.mark.long
def test_training_from_checkpoint_to_checkpoint_on_ray_train() -> None:
    assert "after step 59\n193 parameters" in run(FOLDER / "train_ray_train.py")
