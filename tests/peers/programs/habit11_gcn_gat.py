import torch
import torch.nn as nn
import torch.nn.functional as F


def scatter_softmax(src, index, num_nodes):
    shape = (num_nodes,) + src.shape[1:]
    idx = index.view(-1, *([1] * (src.dim() - 1))).expand_as(src)
    mx = torch.full(shape, float("-inf")).scatter_reduce(
        0, idx, src, reduce="amax", include_self=True
    )
    out = (src - mx[index]).exp()
    den = torch.zeros(shape).scatter_add(0, idx, out)
    return out / (den[index] + 1e-16)


def add_self_loops(edge_index, n):
    loop = torch.arange(n, dtype=torch.long).unsqueeze(0).repeat(2, 1)
    return torch.cat([edge_index, loop], dim=1)


class GCNConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x, edge_index):
        n = x.size(0)
        row, col = add_self_loops(edge_index, n)
        deg = torch.zeros(n).index_add_(0, col, torch.ones(col.numel()))
        dis = deg.pow(-0.5)
        dis[dis == float("inf")] = 0
        norm = dis[row] * dis[col]
        x = self.lin(x)
        out = torch.zeros_like(x).index_add(0, col, norm.unsqueeze(-1) * x[row])
        return out + self.bias


class GATConv(nn.Module):
    def __init__(self, i, o, heads=2, concat=True, negative_slope=0.2):
        super().__init__()
        self.heads, self.o, self.concat, self.ns = heads, o, concat, negative_slope
        self.lin = nn.Linear(i, heads * o, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, o))
        self.att_dst = nn.Parameter(torch.empty(1, heads, o))

    def forward(self, x, edge_index, return_attention=False):
        n = x.size(0)
        src, dst = add_self_loops(edge_index, n)
        h = self.lin(x).view(-1, self.heads, self.o)
        a = (h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst]
        alpha = scatter_softmax(F.leaky_relu(a, self.ns), dst, n)
        out = h.new_zeros(n, self.heads, self.o)
        out.index_add_(0, dst, h[src] * alpha.unsqueeze(-1))
        out = out.flatten(1) if self.concat else out.mean(1)
        return (out, alpha) if return_attention else out

    def __repr__(self):
        return f"{self.__class__.__name__}({self.lin.in_features}, {self.o}, heads={self.heads})"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.gat = GCNConv(3, 4), GCNConv(4, 4), GATConv(4, 3)
        self.cls = nn.Linear(12, 2)
        for k, p in enumerate(self.parameters()):
            nn.init.ones_(p) if p.dim() == 1 else p.data.copy_(
                torch.sin(torch.arange(p.numel()).float() + k).view_as(p)
            )

    def forward(self, x, ei, batch):
        x = F.relu(self.conv1(x, ei))
        x = F.elu(self.gat(F.relu(self.conv2(x, ei)), ei))
        ng = int(batch.max()) + 1
        idx = batch.unsqueeze(1).expand_as(x)
        mean = torch.zeros(ng, x.size(1)).scatter_reduce(
            0, idx, x, reduce="mean", include_self=False
        )
        mx = torch.zeros(ng, x.size(1)).scatter_reduce(0, idx, x, reduce="amax", include_self=False)
        return self.cls(torch.cat([mean, mx], dim=1)), x


edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (4, 5), (5, 6)]
ei = torch.tensor(edges, dtype=torch.long).t().contiguous()
ei = torch.cat([ei, ei.flip(0)], dim=1)
batch = torch.tensor([0, 0, 0, 0, 1, 1, 1])
x = torch.linspace(-1, 1, 21).view(7, 3)
net = Net()
out, h = net(x, ei, batch)
print(ei.shape, out)
print(h[0])
# dense check
A = torch.zeros(7, 7)
A[ei[1], ei[0]] = 1
A_hat = A + torch.eye(7)
D = torch.diag(A_hat.sum(1).pow(-0.5))
dense = D @ A_hat @ D @ net.conv1.lin(x) + net.conv1.bias
print("dense == scatter", torch.allclose(dense, net.conv1(x, ei), atol=1e-6))
print(A.sum(1).long().tolist(), torch.equal(A, A.T), A.nonzero().shape)
xx = torch.linspace(0, 1, 28).view(7, 4)
_, alpha = net.gat(xx, ei, return_attention=True)
dst = add_self_loops(ei, 7)[1]
print(alpha.shape, torch.zeros(7, 2).index_add_(0, dst, alpha).sum(0))
y = torch.tensor([0, 1])
opt = torch.optim.Adam(net.parameters(), lr=0.02, weight_decay=5e-4)
for epoch in range(20):
    opt.zero_grad()
    loss = F.cross_entropy(net(x, ei, batch)[0], y)
    loss.backward()
    opt.step()
print(round(loss.item(), 2), net(x, ei, batch)[0].argmax(1))
perm = torch.tensor([3, 1, 0, 2, 6, 5, 4])
inv = torch.argsort(perm)
o2, _ = net(x[perm], inv[ei], batch[perm])
print("permutation invariant", torch.allclose(o2, net(x, ei, batch)[0], atol=1e-4))
print(net)
L = torch.diag(A.sum(1)) - A
ev = torch.linalg.eigvalsh(L)
print(ev.abs().lt(1e-4).sum().item(), ev[2:])
