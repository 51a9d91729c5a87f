"""An MLP 20→256→relu→10 beside torch's: forward, and whole steps of SGD and Adam."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from harness import compare

import gpukit

torch.set_num_threads(gpukit.get_num_threads())


class Trainer:
    """The same network, data and optimizer in either library."""

    def __init__(self, module, rows, make="SGD", **settings):
        rng = np.random.default_rng(0)
        nn = module.nn
        self.loss = nn.functional.cross_entropy
        self.net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
        for parameter in self.net.parameters():
            values = rng.uniform(-0.1, 0.1, tuple(parameter.shape)).astype(np.float32)
            parameter.detach().copy_(module.tensor(values))
        self.x = module.tensor(rng.standard_normal((rows, 20)).astype(np.float32))
        self.target = module.tensor(rng.integers(0, 10, rows))
        self.optimizer = getattr(module.optim, make)(self.net.parameters(), lr=1e-3, **settings)

    def forward(self):
        return self.net(self.x).detach()

    def step(self):
        self.optimizer.zero_grad()
        loss = self.loss(self.net(self.x), self.target)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def trainers(rows, make="SGD", **settings):
    return {
        name: Trainer(module, rows, make, **settings)
        for name, module in (("gpukit", gpukit), ("torch", torch))
    }


@pytest.mark.parametrize(("rows", "goal"), [(32, 1 / 0.3), (1024, None)])
def test_forward(record, rows, goal):
    works = {name: trainer.forward for name, trainer in trainers(rows).items()}
    goals = {"torch": goal} if goal else {}
    record(compare("training", f"MLP forward, batch {rows}", works, goals))


STEPS = {
    "SGD, batch 32": (32, "SGD", {}, {"torch": 6}),
    "SGD, batch 1024": (1024, "SGD", {}, {"torch": 1 / 0.4}),
    "SGD with momentum, batch 32": (32, "SGD", {"momentum": 0.9}, {}),
    "Adam, batch 32": (32, "Adam", {}, {}),
}


@pytest.mark.parametrize("name", STEPS)
def test_step(record, name):
    rows, make, settings, goals = STEPS[name]
    works = {library: t.step for library, t in trainers(rows, make, **settings).items()}
    record(compare("training", f"MLP step, {name}", works, goals, rtol=1e-4))


@pytest.mark.parametrize("make", ["SGD", "Adam"])
def test_optimizer_alone(record, make):
    """Ten million parameters in twenty tensors: one pass over memory."""

    def stepper(module):
        rng = np.random.default_rng(0)
        params = []
        for _ in range(20):
            values = rng.standard_normal(500_000).astype(np.float32)
            params.append(module.nn.Parameter(module.tensor(values)))
            params[-1].grad = module.tensor(values)
        optimizer = getattr(module.optim, make)(params, lr=1e-3)

        def step():
            optimizer.step()
            return params[0].detach()[:100]

        return step

    works = {"gpukit": stepper(gpukit), "torch": stepper(torch)}
    record(compare("training", f"{make} step, 10⁷ parameters", works, {}, rtol=1e-4))
