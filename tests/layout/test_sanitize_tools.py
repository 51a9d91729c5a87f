"""tools/sanitize.sh says what to install before it compiles anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.mode import PROJECT


def sanitize(job: str, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_INCLUDE"} | changes
    return subprocess.run(
        ["bash", str(PROJECT / "tools" / "sanitize.sh"), job],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def bare_python(tmp_path: Path) -> str:
    """A PATH whose python3 is an environment without packages."""
    folder = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("job", ["asan", "tsan"])
def test_missing_headers_are_named(job: str, bare_python: str) -> None:
    done = sanitize(job, PATH=bare_python)
    assert done.returncode == 2
    assert done.stderr == (
        "sanitize.sh: no CUDA headers. Use: pip install --group build, or set CUDA_INCLUDE\n"
    )


def test_missing_compiler_is_named() -> None:
    done = sanitize("mutate", CXX="no-such-compiler")
    assert done.returncode == 2
    assert "no compiler 'no-such-compiler'" in done.stderr


def test_an_unknown_job_prints_the_usage() -> None:
    done = sanitize("everything")
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_a_program_that_fails_ends_the_job(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(
        "#!/bin/bash\n"
        'while [ $# -gt 0 ]; do [ "$1" = -o ] && target=$2; shift; done\n'
        'printf \'#!/bin/sh\\necho "a race"; exit 66\\n\' > "$target"; chmod +x "$target"\n'
    )
    compiler.chmod(0o755)
    done = sanitize("tsan", CXX=str(compiler), CUDA_INCLUDE=str(tmp_path))
    assert done.returncode != 0
    assert "kernels: FAILED\na race\n" in done.stdout
    assert "no race" not in done.stdout
