import torch
from torch import nn, optim

model = nn.ModuleDict({"base": nn.Linear(2, 2), "classifier": nn.Linear(2, 1)})
for p in model.parameters():
    nn.init.constant_(p, 0.5)
optimizer = optim.SGD(
    [
        {"params": model["base"].parameters()},
        {"params": model["classifier"].parameters(), "lr": 1e-1},
    ],
    lr=1e-2,
    momentum=0.9,
)
decay, no_decay = [], []
for name, param in model.named_parameters():
    (no_decay if param.ndim <= 1 or name.endswith(".bias") else decay).append(param)
adamw = optim.AdamW(
    [{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0}], lr=1e-2
)
print(
    [len(g["params"]) for g in adamw.param_groups], [g["weight_decay"] for g in adamw.param_groups]
)
for i in range(3):
    optimizer.zero_grad()
    out = model["classifier"](torch.tanh(model["base"](torch.tensor([[1.0, 2.0]]))))
    out.sum().backward()
    optimizer.step()
    adamw.step()
for g in optimizer.param_groups:
    g["lr"] *= 0.5
    print(g["lr"], g["momentum"], sorted(g.keys())[:4])
optimizer.add_param_group({"params": [nn.Parameter(torch.zeros(1))], "lr": 3.0})
print(
    len(optimizer.param_groups),
    optimizer.param_groups[-1]["lr"],
    optimizer.param_groups[-1]["momentum"],
)
print(model["base"].weight, model["classifier"].bias)
