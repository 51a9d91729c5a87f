import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
import argparse

import torch
import torch.nn as nn
import torch.optim as optim

parser = argparse.ArgumentParser()
parser.add_argument("--batchSize", type=int, default=8, help="input batch size")
parser.add_argument("--nz", type=int, default=10, help="size of the latent z vector")
parser.add_argument("--ngf", type=int, default=8)
parser.add_argument("--ndf", type=int, default=8)
parser.add_argument("--niter", type=int, default=6)
parser.add_argument("--lr", type=float, default=0.0002)
parser.add_argument("--beta1", type=float, default=0.5)
opt = parser.parse_args([])
print(opt)
nc, nz, ngf, ndf = 1, opt.nz, opt.ngf, opt.ndf


# custom weights initialization called on netG and netD
def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        n = m.weight.numel()
        m.weight.data = (
            torch.sin(torch.arange(n, dtype=torch.float) * 3.7).mul_(0.1).view(m.weight.size())
        )
    elif classname.find("BatchNorm") != -1:
        nn.init.constant_(m.weight.data, 1.0)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.main = nn.Sequential(
            # input is Z, going into a convolution
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            # state size. (ngf*2) x 4 x 4
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            # state size. (ngf) x 8 x 8
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
            # state size. (nc) x 16 x 16
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input).view(-1, 1).squeeze(1)


netG = Generator()
netG.apply(weights_init)
print(netG)
netD = Discriminator()
netD.apply(weights_init)
print(netD)

criterion = nn.BCELoss()
i = torch.arange(opt.batchSize * nz, dtype=torch.float)
fixed_noise = (torch.sin(i * 12.9898) * 1.5).view(opt.batchSize, nz, 1, 1)
real_label, fake_label = 1.0, 0.0
optimizerD = optim.Adam(netD.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=opt.lr, betas=(opt.beta1, 0.999))
grid = torch.linspace(-3, 3, 16)
reals = torch.stack(
    [
        torch.sin(grid * (1 + 0.1 * k))[:, None] * torch.cos(grid)[None, :]
        for k in range(opt.batchSize)
    ]
)
reals = reals.unsqueeze(1)
print(reals.shape, fixed_noise.shape)

for epoch in range(opt.niter):
    # (1) Update D network: maximize log(D(x)) + log(1 - D(G(z)))
    netD.zero_grad()
    label = torch.full((opt.batchSize,), real_label, dtype=reals.dtype)
    output = netD(reals)
    errD_real = criterion(output, label)
    errD_real.backward()
    D_x = output.mean().item()
    noise = fixed_noise.roll(epoch, 0)
    fake = netG(noise)
    label.fill_(fake_label)
    output = netD(fake.detach())
    errD_fake = criterion(output, label)
    errD_fake.backward()
    D_G_z1 = output.mean().item()
    errD = errD_real + errD_fake
    optimizerD.step()
    # (2) Update G network: maximize log(D(G(z)))
    netG.zero_grad()
    label.fill_(real_label)
    output = netD(fake)
    errG = criterion(output, label)
    errG.backward()
    optimizerG.step()
    print(
        "[%d/%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f D(G(z)): %.4f / %.4f"
        % (epoch, opt.niter, errD.item(), errG.item(), D_x, D_G_z1, output.mean().item())
    )
with torch.no_grad():
    fake = netG(fixed_noise).detach().cpu()
print(fake.shape, "%.3f %.3f" % (fake.std(), fake.abs().max()))
print(netG.main[1].num_batches_tracked, netD.main[3].num_batches_tracked)
