"""Device memory: limits, poison, guards, pools, and what a pointer is."""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_size_t, c_uint, c_uint64, c_void_p

import numpy as np
import pytest

from support.sim_driver import Address, SimDriver

MEMORY_TYPE, DEVICE_ORDINAL = 2, 9
RELEASE_THRESHOLD, RESERVED_NOW, USED_NOW = 4, 5, 7
HOST, DEVICE = 1, 2


def free_and_total(driver: SimDriver) -> tuple[int, int]:
    """What cuMemGetInfo says."""
    free, total = c_size_t(), c_size_t()
    driver.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def test_fresh_memory_is_poisoned(driver: SimDriver) -> None:
    driver.start("T4")
    for dtype in ("f2", "f4", "f8"):
        assert np.isnan(driver.download(driver.allocate(800), 100, dtype)).all()
    assert np.isnan(driver.pinned(100)).all()


def test_the_card_is_full_at_its_limit(driver: SimDriver) -> None:
    driver.start("T4,mem=1MiB")
    driver.allocate(0, status=1)
    driver.allocate((1 << 20) + 1, status=2)
    block = driver.allocate(1 << 20)
    driver.allocate(1, status=2)
    assert free_and_total(driver) == (0, 1 << 20)
    driver.free(block)
    assert free_and_total(driver) == (1 << 20, 1 << 20)
    driver.allocate(1)
    assert driver.objects().allocations == 1


def test_wrong_addresses_are_refused(driver: SimDriver) -> None:
    driver.start("T4")
    block = driver.allocate(64)
    host = np.zeros(17, "f4")
    driver.write(block, host, status=1)
    driver.write(Address(host.ctypes.data), host, status=1)
    driver.write(Address(block.value + 4), host[:16], status=1)
    driver.write(block, host[:16])
    driver.free(Address(block.value + 4), status=1)
    driver.free(Address(12345), status=1)
    driver.free(Address(0))
    driver.free(block)
    driver.free(block, status=1)
    driver.write(block, host[:16], status=1)


def test_a_freed_address_is_not_handed_out_at_once(driver: SimDriver) -> None:
    driver.start("T4")
    first = driver.allocate(4096)
    driver.free(first)
    assert driver.allocate(4096).value != first.value


def test_fills(driver: SimDriver) -> None:
    driver.start("T4")
    block = driver.allocate(64)
    driver.call("cuMemsetD8Async", block, 7, c_size_t(64), None)
    assert (driver.download(block, 64, "u1") == 7).all()
    driver.call("cuMemsetD16Async", block, 0x1234, c_size_t(32), None)
    assert (driver.download(block, 32, "u2") == 0x1234).all()
    driver.call(
        "cuMemsetD32Async", Address(block.value + 1), c_uint(1), c_size_t(1), None, status=1
    )
    driver.call("cuMemsetD32Async", block, c_uint(1), c_size_t(17), None, status=1)


def test_what_a_pointer_is(driver: SimDriver) -> None:
    driver.start("2xT4")
    driver.call("cuCtxSetCurrent", driver.contexts[1])
    block = driver.allocate(64)
    pinned = driver.pinned(16)
    kind, ordinal = c_uint(), c_int()
    inside = Address(block.value + 60)
    driver.call("cuPointerGetAttribute", ctypes.byref(kind), MEMORY_TYPE, inside)
    driver.call("cuPointerGetAttribute", ctypes.byref(ordinal), DEVICE_ORDINAL, inside)
    assert (kind.value, ordinal.value) == (DEVICE, 1)
    address = Address(pinned.ctypes.data)
    driver.call("cuPointerGetAttribute", ctypes.byref(kind), MEMORY_TYPE, address)
    assert kind.value == HOST
    plain = np.zeros(4)
    address = Address(plain.ctypes.data)
    driver.call("cuPointerGetAttribute", ctypes.byref(kind), MEMORY_TYPE, address, status=1)


