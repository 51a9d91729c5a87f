"""The plain suite needs the packages of the extra `test` and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support import mode

# Peers, schedulers and ranks: folders of tests that stages of their own run.
ABSENT = (
    "dask",
    "distributed",
    "jax",
    "mpi4py",
    "pandas",
    "polars",
    "pyarrow",
    "ray",
    "scipy",
    "torch",
)


def test_the_plain_suite_is_collected_without_the_packages_of_stages(tmp_path: Path) -> None:
    (tmp_path / "without_peers.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({ABSENT}))\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "without_peers",
        "-p",
        "no:cacheprovider",
        "--collect-only",
        "-q",
    ]
    # Every folder is entered, with its conftest.py; no module of tests is imported but this one.
    command += ["--ignore-glob=*/test_[!s]*.py", "--ignore-glob=*/test_s[!u]*.py"]
    run = subprocess.run(
        command,
        check=False,
        cwd=mode.PROJECT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "tests/layout/test_suite.py" in run.stdout
    assert "tests/engines" not in run.stdout and "tests/peers" not in run.stdout


def test_folders_of_every_mode_start_no_simulation_of_their_own() -> None:
    """They also run on a build without CUDA, which has no simulator."""
    for folder in ("unit", "backend"):
        for file in (mode.PROJECT / "tests" / folder).glob("test_*.py"):
            assert "support.simulation" not in file.read_text(), f"{file.name} belongs in tests/sim"
