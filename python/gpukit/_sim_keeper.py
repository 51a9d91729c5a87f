"""`python _sim_keeper.py FOLDER FD`: removes the folder when the other end of the pipe is closed.

So the folder of the simulated libraries goes even where its owner was killed. It needs no gpukit,
is nobody's child, and holds nothing of those who started it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys


def _leave() -> None:
    """Be a process of its own: no parent, no terminal, no open files but the pipe."""
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    for name in ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)


def main() -> None:
    """Waits, and removes."""
    folder, pipe = sys.argv[1], int(sys.argv[2])
    _leave()
    os.read(pipe, 1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
