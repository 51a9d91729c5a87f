import torch
import torch.nn as nn


class FeatureExtractor(nn.Module):
    def __init__(self, model, layers):
        super().__init__()
        self.model, self.layers = (model, layers)
        self._features = {layer: torch.empty(0) for layer in layers}
        for layer_id in layers:
            layer = dict([*self.model.named_modules()])[layer_id]
            layer.register_forward_hook(self.save_outputs_hook(layer_id))

    def save_outputs_hook(self, layer_id):

        def fn(_, __, output):
            self._features[layer_id] = output

        return fn

    def forward(self, x):
        _ = self.model(x)
        return self._features


net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(8, 3))
for i, p in enumerate(net.parameters()):
    nn.init.constant_(p, 0.1 * (i + 1))
fe = FeatureExtractor(net, ["0", "2", "4"])
print(fe._features)
feats = fe(torch.arange(36.0).view(1, 1, 6, 6))
for k, v in feats.items():
    print(k, v.shape, v.flatten()[:3])
print(feats["4"])


class GradCAM:
    def __init__(self, model, target):
        self.model = model
        self.g = self.a = None
        target.register_forward_hook(self.fa)
        target.register_full_backward_hook(self.fb)

    def fa(self, m, i, o):
        self.a = o.detach()

    def fb(self, m, gi, go):
        self.g = go[0].detach()

    def __call__(self, x, c=None):
        out = self.model(x)
        c = out.argmax(1).item() if c is None else c
        self.model.zero_grad()
        out[0, c].backward()
        w = self.g.mean(dim=(2, 3), keepdim=True)
        cam = torch.relu((w * self.a).sum(1, keepdim=True))
        cam = nn.functional.interpolate(cam, size=x.shape[2:], mode="bilinear", align_corners=False)
        return (cam - cam.min()) / (cam.max() - cam.min() + 1e-08)


cam = GradCAM(net, net[0])(torch.arange(36.0).view(1, 1, 6, 6))
print(cam.shape, cam[0, 0])
log = []
h1 = net[1].register_forward_pre_hook(lambda m, args: log.append(("pre", len(args))) or None)
h2 = net[1].register_forward_hook(lambda m, args, kw, out: log.append(("kw", kw)), with_kwargs=True)
h3 = net[3].register_forward_hook(lambda m, i, o: o * 0)
h4 = net[4].register_full_backward_pre_hook(lambda m, go: log.append(("bpre", go[0].shape)))
out = net(torch.ones(1, 1, 6, 6))
out.sum().backward()
print(log, out)
for h in (h1, h2, h3, h4):
    h.remove()
print(len(net[1]._forward_hooks), len(net[1]._forward_pre_hooks))
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = x.register_hook(lambda g: g * 2)
y = x * x
y.retain_grad()
y.register_hook(lambda g: print("grad y", g))
y.sum().backward()
print(x.grad, y.grad, y.is_leaf, x.is_leaf, y.retains_grad)
h.remove()
p = nn.Parameter(torch.ones(2))
p.register_post_accumulate_grad_hook(lambda q: print("acc", q.grad))
(p * 3).sum().backward()
stats = {}


def stat(name):

    def hook(m, i, o):
        stats[name] = (
            round(o.mean().item(), 2),
            round(o.std().item(), 2),
            f"{(o == 0).float().mean():.0%}",
        )

    return hook


for n, m in net.named_modules():
    if len(list(m.children())) == 0:
        m.register_forward_hook(stat(f"{n}:{m.__class__.__name__}"))
net(torch.linspace(-1, 1, 36).view(1, 1, 6, 6))
print(stats)


def summary(model, size):
    rows = []

    def reg(m):
        if not isinstance(m, nn.Sequential):
            hs.append(
                m.register_forward_hook(
                    lambda m, i, o: rows.append(
                        (
                            type(m).__name__,
                            list(i[0].size()),
                            list(o.size()),
                            sum((p.numel() for p in m.parameters())),
                        )
                    )
                )
            )

    hs = []
    model.apply(reg)
    model(torch.zeros(size))
    [h.remove() for h in hs]
    for r in rows:
        print("{:<12} {:>18} {:>18} {:>6,}".format(*map(str, r[:3]), r[3]))


summary(net, (2, 1, 6, 6))
with torch.no_grad():
    print(net(torch.zeros(1, 1, 6, 6)).grad_fn)
try:
    torch.zeros(1).register_hook(print)
except RuntimeError as e:
    print("refused")
