import copy
import itertools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


def fill(m, s=0):
    for i, p in enumerate(m.parameters()):
        p.data.copy_((torch.arange(p.numel()) * 0.7 + i + s).sin().view_as(p) * 0.4)
    return m


class MoCo(nn.Module):
    def __init__(self, dim=4, K=8, m=0.9, T=0.2):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q, self.encoder_k = nn.Linear(6, dim), nn.Linear(6, dim)
        fill(self)
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.data.copy_(pq.data)
            pk.requires_grad = False
        self.register_buffer(
            "queue", F.normalize(torch.arange(dim * K).float().cos().view(dim, K), dim=0)
        )
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum(self):
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.data = pk.data * self.m + pq.data * (1.0 - self.m)

    @torch.no_grad()
    def _enqueue(self, keys):
        b = keys.shape[0]
        ptr = int(self.queue_ptr)
        assert self.K % b == 0
        self.queue[:, ptr : ptr + b] = keys.T
        self.queue_ptr[0] = (ptr + b) % self.K

    def forward(self, q, k):
        q = F.normalize(self.encoder_q(q), dim=1)
        with torch.no_grad():
            self._momentum()
            k = F.normalize(self.encoder_k(k), dim=1)
        pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        neg = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        logits = torch.cat([pos, neg], dim=1) / self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self._enqueue(k)
        return logits, labels


mc = MoCo()
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, mc.parameters()), 0.1, momentum=0.9)
x = torch.arange(24.0).sin().view(4, 6)
for _ in range(3):
    lo, la = mc(x, x.roll(1, 1))
    loss = F.cross_entropy(lo, la)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss, mc.queue_ptr, mc.queue[0, :4])
z1, z2 = x[:, :3], x[:, 3:]
c = ((z1 - z1.mean(0)) / z1.std(0)).T @ ((z2 - z2.mean(0)) / z2.std(0)) / 4
off = c.flatten()[:-1].view(2, 4)[:, 1:].flatten()
print("barlow", torch.diagonal(c).add_(-1).pow_(2).sum() + 0.005 * off.pow_(2).sum(), off.shape)
std = torch.sqrt(z1.var(dim=0) + 1e-4)
print(
    "vicreg",
    torch.mean(F.relu(1 - std)),
    2 - 2 * (F.normalize(z1, dim=-1) * F.normalize(z2, dim=-1)).sum(-1),
)
net = fill(nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1)))
mo = torch.optim.Adam(net.parameters(), 1e-2)
xs = torch.linspace(-1, 1, 10).unsqueeze(1)
for it in range(4):
    mo.zero_grad()
    tot = 0
    for ph in (0.0, 1.0):
        y = torch.sin(3 * xs + ph)
        fast = dict(net.named_parameters())
        for _ in range(2):
            l = F.mse_loss(functional_call(net, fast, (xs[::2],)), y[::2])
            gr = torch.autograd.grad(l, list(fast.values()), create_graph=True)
            fast = {n: p - 0.1 * g for (n, p), g in zip(fast.items(), gr)}
        tot = tot + F.mse_loss(functional_call(net, fast, xs[1::2]), y[1::2])
    tot.backward()
    mo.step()
    print(f"maml {tot:.4f}")
w0 = copy.deepcopy(net.state_dict())
inner = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    inner.zero_grad()
    F.mse_loss(net(xs), xs).backward()
    inner.step()
w1 = net.state_dict()
net.load_state_dict({n: w0[n] + (w1[n] - w0[n]) * 0.5 for n in w0})
print(net[2].bias)
proto = torch.stack([x[:2].mean(0), x[2:].mean(0)])
d = ((x[:, None] - proto[None]) ** 2).sum(-1)
print(F.log_softmax(-d, 1), (-d).argmax(1), torch.cdist(x, proto).pow(2).allclose(d, atol=1e-4))
fisher = {n: torch.zeros_like(p) for n, p in net.named_parameters()}
for xi in xs:
    net.zero_grad()
    net(xi).pow(2).sum().backward()
    for n, p in net.named_parameters():
        fisher[n] += p.grad.detach() ** 2 / len(xs)
print(
    fisher["2.bias"], sum((fisher[n] * (p - w0[n]).pow(2)).sum() for n, p in net.named_parameters())
)
params = itertools.chain(net.parameters(), [nn.Parameter(torch.zeros(1))])
print(len(list(params)), [list(g.shape) for g in itertools.islice(net.parameters(), 2)])
cos = nn.CosineSimilarity(dim=2, eps=1e-6)(x.unsqueeze(1), x.unsqueeze(0))
mask = ~torch.eye(4, dtype=bool)
print(cos[mask].view(4, -1), mask.sum(), cos.fill_diagonal_(0).max(1))
lbl = torch.tensor([0, 1, 0, 1])
pm = (lbl[:, None] == lbl[None]).float().fill_diagonal_(0)
lg = (x @ x.T) - (x @ x.T).max(1, keepdim=True)[0].detach()
lp = lg - torch.log((torch.exp(lg) * mask).sum(1, keepdim=True))
print("supcon", -((pm * lp).sum(1) / pm.sum(1)).mean())
adv = x.clone().requires_grad_()
F.cross_entropy(mc.encoder_q(adv), lbl).backward()
pert = torch.clamp(x + 0.03 * adv.grad.sign(), -1, 1).detach_()
print((pert - x).abs().max(), adv.grad.data.sign()[0])
