"""The order of one backward pass: `overlap.py` prints its events on each rank.

A hook of the first layer, whose gradient is the last to be computed, waits until a bucket of the
layers above it has been reduced. It would wait in vain if reductions began after the pass.
"""

from __future__ import annotations

import threading

import gpukit
import gpukit.distributed as dist
from gpukit import _traffic
from gpukit.nn.parallel import DistributedDataParallel

dist.init_process_group(timeout=20)
rank, size = dist.get_rank(), dist.get_world_size()
net = gpukit.nn.Sequential(*[gpukit.nn.Linear(32, 32) for _ in range(6)])
events: list[str] = []
reduced = threading.Event()


def note(operation: _traffic.Operation) -> None:
    events.append(operation.description)
    reduced.set()


def wait_for_a_reduction(gradient: gpukit.Tensor) -> None:
    events.append("begin of the last gradient")
    assert reduced.wait(20), events


model = DistributedDataParallel(net, bucket_cap_mb=0.005)
net[1].register_forward_hook(
    lambda _module, _inputs, output: (output.register_hook(wait_for_a_reduction), None)[1]
)
net[0].weight.register_post_accumulate_grad_hook(lambda _: events.append("last gradient"))
x = gpukit.rand(8, 32) + rank
end = _traffic.observe(operations=note)
model(x).sum().backward()
end()
first = next(i for i, event in enumerate(events) if event.startswith("all_reduce(avg)"))
print(f"rank {rank}: {events}", flush=True)
assert first < events.index("last gradient")
assert events.count("last gradient") == 1
assert sum(event.startswith("all_reduce(avg)") for event in events) == 6
together = net[0].weight.grad
mine = gpukit.autograd.grad(net(x).sum(), net[0].weight)[0]
dist.all_reduce(mine, dist.ReduceOp.AVG)
assert gpukit.allclose(together, mine)
print(f"rank {rank} overlaps", flush=True)
dist.destroy_process_group()
