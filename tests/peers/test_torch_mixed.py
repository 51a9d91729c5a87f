"""A left-over import of torch next to gpukit: errors that name it."""

from __future__ import annotations

import pytest
import torch

import gpukit

X = gpukit.rand(4, 20)
FOREIGN = torch.rand(4, 20)
LABELS = gpukit.tensor([0, 1, 2, 3])

# What `from torch import nn` next to `import gpukit as torch` calls.
IN_TORCH = {
    "layer": (lambda: torch.nn.Linear(20, 3)(X), "torch.nn.functional.linear|torch.linear"),
    "function": (lambda: torch.nn.functional.relu(X), "relu"),
    "loss": (lambda: torch.nn.CrossEntropyLoss()(X, LABELS), "cross_entropy"),
    "product": (lambda: torch.matmul(X, X.T), "matmul"),
    "list": (lambda: torch.stack([X, X]), "stack"),
    "no method": (lambda: torch.sum(X), "sum"),
}

IN_GPUKIT = {
    "function": lambda: gpukit.add(FOREIGN, FOREIGN),
    "operator": lambda: X + FOREIGN,
    "reflected operator": lambda: FOREIGN * X,
    "comparison": lambda: X < FOREIGN,
    "composed function": lambda: gpukit.nn.functional.softplus(FOREIGN),
    "layer": lambda: gpukit.nn.Linear(20, 3)(FOREIGN),
    "list": lambda: gpukit.stack([FOREIGN, FOREIGN]),
    "container": lambda: gpukit.nn.Sequential(torch.nn.Linear(2, 3)),
    "optimizer": lambda: gpukit.optim.SGD(torch.nn.Linear(2, 3).parameters(), lr=0.1),
    "data set": lambda: gpukit.utils.data.TensorDataset(FOREIGN),
    "device": lambda: X.to(torch.device("cpu")),
    "device of a factory": lambda: gpukit.zeros(3, device=torch.device("cpu")),
    "dtype": lambda: X.to(torch.float64),
    "dtype of a factory": lambda: gpukit.zeros(3, dtype=torch.float32),
}


@pytest.mark.parametrize("name", IN_TORCH)
def test_torch_functions_name_the_import(name: str) -> None:
    call, function = IN_TORCH[name]
    with pytest.raises(TypeError, match=function) as caught:
        call()
    text = str(caught.value)
    assert "is torch's and was given a gpukit.Tensor" in text
    assert "from gpukit import nn" in text


@pytest.mark.parametrize("name", IN_GPUKIT)
def test_gpukit_functions_name_the_import(name: str) -> None:
    with pytest.raises((TypeError, gpukit.GpukitError)) as caught:
        IN_GPUKIT[name]()
    text = str(caught.value)
    assert "It is torch's: replace a left-over import of torch" in text
    assert ("from_dlpack" in text) == (name not in {"container", *filter(_no_memory, IN_GPUKIT)})


def _no_memory(name: str) -> bool:
    return name.startswith(("device", "dtype"))


def test_data_still_go_over() -> None:
    assert torch.from_dlpack(X).shape == (4, 20)
    assert torch.as_tensor(X).shape == (4, 20)
    assert torch.tensor(X).shape == (4, 20)
    assert gpukit.from_dlpack(FOREIGN).shape == (4, 20)
    assert gpukit.tensor(FOREIGN).shape == (4, 20)
