import torch

A = torch.tensor([[4.0, 1.0], [2.0, 3.0]])
b = torch.tensor([1.0, 2.0])
print(torch.linalg.solve(A, b), torch.inverse(A), A.inverse() @ A)
print(
    torch.det(A), torch.linalg.det(A), torch.linalg.eigvalsh(A @ A.t()), torch.linalg.matrix_rank(A)
)
print(
    torch.mm(A, A),
    A.mv(b),
    torch.dot(b, b),
    torch.outer(b, b),
    torch.bmm(A[None], A[None]),
    A.matmul(b),
)
U, S, Vh = torch.linalg.svd(A)
print(S, torch.allclose(U @ torch.diag(S) @ Vh, A, atol=1e-5))
Q, R = torch.linalg.qr(A)
print(torch.allclose(Q @ R, A, atol=1e-5), torch.linalg.cholesky(A @ A.t()))
print(
    torch.linalg.lstsq(
        torch.tensor([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]), torch.tensor([[1.0], [2.0], [2.0]])
    ).solution
)
print(
    torch.addmm(b, A, A, beta=0.5, alpha=2),
    torch.baddbmm(A[None], A[None], A[None]),
    torch.linalg.multi_dot([A, A, b]),
)
print(
    torch.tensordot(A, A, dims=1),
    torch.kron(b, b),
    torch.cross(torch.tensor([1.0, 0, 0]), torch.tensor([0, 1.0, 0]), dim=0),
)
print(
    torch.linalg.inv(A),
    torch.pinverse(A),
    torch.matrix_power(A, 3),
    torch.trace(A),
    torch.linalg.slogdet(A),
)
