"""Which BLAS library is named for products on the CPU, in made-up environments."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from gpukit._system import libraries

OWN = "scipy_openblas32/lib/libscipy_openblas.so"
NUMPYS = "numpy.libs/libscipy_openblas64_-32a4b2a6.so"
OLDER_NUMPYS = "numpy.libs/libopenblas64_p-r0-0cf96a72.3.23.dev.so"
UNRELATED = "numpy.libs/libgfortran-040039e1.so.5.0.0"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of packages; those in it are found, and no others."""

    def find_spec(name: str) -> ModuleSpec | None:
        folder = tmp_path / name
        if not folder.is_dir():
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec

    monkeypatch.setattr(libraries, "find_spec", find_spec)
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


def install(site: Path, *files: str) -> None:
    """Put files into the folder, and NumPy's package where its libraries are."""
    for name in files:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
        if name.startswith("numpy."):
            (site / "numpy").mkdir(exist_ok=True)


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ((OWN, NUMPYS), OWN),
        ((NUMPYS, UNRELATED), NUMPYS),
        ((OLDER_NUMPYS, UNRELATED), OLDER_NUMPYS),
        (("scipy_openblas32/__init__.py", NUMPYS), NUMPYS),
    ],
)
def test_its_own_wheel_comes_before_numpys(
    site: Path, installed: tuple[str, ...], expected: str
) -> None:
    install(site, *installed)

    assert libraries.openblas_path() == str((site / expected).resolve())


@pytest.mark.parametrize("installed", [(), (UNRELATED,), ("numpy/__init__.py",)])
def test_without_one_there_is_no_path(site: Path, installed: tuple[str, ...]) -> None:
    install(site, *installed)

    assert libraries.openblas_path() == ""


def test_on_macos_numpy_keeps_it_inside_the_package(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    library = "numpy/.dylibs/libscipy_openblas64_.dylib"
    install(site, library)

    assert libraries.openblas_path() == str((site / library).resolve())


def test_numpy_is_not_imported() -> None:
    before = set(sys.modules)

    libraries.openblas_path()

    assert "numpy" not in set(sys.modules) - before
