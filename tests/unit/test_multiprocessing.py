"""Tensors in shared memory, and what goes from one process to another."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest

import gpukit
from gpukit import _core
from gpukit import multiprocessing as mp
from support.process_targets import add_both, add_one, end_by_signal

SHM = Path("/dev/shm")


@pytest.fixture(autouse=True)
def main_module(monkeypatch):
    """Processes import the main module again; a notebook of another test may have replaced it."""
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))


def open_memories():
    """The shared memories of gpukit that this process has open."""
    links = [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]
    return sum("gpukit-tensor" in link for link in links)


def test_a_shared_tensor_keeps_its_elements_and_views():
    x = gpukit.arange(6.0).reshape(2, 3)
    row, array = x[1], x.numpy()
    assert not x.is_shared()
    assert x.share_memory_() is x
    assert x.share_memory_() is x
    assert x.is_shared()
    assert row.is_shared()
    row[0] = 9
    assert x.tolist() == [[0, 1, 2], [9, 4, 5]]
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]  # the memory from before
    assert row.data_ptr() == x.data_ptr() + 12


@pytest.mark.parametrize("shape", [(), (1,), (40, 50), (0,), (2, 0)])
def test_sizes_that_are_shared(shape):
    x = gpukit.rand(*shape) if shape else gpukit.tensor(3.0)
    want = x.clone()
    x.share_memory_()
    assert x.equal(want)
    assert x.is_shared() == (x.numel() > 0)
    y = pickle.loads(pickle.dumps(x))
    assert y.equal(want)
    assert not y.is_shared()


def test_the_memory_from_before_is_freed_and_the_shared_one_too():
    gc.collect()
    before = open_memories()
    x = gpukit.ones(1_000_000)
    x.share_memory_()
    y = x[5:]
    assert open_memories() == before + 1
    del x
    assert y[0].item() == 1
    del y
    assert open_memories() == before


def test_a_module_is_shared_with_its_gradients():
    layer = gpukit.nn.BatchNorm1d(3)
    layer(gpukit.rand(4, 3)).sum().backward()
    assert layer.share_memory() is layer
    tensors = [*layer.parameters(), *layer.buffers(), *(p.grad for p in layer.parameters())]
    assert all(each.is_shared() for each in tensors)


def test_what_cannot_be_shared():
    with pytest.raises(gpukit.AutogradError, match="its graph stays"):
        mp.Pipe()[1].send(gpukit.ones(1, requires_grad=True) * 2)


def test_a_gpu_tensor_is_refused_and_sent_as_a_copy(device):
    if device.type == "cpu":
        return
    x = gpukit.ones(2, device=device)
    with pytest.raises(NotImplementedError, match=r"cpu\(\)"):
        x.share_memory_()
    assert not x.is_shared()
    receiver, sender = mp.Pipe(duplex=False)
    sender.send(x)
    y = receiver.recv()
    y.add_(1)
    assert (y.device, x.tolist(), y.tolist()) == (x.device, [1, 1], [2, 2])


def test_views_in_one_message_share_memory():
    a = gpukit.zeros(4)
    receiver, sender = mp.Pipe(duplex=False)
    sender.send([a, a[1:3], a])
    x, part, again = receiver.recv()
    part[0] = 5
    assert (again is x, x.tolist(), a.tolist()) == (True, [0, 5, 0, 0], [0, 5, 0, 0])
    sender.send(a)
    assert receiver.recv().data_ptr() == x.data_ptr() == a.data_ptr()
    a[1:].copy_(x[:-1])  # seen to overlap, by their addresses
    assert x.tolist() == [0, 0, 5, 0]


def test_kind_and_layout_of_what_is_sent():
    receiver, sender = mp.Pipe(duplex=False)
    parameter = gpukit.nn.Parameter(gpukit.ones(2, 3))
    parameter.name_of_mine = "w"
    for x in (
        parameter,
        gpukit.ones(2, 3, dtype=gpukit.bfloat16).t(),
        gpukit.tensor([1 + 2j]),
        gpukit.ones(0, 3),
        gpukit.ones(3, requires_grad=True),
    ):
        sender.send(x)
        y = receiver.recv()
        assert type(y) is type(x)
        assert y.detach().equal(x.detach())
        assert (y.dtype, y.stride(), y.requires_grad) == (x.dtype, x.stride(), x.requires_grad)
        assert y.__dict__ == x.__dict__


def test_memory_that_something_else_refers_to_stays():
    x = gpukit.zeros(1000)
    array = x.numpy()
    x.share_memory_()
    others = [gpukit.ones(1000) for _ in range(20)]  # in the memory of x, were it free
    assert array.sum() == 0
    assert len(others) == 20


def test_numpy_arrays_survive_the_move():
    x = gpukit.zeros(100)
    array = x.numpy()
    receiver, sender = mp.Pipe(duplex=False)
    sender.send(x)
    del x
    gc.collect()
    array += 1
    assert array.sum() == 100
    assert receiver.recv().sum().item() == 0


def test_changes_of_another_process_are_seen():
    x = gpukit.zeros(3)
    process = mp.get_context("spawn").Process(target=add_one, args=(x,))
    process.start()
    process.join(60)
    assert (process.exitcode, x.tolist(), x.is_shared()) == (0, [1, 1, 1], True)


def test_tied_and_repeated_arguments_are_one_memory():
    x = gpukit.zeros(3)
    mp.spawn(add_both, args=(x, {"view": x[1:], "again": [x, x]}))
    assert x.tolist() == [1, 2, 2]


def test_nothing_is_left_of_killed_processes(tmp_path):
    before = set(SHM.iterdir()) if SHM.is_dir() else set()
    program = tmp_path / "program.py"
    program.write_text(
        """
