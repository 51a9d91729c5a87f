import numpy as np
import torch

a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
t[0, 0] = 100
print(a)
print(t * a, a * 2 + t.numpy())
print(torch.as_tensor(a).data_ptr() == t.data_ptr(), torch.tensor(a).data_ptr() == t.data_ptr())
print(np.mean(t.numpy()), np.sum(t.numpy(), axis=0), t.mean().numpy())
print(
    np.asarray(t).dtype, np.array(t).shape, torch.tensor(np.float64(3.0)), torch.tensor(np.int32(3))
)
print(t + np.float32(1.0), t[np.array([0, 1]), np.array([1, 2])], t[np.int64(1)])
idx = np.argsort(-t.numpy(), axis=1)
print(torch.from_numpy(idx.copy()), t.detach().cpu().numpy().tolist())
print(torch.tensor([np.ones(2), np.zeros(2)]), torch.from_numpy(np.array([True, False])))
w = torch.ones(2, requires_grad=True)
try:
    w.numpy()
except RuntimeError as e:
    print("RuntimeError", "detach" in str(e))
loss_history = []
for i in range(3):
    loss_history.append((w * i).sum().item())
print(np.array(loss_history), np.allclose(t.numpy(), a), isinstance(t.numpy(), np.ndarray))
print(torch.ones(2, dtype=torch.float64) + np.array([1, 2]), torch.arange(3) * np.array([2, 3, 4]))
print(
    np.exp(torch.zeros(2)),
    np.stack([torch.ones(2), torch.zeros(2)]),
)
