import torch
from torch import nn, optim

model = nn.Linear(2, 1)
nn.init.constant_(model.weight, 0.5)
nn.init.zeros_(model.bias)
optimizer = optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for step in range(4):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.float16):
        loss = model(x).float().pow(2).mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(step, "%.2f" % loss.item(), "%.1f" % norm.item(), scaler.get_scale())
