"""One network, its batches on Ray's workers: `pip install 'gpukit[ray]'`, then

python examples/scale_out/train_ray.py

Each step puts the parameters into Ray's store once; tasks compute the gradients of their part of
the data, and the mean of them is the step. A worker that dies is replaced and its task made again,
so nothing is lost but time. On a hundred machines `ray.init()` takes the address of a cluster that
you run there, inside a network that you trust; `num_gpus=1` gives each task a card, and each task
reads its part of the data from disk. The sum then passes through one process: for large networks
use MPI (train_mpi.py), which adds up in a ring.
"""

from __future__ import annotations

import os

import gpukit
from gpukit import nn

# Whatever _node_ip_address says, Ray listens on the machine's own address unless this is set first.
os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
import ray

WORKERS, STEPS = 2, 60


def network() -> nn.Module:
    """The same on every worker."""
    return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))


def part_of_data(number: int) -> tuple[gpukit.Tensor, gpukit.Tensor]:
    """Rows of one worker, made from its number as others would be read from its file."""
    generator = gpukit.Generator().manual_seed(number)
    inputs = gpukit.randn(256, 4, generator=generator)
    return inputs, (inputs * gpukit.tensor([1.0, -2.0, 0.5, 3.0])).sum(dim=1, keepdim=True)


@ray.remote(max_retries=20)
def gradients(
    parameters: dict[str, gpukit.Tensor], number: int
) -> tuple[float, dict[str, gpukit.Tensor]]:
    """The loss and the gradients of one part."""
    model = network()
    model.load_state_dict(parameters)
    inputs, targets = part_of_data(number)
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    return loss.item(), {name: each.grad for name, each in model.named_parameters()}


def main() -> None:
    """Train, and see that it learns."""
    ray.init(
        num_cpus=WORKERS,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=100 << 20,
        logging_level="ERROR",
    )
    gpukit.manual_seed(0)
    model = network()
    optimizer = gpukit.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for step in range(STEPS):
        stored = ray.put(model.state_dict())
        found = ray.get([gradients.remote(stored, number) for number in range(WORKERS)])
        for name, parameter in model.named_parameters():
            parameter.grad = gpukit.stack([each[name] for _, each in found]).mean(dim=0)
        optimizer.step()
        losses.append(sum(loss for loss, _ in found) / WORKERS)
        if step % 10 == 0:
            print(f"step {step}: loss {losses[-1]:.3f}", flush=True)
    print(f"end: loss {losses[-1]:.3f}")
    assert losses[-1] < losses[0] / 10, "it did not learn"
    ray.shutdown()


if __name__ == "__main__":
    main()
