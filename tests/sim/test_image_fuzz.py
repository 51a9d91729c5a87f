"""Any bytes as an image, a fat binary or an input of a link end in a status, in bounded time."""

from __future__ import annotations

import ctypes
import random
from ctypes import c_int, c_size_t, c_uint, c_void_p

import pytest

from support.cubin import make_cubin
from support.fat_binary import CUBIN, PTX, entry, fat_binary
from support.sim_driver import SimDriver

# Success, a wrong argument or image, no image for this card, PTX, no memory, a handle, not there.
STATUSES = {0, 1, 2, 200, 209, 218, 222, 301, 400, 801}
TEXT = b"""
.version 8.0
.target sm_75
.address_size 64
.file 1 "a.cu"
.extern .func (.param .b32 r) other(.param .b32 x);
.global .align 4 .u32 table[3] = { 1, 2, 3 };
.weak .func (.param .b32 r) helper(.param .b32 x)
{ .reg .b32 %r<3>; .loc 1 3 1
  ld.param.b32 %r0, [x]; ld.global.u32 %r1, [table]; add.u32 %r0, %r0, %r1;
  st.param.b32 [r], %r0; ret; }
.visible .entry k(.param .u64 p, .param .u32 n)
{ .reg .b32 %r<3>; .reg .b64 %l<2>; .shared .b8 s[64];
  ld.param.u64 %l0, [p];
  { .param .b32 a, b; st.param.b32 [a], 1; call (b), helper, (a); ld.param.b32 %r0, [b]; }
  st.global.u32 [%l0], %r0; bar.sync 0; ret; }
.section .debug_str { .b8 1, 2, 3 }
"""
DEFINES = (
    b".version 7.0\n.target sm_60\n.visible .func (.param .b32 r) other(.param .b32 x) { ret; }"
)


def damaged(draw: random.Random, image: bytes) -> bytes:
    """The image with a few bytes changed, left out, doubled or cut off."""
    data = bytearray(image)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(data)) if data else 0
        kind = draw.randrange(5)
        if kind == 0:
            data[at : at + 1] = bytes([draw.randrange(1, 256)])
        elif kind == 1:
            del data[at : at + draw.randrange(1, 40)]
        elif kind == 2:
            data[at:at] = data[at : at + draw.randrange(1, 40)]
        elif kind == 3:
            data[at:at] = draw.choice([b"{", b"}", b";", b"(", b".weak ", b"$unit1", b",", b'"'])
        else:
            number = draw.choice([0, 1, 1 << 31, (1 << 32) - 1, 1 << 62, (1 << 64) - 1])
            data[at : at + 8] = number.to_bytes(8, "little")
    return bytes(data[: draw.randrange(1, len(data) + 1)] if draw.random() < 0.2 else data)


def image_of(draw: random.Random) -> bytes:
    """A damaged image of any kind."""
    kind = draw.randrange(4)
    if kind == 0:
        return damaged(draw, TEXT)
    if kind == 1:
        return damaged(draw, make_cubin(75, "other", [8]))
    if kind == 2:
        inner = draw.choice([TEXT, damaged(draw, TEXT), b"\x7fELF", b""])
        entries = [entry(draw.choice([PTX, CUBIN]), draw.choice([60, 75, 90]), inner)] * 2
        return damaged(draw, fat_binary(*entries))
    return draw.randbytes(draw.randrange(1, 200))


def load(driver: SimDriver, image: bytes, draw: random.Random) -> int:
    """The status of a load by one of the calls that take an image; what loads is unloaded."""
    handle, lib = c_void_p(), driver.library
    out, nothing = ctypes.byref(handle), (None, None, 0)
    # A page of zeros behind it ends every text.
    data = image + bytes(4096)
    kind = draw.randrange(4)
    if kind == 0:
        status = lib.cuLibraryLoadData(out, data, *nothing, *nothing)
        assert status or lib.cuLibraryUnload(handle) == 0
    else:
        name = ("cuModuleLoadData", "cuModuleLoadFatBinary", "cuModuleLoadDataEx")[kind - 1]
        options = (0, None, None) if kind == 3 else ()
        status = getattr(lib, name)(out, data, *options)
        assert status or lib.cuModuleUnload(handle) == 0
    return int(status)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_images(driver: SimDriver, seed: int, capfd: pytest.CaptureFixture[str]) -> None:
    driver.start("T4")
    draw = random.Random(f"images {seed}")
    seen = set()
    for _ in range(150):
        status = load(driver, image_of(draw), draw)
        assert status in STATUSES, driver.message()
        seen.add(status)
    assert {200, 218} <= seen
    driver.load(TEXT.replace(b".extern", b"//"))
    capfd.readouterr()


