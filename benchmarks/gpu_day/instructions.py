"""Stage instructions: what the PTX executor is held to, by the hardware itself.

Each form of docs/fidelity.md runs as PTX on the device and is compared with the reference in Python
that the tests compare the executor with; so do random sequences. Forms that the architecture of the
device lacks are counted apart. The words of every form are kept in OUT/instructions.words.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import gpukit
from gpu_day.sheet import Sheet, simulated

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support import ptx_runner, ptx_sequences  # noqa: E402
from support.ptx_form import Form  # noqa: E402
from support.ptx_forms import FAMILIES  # noqa: E402
from support.sim_driver import Driver, SimDriver, StatusError, installed_folder  # noqa: E402

SEQUENCES = 20 if simulated() else 2000
CARD = "H100"


def device_driver() -> tuple[Driver, str]:
    """The driver to ask, and the head of texts for its first device."""
    if simulated():
        sim = SimDriver(installed_folder() / "libgpukit_simcuda.so")
        sim.start(CARD)
        major, minor = 9, 0
        return sim, head_of(major, minor)
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


def compare_family(sheet: Sheet, driver: Driver, name: str, head: str, kept: dict[str, Any]) -> int:
    """One row a family, and one a form that differs. Returns how many differ."""
    forms, refused = taken(driver, list(FAMILIES[name]()), head)
    words = ptx_runner.results(driver, forms, head)
    kept |= {form.name: row for form, row in zip(forms, words, strict=True)}
    exact = [form for form in forms if not form.ulp]
    found = ptx_runner.differences(driver, exact, head)
    sheet.add(
        family=name,
        compared=len(exact),
        approximate=len(forms) - len(exact),
        differ=len(found),
        refused=" ".join(form.name for form in refused),
    )
    for form, how in found.items():
        sheet.add(family=name, form=form, how=how)
    return len(found)


def main() -> int:
    sheet, kept = Sheet(), {}
    driver, head = device_driver()
    differing = sum(compare_family(sheet, driver, name, head, kept) for name in FAMILIES)
    sequences = ptx_sequences.differences(driver, seed=5, count=SEQUENCES, head=head)
    sheet.add(family="random sequences", compared=SEQUENCES, differ=len(sequences))
    for text in sequences[:3]:
        sheet.add(family="random sequences", how=text)
    sheet.file.with_suffix(".words").write_text(json.dumps(kept), encoding="utf-8")
    return 1 if differing or sequences else 0


if __name__ == "__main__":
    raise SystemExit(main())
