"""gpukit.bench over functions of torch and JAX: it waits as they say, and names their devices."""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp
import pytest
import torch

import gpukit
from gpukit.bench.foreign import torch_devices

QUICK = {"min_time": 0.01, "max_time": 0.1, "verbose": False}


def test_the_devices_of_torchs_operators_are_seen():
    x, y = torch.ones(3), torch.ones(3, device="meta")
    assert torch_devices(lambda: x + x) == {"cpu"}
    assert torch_devices(lambda: (x + 1, y + 1)) == {"cpu", "meta"}
    assert gpukit.bench(lambda: y + y, check=False, repeats=3, **QUICK).device_name == "meta"
    assert gpukit.bench(lambda: x @ x, **QUICK).device_name == "cpu"


def test_answers_that_numpy_has_no_form_for_are_no_fault():
    half = torch.ones(3, dtype=torch.bfloat16)
    table = gpukit.bench({"a": lambda: half * 2, "b": lambda: half + 1}, repeats=3, **QUICK)
    assert [row.agrees for row in table] == [None, True]
    ragged = gpukit.bench(lambda: {"a": [1, [2, 3]]}, repeats=3, **QUICK)
    assert ragged.median > 0


def test_torchs_gradients_and_modules_run_as_they_are():
    net = torch.nn.Linear(8, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.ones(2, 8)

    def step():
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()

    result = gpukit.bench(step, repeats=3, **QUICK)
    assert result.device_name == "cpu"
    assert not result.simulated


def test_jax_is_waited_for_by_its_answer():
    x = jnp.ones((700, 700))
    product = jax.jit(lambda a: a @ a @ a @ a)
    product(x).block_until_ready()
    result = gpukit.bench(lambda: product(x), check=False, repeats=5, **QUICK)
    begin = time.perf_counter()
    product(x).block_until_ready()
    assert result.median > 0.2 * (time.perf_counter() - begin)
    assert result.device_name == "cpu"
    assert gpukit.bench(lambda: {"a": [product(x)]}, check=False, repeats=3, **QUICK).median > 0


def test_jax_work_whose_arrays_are_lost_has_no_number():
    x = jnp.ones(8)

    def work():
        _ = x + 1

    with pytest.raises(gpukit.BenchError, match="returns none of its arrays"):
        gpukit.bench(work, **QUICK)
    assert gpukit.bench(work, wait=lambda: None, **QUICK).median > 0
