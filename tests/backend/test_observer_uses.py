"""What the interception point is for, in small: a tracer, autocast, a finder of NaN, a profile."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import gpukit
from gpukit import _core, nn

# ---- a tracer that replays ----


@dataclass
class Step:
    """One operator; a tensor among the arguments is the number of the step that made it."""

    operator: Any
    arguments: dict[str, Any]
    result: Any
    recorded: bool  # for gradients


@dataclass(frozen=True)
class Value:
    """A tensor of the graph, or with `input` one that came from outside."""

    number: int


@dataclass
class Tracer:
    """Records a program as a list of operators, and runs it again on other inputs."""

    inputs: list[gpukit.Tensor]
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self):
        self.known = {id(tensor): Value(i) for i, tensor in enumerate(self.inputs)}
        self.kept = list(self.inputs)  # their ids stay theirs
        self.arguments = {}

    def before_operator(self, call):
        if call.depth == 0:  # an in-place operator changes what it is called with
            self.arguments[call] = self.encoded(call.arguments)

    def after_operator(self, call):
        if call.depth == 0:
            arguments = self.arguments.pop(call)
            result = self.encoded(call.result, new=True)
            self.steps.append(Step(call.operator, arguments, result, gpukit.is_grad_enabled()))

    def encoded(self, value, new=False):
        if isinstance(value, gpukit.Tensor):
            if id(value) not in self.known and new:
                self.known[id(value)] = Value(len(self.kept))
                self.kept.append(value)
            return self.known.get(id(value), value)
        if isinstance(value, dict):
            return {key: self.encoded(each, new) for key, each in value.items()}
        if isinstance(value, list | tuple):
            parts = [self.encoded(each, new) for each in value]
            return parts if isinstance(value, list) else tuple(parts)
        return value

    def replay(self, inputs, outputs):
        values = dict(enumerate(inputs))
        for step in self.steps:
            with gpukit.set_grad_enabled(step.recorded):
                result = step.operator.call(decoded(step.arguments, values))
            bind(step.result, result, values)
        return [values[self.known[id(output)].number] for output in outputs]


def decoded(value, values):
    """What stood there, with the tensors of this run."""
    if isinstance(value, Value):
        return values[value.number]
    if isinstance(value, dict):
        return {key: decoded(each, values) for key, each in value.items()}
    if type(value) in {list, tuple}:
        return type(value)(decoded(each, values) for each in value)
    return value


def bind(pattern, result, values):
    """Note the tensors of a result."""
    if isinstance(pattern, Value):
        values[pattern.number] = result
    elif isinstance(pattern, list | tuple):
        for part, each in zip(pattern, result, strict=True):
            bind(part, each, values)


def mlp_step(x, target, w1, b1, w2, b2):
    loss = nn.functional.cross_entropy(nn.functional.relu(x @ w1 + b1) @ w2 + b2, target)
    loss.backward()
    with gpukit.no_grad():
        w1 -= 0.1 * w1.grad
        for parameter in (b1, w2, b2):
            parameter.sub_(parameter.grad, alpha=0.1)
    return [loss, w1, b1, w2, b2]


def attention(x, w):
    query, key, value = (x @ w).chunk(3, dim=-1)
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    mask = gpukit.ones(scores.shape[-2:], dtype=gpukit.bool, device=x.device).tril()
    return [gpukit.softmax(scores.masked_fill(~mask, -math.inf), -1) @ value]


def k_means(points, centers):
    for _ in range(3):
        nearest = ((points[:, None] - centers) ** 2).sum(-1).argmin(1)
        member = nn.functional.one_hot(nearest, centers.shape[0]).to(points.dtype)
        centers = member.T @ points / member.sum(0).clamp(min=1)[:, None]
    return [centers, nearest]


def newton(a):
    x = gpukit.full_like(a, 1.0)
    for _ in range(5):
        x = x - (x * x - a) / (2 * x)
    return [x, (x - a.sqrt()).abs().max()]


def in_place(x, y):
    z = x.clone()
    z += y
    z *= 2
    z[0] = 5
    row = z[1]
    row -= 1
    z.clamp_(max=6).add_(y, alpha=0.5)
    return [z, row]


def indexing(x, index):
    picked = x[index]
    tail = x[1:, ::2]
    large = gpukit.where(x > 0, x, 0.0)
    taken = gpukit.gather(x, 1, index[: x.shape[0], None].expand(-1, 2))
    return [picked, tail.flip(0), large.T[..., -1], taken, picked.max(1).values]


def floats(device, *shape):
    return gpukit.tensor(np.random.default_rng(0).normal(size=shape).astype("f4")).to(device)


def parameters(device, *shapes):
    return [(floats(device, *shape) * 0.3).requires_grad_() for shape in shapes]


PROGRAMS = {
    mlp_step: lambda d: [
        floats(d, 5, 4),
        gpukit.tensor([0, 2, 1, 1, 0], device=d),
        *parameters(d, (4, 8), (8,), (8, 3), (3,)),
    ],
    attention: lambda d: [floats(d, 2, 5, 6), floats(d, 6, 18)],
    k_means: lambda d: [floats(d, 20, 2), floats(d, 3, 2)],
    newton: lambda d: [floats(d, 7).abs() + 0.1],
    in_place: lambda d: [floats(d, 3, 4), floats(d, 4)],
    indexing: lambda d: [floats(d, 4, 6), gpukit.tensor([3, 0, 2, 0], device=d)],
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_traced_program_replays(device, program):
    inputs = PROGRAMS[program](device)
    tracer = Tracer(inputs)
    with _core.observe(tracer):
        outputs = program(*inputs)
    others = [each.detach() * 1 for each in PROGRAMS[program](device)]
    for other, given in zip(others, inputs, strict=True):
        other.requires_grad_(given.requires_grad)
    copies = [each.detach().clone().requires_grad_(each.requires_grad) for each in others]
    replayed = tracer.replay(others, outputs)
    wanted = program(*copies)
    assert len(tracer.steps) >= 5
    for got, want, first in zip(replayed, wanted, outputs, strict=True):
        np.testing.assert_array_equal(got.detach().cpu().numpy(), want.detach().cpu().numpy())
        np.testing.assert_array_equal(got.detach().cpu().numpy(), first.detach().cpu().numpy())


# ---- autocast ----

HALF = {"matmul", "linear", "linear_relu", "mm", "bmm", "addmm"}
SINGLE = {"softmax", "log_softmax", "cross_entropy", "sum", "mean", "exp", "log"}


class Autocast:
    """Products in half precision, sums in single."""

    def before_operator(self, call):
        dtype = (
            gpukit.bfloat16
            if call.name in HALF
            else gpukit.float32
            if call.name in SINGLE
            else None
        )
        if dtype is not None:
            call.arguments = {name: cast(value, dtype) for name, value in call.arguments.items()}


def cast(value, dtype):
    is_floating = isinstance(value, gpukit.Tensor) and value.dtype.is_floating_point
    return value.to(dtype) if is_floating else value


def test_autocast_is_recorded(device):
    x, target, *weights = PROGRAMS[mlp_step](device)
    with _core.observe(Autocast()):
        hidden = nn.functional.relu(x @ weights[0] + weights[1])
        logits = nn.functional.linear(hidden, weights[2].T, weights[3])
        loss = nn.functional.cross_entropy(logits, target)
    assert hidden.dtype is gpukit.float32, "a bfloat16 product plus a float32 bias"
    assert logits.dtype is gpukit.bfloat16
    loss.backward()
    got = [weight.grad for weight in weights]
    assert {each.dtype for each in got} == {gpukit.float32}
    _, _, *exact = PROGRAMS[mlp_step](device)
    mlp_step(x, target, *exact)
    for mine, other in zip(got, exact, strict=True):
        np.testing.assert_allclose(mine.cpu().numpy(), other.grad.cpu().numpy(), atol=0.02)


# ---- anomaly detection ----


class FindsNaN:
    """Raises at the first derivative that makes a NaN, and names the line of its operator."""

    def __init__(self):
        self.lines = {}

    def after_operator(self, call):
        for node in call.nodes:
            self.lines.setdefault(node, call.place)

    def after_derivative(self, call):
        clean = not call.gradient.isnan().any()
        if clean and any(gradient.isnan().any() for _, gradient in call.given):
            file, line, _ = self.lines[call.node]
            raise ArithmeticError(f"{call.name} of {file}:{line} made a NaN")


def test_the_derivative_that_makes_nan_is_named(device):
    x = gpukit.tensor([0.0, 1.0], device=device, requires_grad=True)
    with _core.observe(FindsNaN(), nodes=True):
        y = (x * 2).abs()
        root = y.sqrt()  # its slope at 0 is infinite
        z = (root * gpukit.tensor([0.0, 1.0], device=device)).sum()
        line = test_the_derivative_that_makes_nan_is_named.__code__.co_firstlineno + 4
        with pytest.raises(ArithmeticError, match=rf"SqrtBackward0 of .*:{line} made a NaN"):
            z.backward()


# ---- a profile ----


class Profile:
    """Begin and end of everything, as an indented list."""

    def __init__(self):
        self.lines, self.open, self.device_bytes = [], 0, 0.0

    def begin(self, name):
        self.lines.append("  " * self.open + name)
        self.open += 1

    def end(self, call):
        self.open -= 1
        if self.open == 0:
            self.device_bytes += call.work["bytes"]

    def before_operator(self, call):
        module = call.arguments.get("module")
        self.begin(call.name if module is None else type(module).__name__)

    def before_derivative(self, call):
        self.begin(call.name)

    after_operator = after_derivative = end


def test_a_profile_nests_forward_backward_and_step(device):
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh()).to(device)
    optimizer = gpukit.optim.SGD(model.parameters(), lr=0.1)
    x = gpukit.ones(4, 2, device=device)
    profile = Profile()
    with _core.observe(profile, work=True):
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
    assert profile.open == 0
    assert profile.lines == [
        "Sequential",
        "  Linear",
        "    linear",
        "  Tanh",
        "    tanh",
        "sum",
        "backward",
        "  SumBackward0",
        "  TanhBackward0",
        "  AddmmBackward0",
        "optimizer_step",
        "  sgd_step",
    ]
    assert profile.device_bytes > 4 * 4 * (2 + 3)


def test_an_error_leaves_no_call_open(device):
    x = gpukit.ones(2, 3, device=device)
    profile = Profile()
    with _core.observe(profile, work=True):
        with pytest.raises(gpukit.ShapeError):
            nn.Linear(2, 2).to(device)(x)
        with pytest.raises(gpukit.ShapeError):
            x @ x
    assert profile.open == 0
