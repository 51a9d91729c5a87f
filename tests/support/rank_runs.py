"""Programs on ranks under a real mpiexec."""

from __future__ import annotations

import subprocess
from typing import Any

# MPICH's ranks sometimes read what another says of itself before it is there, and end in MPI_Init,
# with one or the other text: https://github.com/pmodels/mpich/issues/7417. No program has begun to
# communicate then.
_NOT_STARTED = ("failed to unpack address, invalid bandwidth 0.00", "error in internal_Init_thread")
_STARTS = 3


def run_ranks(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """As subprocess.run with text; ranks that MPICH could not start are started again."""
    for _ in range(_STARTS):
        done = subprocess.run(command, text=True, check=False, **options)
        output = (done.stdout or "") + (done.stderr or "")
        if not any(text in output for text in _NOT_STARTED):
            break
    return done
