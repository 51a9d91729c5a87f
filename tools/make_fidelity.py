"""docs/fidelity.md: what the PTX executor computes exactly, within how much, and what it refuses.

    python tools/make_fidelity.py                    # writes the page
    python tools/make_fidelity.py --sequences 100000 # random sequences by both evaluations
    python tools/make_fidelity.py --registers        # is the error of the estimate as stated?

The rows come from the table that the tests hold the executor to (tests/support/ptx_forms.py), from
the executor itself, which is asked for every opcode of the language, and from what a card gave
(benchmarks/results/h200, made by `benchmarks/gpu_day.sh --stage instructions --stage
approximations`).
"""

from __future__ import annotations

import argparse
import ctypes
import re
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools")]

from compile_kernels import Nvrtc, compile_images, wheel_path  # noqa: E402
from fidelity_of_card import approximations, held_against  # noqa: E402

from support import ptx_sequences  # noqa: E402
from support.ptx_form import Form  # noqa: E402
from support.ptx_forms import FAMILIES  # noqa: E402
from support.ptx_runner import HEAD, free_message  # noqa: E402
from support.sim_driver import SimDriver, installed_folder  # noqa: E402

PAGE = ROOT / "docs" / "fidelity.md"
# Every opcode of PTX ISA 8.8, by the chapters of NVIDIA's manual.
OPCODES = """
add sub mul mad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi szext
bmsk dp4a dp2a addc subc madc testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh set setp
selp slct and or xor not cnot lop3 shf shl shr mov shfl prmt ld ldu st multimem prefetch
prefetchu applypriority discard createpolicy isspacep cvta cvt mapa getctarank cp tensormap tex
tld4 txq istypep suld sust sured suq bra brx call ret exit bar barrier membar fence atom red
vote match activemask redux griddepcontrol elect mbarrier clusterlaunchcontrol wmma mma ldmatrix
stmatrix movmatrix wgmma tcgen05 stacksave stackrestore alloca vadd vsub vabsdiff vmin vmax vshl
vshr vmad vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4
vmax4 vset4 brkpt nanosleep pmevent trap setmaxnreg
""".split()  # noqa: SIM905
TITLES = {
    "integer": "Whole numbers",
    "bits": "Bits",
    "video": "Bytes and half words of 32 bits",
    "comparison": "Comparisons and choices",
    "float": "f32 and f64",
    "half": "f16 and bf16",
    "approximation": "Approximate functions",
    "conversion": "Conversions",
}
PROGRAMS = "test_ptx_programs.py"
# What has no result of its own to compare: the tests that run it.
OTHERS = {
    "ld ldu st": ("moves, exact; vectors, every space and cache operator", PROGRAMS),
    "mov selp": ("exact", "test_ptx_semantics.py, in most kernels"),
    "cvta isspacep": ("exact; spaces are windows of the address", PROGRAMS),
    "mapa getctarank": (
        "a block is a cluster of its own; another rank is a fault",
        "test_ptx_mbarrier.py",
    ),
    "atom red": (
        "exact, vectors too; one launch runs at a time, so each is whole",
        "test_ptx_programs.py, test_ptx_atomics.py",
    ),
    "cp": (
        "cp.async and cp.async.bulk copy immediately; .tensor, .multicast and .reduce are refused",
        "test_ptx_bulk_copies.py",
    ),
    "mbarrier": ("exact, with arrivals, bytes, states and parities", "test_ptx_mbarrier.py"),
    "mma ldmatrix": (
        "m16n8 of f16, bf16 and tf32, added as the card above adds them; m8n8 and m16n8 of s8 and "
        "u8, exact",
        "test_ptx_matrices.py",
    ),
    "bra brx call ret exit": ("exact; recursion and pointers to functions", PROGRAMS),
    "bar barrier": ("exact; barriers of clusters are refused", PROGRAMS),
    "shfl vote match activemask redux elect": ("exact", "test_ptx_warp_ops.py"),
    "membar fence": (
        "memory has one order; `check=race` goes by them",
        "test_ptx_programs.py, test_ptx_checks.py",
    ),
    "prefetch prefetchu applypriority discard createpolicy": ("nothing to do", "by loading"),
    "nanosleep pmevent brkpt": ("nothing to do; time passes by instructions", "by loading"),
    "trap": ("ends the launch with status 719", PROGRAMS),
}
# Of the estimated registers beside those of NVRTC's machine code, over gpukit's kernels for sm_75:
# kernels, median and largest difference, and kernels of the same or the next step of eight.
REGISTERS = (149, 6, 35, 122)
ESTIMATE = """
## Registers

How many registers a kernel has is decided when machine code is made of it; the executor makes none.
`cuFuncGetAttribute`, occupancy and "too many resources" (701) go by an estimate: the most 32-bit
values of the text that are alive at a time, less a fifth, and 9, rounded up to 8, from 16 to 255,
within `.maxnreg`, `.maxntid` and `.minnctapersm`. Beside NVRTC's own figures for the {0} kernels of
gpukit for sm_75 the median difference is {1} registers and the largest {2}; {3} kernels fall into
the same or the next step of eight. `tools/make_fidelity.py --registers` compares them again.
"""
HEADER = """# What the PTX executor computes

Made by `tools/make_fidelity.py`; do not edit. The simulator's executor (see [simulated
GPUs](simulator.md)) interprets the documented language. This page says of each instruction
whether its result is the one that a card gives, to the bit, or a better or worse one, and what is
refused. Each of the {count} forms counted below is compared with a second evaluation, in Python's
integers and exact fractions, over edge values and drawn ones (`tests/sim/test_ptx_semantics.py`);
sequences of integer instructions drawn at random are followed the same way.

* **exact**: the bits of the second evaluation.
* **within n ulp** of the true value: the executor computes more exactly than a card. Results that
  depend on those last bits differ there: the table of approximate functions says how often.
* NaN results of f32 are 0x7fffffff, as the card below gives them, and those of half types 0x7fff.
  NaN results of f64 have any payload. `.ftz` flushes operands, and results after they are rounded.
  Sums of f32 by `atom` and `red` are flushed in global memory, and not in shared memory.
* What NVIDIA's manual leaves open is as on the card below. Quotients and remainders of whole
  numbers by 0 have all bits set. NaN becomes a whole number with the highest bit set where either
  has 64 bits, and 0 otherwise. `bfe` and `bfi` take 8 bits of a position or length in fields of 32
  bits, all 32 bits in fields of 64, and `bfi.b32` 5 bits of a length above 32 that is written as a
  number beside a position other than 0.
* As on the card below, a double in memory whose initial value is written as a float32
  (`0f3FC00000`) starts with those bits, and a stack that overflows is status 700.
* `sub.cc` and `subc.cc` leave the carry that code of NVIDIA's compiler expects, 1 where nothing was
  borrowed: `addc` after them adds it.
* `%clock` counts instructions, `%globaltimer` is the host's, and `%smid` follows the number of
  the block.
"""


