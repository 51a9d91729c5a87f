"""Long, wide and shared graphs: no recursion, no growth, several threads."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import gpukit

LENGTH = 100_000


def leaf(*values: float) -> gpukit.Tensor:
    return gpukit.tensor(list(values), requires_grad=True)


def test_a_chain_of_a_hundred_thousand():
    x = leaf(1.0)
    y = x
    for _ in range(LENGTH):
        y = y + 1
    y.backward()
    assert x.grad.tolist() == [1.0]
    del y  # ends node by node, not call in call


def test_a_long_chain_in_a_small_stack():
    """Neither the pass nor the end of the graph may use a frame for each node."""

    def work() -> None:
        x = leaf(1.0)
        y = x
        for _ in range(LENGTH // 2):
            y = y * 1.0
        y.backward()
        assert x.grad.tolist() == [1.0]
        kept.append(gpukit.autograd.grad((x * y.detach()).sum(), x)[0].item())
        del y

    kept: list[float] = []
    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert kept == [1.0]


def test_a_chain_through_views_and_grad():
    x = leaf(1.0, 2.0)
    y = x
    for _ in range(5_000):
        y = y.reshape(2, 1).reshape(2)
    assert gpukit.autograd.grad(y.sum(), x)[0].tolist() == [1.0, 1.0]


def test_a_wide_graph():
    x = leaf(1.0)
    total = x * 0
    for i in range(5_000):
        total = total + x * i
    total.backward()
    assert x.grad.item() == sum(range(5_000))


def test_a_binary_tree_runs_each_node_once():
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = y + y  # 2**60 paths
    y.backward()
    assert x.grad.item() == 2.0**60


def test_threads_share_a_leaf():
    x = gpukit.ones(1000, requires_grad=True)

    def work() -> None:
        for _ in range(50):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [400.0] * 1000


def test_threads_share_a_graph():
    """One of them wins the graph, or all when it is kept; none crashes."""
    for keep in (True, False):
        for _ in range(20):
            x = gpukit.ones(100, requires_grad=True)
            loss = (x * x).exp().sum()
            failures = []

            def work(loss=loss, keep=keep, failures=failures) -> None:
                try:
                    loss.backward(retain_graph=keep)
                except gpukit.AutogradError as failed:
                    failures.append(failed)

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if keep:
                assert not failures
            else:
                assert all("used before" in str(error) for error in failures)
                assert len(failures) < 3 or x.grad is None


def resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1024


@pytest.mark.memory_growth
def test_training_does_not_grow():
    w = gpukit.ones(64, 64, requires_grad=True)
    x = gpukit.ones(8, 64)
    w.register_hook(lambda g: g * 0.5)

    def work(steps: int) -> None:
        for _ in range(steps):
            loss = gpukit.relu(x @ w).log_softmax(1).mean()
            loss.backward()
            w.grad = None

    work(200)
    gc.collect()
    before = resident_kib()
    work(2000)
    gc.collect()
    assert resident_kib() - before < 2048


def test_exit_with_a_graph_and_hooks_alive():
    code = (
        "import gpukit, threading\n"
        "x = gpukit.ones(2, requires_grad=True)\n"
        "x.register_hook(lambda g: g * 2)\n"
        "y = (x * x).sum()\n"
        "y.register_hook(lambda g: None)\n"
        "x.me = y\n"
        "threading.Thread(target=lambda: [y.backward(retain_graph=True) for _ in range(200)],"
        " daemon=True).start()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
