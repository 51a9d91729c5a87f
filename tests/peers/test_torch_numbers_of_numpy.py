"""Where torch accepts NumPy's ints as sizes, dimensions and counts, so does gpukit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

LAYERS: dict[str, dict[str, Any]] = {
    "Linear": {"in_features": 4, "out_features": 3},
    "LazyLinear": {"out_features": 3},
    "LayerNorm": {"normalized_shape": 4},
    "Embedding": {"num_embeddings": 5, "embedding_dim": 3, "padding_idx": -1},
    "Flatten": {"start_dim": 1, "end_dim": -1},
    "Softmax": {"dim": -1},
    "LogSoftmax": {"dim": 1},
    "CrossEntropyLoss": {"ignore_index": 2},
    "NLLLoss": {"ignore_index": 2},
}
SCHEDULERS: dict[str, dict[str, Any]] = {
    "StepLR": {"step_size": 2},
    "MultiStepLR": {"milestones": [2, 4]},
    "CosineAnnealingLR": {"T_max": 5},
    "ConstantLR": {"total_iters": 4},
    "LinearLR": {"total_iters": 4},
    "PolynomialLR": {"total_iters": 4},
    "ReduceLROnPlateau": {"patience": 1, "cooldown": 1},
}


def _numpys(value: Any) -> Any:
    return list(map(np.int64, value)) if isinstance(value, list) else np.int64(value)


def _made(library: Any, name: str, given: dict[str, Any]) -> tuple[list[int], Any]:
    """Shapes of the parameters, and what a batch gives where no drawn number takes part."""
    layer = getattr(library.nn, name)(**given)
    x = library.arange(24.0).reshape(2, 3, 4)
    inputs = {"Embedding": (library.tensor([1, 4]),)}.get(name, (x,))
    if "Loss" in name:
        inputs = (x[:, :, 0], library.tensor([0, 2]))
    result = layer(*inputs)
    shapes = [tuple(value.shape) for value in layer.state_dict().values()]
    drawn = name in {"Linear", "LazyLinear", "Embedding"}
    return [*shapes, tuple(result.shape)], None if drawn else result.detach().numpy()


@pytest.mark.parametrize("name", LAYERS)
def test_layers_take_what_torchs_take(name):
    given = {key: np.int64(value) for key, value in LAYERS[name].items()}
    shapes, values = _made(gpukit, name, given)
    others, expected = _made(torch, name, given)
    assert shapes == others
    if expected is not None:
        np.testing.assert_allclose(values, expected, rtol=1e-5)


@pytest.mark.parametrize("name", SCHEDULERS)
def test_schedulers_take_what_torchs_take(name):
    rates = []
    for library in (gpukit, torch):
        w = library.ones(2, requires_grad=True)
        optimizer = library.optim.SGD([w], lr=np.float64(0.5))
        given = {key: _numpys(value) for key, value in SCHEDULERS[name].items()}
        scheduler = getattr(library.optim.lr_scheduler, name)(optimizer, **given)
        found = []
        for _ in range(7):
            optimizer.step()
            scheduler.step(*([1.0] if name == "ReduceLROnPlateau" else []))
            found.append(float(scheduler.get_last_lr()[0]))
        rates.append(found)
    assert rates[0] == pytest.approx(rates[1])


def test_indices_and_lengths():
    for library in (gpukit, torch):
        net = library.nn.Sequential(library.nn.ReLU(), library.nn.Tanh())
        assert type(net[np.int64(-1)]).__name__ == "Tanh"
        parts = library.utils.data.random_split(list(range(6)), np.array([2, 4]))
        assert [len(part) for part in parts] == [2, 4]
    assert len(gpukit.utils.data.DataLoader([1, 2, 3], np.int64(2))) == 2  # torch refuses it
    for wrong in ("2", 2.0, 0, True):
        for library in (gpukit, torch):
            with pytest.raises(ValueError, match="batch_size"):
                library.utils.data.DataLoader([1, 2, 3], batch_size=wrong)
