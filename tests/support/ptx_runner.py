"""Runs forms of instructions on operands that are drawn once a type, and says what differs."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from support.exact_floats import FORMATS, bits_of, value_of
from support.ptx_form import Form, decoded, width
from support.sim_driver import Address, Driver, SimDriver

LANES = 128
HEAD = ".version 8.8\n.target sm_100\n.address_size 64\n"
CANONICAL_NANS = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFFFFFF}
FLOAT_EDGES = {
    "f16": [0, 1, 0x3FF, 0x400, 0x3800, 0x3C00, 0x3C01, 0x3E00, 0x4100, 0x7BFF, 0x7C00, 0x7E00],
    "bf16": [0, 1, 0x7F, 0x80, 0x3F00, 0x3F80, 0x3F81, 0x4040, 0x4B00, 0x7F7F, 0x7F80, 0x7FC0],
    "f32": [
        *(0, 1, 0x7FFFFF, 0x800000, 0x3F000000, 0x3F800000, 0x3F800001, 0x3FC00000, 0x40200000),
        *(0x4B000001, 0x4EFFFFFF, 0x4F000000, 0x5F7FFFFF, 0x7F7FFFFF, 0x7F800000, 0x7FC00000),
        *(0x477FE000, 0x477FF000, 0x38800000, 0x33000001, 0x43E80000, 0x3F801000),
    ],
    "f64": [
        *(0, 1, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x3FE0000000000000, 0x3FF0000000000000),
        *(0x3FF8000000000000, 0x4004000000000000, 0x41DFFFFFFFC00000, 0x43E0000000000000),
        *(0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000, 0x47EFFFFFF0000000),
        *(0x3810000000000000, 0x36A0000000000000, 0x3FF0000010000000, 0x3FF0000030000001),
    ],
}


@functools.cache
def operands(kind: str, place: int) -> list[int]:
    """Edge values and drawn ones, in an order that differs from place to place."""
    random = np.random.default_rng([sum(kind.encode()), place])
    bits = width(kind)
    mask = (1 << bits) - 1
    drawn = [int.from_bytes(random.bytes(8), "little") & mask for _ in range(24)]
    if kind in FORMATS:
        sign = FORMATS[kind].sign
        edges = [word | part for word in FLOAT_EDGES[kind] for part in (0, sign)]
        ones = [bits_of(float(x), FORMATS[kind]) for x in random.normal(0, 3, 24)]
        drawn = drawn[:6] + [word for word in ones if word is not None]
    else:
        top = 1 << (bits - 1)
        edges = [*range(9), 15, 16, 17, 24, 30, 31, 32, 33, 63, 64, 65, 255, 256, 257, top - 1, top]
        edges += [top + 1, mask, mask - 1, mask // 3, mask // 3 * 2, 0xF0E1D2C3B4A59687 & mask]
    pool = edges + drawn
    more = random.integers(len(pool), size=LANES - len(pool))
    return [pool[int(i)] for i in random.permutation([*range(len(pool)), *more])]


def register(kind: str) -> str:
    """The letter of the registers that hold a type."""
    return {16: "h", 32: "r", 64: "l"}[width(kind)]


def kernel(number: int, form: Form) -> str:
    """A kernel that reads three arrays of 64-bit places and writes one."""
    kinds = (*form.operands, "b64", "b64", "b64")[:3]
    names = {
        letter: f"%{register(kind)}{i}"
        for i, (letter, kind) in enumerate(zip("abc", kinds, strict=True))
    }
    names |= {"d": f"%{register(form.to)}9", "t": f"%{register(form.to)}8"}
    loads = "".join(
        f"ld.param.u64 %l20, [p{i}]; add.u64 %l20, %l20, %l21; "
        f"ld.global.b{width(kind)} {names[letter]}, [%l20];\n"
        for i, (letter, kind) in enumerate(zip("abc", kinds, strict=True))
    )
    return (
        f".visible .entry k{number}(.param .u64 p0, .param .u64 p1, .param .u64 p2, "
        ".param .u64 p3)\n{\n.reg .pred p, q; .reg .b16 %h<10>; .reg .b32 %r<24>; "
        ".reg .b64 %l<24>;\nmov.u32 %r20, %tid.x; mul.wide.u32 %l21, %r20, 8;\n"
        f"{loads}{form.code.format(**names)}\n"
        "ld.param.u64 %l20, [p3]; add.u64 %l20, %l20, %l21; "
        f"st.global.b{width(form.to)} [%l20], {names['d']};\nret;\n}}\n"
    )


def wanted(form: Form, lane: int) -> int | tuple[int | None, ...] | None:
    """The bits that the reference gives; None for any NaN, of a pair one of each half."""
    values = [
        decoded(operands(kind, place)[lane], kind) for place, kind in enumerate(form.operands)
    ]
    result = form.reference(*values)
    if result is None or isinstance(result, tuple):
        return result
    if form.to in FORMATS and not isinstance(result, int):
        return bits_of(result, FORMATS[form.to])
    return int(result) & (1 << width(form.to)) - 1


def agrees(form: Form, got: int, want: Any) -> bool:
    """Bit for bit, NaN with NaN, or within the form's ulp."""
    if isinstance(want, tuple):
        kind = form.to.removesuffix("x2")
        halves = zip((got & 0xFFFF, got >> 16), want, strict=True)
        return all(same_float(half, word, kind, 0) for half, word in halves)
    if form.to in FORMATS:
        return same_float(got, want, form.to, form.ulp)
    return bool(got == want)


