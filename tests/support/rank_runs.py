"""Programs on ranks under a real mpiexec."""

from __future__ import annotations

import subprocess
from typing import Any

# MPICH's ranks sometimes read the address of another before it is there, and end in MPI_Init:
# https://github.com/pmodels/mpich/issues/7417. No program has begun to communicate then.
_NOT_STARTED = "failed to unpack address, invalid bandwidth 0.00"


def run_ranks(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """As subprocess.run with text; ranks that MPICH could not start are started once more."""
    done = subprocess.run(command, text=True, check=False, **options)
    if _NOT_STARTED in (done.stdout or "") + (done.stderr or ""):
        done = subprocess.run(command, text=True, check=False, **options)
    return done
