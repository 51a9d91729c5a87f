"""An array that is never whole in memory: `pip install 'gpukit[dask]'`, then

python examples/scale_out/dask_array.py

It writes 64 MB to a file, and reads, standardises and reduces them a chunk at a time. On a hundred
machines `LocalCluster` becomes the address of a scheduler that you run there, behind TLS, and the
file lies where all workers can read it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import dask.array as da
import numpy as np

import gpukit
from gpukit.interop.dask import Chunk

ROWS, COLUMNS, PART = 16_000, 1_000, 2_000


def read(path: str, start: int) -> Chunk:
    """Some rows of the file, as a tensor."""
    rows = np.memmap(path, dtype=np.float32, mode="r", shape=(ROWS, COLUMNS))[start : start + PART]
    return Chunk(gpukit.tensor(rows))


def main() -> None:
    """Standardise, reduce, and compare with NumPy."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "numbers")
        values = np.random.default_rng(0).random((ROWS, COLUMNS), dtype=np.float32)
        values.tofile(path)
        meta = Chunk(gpukit.empty(0, 0))
        parts = [
            da.from_delayed(dask_read(path, start), (PART, COLUMNS), meta=meta)
            for start in range(0, ROWS, PART)
        ]
        x = da.concatenate(parts)
        largest = ((x - x.mean(axis=0)) / x.std(axis=0)).max(axis=0).compute()
        print(largest)
        wanted = ((values - values.mean(axis=0)) / values.std(axis=0)).max(axis=0)
        assert np.allclose(largest.tensor.numpy(), wanted, rtol=1e-3)


def dask_read(path: str, start: int):
    """The same, later and on any worker."""
    from dask import delayed

    return delayed(read)(path, start)


if __name__ == "__main__":
    main()
