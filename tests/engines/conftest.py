"""What these tests drive must be installed: a missing package ends the run."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

# "torch" is the peer; `ray` belongs to the long tests.
PACKAGES = ("dask", "distributed", "mpi4py", "pandas", "polars", "pyarrow", "scipy", "torch")


def need(*names: str) -> None:
    """End the run if one of these modules is missing."""
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise pytest.UsageError(
            f"tests/engines: {', '.join(missing)} missing. Use: pip install '.[peers]' "
            "--group engines (and --group ray for the long tests)"
        )


def runs_long(config: pytest.Config) -> bool:
    """Whether the long tests are not deselected."""
    return "not long" not in config.option.markexpr


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is collected."""
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # read by `import ray`: loopback alone
    need(*PACKAGES, *(["ray"] if runs_long(config) else []))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """All tests of these files are long, and they import ray."""
    names = {"test_ray.py", "test_ray_ranks.py", "test_ray_train.py"}
    return True if collection_path.name in names and not runs_long(config) else None
