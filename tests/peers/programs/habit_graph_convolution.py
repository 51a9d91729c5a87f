import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.FloatTensor(i, o))
        self.bias = nn.Parameter(torch.FloatTensor(o))
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / self.weight.size(1) ** 0.5
        self.weight.data.uniform_(-stdv, stdv)
        self.bias.data.uniform_(-stdv, stdv)
        assert self.weight.abs().max() <= stdv
        self.weight.data.copy_(torch.linspace(-1, 1, self.weight.numel()).view(self.weight.shape))
        self.bias.data.fill_(0.1)

    def forward(self, x, adj):
        return (
            torch.spmm(adj, torch.mm(x, self.weight)) + self.bias
            if adj.is_sparse
            else adj @ (x @ self.weight) + self.bias
        )


edges = torch.LongTensor([[0, 1, 2], [1, 2, 0]])
adj = torch.zeros(3, 3)
adj[edges[0], edges[1]] = 1
adj = adj + adj.t() + torch.eye(3)
deg = adj.sum(1)
norm = deg.pow(-0.5)
norm[torch.isinf(norm)] = 0
adj = norm.view(-1, 1) * adj * norm
x = torch.eye(3)
layer = GCN(3, 2)
print(
    layer(x, adj),
    layer.__class__.__name__
    + " ("
    + str(layer.weight.size(0))
    + " -> "
    + str(layer.weight.size(1))
    + ")",
)
out = torch.zeros(3, 2).index_add_(0, edges[1], layer.weight.detach()[edges[0]])
print(out, torch.nn.functional.dropout(out, 0.5, training=False).sum())
