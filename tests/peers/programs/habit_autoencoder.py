import torch
from torch import nn
from torch.autograd import Variable
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 4)
        self.fc21 = nn.Linear(4, 2)
        self.fc22 = nn.Linear(4, 2)
        self.fc3 = nn.Linear(2, 6)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std) * 0 + 0.3
        return mu + eps * std

    def forward(self, x):
        h = F.relu(self.fc1(x.view(-1, 6)))
        mu, logvar = self.fc21(h), self.fc22(h)
        return torch.sigmoid(self.fc3(self.reparameterize(mu, logvar))), mu, logvar


model = VAE()
for p in model.parameters():
    p.data = torch.linspace(-0.3, 0.6, p.numel()).view(p.size())
x = Variable(torch.linspace(0, 1, 12).view(2, 2, 3))
recon, mu, logvar = model(x)
BCE = F.binary_cross_entropy(recon, x.view(-1, 6), reduction="sum")
KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
(BCE + KLD).backward()
print(BCE, KLD, model.fc3.weight.grad)
print(Variable(torch.ones(1), requires_grad=True).requires_grad, type(x).__name__)
