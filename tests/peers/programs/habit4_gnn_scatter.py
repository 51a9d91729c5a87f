import torch
import torch.nn.functional as F
from torch import nn

edge_index = torch.tensor([[0, 1, 1, 2, 3, 0], [1, 0, 2, 1, 0, 3]])
x = torch.eye(4)
N = x.size(0)
adj = torch.zeros(N, N)
adj[edge_index[0], edge_index[1]] = 1
print(adj, adj.sum(1))
A = adj + torch.eye(N)
deg = A.sum(dim=1)
D_inv_sqrt = torch.diag(deg.pow(-0.5))
A_hat = D_inv_sqrt @ A @ D_inv_sqrt
print(A_hat)


class GCNLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)

    def forward(self, x, edge_index):
        h = self.lin(x)
        row, col = edge_index
        out = torch.zeros_like(h)
        out = out.index_add(0, row, h[col])
        return out / torch.bincount(row, minlength=h.size(0)).clamp(min=1).unsqueeze(1)


net = GCNLayer(4, 2)
with torch.no_grad():
    net.lin.weight.copy_(torch.arange(8.0).reshape(2, 4) / 8)
out = net(x, edge_index)
print(out)
loss = F.cross_entropy(out, torch.tensor([0, 1, 0, 1]))
loss.backward()
print(loss, net.lin.weight.grad)
att = torch.tensor([0.1, 0.5, -0.2, 0.3, 0.0, 1.0])
row = edge_index[0]
mx = torch.full((N,), float("-inf")).scatter_reduce(0, row, att, reduce="amax")
ex = (att - mx[row]).exp()
soft = ex / torch.zeros(N).scatter_add(0, row, ex)[row]
print(mx, soft, torch.zeros(N).scatter_add(0, row, soft))
ev = torch.linalg.eigvalsh(torch.diag(adj.sum(1)) - adj)
print(ev.abs() < 1e-5, torch.linalg.matrix_power(adj, 2).diag(), (adj @ adj).nonzero().shape)
L, V = torch.linalg.eigh(A_hat)
print(L.max(), V.shape, adj.to(torch.long).sum().item(), torch.triu(adj).sum())
