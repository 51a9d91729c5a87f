import torch
import torch.nn as nn
import torch.nn.functional as F


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.Conv2d(3, 4, 3, padding=1), nn.ReLU()
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(4, 3)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(torch.flatten(self.pool(x), 1))


class GradCam:
    def __init__(self, model, layer):
        self.model = model
        self.activations = self.gradients = None
        layer.register_forward_hook(self.save_activation)
        layer.register_full_backward_hook(self.save_gradient)

    def save_activation(self, module, input, output):
        self.activations = output.detach()

    def save_gradient(self, module, grad_input, grad_output):
        self.gradients = grad_output[0].detach()

    def __call__(self, x, idx=None):
        logit = self.model(x)
        idx = logit.argmax(1).item() if idx is None else idx
        self.model.zero_grad()
        logit[:, idx].sum().backward()
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activations).sum(1, keepdim=True))
        cam = F.interpolate(cam, scale_factor=2, mode="bilinear", align_corners=False)
        cam = cam - cam.min()
        return cam / (cam.max() + 1e-8), idx


model = fixed(Net()).eval()
cam, idx = GradCam(model, model.features[2])(torch.cos(torch.arange(16.0)).view(1, 1, 4, 4))
print(cam.shape, idx, cam.mean())
log = []
hooks = []
for name, m in model.named_modules():
    if not list(m.children()):
        hooks.append(m.register_forward_pre_hook(lambda mod, inp, name=name: log.append(name)))
model(torch.ones(1, 1, 4, 4))
for h in hooks:
    h.remove()
model(torch.ones(1, 1, 4, 4))
print(log)
grads = {}
x = torch.ones(2, 1, 4, 4, requires_grad=True)
x.register_hook(lambda g: grads.update(x=g.norm()))
model(x).sum().backward()
print(grads["x"], x.grad.shape, sorted(grads))
