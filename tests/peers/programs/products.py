import torch

a = torch.arange(6.0).reshape(2, 3)
b = torch.arange(12.0).reshape(3, 4)
print(a @ b, torch.mm(a, b).sum(), torch.matmul(a, b).shape, a.matmul(b).equal(a @ b))
print(a.T @ a, torch.dot(a[0], a[1]), a @ a[0], torch.mv(a, a[0]), torch.outer(a[0], a[1]))
batch = torch.stack([a, a + 1])
print(torch.bmm(batch, batch.transpose(1, 2)), (batch @ b).shape)
print(
    torch.einsum("ij,jk->ik", a, b).shape, torch.einsum("ij->j", a), torch.einsum("bij->b", batch)
)
print(
    torch.addmm(torch.ones(2, 4), a, b).shape,
    torch.tril(torch.ones(3, 3)),
    torch.diag(torch.ones(2)),
)
print(torch.linalg.norm(a), torch.trace(torch.eye(3)), torch.allclose(a @ b, torch.mm(a, b)))
