"""Ranks in Ray's actors: collectives beside torch's with gloo, NCCL, training, deaths."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ray
from engines.test_mpi import run
from engines.test_ray import cluster  # noqa: F401 (a fixture)

import gpukit

PROGRAMS = Path(__file__).parent / "programs"
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.long,
    pytest.mark.timeout(115),
]


@ray.remote(num_cpus=0, runtime_env={"env_vars": {"GPUKIT_SIMULATE": ""}})
class Rank:
    """A process of one rank."""

    def run(self, rank: int, size: int, path: str, arguments: list[str]) -> str:
        """What a program prints, or the error that ends it."""
        import contextlib
        import io
        import os
        import runpy
        import sys

        os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(size)}
        sys.argv = [path, *arguments]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            try:
                runpy.run_path(path, run_name="__main__")
            except BaseException as error:  # told to the test
                print(f"{type(error).__name__}: {error}")
        return output.getvalue()

    def ready(self) -> None:
        """Once the process is there."""


def ranks(size: int, name: str, *arguments: object, timeout: float = 90) -> list[Any]:
    """What each rank of a program prints; None of one whose process has ended."""
    actors = [Rank.remote() for _ in range(size)]
    ray.get([each.ready.remote() for each in actors])
    path, words = str(PROGRAMS / name), [str(each) for each in arguments]
    runs = [each.run.remote(rank, size, path, words) for rank, each in enumerate(actors)]
    found = [_told(each, timeout) for each in runs]
    for actor in actors:
        ray.kill(actor)
    return found


def _told(run_of_one: Any, timeout: float) -> str | None:
    try:
        return ray.get(run_of_one, timeout=timeout)
    except ray.exceptions.RayActorError:
        return None


@pytest.mark.parametrize("size", [2, 3])
def test_every_call_leaves_what_torch_with_gloo_leaves(size: int, tmp_path: Path) -> None:
    status, output, _ = run(size, "collectives.py", "torch", tmp_path)
    assert status == 0, output
    printed = ranks(size, "collectives.py", "gpukit", tmp_path)
    assert not any("Error" in str(each) for each in printed), printed
    compared, differing = 0, []
    for rank in range(size):
        mine, other = (
            dict(np.load(tmp_path / f"{library}-{rank}.npz")) for library in ("gpukit", "torch")
        )
        assert mine.keys() == other.keys()
        for name, value in other.items():
            if value.dtype.kind != "U":  # torch refuses it
                compared += 1
                if not np.array_equal(mine[name], value):
                    differing.append(f"rank {rank} {name}: {mine[name]!s:.80} not {value!s:.80}")
    assert differing == []
    assert compared > 500 * size


@pytest.mark.parametrize("kind", ["values", "bytes", "order", "messages", "refused", "again"])
def test_nccls_unique_id_travels_by_ray(kind: str) -> None:
    printed = ranks(2, "on_gpus.py", kind)
    assert [f"rank {rank} did {kind}" in str(told) for rank, told in enumerate(printed)] == [
        True,
        True,
    ], printed


@pytest.mark.parametrize("kind", ["hang", "abort"])
def test_a_fault_of_nccl_is_told_on_every_rank(kind: str) -> None:
    started = time.monotonic()
    told = ranks(2, "on_gpus.py", kind)
    assert time.monotonic() - started < 25
    assert all("DistributedError" in each and "no error" not in each for each in told), told


@pytest.mark.parametrize("place", ["cpu", "cuda:0"])
@pytest.mark.parametrize("how", ["ddp", "average", "accumulate", "unused"])
def test_training_is_that_of_one_process_with_the_whole_batch(how, place, tmp_path) -> None:
    backend = "ray" if place == "cpu" else "nccl"
    assert run(1, "training.py", how, tmp_path / "alone", 2, place)[0] == 0
    printed = ranks(2, "training.py", how, tmp_path / "several", 2, place, backend)
    assert printed == ["", ""]
    wanted, got = (dict(np.load(tmp_path / f"{name}.npz")) for name in ("alone", "several"))
    for name, value in wanted.items():
        np.testing.assert_allclose(got[name], value, rtol=2e-5, atol=2e-6, err_msg=name)


def test_uneven_batches_need_join_and_an_error_says_so(tmp_path: Path) -> None:
    assert [f"rank {i} joined" in told for i, told in enumerate(ranks(2, "joining.py"))] == [
        True
    ] * 2
    told = ranks(2, "training.py", "uneven", tmp_path / "file", 2, "cpu", "ray")
    assert "DistributedDataParallel.join()" in str(told) or "the same operation" in str(told), told


@pytest.mark.parametrize("program", ["overlap.py", "mixed.py"])
def test_operations_in_the_background(program: str) -> None:
    told = ranks(2, program)
    assert all(Path(program).stem[:5] in each for each in told), told


@pytest.mark.parametrize(
    "kind", ["shape", "dtype", "operation", "all_to_all", "send", "parameters"]
)
def test_a_mismatch_is_an_error_on_every_rank_and_the_group_goes_on(kind: str) -> None:
    told = ranks(2, "faults.py", kind)
    assert all("goes on" in each for each in told), told


def test_a_killed_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    ranks(2, "resuming.py", whole, -1)
    started = time.monotonic()
    told = ranks(2, "resuming.py", killed, 3)
    assert told[1] is None
    assert "rank 1 has ended" in told[0]
    assert time.monotonic() - started < 20
    assert "began at step 3" in ranks(2, "resuming.py", killed, -1)[0]
    ends = [gpukit.load(folder / "end.pth")["weight"] for folder in (whole, killed)]
    assert gpukit.equal(*ends)


STARTS = """
import sys, time
import gpukit.distributed as dist
started = time.monotonic()
try:
    dist.init_process_group("ray", rank={rank}, world_size={size}, timeout=2)
finally:
    print(f"{{time.monotonic() - started:.1f}} s")
"""


@pytest.mark.parametrize(("rank", "missing"), [(0, "rank 1, 2 of 3"), (2, "rank 0 of 3")])
def test_ranks_that_never_come_are_an_error_in_time(rank: int, missing: str, tmp_path) -> None:
    program = tmp_path / "starts.py"
    program.write_text(STARTS.format(rank=rank, size=3))
    (told,) = ranks(1, str(program))
    seconds, _, error = told.partition(" s\n")
    assert float(seconds) < 5
    assert f"DistributedError: init_process_group: no call within 2 s by {missing}" in error, told


def test_what_an_actor_must_say(tmp_path: Path) -> None:
    program = tmp_path / "starts.py"
    for given, wanted in {
        "'ray', rank=2, world_size=2": "rank is 2; use 0 to 1, or a larger world_size",
        "'mpi', world_size=2": "Ray started this process, not mpiexec. Use backend 'ray'",
        "'tcp'": "use 'ray' or 'nccl' between Ray's actors",
    }.items():
        program.write_text(f"import gpukit.distributed as d; d.init_process_group({given})")
        (told,) = ranks(1, str(program))
        assert wanted in told, told


def test_two_groups_one_after_the_other_in_the_same_actors(tmp_path: Path) -> None:
    program = tmp_path / "twice.py"
    program.write_text(
        "import gpukit, gpukit.distributed as d\n"
        "for _ in range(3):\n"
        "    d.init_process_group(timeout=20)\n"
        "    x = gpukit.ones(2) * (d.get_rank() + 1)\n"
        "    d.all_reduce(x); print(x.tolist(), d.get_backend())\n"
        "    d.destroy_process_group()\n"
    )
    assert ranks(2, str(program)) == ["[3.0, 3.0] ray\n" * 3] * 2
