"""Amounts of memory as text: one table for Python's arguments and for the simulator's settings."""

from __future__ import annotations

from ctypes import byref, c_size_t

import numpy as np
import pytest

import gpukit
from gpukit import _core
from gpukit._arguments import bytes_of
from support.sim_driver import SimDriver

SIZES = {
    "1": 1,
    "4096": 4096,
    "512 b": 512,
    "4KB": 4000,
    "4kb": 4000,
    "4 KiB": 4096,
    "4k": 4096,
    "3MB": 3_000_000,
    "3MiB": 3 << 20,
    "3m": 3 << 20,
    "2.9MB": 2_900_000,
    "4GB": 4_000_000_000,
    "4GiB": 4 << 30,
    "4g": 4 << 30,
    "1.5GiB": 3 << 29,
    " 1.5 gib ": 3 << 29,
    "0.25TiB": 1 << 38,
    "1TB": 10**12,
}
NONE = ("", " ", "GiB", "4GX", "4 G B", "4GiBs", "4iB", "much", "-1", "1..5", "1.", ".5", "1e9")
NONE += ("0x10", "inf", "nan", "4Gi", "9223372036854775808", "9999999999TiB", "٤GiB")


@pytest.mark.parametrize("text", SIZES)
def test_both_languages_read_the_same_bytes(driver: SimDriver, text: str) -> None:
    assert _core.parse_byte_count(text) == SIZES[text]
    assert bytes_of("f", "x", text) == SIZES[text]
    assert driver.configure(f"T4,mem={text}") == ""
    size = c_size_t()
    driver.call("cuInit", 0)
    driver.call("cuDeviceTotalMem_v2", byref(size), 0)
    assert size.value == SIZES[text]


@pytest.mark.parametrize("text", NONE)
def test_both_refuse_the_same_texts(driver: SimDriver, text: str) -> None:
    assert _core.parse_byte_count(text) is None
    with pytest.raises(gpukit.ArgumentError, match=r"f: x must be text such as '4GiB', got "):
        bytes_of("f", "x", text)
    assert "mem cannot be" in driver.configure(f"T4,mem={text}")


@pytest.mark.parametrize("value", [np.int64(4096), np.uint8(7), 4096])
def test_a_number_of_numpys_is_bytes(value: object) -> None:
    assert bytes_of("f", "x", value) == int(value)


@pytest.mark.parametrize("value", [None, True, 1.5, [4096], np.ones(2)])
def test_what_is_no_number_of_bytes_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="f: x must be bytes or text such as '4GiB', got "):
        bytes_of("f", "x", value)


def test_fit_reads_them_too() -> None:
    model, x = gpukit.nn.Linear(2, 2), gpukit.zeros(1, 2)
    assert gpukit.fit(model, x, memory="4GB").usable == 4_000_000_000
    assert gpukit.fit(model, x, memory="4g").usable == 4 << 30
    with pytest.raises(gpukit.ArgumentError, match="fit: memory must be 1 byte or more, got 0"):
        gpukit.fit(model, x, memory=0)
