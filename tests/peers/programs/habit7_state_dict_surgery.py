import io
from collections import OrderedDict

import torch
import torch.nn as nn


def fixed(module):
    with torch.no_grad():
        for i, p in enumerate(module.parameters()):
            p.copy_(
                torch.sin(torch.arange(p.numel(), dtype=torch.float32) * 0.7 + i).view_as(p) * 0.3
            )
    return module


class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))
        self.classifier = nn.Linear(8, 3)
        self.register_buffer("steps", torch.tensor(0))


class New(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.head = nn.Linear(8, 5)

    def _load_from_state_dict(self, state_dict, prefix, *args, **kwargs):
        for old, new in (
            ("features.0.", "stem."),
            ("features.1.", "norm."),
            ("classifier.", "head."),
        ):
            for key in [k for k in state_dict if k.startswith(prefix + old)]:
                state_dict[key.replace(old, new)] = state_dict.pop(key)
        state_dict.pop(prefix + "steps", None)
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)


old, new = fixed(Old()), fixed(New())
state = old.state_dict()
print(type(state).__name__, list(state), state._metadata["features.1"])
grown = OrderedDict(state)
grown["classifier.weight"] = torch.cat([state["classifier.weight"], torch.zeros(2, 8)])
grown["classifier.bias"] = nn.functional.pad(state["classifier.bias"], (0, 2))
print(new.load_state_dict(grown))
print(torch.equal(new.stem.weight, old.features[0].weight), new.head.bias[-2:])
try:
    New().load_state_dict(state)
except RuntimeError as e:
    print("size mismatch for head.weight" in str(e))
own = new.state_dict()
for name, param in state.items():
    if name in own and own[name].shape == param.shape:
        own[name].copy_(param)
print(len(own), own["norm.num_batches_tracked"], state["steps"].dtype)
buffer = io.BytesIO()
torch.save(
    {"model": state, "epoch": 3, "args": {"lr": 0.1, "layers": [1, 2]}, "best": float("inf")},
    buffer,
)
buffer.seek(0)
checkpoint = torch.load(buffer, map_location="cpu", weights_only=True)
print(
    checkpoint.keys(),
    checkpoint["epoch"],
    checkpoint["args"],
    checkpoint["best"],
    type(checkpoint["model"]).__name__,
)
print(all(torch.equal(a, b) for a, b in zip(checkpoint["model"].values(), state.values())))
state["classifier.bias"].zero_()
print(old.classifier.bias)
averaged = {
    k: torch.stack([m.state_dict()[k].float() for m in (old, fixed(Old()))]).mean(0) for k in state
}
print(old.load_state_dict(averaged), old.steps)
print(
    fixed(nn.Linear(2, 2)).state_dict(prefix="net."),
    nn.Linear(1, 1).state_dict(keep_vars=True)["bias"].requires_grad,
)
half = {k: v.half() if v.is_floating_point() else v for k, v in state.items()}
print(
    sorted({str(v.dtype) for v in half.values()}),
    sum(v.numel() * v.element_size() for v in half.values()),
)
result = old.load_state_dict({}, strict=False)
print(result.missing_keys[:2], result)
empty = New()
print(empty.load_state_dict(new.state_dict(), assign=True), empty.stem.weight.device)


class WithExtra(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
        self.vocab = {}
        self.register_buffer("cache", torch.zeros(2), persistent=False)

    def get_extra_state(self):
        return {"vocab": self.vocab}

    def set_extra_state(self, s):
        self.vocab = s["vocab"]


m = WithExtra()
m.vocab["a"] = 1
n = WithExtra()
print(m.state_dict(), n.load_state_dict(m.state_dict()), n.vocab)
handle = m.register_state_dict_post_hook(
    lambda module, sd, prefix, meta: sd.pop(prefix + "_extra_state") and None
)
print(list(m.state_dict()))
handle = n.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
print(n.load_state_dict({}))
