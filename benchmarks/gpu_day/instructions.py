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

from support import ptx_runner, ptx_sequences  # noqa: E402
from support.nvrtc import compile_ptx  # noqa: E402
from support.ptx_form import Form  # noqa: E402
from support.ptx_forms import FAMILIES  # noqa: E402
from support.ptx_matrix_sources import SINGLE, SOURCE  # noqa: E402
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
        refused=" ".join(form.name for form in refused),
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
    """How far sums of products are from exact ones, in the last place of the largest term."""
    random = np.random.default_rng(9)
    for name, depth in (("f16", 16), ("bf16", 16), ("tf32", 8)):
        scale = np.exp2(random.integers(-6, 7, (depth,)))
        a = (random.normal(size=(16, depth)) * scale).astype("f4")
        b = (random.normal(size=(depth, 8)) / scale[:, None]).astype("f4")
        if name == "f16":
            stored = [x.astype("f2").view("u2") for x in (a, b)]
            a, b = (x.view("f2").astype("f8") for x in stored)
        else:
            mask = np.uint32(0xFFFF0000 if name == "bf16" else 0xFFFFE000)
            a, b = ((x.view("u4") & mask).view("f4") for x in (a, b))
            stored = [(x.view("u4") >> 16).astype("u2") if name == "bf16" else x for x in (a, b)]
        source = SINGLE if name == "tf32" else SOURCE.replace("TYPE", name)
        module = driver.load(compile_ptx(source, 80))
        out = driver.upload(np.zeros(128, "f4"))
        function = driver.function(module, f"{'single' if name == 'tf32' else 'half'}_product")
        driver.launch(function, 1, 32, *map(driver.upload, stored), out)
        got = driver.download(out, 128, "f4").reshape(16, 8)
        terms = a.astype("f8")[:, :, None] * b.astype("f8")[None]
        start = 0.0 if name == "tf32" else 1.0
        exact = terms.sum(axis=1) + start
        unit = np.spacing(np.maximum(np.abs(terms).max(axis=1), start).astype("f4"))
        error = np.abs(got - exact) / unit
        kept[f"mma {name}"] = got.view("u4").ravel().tolist()
        kept[f"mma {name} given"] = [x.ravel().tolist() for x in (a, b)]  # type: ignore[misc]
        sheet.add(
            family="matrix sums",
            form=name,
            furthest=round(float(error.max()), 3),
            equal=int((got == exact.astype("f4")).sum()),
        )


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
