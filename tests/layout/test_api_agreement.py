"""docs/api-agreement.md is kept: its names are there, documented, shown, and take what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import gpukit
from support.mode import PROJECT
from support.tools import load_tool

check_api = load_tool("check_api")


def check(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the tool in a process without simulation."""
    path = os.pathsep.join(entry for entry in sys.path if entry)
    command = [sys.executable, str(PROJECT / "tools" / "check_api.py"), *map(str, arguments)]
    environment = dict(os.environ) | {"PYTHONPATH": path}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=110, check=False
    )


def test_the_agreement_is_kept() -> None:
    done = check("--without-running")  # test_examples.py runs them, and .ci/run lint both
    assert done.returncode == 0, done.stdout + done.stderr


FAULTS = {
    "nothing_like_this": "gpukit.nothing_like_this: it does not exist",
    "ones (M2)": "gpukit.ones: it exists; take the mark (M2) away",
    "try_gpu(i=0, *, loud=True)": "gpukit.try_gpu: it takes no 'loud'",
    "try_gpu(i=1)": "gpukit.try_gpu: i is 0, not 1, when left out",
    "unload_ipython_extension": "gpukit.unload_ipython_extension: it has no example",
    "class Tensor\n  not_a_member": "gpukit.Tensor.not_a_member: it does not exist",
}
SOUND = "later(a, b=1) (M2)\ntry_gpu(i=0)\n"


def test_each_fault_is_found_and_a_mark_excuses_a_missing_name(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    lines = SOUND + "\n".join(FAULTS)
    page.write_text(f"## Names: `gpukit`\n\n```text\n{lines}\n```\n", encoding="utf-8")
    done = check(page)
    assert done.returncode == 1
    found = done.stdout.splitlines()
    assert found.pop(0) == f"{page}: only 9 names were read"  # the class and its member are two
    for fault in FAULTS.values():
        assert any(line.startswith(fault) for line in found), fault
    assert "later" not in done.stdout


def test_an_example_that_fails_is_found() -> None:
    fault = check_api.example_fault("planted", ">>> 1 + 1\n3\n")
    assert fault is not None
    assert "Got:" in fault
    assert check_api.example_fault("sound", ">>> 1 + 1\n2\n") is None


def test_arguments_that_are_not_described_are_found() -> None:
    document = (
        "Adds.\n\nArgs:\n    a: One.\n        More: this.\n    *c: Three.\n\nReturns:\n    x."
    )
    assert check_api.undescribed(document, ["a", "c"]) == []
    assert check_api.undescribed(document, ["a", "b", "c"]) == ["b"]
    assert check_api.undescribed(document, ["a"]) == ["c"]
    assert check_api.undescribed("Adds.", ["a"]) == ["a"]


@pytest.mark.parametrize(
    ("left_out", "fault"),
    [
        ("Args", "wrong for dim, dtype"),
        ("Returns", "what it returns"),
        ("Raises", "what it raises"),
    ],
)
def test_a_part_that_is_left_out_is_found(left_out: str, fault: str) -> None:
    entry = check_api.Entry("gpukit", "", "cumsum", None, None)
    whole = gpukit.cumsum.__doc__
    assert check_api.documented_facts_fault(entry, gpukit.cumsum, whole) is None
    found = check_api.documented_facts_fault(
        entry, gpukit.cumsum, whole.replace(f"{left_out}:\n", "Elsewhere:\n")
    )
    assert found is not None
    assert fault in found


@pytest.mark.parametrize("error", check_api.OUT_RAISES)
def test_an_error_of_out_that_is_left_out_is_found(error: str) -> None:
    entry = check_api.Entry("gpukit", "", "cumsum", None, None)
    silent = gpukit.cumsum.__doc__.replace(f"    {error}: out ", "    Other: out ")
    fault = check_api.documented_facts_fault(entry, gpukit.cumsum, silent)
    assert fault == f"it does not say that out= raises {error}"