def grouped(forms: list[Form]) -> dict[str, list[Form]]:
    """By opcode."""
    groups: dict[str, list[Form]] = defaultdict(list)
    for form in forms:
        groups[form.name.split(".")[0].split()[0]].append(form)
    return groups


def modifiers(forms: list[Form]) -> str:
    """What stands behind the opcode in any of its forms, in the order of their first appearance."""
    found: dict[str, None] = {}
    for form in forms:
        for name in form.name.split(", "):
            for part in name.split(" ")[0].split(".")[1:]:
                found[part] = None
    return " ".join(f"`.{part}`" for part in found) or "alone"


def family_lines(title: str, forms: list[Form]) -> list[str]:
    """The table of a family."""
    lines = [
        f"\n## {title}\n",
        "| opcode | forms compared | modifiers | result |",
        "|---|---|---|---|",
    ]
    for opcode, members in grouped(forms).items():
        for ulp in sorted({form.ulp for form in members}):
            here = [form for form in members if form.ulp == ulp]
            result = f"within {ulp} ulp" if ulp else "exact"
            lines.append(f"| `{opcode}` | {len(here)} | {modifiers(here)} | {result} |")
    return lines


def refusals(driver: SimDriver) -> dict[str, str]:
    """Opcodes that no text may hold, with the executor's reason."""
    found = {}
    for opcode in OPCODES:
        text = f"{HEAD}.visible .entry k()\n{{\n{opcode};\nret;\n}}\n"
        message = free_message(driver, text).partition("error: ")[2].removesuffix(".")
        start = f"the instruction '{opcode}' "
        if message.startswith(start) and "has too few" not in message and "operands" not in message:
            reason = message.removeprefix(start)
            if not reason.startswith("names no"):
                found[opcode] = reason
    return found


