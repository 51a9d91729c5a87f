import torch

print(torch.get_default_dtype())
torch.set_default_tensor_type(torch.DoubleTensor)
print(torch.ones(2).dtype, torch.tensor(1.0).dtype, torch.Tensor([1]).dtype)
torch.set_default_tensor_type("torch.FloatTensor")
print(torch.zeros(1).dtype)
torch.set_default_dtype(torch.float64)
print(torch.tensor([1.5]), torch.linspace(0, 1, 3), torch.nn.Linear(1, 1).weight.dtype)
torch.set_default_dtype(torch.float32)
print(torch.tensor([1.5]).dtype)
torch.set_default_device("cpu")
print(torch.zeros(1).device, torch.get_default_device())
