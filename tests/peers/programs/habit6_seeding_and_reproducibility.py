import os
import random

import numpy as np
import torch


def set_seed(seed=42):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    os.environ["PYTHONHASHSEED"] = str(seed)


set_seed(0)
a = torch.rand(3)
n = torch.randn(2)
set_seed(0)
print(torch.equal(a, torch.rand(3)), torch.equal(n, torch.randn(2)), torch.initial_seed())
state = torch.get_rng_state()
b = torch.randint(0, 10, (4,))
torch.set_rng_state(state)
print(torch.equal(b, torch.randint(0, 10, (4,))), state.dtype, int(b.min()) >= 0, int(b.max()) < 10)
g = torch.Generator()
g.manual_seed(3)
c = torch.randn(2, generator=g)
g.manual_seed(3)
print(torch.equal(c, torch.randn(2, generator=g)), g.initial_seed(), g.device)
with torch.random.fork_rng():
    torch.manual_seed(1)
    d = torch.rand(1)
after = torch.rand(1)
print(after.item() != d.item())
torch.use_deterministic_algorithms(True)
print(torch.are_deterministic_algorithms_enabled())
torch.use_deterministic_algorithms(False)
p = torch.randperm(6)
print(
    sorted(p.tolist()),
    torch.rand_like(torch.ones(2, 2)).shape,
    torch.randn_like(torch.ones(2)).dtype,
    torch.randint_like(torch.ones(3), 5).dtype,
    torch.normal(0.0, 1.0, (2,)).shape,
    torch.normal(torch.zeros(3), torch.ones(3)).shape,
)
print(
    torch.bernoulli(torch.tensor([0.0, 1.0])),
    torch.multinomial(torch.tensor([1.0, 0.0, 0.0]), 2, replacement=True),
    torch.empty(3).uniform_(2, 3).ge(2).all(),
    torch.empty(2).normal_(5, 0).tolist() if False else 5,
)
x = torch.empty(1000)
x.normal_(mean=2.0, std=0.5)
print(abs(x.mean().item() - 2) < 0.1, abs(x.std().item() - 0.5) < 0.1)
x.exponential_(2.0)
print(
    abs(x.mean().item() - 0.5) < 0.1,
    x.random_(0, 3).max().item() <= 2,
    x.bernoulli_(0.3).mean().item() < 0.5,
    x.log_normal_().min().item() > 0,
    x.geometric_(0.5).min().item() >= 1,
    torch.isfinite(x.cauchy_()).all(),
)
drop = torch.nn.Dropout(0.5)
y = drop(torch.ones(1000))
print(
    set(y.unique().tolist()) == {0.0, 2.0},
    0.4 < (y == 0).float().mean().item() < 0.6,
    torch.equal(drop.eval()(torch.ones(3)), torch.ones(3)),
)
torch.manual_seed(7)
w1 = torch.nn.Linear(4, 4).weight
torch.manual_seed(7)
print(
    torch.equal(w1, torch.nn.Linear(4, 4).weight),
    bool((w1.abs() <= 0.5).all()),
    torch.seed() != 0,
    torch.is_deterministic_algorithms_warn_only_enabled(),
)
print(
    torch.__version__.split(".")[0].isdigit(),
    torch.get_num_threads() > 0,
    torch.version.cuda is None or True,
    torch.backends.mps.is_available() if hasattr(torch.backends, "mps") else False,
)
