import torch
import torch.nn as nn
from torch.nn.utils import prune


class LeNet(nn.Module):
    def __init__(self):
        super(LeNet, self).__init__()
        self.conv1 = nn.Conv2d(1, 2, 3)
        self.fc1 = nn.Linear(8, 4)
        self.fc2 = nn.Linear(4, 2)


model = LeNet()
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        p.copy_(torch.sin(torch.arange(float(p.numel())) * 1.7 + i).view_as(p))
module = model.conv1
prune.l1_unstructured(module, name="bias", amount=1)
prune.l1_unstructured(module, name="weight", amount=0.4)
print([n for n, _ in module.named_parameters()], [n for n, _ in module.named_buffers()])
print(module.weight_mask.int().flatten(), module.bias)
print(len(module._forward_pre_hooks))
prune.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
for hook in module._forward_pre_hooks.values():
    if hook._tensor_name == "weight":
        break
print(list(type(h).__name__ for h in hook))
print(sorted(model.state_dict().keys()))
prune.remove(module, "weight")
print([n for n, _ in module.named_parameters()], prune.is_pruned(model), prune.is_pruned(model.fc1))
prune.global_unstructured(
    ((model.fc1, "weight"), (model.fc2, "weight")), pruning_method=prune.L1Unstructured, amount=0.5
)
for n in ("fc1", "fc2"):
    w = getattr(model, n).weight
    print(
        "Sparsity in {}.weight: {:.2f}%".format(
            n, 100.0 * float(torch.sum(w == 0)) / float(w.nelement())
        )
    )


class FooBarPruningMethod(prune.BasePruningMethod):
    """Prune every other entry in a tensor"""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def foobar_unstructured(module, name):
    FooBarPruningMethod.apply(module, name)
    return module


model = LeNet()
foobar_unstructured(model.fc1, name="bias")
print(model.fc1.bias_mask)
prune.custom_from_mask(model.fc2, "weight", torch.eye(2, 4))
print((model.fc2.weight != 0).int())
prune.identity(model.fc2, "bias")
print(model.fc2.bias_mask)
for amount in (1.5, -1, "a", 99):
    try:
        prune.l1_unstructured(nn.Linear(2, 2), "weight", amount)
    except (ValueError, TypeError) as error:
        print([kind.__name__ for kind in (ValueError, TypeError) if isinstance(error, kind)])
layer = nn.Linear(2, 2)
for method in (prune.l1_unstructured, prune.random_unstructured):
    try:
        method(layer, "weight", 99)
    except ValueError:
        print(sorted(layer._parameters), prune.is_pruned(layer), layer.weight.shape)
try:
    prune.remove(nn.Linear(1, 1), "weight")
except ValueError:
    print("not pruned")
layer = prune.random_unstructured(nn.Linear(4, 4), "weight", 0.25)
print(int((layer.weight == 0).sum()), layer.weight_orig.requires_grad, layer.weight.requires_grad)
layer = prune.random_structured(nn.Linear(4, 4), "weight", amount=2, dim=1)
prune.l1_unstructured(layer, "weight", amount=3)
print(int(layer.weight_mask.sum()), sorted(layer.weight_mask.sum(0).tolist())[:2])
layer(torch.ones(1, 4)).sum().backward()
print((layer.weight_orig.grad[layer.weight_mask == 0] == 0).all())
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
optimizer.step()
layer(torch.ones(1, 4))
print(int((layer.weight == 0).sum()), prune.remove(layer, "weight"), type(layer.weight).__name__)
scores = torch.tensor([[3.0, 1.0], [2.0, 4.0]])
print(prune.l1_unstructured(nn.Linear(2, 2), "weight", 2, importance_scores=scores).weight_mask)
print(prune.L1Unstructured(amount=2).prune(torch.tensor([1.0, -5.0, 2.0])))
