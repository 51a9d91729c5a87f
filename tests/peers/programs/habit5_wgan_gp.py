import torch
from torch import autograd, nn, optim


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(4, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 2), nn.Tanh()
        )

    def forward(self, z):
        return self.main(z)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1)
        )

    def forward(self, x):
        return self.main(x).view(-1)


def gradient_penalty(critic, real, fake, eps):
    interpolates = (eps * real + (1 - eps) * fake).requires_grad_(True)
    d = critic(interpolates)
    grads = autograd.grad(
        outputs=d,
        inputs=interpolates,
        grad_outputs=torch.ones_like(d),
        create_graph=True,
        retain_graph=True,
    )[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
G, D = fixed(Generator()).to(device), fixed(Critic()).to(device)
optG = optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
optD = optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))
t = torch.linspace(0, 6.28, 8, device=device)
real = torch.stack((t.cos(), t.sin()), 1)
for epoch in range(3):
    for k in range(2):
        z = torch.sin(torch.arange(32.0, device=device) * (epoch + k + 1)).view(8, 4)
        fake = G(z).detach()
        optD.zero_grad()
        gp = gradient_penalty(D, real, fake, torch.full((8, 1), 0.3, device=device))
        lossD = D(fake).mean() - D(real).mean() + 10 * gp
        lossD.backward()
        optD.step()
    for p in D.parameters():
        p.requires_grad_(False)
    optG.zero_grad()
    lossG = -D(G(z)).mean()
    lossG.backward()
    optG.step()
    for p in D.parameters():
        p.requires_grad = True
    print(f"[{epoch}] D {lossD.item():.4f} G {lossG.item():.4f} gp {gp.item():.4f}")
print(all(p.grad is not None for p in G.parameters()))
