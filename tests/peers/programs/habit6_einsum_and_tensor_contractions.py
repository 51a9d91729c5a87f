import torch

A = torch.arange(6.0).view(2, 3)
B = torch.arange(12.0).view(3, 4)
x, y = torch.arange(3.0), torch.arange(4.0)
print(
    torch.einsum("ij,jk->ik", A, B),
    torch.einsum("ij->ji", A),
    torch.einsum("ii->i", torch.eye(3)),
    torch.einsum("ij,j->i", A, x),
)
print(
    torch.einsum("i,j->ij", x, y),
    torch.einsum("bij,bjk->bik", torch.ones(2, 2, 3), torch.ones(2, 3, 2)),
    torch.einsum("...ij->...ji", torch.ones(2, 3, 4)).shape,
)
print(
    torch.einsum("bhqd,bhkd->bhqk", torch.ones(1, 2, 3, 4), torch.ones(1, 2, 5, 4)).shape,
    torch.einsum("ij,ij->", A, A),
)
print(
    torch.tensordot(A, B, dims=1),
    torch.tensordot(A, A, dims=([0, 1], [0, 1])),
    torch.inner(x, x),
    torch.outer(x, y).shape,
)
print(
    A @ B,
    torch.matmul(A, x),
    torch.mm(A, B).shape,
    torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten(),
    torch.mv(A, x),
    torch.dot(x, x),
)
print(
    torch.addmm(torch.ones(2, 4), A, B, beta=0.5, alpha=2),
    torch.baddbmm(torch.zeros(2, 1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten(),
    torch.addr(torch.zeros(3, 4), x, y)[2],
    torch.addmv(torch.ones(2), A, x),
)
print(
    torch.kron(torch.eye(2), torch.ones(1, 2)),
    torch.cross(torch.tensor([1.0, 0, 0]), torch.tensor([0.0, 1, 0]), dim=0),
    torch.linalg.multi_dot([A, B, torch.ones(4, 1)]).flatten(),
)
print(torch.chain_matmul(A, B) if hasattr(torch, "chain_matmul") else None)
W = torch.ones(2, 3, requires_grad=True)
torch.einsum("bi,oi,o->b", torch.ones(4, 3), W, torch.tensor([1.0, 2.0])).sum().backward()
print(W.grad)
S = torch.tensor([[4.0, 1.0], [1.0, 3.0]])
L = torch.linalg.cholesky(S)
print(
    L,
    L @ L.T,
    torch.cholesky_solve(torch.ones(2, 1), L).flatten(),
    torch.linalg.solve(S, torch.ones(2)),
    torch.linalg.inv(S),
    torch.linalg.det(S),
    torch.linalg.slogdet(S),
)
print(
    torch.linalg.eigvalsh(S),
    torch.linalg.svdvals(S),
    torch.linalg.matrix_rank(S),
    torch.linalg.cond(S),
    torch.linalg.norm(S),
    torch.linalg.norm(S, ord=1),
    torch.linalg.matrix_power(S, 3),
    torch.linalg.pinv(A).shape,
)
U, s, Vh = torch.linalg.svd(A, full_matrices=False)
print(torch.allclose(U @ torch.diag(s) @ Vh, A, atol=1e-5), s)
Q, R = torch.linalg.qr(B.t())
print(torch.allclose(Q @ R, B.t(), atol=1e-4), Q.shape)
print(
    torch.linalg.lstsq(B.t(), y).solution.shape,
    torch.trace(S),
    torch.diag(S),
    torch.diagonal(S, 1),
    torch.tril(S),
    torch.block_diag(S, S).shape,
    torch.vander(x) if hasattr(torch, "vander") else 0,
)
lu, piv = torch.linalg.lu_factor(S)
print(
    torch.linalg.lu_solve(lu, piv, torch.ones(2, 1)).flatten(),
    torch.linalg.solve_triangular(L, torch.ones(2, 1), upper=False).flatten(),
    torch.logdet(S),
    torch.linalg.vector_norm(x, 3),
)
Z = S.clone().requires_grad_()
torch.linalg.slogdet(Z)[1].backward()
print(Z.grad, torch.matrix_exp(torch.zeros(2, 2)), torch.linalg.eigh(S).eigenvalues)
print(
    torch.broadcast_tensors(x[:, None], y[None])[0].shape,
    torch.broadcast_shapes((3, 1), (1, 4)),
    torch.movedim(torch.ones(2, 3, 4), 0, -1).shape,
    torch.swapaxes(A, 0, 1).shape,
)
