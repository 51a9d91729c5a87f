"""vadd4, vset2 and their like: every mask, selector, pair of types and second operation."""

from __future__ import annotations

import numpy as np
import pytest

from support import ptx_sequences
from support.ptx_runner import HEAD
from support.ptx_video_forms import drawn_form
from support.sim_driver import SimDriver


def test_drawn_forms_under_guards(driver: SimDriver) -> None:
    driver.start("B200")
    random = np.random.default_rng(20)
    forms = [drawn_form(random) for _ in range(2000)]
    assert ptx_sequences.differences(driver, seed=2, count=200, forms=forms) == []


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("vadd4.u32.u32.u32.sat.add %r0, %r1, %r2, %r3;", "add"),
        ("vset2.u32.u32.eq.sat %r0, %r1, %r2, %r3;", "sat"),
        ("vset4.u32.u32.u32.eq %r0, %r1, %r2, %r3;", "'.u32'"),
        ("vset4.u32.u32.ltu %r0, %r1, %r2, %r3;", "comparison"),
        ("vmax4.u32.u32.u32 %r0.b02, %r1, %r2, %r3;", "mask"),
        ("vmax4.u32.u32.u32 %r0.b11, %r1, %r2, %r3;", "mask"),
        ("vmax4.u32.u32.u32 %r0.b4, %r1, %r2, %r3;", "mask"),
        ("vmin2.u32.u32.u32 %r0.h2, %r1, %r2, %r3;", "mask"),
        ("vmin2.u32.u32.u32 %r0, %r1.h4, %r2, %r3;", "selector"),
        ("vmin2.u32.u32.u32 %r0, %r1.h0, %r2, %r3;", "selector"),
        ("vmin2.u32.u32.u32 %r0, %r1.b10, %r2, %r3;", "r1.b10"),
        ("vavrg4.u32.u32.u32 %r0, %r1, %r2.b76543, %r3;", "selector"),
        ("vavrg4.u16.u32.u32 %r0, %r1, %r2, %r3;", "types"),
        ("vavrg4.u32.u32.u32 %r0, %r1, %r2;", "operands"),
    ],
)
def test_what_the_language_does_not_have_is_refused(driver: SimDriver, code: str, why: str) -> None:
    driver.start("B200")
    text = HEAD + f".visible .entry k() {{ .reg .b32 %r<9>; {code} ret; }}"
    driver.load(text.encode(), status=218)
    assert why in driver.message()
