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
