"""Stage instructions: what the PTX executor is held to, by the hardware itself.

Each form of docs/fidelity.md runs as PTX on the device and is compared with the reference in Python
that the tests compare the executor with; so do random sequences. Forms that the device's
architecture lacks are counted apart. The words of every form are kept in instructions.words.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import gpukit
from gpu_day.sheet import Sheet, simulated

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support import ptx_matrices, ptx_runner, ptx_sequences  # noqa: E402
from support.ptx_form import Form  # noqa: E402
from support.ptx_forms import FAMILIES  # noqa: E402
from support.sim_driver import Driver, SimDriver, StatusError, installed_folder  # noqa: E402

SEQUENCES = 20 if simulated() else 500
CARD = "H100"
Words = dict[str, list[int]]


def device_driver() -> tuple[Driver, str]:
    """The driver to ask, and the head of texts for its first device."""
    if simulated():
        # A copy, with no state of the one that gpukit uses.
        folder = shutil.copytree(installed_folder(), Path(tempfile.mkdtemp(), "sim"))
        sim = SimDriver(folder / "libgpukit_simcuda.so")
        sim.start(CARD)
        return sim, head_of(9, 0)
    path = next(p for p in _loaded_files() if "libcuda.so" in p)
    driver = Driver(Path(path))
    driver.retain_all()
    properties = gpukit.cuda.get_device_properties(0)
    return driver, head_of(properties.major, properties.minor)


def head_of(major: int, minor: int) -> str:
    """The first lines of a text for a compute capability."""
    return ptx_runner.HEAD.replace("sm_100", f"sm_{major}{minor}")


def _loaded_files() -> list[str]:
    """The driver that gpukit opened, among the files of this process."""
    gpukit.ones(1, device="cuda")
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return sorted(
        {line.split(maxsplit=5)[5] for line in lines if line.count(" ") > 4 and "/" in line}
    )


def taken(driver: Driver, forms: list[Form], head: str) -> tuple[list[Form], list[Form]]:
    """Forms whose text the driver loads, and those that it refuses, found by halving."""
    text = head + "".join(ptx_runner.kernel(i, form) for i, form in enumerate(forms))
    try:
        driver.call("cuModuleUnload", driver.load(text.encode()))
    except StatusError:
        if len(forms) == 1:
            return [], forms
        half = len(forms) // 2
        first, second = (taken(driver, part, head) for part in (forms[:half], forms[half:]))
        return first[0] + second[0], first[1] + second[1]
    return forms, []


def compare_family(sheet: Sheet, driver: Driver, name: str, head: str, kept: Words) -> list[str]:
    """One row a family, and one a form that differs. Returns those that differ and the refused."""
    forms, refused = taken(driver, list(FAMILIES[name]()), head)
    words = ptx_runner.results(driver, forms, head)
    kept |= {form.name: row for form, row in zip(forms, words, strict=True)}
    found = {
        form.name: how
        for form, row in zip(forms, words, strict=True)
        if not form.ulp and (how := ptx_runner.differing(form, row))
    }
    exact = sum(not form.ulp for form in forms)
    sheet.add(
        family=name,
        compared=exact,
        approximate=len(forms) - exact,
        differ=len(found),
        refused="; ".join(form.name for form in refused),
    )
    for form, how in found.items():
        sheet.add(family=name, form=form, how=how)
    return [*found, *(form.name for form in refused)]


def compare_sequences(sheet: Sheet, driver: Driver, head: str, left_out: set[str]) -> int:
    """Random sequences of the forms that agree one by one. Returns how many differ."""
    forms = [form for form in ptx_sequences.FORMS if form.name not in left_out]
    found = ptx_sequences.differences(driver, seed=5, count=SEQUENCES, head=head, forms=forms)
    sheet.add(family="random sequences", compared=SEQUENCES, differ=len(found))
    for text in found[:40]:
        sheet.add(family="random sequences", how=text)
    return len(found)


def compare_matrices(sheet: Sheet, driver: Driver, kept: Words) -> None:
    """Sums of products beside the rule that the executor follows, which an H200 showed."""
    for name in ptx_matrices.FORMATS:
        for kind in ptx_matrices.KINDS:
            matrices = ptx_matrices.drawn(name, kind)
            for half_sums in (False, True) if name == "f16" else (False,):
                form = f"{name}, {kind}{', f16 sums' if half_sums else ''}"
                got = ptx_matrices.product(driver, name, matrices, half_sums)
                want = ptx_matrices.sums(name, matrices, half_sums)
                kept[f"mma {form}"] = got.view("u4").ravel().tolist()
                equal = int(((got == want) | (np.isnan(got) & np.isnan(want))).sum())
                sheet.add(family="matrix sums", form=form, compared=got.size, equal=equal)


def main() -> int:
    sheet = Sheet()
    kept: Words = {}
    left_out: set[str] = set()
    driver, head = device_driver()
    for name in FAMILIES:
        left_out |= set(compare_family(sheet, driver, name, head, kept))
        sheet.file.with_suffix(".words").write_text(json.dumps(kept), encoding="utf-8")
    compare_matrices(sheet, driver, kept)
    sheet.file.with_suffix(".words").write_text(json.dumps(kept), encoding="utf-8")
    compare_sequences(sheet, driver, head, left_out)
    return 1 if any(row.get("differ") for row in sheet.rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
