import torch
from torch import nn

first, second = nn.Linear(3, 2), nn.Linear(3, 2)
print(second.load_state_dict(first.state_dict()), torch.equal(first.weight, second.weight))
state = first.state_dict()
print(type(state).__name__, list(state), [tuple(v.shape) for v in state.values()])
state["weight"] = torch.zeros(2, 3)
second.load_state_dict(state)
print(second.weight, state["weight"].requires_grad)
report = second.load_state_dict({"weight": torch.ones(2, 3)}, strict=False)
print(report.missing_keys, report.unexpected_keys, second.weight.sum().item())
for wrong in ({"weight": torch.ones(3, 3), "bias": torch.ones(2)}, {"weight": torch.ones(2, 3)}):
    try:
        second.load_state_dict(wrong)
    except RuntimeError as error:
        print("refused", "size" in str(error) or "shape" in str(error), "bias" in str(error))
