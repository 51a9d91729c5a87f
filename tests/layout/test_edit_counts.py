"""The headings of the pages for contributors count the edits that are listed below them."""

from __future__ import annotations

import re

import pytest

from support.mode import PROJECT

NUMBERS = "three four five six seven eight nine ten".split()  # noqa: SIM905


def sections(page: str) -> list[tuple[str, str]]:
    """Headings such as "Its kernel: five edits", with the text below each."""
    text = (PROJECT / "docs" / page).read_text()
    return re.findall(r"^## ([^\n]*: \w+ edits)$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["adding-an-operator.md", "adding-a-kernel.md"])
def test_a_heading_counts_its_list(page: str) -> None:
    found = sections(page)
    assert len(found) >= 2
    for heading, text in found:
        listed = re.findall(r"^(\d+)\. (?:and (\d+)\. )?", text, re.MULTILINE)
        numbers = [int(number) for pair in listed for number in pair if number]
        assert numbers == list(range(1, len(numbers) + 1)), heading
        assert heading.split()[-2] == NUMBERS[len(numbers) - 3], heading
