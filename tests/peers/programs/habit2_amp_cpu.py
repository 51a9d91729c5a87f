import torch
from torch import nn, optim

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
for p in model.parameters():
    nn.init.constant_(p, 0.1)
optimizer = optim.SGD(model.parameters(), lr=0.1)
x = torch.arange(12.0).reshape(3, 4) / 10
y = torch.tensor([0, 1, 0])
for step in range(3):
    optimizer.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
    print(out.dtype, loss.dtype, round(loss.item(), 2))
    loss.backward()
    optimizer.step()
print(model[0].weight.dtype, model[0].weight.grad.dtype)
