"""The page for a first try runs from top to bottom, as a reader types it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from support import mode

PAGE = (mode.PROJECT / "docs" / "five-minutes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_page_runs(tmp_path: Path) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(BLOCKS)],
        env=dict(os.environ) | {"PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(BLOCKS) == 5
    assert "(512, 512)" in done.stdout and "matmul" in done.stdout
