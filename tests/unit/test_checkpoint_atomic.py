"""A saved file is the old one or the new one, whole, whatever happens while it is written."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import pytest

import gpukit
from gpukit.errors import CheckpointError
from support import mode
from support.patience import holds

KILLS = mode.LONG_RUN or 100
# Saves round after round: each file is full of its round's number.
SAVER = """
import sys, gpukit
path = sys.argv[1]
for i in range(1_000_000):
    gpukit.save({"round": i, "w": gpukit.full((300_000,), float(i))}, path)
    if i == 0:
        print("saving", flush=True)
"""


def check_whole(path, **options):
    """One round's file, complete; gives the round."""
    state = gpukit.load(path, **options)
    assert state["w"].shape == (300_000,)
    assert bool((state["w"] == float(state["round"])).all())
    return state["round"]


@contextmanager
def saver(path):
    """A process that saves to `path` until it is killed."""
    child = subprocess.Popen(
        [sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "saving\n"
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


# The children fork from one that has imported gpukit, so that a kill costs milliseconds.
FORKER = """
import os, random, signal, sys, time, gpukit
path, kills = sys.argv[1], int(sys.argv[2])
chance = random.Random(11)
begin = time.perf_counter()
for _ in range(3):
    gpukit.save({"round": 0, "w": gpukit.zeros(300_000)}, path)
took = (time.perf_counter() - begin) / 3
for k in range(1, kills + 1):
    child = os.fork()
    if child == 0:
        for i in range(1000 * k, 1000 * k + 999):
            gpukit.save({"round": i, "w": gpukit.full((300_000,), float(i))}, path)
        os._exit(1)
    time.sleep(chance.uniform(0, min(1.5 * took, 0.1)))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    state = gpukit.load(path)
    assert state["w"].numel() == 300_000
    assert bool((state["w"] == float(state["round"])).all()), k
    print(state["round"], flush=True)
"""


@pytest.mark.timeout(600)
def test_kill_at_random_points(tmp_path):
    path = tmp_path / "net.pth"
    gpukit.save({"round": 0, "w": gpukit.zeros(300_000)}, path)
    result = subprocess.run(
        [sys.executable, "-c", FORKER, str(path), str(KILLS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    rounds = [int(line) for line in result.stdout.split()]
    assert len(rounds) == KILLS
    # Some kills came after a new file was whole, and some in the middle of one.
    assert len(set(rounds)) > 1
    assert list(tmp_path.glob(".net.pth.*.tmp"))


def test_mapped_file_stays_whole_while_it_is_replaced(tmp_path):
    path = tmp_path / "net.pth"
    with saver(path):
        rounds = {check_whole(path, mmap=i % 2 == 0) for i in range(100)}
    assert len(rounds) > 1


def test_save_onto_the_file_that_is_mapped(tmp_path):
    path = tmp_path / "net.pth"
    gpukit.save({"w": gpukit.rand(1000)}, path)
    for _ in range(100):
        state = gpukit.load(path, mmap=True)
        want = state["w"].clone()
        gpukit.save(state, path)
        assert gpukit.equal(state["w"], want)
    assert gpukit.equal(gpukit.load(path)["w"], want)


@contextmanager
def largest_file(size):
    """Writing beyond `size` bytes fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, old)


@pytest.mark.parametrize("suffix", [".pth", ".npz", ".safetensors"])
@pytest.mark.parametrize("size", [0, 1, 100, 5000, 1 << 20, (4 << 20) - 1])
def test_full_disk(size, suffix, tmp_path):
    path = tmp_path / f"net{suffix}"
    gpukit.save({"w": gpukit.ones(10)}, path)
    big = gpukit.rand(1 << 20)
    with (
        largest_file(size),
        pytest.raises(CheckpointError, match=r"net.*could not be written.*unchanged") as caught,
    ):
        gpukit.save({"w": big}, path)
    assert caught.value.details["file"] == str(path)
    assert list(tmp_path.iterdir()) == [path]
    assert gpukit.load(path)["w"].sum().item() == 10
    gpukit.save({"w": big}, path)
    assert gpukit.equal(gpukit.load(path)["w"], big)


def test_interrupt_leaves_no_temporary_file(tmp_path, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    path = tmp_path / "net.pth"
    gpukit.save(1, path)
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gpukit.save(2, path)
    assert list(tmp_path.iterdir()) == [path]
    assert gpukit.load(path) == 1


def test_truncated_under_the_reader(tmp_path):
    """Reading, unlike mapping, meets a file that shrinks with an error, not with a signal."""
    path = tmp_path / "net.pth"
    gpukit.save({"w": gpukit.rand(1 << 20)}, path)
    stop = threading.Event()
    whole = path.read_bytes()

    def shrink():
        chance = random.Random(3)
        while not stop.is_set():
            with path.open("r+b") as file:
                file.truncate(chance.randrange(len(whole)))
                file.seek(0)
                file.write(whole)

    thread = threading.Thread(target=shrink)
    thread.start()
    try:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            with suppress(CheckpointError):
                assert gpukit.load(path)["w"].numel() == 1 << 20
    finally:
        stop.set()
        thread.join()


def test_threads_run_while_a_file_is_saved_and_loaded(tmp_path):
    path = tmp_path / "net.pth"
    tensor = gpukit.rand(1 << 24)
    tries = []

    def threads_run() -> bool:
        stop, gaps = threading.Event(), []

        def tick():
            last = time.perf_counter()
            while not stop.wait(0.001):
                now = time.perf_counter()
                gaps.append(now - last)
                last = now

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.perf_counter()
        gpukit.save(tensor, path)
        gpukit.load(path)
        took = time.perf_counter() - begin
        stop.set()
        thread.join()
        tries.append((len(gaps), max(gaps, default=took), took))
        return len(gaps) >= 3 and max(gaps) < max(0.05, 0.5 * took)

    assert holds(threads_run, 5), tries


def test_a_missing_folder_is_named_and_not_the_temporary_file(tmp_path):
    path = tmp_path / "no" / "such" / "x.pth"
    with pytest.raises(FileNotFoundError, match=r"make it first, with os\.makedirs") as caught:
        gpukit.save(gpukit.ones(2), path)
    assert caught.value.filename == str(path)
    assert ".tmp" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
