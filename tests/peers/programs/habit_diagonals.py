import torch

x = torch.arange(24.0).view(2, 3, 4)
print(torch.diagonal(x, dim1=1, dim2=2))
print(x.diagonal(offset=1, dim1=-2, dim2=-1))
print(torch.diag_embed(torch.tensor([[1.0, 2.0], [3.0, 4.0]])))
square = torch.arange(9.0).view(3, 3)
print(square.diag(), torch.diag(torch.tensor([1.0, 2.0])), square.trace())
square.diagonal().fill_(0)
print(square)
square.fill_diagonal_(5)
print(square, torch.triu(square, 1), square.tril(-1))
covariance = torch.eye(2).expand(3, 2, 2)
print(covariance.diagonal(dim1=-2, dim2=-1).sum(-1))
