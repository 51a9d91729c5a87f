"""An index out of range on a GPU: found by the kernel, raised at the next wait, and gone then."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import gpukit
from gpukit import cuda
from gpukit.nn import functional as F

SIZE = 5


def on(values, where="cuda:0"):
    return gpukit.tensor(values, device=where)


def table(where="cuda:0"):
    return gpukit.arange(SIZE * 4.0, device=where).reshape(SIZE, 4)


def _log_rows(where, rows=3):
    return F.log_softmax(table(where)[:rows], 1)


# What is called with (index, device), the size of the dimension, and whether -1 is allowed.
OPERATORS = {
    "X[...]": (lambda i, d: table(d)[on([0, i, 1], d)], SIZE, True),
    "X[...] = Y": (lambda i, d: table(d).__setitem__(on([0, i, 1], d), 1.0), SIZE, True),
    "index_select": (lambda i, d: table(d).index_select(0, on([0, i], d)), SIZE, True),
    "index_add_": (
        lambda i, d: table(d).index_add_(0, on([0, i], d), gpukit.ones(2, 4, device=d)),
        SIZE,
        True,
    ),
    "take": (lambda i, d: table(d).take(on([[0], [i]], d)), SIZE * 4, True),
    "gather": (lambda i, d: table(d).gather(0, on([[0, 1], [i, 1]], d)), SIZE, True),
    "scatter_": (
        lambda i, d: table(d).scatter_(0, on([[0, 1], [1, i]], d), gpukit.ones(2, 2, device=d)),
        SIZE,
        True,
    ),
    "scatter_add_": (
        lambda i, d: table(d).scatter_add_(0, on([[0, i]], d), gpukit.ones(1, 2, device=d)),
        SIZE,
        True,
    ),
    "embedding": (lambda i, d: F.embedding(on([[0], [i]], d), table(d)), SIZE, True),
    "cross_entropy": (lambda i, d: F.cross_entropy(table(d)[:3], on([0, i, 1], d)), 4, False),
    "nll_loss": (lambda i, d: F.nll_loss(_log_rows(d), on([0, i, 1], d)), 4, False),
}
VARIANTS = {
    "X[..., ...]": (lambda i, d: table(d)[on([[0], [1]], d), on([i, 1], d)], 4, True),
    "X[:, i]": (lambda i, d: table(d)[:, on([i], d)], 4, True),
    "X[i, :, j]": (
        lambda i, d: table(d).reshape(SIZE, 2, 2)[on([0, i], d), :, on([1], d)], SIZE, True),
    "X[i, mask]": (
        lambda i, d: table(d)[on([i], d), on([True, False, False, False], d)], SIZE, True),
    "X[i, j] = Y": (lambda i, d: table(d).__setitem__((on([i], d), on([0], d)), 2.0), SIZE, True),
    "X.T[i]": (lambda i, d: table(d).T[on([i], d)], 4, True),
    "gather along 1": (lambda i, d: table(d).gather(1, on([[i]], d)), 4, True),
    "scatter along -1": (
        lambda i, d: table(d).scatter_(-1, on([[i]], d), gpukit.ones(1, 1, device=d)), 4, True),
    "int8 rows": (lambda i, d: table(d).to(gpukit.int8)[on([i], d)], SIZE, True),
    "bool rows": (lambda i, d: (table(d) > 3)[on([i], d)], SIZE, True),
    "sum": (lambda i, d: F.cross_entropy(table(d), on([i] * SIZE, d), reduction="sum"), 4, False),
    "float64": (lambda i, d: F.cross_entropy(table(d).double(), on([i] * SIZE, d)), 4, False),
    "half": (lambda i, d: F.cross_entropy(table(d).half(), on([i] * SIZE, d)), 4, False),
    "images": (
        lambda i, d: F.cross_entropy(table(d).reshape(SIZE, 2, 2), on([[i, 0]] * SIZE, d)),
        2, False),
    "take_along_dim": (lambda i, d: gpukit.take_along_dim(table(d), on([[i]], d), 0), SIZE, True),
}  # fmt: skip
ALL = {**OPERATORS, **VARIANTS}
WAITS = {
    "synchronize": lambda x: gpukit.synchronize("cuda:0"),
    "cuda.synchronize": lambda x: cuda.synchronize(0),
    "item": lambda x: x.sum().item(),
    "cpu": lambda x: x.cpu(),
    "numpy": lambda x: x.numpy(force=True),
    "tolist": lambda x: x.tolist(),
    "print": repr,
    "bool": lambda x: bool(x.sum() > 0),
    "stream": lambda x: cuda.current_stream("cuda:0").synchronize(),
    "event": lambda x: marked().synchronize(),
    "query": lambda x: until(cuda.current_stream("cuda:0").query),
    "later copy": lambda x: x.to("cpu", non_blocking=True).tolist(),
}


def marked():
    event = cuda.Event()
    event.record()
    return event


def until(question):
    while not question():
        pass


def bad_values(size, from_end):
    draw = random.Random(size)
    return [size, -size - 1 if from_end else -1, 2**62, -(2**62), draw.randrange(size, 10**6)]


@pytest.fixture(autouse=True)
def nothing_is_pending():
    yield
    for number in range(cuda.device_count()):
        gpukit.synchronize(f"cuda:{number}")


@pytest.mark.parametrize("name", ALL)
def test_a_bad_index_is_raised_at_the_next_wait_and_once(name):
    call, size, from_end = ALL[name]
    for number, bad in enumerate(bad_values(size, from_end)):
        where = f"cuda:{number % cuda.device_count()}"
        call(size - 1, where)  # a good one
        gpukit.synchronize(where)
        call(bad, where)  # nothing yet
        with pytest.raises(IndexError) as caught:
            gpukit.synchronize(where)
        text = str(caught.value)
        assert str(bad) in text
        assert str(size) in text or str(size - 1) in text
        assert where in text
        if name in OPERATORS:
            assert text.startswith(f"{name}: ")
        details = caught.value.details
        assert (details["index"], details["size"], details["device"]) == (
            bad,
            size,
            where,
        )
        gpukit.synchronize(where)  # it is gone
        call(0, where)
        gpukit.synchronize(where)


@pytest.mark.parametrize("name", ALL)
def test_on_the_cpu_it_is_raised_at_once(name):
    call, size, from_end = ALL[name]
    for bad in bad_values(size, from_end):
        with pytest.raises(IndexError, match=str(bad)):
            call(bad, "cpu")


@pytest.mark.parametrize("wait", WAITS)
def test_every_kind_of_wait_raises(wait):
    x = table()
    x[on([SIZE + 2])]
    with pytest.raises(IndexError, match=f"index {SIZE + 2} .*dimension 0 of size {SIZE}"):
        WAITS[wait](x)
    WAITS[wait](x)


def test_an_awaited_tensor_and_a_limited_wait_raise():
    import asyncio

    async def wait_for(x):
        return await x

    x = table()
    x[on([99])]
    with pytest.raises(IndexError, match="99"):
        asyncio.run(wait_for(x))


@pytest.mark.parametrize("name", ["X[...]", "X[...] = Y", "gather", "scatter_", "index_select",
                                  "take", "embedding", "cross_entropy", "X[..., ...]"])  # fmt: skip
def test_a_good_call_waits_for_nothing(name):
    call, size, _ = ALL[name]
    call(size - 1, "cuda:0")
    with gpukit.watch() as seen:
        call(size - 1, "cuda:0")
    kinds = {row.kind for row in seen.report.rows}
    assert kinds <= {"pageable"}, kinds  # the upload of the index is the test's own


def test_memory_beside_the_tensors_is_untouched():
    block = gpukit.zeros(3, SIZE, 4, device="cuda:0")
    middle = block[1]
    for bad in (SIZE, -SIZE - 1, 2**40):
        index = on([1, bad, 2])
        middle[index] = 7.0
        middle.index_add_(0, index, gpukit.ones(3, 4, device="cuda:0"))
        middle.scatter_add_(0, on([[bad, 3, 3, 3]]), gpukit.ones(1, 4, device="cuda:0"))
        with pytest.raises(IndexError):
            gpukit.synchronize("cuda:0")
    got = block.numpy(force=True)
    assert (got[0] == 0).all()
    assert (got[2] == 0).all()
    np.testing.assert_array_equal(got[1][[1, 2]], np.full((2, 4), 8.0))  # what was right was done
    np.testing.assert_array_equal(got[1][3], [0, 3, 3, 3])
    assert (got[1][[0, 4]] == 0).all()


def test_an_index_on_the_cpu_is_looked_at_at_once():
    with pytest.raises(IndexError, match="index 9 is out of range"):
        table()[gpukit.tensor([9])]
    with pytest.raises(IndexError, match="no elements"):
        gpukit.zeros(0, 3, device="cuda:0")[on([0])]


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"])
def test_indices_of_every_integer_dtype(dtype):
    table()[on([0, 100]).to(gpukit.dtype(dtype))]
    with pytest.raises(IndexError, match="index 100 "):
        gpukit.synchronize("cuda:0")


def test_ignored_classes_are_no_fault():
    loss = F.cross_entropy(table(), on([-100, 0, 1, -100, 2]))
    other = F.nll_loss(_log_rows("cuda:0"), on([7, 0, 1]), ignore_index=7)
    assert np.isfinite([loss.item(), other.item()]).all()


def test_gradients_of_a_bad_call_raise_at_the_wait():
    x = table().requires_grad_()
    F.cross_entropy(x, on([0, 1, 2, 9, 0])).backward()
    with pytest.raises(IndexError, match=r"target\[3\] is 9"):
        x.grad.tolist()
    y = table().requires_grad_()
    y[on([0, 9])].sum().backward()
    with pytest.raises(IndexError, match="index 9"):
        y.grad.tolist()
    gpukit.synchronize("cuda:0")


def test_graphs_report_at_each_replay():
    x, index, target = table(), on([1, 2]), on([0, 1, 2, 3, 0])
    loss = F.cross_entropy(x, target)
    rows, picked = x[index], x.gather(0, index.reshape(1, 2))
    gpukit.synchronize("cuda:0")
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        rows, picked = x[index], x.gather(0, index.reshape(1, 2))
        loss = F.cross_entropy(x, target)
    graph.replay()
    assert rows.tolist() == x.cpu()[[1, 2]].tolist()
    for bad in (77, -6, 77):
        index.copy_(on([0, bad]))
        graph.replay()
        with pytest.raises(IndexError, match=str(bad)):
            gpukit.synchronize("cuda:0")
    index.copy_(on([4, 0]))
    target[0] = 4
    graph.replay()
    with pytest.raises(IndexError, match=r"target\[0\] is 4"):
        loss.item()
    target[0] = 3
    graph.replay()
    assert rows.tolist() == x.cpu()[[4, 0]].tolist()
    assert picked.tolist() == [[16.0, 1.0]]


def test_one_of_many_threads_gets_it():
    x, start, told = table(), threading.Barrier(8), []

    def work(number):
        start.wait()
        try:
            if number == 3:
                x[on([50])]
            gpukit.synchronize("cuda:0")
        except IndexError as error:
            told.append(str(error))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 1
    assert "index 50" in told[0]


def test_of_many_bad_elements_one_is_told_whole():
    """Value and position belong together, whichever thread was first."""
    draw = np.random.default_rng(0)
    for _ in range(20):
        index = draw.integers(SIZE, 10**9, 5000)
        table()[gpukit.tensor(index, device="cuda:0")]
        with pytest.raises(IndexError) as caught:
            gpukit.synchronize("cuda:0")
        details = caught.value.details
        assert index[details["position"]] == details["index"]


def test_launch_blocking_raises_at_the_call():
    program = (
        "import gpukit\n"
        "x = gpukit.zeros(3, device='cuda:0'); i = gpukit.tensor([5], device='cuda:0')\n"
        "try:\n    x[i]\nexcept IndexError as error:\n    print('at the call', error)\n"
        "gpukit.synchronize('cuda:0')\n"
    )
    environment = {**os.environ, "CUDA_LAUNCH_BLOCKING": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "at the call X[...]: index 5" in done.stdout
