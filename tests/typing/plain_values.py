"""From tensors to Python."""

import gpukit

x = gpukit.tensor([1.5, 2.5])
total = x.sum().item()
rounded = round(total)
size: int = x.size(0)
sizes: tuple[int, ...] = x.size()
array = x.numpy()
half: str = x.sum().item()  # E: assignment
whole: int = x.size()  # E: assignment
x.item("first")  # E: call-arg
x.tolist(1)  # E: call-arg
print(rounded, size, sizes, array.shape, float(x[0]), len(x))
