"""Worker processes of DataLoader: values, order, seeds, errors, and that nothing is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import gpukit
from gpukit.utils import _messages
from gpukit.utils.data import DataLoader, TensorDataset, get_worker_info
from support.worker_data import Described, Failing, Slow, Stream, fail_in, same

TESTS = Path(__file__).parent.parent
SHARED = Path("/dev/shm")


def alive(process: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1]
    except OSError:
        return False
    return state.split()[0] not in {"Z", "X"}


def wait_until_gone(processes: list[int]) -> None:
    limit = time.monotonic() + 20
    while any(map(alive, processes)):
        assert time.monotonic() < limit, "a worker is left"
        time.sleep(0.02)


def test_batches_come_in_order_from_seeded_workers_through_shared_memory():
    make = gpukit.Generator().manual_seed
    loader = DataLoader(Described(7), batch_size=2, num_workers=2, generator=make(3))
    batches = list(loader)
    assert len(loader) == len(batches) == 4
    assert [b["index"].tolist() for b in batches] == [[0, 1], [2, 3], [4, 5], [6]]
    assert [b["worker"][0].item() for b in batches] == [0, 1, 0, 1]
    seeds = {int(b["worker"][0]): b["seeds"] for b in batches}
    for worker in (0, 1):
        assert seeds[worker][0][0] == seeds[worker][1][0]
        assert seeds[worker][0][0] == seeds[0][0][0] + worker
    assert {int(t) for b in batches for t in b["threads"]} == {1}
    assert batches[0]["draw"].tolist() != batches[1]["draw"].tolist()
    for batch in batches:
        first = float(batch["index"][0])
        assert batch["image"][0].unique().tolist() == [first]
        assert batch["row"].shape == (len(batch["index"]), 5000)
        assert batch["row"][0, 7].item() == 7 + first
        assert batch["name"][0] == "sample " * 300
        batch["image"] += 1  # it is this process's own memory
        assert batch["image"][0].unique().tolist() == [first + 1]
    pids = {int(p) for b in batches for p in b["process"]}
    assert os.getpid() not in pids
    wait_until_gone(list(pids))


def test_workers_stay_with_persistent_workers_and_end_with_the_loader():
    loader = DataLoader(Described(4), num_workers=2, persistent_workers=True)
    first = iter(loader)
    pids = {int(next(first)["process"])}
    second = list(loader)  # the first iteration was left early
    pids |= {int(b["process"]) for b in second}
    assert [int(b["index"]) for b in second] == [0, 1, 2, 3]
    assert len(pids) == 2
    assert all(map(alive, pids))
    with pytest.raises(RuntimeError, match="a later iteration took the workers"):
        next(first)
    del loader, first
    wait_until_gone(list(pids))


def test_errors_of_a_worker_are_raised_with_its_traceback():
    loader = DataLoader(Failing(), batch_size=None, num_workers=1, collate_fn=same)
    batches = iter(loader)
    assert next(batches) == 0
    with pytest.raises(KeyError) as caught:
        next(batches)
    lines = str(caught.value).splitlines()
    assert lines[0] == "Caught KeyError in DataLoader worker process 0."
    assert lines[1] == "Original Traceback (most recent call last):"
    assert lines[-1] == "KeyError: 'no such picture'"
    with pytest.raises(RuntimeError, match="Caught TwoPartsError in DataLoader worker process 0"):
        next(batches)
    with pytest.raises(Exception, match="pickle"):
        next(batches)
    pid = batches._pool.processes[0].pid
    with pytest.raises(RuntimeError, match=rf"\(pid {pid}\) is killed by signal: Killed.*shm-size"):
        next(batches)


def test_a_failing_worker_init_fn_and_a_timeout():
    loader = DataLoader(Stream(4), num_workers=2, worker_init_fn=fail_in)
    batches = iter(loader)
    assert next(batches).tolist() == [0]
    with pytest.raises(ValueError, match="worker 1 has no data"):
        next(batches)
    batches = iter(DataLoader(Slow(), num_workers=1, timeout=60))
    assert next(batches).tolist() == [0]
    pids = [process.pid for process in batches._pool.processes]
    batches._timeout = 0.1
    with pytest.raises(RuntimeError, match=r"timed out after 0.1 seconds"):
        next(batches)
    del batches
    wait_until_gone(pids)


def test_an_iterable_data_set_is_shared_out():
    loader = DataLoader(Stream(7), batch_size=2, num_workers=2)
    assert get_worker_info() is None
    assert [b.tolist() for b in loader] == [[0, 2], [1, 3], [4, 6], [5]]
    assert [b.tolist() for b in DataLoader(Stream(3), batch_size=2)] == [[0, 1], [2]]


def test_what_cannot_be_sent_is_an_error_that_names_the_way_out():
    loader = DataLoader([1, 2], num_workers=1, collate_fn=lambda batch: batch)
    loader.multiprocessing_context = multiprocessing.get_context("spawn")
    with pytest.raises(ValueError, match=r"cannot be pickled.*num_workers=0"):
        iter(loader)


@pytest.mark.parametrize(
    "options",
    [
        {"num_workers": -1},
        {"prefetch_factor": 2},
        {"persistent_workers": True},
        {"timeout": -1},
        {"multiprocessing_context": "spawn"},
        {"num_workers": 1, "multiprocessing_context": "nothing"},
        {"num_workers": 1, "prefetch_factor": 0},
    ],
)
def test_options_that_do_not_fit(options):
    with pytest.raises(ValueError, match=next(reversed(options))):
        DataLoader(TensorDataset(gpukit.arange(3)), **options)


def test_a_context_that_is_none_is_refused():
    with pytest.raises(TypeError, match="multiprocessing_context"):
        DataLoader([1], num_workers=1, multiprocessing_context=3)


# The program has no `if __name__`: what it sends is not its own, so no worker runs it again. A
# shell starts background jobs with interrupts ignored, and children inherit that.
PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import gpukit
from gpukit.utils.data import DataLoader
from support.worker_data import Described, Slow
batches = iter(DataLoader(Described(100), num_workers=2))
print(*(process.pid for process in batches._pool.processes), flush=True)
print(next(batches)["index"].item(), flush=True)
if sys.argv[1] == "wait":
    list(DataLoader(Slow(), num_workers=1))
"""


