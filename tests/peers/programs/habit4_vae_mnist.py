import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.fc1 = nn.Linear(16, 8)
        self.fc21 = nn.Linear(8, 2)
        self.fc22 = nn.Linear(8, 2)
        self.fc3 = nn.Linear(2, 8)
        self.fc4 = nn.Linear(8, 16)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.full_like(std, 0.25)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 16))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 16), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


model = VAE()
for i, p in enumerate(model.parameters()):
    with torch.no_grad():
        p.copy_(torch.linspace(-0.4, 0.5, p.numel()).view_as(p))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = (torch.arange(64).reshape(4, 1, 4, 4) % 5 == 0).float()
for epoch in range(1, 4):
    model.train()
    optimizer.zero_grad()
    recon_batch, mu, logvar = model(data)
    loss = loss_function(recon_batch, data, mu, logvar)
    loss.backward()
    optimizer.step()
    print("====> Epoch: {} Average loss: {:.4f}".format(epoch, loss.item() / len(data)))
print(recon_batch[0, :4], mu[0], logvar.exp()[0], loss)
torch.manual_seed(1)
sample = model.decode(torch.randn(2, 2)).cpu()
print(sample.view(2, 1, 4, 4).shape, torch.randn_like(mu).shape)
