"""Calls that gpukit does not make and others do: contexts, managed memory, fills, copies."""

from __future__ import annotations

import ctypes
import re
from ctypes import c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_ushort, c_void_p
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from support.sim_driver import Address, SimDriver

INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONTEXT, DESTROYED = 1, 2, 201, 709
NOT_FOUND, NOT_SUPPORTED, UNSUPPORTED_LIMIT = 500, 801, 215
HOST, DEVICE = 1, 2
MEMORY_TYPE, IS_MANAGED = 2, 8
ROOT = Path(__file__).resolve().parents[2]
DOUBLE = b"""
.version 8.0
.target sm_50
.address_size 64
.visible .entry twice(.param .u64 x)
{
  .reg .b32 %r<3>; .reg .b64 %l<3>;
  ld.param.u64 %l0, [x]; mov.u32 %r0, %tid.x; mul.wide.u32 %l1, %r0, 4; add.u64 %l0, %l0, %l1;
  ld.global.u32 %r1, [%l0]; shl.b32 %r1, %r1, 1; st.global.u32 [%l0], %r1;
  ret;
}
"""


def names() -> dict[str, int]:
    """Every name of the driver's header, with the CUDA version it is of."""
    table = (ROOT / "csrc" / "sim" / "driver_names.h").read_text()
    rows = [line.split("X(")[1].split(")")[0].split(", ") for line in table.splitlines()[7:]]
    return {name: int(since) for name, since in rows}


def proc(driver: SimDriver, name: str, version: int, flags: int = 0) -> tuple[int, int | None]:
    """Status and address that cuGetProcAddress gives."""
    address = c_void_p()
    out = ctypes.byref(address)
    get = driver.library.cuGetProcAddress_v2
    return get(name.encode(), out, version, c_uint64(flags), None), address.value


def address_of(driver: SimDriver, literal: str) -> int | None:
    return ctypes.cast(getattr(driver.library, literal), c_void_p).value


def test_every_name_is_exported_and_found(driver: SimDriver) -> None:
    driver.configure("T4,driver=13000")
    known = names()
    assert len(known) > 600
    for literal, since in known.items():
        base, ending = re.fullmatch(r"(\w+?)(?:_v\d+)?((?:_pt[ds][sz])?)", literal).groups()
        forms = re.compile(rf"{base}(_v\d+)?{ending}")
        until = [(known[name], name) for name in known if forms.fullmatch(name)]
        newest = max(form for form in until if form[0] <= since)[1]
        if (base, since) == ("cuGraphInstantiate", 12000):
            continue  # another name from then on, below
        flags = 2 if ending else 0
        assert proc(driver, base, since, flags) == (0, address_of(driver, newest)), literal


@pytest.mark.parametrize(
    ("name", "version", "flags", "literal"),
    [
        ("cuMemAlloc", 12000, 0, "cuMemAlloc_v2"),
        ("cuMemAlloc", 3010, 0, "cuMemAlloc"),
        ("cuGraphInstantiate", 11000, 0, "cuGraphInstantiate_v2"),
        ("cuGraphInstantiate", 12000, 0, "cuGraphInstantiateWithFlags"),
        ("cuStreamGetCaptureInfo", 12030, 0, "cuStreamGetCaptureInfo_v3"),
        ("cuStreamGetCaptureInfo", 12020, 0, "cuStreamGetCaptureInfo_v2"),
        ("cuLaunchKernel", 12000, 2, "cuLaunchKernel_ptsz"),
        ("cuCtxSynchronize", 12000, 2, "cuCtxSynchronize"),
    ],
)
def test_the_form_of_a_version(
    driver: SimDriver, name: str, version: int, flags: int, literal: str
) -> None:
    driver.configure("T4,driver=13000")
    assert proc(driver, name, version, flags) == (0, address_of(driver, literal))


