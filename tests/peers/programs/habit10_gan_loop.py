import numpy as np
import torch
from torch import autograd, nn, optim
from torch.autograd import Variable

Tensor = torch.FloatTensor
rs = np.random.RandomState(1)


class Generator(nn.Module):
    def __init__(self, nz=4, shape=(1, 4, 4)):
        super(Generator, self).__init__()
        self.shape = shape

        def block(i, o, normalize=True):
            layers = [nn.Linear(i, o)]
            if normalize:
                layers.append(nn.BatchNorm1d(o, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(
            *block(nz, 8, normalize=False),
            *block(8, 16),
            nn.Linear(16, int(np.prod(shape))),
            nn.Tanh(),
        )

    def forward(self, z):
        img = self.model(z)
        return img.view(img.size(0), *self.shape)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(1, 4, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Flatten(),
            nn.Linear(16, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.model(x).view(-1)


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1 or classname.find("Linear") != -1:
        m.weight.data.copy_(
            torch.sin(torch.arange(m.weight.numel()).float()).view_as(m.weight) * 0.3
        )
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.0)
    if getattr(m, "bias", None) is not None:
        nn.init.constant_(m.bias.data, 0)


netG, netD = Generator(), Discriminator()
netG.apply(weights_init)
netD.apply(weights_init)
print(netG)
crit = nn.BCELoss()
oD = optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
oG = optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
fixed = torch.from_numpy(rs.randn(2, 4).astype("float32"))
for i in range(4):
    real = Variable(torch.from_numpy(rs.rand(6, 1, 4, 4)).type(Tensor))
    valid = Variable(Tensor(6).fill_(1.0), requires_grad=False)
    fake = Variable(Tensor(6, 1).fill_(0.0), requires_grad=False).squeeze(1)
    netD.zero_grad()
    out = netD(real)
    eR = crit(out, valid)
    eR.backward()
    z = Variable(Tensor(rs.normal(0, 1, (6, 4))))
    gen = netG(z)
    eF = crit(netD(gen.detach()), fake)
    eF.backward()
    oD.step()
    netG.zero_grad()
    eG = crit(netD(gen), valid)
    eG.backward()
    oG.step()
    print(
        "[%d/4] Loss_D: %.4f Loss_G: %.4f D(x): %.4f"
        % (i, (eR + eF).item(), eG.item(), out.mean().item())
    )


def gradient_penalty(D, real, fake):
    alpha = torch.full((real.size(0), 1, 1, 1), 0.3)
    inter = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    d = D(inter)
    g = autograd.grad(
        outputs=d,
        inputs=inter,
        grad_outputs=torch.ones_like(d),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    g = g.view(g.size(0), -1)
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


gp = gradient_penalty(netD, real.data, gen.data)
netD.zero_grad()
gp.backward()
print(gp, netD.model[0].weight.grad.norm())
for p in netD.parameters():
    p.data.clamp_(-0.01, 0.01)
netG.eval()
with torch.no_grad():
    f = netG(fixed).detach().cpu()
print(f.shape, f.mul(0.5).add(0.5).clamp(0, 1).mul(255).byte().view(-1)[:5].dtype, f.mean())
