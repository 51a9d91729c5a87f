import torch

a = torch.arange(6.0).reshape(2, 3)
b = torch.arange(12.0).reshape(3, 4)
print(torch.einsum("ij,jk->ik", a, b))
print(torch.einsum("ij->ji", a), torch.einsum("ij->", a), torch.einsum("ij->j", a))
print(torch.einsum("ij,ij->i", a, a), torch.einsum("i,j->ij", a[0], b[0]))
q = torch.arange(24.0).view(2, 3, 2, 2) / 10
k = torch.arange(24.0).flip(0).view(2, 3, 2, 2) / 10
att = torch.einsum("bqhd,bkhd->bhqk", q, k)
print(att.shape, att[0, 0])
print(torch.einsum("...ij,...jk->...ik", torch.ones(2, 2, 3), torch.ones(2, 3, 1)).shape)
m = torch.arange(9.0).view(3, 3)
print(torch.einsum("ii", m), torch.einsum("ii->i", m))
print(torch.einsum("bn,anm,bm->ba", torch.ones(2, 3), torch.ones(4, 3, 2), torch.ones(2, 2)))
w = torch.ones(2, 3, requires_grad=True)
torch.einsum("ij,kj->ik", w, a).sum().backward()
print(w.grad)
