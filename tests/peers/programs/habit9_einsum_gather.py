import torch

a = torch.arange(6).reshape(2, 3).float()
b = torch.arange(15).reshape(3, 5).float()
print(torch.einsum("ik,kj->ij", a, b))
print(torch.einsum("ij->ji", [a]))
print(torch.einsum("ij->", a), torch.einsum("ij->j", a))
A = torch.arange(30.0).view(2, 3, 5)
B = torch.arange(40.0).view(2, 5, 4)
print(torch.einsum("bij,bjk->bik", A, B))
print(
    torch.einsum("...ij->...ji", A).shape,
    torch.einsum("ii->i", torch.eye(3) * 2),
    torch.einsum("ii", torch.ones(3, 3)),
)
print(
    torch.einsum("bn,anm,bm->ba", torch.ones(2, 5), torch.ones(3, 5, 4), torch.ones(2, 4)),
    torch.einsum("i,j->ij", torch.arange(3.0), torch.arange(2.0)),
)
print(
    torch.einsum("bhqd,bhkd->bhqk", torch.ones(1, 2, 3, 4), torch.ones(1, 2, 5, 4)).shape,
    torch.einsum(a, [0, 1], b, [1, 2], [0, 2]).shape,
)
t = torch.tensor([[1, 2], [3, 4]])
print(torch.gather(t, 1, torch.tensor([[0, 0], [1, 0]])), t.gather(0, torch.tensor([[1, 1]])))
src = torch.arange(1, 11).reshape((2, 5))
index = torch.tensor([[0, 1, 2, 0]])
print(torch.zeros(3, 5, dtype=src.dtype).scatter_(0, index, src))
print(torch.full((2, 4), 2.0).scatter_(1, torch.tensor([[2], [3]]), 1.23, reduce="multiply"))
print(torch.zeros(3, 5).scatter_add_(0, torch.tensor([[0, 1, 2, 0, 0]]), torch.ones((2, 5))))
print(
    torch.tensor([1.0, 2, 3, 4]).scatter_reduce(
        0,
        torch.tensor([0, 1, 0, 1, 2, 1]),
        torch.tensor([1.0, 2, 3, 4, 5, 6]),
        reduce="amax",
        include_self=False,
    )
)
print(torch.zeros(4, 3).scatter_(1, torch.tensor([[2], [0], [1], [2]]), 1.0))
print(torch.nn.functional.one_hot(torch.tensor([0, 2, 1])))
x = torch.ones(5, 3)
x.index_add_(0, torch.tensor([0, 4, 2]), torch.arange(1.0, 10).view(3, 3))
print(x)
print(
    x.index_select(1, torch.tensor([0, 2])),
    x.index_fill(1, torch.tensor([1]), -1)[0],
    x.index_copy(0, torch.tensor([1]), torch.zeros(1, 3))[1],
)
print(
    torch.take(src, torch.tensor([0, 7])),
    torch.take_along_dim(src, src.argsort(1, descending=True), 1),
    src.put_(torch.tensor([1]), torch.tensor([99])),
)
m = torch.tensor([[True, False, True], [False, True, False]])
print(
    a[m],
    a.masked_select(m),
    a.masked_fill(~m, -1000000000.0),
    torch.where(m, a, torch.tensor(0.0)),
    m.nonzero(),
    m.nonzero(as_tuple=True),
    torch.argwhere(m),
)
a[m] = torch.tensor([10.0, 20.0, 30.0])
print(a, a.masked_scatter(m, torch.zeros(6)))
a[a > 15] *= -1
print(a)
print(
    a[:, None].shape,
    a[None, ..., None].shape,
    a[..., -1],
    a[[0, 1], [1, 2]],
    a[[1]],
    a[torch.tensor([1, 0])],
    a[1:, ::2],
    a[:, [True, False, True]],
)
s = torch.tensor([3, 1, 2, 1])
print(
    s.sort(),
    s.sort(descending=True, stable=True),
    s.argsort(),
    s.topk(2, largest=False),
    s.kthvalue(2),
    s.median(),
    s.mode(),
)
print(
    s.unique(),
    s.unique(return_inverse=True, return_counts=True),
    torch.unique_consecutive(s),
    torch.unique(t, dim=0),
    s.cumsum(0),
    s.cumprod(0),
    s.float().logcumsumexp(0),
    s.cummax(0),
)
print(
    torch.searchsorted(torch.tensor([1, 3, 5, 7]), torch.tensor([3, 6])),
    torch.bucketize(torch.tensor([0.5, 2.5]), torch.tensor([1.0, 2.0]), right=True),
    torch.histc(torch.tensor([1.0, 2, 1]), bins=4, min=0, max=3),
)
print(torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"))
print(
    torch.tril_indices(3, 3),
    torch.roll(s, 1),
    torch.flip(t, [0, 1]),
    torch.rot90(t),
    s.repeat_interleave(2),
    t.repeat(1, 2),
    t.tile(2),
)
print(
    torch.chunk(torch.arange(7), 3),
    torch.split(torch.arange(7), [2, 5]),
    torch.tensor_split(torch.arange(7), 3),
    torch.unbind(t),
    torch.stack([t, t], -1).shape,
    torch.hstack((t, t)),
    torch.vstack((t, t)).shape,
    torch.dstack((t, t)).shape,
)
print(
    torch.isin(s, torch.tensor([1, 9])),
    torch.diff(s),
    torch.block_diag(t, t),
    torch.kron(torch.eye(2), torch.ones(1, 2)),
    torch.outer(s, s)[0],
    torch.cross(torch.tensor([1.0, 0, 0]), torch.tensor([0.0, 1, 0]), dim=0),
)
print(
    s.view(2, -1),
    s.unflatten(0, (2, 2)),
    t.swapaxes(0, 1),
    t.movedim(0, 1),
    torch.atleast_2d(s),
    t.diagonal(),
    torch.diag_embed(s[:2]),
    torch.vander(s[:3]),
    torch.trapezoid(s.float()),
    t.flatten().narrow(0, 1, 2),
    t.ravel(),
)