@pytest.mark.parametrize("seed", range(4))
def test_damaged_inputs_of_a_link(
    driver: SimDriver, seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    driver.start("T4")
    draw = random.Random(f"links {seed}")
    lib, completed = driver.library, set()
    for _ in range(60):
        link, image, size = c_void_p(), c_void_p(), c_size_t()
        assert lib.cuLinkCreate_v2(0, None, None, ctypes.byref(link)) == 0
        for _ in range(draw.randrange(1, 4)):
            data = draw.choice([TEXT, DEFINES, damaged(draw, TEXT), image_of(draw)])
            kind = draw.choice([0, 1, 1, 1, 1, 2, 3, 4, 5, 77])
            arguments = (link, kind, data, c_size_t(len(data)), None, 0, None, None)
            assert lib.cuLinkAddData_v2(*arguments) in STATUSES
        status = lib.cuLinkComplete(link, ctypes.byref(image), ctypes.byref(size))
        assert status in STATUSES
        completed.add(status)
        if status == 0:
            linked = ctypes.string_at(image.value or 0, size.value)
            driver.call("cuModuleUnload", driver.load(linked))
        assert lib.cuLinkDestroy(link) == 0
    assert {0, 218} <= completed
    capfd.readouterr()


@pytest.mark.parametrize("seed", range(4))
def test_lists_of_options(driver: SimDriver, seed: int) -> None:
    driver.start("T4")
    draw = random.Random(f"options {seed}")
    for _ in range(100):
        count = draw.randrange(20)
        log = ctypes.create_string_buffer(64)
        options = (c_int * 20)(*[draw.choice([*range(-1, 40), 1 << 30]) for _ in range(20)])
        values = (c_void_p * 20)()
        for i in range(20):
            points = options[i] in {3, 5}
            values[i] = draw.choice([0, ctypes.addressof(log)]) if points else draw.randrange(65)
        told = draw.choice([count, count, count, 65, (1 << 32) - 1])
        handle, image = c_void_p(), draw.choice([TEXT, DEFINES, b".version x"])
        load = driver.library.cuModuleLoadDataEx
        status = load(ctypes.byref(handle), image, c_uint(told), options, values)
        assert status in STATUSES
        assert told <= 20 or status == 1
        assert len(log.value) < 64
    for call in ("cuModuleLoadDataEx", "cuLinkCreate_v2"):
        arguments = (ctypes.byref(c_void_p()), TEXT, 1, None, None)
        if call == "cuLinkCreate_v2":
            arguments = (1, None, None, ctypes.byref(c_void_p()))
        driver.call(call, *arguments, status=1)


def test_pointers_to_nothing(driver: SimDriver, capfd: pytest.CaptureFixture[str]) -> None:
    driver.start("T4")
    out = ctypes.byref(c_void_p())
    for address in (1, 8, 4096, 1 << 47, (1 << 64) - 8):
        driver.call("cuModuleLoadData", out, c_void_p(address), status=200)
        nothing = (None, None, 0)
        driver.call("cuLibraryLoadData", out, c_void_p(address), *nothing, *nothing, status=200)
        link = c_void_p()
        driver.call("cuLinkCreate_v2", 0, None, None, ctypes.byref(link))
        arguments = (link, 1, c_void_p(address), c_size_t(100), None, 0, None, None)
        driver.call("cuLinkAddData_v2", *arguments, status=200)
        arguments = (link, 1, TEXT, c_size_t(1 << 62), None, 0, None, None)
        driver.call("cuLinkAddData_v2", *arguments, status=200)
    capfd.readouterr()
