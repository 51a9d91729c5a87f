import numpy as np
import torch

a = np.arange(6, dtype=np.float32).reshape(2, 3)
t = torch.from_numpy(a)
t[0, 0] = 42
print(a[0, 0], t.dtype, torch.tensor(a).dtype, torch.as_tensor(np.float64(3)).dtype)
a[1] = -1
print(t)
print(np.asarray(t).base is not None, np.allclose(t.numpy(), a))
print(torch.from_numpy(np.array([1, 2])).dtype, torch.tensor([np.float32(1.5), 2]).dtype)
print(np.mean(t.numpy()), np.sum(t.numpy(), axis=0))
x = torch.ones(3, requires_grad=True)
try:
    x.numpy()
except RuntimeError:
    print("detach first")
print(x.detach().numpy(), x.detach().cpu().numpy().tolist())
print(t.numpy().T.shape, torch.from_numpy(a.T).stride())
print(torch.from_numpy(np.ascontiguousarray(a[:, ::-1])))
try:
    torch.from_numpy(a[:, ::-1])
except ValueError:
    print("negative strides")
print(t * np.float32(2), (t * np.float64(2)).dtype, t + np.ones(3, np.float32))
print(torch.tensor(np.array([True, False])), torch.tensor(np.array(["a"]) == "a"))
idx = np.array([1, 0])
print(t[idx], t[:, np.array([True, False, True])])
print(torch.linspace(0, 1, 3).numpy().astype(np.float64).dtype, np.float32(t[0, 1]), float(t[0, 1]))
for row in t.numpy():
    print(row.sum(), end=" ")
print()
print(
    torch.stack([torch.from_numpy(r) for r in a]).shape,
    torch.cat([torch.tensor(a), torch.zeros(1, 3)]).shape,
)
print(np.concatenate([t.numpy(), np.zeros((1, 3))]).dtype, len(t), list(t.shape) == list(a.shape))
print(torch.tensor([[1, 2], [3, 4]]).numpy() @ np.array([1, 1]))
rng = np.random.default_rng(0)
perm = rng.permutation(4)
print(torch.arange(4)[perm].tolist() == perm.tolist(), torch.as_tensor(perm).dtype)
c = torch.from_numpy(np.array([1 + 2j], dtype=np.complex64))
print(c, c.real, c.numpy().dtype)
print(
    torch.tensor(3).item() + np.int64(2),
    np.array(torch.arange(3)),
    np.array([torch.tensor(1.0), torch.tensor(2.0)]),
)
d = torch.zeros(2, dtype=torch.float16).numpy()
print(d.dtype, torch.from_numpy(d).dtype)
print(torch.from_numpy(np.zeros((0, 3))).shape, bool(torch.tensor(np.bool_(True))))
print(
    torch.asarray([1.0, 2.0]),
    torch.frombuffer(
        np.arange(3, dtype=np.int16).tobytes()
        and bytearray(np.arange(3, dtype=np.int16).tobytes()),
        dtype=torch.int16,
    ),
)
