"""Linking PTX by the driver: several texts into one image, and what is wrong with them."""

from __future__ import annotations

import ctypes
from ctypes import c_size_t, c_void_p
from pathlib import Path

import numpy as np
import pytest

from support.cubin import make_cubin
from support.fat_binary import CUBIN, PTX, entry, fat_binary
from support.sim_driver import SimDriver

NO_BINARY, INVALID_PTX, INVALID_HANDLE, FILE_NOT_FOUND = 209, 218, 400, 301
INPUT_CUBIN, INPUT_PTX, INPUT_FAT, INPUT_OBJECT, INPUT_LIBRARY = range(5)
INFO_LOG, INFO_SIZE, ERROR_LOG, ERROR_SIZE = 3, 4, 5, 6
HEAD = ".version {version}\n.target sm_{target}\n.address_size 64\n"
KERNEL = """
.extern .func (.param .b32 r) scaled(.param .b32 x);
.extern .global .align 4 .u32 offset;
.visible .entry run(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %l<3>;
  ld.param.u64 %l0, [out];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], 5; call (b), scaled, (a);
    ld.param.b32 %r0, [b]; }
  ld.global.u32 %r1, [offset];
  add.u32 %r0, %r0, %r1;
  st.global.u32 [%l0], %r0;
  ret;
}
"""
SCALED = """
{linkage} .func (.param .b32 r) scaled(.param .b32 x)
{{
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [x]; mul.lo.u32 %r0, %r0, {factor}; st.param.b32 [r], %r0;
  ret;
}}
"""
OFFSET = ".visible .global .align 4 .u32 offset = {value};\n"
# The same private names in both texts, with other contents.
PRIVATE = """
.global .align 4 .u32 table[2] = {{ {number}, 0 }};
.func (.param .b32 r) helper()
{{
  .reg .b32 %r<2>;
  ld.global.u32 %r0, [table]; st.param.b32 [r], %r0;
  ret;
}}
.visible .entry {name}(.param .u64 out)
{{
  .reg .b32 %r<2>; .reg .b64 %l<3>;
  ld.param.u64 %l0, [out];
  {{ .param .b32 b; call (b), helper, (); ld.param.b32 %r0, [b]; }}
  st.global.u32 [%l0], %r0;
  ret;
}}
"""


def head(version: str = "8.0", target: int = 75) -> str:
    return HEAD.format(version=version, target=target)


def scaled(linkage: str = ".visible", factor: int = 3) -> str:
    return head() + SCALED.format(linkage=linkage, factor=factor)


def offset(value: int) -> str:
    return head() + OFFSET.format(value=value)


class Link:
    """A link with both logs."""

    def __init__(self, driver: SimDriver, room: int = 2000) -> None:
        self.driver = driver
        self.errors, self.notes = (ctypes.create_string_buffer(room) for _ in range(2))
        self.options = (ctypes.c_int * 4)(ERROR_LOG, ERROR_SIZE, INFO_LOG, INFO_SIZE)
        self.values = (c_void_p * 4)(
            ctypes.addressof(self.errors), room, ctypes.addressof(self.notes), room
        )
        self.handle = c_void_p()
        out = ctypes.byref(self.handle)
        driver.call("cuLinkCreate_v2", 4, self.options, self.values, out)

    def add(
        self, text: str | bytes, name: str = "", kind: int = INPUT_PTX, status: int = 0
    ) -> None:
        data = text.encode() if isinstance(text, str) else text
        self.driver.call(
            "cuLinkAddData_v2",
            *(self.handle, kind, data, c_size_t(len(data)), name.encode() or None, 0, None, None),
            status=status,
        )

    def complete(self, status: int = 0) -> bytes:
        image, size = c_void_p(), c_size_t()
        out = (ctypes.byref(image), ctypes.byref(size))
        self.driver.call("cuLinkComplete", self.handle, *out, status=status)
        return b"" if status else ctypes.string_at(image.value or 0, size.value)

    def log(self) -> str:
        text = self.errors.value.decode()
        assert (self.values[1] or 0) == len(text)
        return text


def result(driver: SimDriver, image: bytes, kernel: str) -> int:
    function = driver.function(driver.load(image), kernel)
    out = driver.upload(np.zeros(1, "u4"))
    driver.launch(function, 1, 1, out)
    return int(driver.download(out, 1, "u4")[0])


def test_names_of_one_text_are_found_in_another(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver)
    for i, text in enumerate([head("7.5", 60) + KERNEL, scaled(), offset(100)]):
        link.add(text, f"{i}.ptx")
    image = link.complete()
    assert image.endswith(b"\0")
    assert image.startswith(b".version 8.0\n.target sm_75\n")  # the newest, the largest
    assert result(driver, image, "run") == 115
    driver.call("cuLinkDestroy", link.handle)
    driver.call("cuLinkDestroy", link.handle, status=INVALID_HANDLE)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_a_weak_definition_gives_way(driver: SimDriver, order: tuple[int, ...]) -> None:
    driver.start("T4")
    texts = [scaled(".weak", 7), scaled(), head() + KERNEL + OFFSET.format(value=1).lstrip()]
    texts[2] = texts[2].replace(".extern .global .align 4 .u32 offset;", "")
    link = Link(driver)
    for i in order:
        link.add(texts[i])
    assert result(driver, link.complete(), "run") == 16


