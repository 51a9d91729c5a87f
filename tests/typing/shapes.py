"""The same elements in other shapes."""

import gpukit

x = gpukit.arange(12).reshape(3, 4)
flat = x.reshape((-1,))
turned = x.permute(1, 0)
wide = x.unsqueeze(0).squeeze()
x.reshape("3", "4")  # E: call-overload
x.permute([0.5, 1.5])  # E: list-item
x.transpose(0)  # E: call-arg
x.unsqueeze()  # E: call-arg
print(flat, turned, wide, x.t(), x.flatten(), x.T)
