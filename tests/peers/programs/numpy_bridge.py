import numpy as np
import torch

a = np.arange(6.0).reshape(2, 3)
t = torch.from_numpy(a)
a += 1
print(t, t.dtype, t.numpy().shape, np.asarray(t).sum())
print(torch.tensor(a).dtype, torch.tensor(a, dtype=torch.float32), torch.as_tensor([1, 2]))
print(torch.arange(3).numpy(), torch.ones(2).numpy().dtype, torch.ones(2).tolist())
print(np.float64(2) * torch.ones(2), torch.ones(2) * np.float32(2), torch.ones(2) + np.int64(1))
print(torch.tensor(np.float32(3)), torch.tensor(np.pi), np.sqrt(torch.tensor([4.0, 9.0]).numpy()))
x = torch.ones(2, requires_grad=True)
try:
    x.numpy()
except RuntimeError:
    print(x.detach().numpy())
try:
    np.asarray(x)
except RuntimeError:
    print("detach first")
