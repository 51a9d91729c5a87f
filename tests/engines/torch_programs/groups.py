import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
group = dist.new_group(list(range(size)))
tensor = torch.ones(1)
dist.all_reduce(tensor, op=dist.ReduceOp.SUM, group=group)
print("Rank ", rank, " has data ", tensor[0])
first = dist.new_group([0])
print(dist.get_rank(first), dist.get_world_size(first), dist.get_process_group_ranks(group))
if rank == 0:
    dist.all_reduce(tensor, group=first)
    print(tensor)
work = dist.all_reduce(tensor, async_op=True)
work.wait()
print(work.is_completed(), tensor)
objs = [torch.zeros(2, dtype=torch.int64) for _ in range(size)]
dist.all_gather(objs, torch.arange(2, dtype=torch.int64) + 1 + 2 * rank)
print(objs)
dist.barrier()
for op in ("SUM", "PRODUCT", "MIN", "MAX"):
    x = torch.tensor([rank + 1.0, 2.0])
    dist.all_reduce(x, op=getattr(dist.ReduceOp, op))
    print(op, x)
print(dist.is_initialized(), dist.is_available())
dist.destroy_process_group(group)
dist.destroy_process_group()
print(dist.is_initialized())
