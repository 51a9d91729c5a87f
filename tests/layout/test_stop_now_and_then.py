"""tools/stop_now_and_then.py stops a command's processes and returns its status."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.patience import holds

TOOL = Path(__file__).resolve().parents[2] / "tools" / "stop_now_and_then.py"
BUSY = """
import time
began, ran = time.perf_counter(), time.process_time()
while (took := time.perf_counter() - began) < 0.4:
    pass
print((time.process_time() - ran) / took)
"""


def under_the_tool(*command: str, **options: float) -> subprocess.CompletedProcess[str]:
    given = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    return subprocess.run(
        [sys.executable, str(TOOL), *given, *command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_child_of_the_command_is_stopped_for_the_share_of_the_time():
    child = [
        sys.executable,
        "-c",
        f"import subprocess; subprocess.run({[sys.executable, '-c', BUSY]!r})",
    ]
    told = []

    def half_was_taken() -> bool:
        told.append(float(under_the_tool(*child, share=0.5, longest=0.02).stdout))
        return 0.2 < told[-1] < 0.8

    assert holds(half_was_taken), told


def test_an_ended_tool_leaves_no_process_behind(tmp_path):
    """Nor a stopped one: its command is in a session of its own, which no terminal ends."""
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    command = [sys.executable, str(TOOL), "--share", "0.9", sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        child = int(running.stdout.readline())
        running.terminate()
        assert running.wait(20) == 128 + signal.SIGTERM
    assert not Path(f"/proc/{child}").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--share", "1", "true"], "--share"),
        (["--longest", "0", "true"], "--longest"),
        ([], "command"),
    ],
)
def test_bad_arguments_are_named(arguments, told):
    done = under_the_tool(*arguments)
    assert done.returncode == 2
    assert told in done.stderr.splitlines()[-1]


def test_the_status_is_that_of_the_command():
    done = under_the_tool(sys.executable, "-c", "raise SystemExit(3)")
    assert done.returncode == 3
    assert "stopped for" in done.stderr
