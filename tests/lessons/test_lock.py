"""The lesson's proof that a copy lets Python's lock go: true, and red where the lock is held."""

from __future__ import annotations

import ctypes
import re
import types

import pytest

import gpukit
from support.mode import PROJECT

LESSON = PROJECT / "docs" / "lessons" / "04-one-gpu.md"
CELL = next(
    cell
    for cell in re.findall(
        r"```\{code-cell\} ipython3\n(.*?)```", LESSON.read_text(encoding="utf-8"), re.DOTALL
    )
    if "passes_during" in cell
)


class Holds:
    """A tensor whose copies keep Python's lock, as a careless library's would."""

    def cpu(self) -> None:
        ctypes.PyDLL(None).usleep(5000)

    clone = cpu


def run(library: object) -> None:
    exec(CELL, {"gpukit": library, "device": gpukit.try_gpu(quiet=True)})


def test_the_proof_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    run(gpukit)
    assert "0 in pure Python" in capsys.readouterr().out


def test_the_proof_is_red_where_the_lock_is_held() -> None:
    with pytest.raises(AssertionError, match="kept Python's lock"):
        run(types.SimpleNamespace(rand=lambda *_, **__: Holds()))
