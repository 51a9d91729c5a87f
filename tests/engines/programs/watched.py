"""What gpukit.watch sees of two ranks, of which one comes late."""

from __future__ import annotations

import time

import gpukit
import gpukit.distributed as dist

dist.init_process_group(timeout=20)
rank = dist.get_rank()
x = gpukit.ones(1000)
dist.barrier()
with gpukit.watch() as seen:
    if rank:
        time.sleep(2)  # longer than a busy machine keeps the other rank
    dist.all_reduce(x)  # line 17
    work = dist.all_reduce(x, async_op=True)
    work.wait()  # line 19
    with gpukit.allow_sync():
        dist.barrier()
rows = {row.line: row for row in seen.report.rows}
assert sorted(rows) == [17, 19], seen.report
assert all(row.kind == "ranks" and row.count == 1 and row.bytes == 4000 for row in rows.values())
assert rank or rows[17].wait_ms > 200, rows
assert "waits for other ranks" in seen.report.to_text()
print(f"rank {rank} watched", flush=True)
dist.destroy_process_group()
