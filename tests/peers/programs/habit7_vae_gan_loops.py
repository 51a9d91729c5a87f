import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def noise(*shape):
    n = 1
    for s in shape:
        n *= s
    return (
        (torch.sin(torch.arange(n, dtype=torch.float32) * 12.9898) * 43758.5453 / 1e4)
        .sin()
        .mul(1.5)
        .view(*shape)
    )


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class VAE(nn.Module):
    def __init__(self, d=12, h=8, z=2):
        super().__init__()
        self.fc1 = nn.Linear(d, h)
        self.fc21, self.fc22 = nn.Linear(h, z), nn.Linear(h, z)
        self.fc3, self.fc4 = nn.Linear(z, h), nn.Linear(h, d)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = noise(*std.shape)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 12))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 12), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


data = (noise(16, 3, 4) > 0).float()
loader = DataLoader(TensorDataset(data, torch.zeros(16)), batch_size=8)
vae = fixed(VAE())
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-2)
for epoch in range(1, 4):
    vae.train()
    train_loss = 0
    for batch_idx, (x, _) in enumerate(loader):
        optimizer.zero_grad()
        recon, mu, logvar = vae(x)
        loss = loss_function(recon, x, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
    print("====> Epoch: {} Average loss: {:.4f}".format(epoch, train_loss / len(loader.dataset)))
vae.eval()
with torch.no_grad():
    sample = vae.decode(torch.zeros(2, 2)).view(2, 3, 4)
    print(sample, sample.clamp(0, 1).mul(255).add(0.5).byte())
q = torch.distributions.Normal(mu, (0.5 * logvar).exp())
kl = torch.distributions.kl_divergence(
    q, torch.distributions.Normal(torch.zeros_like(mu), torch.ones_like(mu))
)
print(torch.allclose(kl.sum(), -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()), atol=1e-4))


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


G = nn.Sequential(
    nn.ConvTranspose2d(4, 8, 4, 1, 0, bias=False),
    nn.BatchNorm2d(8),
    nn.ReLU(True),
    nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False),
    nn.Tanh(),
)
D = nn.Sequential(
    nn.Conv2d(1, 8, 4, 2, 1, bias=False),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(8, 1, 4, 1, 0, bias=False),
    nn.Flatten(),
)
print(G.apply(weights_init))
D.apply(weights_init)
fixed(G), fixed(D)
criterion = nn.BCEWithLogitsLoss()
optD = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
optG = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
real = noise(4, 1, 8, 8).clamp(-1, 1)
for i in range(3):
    D.zero_grad()
    label = torch.full((4, 1), 1.0)
    errD_real = criterion(D(real), label)
    errD_real.backward()
    fake = G(noise(4, 4, 1, 1))
    label.fill_(0.0)
    errD_fake = criterion(D(fake.detach()), label)
    errD_fake.backward()
    optD.step()
    G.zero_grad()
    label.fill_(1.0)
    errG = criterion(D(fake), label)
    errG.backward()
    optG.step()
    print(f"[{i}] Loss_D: {errD_real + errD_fake:.4f} Loss_G: {errG:.4f}")
print(
    fake.shape,
    D(fake).sigmoid().mean().item() > 0,
    torch.autograd.grad(D(real).sum(), list(D.parameters()))[0].shape,
)
