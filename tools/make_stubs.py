"""Write python/gpukit/_core.pyi from the installed extension; `--check` only compares.

Needs gpukit, pybind11-stubgen and ruff in the same environment.
"""

from __future__ import annotations

import argparse
import difflib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "python" / "gpukit" / "_core.pyi"


def generate() -> str:
    """The stub of the extension that this Python imports, formatted."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pybind11_stubgen", "gpukit._core", "-o", folder]
        # Run elsewhere, so that the installed package is found and not the source folder.
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"make_stubs: pybind11-stubgen failed\n{result.stdout}{result.stderr}")
        stub = Path(folder, "gpukit", "_core.pyi")
        shutil.copy(ROOT / "pyproject.toml", folder)
        subprocess.run(["ruff", "format", "--quiet", str(stub)], check=True)
        return stub.read_text(encoding="utf-8")


def main() -> int:
    """Write the stub, or compare it with what stands in the tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = generate()
    if not arguments.check:
        STUB.write_text(text, encoding="utf-8")
        return 0
    current = STUB.read_text(encoding="utf-8")
    difference = difflib.unified_diff(
        current.splitlines(), text.splitlines(), "_core.pyi", "the extension", lineterm=""
    )
    lines = list(difference)
    if lines:
        print("\n".join(lines))
        print("make_stubs: _core.pyi is old; run python tools/make_stubs.py")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