def test_what_is_not_there_says_so_and_is_logged(driver: SimDriver, tmp_path: Path) -> None:
    log = tmp_path / "calls.log"
    driver.start(f"T4,log={log}")
    for _ in range(2):
        driver.call("cuTexRefCreate", ctypes.byref(c_void_p()), status=NOT_SUPPORTED)
    driver.load(b"\x7fELF", status=200)
    first, second = log.read_text().splitlines()
    assert (
        first
        == "gpukit simulator: cuTexRefCreate is not implemented; it returned 801 (not supported)"
    )
    assert second.startswith("gpukit simulator: status 200: the cubin is damaged")
    assert log.stat().st_mode & 0o777 == 0o600


# ---- contexts


def make_context(driver: SimDriver, device: int = 0, version: int = 2) -> c_void_p:
    context = c_void_p()
    out = ctypes.byref(context)
    extra = {2: (), 3: (None, 0), 4: (None,)}[version]
    driver.call(f"cuCtxCreate_v{version}", out, *extra, 0, device)
    return context


def current(driver: SimDriver) -> int | None:
    context = c_void_p()
    driver.call("cuCtxGetCurrent", ctypes.byref(context))
    return context.value


@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_context_of_ones_own(driver: SimDriver, version: int) -> None:
    driver.configure("2xT4")
    driver.call("cuInit", 0)
    context = make_context(driver, 1, version)
    assert current(driver) == context.value
    device, api = c_int(), c_uint()
    driver.call("cuCtxGetDevice", ctypes.byref(device))
    driver.call("cuCtxGetApiVersion", None, ctypes.byref(api))
    assert (device.value, api.value) == (1, 3020)
    module = driver.load(DOUBLE)
    x = driver.upload(np.arange(32, dtype="u4"))
    driver.launch(driver.function(module, "twice"), 1, 32, x)
    assert driver.download(x, 32, "u4").tolist() == [2 * i for i in range(32)]
    driver.call("cuCtxDestroy_v2", context)
    assert current(driver) is None
    driver.call("cuCtxSetCurrent", context, status=INVALID_CONTEXT)
    driver.call("cuCtxDestroy_v2", context, status=INVALID_CONTEXT)
    driver.allocate(4, status=INVALID_CONTEXT)


def test_a_context_that_was_destroyed_elsewhere(driver: SimDriver) -> None:
    driver.start("T4")
    context = make_context(driver)
    driver.call("cuCtxPushCurrent_v2", driver.contexts[0])
    driver.call("cuCtxDetach", context)
    driver.call("cuCtxPopCurrent_v2", ctypes.byref(c_void_p()))
    assert current(driver) == context.value
    driver.allocate(4, status=DESTROYED)


def test_a_reset_ends_what_a_context_holds(driver: SimDriver) -> None:
    driver.start("T4")
    driver.allocate(4)
    driver.call("cuDevicePrimaryCtxReset_v2", 0)
    assert driver.objects().allocations == 0
    driver.allocate(4, status=DESTROYED)
    driver.retain(0)
    driver.allocate(4)


def test_limits_are_kept(driver: SimDriver) -> None:
    driver.start("T4")
    value = c_size_t()
    for limit, default in ((0, 1024), (2, 8 << 20)):
        driver.call("cuCtxGetLimit", ctypes.byref(value), limit)
        assert value.value == default
        driver.call("cuCtxSetLimit", limit, c_size_t(default * 2))
        driver.call("cuCtxGetLimit", ctypes.byref(value), limit)
        assert value.value == default * 2
    for limit in (-1, 99):
        driver.call("cuCtxGetLimit", ctypes.byref(value), limit, status=INVALID_VALUE)
        driver.call("cuCtxSetLimit", limit, c_size_t(1), status=INVALID_VALUE)


# ---- memory


def managed(driver: SimDriver, size: int, status: int = 0) -> Address:
    address = Address()
    driver.call("cuMemAllocManaged", ctypes.byref(address), c_size_t(size), 1, status=status)
    return address


def words(address: Address, count: int) -> np.ndarray:
    """The host's own view of an address."""
    return np.ctypeslib.as_array(ctypes.cast(address.value, ctypes.POINTER(c_uint)), (count,))


