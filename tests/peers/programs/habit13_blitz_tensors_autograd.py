"""Notes while going through the 60-minute blitz: tensors and autograd."""

import numpy as np
import torch

data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
np_array = np.array(data)
x_np = torch.from_numpy(np_array)
print(x_data)
print(x_np.dtype, x_np.shape)

x_ones = torch.ones_like(x_data)
print("Ones Tensor:", x_ones.tolist())
x_f = torch.zeros_like(x_data, dtype=torch.float)
print(f"Zeros float Tensor: {x_f[0]}")

shape = (
    2,
    3,
)
ones_tensor = torch.ones(shape)
zeros_tensor = torch.zeros(shape)
print(f"Ones Tensor: \n {ones_tensor} \n")
print(zeros_tensor.shape == ones_tensor.shape)

tensor = torch.arange(12, dtype=torch.float32).reshape(3, 4)
print(f"Shape of tensor: {tensor.shape}")
print(f"Datatype of tensor: {tensor.dtype}")
print(f"Device tensor is stored on: {tensor.device}")

tensor = torch.ones(4, 4)
print(f"First row: {tensor[0]}")
print(f"First column: {tensor[:, 0]}")
print(f"Last column: {tensor[..., -1]}")
tensor[:, 1] = 0
print(tensor)

t1 = torch.cat([tensor, tensor, tensor], dim=1)
print(t1.size())

y1 = tensor @ tensor.T
y2 = tensor.matmul(tensor.T)
y3 = torch.empty_like(y1)
torch.matmul(tensor, tensor.T, out=y3)
print(torch.equal(y1, y2), torch.equal(y2, y3))
z3 = torch.zeros_like(tensor)
torch.mul(tensor, tensor, out=z3)
print(z3.sum(), type(z3.sum().item()))

tensor.add_(5)
print(tensor[1])

t = torch.ones(5)
n = t.numpy()
t.add_(1)
print(f"t: {t}")
print(f"n: {n}")
n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(f"t: {t}")

# ---- autograd part
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
print(Q)
external_grad = torch.tensor([1.0, 1.0])
Q.backward(gradient=external_grad)
print(9 * a**2 == a.grad)
print(-2 * b == b.grad)

x = torch.ones(5)
w = torch.linspace(-1, 2, 15).reshape(5, 3).requires_grad_()
b = torch.zeros(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, torch.zeros(3))
print(f"Gradient function for z = {type(z.grad_fn).__name__}")
print(z)
loss.backward()
print(w.grad)
print(b.grad)
with torch.no_grad():
    z = torch.matmul(x, w) + b
print(z.requires_grad, z.detach().is_leaf)

inp = torch.eye(2, 3, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")