def test_registering_host_memory(driver: SimDriver) -> None:
    driver.start("T4")
    host = np.zeros(4096, "u1")
    start, size = c_void_p(host.ctypes.data), c_size_t(4096)
    driver.call("cuMemHostRegister_v2", start, size, 1)
    driver.call("cuMemHostRegister_v2", start, size, 1, status=712)
    driver.call("cuMemFreeHost", start, status=1)
    driver.call("cuMemHostUnregister", start)
    driver.call("cuMemHostUnregister", start, status=713)


def test_a_pool_hands_a_block_back_on_its_stream(driver: SimDriver) -> None:
    driver.start("T4,mem=1MiB")
    stream = driver.stream()
    pool, value = c_void_p(), c_uint64()

    def take() -> Address:
        address = Address()
        driver.call("cuMemAllocAsync", ctypes.byref(address), c_size_t(1000), stream)
        return address

    def pool_bytes(attribute: int) -> int:
        driver.call("cuMemPoolGetAttribute", pool, attribute, ctypes.byref(value))
        return value.value

    driver.call("cuDeviceGetDefaultMemPool", ctypes.byref(pool), 0)
    first = take()
    driver.fill(first, 1, 250, stream)
    driver.call("cuMemFreeAsync", first, stream)
    driver.call("cuMemFreeAsync", first, stream, status=1)
    second = take()
    assert second.value == first.value
    driver.call("cuStreamSynchronize", stream)  # it does not block; the download waits for others
    assert np.isnan(driver.download(second, 250, "f4")).all()
    assert take().value != second.value
    assert pool_bytes(USED_NOW) == 2048
    driver.call("cuMemFreeAsync", second, stream)
    driver.call("cuStreamSynchronize", stream)
    assert (pool_bytes(USED_NOW), pool_bytes(RESERVED_NOW)) == (1024, 1024)


def test_a_pool_keeps_what_its_threshold_allows(driver: SimDriver) -> None:
    driver.start("T4,mem=1MiB")
    stream, pool, block = driver.stream(), c_void_p(), Address()
    driver.call("cuDeviceGetDefaultMemPool", ctypes.byref(pool), 0)
    threshold = c_uint64(1 << 20)
    driver.call("cuMemPoolSetAttribute", pool, RELEASE_THRESHOLD, ctypes.byref(threshold))
    driver.call("cuMemAllocAsync", ctypes.byref(block), c_size_t(1 << 20), stream)
    driver.call("cuMemFreeAsync", block, stream)
    driver.call("cuStreamSynchronize", stream)
    assert free_and_total(driver)[0] == 0
    driver.call("cuMemPoolTrimTo", pool, c_size_t(0))
    assert free_and_total(driver)[0] == 1 << 20


@pytest.mark.parametrize("pinned", [False, True])
def test_copies_in_every_direction(driver: SimDriver, pinned: bool) -> None:
    driver.start("2xT4")
    count = 40_000  # more than a driver stages at the call
    rng = np.random.default_rng(0)
    host = driver.pinned(count) if pinned else np.empty(count, "f4")
    back = driver.pinned(count) if pinned else np.empty(count, "f4")
    host[:] = rng.random(count, "f4")
    near, copy = driver.allocate(4 * count), driver.allocate(4 * count)
    driver.call("cuCtxSetCurrent", driver.contexts[1])
    far = driver.allocate(4 * count)
    driver.call("cuCtxSetCurrent", driver.contexts[0])
    first, second = driver.contexts
    size = c_size_t(4 * count)
    driver.write(near, host)
    driver.call("cuMemcpyDtoDAsync_v2", copy, near, size, None)
    driver.call("cuMemcpyPeerAsync", far, second, copy, first, size, None)
    driver.call("cuMemcpyPeerAsync", far, first, copy, first, size, None, status=1)
    driver.call("cuStreamSynchronize", None)
    driver.read_into(back, far)
    driver.call("cuCtxSynchronize")
    assert np.array_equal(back, host)
