from __future__ import print_function

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

epsilons = [0, 0.05, 0.1, 0.2, 0.4]
torch.manual_seed(42)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.fc1 = nn.Linear(4 * 5 * 5, 16)
        self.fc2 = nn.Linear(16, 4)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=1)


@torch.no_grad()
def init_weights(m):
    if isinstance(m, (nn.Conv2d, nn.Linear)):
        fan_in = m.weight[0].numel()
        m.weight.copy_(
            torch.sin(torch.arange(m.weight.numel()).double() ** 1.3).reshape_as(m.weight)
            / fan_in**0.5
        )
        m.bias.fill_(0.01)


rng = np.random.default_rng(0)
protos = rng.uniform(0, 1, size=(4, 12, 12))
labels = np.arange(80) % 4
images = np.clip(protos[labels] * 0.6 + 0.4 * rng.uniform(0, 1, size=(80, 12, 12)), 0, 1)
images = torch.tensor(images, dtype=torch.float32).unsqueeze(1)
labels = torch.as_tensor(labels)
print(images.shape, images.dtype, labels.dtype, "%.4f" % images.mean())

model = Net()
model.apply(init_weights)
model.eval()  # dropout off for reproducible training as well
opt = torch.optim.Adadelta(model.parameters(), lr=1.0)
print(opt)
for epoch in range(15):
    opt.zero_grad()
    loss = F.nll_loss(model(images), labels)
    loss.backward()
    opt.step()
    if epoch % 5 == 4:
        print("epoch", epoch + 1, "loss %.3f" % loss.item())


def fgsm_attack(image, epsilon, data_grad):
    sign_data_grad = data_grad.sign()
    perturbed_image = image + epsilon * sign_data_grad
    return torch.clamp(perturbed_image, 0, 1)


def denorm(batch, mean=[0.1307], std=[0.3081]):
    if isinstance(mean, list):
        mean = torch.tensor(mean)
    if isinstance(std, list):
        std = torch.tensor(std)
    return batch * std.view(1, -1, 1, 1) + mean.view(1, -1, 1, 1)


def test(model, epsilon, n=40):
    correct = 0
    adv_examples = []
    for i in range(n):
        data, target = images[i : i + 1].clone(), labels[i : i + 1]
        data.requires_grad = True
        output = model(data)
        init_pred = output.max(1, keepdim=True)[1]
        if init_pred.item() != target.item():
            continue
        loss = F.nll_loss(output, target)
        model.zero_grad()
        loss.backward()
        data_grad = data.grad.data
        perturbed_data = fgsm_attack(data, epsilon, data_grad)
        final_pred = model(perturbed_data).max(1, keepdim=True)[1]
        if final_pred.item() == target.item():
            correct += 1
        elif len(adv_examples) < 5:
            adv_examples.append(
                (
                    init_pred.item(),
                    final_pred.item(),
                    perturbed_data.squeeze().detach().cpu().numpy(),
                )
            )
    final_acc = correct / float(n)
    print(f"Epsilon: {epsilon}\tTest Accuracy = {correct} / {n} = {final_acc}")
    return final_acc, adv_examples


accuracies = []
for eps in epsilons:
    acc, ex = test(model, eps)
    accuracies.append(acc)
print(accuracies == sorted(accuracies, reverse=True), len(ex) <= 5)
print(denorm(torch.zeros(1, 1, 2, 2)))
x = images[:2].clone().requires_grad_()
(g,) = torch.autograd.grad(F.nll_loss(model(x), labels[:2]), x)
print(g.shape, g.sign().unique(), x.grad is None)
