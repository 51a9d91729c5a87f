"""Ranks under a real mpiexec: collectives beside torch's with gloo, faults, training."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gpukit
from support.rank_runs import run_ranks

PROGRAMS = Path(__file__).parent / "programs"
pytestmark = pytest.mark.timeout(115)

RANKS = [2, pytest.param(4, marks=pytest.mark.long)]


def run(ranks: int, name: str, *arguments: object, timeout: float = 90) -> tuple[int, str, float]:
    """(exit status, all output, seconds) of a program on so many ranks."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    environment |= {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "gpukit", "run", "-n", str(ranks)]
    command += ["--timeout", str(timeout), str(PROGRAMS / name), *map(str, arguments)]
    started = time.monotonic()
    done = run_ranks(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout + 15,
    )
    return done.returncode, done.stdout, time.monotonic() - started


@pytest.fixture(scope="module", params=RANKS)
def both(request, tmp_path_factory) -> tuple[int, list[dict], list[dict]]:
    """What gpukit's ranks found, and torch's."""
    ranks, folder = request.param, tmp_path_factory.mktemp("collectives")
    found = {}
    for library in ("gpukit", "torch"):
        status, output, _ = run(ranks, "collectives.py", library, folder)
        assert status == 0, output
        found[library] = [dict(np.load(folder / f"{library}-{r}.npz")) for r in range(ranks)]
    return ranks, found["gpukit"], found["torch"]


def numbers(shape: tuple[int, ...], rank: int) -> np.ndarray:
    count = int(np.prod(shape))
    return ((np.arange(count) * (rank + 2) + rank) % 5 + 1).reshape(shape)


def test_sums_and_products_are_numpys(both) -> None:
    ranks, ours, _ = both
    for shape in [(3,), (), (4, 5), (0,), (1000,)]:
        parts = [numbers(shape, rank) for rank in range(ranks)]
        for mine in ours:
            for dtype in ("float32", "float16", "bfloat16", "int8", "uint8", "int64"):
                total = np.sum(parts, axis=0)
                assert np.array_equal(mine[f"all_reduce SUM {dtype} {shape}"], total)
                assert np.array_equal(mine[f"all_gather {dtype} {shape}"], np.stack(parts))
                assert np.array_equal(mine[f"broadcast {dtype} {shape}"], parts[-1])


def test_every_call_leaves_what_torch_with_gloo_leaves(both) -> None:
    _, ours, theirs = both
    compared, differing = 0, []
    for rank, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        assert mine.keys() == other.keys()
        for name, value in other.items():
            if value.dtype.kind == "U":
                continue  # torch refuses it
            compared += 1
            if mine[name].dtype.kind == "U" or not np.array_equal(mine[name], value):
                differing.append(f"rank {rank} {name}: {mine[name]!s:.200} not {value!s:.80}")
    assert differing == []
    assert compared > 500 * len(ours)


def test_all_ranks_have_the_same(both) -> None:
    _, ours, _ = both
    for name, value in ours[0].items():
        if name.startswith(("all_", "broadcast", "into", "background", "strided")):
            if "to_all" in name:
                continue
            assert all(np.array_equal(value, other[name]) for other in ours[1:]), name


MISMATCHES = [
    "shape",
    "dtype",
    "operation",
    "op",
    "source",
    "broadcast",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "background",
    "send",
    "parameters",
]


LONG = [pytest.param(kind, 4, marks=pytest.mark.long) for kind in MISMATCHES if kind != "send"]


@pytest.mark.parametrize(("kind", "ranks"), [*((kind, 2) for kind in MISMATCHES), *LONG])
def test_a_mismatch_is_an_error_on_every_rank_within_5_s(kind: str, ranks: int) -> None:
    status, output, _ = run(ranks, "faults.py", kind)
    assert status == 0, output
    seconds = [float(each) for each in re.findall(r"rank \d after ([\d.]+) s: ", output)]
    assert len(seconds) == ranks, output
    assert max(seconds) < 5
    assert output.count("goes on") == ranks


def test_a_rank_that_makes_fewer_calls_is_named() -> None:
    status, output, seconds = run(2, "faults.py", "missing")
    assert status != 0
    assert "rank 1 has ended or called destroy_process_group" in output
    assert seconds < 20


