"""Registers of PTX kernels: estimated from the values that are alive at a time."""

from __future__ import annotations

import ctypes
import random
from ctypes import c_int, c_size_t

import pytest

from support.sim_driver import SimDriver

HEAD = ".version 8.0\n.target sm_75\n.address_size 64\n"
MAX_THREADS, REGISTERS, INVALID, OUT_OF_RESOURCES = 0, 4, 1, 701


def registers(words: int) -> int:
    """The rule of csrc/ptx/decoder_registers.cpp."""
    return min(255, max(16, -(-(words * 4 // 5 + 9) // 8) * 8))


def kernel(body: str, directives: str = "") -> str:
    return (
        f"{HEAD}.visible .entry k(.param .u64 k_param_0)\n{directives}\n{{\n"
        ".reg .b32 %r<300>;\n.reg .b64 %rd<200>;\n.reg .pred %p<4>;\n"
        f"ld.param.u64 %rd0, [k_param_0];\n{body}ret;\n}}\n"
    )


def loads_then_stores(count: int, wide: bool = False) -> str:
    """`count` values that are all alive at a time."""
    kind, name, size = ("u64", "%rd", 8) if wide else ("u32", "%r", 4)
    loads = [f"ld.global.{kind} {name}{i}, [%rd0+{size * i}];\n" for i in range(1, count + 1)]
    stores = [f"st.global.{kind} [%rd0+{size * i}], {name}{i};\n" for i in range(1, count + 1)]
    return "".join(loads + stores)


def told(driver: SimDriver, text: str) -> int:
    value = c_int()
    function = driver.function(driver.load(text.encode()), "k")
    driver.call("cuFuncGetAttribute", ctypes.byref(value), REGISTERS, function)
    return value.value


@pytest.mark.parametrize("wide", [False, True], ids=["of 32 bits", "of 64 bits"])
@pytest.mark.parametrize("count", [1, 9, 30, 77, 150])
def test_values_that_are_alive_together_need_registers(
    driver: SimDriver, count: int, wide: bool
) -> None:
    driver.start("T4")
    assert told(driver, kernel(loads_then_stores(count, wide))) == registers(count * (1 + wide))


def test_values_one_after_the_other_share_a_register(driver: SimDriver) -> None:
    driver.start("T4")
    body = "".join(
        f"ld.global.u32 %r{i}, [%rd0];\nst.global.u32 [%rd0+4], %r{i};\n" for i in range(100)
    )
    assert told(driver, kernel(body)) == 16


def test_copies_parameters_and_numbers_need_none(driver: SimDriver) -> None:
    driver.start("T4")
    copies = "".join(
        f"mov.u32 %r{i}, {i};\ncvta.to.global.u64 %rd{i}, %rd0;\n" for i in range(1, 90)
    )
    uses = "".join(f"st.global.u32 [%rd{i}], %r{i};\n" for i in range(1, 90))
    assert told(driver, kernel(copies + uses)) == 16


def test_what_is_read_behind_a_loop_is_alive_in_it(driver: SimDriver) -> None:
    driver.start("T4")
    before = "".join(f"ld.global.u32 %r{i}, [%rd0+{4 * i}];\n" for i in range(1, 41))
    inside = "".join(f"ld.global.u32 %r{i}, [%rd0+{4 * i}];\n" for i in range(101, 141))
    inside += "".join(f"st.global.u32 [%rd0+{4 * i}], %r{i};\n" for i in range(101, 141))
    # Read at the start of the loop, so that the next round needs them: alive to its end.
    again = "".join(f"st.global.u32 [%rd0+{4 * i}], %r{i};\n" for i in range(1, 41))
    loop = f"setp.eq.u32 %p1, 1, 2;\n{before}LOOP:\n{again}{inside}@%p1 bra LOOP;\n"
    assert told(driver, kernel(loop)) == registers(80)


@pytest.mark.parametrize(
    ("directives", "most"),
    [
        ("", 255),
        (".maxnreg 40", 40),
        (".maxnreg 3", 16),
        (".maxntid 1024", 64),
        (".maxntid 16, 16, 1", 255),
        (".maxntid 256\n.minnctapersm 4", 64),
        (".maxntid 250\n.minnctapersm 3", 80),
        (".maxntid 256\n.maxnctapersm 4", 255),
    ],
)
def test_directives_bound_the_registers(driver: SimDriver, directives: str, most: int) -> None:
    driver.start("T4")
    assert told(driver, kernel(loads_then_stores(190, wide=True), directives)) == most


@pytest.mark.parametrize("count", [1, 40, 100, 200])
def test_occupancy_and_launches_go_by_them(driver: SimDriver, count: int) -> None:
    driver.start("T4")
    text = kernel(loads_then_stores(count))
    function = driver.function(driver.load(text.encode()), "k")
    need = registers(count)
    blocks = c_int()
    for threads in (32, 100, 256, 1024):
        whole = -(-threads // 32) * 32
        driver.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.byref(blocks), function, c_int(threads), c_size_t(0),
        )  # fmt: skip
        assert blocks.value == min(16, 1024 // whole, 65536 // (-(-need // 8) * 8 * whole))
        status = OUT_OF_RESOURCES if blocks.value == 0 else 0
        memory = driver.allocate(2048)
        driver.launch(function, 1, threads, memory, status=status)
        driver.call("cuCtxSynchronize")


@pytest.mark.parametrize(("directives", "bound"), [("", 1024), (".maxntid 96", 96)])
@pytest.mark.parametrize("count", [1, 100, 200])
def test_the_largest_block_is_told_and_one_warp_more_is_refused(
    driver: SimDriver, count: int, directives: str, bound: int
) -> None:
    """Beyond the kernel's own bound a launch is invalid; within it registers may not be enough."""
    driver.start("T4")
    text = kernel(loads_then_stores(count), directives)
    function, most = driver.function(driver.load(text.encode()), "k"), c_int()
    driver.call("cuFuncGetAttribute", ctypes.byref(most), MAX_THREADS, function)
    assert most.value == min(bound, 65536 // (-(-registers(count) // 8) * 8 * 32) * 32)
    memory = driver.allocate(4096)
    driver.launch(function, 1, most.value, memory)
    beyond = INVALID if most.value + 32 > bound else OUT_OF_RESOURCES
    driver.launch(function, 1, most.value + 32, memory, status=beyond)
    driver.call("cuCtxSynchronize")


@pytest.mark.parametrize("threads", [1025, 2**20, 2**31 - 1])
def test_blocks_beyond_any_card_have_no_occupancy(driver: SimDriver, threads: int) -> None:
    driver.start("T4")
    function, blocks = driver.function(driver.load(kernel("").encode()), "k"), c_int(7)
    driver.call(
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        ctypes.byref(blocks), function, c_int(threads), c_size_t(0),
    )  # fmt: skip
    assert blocks.value == 0


# ---- flow drawn at random, followed a second time


class Drawn:
    """A kernel of blocks with jumps between them, and what is alive in it."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.lines: list[str] = []
        self.guarded: set[int] = set()
        self.steps: list[tuple[set[str], set[str], list[int]]] = []  # reads, surely writes, next
        blocks = draw.randint(1, 8)
        names = [f"%r{i}" for i in range(draw.randint(2, 120))]
        names += [f"%rd{i}" for i in range(1, draw.randint(2, 60))]
        starts, jumps = [], []
        for block in range(blocks):
            self.lines.append(f"L{block}:\n")
            starts.append(len(self.steps))
            for _ in range(draw.randint(1, 90)):
                self.add(draw, names)
            kind = draw.choice(["on", "maybe", "maybe", "jump", "end"])
            if kind == "on":
                continue
            target = draw.randrange(blocks)
            jumps.append((len(self.steps), target))
            guard = "@%p1 " if kind == "maybe" else ""
            self.lines.append("ret;\n" if kind == "end" else f"{guard}bra L{target};\n")
            after = [len(self.steps) + 1] if kind == "maybe" else []
            self.steps.append((set(), set(), after if kind == "end" else [*after, -1]))
        for step, target in jumps:
            after = self.steps[step][2]
            after[:] = [starts[target] if at < 0 else at for at in after]

    def add(self, draw: random.Random, names: list[str]) -> None:
        wide = draw.random() < 0.4
        same = [name for name in names if name.startswith("%rd") == wide] or ["%r0"]
        to, one, other = (draw.choice(same) for _ in range(3))
        kind = "u64" if to.startswith("%rd") else "u32"
        guarded = draw.random() < 0.1
        guard = "@!%p2 " if guarded else ""
        form = draw.choice(["add", "add", "store", "load"])
        if form == "add":
            self.lines.append(f"{guard}add.{kind} {to}, {one}, {other};\n")
            reads, writes = {one, other}, {to}
        elif form == "store":
            self.lines.append(f"{guard}st.global.{kind} [%rd0], {one};\n")
            reads, writes = {one}, set()
        else:
            self.lines.append(f"{guard}ld.global.{kind} {to}, [%rd0];\n")
            reads, writes = set(), {to}
        if guarded:
            self.guarded.add(len(self.steps))
        self.steps.append((reads, writes, [len(self.steps) + 1]))

    def words(self) -> int:
        count = len(self.steps)
        alive: list[set[str]] = [set() for _ in range(count + 2)]
        changed = True
        while changed:
            changed = False
            for at in reversed(range(count)):
                reads, writes, after = self.steps[at]
                out = set().union(*(alive[to] for to in after)) if after else set()
                kept = out if at in self.guarded else out - writes
                now = kept | reads
                if now != alive[at]:
                    alive[at], changed = now, True
        # What is written and never read has its register for a moment all the same.
        points = [set(one) for one in alive]
        for at, (_, writes, _) in enumerate(self.steps):
            points[at + 1] |= {name for name in writes if name not in alive[at + 1]}
        return max(sum(1 + name.startswith("%rd") for name in one - {"%rd0"}) for one in points)


@pytest.mark.parametrize("seed", range(40))
def test_drawn_flow_agrees_with_a_second_evaluation(driver: SimDriver, seed: int) -> None:
    driver.start("T4")
    drawn = Drawn(seed)
    assert told(driver, kernel("".join(drawn.lines))) == registers(drawn.words())
