import os

import torch
import torch.distributed as dist


def run_blocking(rank, size):
    tensor = torch.zeros(1)
    if rank == 0:
        tensor += 1
        dist.send(tensor=tensor, dst=1)
    elif rank == 1:
        dist.recv(tensor=tensor, src=0)
    print("Rank ", rank, " has data ", tensor[0])


def run(rank, size):
    tensor = torch.zeros(1)
    req = None
    if rank == 0:
        tensor += 1
        req = dist.isend(tensor=tensor, dst=1)
        print("Rank 0 started sending")
    elif rank == 1:
        req = dist.irecv(tensor=tensor, src=0)
        print("Rank 1 started receiving")
    if req is not None:
        req.wait()
    print("Rank ", rank, " has data ", tensor[0])


def init_process(rank, size, fn, backend="gloo"):
    """Initialize the distributed environment."""
    dist.init_process_group(backend, rank=rank, world_size=size)
    fn(rank, size)


if __name__ == "__main__":
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    init_process(rank, size, run_blocking)
    run(rank, size)
    t = torch.empty(3, dtype=torch.int64)
    if rank == 0:
        sender = dist.recv(t)
        print("from", sender, t)
    elif rank == 1:
        dist.send(torch.tensor([4, 5, 6]), 0)
    dist.destroy_process_group()
