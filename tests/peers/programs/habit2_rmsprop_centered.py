import torch
from torch import optim

w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = optim.RMSprop([w], lr=0.05, alpha=0.9, centered=True, momentum=0.5, weight_decay=0.01)
for step in range(5):
    optimizer.zero_grad()
    (w**2).sum().backward()
    optimizer.step()
    print(["%.5f" % v for v in w.tolist()])
print(optimizer.param_groups[0]["centered"], sorted(optimizer.state_dict()["state"][0]))