import os, signal, time, gpukit, gpukit.multiprocessing as mp

def wait(x, q):
    q.put(x + 1)
    time.sleep(600)

if __name__ == "__main__":
    x, q = gpukit.zeros(1000).share_memory_(), mp.Queue()
    p = mp.Process(target=wait, args=(x, q), daemon=True)
    p.start()
    y = q.get()
    print(p.pid, flush=True)
    os.kill(p.pid, signal.SIGKILL)
    p.join()
    assert y.sum().item() == 1000
    os.kill(os.getpid(), signal.SIGKILL)
"""
    )
    done = subprocess.run(
        [sys.executable, str(program)], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    left = {each for each in SHM.iterdir() if "gpukit" in each.name} - before if before else set()
    assert not left


@pytest.mark.parametrize("shell", [[], ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]])
def test_processes_end_with_a_killed_parent(tmp_path, shell):
    program = tmp_path / "program.py"
    program.write_text(
        """
import os, sys, time, gpukit, gpukit.multiprocessing as mp

def wait(rank):
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    mp.spawn(wait, nprocs=1)
"""
    )
    command = [*shell, sys.executable, str(program)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait(10)
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and _runs(child):
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_a_killed_process_ends_the_others():
    begin = time.monotonic()
    with pytest.raises(mp.ProcessExitedException, match="process 1 terminated with signal SIGKILL"):
        mp.spawn(end_by_signal, nprocs=2)
    assert time.monotonic() - begin < 60


def test_what_spawn_refuses():
    with pytest.raises(ValueError, match="nprocs"):
        mp.spawn(print, nprocs=-1)
    with pytest.raises(ValueError, match="start_processes: nprocs"):
        mp.start_processes(print, nprocs=-1)
    with pytest.raises(ValueError, match="fork_it"):
        mp.start_processes(print, start_method="fork_it")
    with pytest.raises(ValueError, match="new_strategy is 'pipes'"):
        mp.set_sharing_strategy("pipes")
    error = mp.ProcessExitedException("text", 1, 2, -9, "SIGKILL")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.error_pid, again.exit_code) == ("text", 2, -9)


def test_no_file_descriptor_is_left(monkeypatch):
    def refuse(*_):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "memfd_create", refuse)
    with pytest.raises(OSError, match="each shared tensor needs one"):
        gpukit.ones(1).share_memory_()


def test_memory_of_the_wrong_size_is_refused():
    handle = os.memfd_create("test")
    os.ftruncate(handle, 8)
    with pytest.raises(ValueError, match="of its size"):
        _core.move_to_shared_memory(gpukit.ones(1000), handle, False)
    with pytest.raises(MemoryError, match="cannot be read"):
        _core.map_shared_memory(987_654)


def test_a_numpy_buffer_moves_into_shared_memory():
    array = np.zeros(4, dtype=np.float32)
    x = gpukit.from_numpy(array).share_memory_()
    x.add_(1)
    assert (array.sum(), x.sum().item()) == (0, 4)
