"""NCCL between simulated GPUs after what went wrong: a wrong output, an interrupt, a fork."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

import gpukit
from gpukit.cuda import nccl
from support.simulation import simulation


@pytest.fixture(autouse=True)
def cards():
    with simulation(2, card="T4"):
        yield


def ones() -> list[gpukit.Tensor]:
    return [gpukit.ones(2, device=f"cuda:{rank}") for rank in range(2)]


def test_reduce_refuses_an_output_on_a_gpu_that_is_not_the_roots():
    with pytest.raises(gpukit.ArgumentError, match=r"output is on cuda:1.*inputs.0., the root"):
        nccl.reduce(ones(), gpukit.zeros(2, device="cuda:1"), root=0)
    assert gpukit.ones(2, device="cuda:0").tolist() == [1, 1]


def test_an_interrupt_between_the_ranks_leaves_no_rank_waiting(monkeypatch):
    nccl.all_reduce(ones())
    real, calls = nccl._queue_one, []

    def queue(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(*arguments, **options)

    monkeypatch.setattr(nccl, "_queue_one", queue)
    with pytest.raises(KeyboardInterrupt):
        nccl.all_reduce(ones())
    monkeypatch.setattr(nccl, "_queue_one", real)
    tensors = ones()
    nccl.all_reduce(tensors)
    assert [each.tolist() for each in tensors] == [[2, 2], [2, 2]]


def test_a_forked_child_does_not_wait_for_its_parents_lock():
    tensors = ones()
    nccl.all_reduce(tensors)
    held, go_on = threading.Event(), threading.Event()

    def hold():
        with nccl.library()._lock:
            held.set()
            go_on.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            nccl.all_reduce(tensors)
        except gpukit.GpukitError:
            os._exit(5)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    go_on.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 5


@pytest.mark.parametrize("op", [[], {}, 1, None])
def test_an_unhashable_op_is_named(op):
    with pytest.raises(gpukit.ArgumentError, match="all_reduce: op is"):
        nccl.all_reduce(ones(), op=op)


@pytest.mark.parametrize("fault", ["launch_fail@1", "launch_fail@3", "lost@4"])
def test_no_call_after_a_fault_returns_values_that_were_not_summed(fault):
    program = f"""
import gpukit
from gpukit.cuda import nccl

def sums(**options):
    with gpukit.simulate(2, **options):
        parts = [gpukit.full((3,), rank + 1.0, device=f"cuda:{{rank}}") for rank in range(2)]
        nccl.all_reduce(parts)
        return [part.tolist() for part in parts]

done = 0
for attempt in range(8):
    try:
        got = sums(**(dict(fault="{fault}") if attempt == 0 else {{}}))
    except gpukit.GpukitError:
        continue
    assert got == [[3, 3, 3], [3, 3, 3]], (attempt, got)
    done += 1
assert done == 7  # a new simulation has communicators of its own
"""
    environment = {name: text for name, text in os.environ.items() if name != "GPUKIT_SIMULATE"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("call", [nccl.all_gather, nccl.reduce_scatter])
@pytest.mark.parametrize("arguments", [(None,), ([],), (3,)])
def test_outputs_of_other_sizes_are_not_the_inputs(call, arguments):
    with pytest.raises(TypeError, match="outputs must be a list of tensors"):
        call(ones(), *arguments)


@pytest.mark.parametrize("call", [nccl.all_gather, nccl.reduce_scatter])
def test_inputs_that_are_no_list_are_named(call):
    with pytest.raises(TypeError, match="inputs must be a list of tensors"):
        call(3, ones())
