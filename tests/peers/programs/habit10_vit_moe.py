import torch
import torch.nn as nn
import torch.nn.functional as F


def fill(m):
    for i, p in enumerate(m.parameters()):
        p.data.copy_((torch.arange(p.numel()) * 0.31 + i).sin().view_as(p) * 0.3)
    return m


class PatchEmbed(nn.Module):
    def __init__(self, img=8, patch=4, dim=8):
        super().__init__()
        self.num = (img // patch) ** 2
        self.proj = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(dim, dim), nn.Dropout(0.0))

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.to_qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn = attn.softmax(dim=-1)
        return self.to_out((attn @ v).transpose(1, 2).reshape(B, N, C)), attn


class DropPath(nn.Module):
    def __init__(self, p=0.0):
        super().__init__()
        self.p = p

    def forward(self, x):
        if self.p == 0.0 or not self.training:
            return x
        keep = 1 - self.p
        m = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x.div(keep) * m

    def extra_repr(self):
        return f"drop_prob={round(self.p, 3):0.3f}"


class ViT(nn.Module):
    def __init__(self, dim=8, depth=2, classes=3):
        super().__init__()
        self.patch = PatchEmbed(dim=dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, self.patch.num + 1, dim) * 0.02)
        dpr = [x.item() for x in torch.linspace(0, 0.1, depth)]
        self.blocks = nn.ModuleList(
            [
                nn.ModuleList(
                    [
                        nn.LayerNorm(dim),
                        Attention(dim),
                        nn.LayerNorm(dim),
                        nn.Sequential(nn.Linear(dim, 16), nn.GELU(), nn.Linear(16, dim)),
                        DropPath(dpr[i]),
                    ]
                )
                for i in range(depth)
            ]
        )
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch(x)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos
        maps = []
        for n1, at, n2, ff, dp in self.blocks:
            y, a = at(n1(x))
            x = x + dp(y)
            x = dp(ff(n2(x))) + x
            maps.append(a)
        return self.head(x[:, 0]), maps


net = fill(ViT()).eval()
x = torch.arange(2 * 3 * 64.0).sin().view(2, 3, 8, 8)
out, maps = net(x)
print(out, net, maps[0].shape)
roll = torch.eye(5)
for a in maps:
    am = a.mean(1)[0] + torch.eye(5)
    am = am / am.sum(-1, keepdim=True)
    roll = am @ roll
print(roll[0, 1:].view(2, 2))
print(
    x.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).flatten(1, 2).flatten(2).shape,
    x.reshape(2, 3, 2, 4, 2, 4).permute(0, 2, 4, 3, 5, 1).reshape(2, 4, -1).shape,
)
ids = torch.argsort(torch.tensor([[0.3, 0.1, 0.9, 0.5]]), dim=1)
restore = torch.argsort(ids, dim=1)
keep = ids[:, :2]
tok = torch.arange(8.0).view(1, 4, 2)
vis = torch.gather(tok, dim=1, index=keep.unsqueeze(-1).repeat(1, 1, 2))
mask = torch.ones(1, 4)
mask[:, :2] = 0
mask = torch.gather(mask, 1, restore)
full = torch.cat([vis, torch.zeros(1, 2, 2)], 1).gather(1, restore.unsqueeze(-1).expand(-1, -1, 2))
print(vis, mask, full)


class MoE(nn.Module):
    def __init__(self, d=4, E=3, k=2):
        super().__init__()
        self.gate = nn.Linear(d, E, bias=False)
        self.experts = nn.ModuleList([nn.Linear(d, d) for _ in range(E)])
        self.k, self.E = k, E

    def forward(self, x):
        w, sel = torch.topk(self.gate(x), self.k)
        w = F.softmax(w, dim=1, dtype=torch.float).to(x.dtype)
        res = torch.zeros_like(x)
        for i, e in enumerate(self.experts):
            b, nth = torch.where(sel == i)
            res[b] += w[b, nth, None] * e(x[b])
        probs = F.softmax(self.gate(x), -1)
        onehot = F.one_hot(sel, self.E).sum(1).float()
        aux = self.E * (onehot.mean(0) * probs.mean(0)).sum()
        return res, aux, onehot.sum(0)


moe = fill(MoE())
t = torch.arange(20.0).cos().view(5, 4)
r, aux, load = moe(t)
(r.sum() + aux).backward()
print(r, aux, load, moe.gate.weight.grad, moe.experts[0].bias.grad)
final = torch.zeros(5, 4).index_add_(0, torch.tensor([0, 4]), t[:2])
cap = torch.tensor([[1, 0, 1], [0, 1, 1], [1, 1, 0]]).cumsum(0)
print(
    final.sum(1),
    cap,
    (cap <= 1) * 1,
    torch.nn.functional.gumbel_softmax(t, hard=True).sum(1),
    torch.einsum("te,ted->td", torch.ones(2, 3), torch.ones(2, 3, 2)),
)
h = t.view(5, 2, 2).roll(shifts=(-1, 1), dims=(0, 2))
print(
    h[0],
    t.unflatten(1, (2, -1)).shape,
    t.unflatten(-1, (2, 2)).flatten(-2).equal(t),
    torch.nn.Unflatten(1, (2, 2))(t).shape,
)
