import random

import numpy as np
import torch


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


seed_everything(42)
a = torch.randn(3)
seed_everything(42)
print(torch.equal(a, torch.randn(3)))
torch.use_deterministic_algorithms(True)
print(torch.are_deterministic_algorithms_enabled())
torch.use_deterministic_algorithms(True, warn_only=True)
print(torch.is_deterministic_algorithms_warn_only_enabled())
torch.use_deterministic_algorithms(False)
print(torch.are_deterministic_algorithms_enabled())
g = torch.Generator()
g.manual_seed(1)
first = torch.rand(2, generator=g)
state = g.get_state()
second = torch.rand(2, generator=g)
g.set_state(state)
print(
    torch.equal(second, torch.rand(2, generator=g)),
    torch.equal(first, second),
    torch.initial_seed(),
)
rng = torch.get_rng_state()
x = torch.rand(1)
torch.set_rng_state(rng)
print(x == torch.rand(1))