def same_float(got: int, want: int | None, kind: str, ulp: int) -> bool:
    """Whether two words are one number, or neighbours. Of f64, any NaN is every NaN."""
    if want is None:
        canonical = CANONICAL_NANS.get(kind)
        return math.isnan(value_of(got, FORMATS[kind])) if canonical is None else got == canonical
    sign = FORMATS[kind].sign
    if (got ^ want) & sign:
        return ulp > 0 and (got | want) & (sign - 1) <= ulp
    return abs(got - want) <= ulp


def results(driver: Driver, forms: list[Form], head: str = HEAD) -> list[list[int]]:
    """Form by form: the words that the driver's device gives, lane by lane."""
    if not forms:
        return []
    text = head + "".join(kernel(i, form) for i, form in enumerate(forms))
    module = driver.load(text.encode())
    places: dict[tuple[str, int], Address] = {}
    for form in forms:
        for place, kind in enumerate(form.operands):
            if (kind, place) not in places:
                places[kind, place] = driver.upload(np.array(operands(kind, place), "u8"))
    spare = next(iter(places.values()))
    out = driver.upload(np.zeros(LANES * len(forms), "u8"))
    for i, form in enumerate(forms):
        inputs = [places[kind, place] for place, kind in enumerate(form.operands)]
        inputs += [spare] * (3 - len(inputs))
        to = Address(out.value + 8 * LANES * i)
        driver.launch(driver.function(module, f"k{i}"), 1, LANES, *inputs, to)
    driver.call("cuCtxSynchronize")
    words = driver.download(out, LANES * len(forms), "u8").reshape(-1, LANES)
    driver.call("cuModuleUnload", module)
    for address in (*places.values(), out):
        driver.free(address)
    return words.tolist()


def differing(form: Form, words: list[int]) -> str:
    """The first lane whose result is another than the reference's; "" where none is."""
    for lane, word in enumerate(words):
        want = wanted(form, lane)
        if not agrees(form, word, want):
            given = [hex(operands(kind, i)[lane]) for i, kind in enumerate(form.operands)]
            shown = hex(want) if isinstance(want, int) else want
            return f"{', '.join(given)} give {word:#x}, not {shown}"
    return ""


def differences(driver: Driver, forms: Iterable[Form], head: str = HEAD) -> dict[str, str]:
    """Form by form: the first lane that differs, of those that have one."""
    forms = list(forms)
    found = {
        form.name: differing(form, words)
        for form, words in zip(forms, results(driver, forms, head), strict=True)
    }
    return {name: how for name, how in found.items() if how}


def free_message(driver: SimDriver, text: str) -> str:
    """Why a text is refused; "" where it loads."""
    module = ctypes.c_void_p()
    status = driver.library.cuModuleLoadData(ctypes.byref(module), text.encode() + b"\0")
    if status == 0:
        driver.call("cuModuleUnload", module)
        return ""
    return driver.message()
