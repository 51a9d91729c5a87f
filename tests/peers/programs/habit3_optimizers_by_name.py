import torch
from torch import nn

x = torch.linspace(-1, 1, 6).view(3, 2)
y = torch.tensor([[1.0], [0.0], [2.0]])
made = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1),
    "Nesterov": lambda p: torch.optim.SGD(
        p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01
    ),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.8, 0.9), eps=1e-6),
    "AMSGrad": lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=0.1),
    "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.01, momentum=0.5, centered=True),
    "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1, lr_decay=0.1),
    "Adadelta": lambda p: torch.optim.Adadelta(p, lr=1.0),
    "Adamax": lambda p: torch.optim.Adamax(p, lr=0.1),
    "NAdam": lambda p: torch.optim.NAdam(p, lr=0.1),
    "RAdam": lambda p: torch.optim.RAdam(p, lr=0.1),
    "ASGD": lambda p: torch.optim.ASGD(p, lr=0.1),
    "Rprop": lambda p: torch.optim.Rprop(p, lr=0.1),
}
for name, make in made.items():
    net = nn.Linear(2, 1)
    nn.init.constant_(net.weight, 0.5)
    nn.init.constant_(net.bias, -0.5)
    opt = make(net.parameters())
    for _ in range(8):
        opt.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        opt.step()
    print(f"{name:10s} {loss.item():.5f} {net.weight.data.tolist()}")
print(opt)
getter = getattr(torch.optim, "SGD")
print(getter([torch.zeros(1, requires_grad=True)], lr=0.5))
