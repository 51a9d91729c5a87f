import torch
from torch import nn

devices = [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())] or [
    torch.device("cpu")
]
x = torch.arange(12.0).reshape(4, 3)
parts = [part.to(device) for part, device in zip(x.chunk(len(devices)), devices)]
sums = [part.sum().cpu() for part in parts]
print(sum(sums), torch.stack(sums).sum(), torch.cat([part.cpu() for part in parts]).equal(x))
nets = [nn.Linear(3, 2).to(device) for device in devices]
for net in nets:
    for p in net.parameters():
        nn.init.ones_(p)
outputs = [net(part) for net, part in zip(nets, parts)]
print(torch.cat([out.detach().cpu() for out in outputs]))
print(all(p.device == device for net, device in zip(nets, devices) for p in net.parameters()))
model = nn.DataParallel(nn.Linear(3, 2)).to(devices[0])
print(model(x.to(devices[0])).shape, list(model.state_dict()))
