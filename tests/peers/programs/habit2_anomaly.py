import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
try:
    with torch.autograd.detect_anomaly():
        y = (x.sqrt() * 0.0).sum()
        y.backward()
except RuntimeError as error:
    print(error)
x.grad = None
y = (x.sqrt() * 0.0).sum()
y.backward()
print(x.grad)
print(torch.is_anomaly_enabled())
with torch.autograd.set_detect_anomaly(True):
    print(torch.is_anomaly_enabled())
    z = (x * 2).sum()
    z.backward()
print(torch.is_anomaly_enabled(), x.grad)
torch.autograd.set_detect_anomaly(False)
