import torch
import torch.nn as nn
import torch.nn.functional as F

edge_index = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 1, 4, 3]], dtype=torch.long)
x = torch.eye(5)
adj = torch.zeros(5, 5)
adj[edge_index[0], edge_index[1]] = 1
print(adj, adj.is_sparse, adj.layout)
a = adj + torch.eye(5)
deg = a.sum(1)
dinv = deg.pow(-0.5)
dinv[dinv == float("inf")] = 0
norm = torch.diag(dinv) @ a @ torch.diag(dinv)
print(norm)


class GCNLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x, A):
        return A @ self.lin(x) + self.bias

    def __repr__(self):
        return f"{self.__class__.__name__} ({self.lin.in_features} -> {self.lin.out_features})"


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = GCNLayer(5, 4)
        self.c2 = GCNLayer(4, 2)

    def forward(self, x, A):
        return F.log_softmax(self.c2(F.relu(self.c1(x, A)), A), dim=1)


m = GCN()
print(m, [n for n, _ in m.named_parameters()])
for i, p in enumerate(m.parameters()):
    p.data = torch.sin(torch.arange(float(p.numel())) * 1.9 + i).view(p.shape)
opt = torch.optim.Adam(m.parameters(), lr=0.05, weight_decay=0.0005)
y = torch.tensor([0, 0, 0, 1, 1])
mask = torch.tensor([True, False, False, True, False])
for ep in range(10):
    opt.zero_grad()
    out = m(x, norm)
    loss = F.nll_loss(out[mask], y[mask])
    loss.backward()
    opt.step()
print(f"{loss:.4f}", out.argmax(1).eq(y).float().mean(), out)


class GAT(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.W = nn.Parameter(torch.full((i, o), 0.1))
        self.a = nn.Parameter(torch.linspace(-1, 1, 2 * o).view(-1, 1))
        self.act = nn.LeakyReLU(0.2)

    def forward(self, h, adj):
        Wh = h @ self.W
        o = Wh.size(1)
        e = self.act(Wh @ self.a[:o] + (Wh @ self.a[o:]).T)
        att = torch.where(adj > 0, e, -9000000000000000.0 * torch.ones_like(e))
        att = F.softmax(att, dim=1)
        return (F.elu(att @ Wh), att)


h, att = GAT(5, 3)(x + torch.arange(5.0)[:, None], a)
print(h, att, GAT(2, 2))


def scatter_mean(src, idx, n):
    o = src.new_zeros(n, src.size(1)).index_add_(0, idx, src)
    c = torch.zeros(n).scatter_add_(0, idx, torch.ones_like(idx, dtype=torch.float))
    return o / c.clamp_(min=1).unsqueeze(-1)


print(
    scatter_mean(torch.arange(10.0).view(5, 2), torch.tensor([0, 0, 1, 2, 2]), 4),
    torch.zeros(3).index_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 5.0, 2.0]), "amax"),
)
row, col = edge_index
print(
    row,
    col,
    torch.bincount(row, minlength=5),
    edge_index.t().tolist(),
    edge_index[:, row < col],
    torch.unique(edge_index),
    edge_index.flip(0),
    torch.cat([edge_index, edge_index.flip([0])], 1).unique(dim=1).size(1),
)
M = torch.matrix_power(a, 2)
print(
    M,
    (M > 0).int(),
    torch.linalg.eigvalsh(torch.diag(deg) - a).round(decimals=3),
    a.nonzero().shape,
    a.triu(1).nonzero().tolist(),
)
