import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super(GraphConvolution, self).__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(torch.FloatTensor(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.FloatTensor(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        if self.bias is not None:
            self.bias.data.uniform_(-stdv, stdv)
        self.weight.data.copy_(
            torch.linspace(-stdv, stdv, self.weight.numel()).view_as(self.weight)
        )
        self.bias.data.fill_(0.01)

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        output = torch.mm(adj, support)
        return output + self.bias if self.bias is not None else output

    def __repr__(self):
        return (
            self.__class__.__name__
            + " ("
            + str(self.in_features)
            + " -> "
            + str(self.out_features)
            + ")"
        )


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


edges = torch.tensor([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [1, 3]]).t()
n = 5
adj = torch.zeros(n, n)
adj[edges[0], edges[1]] = 1.0
adj[edges[1], edges[0]] = 1.0
adj.fill_diagonal_(1.0)
d = adj.sum(1).pow(-0.5)
d[torch.isinf(d)] = 0.0
adj = torch.diag(d) @ adj @ torch.diag(d)
model = GCN(3, 4, 2, 0.0)
print(model)
feats = torch.eye(5)[:, :3] + 0.1
labels = torch.LongTensor([0, 0, 1, 1, 0])
idx_train, idx_val = torch.LongTensor([0, 2, 4]), torch.LongTensor([1, 3])
opt = torch.optim.Adam(model.parameters(), lr=0.05, weight_decay=5e-4)
for epoch in range(5):
    model.train()
    opt.zero_grad()
    out = model(feats, adj)
    loss = F.nll_loss(out[idx_train], labels[idx_train])
    preds = out.max(1)[1].type_as(labels)
    acc = preds.eq(labels).double().sum() / len(labels)
    loss.backward()
    opt.step()
    print(
        "Epoch: {:04d}".format(epoch + 1),
        "loss_train: {:.4f}".format(loss.item()),
        "acc: {:.4f}".format(acc.item()),
    )
