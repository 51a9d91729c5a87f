import torch

torch.set_printoptions(precision=3, sci_mode=False)
A = torch.arange(12.0).reshape(2, 2, 3) / 5
B = torch.arange(12.0).reshape(2, 3, 2).cos()
print(torch.einsum("bij,bjk->bik", A, B))
print(torch.einsum("bij->bji", A), torch.einsum("bij->", A), torch.einsum("...ij->...i", A))
print(torch.einsum("b i j, b i j -> b", A, A), torch.einsum("bij,j", A, torch.ones(3)))
print(torch.einsum(A, [0, 1, 2], B, [0, 2, 3], [0, 1, 3]))
print(
    torch.einsum("ii->i", torch.arange(9.0).view(3, 3)),
    torch.einsum("ii", torch.arange(9.0).view(3, 3)),
)
print(torch.einsum("i,j->ij", torch.arange(2.0), torch.arange(3.0)))
print(
    torch.einsum(
        "bn,anm,bm->ba", torch.ones(2, 3), torch.arange(12.0).view(2, 3, 2), torch.ones(2, 2)
    )
)
q = torch.randn(1, 2, 4, 3)
att = torch.einsum("bhqd,bhkd->bhqk", q, q).softmax(-1)
print(
    torch.allclose(att.sum(-1), torch.ones(1, 2, 4)),
    torch.einsum("bhqk,bhkd->bqhd", att, q).flatten(2).shape,
)
x = torch.arange(24).reshape(4, 6)
print(
    x[[0, 2]],
    x[:, [1, -1]],
    x[[0, 1], [2, 3]],
    x[x % 5 == 0],
    x[..., None].shape,
    x[None, :, ::2].shape,
    sep="\n",
)
print(
    x[torch.arange(4), torch.tensor([0, 5, 2, 1])],
    x[torch.tensor([True, False, True, False])][:, 1],
)
print(x[torch.arange(4)[:, None], torch.tensor([[0, 1], [2, 3], [4, 5], [0, 5]])])
print(x[1, ...], x[-1, -1].item(), x[1:3, ..., -2:], x[(1,)], x[1][2], x[slice(None, 2), 0])
y = x.clone()
y[:, 0] = -1
y[1] = torch.arange(6)
y[y > 20] = 0
y[[0, 3], [1, 1]] = torch.tensor([100, 200])
y[2, ::2] += 5
y[..., -1] *= 2
y[torch.tensor([3])] = 7
print(y)
z = torch.zeros(3, 3)
z[range(3), range(3)] = 1.0
z[0, 1:] = torch.tensor([5.0, 6.0])
z.diagonal().mul_(4)
z[z == 0] = float("nan")
print(z, z.nansum(), z.isnan().sum(), z.nan_to_num(9.0))
idx = torch.tensor([0, 0, 1])
t = torch.zeros(2)
t[idx] += 1
print(
    t,
    t.index_put((idx,), torch.ones(3), accumulate=True),
    torch.zeros(2).index_add(0, idx, torch.ones(3)),
)
print(
    x.take(torch.tensor([0, 7, -1])),
    x.take_along_dim(x.argmax(1, keepdim=True), 1),
    torch.take_along_dim(x, torch.tensor([[1]]), dim=1),
)
print(
    x.nonzero()[:2],
    torch.nonzero(x > 21, as_tuple=True),
    torch.argwhere(x == 9),
    torch.where(x > 21),
)
print(
    x.unfold(1, 2, 2).shape,
    x.as_strided((2, 2), (1, 6)),
    x.view(2, 2, -1).movedim(0, -1).shape,
    x.swapaxes(0, 1).shape,
)
for bad in [
    lambda: x[4],
    lambda: x[0, 0, 0],
    lambda: x[[0, 9]],
    lambda: x[torch.ones(3, dtype=torch.bool)],
    lambda: x[1.5],
    lambda: x["a"],
]:
    try:
        bad()
    except IndexError as e:
        print("IndexError")
    except TypeError as e:
        print("TypeError")
try:
    torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(2, 3))
except RuntimeError as e:
    print("RuntimeError")
print(
    *torch.tensor_split(x[0], 4),
    *x.chunk(3, 1)[0][:1],
    *torch.hsplit(x, 2)[1][:1],
    *x.split([1, 5], 1)[0],
)
print(
    torch.broadcast_tensors(torch.ones(2, 1), torch.zeros(3))[1],
    torch.broadcast_shapes((2, 1), (3,)),
    torch.meshgrid(torch.arange(2), torch.arange(2), indexing="xy"),
)
print(
    torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4])),
    torch.combinations(torch.arange(3)),
    torch.block_diag(torch.ones(1, 2), torch.eye(1)),
)
