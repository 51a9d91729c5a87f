"""What the lanes of a warp do together, held to a second evaluation lane by lane."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from support.ptx_runner import HEAD
from support.sim_driver import SimDriver

ALL = 0xFFFFFFFF
Values = list[int]


def shuffled(way: str) -> Callable[[Values, Values, Values], Values]:
    """shfl as NVIDIA's page describes it; the predicate in bit 32."""

    def apply(x: Values, step: Values, clamp: Values) -> Values:
        results = []
        for lane in range(32):
            b, c, mask = step[lane] & 31, clamp[lane] & 31, clamp[lane] >> 8 & 31
            high, low = lane & mask | c & ~mask, lane & mask
            at = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": low | b & ~mask}[way]
            good = at >= high if way == "up" else at <= high
            results.append(x[at if good else lane] | good << 32)
        return results

    return apply


def voted(one: Callable[[list[bool]], int]) -> Callable[[Values, Values, Values], Values]:
    """Of `x < y`, among all lanes."""
    return lambda x, y, _: [one([a < b for a, b in zip(x, y, strict=True)])] * 32


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def matched(x: Values, _: Values, __: Values) -> Values:
    return [sum((b % 4 == a % 4) << i for i, b in enumerate(x)) for a in x]


SHUFFLE = "shfl.sync.{0}.b32 %r3|p, %r0, %r1, %r2, -1; selp.u32 %r4, 1, 0, p;"
VOTE = "setp.lt.u32 p, %r0, %r1; vote.sync.{0}.pred p, p, -1; selp.u32 %r3, 1, 0, p;"
REDUX = "redux.sync.{0} %r3, %r0, -1;"
CASES: dict[str, tuple[str, Callable[[Values, Values, Values], Values]]] = {
    **{
        f"shfl {way}": (SHUFFLE.format(way), shuffled(way)) for way in ("up", "down", "bfly", "idx")
    },
    "vote all": (VOTE.format("all"), voted(lambda votes: int(all(votes)))),
    "vote any": (VOTE.format("any"), voted(lambda votes: int(any(votes)))),
    "vote uni": (VOTE.format("uni"), voted(lambda votes: int(len(set(votes)) == 1))),
    "ballot": (
        "setp.lt.u32 p, %r0, %r1; vote.sync.ballot.b32 %r3, p, -1;",
        voted(lambda votes: sum(vote << i for i, vote in enumerate(votes))),
    ),
    "match any": ("and.b32 %r5, %r0, 3; match.any.sync.b32 %r3, %r5, -1;", matched),
    "match all": (
        "and.b32 %r5, %r0, 0; match.all.sync.b32 %r3|p, %r5, -1; selp.u32 %r4, 1, 0, p;",
        lambda *_: [ALL | 1 << 32] * 32,
    ),
    "match all, and none does": (
        "match.all.sync.b32 %r3|p, %r8, -1; selp.u32 %r4, 1, 0, p;",
        lambda *_: [0] * 32,
    ),
    "redux add": (REDUX.format("add.u32"), lambda x, *_: [sum(x) & ALL] * 32),
    "redux min.s32": (REDUX.format("min.s32"), lambda x, *_: [min(map(signed, x)) & ALL] * 32),
    "redux max.u32": (REDUX.format("max.u32"), lambda x, *_: [max(x)] * 32),
    "redux xor": (REDUX.format("xor.b32"), lambda x, *_: [int(np.bitwise_xor.reduce(x))] * 32),
    "elect": (
        "elect.sync %r3|p, -1; selp.u32 %r4, 1, 0, p;",
        lambda *_: [1 << 32] + [0] * 31,
    ),
    # The odd lanes are gone, so the others meet among themselves.
    "half of the lanes": (
        "setp.lt.u32 p, %r0, %r1; vote.sync.ballot.b32 %r3, p, 0x55555555; activemask.b32 %r4; "
        "setp.eq.u32 p, %r4, 0x55555555; selp.u32 %r4, 1, 0, p;",
        lambda x, y, _: [
            sum((x[i] < y[i]) << i for i in range(0, 32, 2)) | 1 << 32 if lane % 2 == 0 else 0
            for lane in range(32)
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_lanes_of_a_warp_together(driver: SimDriver, case: str) -> None:
    code, reference = CASES[case]
    driver.start("H100")
    leave = "and.b32 %r6, %r8, 1; setp.ne.u32 p, %r6, 0; @p ret;" if case.startswith("half") else ""
    text = (
        HEAD.replace("100", "90")
        + ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred p; .reg .b32 %r<9>; "
        ".reg .b64 %l<4>;\nmov.u32 %r8, %tid.x; mul.wide.u32 %l0, %r8, 12; ld.param.u64 %l1, [p0]; "
        "add.u64 %l0, %l0, %l1; mul.wide.u32 %l2, %r8, 8; ld.param.u64 %l1, [p1]; "
        "add.u64 %l2, %l2, %l1;\nld.global.b32 %r0, [%l0]; ld.global.b32 %r1, [%l0+4]; "
        f"ld.global.b32 %r2, [%l0+8]; mov.u32 %r4, 0;\n{leave}{code}\n"
        "st.global.v2.b32 [%l2], {%r3, %r4};\nret;\n}\n"
    )
    function = driver.function(driver.load(text.encode()), "k")
    random = np.random.default_rng(len(case))
    for _ in range(20):
        x = random.integers(0, 1 << 32, (32, 3), dtype="u4")
        x[::5, 1] = ALL
        x[:, 2] = random.choice([0, 31, 0x1F1F, 0x1C03, 0x1800, 0x181F, 0x1007], 1)
        out = driver.upload(np.zeros(32, "u8"))
        driver.launch(function, 1, 32, driver.upload(x), out)
        driver.call("cuCtxSynchronize")
        columns = [[int(value) for value in x[:, i]] for i in range(3)]
        assert driver.download(out, 32, "u8").tolist() == reference(*columns)
