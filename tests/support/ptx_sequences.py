"""Random sequences of instructions, run by the executor and followed lane by lane in Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from support.ptx_bit_forms import bits, videos
from support.ptx_form import Form, decoded, width
from support.ptx_integer_forms import integers
from support.ptx_runner import HEAD
from support.sim_driver import Driver

REGISTERS = 6
LANES = 32
COUNTED = {"u32", "s32", "b32", "u64", "s64", "b64", "u16x2", "s16x2"}
FORMS = [
    form
    for form in (*integers(), *bits(), *videos())
    if form.code.count(";") == 1
    and {form.to, *form.operands} <= COUNTED
    and "selector" not in form.name
]
Step = tuple[Form, list[int], int, int]  # the form, its operands, its result, its guard or 0


def draw(random: np.random.Generator, length: int, forms: Sequence[Form] = FORMS) -> list[Step]:
    """Instructions on registers of 32 and 64 bits; one in four is done by half of the lanes."""
    return [
        (
            forms[int(random.integers(len(forms)))],
            [int(i) for i in random.integers(REGISTERS, size=3)],
            int(random.integers(REGISTERS)),
            int(random.integers(1, 3)) if random.random() < 0.25 else 0,
        )
        for _ in range(length)
    ]


def kernel(number: int, steps: Iterable[Step]) -> str:
    """The sequence with loads before and stores behind it; p is set in odd lanes."""
    lines = [
        f".visible .entry k{number}(.param .u64 p0)\n{{\n.reg .pred p; .reg .b32 %r<30>; "
        ".reg .b64 %l<30>;\nmov.u32 %r20, %tid.x; mul.wide.u32 %l20, %r20, 96; "
        "ld.param.u64 %l21, [p0]; add.u64 %l20, %l20, %l21; and.b32 %r21, %r20, 1; "
        "setp.ne.u32 p, %r21, 0;"
    ]
    lines += [
        f"ld.global.b64 %l{i}, [%l20+{8 * i}]; ld.global.b32 %r{i}, [%l20+{48 + 8 * i}];"
        for i in range(REGISTERS)
    ]
    for form, sources, to, guard in steps:
        names = {
            letter: f"%{'l' if width(kind) == 64 else 'r'}{source}"
            for letter, kind, source in zip("abc", form.operands, sources, strict=False)
        }
        names["d"] = f"%{'l' if width(form.to) == 64 else 'r'}{to}"
        lines.append(("", "@p ", "@!p ")[guard] + form.code.format(**names))
    lines += [
        f"st.global.b64 [%l20+{8 * i}], %l{i}; st.global.b32 [%l20+{48 + 8 * i}], %r{i};"
        for i in range(REGISTERS)
    ]
    return "\n".join(lines) + "\nret;\n}\n"


def follow(steps: Iterable[Step], state: list[int], lane: int) -> None:
    """The second evaluation; `state` holds the 64-bit registers and then those of 32 bits."""
    for form, sources, to, guard in steps:
        if guard and (lane % 2 == 1) != (guard == 1):
            continue
        values = [
            decoded(state[source + (0 if width(kind) == 64 else REGISTERS)], kind)
            for kind, source in zip(form.operands, sources, strict=False)
        ]
        bits_ = width(form.to)
        at = to + (0 if bits_ == 64 else REGISTERS)
        state[at] = int(form.reference(*values)) & (1 << bits_) - 1


def starts(random: np.random.Generator) -> np.ndarray:
    """The registers of all lanes before a sequence."""
    start = random.integers(0, 1 << 64, size=(LANES, 2 * REGISTERS), dtype="u8")
    start[:, REGISTERS:] &= 0xFFFFFFFF
    start[::3] >>= np.uint64(27)
    return start


def ends(
    driver: Driver, sequences: Sequence[Sequence[Step]], start: np.ndarray, head: str
) -> list[np.ndarray]:
    """The registers of all lanes behind each sequence."""
    text = head + "".join(kernel(i, steps) for i, steps in enumerate(sequences))
    module = driver.load(text.encode())
    found = []
    for number in range(len(sequences)):
        room = driver.upload(start)
        driver.launch(driver.function(module, f"k{number}"), 1, LANES, room)
        driver.call("cuCtxSynchronize")
        found.append(driver.download(room, start.size, "u8").reshape(start.shape))
        driver.free(room)
    driver.call("cuModuleUnload", module)
    return found


def wrong_lane(steps: Sequence[Step], start: np.ndarray, end: np.ndarray) -> str:
    """The first of four lanes that ends otherwise than it should: which registers, and how."""
    for lane in range(4):
        state = [int(word) for word in start[lane]]
        follow(steps, state, lane)
        names = [f"%{kind}{i}" for kind in "lr" for i in range(REGISTERS)]
        rows = zip(names, end[lane].tolist(), state, strict=True)
        if apart := [
            f"{name} is {got:#x}, not {want:#x}" for name, got, want in rows if got != want
        ]:
            return f"lane {lane}: {', '.join(apart)}"
    return ""


def first_wrong(driver: Driver, steps: Sequence[Step], start: np.ndarray, head: str) -> str:
    """The shortest beginning of a sequence that ends otherwise than it should."""
    beginnings = [steps[: i + 1] for i in range(len(steps))]
    for some, end in zip(beginnings, ends(driver, beginnings, start, head), strict=True):
        if how := wrong_lane(some, start, end):
            return f"{len(some)} steps, {how}\n{kernel(0, some)}"
    return "every beginning ends as it should"


def differences(
    driver: Driver,
    seed: int,
    count: int,
    length: int = 20,
    head: str = HEAD,
    forms: Sequence[Form] = FORMS,
) -> list[str]:
    """Sequences whose registers end otherwise than they should; of `forms` where not of all."""
    random = np.random.default_rng(seed)
    sequences = [draw(random, length, forms) for _ in range(count)]
    start = starts(random)
    return [
        f"seed {seed}, sequence {number}, {how}\n{first_wrong(driver, steps, start, head)}"
        for number, (steps, end) in enumerate(
            zip(sequences, ends(driver, sequences, start, head), strict=True)
        )
        if (how := wrong_lane(steps, start, end))
    ]
