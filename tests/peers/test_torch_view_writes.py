"""In-place changes through views while gradients are recorded: beside torch, on the CPU and on a
simulated GPU. Values and gradients are torch's, or both raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from peers.view_chains import MEMORY, VIEWS, chain, run
from peers.view_memory import PROGRAMS

import gpukit


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, str):
        return value.removeprefix("torch::autograd::")
    if hasattr(value, "detach"):
        values = value.detach().cpu()
        return np.asarray(values.tolist(), str(values.dtype).partition(".")[2])
    return value


def outcome(program: Any, lib: Any, device: str) -> Any:
    try:
        return plain(program(lib, device))
    except RuntimeError as error:
        return error


def assert_equal(got: Any, want: Any) -> None:
    if isinstance(want, list):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert_equal(one, other)
    elif isinstance(want, np.ndarray):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    else:
        assert got == want


# torch refuses to write into a view that a call gave together with others. An in-place operation of
# gpukit saves a copy of its result, of torch the result itself.
COMPUTED_HERE = {"rows_of_buffer_iterated", "lstm_gates_in_place"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program_has_torchs_outcome(program: Any, device: str) -> None:
    got = outcome(program, gpukit, device)
    want = outcome(program, torch, "cpu")
    if isinstance(want, Exception):
        if program.__name__ not in COMPUTED_HERE:
            assert isinstance(got, Exception), f"torch raises {want}"
        return
    if isinstance(got, Exception):
        raise got
    assert_equal(got, want)


# Where torch raises and gpukit computes, so that the rest differs: a result that an in-place
# operation saved (see above); a view of a leaf that became a result, until torch has looked at its
# grad_fn; and a view made in no_grad whose tensor was changed, but not recorded.
TORCH_ALONE = (
    "has been modified by an inplace operation",
    "a leaf Variable that requires grad is",
    "its base or another view of its base has been modified",
)


def compare_chain(seed: int, device: str, views: Sequence[str] = VIEWS) -> None:
    steps, strided = chain(seed, views), views is not VIEWS
    got = run(gpukit, device, steps, strided=strided)
    want = run(torch, "cpu", steps, strided=strided)
    for one, other in zip(got, want, strict=False):
        if isinstance(other, Exception) and not isinstance(one, Exception):
            assert any(text in str(other) for text in TORCH_ALONE), f"chain {seed}: {other}"
            return
        if isinstance(other, Exception):
            continue
        assert not isinstance(one, Exception), f"chain {seed}: {one}"
        if isinstance(other, tuple):
            assert one == other, f"chain {seed}"
        else:
            np.testing.assert_allclose(one, other, 1e-4, 1e-5, err_msg=f"chain {seed}")


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("hundred", range(15))
def test_random_chain_has_torchs_values_and_gradients(hundred: int) -> None:
    for seed in range(hundred * 100, hundred * 100 + 100):
        compare_chain(seed, "cpu")


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("ten", range(10))
def test_random_chain_on_gpu_has_torchs_values_and_gradients(ten: int) -> None:
    for seed in range(5000 + ten * 10, 5010 + ten * 10):
        compare_chain(seed, "cuda:0")


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("hundred", range(10))
def test_random_chain_of_views_of_memory_has_torchs_values(hundred: int) -> None:
    for seed in range(8000 + hundred * 100, 8100 + hundred * 100):
        compare_chain(seed, "cpu", (*VIEWS, *MEMORY))


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors")
@pytest.mark.parametrize("ten", range(6))
def test_random_chain_of_views_of_memory_on_gpu(ten: int) -> None:
    for seed in range(9500 + ten * 10, 9510 + ten * 10):
        compare_chain(seed, "cuda:0", (*VIEWS, *MEMORY))
