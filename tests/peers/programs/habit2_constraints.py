import torch
from torch.distributions import Normal, constraints

print(constraints.positive.check(torch.tensor([1.0, -1.0, 0.0])))
print(constraints.simplex.check(torch.tensor([[0.5, 0.5], [0.5, 0.6]])))
print(constraints.unit_interval.check(torch.tensor([0.0, 0.5, 1.5])))
print(Normal.arg_constraints)
print(Normal(0.0, 1.0).support)
try:
    Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, -1.0]))
except ValueError as error:
    print(str(error).split("(")[0])
try:
    Normal(0.0, 1.0).log_prob(torch.tensor(float("nan")))
except ValueError as error:
    print("ValueError")
