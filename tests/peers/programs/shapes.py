import torch

x = torch.arange(24)
print(x.view(2, 3, 4).shape, x.view(4, -1).shape, x.reshape(-1, 12).shape)
y = x.reshape(2, 3, 4)
print(y.permute(2, 0, 1).shape, y.transpose(0, 2).shape, y[0].t().shape, y[0].T)
print(y.unsqueeze(0).shape, y.unsqueeze(-1).shape, y.unsqueeze(1).squeeze(1).shape)
print(y.flatten().shape, y.flatten(1).shape, torch.flatten(y, start_dim=1).shape, y.ravel().shape)
print(torch.ones(1, 3).expand(4, 3).shape, torch.ones(2).repeat(2, 3).shape)
print(y.transpose(1, 2).is_contiguous(), y.transpose(1, 2).contiguous().is_contiguous())
print(y.swapaxes(0, 1).shape, y.movedim(0, -1).shape, y.view_as(x.view(2, 3, 4)).shape)
print(torch.squeeze(torch.ones(1, 2, 1)).shape, torch.permute(y, (1, 0, 2)).shape)
v = x.view(4, 6)
v[0, 0] = 100
print(x[0], x[:3].tolist(), torch.broadcast_to(torch.ones(1, 2), (3, 2)))
