"""NCCL between simulated GPUs: values, bytes on the way, order on streams, typed errors."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import gpukit
from gpukit.cuda import nccl
from support.simulation import simulation

RANKS = 3
DTYPES = ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32"]


@pytest.fixture(autouse=True)
def cards():
    with simulation(RANKS, card="T4"):
        yield


def parts(dtype: str = "float32", count: int = 7) -> list[gpukit.Tensor]:
    """Small whole numbers, other ones on each GPU."""
    return [
        gpukit.tensor([(i * (rank + 2) + rank) % 5 + 1 for i in range(count)]).to(
            device=f"cuda:{rank}", dtype=getattr(gpukit, dtype)
        )
        for rank in range(RANKS)
    ]


def numbers(tensors: list[gpukit.Tensor]) -> np.ndarray:
    return np.array([each.cpu().double().tolist() for each in tensors])


def sent() -> list[int]:
    """Bytes that each GPU has sent, as the simulated NCCL counted them."""
    from gpukit._system.nccl_library import library

    count = ctypes.CDLL(library().path).gpukitSimNcclSent
    count.restype, count.argtypes = ctypes.c_uint64, [ctypes.c_int]
    return [count(rank) for rank in range(RANKS)]


@pytest.mark.parametrize("dtype", [*DTYPES, "float64"])
def test_sums_are_the_sums(dtype):
    given = parts(dtype)
    wanted = numbers(given).sum(axis=0)
    nccl.all_reduce(given)
    assert (numbers(given) == wanted).all()


@pytest.mark.parametrize(
    ("op", "function"),
    [("product", np.prod), ("max", np.max), ("min", np.min), ("avg", np.mean)],
)
def test_other_operations(op, function):
    given = parts()
    wanted = function(numbers(given), axis=0)
    outputs = [gpukit.zeros(7, device=x.device) for x in given]
    before = numbers(given)
    nccl.all_reduce(given, outputs, op=op)
    assert np.allclose(numbers(outputs), wanted, rtol=1e-6)
    assert (numbers(given) == before).all()


def test_reduce_and_broadcast():
    given = parts()
    before = numbers(given)
    nccl.reduce(given, root=1)
    after = numbers(given)
    assert (after[1] == before.sum(axis=0)).all()
    assert (after[[0, 2]] == before[[0, 2]]).all()
    nccl.broadcast(given, root=1)
    assert (numbers(given) == before.sum(axis=0)).all()
    output = gpukit.zeros(7, device="cuda:2")
    nccl.reduce(given, output, root=2, op="max")
    assert (numbers([output]) == before.sum(axis=0)).all()


def test_gather_and_scatter():
    given = parts()
    whole = [gpukit.zeros(RANKS, 7, device=x.device) for x in given]
    nccl.all_gather(given, whole)
    assert (numbers(whole) == numbers(given)).all()
    shares = [gpukit.zeros(7, device=x.device) for x in given]
    nccl.reduce_scatter(whole, shares)
    assert (numbers(shares) == RANKS * numbers(given)).all()


@pytest.mark.parametrize("count", [RANKS * 1000, 1, 7, RANKS * 1000 + 1])
def test_bytes_sent_are_those_of_a_ring(count):
    """2(n-1)/n of the payload by each GPU, where n parts are equal; else in the sum of all."""
    given = parts(count=count)
    before = sent()
    nccl.all_reduce(given)
    gpukit.cuda.synchronize("cuda:0")
    total = numbers(given)  # waits for all
    assert total.shape == (RANKS, count)
    spent = [b - a for a, b in zip(before, sent(), strict=True)]
    assert sum(spent) == 2 * (RANKS - 1) * 4 * count
    if count % RANKS == 0:
        assert spent == [2 * (RANKS - 1) * 4 * count // RANKS] * RANKS


def test_order_is_that_of_the_streams():
    given = [gpukit.ones(1000, device=f"cuda:{rank}") for rank in range(RANKS)]
    for _ in range(5):
        for x in given:
            x.mul_(2)
        nccl.all_reduce(given, op="avg")
        for x in given:
            x.add_(1)
    wanted = 1.0
    for _ in range(5):
        wanted = 2 * wanted + 1
    assert (numbers(given) == wanted).all()


def test_some_of_the_gpus_in_any_order():
    given = [gpukit.full((2,), 1.0, device="cuda:2"), gpukit.full((2,), 5.0, device="cuda:0")]
    nccl.all_reduce(given)
    assert numbers(given).tolist() == [[6.0, 6.0], [6.0, 6.0]]


def test_nothing_to_move():
    given = [gpukit.zeros(0, device=f"cuda:{rank}") for rank in range(RANKS)]
    nccl.all_reduce(given)
    assert nccl.is_available(given)
    assert nccl.version() >= (2, 10, 0)


def test_typed_errors():
    good = parts()
    with pytest.raises(gpukit.ArgumentError, match=r"inputs\[1\] is on cpu"):
        nccl.all_reduce([good[0], gpukit.ones(7)])
    with pytest.raises(gpukit.ArgumentError, match=r"inputs\[1\] is on cuda:0 as one before it"):
        nccl.all_reduce([good[0], good[0].clone()])
    with pytest.raises(gpukit.ArgumentError, match="strided"):
        nccl.all_reduce([gpukit.ones(4, 4, device="cuda:0").t()])
    with pytest.raises(gpukit.ShapeError, match=r"inputs\[1\] has 3 elements of float32"):
        nccl.all_reduce([good[0], gpukit.ones(3, device="cuda:1")])
    with pytest.raises(gpukit.ShapeError, match="of float64"):
        nccl.all_reduce([good[0], gpukit.ones(7, device="cuda:1").double()])
    with pytest.raises(gpukit.DTypeError, match="is bool; NCCL has int8"):
        nccl.all_reduce([gpukit.ones(2, device="cuda:0").bool()])
    with pytest.raises(gpukit.ArgumentError, match="op is 'mean'; use sum"):
        nccl.all_reduce(good, op="mean")
    with pytest.raises(gpukit.ArgumentError, match="root is 3; there are 3 inputs"):
        nccl.broadcast(good, root=3)
    with pytest.raises(TypeError, match="must be a list of tensors"):
        nccl.all_reduce(good[0])
    with pytest.raises(gpukit.ArgumentError, match="on the same GPUs"):
        nccl.all_reduce(good, good[::-1])
    with pytest.raises(gpukit.ShapeError, match=r"outputs\[0\] has 7 elements"):
        nccl.all_gather(good, [x.clone() for x in good])
    assert not nccl.is_available([gpukit.ones(1)])
    nccl.all_reduce(good)  # it works on


WITHOUT = """
import gpukit
from gpukit.cuda import nccl
gpukit.simulate(2, "T4")
print(nccl.is_available())
try:
    nccl.all_reduce([gpukit.ones(2, device=f"cuda:{i}") for i in range(2)])
