"""`gpukit watch script.py`: the script's own exit status, and its waits on stderr."""

from __future__ import annotations

import subprocess
import sys


def run(tmp_path, code, *arguments):
    script = tmp_path / "lesson.py"
    script.write_text(code)
    command = [sys.executable, "-m", "gpukit", "watch", str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_script_is_run_and_reported(tmp_path):
    code = """
import sys
import gpukit

x = gpukit.ones(3, device="cuda")
for _ in range(7):
    print(x.sum().item())
sys.exit(int(sys.argv[1]))
"""
    done = run(tmp_path, code, "5")
    assert done.returncode == 5, done.stderr
    assert done.stdout.split() == ["3.0"] * 7
    assert "lesson.py:7" in done.stderr
    assert "7 waits" in done.stderr


def test_a_missing_script_is_named(tmp_path):
    command = [sys.executable, "-m", "gpukit", "watch", str(tmp_path / "none.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "none.py" in done.stderr
