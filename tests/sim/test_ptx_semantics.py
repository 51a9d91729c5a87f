"""Each form of the table by the executor, and by Python's integers and exact fractions.

`python tools/make_fidelity.py --sequences 100000` follows as many random sequences.
"""

from __future__ import annotations

import pytest

from support import ptx_sequences
from support.mode import PROJECT
from support.ptx_forms import FAMILIES
from support.ptx_runner import differences
from support.sim_driver import SimDriver
from support.tools import load_tool


@pytest.mark.parametrize("family", FAMILIES)
def test_instructions_do_what_their_second_meaning_says(driver: SimDriver, family: str) -> None:
    driver.start("B200")
    assert differences(driver, FAMILIES[family]()) == {}


def test_random_sequences_end_as_their_second_evaluation(driver: SimDriver) -> None:
    driver.start("B200")
    assert ptx_sequences.differences(driver, seed=1, count=200) == []


def test_the_page_of_fidelity_is_current(driver: SimDriver) -> None:
    driver.start("B200")
    page = (PROJECT / "docs" / "fidelity.md").read_text(encoding="utf-8")
    assert page == load_tool("make_fidelity").page(driver), "run tools/make_fidelity.py"
