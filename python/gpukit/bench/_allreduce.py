"""`bench.allreduce`: how fast ranks on this machine add up tensors, beside torch's gloo."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from gpukit._arguments import bytes_of, int_from, number_of
from gpukit.bench.tables import ResultTable
from gpukit.errors import ArgumentError, DistributedError
from gpukit.report import Column, bytes_text, duration_text

SIZES = (4 << 10, 256 << 10, 4 << 20, 40 << 20)


class AllReduceTable(ResultTable):
    """A row for each size and library: seconds of an all-reduce, and payload over time.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.bench.AllReduceTable, gpukit.bench.ResultTable)
        True
    """

    COLUMNS: ClassVar[Sequence[Column]] = (
        Column("bytes", "size", bytes_text, numeric=True),
        Column("library", "library"),
        Column("median", "median", duration_text, numeric=True),
        Column("smallest", "smallest", duration_text, numeric=True),
        Column("gbps", "payload, GB/s", "{:.2f}".format, numeric=True),
    )


def allreduce(
    ranks: int = 2, sizes: Sequence[int | str] = SIZES, rounds: int = 15, timeout: float = 500.0
) -> AllReduceTable:
    """Time all-reduces of float32 over ranks on this machine; torch's with gloo where it is there.

    Both libraries' rounds alternate in the same processes. Every rank has one thread.

    Args:
        ranks: how many processes, 2 or more.
        sizes: bytes of a tensor, as a number or "4MB".
        rounds: measured rounds of each size.
        timeout: seconds after which the ranks are ended.

    Raises:
        ArgumentError: fewer than two ranks, no round, a size under 4 bytes, or no time.
        TypeError: `sizes` is no list or tuple.
        DistributedError: MPI (the extra mpi) is missing, or the ranks failed.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.bench.allreduce(ranks=1)
        ... except gpukit.ArgumentError as error:
        ...     print(error)
        allreduce: ranks must be 2 or more, got 1
    """
    ranks = int_from("allreduce", "ranks", ranks, 2)
    rounds = int_from("allreduce", "rounds", rounds, 1)
    timeout = number_of("allreduce", "timeout", timeout, "a number of seconds")
    if not timeout > 0:
        raise ArgumentError(f"allreduce: timeout must be above 0 seconds, got {timeout!r}")
    if not isinstance(sizes, (list, tuple, range)):
        raise TypeError(
            "allreduce: sizes must be a list or tuple of bytes such as [4096, '4MB'], "
            f"got {sizes!r:.80} ({type(sizes).__name__})"
        )
    counts = [bytes_of("allreduce", "sizes", size, "4MB") // 4 for size in sizes]
    if not counts or min(counts) < 1:
        raise ArgumentError(f"allreduce: sizes is {sizes!r:.80}; give sizes of 4 bytes or more")
    found = _measured(ranks, counts, rounds, timeout)
    rows = [
        {
            "bytes": 4 * count,
            "library": name,
            "median": median,
            "smallest": smallest,
            "gbps": 4e-9 * count / median,
        }
        for count in counts
        for name, (median, smallest) in found[str(count)].items()
    ]
    notes = [f"In a ring each rank sends {2 * (ranks - 1) / ranks:.3g} × the payload."]
    if "torch gloo" not in found[str(counts[0])]:
        notes.append("torch is not installed: there is nothing to compare with.")
    return AllReduceTable(f"all-reduce of float32 over {ranks} ranks", rows, notes)


def _measured(ranks: int, counts: list[int], rounds: int, timeout: float) -> dict[str, Any]:
    """Rank 0's figures: by number of elements and library."""
    from gpukit.distributed._launch import launch

    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="gpukit-bench-") as folder:
        script = ["-m", "gpukit.bench._ranks", folder, str(rounds), *map(str, counts)]
        status = launch(ranks, script, timeout, threads=1)
        result = Path(folder, "allreduce.json")
        if status or not result.is_file():
            raise DistributedError(f"allreduce: the ranks ended with status {status}, see above")
        found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return found
