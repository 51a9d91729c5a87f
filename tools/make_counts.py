"""docs/kernel-counts.md: what gpukit's kernels move, each beside the least that it has to move.

    python tools/make_counts.py                          # writes the page; some two minutes
    python tools/make_counts.py --check                  # 1 if the page is not what it would write
    python tools/make_counts.py --print "add float32"    # these rows only, to the terminal

The kernels run as NVRTC makes PTX of them, on a simulated card that counts. Registers, spills and
occupancy are those of the cubins.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ |= {"GPUKIT_CUBLAS": "none", "GPUKIT_SIMULATE": ""}
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

from compile_kernels import Nvrtc, compile_images, wheel_path  # noqa: E402
from count_rows import ROWS, Row  # noqa: E402
from make_ptx import make  # noqa: E402
from product_instructions import FAMILIES, instruction_section  # noqa: E402

from support.sim_driver import SimDriver, installed_folder  # noqa: E402

PAGE = ROOT / "docs" / "kernel-counts.md"
CARDS = {"T4": 75, "A100": 80, "H100": 90}
GROUP = re.compile(r"X\(k\w+, (\w+), (\w+), k\w+, \w+\)")
SHARED_BYTES, LOCAL_BYTES, REGISTERS = 1, 3, 4  # of cuFuncGetAttribute

# ---- the model of a large product of half types; see MODEL_TEXT
SIDE, DEPTH, SIZE, MMA_THREADS = 128, 32, 4096, 128
# Multiprocessors, and what one does in a clock: flops on tensor cores by mma.sync, bytes from the
# second-level cache. The peak's flops are 1024, 2048 and 4096.
MODEL_CARDS = {"T4": (40, 1024, 1024), "A100": (108, 2048, 2048), "H100": (132, 4096, 2580)}
SHARED_RATE, CACHE_RATE, ISSUES = 128, 64, 4
HEADER = """# Counts of the kernels

Made by `tools/make_counts.py`; do not edit. The table needed no GPU: the kernels run as PTX on a
[simulated card](simulator.md) that counts their accesses exactly, and registers, spills and
occupancy are read from the cubins. None of it is a time; what was measured stands at the end.

* **read**, **written**: bytes that warps ask for, divided by the least that the operation has to
  move: each operand once, and each result once. Of a product it is what tiles of its size have to
  read. Below 1.00: operands in which elements repeat.
