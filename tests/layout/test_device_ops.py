"""Every operation of devices has its loop on the CPU and says what it costs."""

from __future__ import annotations

import re

import pytest

from support.mode import PROJECT

# Done by binary, which says what it costs.
REPORTED_BY_OTHERS = {"flat_binary"}


def operations(header: str, ending: str) -> set[str]:
    """The functions of a class of operations that end so: virtual ones, or overrides."""
    text = (PROJECT / "csrc" / header).read_text()
    return set(re.findall(rf"void (\w+)\(const \w+& args, StreamRef stream\){ending}", text))


OPERATIONS = operations("backend/device_ops.h", "(?: = 0)?;")


@pytest.mark.parametrize(
    ("header", "by_others"),
    [("backend/reporting_ops.h", REPORTED_BY_OTHERS), ("cpu/cpu_ops.h", set())],
)
def test_an_operation_of_devices_is_there(header: str, by_others: set[str]) -> None:
    assert len(OPERATIONS) > 20
    assert operations(header, r" override(?:;| \{)") == OPERATIONS - by_others


def composed() -> set[str]:
    """The operations that the base class does by simpler ones."""
    files = (PROJECT / "csrc" / "backend").glob("composed_*.cpp")
    return {
        name for file in files for name in re.findall(r"void DeviceOps::(\w+)\(", file.read_text())
    }


# Composed for some operators only; the page names those.
IN_PART = {"unary", "binary", "reduce"}


def test_the_page_lists_every_composition() -> None:
    text = (PROJECT / "docs" / "adding-a-backend.md").read_text()
    listed = text.split("* done by simpler operators")[1].split("(`backend/composed_*.cpp`)")[0]
    lacking = {
        name for name in composed() - IN_PART if f"`{name.removesuffix('_backward')}`" not in listed
    }
    assert lacking == set()


# What the demo device's test calls for an operation of another name.
CALLED = {"triangle": "tril", "optimizer_step": "optim.Adam"}


def test_the_demo_device_runs_compositions_that_no_other_device_uses() -> None:
    overridden = [
        operations(header, r" override(?:;| \{)") for header in ("cpu/cpu_ops.h", "cuda/cuda_ops.h")
    ]
    alone = (composed() & set.intersection(*overridden)) - IN_PART
    assert "softmax" in alone
    text = (PROJECT / "tests" / "cpp" / "test_demo_device.py").read_text()
    names = {name.removesuffix("_backward") for name in alone}
    assert {name for name in names if CALLED.get(name, name) not in text} == set()
