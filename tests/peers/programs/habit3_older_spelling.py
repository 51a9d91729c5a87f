import torch
from torch.autograd import Variable

x = Variable(torch.FloatTensor([[1, 2], [3, 4]]), requires_grad=True)
y = torch.LongTensor([1, 0])
w = torch.Tensor(2, 2).fill_(0.5)
print(x.data, y.type(), w.type(), x.mm(w))
loss = torch.nn.CrossEntropyLoss()(x.mm(w), y)
loss.backward()
print(loss.data, x.grad.data, loss.item())
z = torch.Tensor([1, 2, 3])
print(
    z.new(2, 2).size(),
    z.new([4, 5]),
    z.new_tensor([1, 2]),
    z.new_full((2,), 3.0),
    z.new_empty(0).shape,
)
print(
    torch.ByteTensor([1, 0, 1]),
    torch.DoubleTensor(2).size(),
    torch.IntTensor([3]).type(),
    z.byte(),
    z.char(),
    z.short(),
)
print(
    isinstance(z, torch.FloatTensor),
    isinstance(z, torch.LongTensor),
    z.is_cuda,
    z.numpy().dtype,
    torch.Tensor(z.size()).shape,
)
print(
    torch.from_numpy(z.numpy()).type(torch.LongTensor),
    z.long().type("torch.FloatTensor"),
    z.type(torch.DoubleTensor).dtype,
)
print(
    torch.max(z, 0)[1].item(),
    z.sub(1).clamp_(min=0),
    z.view(-1, 1).expand_as(torch.zeros(3, 2)).sum(),
    torch.mm(z.view(1, -1), z.view(-1, 1)),
)
print(z.cpu().numpy(), torch.is_storage(z), z.ne(2).sum(), z.ge(2), z.eq(2).all(), torch.numel(z))
