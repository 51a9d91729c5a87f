"""Memory of another card: what reaches it without peer access, and what faults."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import gpukit
from support.cubin import make_cubin
from support.sim_driver import RAMP, RAMP_SIZES, RAMP_THREADS, RampArgs

ILLEGAL_ADDRESS, INVALID_VALUE = 700, 1


def on(driver, device: int) -> None:
    driver.call("cuCtxSetCurrent", driver.contexts[device])


def ramp(driver):
    """The kernel, loaded on the current device."""
    return driver.function(driver.load(make_cubin(75, RAMP, RAMP_SIZES)), RAMP)


@pytest.mark.parametrize("enabled", [False, True])
def test_kernels_need_peer_access(driver, enabled):
    driver.start("2xT4")
    on(driver, 1)
    theirs = driver.allocate(4 * 64)
    on(driver, 0)
    if enabled:
        driver.call("cuCtxEnablePeerAccess", driver.contexts[1], 0)
    args = RampArgs(theirs.value, 64, 1)
    driver.launch(ramp(driver), 1, RAMP_THREADS, args)
    driver.call("cuCtxSynchronize", status=0 if enabled else ILLEGAL_ADDRESS)
    if enabled:
        driver.call("cuCtxDisablePeerAccess", driver.contexts[1])
        driver.launch(ramp(driver), 1, RAMP_THREADS, args)
        driver.call("cuCtxSynchronize", status=ILLEGAL_ADDRESS)
    assert "peer access" in driver.message()
    on(driver, 1)
    driver.call("cuCtxSynchronize")  # the other card is well


def test_fills_need_peer_access_and_copies_do_not(driver):
    driver.start("2xT4")
    on(driver, 1)
    theirs = driver.upload(np.arange(4, dtype=np.float32))
    driver.call("cuCtxSynchronize")
    on(driver, 0)
    mine = driver.allocate(16)
    driver.call("cuMemsetD32Async", theirs, 7, ctypes.c_size_t(4), None, status=INVALID_VALUE)
    driver.call("cuMemcpyDtoDAsync_v2", mine, theirs, ctypes.c_size_t(16), None)
    assert driver.download(mine, 4, np.float32).tolist() == [0, 1, 2, 3]
    driver.call("cuCtxEnablePeerAccess", driver.contexts[1], 0)
    driver.fill(theirs, 0, 4)
    driver.call("cuCtxSynchronize")
    assert driver.download(theirs, 4, np.float32).tolist() == [0, 0, 0, 0]


def test_gpukit_never_needs_what_is_not_enabled():
    a, b = (gpukit.arange(4096.0, device=f"cuda:{i}").reshape(64, 64) for i in range(2))
    for x, y in ((a, b), (b, a)):
        assert gpukit.allclose((x.to(y.device) @ y).cpu(), x.cpu() @ y.cpu())
        with pytest.raises(gpukit.DeviceMismatchError):
            _ = x + y


# Kernel, bytes of its argument struct, and where pointers stand in it: of a struct in the struct,
# of an array, behind numbers.
POINTERS = [
    ("gk_matmul_large_f32", 192, [0, 32, 64, 72]),
    ("gk_linear_index", 1016, [0, 24, 80, 320]),
    ("gk_fill_32", 264, [0]),
    ("gk_uniform_f32", 80, [0, 72]),
    ("gk_scatter_add_f32", 136, [0, 8, 16, 24, 32, 40]),
]


@pytest.mark.parametrize(
    ("name", "size", "offset"),
    [(name, size, offset) for name, size, offsets in POINTERS for offset in offsets],
)
def test_every_pointer_of_an_argument_is_looked_at(driver, name, size, offset):
    driver.start("2xT4")
    on(driver, 1)
    theirs = driver.allocate(4096)
    on(driver, 0)
    words = (ctypes.c_uint64 * (size // 8))()
    words[offset // 8] = theirs.value
    kernel = driver.function(driver.load(make_cubin(75, name, [size])), name)
    driver.launch(kernel, 1, 32, words)
    driver.call("cuCtxSynchronize", status=ILLEGAL_ADDRESS)
    assert f"{name} on device 0: 0x{theirs.value:x} is on another device" in driver.message()


def test_numbers_that_look_like_addresses_are_numbers():
    theirs = gpukit.ones(4096, device="cuda:1")
    number = theirs.data_ptr() + 8
    as_float = float(np.int64(number).view("f8"))
    halves = [number & 0xFFFFFFFF, number >> 32]
    for device in ("cuda:0", "cpu"):
        x = gpukit.arange(4, dtype=gpukit.int64, device=device)
        assert gpukit.full_like(x, number).tolist() == [number] * 4
        assert (x + number).tolist() == list(range(number, number + 4))
        assert gpukit.arange(number, number + 3, device=device).tolist()[0] == number
        assert x.clamp(number, number + 1).tolist() == [number] * 4
        assert gpukit.where(x > 1, number, x).tolist() == [0, 1, number, number]
        assert gpukit.tensor([number, 2], device=device).cumsum(0).tolist() == [number, number + 2]
        assert (
            gpukit.full((3,), as_float, dtype=gpukit.float64, device=device).tolist()
            == [as_float] * 3
        )
        assert gpukit.tensor(halves, device=device).tolist() == halves
        gpukit.manual_seed(number)
        assert gpukit.rand(3, device=device).shape == (3,)
    assert theirs.sum().item() == 4096