@pytest.mark.parametrize("settings", ["T4", "T4,strict=1"])
def test_managed_memory_is_shared_with_the_host(driver: SimDriver, settings: str) -> None:
    driver.start(settings)
    address = managed(driver, 128)
    words(address, 32)[:] = range(32)
    driver.launch(driver.function(driver.load(DOUBLE), "twice"), 1, 32, address)
    driver.call("cuCtxSynchronize")
    assert words(address, 32).tolist() == [2 * i for i in range(32)]
    value = c_uint()
    for attribute, expected in ((MEMORY_TYPE, DEVICE), (IS_MANAGED, 1)):
        driver.call("cuPointerGetAttribute", ctypes.byref(value), attribute, address)
        assert value.value == expected
    driver.call("cuMemPrefetchAsync", address, c_size_t(128), 0, None)
    driver.call("cuMemAdvise", address, c_size_t(128), 1, 0)
    driver.call("cuMemAdvise", address, c_size_t(129), 1, 0, status=INVALID_VALUE)
    other = driver.upload(np.arange(100, 132, dtype="u4"))
    driver.call("cuMemcpyDtoD_v2", address, other, c_size_t(128))
    assert words(address, 32)[0] == 100
    driver.free(address)
    driver.free(address, status=INVALID_VALUE)


def test_managed_memory_is_no_more_than_the_card_has(driver: SimDriver) -> None:
    driver.start("T4,mem=16MiB")
    managed(driver, (16 << 20) + 1, status=OUT_OF_MEMORY)
    driver.free(managed(driver, 1 << 20))
    managed(driver, 0, status=INVALID_VALUE)


@pytest.mark.parametrize(("bits", "kind"), [(8, c_ubyte), (16, c_ushort), (32, c_uint)])
@pytest.mark.parametrize("form", ["_v2", "Async"])
def test_fills_of_rows(driver: SimDriver, bits: int, kind: type, form: str) -> None:
    driver.start("T4")
    dtype = f"u{bits // 8}"
    stream = () if form == "_v2" else (None,)
    pitch, width, height = 64 * bits // 8, 5, 3
    address = driver.upload(np.zeros((4, 64), dtype))
    name = f"cuMemsetD2D{bits}{form}"
    rows = (c_size_t(width), c_size_t(height))
    driver.call(name, address, c_size_t(pitch), kind(7), *rows, *stream)
    got = driver.download(address, 256, dtype).reshape(4, 64)
    expected = np.zeros((4, 64), dtype)
    expected[:height, :width] = 7
    assert np.array_equal(got, expected)
    driver.call(f"cuMemsetD{bits}{form}", address, kind(9), c_size_t(256), *stream)
    assert set(driver.download(address, 256, dtype).tolist()) == {9}
    for bad in ((c_size_t(width), c_size_t(5)), (c_size_t(65), c_size_t(2))):
        driver.call(name, address, c_size_t(pitch), kind(7), *bad, *stream, status=INVALID_VALUE)
    huge = (c_size_t(1 << 62), c_size_t(1 << 62))
    driver.call(name, address, c_size_t(1 << 62), kind(7), *huge, *stream, status=INVALID_VALUE)


def test_copies_go_where_the_addresses_lie(driver: SimDriver) -> None:
    driver.start("T4")
    source = np.arange(64, dtype="u4")
    first, second = driver.allocate(256), driver.allocate(256)
    pinned = driver.pinned(64)
    result = np.zeros(64, "u4")
    hops = [source.ctypes.data, first.value, second.value, pinned.ctypes.data, result.ctypes.data]
    for i, (start, end) in enumerate(pairwise(hops)):
        name, stream = (("cuMemcpy", ()), ("cuMemcpyAsync", (None,)))[i % 2]
        driver.call(name, Address(end), Address(start), c_size_t(256), *stream)
        driver.call("cuCtxSynchronize")
    assert np.array_equal(result, source)
    driver.call("cuMemcpy", first, Address(0), c_size_t(4), status=INVALID_VALUE)
    driver.call("cuMemcpy", first, second, c_size_t(257), status=INVALID_VALUE)
    # Page-locked memory of the host is at its own address, also where a device address is due.
    at = Address(pinned.ctypes.data)
    driver.call("cuMemcpyHtoD_v2", at, c_void_p(source[::-1].copy().ctypes.data), c_size_t(256))
    assert pinned.view("u4").tolist() == source[::-1].tolist()
    around = c_size_t((1 << 64) - 8)
    driver.call("cuMemcpyHtoD_v2", at, c_void_p(source.ctypes.data), around, status=INVALID_VALUE)