except gpukit.DistributedError as error:
    print(error, error.fix)
"""


def test_without_nccl_the_error_says_how_to_get_it():
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUKIT_")}
    environment["GPUKIT_NCCL"] = "none"
    command = [sys.executable, "-c", WITHOUT]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("False\nnccl: no usable NCCL (not looked for: GPUKIT_NCCL=none)")
    assert "pip install nvidia-nccl-cu12" in done.stdout


CALLS = {
    "all_reduce": (nccl.all_reduce, {0, 1, 2}),
    "reduce": (lambda x: nccl.reduce(x, root=1), {1}),
    "broadcast": (lambda x: nccl.broadcast(x, root=2), {0, 1}),
    "all_gather": (lambda x: nccl.all_gather([y[:1] for y in x], x), {0, 1, 2}),
    "reduce_scatter": (lambda x: nccl.reduce_scatter(x, [y[:2] for y in x]), {0, 1, 2}),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_backward_pass_refuses_what_a_collective_overwrote(name):
    call, written = CALLS[name]
    tensors = [gpukit.ones(3 * 2 if "scatter" in name else 3, device=f"cuda:{i}") for i in range(3)]
    leaves = [gpukit.ones_like(x, requires_grad=True) for x in tensors]
    products = [(x * leaf).sum() for x, leaf in zip(tensors, leaves, strict=True)]
    call(tensors)
    for rank, product in enumerate(products):
        if rank in written:
            with pytest.raises(gpukit.AutogradError, match="changed in place"):
                product.backward()
        else:
            product.backward()
            assert leaves[rank].grad.tolist() == [1.0] * tensors[rank].numel()
