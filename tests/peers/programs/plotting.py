import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch

x = torch.linspace(0, 6.28, 50)
y = torch.sin(x)
figure, axes = plt.subplots()
(line,) = axes.plot(x, y, label="sin")
axes.scatter(x.numpy(), (y + 0.1).numpy())
axes.hist(y)
print(len(line.get_xdata()), round(float(line.get_ydata().max()), 3))
plt.close(figure)
figure, axes = plt.subplots()
axes.imshow(torch.eye(3))
plt.close(figure)
figure, axes = plt.subplots()
axes.bar(["a", "b", "c"], torch.tensor([1.0, 2.0, 3.0]))
plt.close(figure)
figure, axes = plt.subplots()
w = torch.ones(3, requires_grad=True)
axes.plot(w.detach())
plt.close(figure)
