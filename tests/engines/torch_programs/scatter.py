from datetime import timedelta

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(seconds=30))
rank, size = dist.get_rank(), dist.get_world_size()
out = torch.zeros(2)
if rank == 0:
    t_ones = torch.ones(2)
    t_fives = torch.ones(2) * 5
    scatter_list = [t_ones, t_fives]
else:
    scatter_list = None
dist.scatter(out, scatter_list, src=0)
print("scatter", out)
parts = [torch.zeros(2) for _ in range(size)] if rank == 0 else None
dist.gather(out, gather_list=parts, dst=0)
print("gather", parts)
dist.reduce(out, dst=0, op=dist.ReduceOp.SUM)
print("reduce", out if rank == 0 else "-")
x = torch.arange(4) + rank * 4
y = torch.empty([4], dtype=torch.int64)
dist.all_to_all_single(y, x)
print("all_to_all", y)
whole = torch.zeros(size * 2)
dist.all_gather_into_tensor(whole, torch.ones(2) * rank)
print(whole)
b = torch.tensor([1 + rank, 2 + rank])
dist.broadcast(b, src=1)
print(b)
dist.monitored_barrier()
flag = torch.tensor([rank == 0])
dist.all_reduce(flag.to(torch.uint8), op=dist.ReduceOp.MAX)
try:
    dist.broadcast(b, src=9)
except (RuntimeError, ValueError):
    print("no rank 9")
try:
    dist.init_process_group("gloo")
except (RuntimeError, ValueError):
    print("twice")
dist.destroy_process_group()
try:
    dist.get_rank()
except (RuntimeError, ValueError):
    print("no group")
