"""How a refusal is worded: the file first, then what is wrong with it."""

from __future__ import annotations

from gpukit.errors import CheckpointError

_LONGEST = 200


def damaged(file: str, what: str, *, fix: str | None = None) -> CheckpointError:
    """The error of a file that cannot be read; `what` follows the file's name."""
    return CheckpointError(f"{file} {what}", fix=fix, details={"file": file})


def shown(text: str) -> str:
    """Text out of a file, quoted, cut, and without characters that a terminal obeys."""
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return ascii(cut)