@pytest.mark.parametrize("end", ["exit", "interrupt", "kill"])
def test_nothing_is_left_by_a_process_that_ends(tmp_path, end):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    memory = set(SHARED.glob("*"))
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, program, "exit" if end == "exit" else "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
    assert process.stdout is not None
    pids = [int(text) for text in process.stdout.readline().split()]
    assert process.stdout.readline() == "0\n"
    assert len(pids) == 2
    if end == "interrupt":
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    elif end == "kill":
        process.kill()
    _out, errors = process.communicate(timeout=60)
    wait_until_gone(pids)
    assert process.returncode == {"exit": 0, "interrupt": -signal.SIGINT, "kill": -9}[end]
    if end != "kill":  # a worker that just starts then tells of the end of its program's text
        wanted = ["KeyboardInterrupt"] if end == "interrupt" else []
        assert errors.splitlines()[-1:] == wanted, errors
    assert not [path for path in set(SHARED.glob("*")) - memory if "gpukit" in path.name]


COMMAND = """
import gpukit, multiprocessing
from gpukit.utils.data import DataLoader, Dataset
class Squares(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return i * i
for collate in (None, lambda batch: gpukit.tensor(batch)):
    print([b.tolist() for b in DataLoader(Squares(), 2, num_workers=2, collate_fn=collate)])
"""


def test_data_sets_of_a_command_are_forked():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COMMAND],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[[0, 1], [4, 9]]"] * 2


def test_messages_keep_large_parts_out_of_the_connection():
    ours, theirs = multiprocessing.Pipe()
    sent = [gpukit.arange(9000), np.ones(4000), {"text": "x" * 9000}, gpukit.ones(2, 2)]
    packed = _messages.Packed(sent)
    assert packed.memory is not None
    assert len(packed.header) < 200
    assert not packed.mentions(b"__main__")
    packed.send(ours)  # nobody receives yet
    packed.close()
    found = _messages.receive(theirs)
    assert found[0].equal(sent[0])
    assert np.array_equal(found[1], sent[1])
    assert found[2] == sent[2]
    found[3].mul_(2)
    assert found[3].tolist() == [[2, 2], [2, 2]]
    small = _messages.Packed([gpukit.arange(3), "__main__"])
    assert small.memory is None
    assert small.mentions(b"__main__")
    ours.close()
    with pytest.raises(EOFError):
        _messages.receive(theirs)


def test_no_shared_memory_is_an_error_that_names_its_size(monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", refuse)
    with pytest.raises(RuntimeError, match=r"no shared memory is left.*--shm-size"):
        _messages.Packed(gpukit.ones(5000))


def test_a_default_timeout_of_sockets_leaves_pipes_as_they_are():
    ours, theirs = multiprocessing.Pipe()
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(5)
    try:
        with _messages._socket_of(ours):
            assert os.get_blocking(ours.fileno())
    finally:
        socket.setdefaulttimeout(before)
        ours.close()
        theirs.close()
