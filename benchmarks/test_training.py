"""An MLP 20→256→relu→10 beside torch's, and JAX's where it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import torch
from harness import compare

import gpukit

torch.set_num_threads(gpukit.get_num_threads())
HAS_JAX = find_spec("jax") is not None
RATE = 1e-3


def values_of(rows: int) -> tuple[list[Any], Any, Any]:
    """Weights and biases, a batch, and its classes: the same for all libraries."""
    rng = np.random.default_rng(0)
    shapes = [(256, 20), (256,), (10, 256), (10,)]
    weights = [rng.uniform(-0.1, 0.1, shape).astype(np.float32) for shape in shapes]
    x = rng.standard_normal((rows, 20)).astype(np.float32)
    return weights, x, rng.integers(0, 10, rows)


class Trainer:
    """The same network, data and optimizer in gpukit and torch."""

    def __init__(self, module, rows, make="SGD", device="cpu", **settings):
        nn = module.nn
        weights, x, target = values_of(rows)
        self.loss = nn.functional.cross_entropy
        self.net = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
        for parameter, values in zip(self.net.parameters(), weights, strict=True):
            parameter.detach().copy_(module.tensor(values))
        self.x = module.tensor(x).to(device)
        self.target = module.tensor(target).to(device)
        self.optimizer = getattr(module.optim, make)(self.net.parameters(), lr=RATE, **settings)

    def forward(self):
        return self.net(self.x).detach()

    def step(self):
        self.optimizer.zero_grad()
        loss = self.loss(self.net(self.x), self.target)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


class JaxTrainer:
    """Forward and SGD's step as one compiled function each."""

    def __init__(self, rows):
        import jax
        import jax.numpy as jnp

        weights, x, target = values_of(rows)
        self.params = [jnp.asarray(w) for w in weights]
        self.x, self.target = jnp.asarray(x), jnp.asarray(target.astype(np.int32))

        def logits(params, x):
            hidden = jax.nn.relu(x @ params[0].T + params[1])
            return hidden @ params[2].T + params[3]

        def loss(params, x, target):
            scores = jax.nn.log_softmax(logits(params, x))
            return -jnp.take_along_axis(scores, target[:, None], axis=1).mean()

        def step(params, x, target):
            value, gradients = jax.value_and_grad(loss)(params, x, target)
            return [p - RATE * g for p, g in zip(params, gradients, strict=True)], value

        self._logits, self._step = jax.jit(logits), jax.jit(step)

    def forward(self):
        return self._logits(self.params, self.x).block_until_ready()

    def step(self):
        self.params, loss = self._step(self.params, self.x, self.target)
        self.params[0].block_until_ready()
        return loss.block_until_ready()


def trainers(rows, make="SGD", **settings):
    return {
        name: Trainer(module, rows, make, **settings)
        for name, module in (("gpukit", gpukit), ("torch", torch))
    }


def beside_jax(works, goals, rows, what):
    """Works and goals with JAX's, and the row's note."""
    if not HAS_JAX:
        return works, {k: v for k, v in goals.items() if k != "jax"}, "jax: not installed"
    return {**works, "jax": getattr(JaxTrainer(rows), what)}, goals, ""


@pytest.mark.parametrize(("rows", "goal"), [(32, 1 / 0.3), (1024, None)])
def test_forward(record, rows, goal):
    works = {name: trainer.forward for name, trainer in trainers(rows).items()}
    goals = {"torch": goal} if goal else {}
    works, goals, note = beside_jax(works, goals, rows, "forward")
    record(compare("training", f"MLP forward, batch {rows}", works, goals, note=note))


STEPS = {
    "SGD, batch 32": (32, "SGD", {}, {"torch": 6, "jax": 1 / 0.7}),
    "SGD, batch 1024": (1024, "SGD", {}, {"torch": 1 / 0.4, "jax": 1 / 0.7}),
    "SGD with momentum, batch 32": (32, "SGD", {"momentum": 0.9}, {}),
    "Adam, batch 32": (32, "Adam", {}, {}),
}


@pytest.mark.parametrize("name", STEPS)
def test_step(record, name):
    rows, make, settings, goals = STEPS[name]
    works = {library: t.step for library, t in trainers(rows, make, **settings).items()}
    note = ""
    if make == "SGD" and not settings:
        works, goals, note = beside_jax(works, goals, rows, "step")
    record(compare("training", f"MLP step, {name}", works, goals, rtol=1e-4, note=note))


def on_gpu(step, synchronize):
    """A call's time is that of the GPU's work, not of queueing it."""

    def work():
        loss = step()
        synchronize()
        return loss

    return work


@pytest.mark.parametrize("make", ["SGD", "Adam"])
def test_step_on_a_gpu(record_gpu, gpu, make):
    """Eager and captured; beside torch on its own GPU, where there is one."""
    eager, replayed = Trainer(gpukit, 32, make, gpu), Trainer(gpukit, 32, make, gpu)
    replayed.step()
    graph = gpukit.cuda.CUDAGraph()
    with gpukit.cuda.graph(graph):
        loss = replayed.step()

    def replay():
        graph.replay()
        return loss

    wait = gpukit.cuda.synchronize
    works = {"gpukit": on_gpu(eager.step, wait)}
    captured = {"gpukit": on_gpu(replay, wait)}
    if not gpu.simulated and torch.cuda.is_available():
        theirs = Trainer(torch, 32, make, "cuda")
        works["torch"] = captured["torch"] = on_gpu(theirs.step, torch.cuda.synchronize)
    name = f"MLP step, {make}, batch 32"
    record_gpu(compare("training", name, works, {"torch": 1 / 0.4}, check=False))
    record_gpu(compare("training", f"{name}, captured", captured, {"torch": 10}, check=False))


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
