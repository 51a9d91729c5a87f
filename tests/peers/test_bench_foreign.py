"""gpukit.bench over torch and JAX functions: it waits as they say, and names their devices."""

from __future__ import annotations

import time
from functools import partial

import jax
import jax.numpy as jnp
import pytest
import torch

import gpukit
from gpukit.bench.torch_work import count_torch

QUICK = {"min_time": 0.01, "max_time": 0.1, "verbose": False}


def test_the_devices_of_torchs_operators_are_seen():
    x, y = torch.ones(3), torch.ones(3, device="meta")
    assert set(count_torch(lambda: x + x)) == {"cpu"}
    assert set(count_torch(lambda: (x + 1, y + 1))) == {"cpu", "meta"}
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


def works(call):
    return count_torch(call)["cpu"]


def test_torchs_work_is_counted_as_gpukits():
    """The same function in both: the same FLOPs and bytes where both have one operator for it."""
    from gpukit.bench.work import count_work

    for shape in ((10, 20), (7, 300)):
        theirs, ours = torch.ones(shape), gpukit.ones(shape)
        for function in (
            lambda x: x @ x.T,
            lambda x: x + x,
            lambda x: x.exp(),
            lambda x: x.sum(),
            lambda x: x.amax(dim=1),
            lambda x: x.t().contiguous(),
        ):
            want = count_work("cpu", partial(function, ours))
            got = works(partial(function, theirs))
            assert (got.operations, got.copies) == (want.operations, want.copies)
            assert got.flops == want.flops
            assert got.bytes == want.bytes
            assert got.longest_sum == want.longest_sum


def test_a_training_step_of_torch_has_torchs_own_count():
    from torch.utils.flop_counter import FlopCounterMode

    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.Flatten(), torch.nn.Linear(288, 4))
    x = torch.ones(2, 3, 8, 8)
    with FlopCounterMode(display=False) as counter:
        net(x).sum().backward()
    work = works(lambda: net(x).sum().backward())
    extra = work.total_flops - counter.get_total_flops()
    assert 0 <= extra < 0.2 * counter.get_total_flops()  # sums and biases
    result = gpukit.bench(lambda: net(x).sum().backward(), check=False, repeats=3, **QUICK)
    assert result.flops == work.total_flops
    assert result.gflops > 0
    assert any(" of torch: FLOPs" in remark for remark in result.remarks)


def test_views_and_empty_tensors_cost_nothing():
    x = torch.ones(30, 4)
    work = works(lambda: (x.T, x.view(-1), x[3], x.detach(), torch.empty(7), x.expand(2, 30, 4)))
    assert (work.operations, work.bytes) == (0, 0)


def test_what_cannot_be_counted_is_said():
    x = jnp.ones((10, 10))
    result = gpukit.bench(lambda: x @ x, check=False, repeats=3, **QUICK)
    assert result.flops is None
    assert any("work inside jax cannot be counted" in remark for remark in result.remarks)
