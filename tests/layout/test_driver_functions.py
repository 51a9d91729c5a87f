"""A driver that lacks a required function is refused: so gpukit calls each that it requires."""

from __future__ import annotations

import re

import pytest

from support.mode import PROJECT

CSRC = PROJECT / "csrc"
TABLE = CSRC / "driver" / "cuda_functions.h"
ROW = re.compile(r'X\((\w+),[\s\\]*"(\w+)",[\s\\]*\w+,[\s\\]*\d+,[\s\\]*(kRequired|kOptional)\)')
# The simulator implements these functions, and the executor names them.
NOT_CALLERS = {"sim", "ptx"}


def rows() -> dict[str, str]:
    """The members of the table of driver functions, and whether each is required."""
    return {member: presence for member, _, presence in ROW.findall(TABLE.read_text("utf-8"))}


def without_words(source: str) -> str:
    """Code without comments and without the contents of strings."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", source, flags=re.DOTALL)


def called(source: str) -> set[str]:
    """The members that code calls: by the macros of driver/call.h, of a table, or found by name."""
    code = without_words(source)
    by_name = re.findall(r"\bsymbol<PFN_(cu[A-Z]\w+?)_v\d+>", code)
    by_macro = re.findall(r"GPUKIT_CU\w*\([^;]*?\b(cu[A-Z]\w+)\b", code)
    return {*by_name, *by_macro, *re.findall(r"(?:\.|->)(cu[A-Z]\w+)\b", code)}


@pytest.fixture(scope="module")
def callers() -> set[str]:
    """All that is called outside the table and the simulator."""
    files = [path for path in CSRC.rglob("*") if path.suffix in {".cpp", ".h"} and path != TABLE]
    own = [path for path in files if path.relative_to(CSRC).parts[0] not in NOT_CALLERS]
    return set().union(*(called(path.read_text("utf-8")) for path in own))


def test_the_table_is_read_whole() -> None:
    assert len(rows()) == TABLE.read_text("utf-8").count("  X(cu")


def test_every_required_function_is_called(callers: set[str]) -> None:
    required = {member for member, presence in rows().items() if presence == "kRequired"}
    assert len(required) > 40
    assert required - callers == set(), "remove the row, or make it kOptional"


def test_every_optional_function_is_called(callers: set[str]) -> None:
    optional = {member for member, presence in rows().items() if presence == "kOptional"}
    assert optional - callers == set(), "remove the row"


def test_words_are_no_calls() -> None:
    source = """
    // table.cuInit(0) is called elsewhere
    fail("GPUKIT_CU(table, cuMemAlloc)"); GPUKIT_CU_ON(name(), table, cuMemFree, pointer);
    int cuEventQuery = 0; table->cuLaunchKernel(f);
    """
    assert called(source) == {"cuMemFree", "cuLaunchKernel"}
