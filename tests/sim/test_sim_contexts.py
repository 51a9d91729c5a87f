"""Start, contexts and handles: who may call what, and when."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from ctypes import c_int, c_size_t, c_uint64, c_void_p
from typing import Any

from support.sim_driver import SimDriver


def on_another_thread(body: Callable[[], Any]) -> Any:
    """The result of body() on a fresh thread."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(body()))
    thread.start()
    thread.join()
    return results[0]


def test_nothing_works_before_init(driver: SimDriver) -> None:
    count, version = c_int(), c_int()
    driver.call("cuDeviceGetCount", ctypes.byref(count), status=3)
    driver.call("cuInit", 1, status=1)
    driver.call("cuDriverGetVersion", ctypes.byref(version))
    assert version.value == 13000
    driver.call("cuInit", 0)
    driver.call("cuDeviceGetCount", ctypes.byref(count))
    assert count.value == 1
    driver.call("cuDeviceGet", ctypes.byref(count), 1, status=101)


def test_a_context_is_current_per_thread(driver: SimDriver) -> None:
    driver.start("2xT4")
    address = c_uint64()

    def allocate() -> int:
        return driver.library.cuMemAlloc_v2(ctypes.byref(address), c_size_t(4))

    assert allocate() == 0
    assert on_another_thread(allocate) == 201


def test_the_stack_of_contexts(driver: SimDriver) -> None:
    driver.start("2xT4")
    first, second = driver.contexts
    current, device = c_void_p(), c_int()
    driver.call("cuCtxPushCurrent_v2", second)
    driver.call("cuCtxGetDevice", ctypes.byref(device))
    assert device.value == 1
    driver.call("cuCtxPopCurrent_v2", ctypes.byref(current))
    assert current.value == second.value
    driver.call("cuCtxGetCurrent", ctypes.byref(current))
    assert current.value == first.value
    driver.call("cuCtxSetCurrent", None)
    driver.call("cuCtxPopCurrent_v2", ctypes.byref(current), status=201)
    driver.call("cuCtxSynchronize", status=201)
    driver.call("cuCtxPushCurrent_v2", c_void_p(0x1234), status=201)


def test_the_last_release_ends_the_context(driver: SimDriver) -> None:
    driver.start("T4")
    driver.retain(0)
    driver.allocate(64)
    stream = driver.stream()
    driver.call("cuDevicePrimaryCtxRelease_v2", 0)
    assert driver.objects().allocations == 1
    driver.call("cuDevicePrimaryCtxRelease_v2", 0)
    assert (driver.objects().allocations, driver.objects().streams) == (0, 0)
    driver.call("cuCtxSynchronize", status=709)
    driver.call("cuDevicePrimaryCtxRelease_v2", 0, status=201)
    driver.retain(0)
    driver.call("cuCtxSynchronize")
    driver.call("cuStreamSynchronize", stream, status=400)


def test_handles_of_an_ended_simulation_are_unknown(driver: SimDriver) -> None:
    driver.start("T4")
    stream, event, context = driver.stream(), driver.event(), driver.contexts[0]
    driver.start("T4")
    driver.call("cuCtxPushCurrent_v2", context, status=201)
    driver.call("cuStreamSynchronize", stream, status=400)
    driver.call("cuEventRecord", event, None, status=400)
    assert driver.library.gpukitSimCallCount(b"cuEventRecord") == 1


def test_a_destroyed_handle_is_an_error_and_no_crash(driver: SimDriver) -> None:
    driver.start("T4")
    stream, event = driver.stream(), driver.event()
    for name, handle in (("cuStreamDestroy_v2", stream), ("cuEventDestroy_v2", event)):
        driver.call(name, handle)
        driver.call(name, handle, status=400)
    driver.call("cuStreamDestroy_v2", None, status=400)
    driver.call("cuModuleUnload", c_void_p(0x10), status=400)


def test_peer_access(driver: SimDriver) -> None:
    driver.start("2xT4+1xA100")
    first, second, other = driver.contexts
    can = c_int()
    for pair, expected in (((0, 1), 1), ((1, 0), 1), ((0, 0), 0), ((0, 2), 0)):
        driver.call("cuDeviceCanAccessPeer", ctypes.byref(can), *pair)
        assert can.value == expected
    driver.call("cuCtxEnablePeerAccess", second, 0)
    driver.call("cuCtxEnablePeerAccess", second, 0, status=704)
    driver.call("cuCtxEnablePeerAccess", first, 0, status=101)
    driver.call("cuCtxEnablePeerAccess", other, 0, status=217)
    driver.call("cuCtxDisablePeerAccess", second)
    driver.call("cuCtxDisablePeerAccess", second, status=705)


def test_a_forked_child_is_refused(driver: SimDriver) -> None:
    driver.start("T4")
    # A bare fork: the child calls the driver once and leaves without any clean-up.
    child = os.fork()
    if child == 0:
        os._exit(driver.library.cuCtxSynchronize())
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 3
    driver.call("cuCtxSynchronize")
