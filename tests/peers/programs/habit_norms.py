import torch

m = torch.tensor([[3.0, -4.0], [0.0, 2.0]])
print(m.norm(), m.norm(p=1), torch.norm(m, p=2, dim=1), torch.norm(m, float("inf")))
print(torch.norm(m, p="fro"), torch.norm(m, "fro", dim=(0, 1)))
print(torch.linalg.norm(m), torch.linalg.norm(m, ord="fro"), torch.linalg.norm(m, 1))
print(
    torch.linalg.norm(m, float("inf")),
    torch.linalg.norm(m, -1),
    torch.linalg.norm(m, float("-inf")),
)
print(
    torch.linalg.matrix_norm(m), torch.linalg.matrix_norm(m, ord=1), torch.linalg.vector_norm(m, 3)
)
print(torch.linalg.norm(m, dim=1), torch.linalg.norm(m, ord=1, dim=0, keepdim=True))
unit = m / m.norm(dim=1, keepdim=True)
print(unit, torch.nn.functional.normalize(m, dim=1), torch.dist(m, unit, p=2))
print(torch.renorm(m, 2, 0, 2.0))
