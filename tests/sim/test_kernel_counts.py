"""docs/kernel-counts.md: what is stated there holds, is complete, and is not stale."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.mode import PROJECT
from support.tools import load_tool

make_ptx = load_tool("make_ptx")
product_instructions = load_tool("product_instructions")
PAGE = PROJECT / "docs" / "kernel-counts.md"
TOOL = str(PROJECT / "tools" / "make_counts.py")
SAMPLE = ("clone float32", "transpose float16")
# Kernels whose speed nobody waits for, and those that are variants of a row's.
NOT_HOT = """
sub mul div maximum minimum neg sigmoid tanh sqrt unary binary chain complex_product
complex_function
clamp triangle fill ramp words copy reduce_finish cumulative_carry linear_index
sort_merge loss_total fft
"""
# The best is 100 % of sectors, no conflict and no local memory. What falls short, by row or by
# operation; the page says why.
SECTORS = {"sort", "index_add_", "product, tiles of 64 x 64 int32", "linear and relu"}
CONFLICTS = {"sort", "index_add_"}
LOCAL = {"add float64": 56, "where": 40, "cumsum float32": 8, "cumsum float16": 8}
READS = {
    "cumsum uint8": 9.0,
    "where": 1.17,
    "sort": 1.38,
    "1 row times a matrix": 1.04,
    "16 rows times a matrix": 1.33,
    "linear and relu": 1.5,
}
WRITES = {"cumsum uint8": 2.0, "where": 1.5, "sort": 1.08}
WRITES |= {"1 row times a matrix": 9.0, "16 rows times a matrix": 9.0}  # the sums of eight parts


def rows() -> dict[str, list[str]]:
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and not cells[0].startswith(("-", "operation")):
            found[cells[0]] = cells[1:]
    return found


def test_every_kernel_is_in_the_table_or_is_not_hot() -> None:
    text = (PROJECT / "csrc" / "kernels" / "kernel_list.h").read_text(encoding="utf-8")
    prefixes = set(re.findall(r"X\(k\w+, \w+, (\w+), k\w+, \w+\)", text))
    counted = {
        name
        for cells in rows().values()
        for kernel in re.findall(r"`(\w+)`", cells[0])
        for name in (kernel, kernel.rpartition("_")[0])
    }
    missing = prefixes - counted - set(NOT_HOT.split())
    assert not missing, f"add rows to tools/count_rows.py, or to NOT_HOT: {sorted(missing)}"


@pytest.mark.parametrize("name", rows())
def test_rows_are_at_their_ideal(name: str) -> None:
    _, _, read, written, sectors, conflicts, _, local, _ = rows()[name]
    operation = name.rpartition(" ")[0]
    assert int(local) <= LOCAL.get(name, LOCAL.get(operation, 0))
    assert sectors == "100 %" or {name, operation} & SECTORS
    assert conflicts == "0" or operation in CONFLICTS
    for cell, stated in ((read, READS), (written, WRITES)):
        if cell != "-" and not cell.endswith("bytes"):
            assert float(cell) <= stated.get(name, stated.get(operation, 1.03))


def test_what_was_measured_is_below_the_bound() -> None:
    text = PAGE.read_text(encoding="utf-8")
    bounds = {
        card: int(share)
        for card, share in re.findall(r"^\| (T4|A100|H100) \|.* (\d+) % \|$", text, re.MULTILINE)
    }
    assert bounds["A100"] >= 60 and bounds["H100"] >= 40 and bounds["T4"] >= 60
    shares = {
        dtype: int(share)
        for dtype, share in re.findall(
            r"^\| H200 \| (\w+) 4096 x 4096 \| [\d.]+ \| [\d.]+ \| (\d+) % \|", text, re.MULTILINE
        )
    }
    assert 0 < shares["float16"] <= bounds["H100"]  # the same multiprocessors
    assert shares.keys() == {"float16", "float32", "float64"}


def instruction_cells() -> dict[tuple[str, str], dict[str, int]]:
    """The page's instructions by kernel and architecture."""
    section = PAGE.read_text(encoding="utf-8").split("## Instructions of the products")[1]
    lines = [line.strip("| ").split(" | ") for line in re.findall(r"^\| .*", section, re.MULTILINE)]
    names = lines[0][2:]
    return {
        (cells[0].strip("`"), cells[1]): dict(zip(names, map(int, cells[2:]), strict=True))
        for cells in lines
        if cells[1].startswith("sm_")
    }


def test_products_move_16_bytes_and_use_tensor_cores() -> None:
    found = instruction_cells()
    assert len(found) == sum(len(archs) for _, archs in product_instructions.KERNELS.values())
    for (kernel, arch), counts in found.items():
        asynchronous = arch == "sm_80"
        assert (counts["mma"] > 0) == (counts["ldmatrix"] > 0) == ("mma" in kernel)
        assert (counts["cp.async/16"] > 0) == asynchronous, kernel
        assert (counts["ld.global/16"] > 0) == (not asynchronous), kernel
        assert counts["ld.shared/16"] > 0, kernel
        assert counts["st.global/16"] > 0 or "thin" in kernel
        assert counts["local"] == 0, kernel
        # Most of a kernel that has no tensor cores multiplies and adds.
        assert "large_f" not in kernel or "mma" in kernel or counts["fma"] > 500


def test_instructions_are_counted_again(tmp_path: Path) -> None:
    make_ptx.make(75, tmp_path, product_instructions.FAMILIES)
    made = list(product_instructions.instruction_rows(tmp_path, 75))
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert len(made) == 5
    assert [line for line in made if line not in page] == [], "run tools/make_counts.py"


def test_a_sample_is_counted_again() -> None:
    command = [sys.executable, TOOL, "--print", ",".join(SAMPLE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()[2:]
    assert len(lines) == len(SAMPLE)
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line not in page] == [], "run tools/make_counts.py"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_of_it_is_counted_again() -> None:
    command = [sys.executable, TOOL, "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