@pytest.mark.parametrize("ranks", RANKS)
def test_a_monitored_barrier_names_who_is_missing(ranks: int) -> None:
    status, output, _ = run(ranks, "faults.py", "monitored")
    assert status != 0
    missing = ", ".join(str(rank) for rank in range(1, ranks, 2))
    told = re.findall(r"rank (\d) after ([\d.]+) s: .*within 1.5 s by rank ([\d, ]+)\.", output)
    assert [ranks for _, _, ranks in told] == [missing] * (ranks // 2), output
    assert all(1.4 < float(seconds) < 5 for _, seconds, _ in told)


@pytest.mark.parametrize("how", ["sleeps", "works"])
@pytest.mark.parametrize("ranks", RANKS)
def test_a_rank_that_never_joins_is_named_in_time(how: str, ranks: int, tmp_path) -> None:
    program = tmp_path / "joins.py"
    program.write_text(
        "import os, time, gpukit.distributed as d\n"
        "if os.environ['RANK'] == '1':\n"
        f"    {'time.sleep(60)' if how == 'sleeps' else 'raise SystemExit(0)'}\n"
        "d.init_process_group(timeout=2)\n"
    )
    status, output, seconds = run(ranks, str(program))
    assert status != 0
    assert f"init_process_group: no call within 2 s by rank 1 of {ranks}" in output, output
    assert seconds < 15


@pytest.mark.parametrize("how", ["raise ValueError('planted')", "os.kill(os.getpid(), 9)"])
def test_a_rank_that_fails_before_mpi_starts_ends_the_others(how: str, tmp_path) -> None:
    program = tmp_path / "fails.py"
    program.write_text(f"import os, time\nif os.environ['RANK'] == '1': {how}\ntime.sleep(60)\n")
    status, output, seconds = run(2, str(program))
    assert status != 0
    assert seconds < 15
    assert re.search("rank 1 (failed: ValueError: planted|was killed)", output), output


ENDINGS = {
    "raise": "rank 1 failed: ValueError: a planted fault",
    "exit": r"rank 1 failed: sys.exit\(3\)",
    "kill": "rank 1 was killed or ended silently",
    "segfault": "rank 1 was killed or ended silently",
    "leave": "rank 1 has ended or called destroy_process_group",
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("kind", ENDINGS)
def test_a_rank_that_dies_ends_the_others_and_is_named(kind: str, ranks: int) -> None:
    status, output, _ = run(ranks, "faults.py", kind)
    ended = time.time()
    assert status != 0, output
    assert re.search(ENDINGS[kind], output), output
    (died,) = re.findall(r"dies at ([\d.]+)", output)
    assert ended - float(died) < 10
    leftover = subprocess.run(
        ["pgrep", "-f", f"faults.py {kind}"], capture_output=True, text=True, check=False
    )
    assert leftover.stdout == ""


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("how", ["ddp", "average", "accumulate", "unused"])
def test_training_is_that_of_one_process_with_the_whole_batch(
    how: str, ranks: int, tmp_path
) -> None:
    assert (alone := run(1, "training.py", how, tmp_path / "alone", ranks))[0] == 0, alone[1]
    assert (several := run(ranks, "training.py", how, tmp_path / "several", ranks))[0] == 0, (
        several[1]
    )
    wanted, got = (dict(np.load(tmp_path / f"{name}.npz")) for name in ("alone", "several"))
    for name, value in wanted.items():
        np.testing.assert_allclose(got[name], value, rtol=2e-5, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("rows", [256, 1024])
@pytest.mark.parametrize("ranks", RANKS)
def test_gradients_are_those_of_the_whole_batch(ranks: int, rows: int, tmp_path) -> None:
    """To 4 units in the last place of the sum that each element is.

    With a few rows a rank the layers' products add in another order than those of the whole batch,
    and what is next to zero behind a relu has no such bound.
    """
    for name, count in (("alone", 1), ("several", ranks)):
        status, output, _ = run(count, "gradients.py", tmp_path / name, ranks * rows)
        assert status == 0, output
    alone, several = (dict(np.load(tmp_path / f"{name}.npz")) for name in ("alone", "several"))
    assert sum(value.size for value in several.values()) == 669_706
    for name, value in several.items():
        apart = np.abs(value.astype(np.float64) - alone[name])
        assert (apart <= 4 * 2.0**-23 * alone[f"sum {name}"]).all(), name


def test_a_large_gradient_is_reduced_where_it_lies() -> None:
    status, output, _ = run(2, "room.py")
    assert status == 0, output
    taken = [float(each) for each in re.findall(r"took ([\d.]+)", output)]
    assert len(taken) == 2
    assert max(taken) < 1.8, taken  # the gradient, and room that is left


@pytest.mark.parametrize(
    "program",
    [("kept.py", "copies"), ("kept.py", "views"), ("training.py", "unused"), ("joining.py",)],
    ids="-".join,
)
def test_gradients_reduced_where_they_lie(program: tuple[str, ...], tmp_path) -> None:
    if program[0] != "training.py":
        status, output, _ = run(2, "in_place.py", *program)
        assert status == 0, output
        return
    assert (alone := run(1, *program, tmp_path / "alone", 2))[0] == 0, alone[1]
    status, output, _ = run(2, "in_place.py", *program, tmp_path / "several", 2)
    assert status == 0, output
    wanted, got = (dict(np.load(tmp_path / f"{name}.npz")) for name in ("alone", "several"))
    for name, value in wanted.items():
        np.testing.assert_allclose(got[name], value, rtol=2e-5, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("memory", ["copies", "views"])
def test_gradients_that_a_program_keeps_stay_as_they_are(memory: str) -> None:
    status, output, _ = run(2, "kept.py", memory)
    assert status == 0, output
    assert output.count("kept") == 2


@pytest.mark.parametrize("ranks", RANKS)
def test_join_lets_ranks_have_different_numbers_of_batches(ranks: int) -> None:
    status, output, _ = run(ranks, "joining.py")
    assert status == 0, output
    assert output.count("joined") == ranks


@pytest.mark.parametrize("ranks", RANKS)
def test_reductions_begin_while_derivatives_are_computed(ranks: int) -> None:
    status, output, _ = run(ranks, "overlap.py")
    assert status == 0, output
    assert output.count("overlaps") == ranks


def test_watch_names_the_lines_that_wait_for_other_ranks() -> None:
    status, output, _ = run(2, "watched.py")
    assert status == 0, output
    assert output.count("watched") == 2


def test_the_log_has_bytes_and_times_of_each_operation(tmp_path) -> None:
    program = tmp_path / "adds.py"
    program.write_text(
        "import gpukit, gpukit.distributed as d\n"
        "d.init_process_group('mpi'); d.all_reduce(gpukit.ones(1000)); d.destroy_process_group()\n"
    )
    command = [sys.executable, "-m", "gpukit", "run", "-n", "2", str(program)]
    environment = {**os.environ, "GPUKIT_LOG": "debug"}
    done = run_ranks(command, env=environment, capture_output=True, timeout=60)
    line = (
        r"gpukit debug: all_reduce\(sum\) of float32 \(1000,\): 4000 bytes; .* ms, moved in .* ms"
    )
    assert len(re.findall(line, done.stderr)) == 2, done.stderr


@pytest.mark.parametrize("ranks", RANKS)
def test_a_killed_training_goes_on_from_its_checkpoint(ranks: int, tmp_path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    assert (done := run(ranks, "resuming.py", whole, -1))[0] == 0, done[1]
    status, output, _ = run(ranks, "resuming.py", killed, 3)
    assert status != 0
    assert f"rank {ranks - 1} was killed" in output
    status, output, _ = run(ranks, "resuming.py", killed, -1)
    assert status == 0, output
    assert "began at step 3" in output  # nothing is lost but the step under way
    ends = [gpukit.load(folder / "end.pth")["weight"] for folder in (whole, killed)]
    assert gpukit.equal(*ends)


def test_operations_on_gpus_keep_the_order_of_the_callers_stream() -> None:
    status, output, _ = run(2, "streams.py")
    assert status == 0, output
    assert output.count("in order") == 2


@pytest.mark.parametrize("ranks", RANKS)
def test_training_on_simulated_gpus_is_that_on_the_cpu(ranks: int, tmp_path) -> None:
    results = []
    for device in ("cpu", "cuda:0"):
        done = run(ranks, "training.py", "ddp", tmp_path / device, ranks, device)
        assert done[0] == 0, done[1]
        results.append(dict(np.load(tmp_path / f"{device}.npz")))
    for name, value in results[0].items():
        np.testing.assert_allclose(results[1][name], value, rtol=2e-5, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("ranks", RANKS)
def test_ranks_may_differ_in_what_they_wait_for(ranks: int) -> None:
    status, output, _ = run(ranks, "mixed.py")
    assert status == 0, output
    assert output.count("mixed") == ranks


def test_uneven_batches_without_join_are_an_error_that_says_so(tmp_path) -> None:
    status, output, _ = run(2, "training.py", "uneven", tmp_path / "file", 2)
    assert status != 0
    assert "DistributedSampler, drop_last=True, or DistributedDataParallel.join()" in output or (
        "the ranks do not call the same operation" in output
    )


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_no_rank_outlives_gpukit_run(sign: signal.Signals, tmp_path) -> None:
    program = tmp_path / "waits.py"
    program.write_text(
        "import os, pathlib, sys, time\n"
        "pathlib.Path(sys.argv[1], str(os.getpid())).touch()\n"
        "time.sleep(60)\n"
    )
    ranks_folder = tmp_path / "ranks"
    ranks_folder.mkdir()
    command = [sys.executable, "-m", "gpukit", "run", "-n", "2", str(program), str(ranks_folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
        end = time.monotonic() + 30
        while len(list(ranks_folder.iterdir())) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        ranks = [int(path.name) for path in ranks_folder.iterdir()]
        job.send_signal(sign)
    assert len(ranks) == 2
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in ranks) and time.monotonic() < end:
        time.sleep(0.05)
    assert [pid for pid in ranks if Path(f"/proc/{pid}").exists()] == []


def test_nothing_listens_where_other_machines_can_reach_it(tmp_path) -> None:
    """While two ranks run, none of their sockets is bound to more than the loopback device."""
    program = tmp_path / "waits.py"
    program.write_text(
        "import time, gpukit.distributed as d\n"
        "d.init_process_group('mpi'); d.barrier(); d.get_rank() or print('up', flush=True)\n"
        "time.sleep(2); d.barrier(); d.destroy_process_group()\n"
    )
    command = [sys.executable, "-m", "gpukit", "run", "-n", "2", str(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        assert job.stdout.readline().strip() == "up"
        inodes = socket_inodes(descendants(job.pid))
        listening = [line for line in open_ports() if line[1] in inodes]
    assert job.returncode == 0
    assert [address for address, _ in listening if not address.startswith("0100007F")] == []


def descendants(pid: int) -> set[int]:
    found, waiting = {pid}, [pid]
    while waiting:
        path = Path(f"/proc/{waiting.pop()}/task")
        for children in path.glob("*/children"):
            new = {int(each) for each in children.read_text().split()} - found
            found |= new
            waiting += new
    return found


def socket_inodes(pids: set[int]) -> set[str]:
    links = []
    for folder in (Path(f"/proc/{pid}/fd") for pid in pids):
        with contextlib.suppress(FileNotFoundError):  # a process that has ended meanwhile
            for fd in list(folder.iterdir()):
                with contextlib.suppress(FileNotFoundError):
                    links.append(str(fd.readlink()))
    return {link[8:-1] for link in links if link.startswith("socket:[")}


def open_ports() -> list[tuple[str, str]]:
    """(local address, inode) of listening TCP sockets and bound UDP ones."""
    found = []
    for name, state in {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}.items():
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == state:
                found.append((fields[1], fields[9]))
    return found


def test_a_backward_pass_refuses_what_an_operation_overwrote() -> None:
    status, output, _ = run(2, "saved.py")
    assert status == 0, output
    found = dict(re.findall(r"rank (\d \w+): (kept|overwritten)", output))
    kept = {"1 reduce", "0 broadcast", "0 exchange"}
    calls = ("all_reduce", "reduce", "broadcast", "half", "exchange")
    every = {f"{rank} {name}" for rank in (0, 1) for name in calls}
    assert found == {each: "kept" if each in kept else "overwritten" for each in every}
