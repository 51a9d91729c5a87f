import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(6, 4)
        self.fc21 = nn.Linear(4, 2)
        self.fc22 = nn.Linear(4, 2)
        self.fc3 = nn.Linear(2, 4)
        self.fc4 = nn.Linear(4, 6)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.full_like(std, 0.3)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 6))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 6), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


model = VAE()
for i, p in enumerate(model.parameters()):
    p.data.copy_(torch.sin(torch.arange(p.numel()) * 1.3 + i).view_as(p) * 0.4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = torch.rand(4, 2, 3).round().mul(0).add(torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
model.train()
train_loss = 0
for epoch in range(10):
    optimizer.zero_grad()
    recon_batch, mu, logvar = model(data)
    loss = loss_function(recon_batch, data, mu, logvar)
    loss.backward()
    train_loss += loss.item()
    optimizer.step()
print("====> Average loss: {:.4f}".format(train_loss / 10))
model.eval()
with torch.no_grad():
    print(model.decode(torch.zeros(1, 2)).cpu())
