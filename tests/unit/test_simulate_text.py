"""Text that simulate() and sizes refuse: other settings, NUL, lone surrogates."""

from __future__ import annotations

import pytest

import gpukit
from gpukit._arguments import bytes_of
from gpukit._simulation.arguments import text_of

GIVEN = {
    "memory": None, "link_gbps": None, "launch_us": None, "realtime": False, "fault": None,
    "seed": 0, "engine": "host", "check": None, "counts": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fault", "oom@3,mem=1G"),
        ("fault", "oom@3\0"),
        ("fault", "\ud800"),
        ("check", "race\0"),
        ("check", "\ud800"),
        ("engine", []),
    ],
)
def test_an_argument_is_one_setting(name, value):
    with pytest.raises(ValueError, match=f"simulate: {name} must be"):
        text_of(1, "T4", **{**GIVEN, name: value})


@pytest.mark.parametrize("card", ["T4\0x", "\ud800"])
def test_a_card_is_one_name(card):
    with pytest.raises(ValueError, match="simulate: card must be"):
        text_of(1, card, **GIVEN)


@pytest.mark.parametrize("text", ["\ud800", "８GB", "٣GB"])
def test_a_size_of_other_letters_is_refused_by_name(text):
    with pytest.raises(gpukit.ArgumentError, match="f: memory must be text such as"):
        bytes_of("f", "memory", text)
