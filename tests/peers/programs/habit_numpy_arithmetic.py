import numpy as np
import torch

a = np.array([1.0, 2.0, 3.0], dtype=np.float32)
t = torch.tensor([10.0, 20.0, 30.0])
print(t + torch.from_numpy(a))
print(t * a)
print(t + a, t - a, t / a)
print(type(t * a).__name__, (t * a.astype(np.float64)).dtype)
print(np.sum(t.numpy()), np.mean(t.numpy()), t.numpy().dtype)
print(t + np.float32(1.5), np.float64(2.0) * t, t * np.int64(3))
print(torch.tensor(np.arange(3)), torch.tensor(np.float32(2.5)), torch.as_tensor(a))
shared = torch.from_numpy(a)
a += 1
print(shared, shared.numpy() is a, np.allclose(shared, a))
print(torch.tensor([np.array([1, 2]), np.array([3, 4])]), np.asarray(t).sum(), np.array(t[0]))
print(torch.Tensor(np.arange(4).reshape(2, 2)), torch.LongTensor(np.array([1, 2])))
print(t[np.array([0, 2])], t[np.int64(1)], t.numpy()[::-1].copy())
print(torch.stack([torch.from_numpy(a), t]).numpy().shape, np.stack([t, t]).shape)
