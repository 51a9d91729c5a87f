import torch

a, b = torch.ones(2, 3), torch.zeros(2, 3)
print(torch.cat([a, b]), torch.cat((a, b), dim=1).shape, torch.stack([a, b]).shape)
print(torch.vstack([a, b]).shape, torch.hstack([a, b]).shape, torch.concat([a, b], axis=1).shape)
x = torch.arange(10)
print(x.chunk(3), x.split(4), torch.split(x, [2, 8]), x.reshape(2, 5).unbind(0))
print(
    torch.stack([torch.tensor(1.0), torch.tensor(2.0)]),
    x.flip(0),
    torch.roll(x, 2),
    x.tile(2).shape,
)
losses = []
for i in range(3):
    losses.append(torch.tensor(float(i)))
print(torch.stack(losses).mean())
