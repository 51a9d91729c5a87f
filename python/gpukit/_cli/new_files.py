"""The files that `gpukit new` writes: what the tutorials set up manually."""

from __future__ import annotations

import json
from typing import Any

TRAIN = '''"""Trains a small network on the GPU if there is one, else on the CPU."""

import gpukit
from gpukit import nn
from gpukit.nn import functional as F
from gpukit.utils.data import DataLoader, TensorDataset

EPOCHS, BATCH_SIZE, LEARNING_RATE = 5, 64, 0.1


def make_data(n=1024):
    """Points in 20 dimensions and their classes; put your own data here."""
    X = gpukit.randn(n, 20)
    y = (X[:, :5].sum(dim=1) > 0).long()
    return TensorDataset(X, y)


def make_model():
    """A network with one hidden layer."""
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))


def train(model, data, device, epochs=EPOCHS):
    """Returns the mean loss of each epoch."""
    optimizer = gpukit.optim.SGD(model.parameters(), lr=LEARNING_RATE)
    log = gpukit.DeviceLog(device=device)  # keeps losses on the device: .item() a step would wait
    batches = 0
    for _ in range(epochs):
        batches = 0
        for X, y in DataLoader(data, batch_size=BATCH_SIZE, shuffle=True, device=device):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(X), y)
            loss.backward()
            optimizer.step()
            log.append(loss.detach())
            batches += 1
    return log.numpy().reshape(epochs, batches).mean(axis=1).tolist()


def main():
    """Trains, prints and saves."""
    gpukit.manual_seed(0)
    device = gpukit.try_gpu()
    print(f"on {device}")
    model = make_model().to(device)
    losses = train(model, make_data(), device)
    for epoch, loss in enumerate(losses, 1):
        print(f"epoch {epoch}: loss {loss:.4f}")
    gpukit.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
'''

TEST = '''"""Run with `pytest`; `pytest --gpukit-simulate 2xT4` runs it on simulated GPUs."""

import gpukit
import train


def test_the_loss_falls():
    gpukit.manual_seed(0)
    device = gpukit.try_gpu(quiet=True)
    model = train.make_model().to(device)
    losses = train.train(model, train.make_data(256), device, epochs=3)
    assert losses[-1] < losses[0]
'''

README = """# {name}

```bash
pip install -r requirements.txt
gpukit doctor            # is there a GPU, does it work, what to do if not
python train.py          # on the GPU if there is one
gpukit watch train.py    # which lines wait for the GPU
gpukit lint train.py     # usual mistakes of GPU programs
pytest                   # pytest --gpukit-simulate 2xT4: without a GPU
```

`use_gpu.ipynb` inspects the machine, moves tensors and times them. `train.py` writes `model.pt`.
"""

IGNORED = "__pycache__/\n.ipynb_checkpoints/\n.venv/\n*.pt\n"

# (kind, text) of each cell.
CELLS = (
    ("markdown", "# {name}\n\nWhat is here, tensors on it, and how fast it is."),
    ("code", "import gpukit\n\ngpukit.info()"),
    ("markdown", "## Devices\n\n`try_gpu` gives the CPU and says why where no GPU works."),
    ("code", "device = gpukit.try_gpu()\ndevices = gpukit.try_all_gpus()\ndevice, devices"),
    (
        "markdown",
        "## Tensors on a device\n\nA tensor is where it was made.",
    ),
    (
        "code",
        "X = gpukit.ones(2, 3, device=device)\nY = gpukit.rand(2, 3, device=device)\nX + Y",
    ),
    ("code", "Z = X.to(device)\nZ is X  # nothing to move: the tensor itself"),
    ("markdown", "## A network\n\n`.to(device)` moves its parameters."),
    (
        "code",
        "from gpukit import nn\n\nnet = nn.Sequential(nn.Linear(3, 1)).to(device)\nnet(X)",
    ),
    ("code", "net[0].weight.device"),
    ("markdown", "## Time\n\n`bench` waits for the GPU, and compares the results of all devices."),
    (
        "code",
        "A = gpukit.rand(500, 500)\ngpukit.bench(gpukit.matmul, A, A, verbose=False)",
    ),
    ("markdown", "## Save"),
    ("code", 'gpukit.save(net.state_dict(), "net.pt")\ngpukit.load("net.pt")'),
)


def notebook(name: str) -> str:
    """A notebook (format 4.5) without outputs."""
    cells: list[dict[str, Any]] = []
    for number, (kind, text) in enumerate(CELLS):
        cell: dict[str, Any] = {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": text.replace("{name}", name).splitlines(keepends=True),
        }
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def project(name: str, requirement: str) -> dict[str, str]:
    """Name of each file of a project folder -> its text."""
    return {
        "README.md": README.replace("{name}", name),
        "requirements.txt": f"{requirement}\npytest\n",
        ".gitignore": IGNORED,
        "train.py": TRAIN,
        "test_train.py": TEST,
        "use_gpu.ipynb": notebook(name),
    }
