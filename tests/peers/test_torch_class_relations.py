"""Which public class derives from which: what isinstance says of a module is what torch says."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.nn.utils.parametrizations
import torch.optim.swa_utils

import gpukit

PLACES = (
    "nn optim optim.lr_scheduler optim.swa_utils utils.data distributions distributions.transforms"
    " nn.parameter nn.utils.rnn autograd amp cuda profiler"
)

# Older programs ask for _LRScheduler, which torch's schedulers no longer are.
OTHERWISE = {
    "optim.lr_scheduler": {"_LRScheduler"},
    "distributions": {
        "TransformedDistribution"
    },  # Gumbel and HalfNormal are not made of others here
}


def place_in(library: Any, place: str) -> Any:
    for name in place.split("."):
        library = getattr(library, name)
    return library


@pytest.mark.parametrize("place", PLACES.split())
def test_classes_derive_as_in_torch(place: str) -> None:
    own, theirs = place_in(gpukit, place), place_in(torch, place)
    names = [
        name
        for name in dir(own)
        if isinstance(getattr(own, name), type) and isinstance(getattr(theirs, name, None), type)
    ]
    for name in names:
        bases = {
            str(library): {
                base
                for base in names
                if issubclass(getattr(library, name), getattr(library, base))
                and base not in OTHERWISE.get(place, set()) | {name}
            }
            for library in (own, theirs)
        }
        assert bases[str(own)] == bases[str(theirs)], name


@pytest.mark.parametrize("library", [torch, gpukit])
def test_instance_norms_are_no_batch_norms(library: Any) -> None:
    nn = library.nn
    norms = nn.Sequential(nn.InstanceNorm2d(2, track_running_stats=True), nn.BatchNorm2d(2))
    made = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(norms))
    assert [type(part).__name__ for part in made] == ["InstanceNorm2d", "SyncBatchNorm"]
    library.optim.swa_utils.update_bn([library.ones(2, 2, 3, 3)] * 2, norms)
    assert norms[1].num_batches_tracked.item() == 2


@pytest.mark.parametrize("use_buffers", [False, True])
def test_averaged_models_have_the_buffers_of_the_model(use_buffers: bool) -> None:
    seen = []
    for library in (torch, gpukit):
        model = library.nn.BatchNorm1d(2)
        averaged = library.optim.swa_utils.AveragedModel(model, use_buffers=use_buffers)
        for scale in (1.0, 4.0, 9.0):
            model(library.tensor([[0.0, 1.0], [2.0, 5.0]]) * scale)
            averaged.update_parameters(model)
        seen.append([buffer.tolist() for buffer in averaged.module.buffers()])
    assert seen[0][:2] == [pytest.approx(values, rel=1e-5) for values in seen[1][:2]]
    assert use_buffers or seen[0][2] == seen[1][2] == 3


@pytest.mark.parametrize("library", [torch, gpukit])
def test_counts_of_an_optimizer_of_ones_own_stay_ints(library: Any) -> None:
    class Counting(library.optim.Optimizer):  # type: ignore[misc]
        def __init__(self, params: Any) -> None:
            super().__init__(params, {"lr": 0.1})

        def step(self) -> None:
            for group in self.param_groups:
                for param in group["params"]:
                    state = self.state[param]
                    state["step"] = state.get("step", 0) + 1

    weight = library.nn.Parameter(library.zeros(1))
    first, second = Counting([weight]), Counting([weight])
    first.step()
    second.load_state_dict(first.state_dict())
    second.step()
    count = second.state[weight]["step"]
    assert (count, type(count)) == (2, int)