def page(driver: SimDriver) -> str:
    """The text of docs/fidelity.md."""
    families = {family: list(make()) for family, make in FAMILIES.items()}
    refused = refusals(driver)
    lines = [HEADER.format(count=sum(map(len, families.values()))).rstrip()]
    lines += held_against()
    for family, forms in families.items():
        lines += family_lines(TITLES[family], forms)
        if family == "approximation":
            lines += approximations()
    lines += [
        "\n## Memory, control and warps\n",
        "| opcodes | result | tested by |",
        "|---|---|---|",
    ]
    for opcodes, (result, test) in OTHERS.items():
        lines.append(f"| {' '.join(f'`{name}`' for name in opcodes.split())} | {result} | {test} |")
    lines += ["\n## Refused when a text is loaded (status 218)\n", "| opcode | why |", "|---|---|"]
    lines += [f"| `{opcode}` | {reason} |" for opcode, reason in refused.items()]
    known = {name for opcodes in OTHERS for name in opcodes.split()} | set(refused)
    known |= {name for forms in families.values() for name in grouped(forms)}
    known |= {"addc", "subc", "madc"}  # in the rows of add.cc and its like
    missing = [opcode for opcode in OPCODES if opcode not in known]
    if missing:
        lines += ["\n## Run, and not yet compared with a second evaluation\n"]
        lines += [", ".join(f"`{opcode}`" for opcode in missing)]
    return "\n".join(lines) + "\n" + ESTIMATE.format(*REGISTERS)


def register_counts(driver: SimDriver, image: bytes, names: list[str]) -> list[int]:
    """What cuFuncGetAttribute says of kernels of an image."""
    counts, value = [], ctypes.c_int()
    module = driver.load(image)
    for name in names:
        function = driver.function(module, name)
        driver.call("cuFuncGetAttribute", ctypes.byref(value), 4, function)
        counts.append(value.value)
    return counts


def compare_registers(driver: SimDriver) -> int:
    """Gpukit's kernels as PTX beside their machine code; 1 if the error is another."""
    nvrtc = Nvrtc(wheel_path("cuda_nvrtc", "lib", "libnvrtc.so.12"))
    includes = [ROOT / "csrc", wheel_path("cuda_runtime", "include")]
    pairs: list[tuple[str, int, int]] = []
    for source in sorted((ROOT / "csrc" / "kernels").glob("*.cu")):
        (text,) = compile_images(nvrtc, source, includes, 75, "PTX")
        names = [name.decode() for name in re.findall(rb"\.entry (\w+)", text)]
        driver.start("T4,engine=ptx,driver=580")
        estimated = register_counts(driver, text, names)
        driver.start("T4")
        (machine_code,) = compile_images(nvrtc, source, includes, 75, "CUBIN")
        told = register_counts(driver, machine_code, names)
        pairs += zip(names, estimated, told, strict=True)
    apart = [abs(estimate - real) for _, estimate, real in pairs]
    same = sum(abs(estimate - -(-real // 8) * 8) <= 8 for _, estimate, real in pairs)
    found = (len(pairs), int(statistics.median(apart)), max(apart), same)
    for name, estimate, real in sorted(pairs, key=lambda pair: -abs(pair[1] - pair[2]))[:10]:
        print(f"{name}: estimated {estimate}, {real} in machine code")
    print(f"kernels, median, largest, within a step: {found}; stated: {REGISTERS}")
    # The kernels change; the figures are stated for one day's.
    return 0 if abs(found[1] - REGISTERS[1]) <= 1 and abs(found[2] - REGISTERS[2]) <= 15 else 1


def main() -> int:
    """Writes the page, runs sequences or compares registers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sequences", type=int, default=0)
    parser.add_argument("--registers", action="store_true")
    arguments = parser.parse_args()
    count = arguments.sequences
    with tempfile.TemporaryDirectory() as folder:
        for library in installed_folder().glob("*.so"):
            shutil.copy(library, folder)
        driver = SimDriver(Path(folder) / "libgpukit_simcuda.so")
        if arguments.registers:
            return compare_registers(driver)
        driver.start("B200")
        if not count:
            PAGE.write_text(page(driver), encoding="utf-8")
            return 0
        found: list[str] = []
        for seed in range(-(-count // 200)):
            found += ptx_sequences.differences(driver, seed, 200)
        print(f"{-(-count // 200) * 200} sequences, {len(found)} differ", *found[:3], sep="\n")
        return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
