"""Libraries, kernels of libraries, fat binaries: what programs of others load and launch."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_float, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path

import numpy as np
import pytest

from support.fat_binary import CUBIN, PTX, entry, fat_binary
from support.sim_driver import Address, SimDriver

INVALID_VALUE, INVALID_IMAGE, NO_BINARY, INVALID_PTX = 1, 200, 209, 218
INVALID_HANDLE, NOT_FOUND, NOT_SUPPORTED, TOO_LARGE = 400, 500, 801, 720
ERROR_LOG, ERROR_SIZE, VERBOSE, INFO_LOG, INFO_SIZE = 5, 6, 12, 3, 4
COOPERATIVE, PRIORITY, CLUSTER = 2, 8, 4
AXPY = """
.version 8.0
.target sm_{target}
.address_size 64
.visible .global .align 8 .u64 factor = {factor};
.visible .entry axpy(.param .u64 out, .param .f32 a, .param .u32 n)
{{
  .reg .b32 %r<6>; .reg .b64 %l<4>; .reg .f32 %f<4>; .reg .pred %p;
  ld.param.u64 %l0, [out]; ld.param.f32 %f0, [a]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  setp.ge.u32 %p, %r1, %r0; @%p ret;
  ld.global.u64 %l1, [factor]; cvt.rn.f32.u64 %f1, %l1; mul.f32 %f0, %f0, %f1;
  mul.wide.u32 %l2, %r1, 4; add.u64 %l0, %l0, %l2;
  st.global.f32 [%l0], %f0;
  ret;
}}
.visible .entry nothing() {{ ret; }}
"""


def text(target: int = 75, factor: int = 1) -> bytes:
    return AXPY.format(target=target, factor=factor).encode()


def library(driver: SimDriver, image: bytes, status: int = 0) -> c_void_p:
    handle = c_void_p()
    nothing = (None, None, 0)
    driver.call("cuLibraryLoadData", ctypes.byref(handle), image, *nothing, *nothing, status=status)
    return handle


def kernel(driver: SimDriver, of: c_void_p, name: str, status: int = 0) -> c_void_p:
    handle = c_void_p()
    driver.call("cuLibraryGetKernel", ctypes.byref(handle), of, name.encode(), status=status)
    return handle


def filled(driver: SimDriver, function: c_void_p, value: float, count: int = 100) -> float:
    """What the kernel writes everywhere."""
    out = driver.upload(np.zeros(count, "f4"))
    driver.launch(function, 2, 64, out, c_float(value), c_uint(count))
    (found,) = set(driver.download(out, count, "f4").tolist())
    return float(found)


def test_a_kernel_of_a_library_runs_on_every_device(driver: SimDriver) -> None:
    driver.start("2xT4")
    handle = library(driver, text(factor=3))
    axpy = kernel(driver, handle, "axpy")
    for context in driver.contexts:
        driver.call("cuCtxSetCurrent", context)
        assert filled(driver, axpy, 2) == 6
        function = c_void_p()
        driver.call("cuKernelGetFunction", ctypes.byref(function), axpy)
        assert filled(driver, function, 5) == 15
    driver.call("cuLibraryUnload", handle)
    driver.launch(axpy, 1, 1, status=INVALID_HANDLE)
    driver.call("cuLibraryUnload", handle, status=INVALID_HANDLE)


def test_a_library_needs_no_context(driver: SimDriver) -> None:
    driver.configure("T4")
    driver.call("cuInit", 0)
    handle = library(driver, text())
    axpy = kernel(driver, handle, "axpy")
    driver.retain_all()
    assert filled(driver, axpy, 4) == 4
    assert library(driver, b".version 8.0\n.target sm_75\nmov;", INVALID_PTX).value is None


def test_what_a_library_holds(driver: SimDriver) -> None:
    driver.start("T4")
    handle = library(driver, text())
    count = c_uint()
    driver.call("cuLibraryGetKernelCount", ctypes.byref(count), handle)
    kernels = (c_void_p * 5)()
    driver.call("cuLibraryEnumerateKernels", kernels, 5, handle)
    names, name = [], c_char_p()
    for one in kernels[: count.value]:
        driver.call("cuKernelGetName", ctypes.byref(name), c_void_p(one))
        names.append(name.value)
    assert names == [b"axpy", b"nothing"]
    assert kernels[2] is None
    assert kernel(driver, handle, "axpy").value == kernels[0]
    kernel(driver, handle, "other", status=NOT_FOUND)
    back = c_void_p()
    driver.call("cuKernelGetLibrary", ctypes.byref(back), c_void_p(kernels[0]))
    assert back.value == handle.value


def test_parameters_and_attributes_of_a_kernel(driver: SimDriver) -> None:
    driver.start("T4")
    axpy = kernel(driver, library(driver, text()), "axpy")
    found, offset, size, value = [], c_size_t(), c_size_t(), c_int()
    out = (ctypes.byref(offset), ctypes.byref(size))
    for index in range(3):
        for call in ("cuKernelGetParamInfo", "cuFuncGetParamInfo"):
            driver.call(call, axpy, c_size_t(index), *out)
        found.append((offset.value, size.value))
    assert found == [(0, 8), (8, 4), (12, 4)]
    driver.call("cuKernelGetParamInfo", axpy, c_size_t(3), *out, status=INVALID_VALUE)
    driver.call("cuKernelGetAttribute", ctypes.byref(value), 8, axpy, 0)
    assert value.value == 48 * 1024
    driver.call("cuKernelSetAttribute", 8, 60000, axpy, 0)
    driver.call("cuKernelGetAttribute", ctypes.byref(value), 8, axpy, 0)
    assert value.value == 60000
    driver.call("cuKernelGetAttribute", ctypes.byref(value), 8, axpy, 7, status=101)
    constants = text() + b".const .align 8 .b8 table[72] = { 1 };\n"
    driver.call(
        "cuFuncGetAttribute",
        *(ctypes.byref(value), 2, kernel(driver, library(driver, constants), "axpy")),
    )
    assert value.value == 72
    driver.call("cuKernelSetCacheConfig", axpy, 2, 0)
    driver.call("cuKernelSetCacheConfig", axpy, 9, 0, status=INVALID_VALUE)


@pytest.mark.parametrize("call", ["cuLibraryGetGlobal", "cuLibraryGetManaged"])
def test_a_variable_of_a_library(driver: SimDriver, call: str) -> None:
    driver.start("T4")
    handle = library(driver, text(factor=3))
    address, size = Address(), c_size_t()
    driver.call(call, ctypes.byref(address), ctypes.byref(size), handle, b"factor")
    assert size.value == 8
    driver.write(address, np.array([10], "u8"))
    assert filled(driver, kernel(driver, handle, "axpy"), 2) == 20
    driver.call(call, ctypes.byref(address), None, handle, b"none", status=NOT_FOUND)
    module = c_void_p()
    driver.call("cuLibraryGetModule", ctypes.byref(module), handle)
    assert filled(driver, driver.function(module, "axpy"), 1) == 10


def test_a_library_of_a_file(driver: SimDriver, tmp_path: Path) -> None:
    driver.start("T4")
    handle, nothing = c_void_p(), (None, None, 0)
    (tmp_path / "a.ptx").write_bytes(text())
    for name, status in (("a.ptx", 0), ("b.ptx", 301)):
        path = str(tmp_path / name).encode()
        out = ctypes.byref(handle)
        driver.call("cuLibraryLoadFromFile", out, path, *nothing, *nothing, status=status)
    assert filled(driver, kernel(driver, handle, "axpy"), 7) == 7
    module = c_void_p()
    driver.call("cuModuleLoad", ctypes.byref(module), str(tmp_path / "a.ptx").encode())
    assert filled(driver, driver.function(module, "axpy"), 7) == 7


def test_the_log_of_a_library(driver: SimDriver) -> None:
    driver.start("T4")
    log = ctypes.create_string_buffer(500)
    options = (c_int * 2)(ERROR_LOG, ERROR_SIZE)
    values = (c_void_p * 2)(ctypes.addressof(log), 500)
    out, bad = ctypes.byref(c_void_p()), text().replace(b"ret;", b"frobnicate;")
    arguments = (options, values, 2, None, None, 0)
    driver.call("cuLibraryLoadData", out, bad, *arguments, status=INVALID_PTX)
    assert log.value.decode().startswith("ptx input, line ")
    assert "frobnicate" in log.value.decode()
    assert values[1] == len(log.value)


def test_a_verbose_log_names_the_kernels(driver: SimDriver) -> None:
    driver.start("T4")
    log = ctypes.create_string_buffer(500)
    options = (c_int * 3)(INFO_SIZE, VERBOSE, INFO_LOG)
    values = (c_void_p * 3)(500, 1, ctypes.addressof(log))
    out = ctypes.byref(c_void_p())
    driver.call("cuModuleLoadDataEx", out, text(), 3, options, values)
    assert "kernel axpy: 16 bytes of parameters" in log.value.decode()
    assert "simulated" in log.value.decode()


# ---- launches


class Config(ctypes.Structure):
    _fields_ = [
        *((name, c_uint) for name in ["gx", "gy", "gz", "bx", "by", "bz", "shared"]),
        ("stream", c_void_p),
        ("attributes", c_void_p),
        ("count", c_uint),
    ]


class Attribute(ctypes.Structure):
    _fields_ = [("id", c_int), ("pad", c_int), ("value", c_uint * 16)]


def launch_ex(
    driver: SimDriver, function: c_void_p, attribute: tuple[int, ...], blocks: int = 2
) -> int:
    """The status of a launch with one attribute."""
    out = driver.upload(np.zeros(100, "f4"))
    arguments = [out, c_float(2), c_uint(100)]
    pointers = (c_void_p * 3)(*[ctypes.addressof(x) for x in arguments])
    one = Attribute(attribute[0], 0, (c_uint * 16)(*attribute[1:]))
    config = Config(blocks, 1, 1, 64, 1, 1, 0, None, ctypes.addressof(one), 1)
    status: int = driver.library.cuLaunchKernelEx(ctypes.byref(config), function, pointers, None)
    if status == 0:
        assert set(driver.download(out, 100, "f4").tolist()) == {2.0}
    return status


@pytest.mark.parametrize(
    ("attribute", "blocks", "status"),
    [
        ((COOPERATIVE, 1), 2, 0),
        ((COOPERATIVE, 1), 100_000, TOO_LARGE),
        ((COOPERATIVE, 0), 100_000, 0),
        ((PRIORITY, 0), 2, 0),
        ((CLUSTER, 1, 1, 1), 2, 0),
        ((CLUSTER, 2, 1, 1), 2, NOT_SUPPORTED),
        ((99,), 2, NOT_SUPPORTED),
    ],
)
def test_attributes_of_a_launch(
    driver: SimDriver, attribute: tuple[int, ...], blocks: int, status: int
) -> None:
    driver.start("T4")
    axpy = kernel(driver, library(driver, text()), "axpy")
    assert launch_ex(driver, axpy, attribute, blocks) == status


def test_arguments_of_a_library_kernel_in_one_buffer(driver: SimDriver) -> None:
    driver.start("T4")
    axpy = kernel(driver, library(driver, text()), "axpy")
    out = driver.upload(np.zeros(64, "f4"))
    packed = np.array([out.value], "u8").tobytes() + np.float32(3).tobytes()
    packed += np.uint32(64).tobytes()
    size = c_size_t(len(packed))
    buffer = ctypes.create_string_buffer(packed, len(packed))
    extra = (c_void_p * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(size), 0)
    shape = (1, 1, 1, 64, 1, 1, 0)
    driver.call("cuLaunchKernel", axpy, *shape, None, None, extra)
    assert set(driver.download(out, 64, "f4").tolist()) == {3.0}
    size.value -= 1
    driver.call("cuLaunchKernel", axpy, *shape, None, None, extra, status=INVALID_VALUE)
    extra[1] = None
    driver.call("cuLaunchKernel", axpy, *shape, None, None, extra, status=INVALID_VALUE)


def test_occupancy_of_a_kernel(driver: SimDriver) -> None:
    driver.start("T4")
    axpy = kernel(driver, library(driver, text()), "axpy")
    grid, block, room = c_int(), c_int(), c_size_t()
    driver.call(
        "cuOccupancyMaxPotentialBlockSize",
        *(ctypes.byref(grid), ctypes.byref(block), axpy, None, c_size_t(0), 0),
    )
    assert (grid.value, block.value) == (40, 1024)
    driver.call(
        "cuOccupancyMaxPotentialBlockSize",
        *(ctypes.byref(grid), ctypes.byref(block), axpy, None, c_size_t(0), 100),
    )
    assert (grid.value, block.value) == (640, 64)
    driver.call("cuOccupancyAvailableDynamicSMemPerBlock", ctypes.byref(room), axpy, 2, 64)
    assert room.value == 32 * 1024
    driver.call(
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        *(ctypes.byref(grid), axpy, c_int(64), c_size_t(1 << 32)),
    )
    assert grid.value == 0


# ---- fat binaries


@pytest.mark.parametrize(
    ("card", "targets", "factor"),
    [("T4", (75, 80), 75), ("T4", (60, 75), 75), ("A100", (75, 80, 90), 80), ("T4", (50,), 50)],
)
def test_the_newest_ptx_that_suits_is_taken(
    driver: SimDriver, card: str, targets: tuple[int, ...], factor: int
) -> None:
    driver.start(card)
    entries = [entry(PTX, target, text(target, target)) for target in targets]
    image = fat_binary(entry(CUBIN, 75, b"\x7fELF machine code"), *entries)
    assert filled(driver, kernel(driver, library(driver, image), "axpy"), 1) == factor
    assert filled(driver, driver.function(driver.load(image), "axpy"), 1) == factor
    module = c_void_p()
    wrapper = np.array([0x466243B1 | 1 << 32, 0], "u8")
    kept = ctypes.create_string_buffer(image)
    wrapper[1] = ctypes.addressof(kept)
    at = c_void_p(wrapper.ctypes.data)
    driver.call("cuModuleLoadFatBinary", ctypes.byref(module), at)
    assert filled(driver, driver.function(module, "axpy"), 1) == factor


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (fat_binary(entry(CUBIN, 75, b"\x7fELF")), "holds no PTX: compile with -gencode arch=comp"),
        (fat_binary(), "holds no PTX"),
        (fat_binary(entry(PTX, 90, b".version 8.0")), "for compute_90 and newer"),
        (fat_binary(entry(PTX, 75, b"\x28\xb5\x2f\xfd", 900)), "compressed, and gpukit does not"),
    ],
)
def test_a_fat_binary_without_ptx_for_the_card(driver: SimDriver, image: bytes, said: str) -> None:
    driver.start("T4")
    driver.load(image, status=NO_BINARY)
    assert said in driver.message()


def test_a_damaged_fat_binary_is_refused(driver: SimDriver) -> None:
    driver.start("T4")
    good = fat_binary(entry(PTX, 75, text()))
    for at, number in ((8, 1 << 40), (8, 60), (6, 3), (24, 1 << 62), (20, 1 << 31)):
        image = bytearray(good)
        width = {8: 8, 6: 2, 24: 8, 20: 4}[at]
        image[at : at + width] = number.to_bytes(width, "little")
        driver.load(bytes(image), status=INVALID_IMAGE)
        assert "the fat binary is damaged" in driver.message()


def test_the_first_element_of_an_array_by_its_number(driver: SimDriver) -> None:
    # As tinygrad writes addresses of shared memory.
    driver.start("T4")
    numbered = text().replace(
        b"ld.global.u64 %l1, [factor];", b"mov.u64 %l1, factor{};\nld.global.u64 %l1, [%l1];"
    )
    for index, status in ((b"[0]", 0), (b"[1]", INVALID_PTX)):
        image = numbered.replace(b"{}", index)
        handle = library(driver, image, status)
        if status == 0:
            assert filled(driver, kernel(driver, handle, "axpy"), 2) == 2
    assert "elements of arrays by number are not run by gpukit" in driver.message()
