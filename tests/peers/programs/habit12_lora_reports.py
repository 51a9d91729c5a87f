"""LoRA injection, merging, and saving only the adapter (loralib style)."""

import io
import math
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALayer:
    def __init__(self, r: int, lora_alpha: int, lora_dropout: float, merge_weights: bool):
        self.r = r
        self.lora_alpha = lora_alpha
        self.lora_dropout = nn.Dropout(p=lora_dropout) if lora_dropout > 0.0 else (lambda x: x)
        self.merged = False
        self.merge_weights = merge_weights


class Linear(nn.Linear, LoRALayer):
    def __init__(
        self,
        in_features,
        out_features,
        r=0,
        lora_alpha=1,
        lora_dropout=0.0,
        fan_in_fan_out=False,
        merge_weights=True,
        **kwargs,
    ):
        nn.Linear.__init__(self, in_features, out_features, **kwargs)
        LoRALayer.__init__(
            self, r=r, lora_alpha=lora_alpha, lora_dropout=lora_dropout, merge_weights=merge_weights
        )
        self.fan_in_fan_out = fan_in_fan_out
        if r > 0:
            self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
            self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
            self.scaling = self.lora_alpha / self.r
            self.weight.requires_grad = False
        self.reset_parameters()
        if fan_in_fan_out:
            self.weight.data = self.weight.data.transpose(0, 1)

    def reset_parameters(self):
        nn.Linear.reset_parameters(self)
        if hasattr(self, "lora_A"):
            nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
            nn.init.zeros_(self.lora_B)

    def train(self, mode: bool = True):
        nn.Linear.train(self, mode)
        T = lambda w: w.transpose(0, 1) if self.fan_in_fan_out else w
        if self.merge_weights and self.r > 0:
            if mode and self.merged:
                self.weight.data -= T(self.lora_B @ self.lora_A) * self.scaling
                self.merged = False
            elif not mode and not self.merged:
                self.weight.data += T(self.lora_B @ self.lora_A) * self.scaling
                self.merged = True
        return self

    def forward(self, x):
        T = lambda w: w.transpose(0, 1) if self.fan_in_fan_out else w
        result = F.linear(x, T(self.weight), bias=self.bias)
        if self.r > 0 and not self.merged:
            result += (
                self.lora_dropout(x) @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)
            ) * self.scaling
        return result


def mark_only_lora_as_trainable(model: nn.Module, bias: str = "none") -> None:
    for n, p in model.named_parameters():
        p.requires_grad = "lora_" in n or (bias == "all" and "bias" in n)


def lora_state_dict(model) -> Dict[str, torch.Tensor]:
    return {k: v for k, v in model.state_dict().items() if "lora_" in k}


def inject(model: nn.Module, targets: List[str], r=2, lora_alpha=4):
    for name, module in list(model.named_modules()):
        if not isinstance(module, nn.Linear) or name.rpartition(".")[-1] not in targets:
            continue
        new = Linear(
            module.in_features,
            module.out_features,
            r=r,
            lora_alpha=lora_alpha,
            bias=module.bias is not None,
        )
        new.weight.data.copy_(module.weight.data)
        if module.bias is not None:
            new.bias.data.copy_(module.bias.data)
        parent = model.get_submodule(name.rpartition(".")[0])
        setattr(parent, name.rpartition(".")[-1], new)
    return model


def fill(ps, s=0.3):
    for i, p in enumerate(ps):
        p.data = (
            (torch.arange(p.numel(), dtype=torch.get_default_dtype()) * 1.23 + i)
            .sin()
            .mul(s)
            .view(p.shape)
        )


class Block(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.q_proj, self.v_proj, self.o_proj = (
            nn.Linear(d, d),
            nn.Linear(d, d, bias=False),
            nn.Linear(d, d),
        )

    def forward(self, x):
        return self.o_proj(torch.tanh(self.q_proj(x)) * self.v_proj(x))


model = nn.Sequential(Block(), Block())
fill(model.parameters())
x = torch.linspace(-2, 2, 40).view(5, 8)
base = model(x).detach()
inject(model, ["q_proj", "v_proj"])
print("zero-init B keeps outputs:", torch.allclose(model(x), base))
fill([p for n, p in model.named_parameters() if "lora_A" in n], 0.2)
mark_only_lora_as_trainable(model)
print([n for n, p in model.named_parameters() if p.requires_grad])
tot, tr = (
    sum(p.numel() for p in model.parameters()),
    sum(p.numel() for p in model.parameters() if p.requires_grad),
)
print(f"trainable params: {tr:,d} || all params: {tot:,d} || trainable%: {100 * tr / tot:.4f}")
target = base + 0.1 * torch.cos(torch.arange(40.0)).view(5, 8)
opt = torch.optim.AdamW(
    filter(lambda p: p.requires_grad, model.parameters()), lr=2e-2, weight_decay=0.01
)
l0 = F.huber_loss(model(x), target, delta=0.5).item()
for _ in range(25):
    opt.zero_grad()
    loss = F.huber_loss(model(x), target, delta=0.5)
    loss.backward()
    opt.step()
print(
    "loss0 %.4f" % l0,
    "better:",
    loss.item() < l0,
    "frozen grads None:",
    model[0].q_proj.weight.grad is None,
)
y_train = model(x).detach()
model.eval()
print("merged:", model[0].q_proj.merged, torch.allclose(model(x), y_train, atol=1e-5))
model.train()
print("unmerged:", not model[0].q_proj.merged, torch.allclose(model(x), y_train, atol=1e-5))
f = io.BytesIO()
torch.save(lora_state_dict(model), f)
f.seek(0)
sd = torch.load(f, weights_only=True, map_location="cpu")
fresh = inject(nn.Sequential(Block(), Block()), ["q_proj", "v_proj"])
res = fresh.load_state_dict(sd, strict=False)
print(len(res.missing_keys), res.unexpected_keys, type(res).__name__)
print({k: tuple(v.shape) for k, v in sd.items() if k.startswith("0.")})
delta = (model[0].q_proj.lora_B @ model[0].q_proj.lora_A).detach()
print("rank of delta:", torch.linalg.matrix_rank(delta, rtol=1e-4).item())
print(model[0])
gpt_style = Linear(4, 6, r=1, fan_in_fan_out=True)
print(gpt_style.weight.shape, gpt_style.weight.is_contiguous(), gpt_style(torch.ones(2, 4)).shape)
