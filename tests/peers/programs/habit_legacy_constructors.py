import torch

x = torch.Tensor(2, 3)
print(x.shape, x.dtype)
y = torch.Tensor([1, 2, 3])
print(y)
print(torch.Tensor([[1, 2], [3, 4]]).t())
labels = torch.LongTensor([0, 2, 1])
print(labels, labels.dtype)
mask = torch.BoolTensor([True, False, True])
print(y[mask])
print(torch.Tensor().numel(), torch.Tensor(3).zero_())
print(torch.IntTensor([1, 2]) + torch.FloatTensor([0.5, 0.5]))
print(
    isinstance(x, torch.Tensor),
    isinstance(labels, torch.LongTensor),
    isinstance(x, torch.LongTensor),
)
print(torch.DoubleTensor([1.5]).dtype, torch.HalfTensor([1.5]), torch.ByteTensor([255]))
print(torch.ShortTensor([1]).dtype, torch.CharTensor([-1]), torch.BFloat16Tensor([2.0]).dtype)
print(torch.Tensor(torch.Size([4, 1])).shape)