class Copy3D(ctypes.Structure):
    """CUDA_MEMCPY3D."""

    _fields_ = [
        *((f"{name}", c_size_t) for name in ("src_x", "src_y", "src_z", "src_lod")),
        ("src_type", c_int),
        *((name, c_void_p) for name in ("src_host", "src_device", "src_array", "reserved0")),
        *((name, c_size_t) for name in ("src_pitch", "src_height")),
        *((name, c_size_t) for name in ("dst_x", "dst_y", "dst_z", "dst_lod")),
        ("dst_type", c_int),
        *((name, c_void_p) for name in ("dst_host", "dst_device", "dst_array", "reserved1")),
        *((name, c_size_t) for name in ("dst_pitch", "dst_height")),
        *((name, c_size_t) for name in ("width", "height", "depth")),
    ]


@pytest.mark.parametrize("form", ["cuMemcpy3D_v2", "cuMemcpy3DAsync_v2"])
def test_a_box_is_copied(driver: SimDriver, form: str) -> None:
    driver.start("T4")
    box = np.arange(4 * 5 * 6, dtype="u4").reshape(4, 5, 6)
    address = driver.upload(box)
    out = np.zeros((2, 3, 4), "u4")
    copy = Copy3D(
        src_x=4,
        src_y=1,
        src_z=2,
        src_type=DEVICE,
        src_device=address.value,
        src_pitch=24,
        src_height=5,
        dst_type=HOST,
        dst_host=out.ctypes.data,
        dst_pitch=16,
        dst_height=3,
        width=16,
        height=3,
        depth=2,
    )
    stream = (None,) if "Async" in form else ()
    driver.call(form, ctypes.byref(copy), *stream)
    driver.call("cuCtxSynchronize")
    assert np.array_equal(out, box[2:4, 1:4, 1:5])
    copy.src_z = 3
    driver.call(form, ctypes.byref(copy), *stream, status=INVALID_VALUE)
    # Two rows of this pitch are once around.
    copy.src_y, copy.src_z, copy.src_pitch = 0, 0, 1 << 63
    driver.call(form, ctypes.byref(copy), *stream, status=INVALID_VALUE)
    copy.src_type = 3
    driver.call(form, ctypes.byref(copy), *stream, status=NOT_SUPPORTED)


def test_rows_of_a_pitched_allocation(driver: SimDriver) -> None:
    driver.start("T4")
    address, pitch = Address(), c_size_t()
    out = (ctypes.byref(address), ctypes.byref(pitch))
    driver.call("cuMemAllocPitch_v2", *out, c_size_t(513), c_size_t(3), 4)
    assert pitch.value == 1024
    start, size = Address(), c_size_t()
    inside = Address(address.value + 100)
    driver.call("cuMemGetAddressRange_v2", ctypes.byref(start), ctypes.byref(size), inside)
    assert (start.value, size.value) == (address.value, 3072)
    for width, height in ((0, 1), (1 << 60, 1)):
        driver.call(
            "cuMemAllocPitch_v2", *out, c_size_t(width), c_size_t(height), 4, status=INVALID_VALUE
        )
    driver.call(
        "cuMemAllocPitch_v2", *out, c_size_t(1 << 40), c_size_t(1 << 40), 4, status=OUT_OF_MEMORY
    )


def test_the_pool_of_a_device_can_be_changed(driver: SimDriver) -> None:
    driver.start("2xT4")
    pool, default = c_void_p(), c_void_p()
    driver.call("cuDeviceGetMemPool", ctypes.byref(pool), 0)
    driver.call("cuDeviceGetDefaultMemPool", ctypes.byref(default), 0)
    assert pool.value == default.value
    properties = (c_int * 22)(1, 0, 1, 0)
    driver.call("cuMemPoolCreate", ctypes.byref(pool), properties)
    driver.call("cuDeviceSetMemPool", 0, pool)
    got = c_void_p()
    driver.call("cuDeviceGetMemPool", ctypes.byref(got), 0)
    assert got.value == pool.value
    driver.call("cuDeviceSetMemPool", 1, pool, status=INVALID_VALUE)


