"""One network on Ray Train's workers, from checkpoint to checkpoint.

pip install 'gpukit[ray]' 'ray[train]'
python examples/scale_out/train_ray_train.py

Ray Train starts the workers, notices when one dies, and starts all of them again: each loads the
last checkpoint, which the first of them wrote, and goes on from there, with the same result. On a
hundred machines `ray.init()` takes the address of a cluster that you run there, inside a network
that you trust, `storage_path` is a folder that all of them see, and `use_gpu=True` gives each
worker a card; say "nccl" in init_process_group, and the gradients go from card to card.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import gpukit
import gpukit.distributed as dist
from gpukit import nn
from gpukit.nn.parallel import DistributedDataParallel

# Whatever _node_ip_address says, Ray listens on the machine's own address unless this is set first.
os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
import ray
from ray import train
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

WORKERS, STEPS, EVERY = 2, 60, 5
STARTS = 10  # of the trainer, for one run


def work() -> None:
    """What each worker runs, from the start or from the last checkpoint."""
    dist.init_process_group("ray", timeout=60)  # Ray Train knows which of how many this is
    rank = dist.get_rank()
    gpukit.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = gpukit.optim.Adam(model.parameters(), lr=0.02)
    first = 0
    if (found := train.get_checkpoint()) is not None:
        with found.as_directory() as folder:
            saved = gpukit.load(Path(folder, "state.pth"))
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        first = saved["step"] + 1
    parallel = DistributedDataParallel(model)
    generator = gpukit.Generator().manual_seed(rank)
    inputs = gpukit.randn(256, 4, generator=generator)
    targets = (inputs * gpukit.tensor([1.0, -2.0, 0.5, 3.0])).sum(dim=1, keepdim=True)
    for step in range(first, STEPS):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(parallel(inputs), targets)
        loss.backward()  # the mean of all workers
        optimizer.step()
        if step % EVERY == EVERY - 1:
            _report(rank, loss.item(), step, model, optimizer)
    dist.destroy_process_group()


def _report(rank: int, loss: float, step: int, model: nn.Module, optimizer: Any) -> None:
    """All workers report; the first one adds the checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = None
        if rank == 0:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            gpukit.save(state | {"step": step}, Path(folder, "state.pth"))
            checkpoint = train.Checkpoint.from_directory(folder)
        train.report({"loss": loss, "step": step}, checkpoint=checkpoint)


def fit(folder: str) -> dict[str, gpukit.Tensor]:
    """Train; the network's parameters at the end."""
    trainer = DataParallelTrainer(
        work,
        scaling_config=train.ScalingConfig(num_workers=WORKERS),
        run_config=train.RunConfig(
            name="gpukit",
            storage_path=folder,
            failure_config=train.FailureConfig(max_failures=20),
            checkpoint_config=train.CheckpointConfig(num_to_keep=2),
        ),
    )
    result = _result(trainer)
    print(f"end: loss {result.metrics['loss']:.3f} after step {result.metrics['step']}", flush=True)
    with result.checkpoint.as_directory() as last:
        model: dict[str, gpukit.Tensor] = gpukit.load(Path(last, "state.pth"))["model"]
    return model


def _result(trainer: DataParallelTrainer) -> train.Result:
    """The run's end; a trainer that gave up begins anew at the last checkpoint in its folder."""
    for _ in range(STARTS):
        if (result := _attempt(trainer)) is not None:
            return result
    raise RuntimeError(f"Ray Train gave up {STARTS} times")


def _attempt(trainer: DataParallelTrainer) -> train.Result | None:
    """Ray Train starts workers again, but gives up when one dies while it starts."""
    try:
        return trainer.fit()
    except train.TrainingFailedError as error:
        print(f"started again: {type(error).__name__}", flush=True)
        return None


def start() -> None:
    """Ray on this machine alone: no dashboard, no usage report."""
    ray.init(
        num_cpus=8 * WORKERS,  # a group whose worker dies while it starts may stay reserved
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=100 << 20,
        logging_level="ERROR",
        log_to_driver=False,
    )


def main() -> None:
    """Train in a folder: that of the first argument, or a temporary one."""
    start()
    with tempfile.TemporaryDirectory() as temporary:
        model = fit(sys.argv[1] if len(sys.argv) > 1 else temporary)
    print(f"{sum(each.numel() for each in model.values())} parameters")
    ray.shutdown()


if __name__ == "__main__":
    main()
