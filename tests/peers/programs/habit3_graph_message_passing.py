import torch
from torch import nn

edge_index = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]])
row, col = edge_index
deg = torch.zeros(4).scatter_add_(0, col, torch.ones(col.size(0)))
deg_inv_sqrt = deg.pow(-0.5)
deg_inv_sqrt[deg_inv_sqrt == float("inf")] = 0
norm = deg_inv_sqrt[row] * deg_inv_sqrt[col]
out = torch.zeros_like(x).index_add_(0, col, norm.view(-1, 1) * x[row])
print(deg, norm, out)
adj = torch.zeros(4, 4)
adj[row, col] = 1
a_hat = adj + torch.eye(4)
d = torch.diag(a_hat.sum(1).pow(-0.5))
w = nn.Parameter(torch.tensor([[0.5, -0.5], [1.0, 0.25]]))
h = torch.relu(d @ a_hat @ d @ x @ w)
h.sum().backward()
print(h, w.grad)
agg = torch.full((4, 2), -1e9).scatter_reduce(
    0, col.view(-1, 1).expand(-1, 2), x[row], reduce="amax"
)
print(
    agg,
    torch.zeros(4, 2).scatter_reduce(
        0, col[:, None].expand(-1, 2), x[row], "mean", include_self=False
    ),
)
e = (x[row] * x[col]).sum(-1)
e = torch.exp(e - e.max())
alpha = e / torch.zeros(4).scatter_add(0, col, e)[col]
print(alpha, torch.linalg.matrix_power(adj, 2).diag(), adj.nonzero().t().equal(edge_index))
batch = torch.tensor([0, 0, 1, 1])
print(torch.zeros(2, 2).index_add(0, batch, x) / torch.bincount(batch).unsqueeze(1))
