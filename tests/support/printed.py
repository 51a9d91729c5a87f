"""What programs print: the same words and columns, numbers but for their last digits.

The last digits of a float depend on the order of a sum, and so on the processor.
"""

from __future__ import annotations

import re

import pytest

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


def assert_prints_alike(got: str, want: str, rel: float, abs: float, told: str = "") -> None:
    """Compare two printed texts; `told` is shown where they differ."""
    assert NUMBER.sub("#", got) == NUMBER.sub("#", want), told
    numbers = [[float(text) for text in NUMBER.findall(shown)] for shown in (got, want)]
    assert numbers[0] == pytest.approx(numbers[1], rel=rel, abs=abs), told
