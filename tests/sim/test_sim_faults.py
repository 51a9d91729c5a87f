"""Planned faults: each happens when the plan says, with the status a real driver would give."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_uint64, c_void_p

import pytest

from support.cubin import make_cubin
from support.sim_driver import RAMP, RAMP_SIZES, RAMP_THREADS, RampArgs, SimDriver


@pytest.mark.parametrize(("fault", "status"), [("stub", 34), ("no_device", 100), ("hidden", 100)])
def test_start_fails(driver: SimDriver, fault: str, status: int) -> None:
    assert driver.configure(f"T4,fault={fault}") == ""
    driver.call("cuInit", 0, status=status)
    count = c_int()
    driver.call("cuDeviceGetCount", ctypes.byref(count), status=3)


def test_driver_too_old(driver: SimDriver) -> None:
    driver.start("T4,fault=driver_too_old")
    version, address, found = c_int(), c_void_p(), c_int()
    driver.call("cuDriverGetVersion", ctypes.byref(version))
    assert version.value == 11040
    arguments = (ctypes.byref(address), 12080, c_uint64(0), ctypes.byref(found))
    driver.call("cuGetProcAddress_v2", b"cuFuncLoad", *arguments, status=500)
    assert found.value == 2


def test_no_image_for_the_card(driver: SimDriver) -> None:
    driver.start("T4,fault=no_arch")
    assert driver.attribute(75) == 3
    driver.load(make_cubin(75, RAMP, RAMP_SIZES), status=209)


def test_a_symbol_is_missing(driver: SimDriver) -> None:
    driver.start("T4,fault=no_symbol:cuMemAllocAsync")
    address, found = c_void_p(), c_int()
    arguments = (ctypes.byref(address), 12080, c_uint64(0), ctypes.byref(found))
    driver.call("cuGetProcAddress_v2", b"cuMemAllocAsync", *arguments, status=500)
    assert found.value == 1
    driver.call("cuGetProcAddress_v2", b"cuMemFreeAsync", *arguments)


@pytest.mark.parametrize(
    ("fault", "statuses"), [("oom@2", [0, 2, 0]), ("oom@2+", [0, 2, 2]), ("oom", [2, 0, 0])]
)
def test_an_allocation_fails(driver: SimDriver, fault: str, statuses: list[int]) -> None:
    driver.start(f"T4,fault={fault}")
    for status in statuses:
        driver.allocate(4, status=status)


@pytest.mark.parametrize("name", ["cuStreamCreate", "cuEventCreate"])
def test_a_call_fails(driver: SimDriver, name: str) -> None:
    driver.start(f"T4,fault=fail:{name}:999@2")
    handle = c_void_p()
    for status in (0, 999, 0):
        driver.call(name, ctypes.byref(handle), 0, status=status)


@pytest.mark.parametrize(
    ("fault", "status"), [("lost@2", 700), ("ecc@2", 214), ("launch_fail@2", 719)]
)
def test_a_launch_loses_the_device(driver: SimDriver, fault: str, status: int) -> None:
    driver.start(f"2xT4,fault={fault}")
    module = driver.load(make_cubin(75, RAMP, RAMP_SIZES))
    function = driver.function(module, RAMP)
    args = RampArgs(driver.allocate(1024).value, 256, 0)
    driver.launch(function, 1, RAMP_THREADS, args)
    driver.call("cuCtxSynchronize")
    event = driver.event()
    driver.launch(function, 1, RAMP_THREADS, args)
    driver.library.cuEventRecord(event, None)
    driver.call("cuCtxSynchronize", status=status)
    driver.call("cuEventQuery", event, status=status)
    driver.call("cuEventDestroy_v2", event, status=status)
    driver.call("cuCtxSetCurrent", driver.contexts[1])
    driver.call("cuCtxSynchronize")
    driver.library.gpukitSimReset()
    driver.call("cuInit", 0)
    driver.retain(0)
