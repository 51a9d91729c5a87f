import torch

x = torch.ones(2)
print(x.type())
print(x.long().type(), x.double().type(), x.bool().type(), x.half().type())
y = x.type(torch.LongTensor)
print(y)
print(y.type("torch.DoubleTensor"))
print(y.type(torch.float32))
target = (torch.tensor([0.2, 0.7]) > 0.5).type(torch.FloatTensor)
print(target, target.type() == x.type())
print(y.type_as(x))
correct = (torch.tensor([1, 2, 3]) == torch.tensor([1, 0, 3])).type(torch.float).sum()
print(correct)
if isinstance(x, torch.FloatTensor):
    print("float")
dtype = torch.cuda.FloatTensor if False else torch.FloatTensor
print(torch.zeros(2).type(dtype), torch.randn(3).type(dtype).shape)
