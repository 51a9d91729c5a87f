"""What processes that tests start run: they import it, and a test module may have no name there."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import gpukit


def add_one(tensor: gpukit.Tensor) -> None:
    """Change a shared tensor."""
    tensor.add_(1)


def add_both(rank: int, x: gpukit.Tensor, more: Any) -> None:
    """Change a tensor that came in several places."""
    x.add_(1)
    more["view"].add_(1)
    assert more["again"][0] is more["again"][1] is x


def end_by_signal(rank: int) -> None:
    """Rank 1 is killed; the others would go on for ten minutes."""
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(600)
