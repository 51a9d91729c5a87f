import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())
    return G.div(a * b * c * d)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super(ContentLoss, self).__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


class StyleLoss(nn.Module):
    def __init__(self, tf):
        super().__init__()
        self.target = gram_matrix(tf).detach()

    def forward(self, input):
        self.loss = F.mse_loss(gram_matrix(input), self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = mean.clone().detach().view(-1, 1, 1)
        self.std = torch.tensor(std).view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


cnn = nn.Sequential(
    nn.Conv2d(3, 4, 3, padding=1),
    nn.ReLU(inplace=True),
    nn.MaxPool2d(2),
    nn.Conv2d(4, 4, 3, padding=1),
    nn.ReLU(inplace=True),
).eval()
for i, p in enumerate(cnn.parameters()):
    p.data = torch.sin(torch.arange(float(p.numel())) * 0.9 + i).view(p.shape) * 0.4
style = torch.sin(torch.arange(192.0)).view(1, 3, 8, 8).abs()
content = torch.linspace(0, 1, 192).view(1, 3, 8, 8)
model = nn.Sequential(Normalization(torch.tensor([0.485, 0.456, 0.406]), [0.229, 0.224, 0.225]))
sl, cl, i = ([], [], 0)
for layer in cnn.children():
    if isinstance(layer, nn.Conv2d):
        i += 1
        name = f"conv_{i}"
    elif isinstance(layer, nn.ReLU):
        name = f"relu_{i}"
        layer = nn.ReLU(inplace=False)
    elif isinstance(layer, nn.MaxPool2d):
        name = "pool_{}".format(i)
    else:
        raise RuntimeError("Unrecognized layer: {}".format(layer.__class__.__name__))
    model.add_module(name, layer)
    if name == "conv_2":
        c = ContentLoss(model(content))
        model.add_module(f"content_loss_{i}", c)
        cl.append(c)
    if name.startswith("conv"):
        s = StyleLoss(model(style).detach())
        model.add_module(f"style_loss_{i}", s)
        sl.append(s)
print(model)
model.eval()
model.requires_grad_(False)
inp = content.clone().requires_grad_(True)
opt = optim.LBFGS([inp], max_iter=3)
run = [0]
while run[0] <= 4:

    def closure():
        with torch.no_grad():
            inp.clamp_(0, 1)
        opt.zero_grad()
        model(inp)
        ss = sum((s.loss for s in sl)) * 100
        cs = sum((c.loss for c in cl))
        loss = ss + cs
        loss.backward()
        run[0] += 1
        if run[0] == 1:
            print(
                "run {}: Style Loss : {:4f} Content Loss: {:4f}".format(run, ss.item(), cs.item())
            )
        return ss + cs

    opt.step(closure)
print(sl[0].target, sl[0].loss, type(run[0]), inp.shape, opt)


class MultiTask(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 5), nn.ReLU())
        self.heads = nn.ModuleDict({k: nn.Linear(5, n) for k, n in heads.items()})
        self.log_vars = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in heads})
        self.losses = {"cls": nn.CrossEntropyLoss(), "reg": nn.SmoothL1Loss()}

    def forward(self, x):
        h = self.body(x)
        return {k: head(h) for k, head in self.heads.items()}

    def loss(self, out, tgt):
        ls = {k: self.losses[k](out[k], tgt[k]) for k in out}
        return (
            sum((torch.exp(-self.log_vars[k]) * v + self.log_vars[k] for k, v in ls.items())),
            ls,
        )


mt = MultiTask({"cls": 3, "reg": 1})
print(mt, *[f"{n}: {tuple(p.size())}" for n, p in mt.named_parameters()], sep="\n")
for i, p in enumerate(mt.body.parameters()):
    nn.init.constant_(p, 0.1 * (i + 1))
for h in mt.heads.values():
    nn.init.zeros_(h.weight)
    nn.init.ones_(h.bias)
X = torch.arange(8.0).view(2, 4)
tgt = {"cls": torch.tensor([0, 2]), "reg": torch.tensor([[1.5], [3.0]])}
o = optim.SGD(
    [
        {"params": mt.body.parameters(), "lr": 0.01},
        {"params": [p for h in mt.heads.values() for p in h.parameters()]},
        {"params": mt.log_vars.parameters(), "weight_decay": 0},
    ],
    lr=0.1,
    momentum=0.9,
)
for _ in range(3):
    tot, ls = mt.loss(mt(X), tgt)
    o.zero_grad()
    tot.backward()
    o.step()
    print({k: round(v.item(), 4) for k, v in ls.items()}, tot)
print(
    mt.log_vars,
    dict(mt.log_vars.items()),
    mt.heads["reg"].bias,
    o,
    mt(X),
    mt.heads.cls,
    "reg" in mt.heads,
    list(mt.heads),
    sep="\n",
)


class FocalLoss(nn.Module):
    def __init__(self, alpha=0.25, gamma=2, reduction="mean"):
        super().__init__()
        self.alpha, self.gamma, self.reduction = (alpha, gamma, reduction)

    def forward(self, x, t):
        bce = F.binary_cross_entropy_with_logits(x, t, reduction="none")
        p = torch.exp(-bce)
        l = self.alpha * (1 - p) ** self.gamma * bce
        return {"mean": l.mean, "sum": l.sum, "none": lambda: l}[self.reduction]()


x, t = (torch.tensor([1.0, -1.0, 2.0]), torch.tensor([1.0, 1.0, 0.0]))
print(FocalLoss()(x, t), FocalLoss(reduction="none")(x, t), FocalLoss())
print(
    F.multilabel_soft_margin_loss(x[None], t[None]),
    F.kl_div(x.log_softmax(0), t.softmax(0), reduction="sum"),
    F.gaussian_nll_loss(x, t, torch.ones(3)),
    F.poisson_nll_loss(x, t),
    F.soft_margin_loss(x, 2 * t - 1),
    F.hinge_embedding_loss(x, 2 * t - 1),
    F.margin_ranking_loss(x, t, torch.ones(3)),
    F.multi_margin_loss(x[None], torch.tensor([0])),
    F.multilabel_margin_loss(x[None], torch.tensor([[0, -1, 1]])),
    F.l1_loss(x, t, reduction="sum"),
    F.mse_loss(x, t, reduction="none"),
    F.cross_entropy(x[None], torch.tensor([2]), label_smoothing=0.1),
    F.binary_cross_entropy(x.sigmoid(), t, weight=t),
    sep="\n",
)


class SEBlock(nn.Module):
    def __init__(self, c, r=2):
        super().__init__()
        self.squeeze = nn.AdaptiveAvgPool2d(1)
        self.excite = nn.Sequential(
            nn.Linear(c, c // r, bias=False),
            nn.ReLU(inplace=True),
            nn.Linear(c // r, c, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, x):
        b, c, *_ = x.size()
        return x * self.excite(self.squeeze(x).view(b, c)).view(b, c, 1, 1).expand_as(x)


class DSConv(nn.Sequential):
    def __init__(self, i, o, s=1):
        super(DSConv, self).__init__(
            nn.Conv2d(i, i, 3, s, 1, groups=i, bias=False),
            nn.BatchNorm2d(i),
            nn.ReLU6(inplace=True),
            nn.Conv2d(i, o, 1, bias=False),
        )


print(
    SEBlock(4),
    DSConv(4, 8, 2),
    DSConv(4, 8, 2)(SEBlock(4)(torch.zeros(2, 4, 6, 6))).shape,
    sep="\n",
)
