"""Which driver library is opened: only files from safe places, and every place tried is reported.

The planted libraries are copies of the simulated driver under the vendor's name, so they would work
if they were loaded. Each case runs in a process of its own, because a library stays loaded.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.sim_driver import installed_folder

NAME = "libcuda.so.1"
SCRIPT = """
import json, gpukit
available = gpukit.cuda.is_available()
print(json.dumps({**gpukit._core.driver_report(), "available": available}, default=str))
"""


def run(script: str, cwd: Path | None = None, **environment: str) -> Any:
    """What a fresh process prints as JSON; nothing of the mode's own settings is left in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GPUKIT_")}
    kept.pop("LD_LIBRARY_PATH", None)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**kept, **environment},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def load(cwd: Path | None = None, **environment: str) -> dict[str, Any]:
    """The load report of a fresh process."""
    report: dict[str, Any] = run(SCRIPT, cwd, **environment)
    return report


def attempt(report: dict[str, Any], path: Path) -> dict[str, str]:
    """The one attempt at a path."""
    (found,) = [entry for entry in report["attempts"] if entry["path"] == str(path)]
    return dict(found)


def simulated_driver() -> Path:
    """The file to plant."""
    return installed_folder() / "libgpukit_simcuda.so"


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder that only its owner can write, with a library named as the driver in it."""
    folder = tmp_path / "planted"
    folder.mkdir(mode=0o755)
    shutil.copyfile(simulated_driver(), folder / NAME)
    return folder


def test_a_named_library_in_a_private_folder_is_opened(planted: Path) -> None:
    library = planted / NAME

    report = load(GPUKIT_LIBCUDA=str(library))

    assert report["library"] == str(library)
    assert attempt(report, library)["outcome"] == "opened"
    assert report["available"]


def test_an_absolute_folder_of_the_library_path_is_among_the_places(planted: Path) -> None:
    report = load(LD_LIBRARY_PATH=str(planted))

    places = [entry["path"] for entry in report["attempts"]]
    assert str(planted / NAME) in places or report["library"]


@pytest.mark.parametrize("path", ["", ":", "/nowhere:", ":/nowhere", ".", "./", "/nowhere::/no"])
def test_a_library_in_the_working_directory_is_never_opened(planted: Path, path: str) -> None:
    report = load(cwd=planted, LD_LIBRARY_PATH=path)

    assert not Path(report["library"]).is_relative_to(planted)
    assert all(entry["path"].startswith("/") for entry in report["attempts"])
    assert all(Path(entry["path"]).parent != planted for entry in report["attempts"])


@pytest.mark.parametrize("name", [NAME, f"./{NAME}"])
def test_a_relative_override_is_refused(planted: Path, name: str) -> None:
    report = load(cwd=planted, GPUKIT_LIBCUDA=name)

    assert report["library"] == ""
    assert [entry["outcome"] for entry in report["attempts"]] == ["refused"]
    assert "not an absolute path" in report["failure"]


def test_a_world_writable_folder_is_refused(planted: Path) -> None:
    planted.chmod(0o777)

    report = load(GPUKIT_LIBCUDA=str(planted / NAME))

    assert report["library"] == ""
    assert attempt(report, planted / NAME)["outcome"] == "refused"
    assert f"its folder {planted} can be written by every user" in report["failure"]


def test_the_sticky_bit_does_not_save_the_folder_itself(planted: Path) -> None:
    planted.chmod(0o1777)

    assert load(GPUKIT_LIBCUDA=str(planted / NAME))["library"] == ""


def test_a_world_writable_folder_above_is_refused(planted: Path) -> None:
    planted.parent.chmod(0o777)

    report = load(GPUKIT_LIBCUDA=str(planted / NAME))

    assert report["library"] == ""
    assert f"its folder {planted.parent} can be written by every user" in report["failure"]


def test_a_world_writable_file_is_refused(planted: Path) -> None:
    (planted / NAME).chmod(0o666)

    report = load(GPUKIT_LIBCUDA=str(planted / NAME))

    assert report["library"] == ""
    assert "the file can be written by every user" in report["failure"]


def test_a_link_into_an_unsafe_folder_is_refused(planted: Path, tmp_path: Path) -> None:
    planted.chmod(0o777)
    safe = tmp_path / "safe"
    safe.mkdir(mode=0o755)
    (safe / NAME).symlink_to(planted / NAME)

    report = load(GPUKIT_LIBCUDA=str(safe / NAME))

    assert report["library"] == ""
    assert f"it is a link to {planted / NAME}" in report["failure"]


def test_a_linked_folder_is_followed(planted: Path, tmp_path: Path) -> None:
    planted.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(planted, target_is_directory=True)

    assert load(GPUKIT_LIBCUDA=str(link / NAME))["library"] == ""


def test_the_toolkits_stub_is_refused(tmp_path: Path) -> None:
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    shutil.copyfile(simulated_driver(), stubs / NAME)

    report = load(GPUKIT_LIBCUDA=str(stubs / NAME))

    assert report["library"] == ""
    assert "stub" in report["failure"]


def test_a_folder_of_compat_libraries_is_used_only_by_name(tmp_path: Path) -> None:
    library = tmp_path / "compat" / NAME
    library.parent.mkdir()
    shutil.copyfile(simulated_driver(), library)

    assert load(GPUKIT_LIBCUDA=str(library))["library"] == str(library)
    assert load(LD_LIBRARY_PATH=str(library.parent))["library"] != str(library)


def test_none_looks_nowhere() -> None:
    report = load(GPUKIT_LIBCUDA="none")

    assert report["library"] == ""
    assert report["attempts"] == []
    assert not report["available"]
    assert "GPUKIT_LIBCUDA=none" in report["failure"]


def test_an_override_that_is_not_there_is_not_replaced_by_another(tmp_path: Path) -> None:
    report = load(GPUKIT_LIBCUDA=str(tmp_path / NAME))

    assert report["library"] == ""
    assert [entry["outcome"] for entry in report["attempts"]] == ["not found"]
    assert str(tmp_path / NAME) in report["failure"]


def test_a_file_that_is_no_library_keeps_the_loaders_words(tmp_path: Path) -> None:
    library = tmp_path / NAME
    library.write_bytes(b"not a library" * 100)

    report = load(GPUKIT_LIBCUDA=str(library))

    assert attempt(report, library)["outcome"] == "failed"
    assert "ELF" in attempt(report, library)["reason"]


def test_a_library_that_is_not_a_driver_fails(tmp_path: Path) -> None:
    library = tmp_path / NAME
    shutil.copyfile(simulated_driver().with_name("libgpukit_simcublas.so"), library)

    report = load(GPUKIT_LIBCUDA=str(library))

    assert "does not export cuInit" in attempt(report, library)["reason"]
    assert not report["available"]


def test_a_driver_without_a_required_function_is_refused_by_name(planted: Path) -> None:
    library = planted / NAME
    content = library.read_bytes()
    # The exported name alone: it stands between two zero bytes in the table of strings.
    assert content.count(b"\0cuMemAlloc_v2\0") >= 1
    library.write_bytes(content.replace(b"\0cuMemAlloc_v2\0", b"\0cuMemAlloc_vX\0"))

    report = load(GPUKIT_LIBCUDA=str(library))

    assert not report["available"]
    assert "lacks cuMemAlloc_v2" in report["failure"]


ABILITY_SCRIPT = """
import json, gpukit
pools = gpukit.cuda.get_device_properties(0).memory_pools
stream = gpukit.cuda.Stream(priority=-1)
total = gpukit.ones(4, device="cuda:0").sum().item()
print(json.dumps([pools, total]))
"""


@pytest.mark.parametrize(
    ("hidden", "memory_pools"),
    [
        ("cuMemFreeHost", True),  # required: taken from the exports, whatever the look-up says
        ("cuMemAllocAsync", False),
        ("cuFuncLoad", True),
        ("cuCtxGetStreamPriorityRange", True),
    ],
)
def test_an_optional_function_that_the_driver_hides_is_a_missing_ability(
    hidden: str, memory_pools: bool
) -> None:
    result = run(ABILITY_SCRIPT, GPUKIT_SIMULATE=f"T4,fault=no_symbol:{hidden}")

    assert result == [memory_pools, 4.0]


AFTER_A_PRODUCT = """
import json, gpukit
x = gpukit.ones(64, 64, device="cuda")
try:
    gpukit.simulate(1)
    refused = ""
except gpukit.SimulationError as error:
    refused = str(error)
x = x @ x
del x
with gpukit.simulate(2):
    print(json.dumps({"refused": refused, "count": gpukit.num_gpus()}))
"""


def test_a_simulation_starts_after_a_product_on_the_driver(tmp_path: Path) -> None:
    for library in simulated_driver().parent.glob("*.so"):
        shutil.copy(library, tmp_path)
    found = run(AFTER_A_PRODUCT, GPUKIT_LIBCUDA=str(tmp_path / simulated_driver().name))
    assert "delete them first" in found["refused"]
    assert found["count"] == 2
