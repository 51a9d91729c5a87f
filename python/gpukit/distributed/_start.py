"""What each rank of `gpukit run` executes: the script, with a note of how it ended.

`python -m gpukit.distributed._start FOLDER OUT ERR LIFE [-m] SCRIPT ARGUMENT...`; the notes are
FOLDER/RANK.json, OUT and ERR the files to write to in place of those that mpiexec made, and LIFE a
pipe that ends with `gpukit run`.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from gpukit import _env
from gpukit.distributed import _mpi


class Note:
    """This rank's file in the folder that `gpukit run` reads."""

    def __init__(self, folder: str, rank: int) -> None:
        self._path = Path(folder) / f"{rank}.json"
        self._facts: dict[str, Any] = {"rank": rank, "pid": os.getpid(), "state": "running"}
        self.write()

    def write(self, **changes: Any) -> None:
        """Replace the file in one step."""
        self._facts |= changes
        self._facts["time"] = time.time()
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(self._facts), encoding="utf-8")
        new.replace(self._path)


def _run(arguments: list[str]) -> None:
    is_module = arguments[0] == "-m"
    sys.argv = arguments[1:] if is_module else arguments
    if is_module:
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
        runpy.run_path(sys.argv[0], run_name="__main__")


def _status(code: Any) -> int:
    if code is None:
        return 0
    return code if isinstance(code, int) else 1


def main(arguments: list[str]) -> int:
    """Run the script; exceptions end all ranks."""
    rank, size = _mpi.rank_and_size()
    _env.set_all(RANK=str(rank), WORLD_SIZE=str(size), LOCAL_RANK=str(_mpi.local_rank(rank)))
    note = Note(arguments[0], rank)
    _mpi.meet_in(Path(arguments[0]))
    for target, number in ((1, arguments[1]), (2, arguments[2])):
        os.dup2(int(number), target)
    threading.Thread(target=_end_with, args=(int(arguments[3]),), daemon=True).start()
    try:
        _run(arguments[4:])
    except SystemExit as ending:
        status = _status(ending.code)
        if status:
            why = ending.code if isinstance(ending.code, str) else f"sys.exit({status})"
            note.write(state="failed", why=why, status=status)
            _abort()  # it may return before mpiexec ends this process: the note stays
        else:
            note.write(state="done")
        raise
    except KeyboardInterrupt:  # its mpiexec ends it so when another rank has failed
        note.write(state="failed", why="KeyboardInterrupt", status=130)
        _abort()
        return 130
    except BaseException as error:
        note.write(state="failed", why=traceback.format_exception_only(error)[-1].strip(), status=1)
        raise
    note.write(state="done")
    return 0


def _end_with(pipe: int) -> None:
    """Wait for the end of `gpukit run`; then no process of the job is left."""
    os.read(pipe, 1)
    os.killpg(0, signal.SIGKILL)


def _abort() -> None:
    """The other ranks would wait for this one."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized():
        _mpi.abort(mpi)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