* **sectors**: of 32 bytes, how many of those moved were needed by the request. 100 % is the best.
* **conflicts**: turns of shared memory's banks beyond the fewest, for each request; 0 is the best.
* **launches**: of one call.
* **registers**: of a thread; **local**: bytes of local memory (spills and a function's stack), 0 is
  the best; **occupancy**: resident threads, of the most that a multiprocessor has. For T4, A100 and
  H100; of several kernels the worst.

What falls short of its ideal today: products of integers read parts of sectors; products of few
rows write the sums of their parts, and read the rows again for each tile; a layer's bias is read
for each row of results, from the first-level cache; `cumsum` of small integers converts them
first; the kernels with a switch over all operations (`binary`) have a stack for the rare paths of
`pow` and its like; a sort's items go to places that the data decides, which neither sectors nor
banks can share fully.
"""
MODEL_TEXT = """
## A product of 4096 x 4096 float16 matrices

What share of a card's peak `gk_matmul_mma_large_f16` could reach at most, by counts alone. It is a
bound, and no expectation: it assumes that tensor cores, shared memory and the issue of instructions
work side by side without a gap.

A block of four warps brings {depth} inner elements of its rows and columns in at a time, {side} of
each. A multiprocessor has registers for two such blocks. For a stage of one block the bound takes
the longest of four times, in clocks:

* **tensor**: {flops} flops at the card's rate of `mma.sync`. On an H100 that is 63 % of the peak,
  which only `wgmma` reaches (measured by others: "Benchmarking and Dissecting the Nvidia Hopper GPU
  Architecture", 2024)
* **shared**: {shared} bytes through shared memory, {shared_rate} in a clock
* **cache**: {cache} bytes from the second-level cache, {cache_rate} in a clock
* **issue**: {issues} warp instructions, counted as the difference of two products, {issue_rate}
  in a clock

The bound is the share of the tensor cores' time at the peak's rate, times how full the last wave of
{tiles} blocks is, times {stages} stages of {stages} and three for start and end.

| card | tensor | shared | cache | issue | blocks at a time | full | at most, of the peak |
|---|---|---|---|---|---|---|---|
{lines}

{measured}
"""
MEASURED = """### Measured

In TFLOP/s, the median of ten, of row-major operands; the peak is that of dense products. All sizes
and layouts stand in `benchmarks/results/h200/products.txt`. The kernels of few rows, split
products, copies of unaligned operands and a layer's bias in its product came later: no card has run
them.

{measured}

The first kernel of this file reached 178 to 190 TFLOP/s there, 18 % of the peak, where the model of
that time promised 40 %. It had one block of eight warps on a multiprocessor, each with 64 x 32
results. Before every 32 `mma` a warp issued some 200 instructions to address, compare and copy,
with branches between them, and in that time the tensor cores had no work; the model took them to
run side by side. Now a warp has 64 x 64 results, addresses only move on by an addition, two blocks
fill each other's gaps, and the next operands are loaded from shared memory during an `mma`: 148
instructions of a warp for 64 `mma`."""
# Card, dtype, size, TFLOP/s before, now and of cuBLAS, and the card's dense peak.
MEASUREMENTS = (
    ("H200", "float16", 4096, 190, 433, 749, 989),
    ("H200", "float32", 4096, 25.5, 43.2, 50.6, 67),
    ("H200", "float64", 4096, 10.8, 22.3, 61.8, 67),
)


class Resources(NamedTuple):
    """Of a kernel's machine code on one card."""

    registers: int
    spilled: int
    occupancy: float
    blocks: int


class Cubins:
    """Machine code by card, as far as it was asked for."""

    def __init__(self, driver: SimDriver) -> None:
        self._driver = driver
        self._nvrtc = Nvrtc(wheel_path("cuda_nvrtc", "lib", "libnvrtc.so.12"))
        self._images: dict[tuple[str, int], bytes] = {}
        text = (ROOT / "csrc" / "kernels" / "kernel_list.h").read_text(encoding="utf-8")
        self._families = {prefix: family for family, prefix in GROUP.findall(text)}

    def family_of(self, kernel: str) -> str:
        """The file that a kernel is in."""
        name = kernel.removeprefix("gk_")
        prefix = name if name in self._families else name.rpartition("_")[0]
        return str(self._families[prefix])

    def resources(self, card: str, launches: dict[str, int]) -> dict[str, Resources]:
        """Of kernels, by the threads of their blocks."""
        self._driver.start(card)
        found = {}
        for kernel, threads in launches.items():
            module = self._driver.load(self._image(self.family_of(kernel), CARDS[card]))
            function = self._driver.function(module, kernel)
            found[kernel] = self._of_function(function, threads)
        return found

    def _image(self, family: str, arch: int) -> bytes:
        if (family, arch) not in self._images:
            source = ROOT / "csrc" / "kernels" / f"{family}.cu"
            includes = [ROOT / "csrc", wheel_path("cuda_runtime", "include")]
            (image,) = compile_images(self._nvrtc, source, includes, arch, "CUBIN")
            self._images[family, arch] = image
        return self._images[family, arch]

    def _of_function(self, function: Any, threads: int) -> Resources:
        def attribute(which: int) -> int:
            self._driver.call("cuFuncGetAttribute", ctypes.byref(value), which, function)
            return value.value

        value = ctypes.c_int()
        registers, spilled = attribute(REGISTERS), attribute(LOCAL_BYTES)
        size = ctypes.c_size_t(0)
        name = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        self._driver.call(name, ctypes.byref(value), function, threads, size)
        most = self._driver.attribute(39)  # threads of a multiprocessor
        return Resources(registers, spilled, value.value * threads / most, value.value)


def counted_launches(simulation: Any, call: Callable[[], Any]) -> list[Any]:
    """The counts of each launch of a call."""
    import gpukit

    gpukit.cuda.synchronize()
    before = len(simulation.events())
    call()
    gpukit.cuda.synchronize()
    return [event.counts for event in simulation.events()[before:] if event.counts is not None]


def ratio(moved: int, needed: int) -> str:
    """How often what has to be moved was moved."""
    return f"{moved / needed:.2f}" if needed else "-" if not moved else f"{moved} bytes"


def row_cells(row: Row, launches: list[Any]) -> list[str]:
    """The cells that come of counts."""
    from gpukit._simulation.launch_counts import total

    counts = total(launches)
    assert counts is not None, row.name
    lost = counts.bank_conflicts / counts.shared_requests if counts.shared_requests else 0
    kernels = dict.fromkeys(launch.kernel for launch in launches)
    return [
        row.name,
        " ".join(f"`{kernel.removeprefix('gk_')}`" for kernel in kernels),
        str(len(launches)),
        ratio(counts.global_reads.bytes, row.reads),
        ratio(counts.global_writes.bytes, row.writes),
        f"{100 * counts.sector_efficiency:.0f} %",
        f"{lost:.2f}" if lost else "0",
    ]


def resource_cells(cubins: Cubins, launches: list[Any], cards: list[str]) -> list[str]:
    """Registers, spills and occupancy: the worst of the kernels, card by card."""
    threads = {launch.kernel: launch.threads for launch in launches}
    per_card = [list(cubins.resources(card, threads).values()) for card in cards]
    registers = " ".join(str(max(one.registers for one in found)) for found in per_card)
    spilled = str(max(one.spilled for found in per_card for one in found))
    shares = (f"{100 * min(one.occupancy for one in found):.0f}" for found in per_card)
    return [registers, spilled, " ".join(shares) + " %"]


def measured(cubins: Cubins, folder: Path, wanted: list[Row]) -> Iterator[list[str]]:
    """The cells of each row."""
    from gpukit._simulation import session

    families = sorted({family for row in wanted for family in row.families.split()})
    texts = folder / "rows"
    make(CARDS["T4"], texts, [*families, "copy", "fill"])
    simulation = session.restart(f"1xT4,engine=ptx,ptx={texts},counts=1")
    found = [(row, counted_launches(simulation, row.prepare())) for row in wanted]
    session.stop_active()
    for row, launches in found:
        yield row_cells(row, launches) + resource_cells(cubins, launches, list(CARDS))


def by_hand(cubins: Cubins, folder: Path) -> Iterator[list[str]]:
    """bfloat16 on tensor cores, which a T4 does not have."""
    depth = 64
    launch = large_product(folder, "A100", "bf16", depth)
    row = Row("product on A100 bfloat16", "", 4 * SIDE * depth, 2 * SIDE * SIDE, lambda: print)
    yield row_cells(row, [launch]) + resource_cells(cubins, [launch], ["A100", "H100"])


class MatrixRef(ctypes.Structure):
    """MatrixKernelRef of csrc/kernels/kernel_args.h: strides of rows, columns and matrices."""

    _fields_ = (("data", ctypes.c_void_p), ("strides", ctypes.c_int64 * 3))


class ProductArgs(ctypes.Structure):
    """MatmulKernelArgs of csrc/kernels/kernel_args.h; numbers are a double and an int64 each."""

    _fields_ = (
        ("a", MatrixRef),
        ("b", MatrixRef),
        ("c", ctypes.c_void_p),
        ("bias", ctypes.c_void_p),
        ("c_strides", ctypes.c_int64 * 2),
        ("sizes", ctypes.c_int64 * 4),
        ("column_tiles", ctypes.c_int64),
        ("split_depth", ctypes.c_int64),
        ("alpha", ctypes.c_double),
        ("alpha_integer", ctypes.c_int64),
        ("beta", ctypes.c_double),
        ("beta_integer", ctypes.c_int64),
        ("choices", ctypes.c_int32 * 4),
    )


def large_product(folder: Path, card: str, dtype: str, depth: int) -> Any:
    """The counts of one tile of a large product.

    It is launched by hand: gpukit's own launch needs an image for the card, which a build for one
    architecture does not have.
    """
    import numpy as np

    import gpukit
    from gpukit._simulation import session

    texts = folder / f"product {card}"
    make(CARDS[card], texts, ["matmul_mma"])
    simulation = session.restart(f"1x{card},engine=ptx,ptx={texts},counts=1,driver=580")
    a, b, c = (
        gpukit.tensor(np.zeros(shape, np.float16)).to("cuda:0")
        for shape in ((SIDE, depth), (depth, SIDE), (SIDE, SIDE))
    )
    kernel = gpukit.cuda.RawModule(path=str(texts / "matmul_mma.ptx")).get_function(
        f"gk_matmul_mma_large_{dtype}"
    )
    args = ProductArgs(
        a=MatrixRef(a.data_ptr(), (depth, 1, 0)),
        b=MatrixRef(b.data_ptr(), (SIDE, 1, 0)),
        c=c.data_ptr(),
        c_strides=(SIDE, 0),
        sizes=(1, SIDE, SIDE, depth),
        column_tiles=1,
        alpha=1,
    )
    (launch,) = counted_launches(simulation, lambda: kernel((1,), (MMA_THREADS,), (bytes(args),)))
    session.stop_active()
    return launch


def stage_instructions(folder: Path) -> dict[int, int]:
    """Warp instructions of a block for one stage, by architecture."""
    found = {}
    for card in ("T4", "A100"):
        few, more = (large_product(folder, card, "f16", stages * DEPTH) for stages in (3, 4))
        found[CARDS[card]] = more.warp_instructions - few.warp_instructions
    return found


def model(cubins: Cubins, folder: Path) -> str:
    """The section about the large product."""
    flops, piece = 2 * SIDE * SIDE * DEPTH, 2 * SIDE * DEPTH * 2
    # Each of the four warps loads 64 rows and 64 columns; the pieces are written once before.
    shared = 4 * (64 + 64) * DEPTH * 2 + piece
    instructions = stage_instructions(folder)
    tiles, stages = (SIZE // SIDE) ** 2, SIZE // DEPTH
    lines = []
    for card, (processors, peak, rate) in MODEL_CARDS.items():
        issues = instructions[min(CARDS[card], 80)]
        (found,) = cubins.resources(card, {"gk_matmul_mma_large_f16": MMA_THREADS}).values()
        times = (flops / rate, shared / SHARED_RATE, piece / CACHE_RATE, issues / ISSUES)
        at_once = processors * found.blocks
        full = tiles / (-(-tiles // at_once) * at_once)
        share = flops / peak / max(times) * full * stages / (stages + 3)
        clocks = " | ".join(f"{time:.0f}" for time in times)
        lines.append(
            f"| {card} | {clocks} | {found.blocks} | {100 * full:.0f} % | {100 * share:.0f} % |"
        )
    return MODEL_TEXT.format(
        depth=DEPTH, side=SIDE, flops=flops, shared=shared, shared_rate=SHARED_RATE, cache=piece,
        cache_rate=CACHE_RATE, issues=f"{instructions[75]} (T4) or {instructions[80]}",
        issue_rate=ISSUES, tiles=tiles, stages=stages, lines="\n".join(lines),
        measured=MEASURED.format(measured=measurements()),
    )  # fmt: skip


def instructions(folder: Path) -> str:
    """The section about the instructions of the products."""
    texts = {arch: folder / f"instructions {arch}" for arch in (75, 80)}
    for arch, made in texts.items():
        make(arch, made, FAMILIES)
    return instruction_section(texts)


def measurements() -> str:
    """What was measured, as a table."""
    lines = [
        "| card | product | earlier | now | share of the peak | cuBLAS | share of it |",
        "|---|---|---|---|---|---|---|",
    ]
    for card, dtype, size, before, now, vendor, peak in MEASUREMENTS:
        lines.append(
            f"| {card} | {dtype} {size} x {size} | {before:g} | {now:g} | "
            f"{100 * now / peak:.0f} % | {vendor:g} | {100 * now / vendor:.0f} % |"
        )
    return "\n".join(lines)


def table(rows: Iterator[list[str]]) -> str:
    """Rows as Markdown."""
    names = "operation kernels launches read written sectors conflicts registers local occupancy"
    lines = ["| " + " | ".join(names.split()) + " |", "|" + "---|" * len(names.split())]
    return "\n".join([*lines, *("| " + " | ".join(cells) + " |" for cells in rows)])


def main() -> int:
    """Writes the page, or prints some rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--print", dest="names", help="names of rows, separated by commas")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    names = arguments.names
    rows = [row for row in ROWS if not names or row.name in names.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        for library in installed_folder().glob("*.so"):
            shutil.copy(library, folder)
        cubins = Cubins(SimDriver(Path(folder) / "libgpukit_simcuda.so"))
        if names:
            print(table(measured(cubins, Path(folder), rows)))
            return 0
        every = [*measured(cubins, Path(folder), rows), *by_hand(cubins, Path(folder))]
        text = table(iter(every))
        text = f"{HEADER}\n{text}\n\n{instructions(Path(folder))}{model(cubins, Path(folder))}"
    if arguments.check:
        old = PAGE.read_text(encoding="utf-8").splitlines()
        changed = [line for line in text.splitlines() if line not in old]
        print(*changed, sep="\n")
        return 1 if changed else 0
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
