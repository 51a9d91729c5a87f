"""Every type at every instruction: refused, or its result stays inside of its register."""

from __future__ import annotations

import ctypes
from ctypes import c_void_p

import numpy as np
import pytest

from support.ptx_runner import HEAD
from support.sim_driver import SUCCESS, SimDriver

TYPES = (  # noqa: SIM905
    "b8 u8 s8 b16 u16 s16 f16 bf16 b32 u32 s32 f32 f16x2 bf16x2 tf32 u16x2 s16x2 e4m3x2 e5m2x2 "
    "b64 u64 s64 f64 pred"
).split()
WIDTHS = ("pred", "b16", "b32", "b64")
FORMS = """
and.{t} %d, %s0, %s1 | not.{t} %d, %s0 | cnot.{t} %d, %s0 | shl.{t} %d, %s0, %r0
shr.{t} %d, %s0, %r0 | popc.{t} %d, %s0 | clz.{t} %d, %s0 | brev.{t} %d, %s0
bfind.{t} %d, %s0 | bfe.{t} %d, %s0, %r0, %r1 | bfi.{t} %d, %s0, %s1, %r0, %r1
bmsk.clamp.{t} %d, %r0, %r1 | szext.wrap.{t} %d, %s0, %r0 | fns.{t} %d, %r0, %r1, %r2
lop3.{t} %d, %s0, %s1, %s2, 3 | prmt.{t} %d, %s0, %s1, %r0 | shf.l.wrap.{t} %d, %s0, %s1, %r0
add.{t} %d, %s0, %s1 | add.cc.{t} %d, %s0, %s1 | mul.wide.{t} %d, %s0, %s1 | abs.{t} %d, %s0
mad.lo.{t} %d, %s0, %s1, %s2 | min.{t} %d, %s0, %s1 | div.{t} %d, %s0, %s1 | rem.{t} %d, %s0, %s1
fma.rn.{t} %d, %s0, %s1, %s2 | ex2.approx.{t} %d, %s0 | rcp.rn.{t} %d, %s0
copysign.{t} %d, %s0, %s1 | testp.finite.{t} %d, %s0 | dp4a.u32.{t} %d, %r0, %s0, %r1
vadd4.u32.u32.{t} %d, %r0, %s0, %r1 | cvt.{t}.u32 %d, %r0 | cvt.u32.{t} %d, %s0
cvt.rn.{t}.f32 %d, %r0 | cvt.rn.satfinite.{t}.f32 %d, %r0, %r1 | cvt.rn.f16x2.{t} %d, %s0
cvt.pack.sat.{t}.s32.b32 %d, %r0, %r1, %r2 | cvt.pack.sat.{t}.s32 %d, %r0, %r1 | mov.{t} %d, %s0
mapa.shared::cluster.{t} %d, %s0, %r0 | getctarank.shared::cluster.{t} %d, %s0
createpolicy.fractional.L2::evict_last.{t} %d, 1.0 | cvta.shared.{t} %d, %s0
selp.{t} %d, %s0, %s1, %q | slct.{t}.s32 %d, %s0, %s1, %r0 | slct.u32.{t} %d, %r0, %r1, %s0
set.lt.{t}.f16x2 %d, %r0, %r1 | set.lt.u32.{t} %d, %s0, %s1 | set.lt.{t}.u32 %d, %r0, %r1
setp.lt.{t} %d, %s0, %s1 | bar.red.popc.{t} %d, 0, %q | activemask.{t} %d
shfl.sync.idx.{t} %d, %s0, 0, 31, -1 | vote.sync.any.{t} %d, %q, -1 | redux.sync.add.{t} %d, %s0, -1
match.any.sync.{t} %d, %s0, -1 | match.all.sync.{t} %d, %s0, -1
mbarrier.pending_count.{t} %d, %s0 | ld.param.{t} %d, [p]
ld.global.{t} %d, [%l0] | atom.global.exch.{t} %d, [%l0], %s0 | atom.global.add.{t} %d, [%l0], %s0
"""


def register_type(kind: str) -> str:
    """Of a register that holds values of the type."""
    bits = 32 if kind.endswith("f16x2") or kind in {"u16x2", "s16x2"} else 16
    digits = kind.lstrip("bfsut")
    return (
        "pred" if kind == "pred" else f"b{max(16, int(digits))}" if digits.isdigit() else f"b{bits}"
    )


def text(form: str, kind: str, width: str) -> str:
    """The register behind the result's holds a number that the instruction must leave as it is."""
    first = "setp.ne.u32 %d, %r0, %r0;" if width == "pred" else f"mov.{width} %d, 0;"
    return (
        f"{HEAD}.visible .entry k(.param .u64 p)\n{{\n.reg .pred %q; .reg .{width} %d; "
        f".reg .{register_type(kind)} %s<3>; .reg .b32 %r<4>; .reg .b64 %l<2>; .reg .b32 %guard;\n"
        f"ld.param.u64 %l0, [p];\n{first}\nmov.b32 %guard, 0x5a5a5a5a;\n{form.format(t=kind)};\n"
        "setp.ne.u32 %q, %guard, 0x5a5a5a5a;\n@%q st.global.u32 [%l0+64], 1;\nret;\n}\n"
    )


@pytest.mark.parametrize(
    "form", [form.strip() for form in FORMS.replace("\n", "|").split("|") if form]
)
def test_no_type_makes_an_instruction_leave_its_register(driver: SimDriver, form: str) -> None:
    driver.start("B200")
    out = driver.upload(np.zeros(32, "u4"))
    runs = []
    for kind in TYPES:
        for width in WIDTHS:
            module = c_void_p()
            image = text(form, kind, width).encode() + b"\0"
            if driver.library.cuModuleLoadData(ctypes.byref(module), image) != SUCCESS:
                continue
            runs.append(f"{form.format(t=kind)}, of .{width}")
            driver.launch(driver.function(module, "k"), 1, 32, out)
            driver.call("cuCtxSynchronize")
            driver.call("cuModuleUnload", module)
            assert driver.download(out, 32, "u4")[16] == 0, runs[-1]
    assert runs, driver.message()
