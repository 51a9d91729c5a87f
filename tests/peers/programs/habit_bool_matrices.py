import torch

adjacency = torch.tensor([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=torch.bool)
steps = (adjacency.float() @ adjacency.float()).bool()
print(steps)
print(torch.matmul(adjacency.int(), torch.tensor([1, 0, 1], dtype=torch.int32)))
reach = adjacency | steps | torch.eye(3, dtype=torch.bool)
print(reach, reach.sum(1), reach.float().mean())
print(adjacency.nonzero(), adjacency.nonzero(as_tuple=True))
print(~adjacency, adjacency ^ reach, torch.logical_and(reach, adjacency).int())
print(torch.argwhere(adjacency), torch.count_nonzero(reach, dim=0))
