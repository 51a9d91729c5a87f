import torch
import torch.nn as nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2, inplace=True), nn.Linear(4, 1), nn.Tanh())
D = nn.Sequential(nn.Linear(1, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1), nn.Sigmoid())
for net in (G, D):
    for p in net.parameters():
        p.data = torch.linspace(-0.4, 0.5, p.numel()).view(p.size())
criterion = nn.BCELoss()
optG = torch.optim.Adam(G.parameters(), lr=0.01, betas=(0.5, 0.999))
optD = torch.optim.Adam(D.parameters(), lr=0.01, betas=(0.5, 0.999))
real_label, fake_label = 1.0, 0.0
real = torch.linspace(1, 2, 3).unsqueeze(1)
noise = torch.linspace(-1, 1, 6).view(3, 2)
for step in range(3):
    D.zero_grad()
    label = torch.full((3,), real_label, dtype=torch.float)
    errD_real = criterion(D(real).view(-1), label)
    errD_real.backward()
    fake = G(noise)
    label.fill_(fake_label)
    errD_fake = criterion(D(fake.detach()).view(-1), label)
    errD_fake.backward()
    optD.step()
    G.zero_grad()
    label.fill_(real_label)
    errG = criterion(D(fake).view(-1), label)
    errG.backward()
    optG.step()
    print("[%d] Loss_D: %.4f Loss_G: %.4f" % (step, (errD_real + errD_fake).item(), errG.item()))