def test_one_of_two_weak_definitions_stays(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver)
    for text in (scaled(".weak", 7), scaled(".weak", 7), head() + KERNEL, offset(0)):
        link.add(text)
    assert result(driver, link.complete(), "run") == 35


def test_private_names_stay_apart(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver)
    for number in (11, 22, 33):
        link.add(head() + PRIVATE.format(number=number, name=f"k{number}"))
    image = link.complete()
    assert [result(driver, image, f"k{number}") for number in (11, 22, 33)] == [11, 22, 33]


def test_a_private_name_does_not_stand_for_an_external_one(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver)
    link.add(head() + PRIVATE.format(number=1, name="k1").replace("helper", "scaled"))
    link.add(head() + KERNEL)
    link.add(offset(0))
    link.complete(status=INVALID_PTX)
    assert "the function 'scaled' is declared and not defined" in link.log()
    link.add(scaled())
    assert result(driver, link.complete(), "run") == 15


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (scaled(), "\n\n" + scaled(), "b.ptx, line 7; error: 'scaled' is defined in a.ptx, line 5"),
        (offset(1), offset(2), "b.ptx, line 4; error: 'offset' is defined in a.ptx, line 4"),
        (
            head() + PRIVATE.format(number=1, name="same"),
            head() + PRIVATE.format(number=1, name="same"),
            "'same' is defined in a.ptx",
        ),
    ],
)
def test_a_name_that_is_defined_twice(
    driver: SimDriver, first: str, second: str, said: str
) -> None:
    driver.start("T4")
    link = Link(driver)
    link.add(first, "a.ptx")
    link.add(second, "b.ptx")
    link.complete(status=INVALID_PTX)
    assert said in link.log()


def test_a_result_that_is_declared_and_not_given(driver: SimDriver) -> None:
    # numba declares a result for each function, also for those of CUDA C that give none.
    driver.start("T4")
    without = ".visible .func scaled(.param .b32 x) { ret; }"
    link = Link(driver)
    for text in (head() + KERNEL, head() + without, offset(4)):
        link.add(text)
    result(driver, link.complete(), "run")
    driver.call("cuCtxSynchronize")


def test_what_nobody_defines_is_told_with_its_place(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver)
    link.add(offset(1), "a.ptx")
    link.add(head() + KERNEL, "b.ptx")
    link.complete(status=INVALID_PTX)
    assert link.log() == (
        "b.ptx, line 11; error: the function 'scaled' is declared and not defined"
    )


def test_an_input_that_is_no_ptx(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver)
    link.add(head() + "\n.visible .entry k( {", "broken.ptx", status=INVALID_PTX)
    assert link.log().startswith("broken.ptx, line 5; error: ")
    link.add(make_cubin(75, "other", [8]), "x.cubin", INPUT_CUBIN, status=NO_BINARY)
    assert "x.cubin is a cubin, which the simulator does not link: pass PTX" in link.log()
    link.add(b"any", "x.o", INPUT_OBJECT, status=NO_BINARY)


def test_a_log_that_is_too_small_is_cut(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver, room=10)
    link.add(head() + "}", "broken.ptx", status=INVALID_PTX)
    assert link.log() == "broken.pt"


def test_the_ptx_in_a_fat_binary_is_linked(driver: SimDriver) -> None:
    driver.start("T4")
    link = Link(driver)
    image = fat_binary(entry(CUBIN, 75, b"\x7fELF"), entry(PTX, 75, (head() + KERNEL).encode()))
    link.add(image, kind=INPUT_FAT)
    link.add(scaled())
    link.add(offset(5))
    assert result(driver, link.complete(), "run") == 20


def test_files_are_linked(driver: SimDriver, tmp_path: Path) -> None:
    driver.start("T4")
    link = Link(driver)
    for name, text in (("a.ptx", head() + KERNEL), ("b.ptx", scaled()), ("c.ptx", offset(2))):
        (tmp_path / name).write_text(text)
        path = str(tmp_path / name).encode()
        driver.call("cuLinkAddFile_v2", link.handle, INPUT_PTX, path, 0, None, None)
    missing = str(tmp_path / "d.ptx").encode()
    driver.call(
        *("cuLinkAddFile_v2", link.handle, INPUT_PTX, missing, 0, None, None),
        status=FILE_NOT_FOUND,
    )
    endless = ("cuLinkAddFile_v2", link.handle, INPUT_PTX, b"/dev/zero", 0, None, None)
    driver.call(*endless, status=200)
    # The device runtime is added for the barrier of the grid, which the executor has itself.
    runtime = b"/usr/lib/libcudadevrt.a"
    driver.call("cuLinkAddFile_v2", link.handle, INPUT_LIBRARY, runtime, 0, None, None)
    link.add(b"!<arch>", "libcudadevrt.a", INPUT_LIBRARY)
    assert "the barrier of the grid is the executor's own" in link.notes.value.decode()
    assert result(driver, link.complete(), "run") == 17


def test_source_lines_keep_their_files(driver: SimDriver) -> None:
    driver.start("T4")
    trap = head() + '.file 1 "{0}.cu"\n.visible .entry {0}()\n{{\n.loc 1 {1} 3\ntrap;\nret;\n}}\n'
    link = Link(driver)
    link.add(trap.format("one", 7))
    link.add(trap.format("two", 9))
    image = link.complete()
    driver.launch(driver.function(driver.load(image), "two"), 1, 1)
    driver.call("cuCtxSynchronize", status=719)
    assert "two.cu:9" in driver.message()
