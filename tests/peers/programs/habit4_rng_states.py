import io

import torch

torch.manual_seed(42)
state = torch.get_rng_state()
print(state.dtype, state.device, state.dim(), type(state).__name__)
a = torch.rand(3)
torch.set_rng_state(state)
print(torch.equal(a, torch.rand(3)))
with torch.random.fork_rng():
    torch.manual_seed(0)
    b = torch.rand(2)
c = torch.rand(2)
torch.set_rng_state(state)
_ = torch.rand(3)
print(torch.equal(c, torch.rand(2)))
g = torch.Generator()
g.manual_seed(2147483647)
s = g.get_state()
p = torch.randperm(5, generator=g)
g.set_state(s)
print(torch.equal(p, torch.randperm(5, generator=g)), g.initial_seed())
print(torch.initial_seed(), torch.cuda.is_available() in (True, False))
checkpoint = {"rng": torch.get_rng_state()}
file = io.BytesIO()
torch.save(checkpoint, file)
file.seek(0)
again = torch.load(file)
x = torch.randn(2)
torch.set_rng_state(again["rng"])
print(torch.equal(x, torch.randn(2)))
