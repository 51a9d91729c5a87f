import torch
from torch import nn

torch.autograd.set_detect_anomaly(True)
w = torch.zeros(3, requires_grad=True)
try:
    loss = torch.log(w * w).sum() * 0
    loss.backward()
except RuntimeError as error:
    print("RuntimeError", "nan values" in str(error))
torch.autograd.set_detect_anomaly(False)
v = torch.ones(3, requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=False):
    (torch.log(v * 0) * 0).sum().backward()
print(v.grad)
