import torch
from torch import nn

netG = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2, inplace=True), nn.Linear(4, 2), nn.Tanh())
netD = nn.Sequential(
    nn.Linear(2, 4), nn.LeakyReLU(0.2, inplace=True), nn.Linear(4, 1), nn.Sigmoid()
)
for net in (netG, netD):
    for i, p in enumerate(net.parameters()):
        p.data = torch.sin(1.0 + torch.arange(p.numel()) + i).view_as(p)
criterion = nn.BCELoss()
real_label, fake_label = 1.0, 0.0
optimizerD = torch.optim.Adam(netD.parameters(), lr=0.02, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=0.02, betas=(0.5, 0.999))
for step in range(5):
    netD.zero_grad()
    real = torch.linspace(0, 1, 8).view(4, 2)
    label = torch.full((4,), real_label, dtype=torch.float)
    output = netD(real).view(-1)
    errD_real = criterion(output, label)
    errD_real.backward()
    D_x = output.mean().item()
    noise = torch.linspace(-1, 1, 8).view(4, 2)
    fake = netG(noise)
    label.fill_(fake_label)
    output = netD(fake.detach()).view(-1)
    errD_fake = criterion(output, label)
    errD_fake.backward()
    errD = errD_real + errD_fake
    optimizerD.step()
    netG.zero_grad()
    label.fill_(real_label)
    output = netD(fake).view(-1)
    errG = criterion(output, label)
    errG.backward()
    optimizerG.step()
    print(
        "[%d/%d]\tLoss_D: %.4f\tLoss_G: %.4f\tD(x): %.4f" % (step, 5, errD.item(), errG.item(), D_x)
    )
