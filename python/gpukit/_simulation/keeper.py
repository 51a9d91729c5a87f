"""`python keeper.py FOLDER FD`: removes the folder when the other end of the pipe is closed.

So the folder of the simulated libraries is removed even if its owner is killed. It does not need
gpukit, is detached from its parent, and keeps none of its parent's files open.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys


def _leave() -> None:
    """Detach: no parent, no terminal, no open files but the pipe."""
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
    """Waits for the pipe to close, then removes the folder."""
    folder, pipe = sys.argv[1], int(sys.argv[2])
    _leave()
    os.read(pipe, 1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
