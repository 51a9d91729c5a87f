import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, in_features, out_features, r=4, lora_alpha=8, lora_dropout=0.0, **kwargs):
        super().__init__(in_features, out_features, **kwargs)
        self.r = r
        self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
        self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
        self.scaling = lora_alpha / r
        self.dropout = nn.Dropout(lora_dropout) if lora_dropout > 0 else nn.Identity()
        self.weight.requires_grad = False
        self.merged = False
        self.reset_lora()

    def reset_lora(self):
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        nn.init.zeros_(self.lora_B)

    def train(self, mode: bool = True):
        super().train(mode)
        if mode and self.merged:
            self.weight.data -= self.lora_B @ self.lora_A * self.scaling
            self.merged = False
        elif not mode and (not self.merged):
            self.weight.data += self.lora_B @ self.lora_A * self.scaling
            self.merged = True
        return self

    def extra_repr(self):
        return super().extra_repr() + f", r={self.r}, scaling={self.scaling}"

    def forward(self, x):
        out = F.linear(x, self.weight, self.bias)
        if not self.merged:
            out = out + self.dropout(x) @ self.lora_A.T @ self.lora_B.T * self.scaling
        return out


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q_proj = nn.Linear(d, d, bias=False)
        self.v_proj = nn.Linear(d, d)
        self.act = nn.GELU(approximate="tanh")

    def forward(self, x):
        return self.v_proj(self.act(self.q_proj(x))) + x


model = nn.Sequential(Block(6), Block(6), nn.Linear(6, 2))


def inject(module, targets, r=2):
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear) and name in targets:
            new = LoRALinear(
                child.in_features, child.out_features, r=r, bias=child.bias is not None
            )
            missing = new.load_state_dict(child.state_dict(), strict=False)
            print(name, missing)
            setattr(module, name, new)
        else:
            inject(child, targets, r)


inject(model, ["q_proj", "v_proj"])
for n, p in model.named_parameters():
    if "lora_" not in n:
        p.requires_grad_(False)
print(model)
trainable = sum((p.numel() for p in model.parameters() if p.requires_grad))
total = sum((p.numel() for p in model.parameters()))
print(
    f"trainable params: {trainable} || all params: {total} || trainable%: {100 * trainable / total:.2f}"
)
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        p.copy_(torch.linspace(-0.5, 0.5, p.numel()).view_as(p))
opt = torch.optim.AdamW(
    [p for p in model.parameters() if p.requires_grad], lr=0.01, weight_decay=0.0
)
x = torch.arange(18.0).view(3, 6) / 10
y = torch.tensor([0, 1, 0])
for i in range(3):
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    print(i, f"{loss.item():.4f}")
a = model(x)
model.eval()
b = model(x)
print(torch.allclose(a, b, atol=1e-05), model[0].q_proj.merged, model.training)
sd = {k: v for k, v in model.state_dict().items() if "lora_" in k}
print(*[(k, v.shape) for k, v in sd.items()], sep="\n")
print(model.load_state_dict(sd, strict=False))
try:
    model.load_state_dict(sd)
except RuntimeError as e:
    print("refused")
