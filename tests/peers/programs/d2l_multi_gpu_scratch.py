"""d2l 12.5: data parallelism by hand: all-reduce, split, and a step on each device."""

import torch
from torch import nn
from torch.nn import functional as F


def wave(*shape, step=0.37, start=0.0):
    count = 1
    for size in shape:
        count *= size
    return torch.sin(torch.arange(count, dtype=torch.float32) * step + start).reshape(shape)


def lenet(X, params):
    h1_conv = F.conv2d(input=X, weight=params[0], bias=params[1])
    h1_activation = F.relu(h1_conv)
    h1 = F.avg_pool2d(input=h1_activation, kernel_size=(2, 2), stride=(2, 2))
    h2_conv = F.conv2d(input=h1, weight=params[2], bias=params[3])
    h2_activation = F.relu(h2_conv)
    h2 = F.avg_pool2d(input=h2_activation, kernel_size=(2, 2), stride=(2, 2))
    h2 = h2.reshape(h2.shape[0], -1)
    h3_linear = torch.mm(h2, params[4]) + params[5]
    return h3_linear


def get_params(params, device):
    new_params = [p.to(device) for p in params]
    for p in new_params:
        p.requires_grad_()
    return new_params


def allreduce(data):
    for i in range(1, len(data)):
        data[0][:] += data[i].to(data[0].device)
    for i in range(1, len(data)):
        data[i][:] = data[0].to(data[i].device)


def split_batch(X, y, devices):
    assert X.shape[0] == y.shape[0]
    return (nn.parallel.scatter(X, devices), nn.parallel.scatter(y, devices))


def train_batch(X, y, device_params, devices, lr):
    X_shards, y_shards = X.chunk(len(devices)), y.chunk(len(devices))
    ls = [
        loss(lenet(X_shard.to(device), device_W), y_shard.to(device)).sum()
        for X_shard, y_shard, device_W, device in zip(X_shards, y_shards, device_params, devices)
    ]
    for l in ls:
        l.backward()
    with torch.no_grad():
        for i in range(len(device_params[0])):
            allreduce([device_params[c][i].grad for c in range(len(devices))])
    for param in device_params:
        with torch.no_grad():
            for p in param:
                p -= lr * p.grad / X.shape[0]
                p.grad.zero_()
    return sum(l.item() for l in ls)


params = [
    wave(4, 1, 3, 3) * 0.3,
    torch.zeros(4),
    wave(6, 4, 3, 3) * 0.2,
    torch.zeros(6),
    wave(24, 10) * 0.2,
    torch.zeros(10),
]
loss = nn.CrossEntropyLoss(reduction="none")
num_gpus = torch.cuda.device_count()
devices = [torch.device(f"cuda:{i}") for i in range(num_gpus)] or [torch.device("cpu")] * 2
new_params = get_params(params, devices[0])
print("b1 weight:", new_params[1].detach().cpu(), "b1 grad:", new_params[1].grad)
data = [torch.ones((1, 2), device=devices[i]) * (i + 1) for i in range(2)]
allreduce(data)
print("after allreduce:", data[0].cpu(), data[1].cpu())
if num_gpus:
    print([shard.shape for shard in split_batch(torch.ones(4, 5), torch.ones(4), devices)[0]])
else:
    print([shard.shape for shard in torch.ones(4, 5).chunk(2)])
device_params = [get_params([p.detach().clone() for p in params], d) for d in devices]
X, y = wave(8, 1, 14, 14), torch.arange(8)
for epoch in range(3):
    print(f"{train_batch(X, y, device_params, devices, 0.2):.4f}")
print(device_params[0][1].detach().cpu())
