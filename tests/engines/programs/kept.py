"""Gradients that a program keeps stay as they are; those that it clears in place stay its own.

`kept.py views|copies`
"""

from __future__ import annotations

import sys

import gpukit
import gpukit.distributed as dist
from gpukit.nn.parallel import DistributedDataParallel

dist.init_process_group("mpi", timeout=20)
rank, size = dist.get_rank(), dist.get_world_size()
model = gpukit.nn.Sequential(gpukit.nn.Linear(3, 4), gpukit.nn.Linear(4, 2))
views = sys.argv[1] == "views"
trained = DistributedDataParallel(model, gradient_as_bucket_view=views)


def passed(scale: float) -> list[gpukit.Tensor]:
    """The gradients of a pass."""
    (trained(gpukit.ones(2, 3) * scale * (rank + 1))).sum().backward()
    return [each.grad for each in model.parameters()]


first = passed(1.0)
values = [each.clone() for each in first]
model.zero_grad()
second = passed(2.0)
for kept, value, new in zip(first, values, second, strict=True):
    assert gpukit.equal(kept, value)
    assert kept.data_ptr() != new.data_ptr()
for round_ in (3.0, 4.0):
    values = [each.clone() for each in passed(round_)]
    model.zero_grad(set_to_none=False)
    again = passed(round_)
    for value, new in zip(values, again, strict=True):
        assert new.shape == value.shape
    assert [id(each) for each in again] == [id(each.grad) for each in model.parameters()]
    model.zero_grad(set_to_none=False)
summed = [each.clone() for each in passed(1.0)]
twice = passed(1.0)
for one, two in zip(summed, twice, strict=True):
    gpukit.testing.assert_close(two, one * 2)
model.zero_grad()
result = trained(gpukit.ones(2, 3)).sum()
own = [gpukit.zeros_like(each) for each in model.parameters()]
for each, buffer in zip(model.parameters(), own, strict=True):
    each.grad = buffer
result.backward()
assert views or all(each.grad is mine for each, mine in zip(model.parameters(), own, strict=True))
bases = {each.grad.untyped_storage().data_ptr() for each in model.parameters()}
assert len(bases) == (1 if views else 4)
print("kept")
dist.destroy_process_group()
