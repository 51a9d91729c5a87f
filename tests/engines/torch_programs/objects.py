import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
objects = [{"lr": 0.1, "name": "run"}, 3, [1, 2]] if rank == 0 else [None, None, None]
dist.broadcast_object_list(objects, src=0)
print(objects)
gathered = [None] * dist.get_world_size()
dist.all_gather_object(gathered, {"rank": rank, "loss": 0.5 * rank})
print(gathered)
dist.destroy_process_group()
