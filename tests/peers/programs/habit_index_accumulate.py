import torch

table = torch.zeros(4, 2)
index = torch.tensor([0, 2, 2])
source = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
print(table.index_add(0, index, source))
print(torch.index_add(table, 0, index, source, alpha=2))
table.index_add_(0, index, source, alpha=-1)
print(table)
print(table.index_select(0, index), table.index_fill(0, torch.tensor([1]), 9.0))
table.index_copy_(0, torch.tensor([3, 1, 0]), source)
print(table)
print(
    table.index_put(
        (torch.tensor([0, 0]), torch.tensor([1, 1])), torch.tensor([1.0, 1.0]), accumulate=True
    )
)
nodes = torch.zeros(3).scatter_add(
    0, torch.tensor([0, 1, 1, 2]), torch.tensor([1.0, 2.0, 3.0, 4.0])
)
print(nodes)
