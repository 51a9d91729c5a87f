"""What the kernels of large products consist of: their PTX's instructions, by classes.

A part of docs/kernel-counts.md, which tools/make_counts.py writes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# Kernels, and the file and architectures in which each has a body.
KERNELS = {
    "gk_matmul_mma_large_f16": ("matmul_mma", (75, 80)),
    "gk_matmul_mma_large_bf16": ("matmul_mma", (80,)),
    "gk_matmul_mma_f16": ("matmul_mma", (75, 80)),
    "gk_matmul_large_f32": ("matmul_wide", (75, 80)),
    "gk_matmul_large_f64": ("matmul_wide", (80,)),
    "gk_matmul_thin_f32": ("matmul_thin", (75,)),
    "gk_matmul_thin_f64": ("matmul_thin", (75,)),
}
FAMILIES = sorted({family for family, _ in KERNELS.values()})
# The first that fits counts. `/16`: one thread moves 16 bytes.
WIDE = r"(v4\.\w32|v2\.\w64)"
CLASSES = {
    "mma": r"mma\.sync",
    "ldmatrix": r"ldmatrix",
    "cp.async/16": r"cp\.async\.cg\.",
    "cp.async": r"cp\.async\.ca\.",
    "fma": r"fma\.",
    "ld.global/16": rf"ld\.global\.(nc\.)?{WIDE}",
    "ld.global": r"ld\.global",
    "st.global/16": rf"st\.global\.{WIDE}",
    "st.global": r"st\.global",
    "ld.shared/16": rf"ld\.shared\.{WIDE}",
    "ld.shared": r"ld\.shared",
    "st.shared/16": rf"st\.shared\.{WIDE}",
    "st.shared": r"st\.shared",
    "bar.sync": r"bar\.sync",
    "local": r"(ld|st)\.local",
}
ENTRY = re.compile(r"\.entry (\w+)\(.*?\n\{(.*?)\n\}", re.DOTALL)
INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?([a-z][\w.:]+)", re.MULTILINE)
SECTION = """## Instructions of the products

How many instructions of a class stand in the PTX of a kernel, which has several copies of its inner
loop: for layouts, edges and the last elements. `/16` moves 16 bytes by one thread. Operands reach
shared memory by `cp.async` from compute capability 8.0 on; before, by `ld.global` and `st.shared`.
Single elements are for edges and for lines that do not begin at 16 bytes.

"""


def classes(text: str) -> dict[str, Counter[str]]:
    """The instructions of each kernel of a PTX text, by class; "all" has those of none, too."""
    found = {}
    for kernel, body in ENTRY.findall(text):
        counts: Counter[str] = Counter()
        for instruction in INSTRUCTION.findall(body):
            counts["all"] += 1
            fits = (name for name, form in CLASSES.items() if re.match(form, instruction))
            counts[next(fits, "others")] += 1
        found[kernel] = counts
    return found


def instruction_rows(texts: Path, arch: int) -> Iterator[str]:
    """The rows of one architecture, of a folder with its PTX."""
    found = {
        kernel: counts
        for family in FAMILIES
        for kernel, counts in classes((texts / f"{family}.ptx").read_text("utf-8")).items()
    }
    for kernel, (_, archs) in KERNELS.items():
        if arch in archs:
            cells = (str(found[kernel][name]) for name in ("all", *CLASSES))
            name = kernel.removeprefix("gk_")
            yield f"| `{name}` | sm_{arch} | {' | '.join(cells)} |"


def instruction_section(texts: dict[int, Path]) -> str:
    """The section of the page, of folders by architecture."""
    names = ("kernel", "PTX of", "all", *CLASSES)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    for arch, folder in texts.items():
        lines += instruction_rows(folder, arch)
    return SECTION + "\n".join(lines) + "\n"
