import torch
from torch import nn

w = nn.Parameter(torch.tensor([3.0, 4.0]))
(w * w).sum().backward()
print(w.grad, nn.utils.clip_grad_norm_([w], max_norm=1.0), w.grad)
w.grad = torch.tensor([5.0, -5.0])
nn.utils.clip_grad_value_([w], 2.0)
print(w.grad, w.grad.norm(), nn.utils.clip_grad_norm_([w], 100.0))
