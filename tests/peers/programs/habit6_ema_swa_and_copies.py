import copy

import torch
from torch import nn
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn


def fill(m):
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(torch.cos(torch.arange(float(p.numel())) + i).view_as(p))
    return m


net = fill(nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1)))
ema = copy.deepcopy(net)
for p in ema.parameters():
    p.requires_grad_(False)
swa = AveragedModel(net)
ema2 = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = SWALR(opt, swa_lr=0.05, anneal_epochs=2)
x = torch.linspace(-1, 1, 8).view(4, 2)
y = x.sum(1, keepdim=True)
for step in range(4):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), net.parameters()):
            e.mul_(0.9).add_(p, alpha=0.1)
        for e, b in zip(ema.buffers(), net.buffers()):
            e.copy_(b)
    swa.update_parameters(net)
    ema2.update_parameters(net)
    sched.step()
    print(step, loss, opt.param_groups[0]["lr"])
print(ema[0].weight, swa.module[0].weight, swa.n_averaged)
print(torch.allclose(ema2.module[3].bias, ema[3].bias, atol=1), ema2.module[3].bias)
update_bn([(x,)], swa)
print(swa.module[1].running_mean, swa(x).shape)
with torch.no_grad():
    for target, source in zip(ema.parameters(), net.parameters()):
        target.lerp_(source, 0.5)
print(ema[3].weight)
torch._foreach_mul_ if False else None
clone = type(net[0])(2, 3)
clone.load_state_dict(net[0].state_dict())
print(torch.equal(clone.weight, net[0].weight), clone.weight is net[0].weight)
p = nn.Parameter(torch.ones(2))
q = copy.deepcopy(p)
r = copy.copy(p)
print(
    q is p,
    q.requires_grad,
    isinstance(q, nn.Parameter),
    r.data_ptr() == p.data_ptr(),
    p.clone().requires_grad,
    p.clone().is_leaf,
)
t = (p * 2).detach().clone().requires_grad_(True)
print(
    t,
    t.is_leaf,
    torch.clone(p).grad_fn is not None,
    p.new_tensor([1, 2]).dtype,
    p.new_zeros(2),
    torch.empty_like(p).shape,
)
u = torch.zeros(2)
u.copy_(p)
print(u.requires_grad, u.grad_fn.name() if u.grad_fn else None)
