import torch
import torch.nn.functional as F
from torch import nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class VAE(nn.Module):
    def __init__(self, d=12, h=10, z=3):
        super().__init__()
        self.fc1 = nn.Linear(d, h)
        self.fc21, self.fc22 = nn.Linear(h, z), nn.Linear(h, z)
        self.fc3, self.fc4 = nn.Linear(z, h), nn.Linear(h, d)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.full_like(std, 0.1) if self.training else torch.zeros_like(std)
        return eps.mul(std).add_(mu)

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 12))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar, beta):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 12), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + beta * KLD, KLD


model = fixed(VAE())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = (torch.sin(torch.arange(96.0)).view(8, 3, 4) > 0).float()
for epoch in range(1, 6):
    model.train()
    beta = min(1.0, epoch / 4)
    optimizer.zero_grad()
    recon, mu, logvar = model(data)
    loss, kld = loss_function(recon, data, mu, logvar, beta)
    loss.backward()
    total = nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
    optimizer.step()
    print(
        "====> Epoch: {} Average loss: {:.4f} KLD {:.4f} norm {:.3f}".format(
            epoch, loss.item() / len(data), kld.item(), total
        )
    )
model.eval()
with torch.no_grad():
    sample = model.decode(torch.zeros(2, 3))
print(sample.round(decimals=3))
