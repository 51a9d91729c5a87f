import torch
import torch.distributed as dist


def allreduce(send, recv):
    rank = dist.get_rank()
    size = dist.get_world_size()
    send_buff = send.clone()
    recv_buff = send.clone()
    accum = send.clone()
    left = ((rank - 1) + size) % size
    right = (rank + 1) % size
    for i in range(size - 1):
        if i % 2 == 0:
            send_req = dist.isend(send_buff, right)
            dist.recv(recv_buff, left)
            accum[:] += recv_buff[:]
        else:
            send_req = dist.isend(recv_buff, right)
            dist.recv(send_buff, left)
            accum[:] += send_buff[:]
        send_req.wait()
    recv[:] = accum[:]


dist.init_process_group("gloo")
t = torch.arange(6.0).reshape(2, 3) * (dist.get_rank() + 1)
out = torch.zeros(2, 3)
allreduce(t, out)
print(out)
reqs = dist.batch_isend_irecv(
    [
        dist.P2POp(dist.isend, t, (dist.get_rank() + 1) % dist.get_world_size()),
        dist.P2POp(dist.irecv, out, (dist.get_rank() - 1) % dist.get_world_size()),
    ]
)
for req in reqs:
    req.wait()
print("neighbour", out)
dist.destroy_process_group()
