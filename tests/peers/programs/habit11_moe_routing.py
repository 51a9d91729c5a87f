import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d, 2 * d, bias=False), nn.SiLU(), nn.Linear(2 * d, d, bias=False)
        )
        for j, l in enumerate((self.net[0], self.net[2])):
            with torch.no_grad():
                l.weight.copy_(
                    0.3
                    * torch.sin(torch.arange(l.weight.numel()).float() + 3 * k + j).view_as(
                        l.weight
                    )
                )

    def forward(self, x):
        return self.net(x)


class SparseMoE(nn.Module):
    def __init__(self, d=6, num_experts=4, top_k=2):
        super().__init__()
        self.num_experts, self.top_k = num_experts, top_k
        self.gate = nn.Linear(d, num_experts, bias=False)
        nn.init.zeros_(self.gate.weight)
        with torch.no_grad():
            self.gate.weight.copy_(
                torch.cos(torch.arange(d * num_experts).float() * 1.1).view(num_experts, d)
            )
        self.experts = nn.ModuleList([Expert(d, k) for k in range(num_experts)])

    def forward(self, hidden):
        b, t, d = hidden.shape
        x = hidden.view(-1, d)
        router_logits = self.gate(x)
        w = F.softmax(router_logits, dim=1, dtype=torch.float)
        w, sel = torch.topk(w, self.top_k, dim=-1)
        w /= w.sum(dim=-1, keepdim=True)
        w = w.to(x.dtype)
        final = torch.zeros((b * t, d), dtype=x.dtype, device=x.device)
        expert_mask = F.one_hot(sel, num_classes=self.num_experts).permute(2, 1, 0)
        for e in range(self.num_experts):
            idx, top_x = torch.where(expert_mask[e])
            if top_x.shape[0] == 0:
                continue
            cur = x[None, top_x].reshape(-1, d)
            final.index_add_(0, top_x, self.experts[e](cur) * w[top_x, idx, None])
        return final.reshape(b, t, d), router_logits


def load_balancing_loss(logits, num_experts, top_k):
    routing = F.softmax(logits, dim=-1)
    _, sel = torch.topk(routing, top_k, dim=-1)
    mask = F.one_hot(sel, num_experts)
    tokens_per_expert = torch.mean(mask.float(), dim=0)
    prob = torch.mean(routing, dim=0)
    return torch.sum(tokens_per_expert * prob.unsqueeze(0)) * num_experts


def capacity_dispatch(logits, capacity):
    gates = F.softmax(logits, dim=1)
    idx = torch.argmax(gates, dim=1)
    mask = F.one_hot(idx, num_classes=gates.size(1))
    locations = torch.cumsum(mask, dim=0) - 1
    mask = mask * torch.lt(locations, capacity)
    loc = torch.sum(locations * mask, dim=1)
    g = gates * mask.float()
    combine = torch.einsum("se,sc->sec", g, F.one_hot(loc, capacity).float())
    return combine, combine.bool(), mask.sum(0)


moe = SparseMoE()
x = torch.sin(torch.arange(2 * 5 * 6).float() * 0.7).view(2, 5, 6).requires_grad_()
out, logits = moe(x)
print(out.shape, logits.shape)
print(out[0, 0])
# dense reference
flat = x.view(-1, 6)
all_out = torch.stack([e(flat) for e in moe.experts], dim=1)
p = logits.softmax(-1)
thr = p.topk(2, dim=-1).values[:, -1:]
p = torch.where(p >= thr, p, torch.zeros_like(p))
p = p / p.sum(-1, keepdim=True)
print(
    "dense ok", torch.allclose(torch.einsum("te,ted->td", p, all_out), out.view(-1, 6), atol=1e-5)
)
_, sel = logits.topk(2)
print("load", torch.bincount(sel.flatten(), minlength=4), sel[:3].tolist())
aux = load_balancing_loss(logits, 4, 2)
z_loss = torch.logsumexp(logits, dim=-1).square().mean()
loss = out.pow(2).mean() + 0.01 * aux + 1e-3 * z_loss
loss.backward()
print(round(aux.item(), 4), round(z_loss.item(), 4))
print(moe.gate.weight.grad.shape, [e.net[0].weight.grad is not None for e in moe.experts])
combine, dispatch, used = capacity_dispatch(logits.detach(), 2)
print(combine.shape, dispatch.dtype, used, dispatch.sum().item())
inp = torch.einsum("sec,sm->ecm", dispatch.float(), flat.detach())
print(inp.shape, inp.abs().sum((1, 2)))
noise_std = F.softplus(torch.tensor([-1.0, 0.0, 1.0]))
print(noise_std, torch.topk(torch.tensor([0.1, 0.9, 0.5, 0.7]), k=3))
total = sum(p.numel() for p in moe.parameters())
active = total - sum(p.numel() for p in moe.experts[0].parameters()) * 2
print(f"total={total} active={active}")
print(moe.experts[-1], len(moe.experts))
bf = SparseMoE().to(torch.bfloat16)
o, l = bf(x.detach().bfloat16())
print(o.dtype, l.dtype, torch.isfinite(o).all())