def test_several_attributes_of_a_pointer(driver: SimDriver) -> None:
    driver.start("T4")
    address = driver.allocate(64)
    kinds = (c_int * 2)(MEMORY_TYPE, IS_MANAGED)
    values = (c_uint * 2)(9, 9)
    data = (c_void_p * 2)(ctypes.addressof(values), ctypes.addressof(values) + 4)
    driver.call("cuPointerGetAttributes", 2, kinds, data, address)
    assert list(values) == [DEVICE, 0]
    # Of memory that is not known there is nothing to tell, and no error.
    driver.call("cuPointerGetAttributes", 2, kinds, data, Address(64))
    assert values[0] == 0


# ---- streams


def test_an_attribute_that_is_none_writes_nothing(driver: SimDriver) -> None:
    driver.start("T4")
    value = c_size_t(7)
    kinds = (c_int * 1)(9999)
    data = (c_void_p * 1)(ctypes.addressof(value))
    driver.call("cuPointerGetAttributes", 1, kinds, data, Address(64), status=1)
    assert value.value == 7


def test_host_memory_that_ends_before_its_size_is_not_registered(driver: SimDriver) -> None:
    driver.start("T4")
    memory = ctypes.create_string_buffer(4096)
    start = c_void_p(ctypes.addressof(memory))
    driver.call("cuMemHostRegister_v2", start, c_size_t(1 << 40), 0, status=1)
    driver.call("cuMemHostRegister_v2", start, c_size_t(2**64 - 8), 0, status=1)
    driver.call("cuMemHostRegister_v2", start, c_size_t(4096), 0)


def test_a_callback_is_told_the_state(driver: SimDriver) -> None:
    driver.start("T4")
    seen: list[tuple[int, int]] = []

    @ctypes.CFUNCTYPE(None, c_void_p, c_int, c_void_p)
    def note(_stream: int, status: int, data: int) -> None:
        seen.append((status, data))

    stream = driver.stream()
    driver.call("cuStreamAddCallback", stream, note, c_void_p(17), 0)
    driver.call("cuStreamSynchronize", stream)
    assert seen == [(0, 17)]
    driver.call("cuStreamAddCallback", stream, note, c_void_p(17), 1, status=INVALID_VALUE)
    ids = [c_uint64(), c_uint64()]
    for handle, number in zip((stream, driver.stream()), ids, strict=True):
        driver.call("cuStreamGetId", handle, ctypes.byref(number))
    assert ids[0].value != ids[1].value


def test_a_capture_is_told(driver: SimDriver) -> None:
    driver.start("T4")
    stream, status, number = driver.stream(), c_int(), c_uint64()
    ask = ("cuStreamGetCaptureInfo_v2", stream, ctypes.byref(status), ctypes.byref(number))
    driver.call(*ask, None, None, None)
    assert status.value == 0
    driver.call("cuStreamBeginCapture_v2", stream, 0)
    driver.call(*ask, None, None, None)
    assert (status.value, number.value) == (1, 1)
    graph, same = c_void_p(), c_void_p()
    driver.call("cuStreamGetCaptureInfo_v3", *ask[1:], ctypes.byref(graph), None, None, None)
    driver.call("cuStreamEndCapture", stream, ctypes.byref(same))
    assert graph.value == same.value
    driver.call("cuGraphDestroy", same)
    driver.call("cuGraphDestroy", same, status=INVALID_VALUE)


def test_the_profiler_and_the_capability(driver: SimDriver) -> None:
    driver.start("A100")
    driver.call("cuProfilerStart")
    driver.call("cuProfilerStop")
    major, minor = c_int(), c_int()
    driver.call("cuDeviceComputeCapability", ctypes.byref(major), ctypes.byref(minor), 0)
    assert (major.value, minor.value) == (8, 0)
