"""torch's own tools read the snapshot that gpukit writes."""

from __future__ import annotations

import pickle
from pathlib import Path

import gpukit
from gpukit.cuda import memory


def test_torchs_tools_draw_the_file(tmp_path: Path) -> None:
    from torch.cuda import _memory_viz as viz

    gpukit.cuda.record_memory_history()
    kept = [gpukit.ones(1000 * n, device="cuda:0") for n in range(1, 6)]
    del kept[1:3]
    memory.dump_snapshot(str(tmp_path / "s.pickle"))
    gpukit.cuda.record_memory_history(None)
    snapshot = pickle.loads((tmp_path / "s.pickle").read_bytes())
    assert "total_allocated" in viz.segsum(snapshot)
    told = viz.trace(snapshot)
    assert told.count(" = ") == 5
    assert told.count("# free completed") == 2
    assert "Active Memory Timeline" in viz.trace_plot(snapshot)
    del kept
