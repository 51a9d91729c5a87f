"""Images, kernels and launches, with images made by hand for a kernel that gpukit has."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t

import numpy as np
import pytest

from support.cubin import make_cubin, make_ptx
from support.sim_driver import (
    RAMP,
    RAMP_SIZES,
    RAMP_THREADS,
    RampArgs,
    SimDriver,
)

INVALID_IMAGE, NO_BINARY, INVALID_PTX, UNSUPPORTED_PTX, NOT_FOUND = 200, 209, 218, 222, 500
MAX_THREADS_PER_BLOCK, MAX_DYNAMIC_SHARED = 0, 8


def answer(count: int, start: int) -> np.ndarray:
    """What the kernel writes."""
    return np.arange(start, start + count, dtype=np.uint32)


def ramp_image(architecture: int = 75) -> bytes:
    """A cubin with the kernel."""
    return make_cubin(architecture, RAMP, RAMP_SIZES)


@pytest.mark.parametrize(
    ("card", "architecture", "status"),
    [
        ("T4", 75, 0),
        ("T4", 70, 0),
        ("T4", 60, NO_BINARY),
        ("T4", 80, NO_BINARY),
        ("V100", 75, NO_BINARY),
        ("RTX 3090", 80, 0),
        ("RTX 3090", 86, 0),
        ("A100", 86, NO_BINARY),
        ("GTX 970", 50, 0),
        ("H100", 90, 0),
        ("B200", 100, 0),
        ("RTX 5090", 120, 0),
        ("RTX 5090", 100, NO_BINARY),
    ],
)
def test_a_cubin_runs_on_its_own_family(
    driver: SimDriver, card: str, architecture: int, status: int
) -> None:
    driver.start(card)
    driver.load(ramp_image(architecture), status=status)


@pytest.mark.parametrize(
    ("card", "version", "target", "ptx", "status"),
    [
        ("T4", 12080, 70, "8.0", 0),
        ("T4", 12080, 75, "8.7", 0),
        ("T4", 12080, 75, "8.8", UNSUPPORTED_PTX),
        ("T4", 12090, 75, "8.8", 0),
        ("T4", 12000, 75, "8.1", UNSUPPORTED_PTX),
        ("T4", 11040, 75, "7.4", 0),
        ("T4", 12080, 80, "8.0", NO_BINARY),
        ("RTX 5090", 12090, 100, "8.8", 0),
    ],
)
def test_ptx_needs_a_driver_and_a_card_that_know_it(
    *, driver: SimDriver, card: str, version: int, target: int, ptx: str, status: int
) -> None:
    driver.start(f"{card},driver={version}")
    module = driver.load(make_ptx(target, RAMP, RAMP_SIZES, ptx), status=status)
    if status == 0:
        driver.function(module, RAMP)


@pytest.mark.parametrize(
    ("at", "byte"),
    [(4, 1), (18, 3), (40, 0xFF), (41, 0xFF), (58, 1), (60, 0), (62, 99)],
)
def test_a_damaged_cubin_is_refused(driver: SimDriver, at: int, byte: int) -> None:
    driver.start("T4")
    image = bytearray(ramp_image())
    image[at] = byte
    driver.load(bytes(image), status=INVALID_IMAGE)


def test_what_is_no_image_is_refused(driver: SimDriver) -> None:
    driver.start("T4")
    driver.load(b"no image at all", status=INVALID_IMAGE)
    driver.load(b"// .version nowhere", status=INVALID_PTX)
    driver.load(ramp_image()[:40] + b"\0" * 200, status=INVALID_IMAGE)


def test_image_and_host_build_must_agree_about_parameters(driver: SimDriver) -> None:
    driver.start("T4")
    driver.load(make_cubin(75, RAMP, [8, 8]), status=INVALID_IMAGE)
    assert f"{RAMP} has parameters of (8, 8) bytes in the image" in driver.message()


def test_unknown_kernels_are_not_found(driver: SimDriver) -> None:
    driver.start("T4")
    module = driver.load(ramp_image())
    driver.function(module, "gk_no_such_kernel", status=NOT_FOUND)
    driver.call("cuModuleUnload", module)
    driver.function(module, RAMP, status=400)


def test_kernels_of_others_are_refused_when_they_are_loaded(driver: SimDriver) -> None:
    driver.start("T4")
    driver.load(make_cubin(75, "stranger", [8]), status=NO_BINARY)
    assert "kernel stranger, which is none of gpukit's own" in driver.message()


@pytest.mark.parametrize("order", ["fwd", "rev", "rnd:5"])
@pytest.mark.parametrize("by_ptx", [False, True])
def test_a_kernel_runs(driver: SimDriver, order: str, by_ptx: bool) -> None:
    driver.start(f"T4,order={order}")
    image = make_ptx(70, RAMP, RAMP_SIZES) if by_ptx else ramp_image()
    function = driver.function(driver.load(image), RAMP)
    count = 1000
    out = driver.allocate(4 * count)
    driver.launch(function, 4, RAMP_THREADS, RampArgs(out.value, count, 3))
    assert np.array_equal(driver.download(out, count, "u4"), answer(count, 3))
    assert driver.library.gpukitSimCallCount(b"cuLaunchKernel") == 1


def test_arguments_can_come_in_one_buffer(driver: SimDriver) -> None:
    driver.start("T4")
    function = driver.function(driver.load(ramp_image()), RAMP)
    out = driver.allocate(1024)
    args, size = RampArgs(out.value, 256, 8), c_size_t(ctypes.sizeof(RampArgs))
    extra = (ctypes.c_void_p * 5)(
        1, ctypes.addressof(args), 2, ctypes.addressof(size), None
    )  # BUFFER_POINTER, BUFFER_SIZE, END
    shape = (1, 1, 1, RAMP_THREADS, 1, 1, 0)
    driver.call("cuLaunchKernel", function, *shape, None, None, extra)
    assert np.array_equal(driver.download(out, 256, "u4"), answer(256, 8))


def test_arguments_are_copied_at_the_call(driver: SimDriver) -> None:
    driver.start("T4")
    function = driver.function(driver.load(ramp_image()), RAMP)
    out = driver.allocate(1024)
    args = RampArgs(out.value, 256, 1)
    driver.launch(function, 1, RAMP_THREADS, args)
    args.start = 2
    assert np.array_equal(driver.download(out, 256, "u4"), answer(256, 1))


@pytest.mark.parametrize(
    ("grid", "block", "status"), [(0, 256, 1), (1, 0, 1), (1, 1025, 1), (1, 257, 1)]
)
def test_shapes_that_no_launch_can_have(
    driver: SimDriver, grid: int, block: int, status: int
) -> None:
    driver.start("T4")
    function = driver.function(driver.load(ramp_image()), RAMP)
    driver.launch(function, grid, block, RampArgs(0, 0, 0), status=status)
    driver.call("cuCtxSynchronize")


def test_a_function_belongs_to_one_device(driver: SimDriver) -> None:
    driver.start("2xT4")
    function = driver.function(driver.load(ramp_image()), RAMP)
    driver.call("cuCtxSetCurrent", driver.contexts[1])
    driver.launch(function, 1, RAMP_THREADS, RampArgs(0, 0, 0), status=400)


def test_attributes_and_occupancy(driver: SimDriver) -> None:
    driver.start("T4")
    function = driver.function(driver.load(ramp_image()), RAMP)
    value = c_int()
    driver.call("cuFuncGetAttribute", ctypes.byref(value), MAX_THREADS_PER_BLOCK, function)
    assert value.value == RAMP_THREADS
    driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, 64 * 1024)
    driver.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, 64 * 1024 + 1, status=1)
    name = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
    for shared, blocks in ((0, 4), (33 * 1024, 1)):
        driver.call(name, ctypes.byref(value), function, RAMP_THREADS, c_size_t(shared))
        assert value.value == blocks
