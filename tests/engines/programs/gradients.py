"""Gradients of 669 706 parameters for one batch, by any number of ranks; rank 0 writes them.

`gradients.py FILE BATCH`. Alone, a process also writes the sum of the absolute values of all
products that each element is the sum of.
"""

from __future__ import annotations

import sys

import numpy as np

import gpukit
import gpukit.distributed as dist
from gpukit.nn.functional import cross_entropy
from gpukit.nn.parallel import DistributedDataParallel

FILE, BATCH = sys.argv[1], int(sys.argv[2])
dist.init_process_group("mpi", timeout=20)
rank, size = dist.get_rank(), dist.get_world_size()

gpukit.manual_seed(0)
layers = [gpukit.nn.Linear(784, 512), gpukit.nn.Linear(512, 512), gpukit.nn.Linear(512, 10)]
model = gpukit.nn.Sequential(layers[0], gpukit.nn.ReLU(), layers[1], gpukit.nn.ReLU(), layers[2])
draw = np.random.default_rng(1)
images = gpukit.tensor(draw.standard_normal((BATCH, 784)).astype(np.float32))
labels = gpukit.tensor(draw.integers(0, 10, BATCH))
part = slice(rank * BATCH // size, (rank + 1) * BATCH // size)
trained = DistributedDataParallel(model) if size > 1 else model
inputs = [images[part]]
for layer in layers[:-1]:
    inputs.append(layer(inputs[-1]).relu())
scores = trained(images[part])
scores.retain_grad()
cross_entropy(scores, labels[part]).backward()


def sums() -> dict[str, np.ndarray]:
    """Of each parameter, in double precision, from the last layer to the first."""
    found = {}
    by_output = absolute(scores.grad)
    for number, layer, x in reversed(list(zip("024", layers, inputs, strict=True))):
        found[f"sum {number}.weight"] = by_output.T @ absolute(x)
        found[f"sum {number}.bias"] = by_output.sum(0)
        by_output = by_output @ absolute(layer.weight) * (absolute(x) > 0)
    return found


def absolute(x: gpukit.Tensor) -> np.ndarray:
    """Its absolute values in double precision."""
    return np.abs(x.detach().numpy().astype(np.float64))


if rank == 0:
    found = {name: each.grad.numpy() for name, each in model.named_parameters()}
    np.savez(FILE, **found, **(sums() if size == 1 else {}))
dist.destroy_process_group()
