import torch
import torch.nn.functional as F

x = torch.linspace(-1, 1, 10).unsqueeze(1)
y = 3 * x + 1
model = torch.nn.Linear(1, 1)
torch.nn.init.zeros_(model.weight)
torch.nn.init.zeros_(model.bias)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5)


def closure():
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    return loss


for _ in range(3):
    print(optimizer.step(closure).item())
w = torch.zeros(2, requires_grad=True)
opt = torch.optim.AdamW([w], lr=0.1, weight_decay=0.01, amsgrad=True)
for _ in range(3):
    opt.zero_grad()
    ((w - torch.tensor([1.0, -1.0])) ** 2).sum().backward()
    opt.step()
print(w)
opt.add_param_group({"params": [torch.zeros(1, requires_grad=True)], "lr": 0.5})
print(len(opt.param_groups), [g["lr"] for g in opt.param_groups])
print(opt)
