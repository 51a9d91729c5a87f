import torch

loss = torch.tensor(0.123456, requires_grad=True)
print(f"{loss} {loss:.3f} {loss.item():8.2f} {loss.detach()}")
print("%.2f" % loss.item(), "{:.4f}".format(loss.item()), round(loss.item(), 3), str(loss.detach()))
print(f"{torch.tensor(3)} {torch.tensor(3):d} {torch.tensor(True)} {torch.tensor([1.0, 2.0])}")
print(float(torch.tensor(2.5)), int(torch.tensor(2.5)), bool(torch.tensor(0.0)))
try:
    print(f"{torch.tensor([1.0, 2.0]):.2f}")
except TypeError:
    print([f"{v:.2f}" for v in torch.tensor([1.0, 2.0])])
losses = [torch.tensor(1.0), torch.tensor(2.0)]
print(sum(losses) / len(losses), max(losses), sorted(t.item() for t in losses))
