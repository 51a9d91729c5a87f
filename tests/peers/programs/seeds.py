import torch

torch.manual_seed(42)
a = torch.rand(2, 3)
torch.manual_seed(42)
print(torch.equal(a, torch.rand(2, 3)), a.min() >= 0, a.max() < 1, a.shape)
g = torch.Generator().manual_seed(7)
b = torch.randn(5, generator=g)
print(torch.equal(b, torch.randn(5, generator=torch.Generator().manual_seed(7))))
print(
    torch.randint(0, 10, (3,)).dtype,
    torch.randint(5, (2, 2)).shape,
    torch.randperm(5).sort().values,
)
print(torch.rand_like(a).shape, torch.randn_like(a).dtype, torch.normal(5.0, 0.0, (2,)))
print(torch.bernoulli(torch.tensor([0.0, 1.0])), torch.multinomial(torch.tensor([0.0, 1.0]), 1))
print(torch.empty(3).uniform_(2, 2), torch.empty(2).normal_(1, 0), torch.initial_seed())
