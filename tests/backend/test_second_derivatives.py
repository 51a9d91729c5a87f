"""Second derivatives: create_graph=True for every case, and its semantics."""

from __future__ import annotations

import gc
import resource
from pathlib import Path

import numpy as np
import pytest

import gpukit
from gpukit.nn import functional as F
from support.gradients import CASES, Case


def leaf(*values: float, device: object = "cpu") -> gpukit.Tensor:
    return gpukit.tensor(list(values), dtype=gpukit.float64, device=device, requires_grad=True)


def listed(outputs: object) -> list[gpukit.Tensor]:
    return [outputs] if isinstance(outputs, gpukit.Tensor) else list(outputs)


def weighted(tensors: list[gpukit.Tensor]) -> gpukit.Tensor:
    """The sum with irregular weights."""
    weights = [gpukit.linspace(0.5, 1.5, t.numel(), dtype=t.dtype).to(t.device) for t in tensors]
    return sum((t.reshape(-1) * w).sum() for t, w in zip(tensors, weights, strict=True))


def orders(case: Case, arrays: list[np.ndarray], device: object, count: int) -> list[np.ndarray]:
    """The gradients of order 1 to count, each computed from the previous one."""
    inputs = [gpukit.tensor(a, device=device, requires_grad=True) for a in arrays]
    tensors, found = listed(case.function(gpukit, *inputs)), []
    for _ in range(count):
        total = weighted(tensors)
        if not total.requires_grad:
            break  # a constant
        tensors = [
            g
            for g in gpukit.autograd.grad(total, inputs, create_graph=True, allow_unused=True)
            if g is not None
        ]
        found += [g.detach().cpu().numpy() for g in tensors]
        if not tensors:
            break
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_second_derivative_beside_differences(case: Case) -> None:
    for seed in range(3):
        inputs = [gpukit.tensor(a, requires_grad=True) for a in case.inputs(seed)]
        assert gpukit.autograd.gradgradcheck(lambda *x: case.function(gpukit, *x), inputs)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_derivatives_of_three_orders_beside_the_cpu(case: Case, device: gpukit.device) -> None:
    arrays = case.inputs(0)
    want = orders(case, arrays, "cpu", 3)
    got = orders(case, arrays, device, 3)
    assert len(got) == len(want)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_recorded_pass_gives_the_same_gradients(case: Case) -> None:
    arrays = case.inputs(1)
    results = []
    for create in (False, True):
        inputs = [gpukit.tensor(a, requires_grad=True) for a in arrays]
        total = weighted(listed(case.function(gpukit, *inputs)))
        results.append(gpukit.autograd.grad(total, inputs, create_graph=create, allow_unused=True))
    for plain, recorded in zip(*results, strict=True):
        assert (plain is None) == (recorded is None)
        if plain is not None:
            assert not plain.requires_grad
            np.testing.assert_allclose(recorded.detach().numpy(), plain.numpy(), rtol=1e-12)


def function_cases(device: object) -> dict[str, tuple]:
    """Losses and layers: (function, inputs)."""
    rng = np.random.default_rng(5)

    def tensor(*shape: int, low: float = -2.0, high: float = 2.0) -> gpukit.Tensor:
        return gpukit.tensor(rng.uniform(low, high, shape), device=device, requires_grad=True)

    classes = gpukit.tensor([1, 0, 2, -100, 1], device=device)
    weight = gpukit.tensor([0.5, 2.0, 1.0], dtype=gpukit.float64, device=device)
    cases: dict[str, tuple] = {}
    for reduction in ("mean", "sum", "none"):
        for smoothing in (0.0, 0.3):
            for own in (None, weight):
                name = f"cross_entropy {reduction} {smoothing} {own is not None}"
                cases[name] = (
                    lambda x, r=reduction, s=smoothing, w=own: F.cross_entropy(
                        x, classes, w, reduction=r, label_smoothing=s
                    ),
                    [tensor(5, 3)],
                )
        for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
            cases[f"{loss.__name__} {reduction}"] = (
                lambda x, y, f=loss, r=reduction: f(x, y, reduction=r),
                [tensor(3, 4), tensor(3, 4)],
            )
        cases[f"mse_loss {reduction} of one input"] = (
            lambda x, r=reduction: F.mse_loss(x, weight, reduction=r),
            [tensor(3)],
        )
        cases[f"binary_cross_entropy {reduction}"] = (
            lambda x, y, r=reduction: F.binary_cross_entropy(x, y, reduction=r),
            [tensor(4, low=0.2, high=0.8), tensor(4, low=0.2, high=0.8)],
        )
    cases["bce with logits"] = (
        lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, pos_weight=w),
        [tensor(4), tensor(4, low=0.2, high=0.8), tensor(4, low=0.2, high=0.8)],
    )
    cases["nll_loss"] = (lambda x: F.nll_loss(x, classes, weight), [tensor(5, 3)])
    for name in ("elu", "silu", "gelu", "softplus", "leaky_relu", "logsigmoid", "relu"):
        cases[name] = (getattr(F, name), [tensor(3, 4)])
    cases["linear"] = (F.linear, [tensor(5, 3), tensor(4, 3), tensor(4)])
    cases["linear of rows of rows"] = (F.linear, [tensor(2, 5, 3), tensor(4, 3), tensor(4)])
    cases["linear without bias"] = (F.linear, [tensor(5, 3), tensor(4, 3)])
    cases["linear_relu"] = (gpukit._core.linear_relu, [tensor(5, 3), tensor(4, 3), tensor(4)])
    cases["layer_norm"] = (
        lambda x, w, b: F.layer_norm(x, (2, 3), w, b),
        [tensor(2, 2, 3), tensor(2, 3), tensor(2, 3)],
    )
    cases["layer_norm of one input"] = (lambda x: F.layer_norm(x, (3,)), [tensor(4, 3)])
    cases["layer_norm of bias"] = (
        lambda x, b: F.layer_norm(x, (3,), None, b),
        [tensor(4, 3), tensor(3)],
    )
    index = gpukit.tensor([2, 0, 2], device=device)
    cases["embedding"] = (lambda w: F.embedding(index, w) ** 2, [tensor(3, 2)])
    return cases


@pytest.mark.parametrize("name", function_cases("cpu"))
def test_functions_beside_differences(name: str, device: gpukit.device) -> None:
    function, inputs = function_cases(device)[name]
    assert gpukit.autograd.gradgradcheck(function, inputs, rtol=3e-5)


# ---- what create_graph means ----


def test_gradients_have_graphs(device: gpukit.device) -> None:
    x = leaf(1.0, 2.0, device=device)
    (slope,) = gpukit.autograd.grad((x**3).sum(), x, create_graph=True)
    assert slope.requires_grad
    assert slope.grad_fn is not None
    (bend,) = gpukit.autograd.grad(slope.sum(), x, create_graph=True)
    (third,) = gpukit.autograd.grad(bend.sum(), x)
    assert [t.tolist() for t in (slope, bend, third)] == [[3.0, 12.0], [6.0, 12.0], [6.0, 6.0]]
    assert not third.requires_grad


def test_a_recorded_pass_keeps_the_graph_unless_told_not_to() -> None:
    x = leaf(2.0)
    y = x.exp().sum()
    gpukit.autograd.grad(y, x, create_graph=True)
    gpukit.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(gpukit.AutogradError, match="used before"):
        gpukit.autograd.grad(y, x)


def test_backward_with_a_graph(device: gpukit.device) -> None:
    x = leaf(2.0, device=device)
    with pytest.warns(gpukit.GpukitWarning, match="create_graph"):
        (x**3).sum().backward(create_graph=True)
    first = x.grad
    assert first.requires_grad
    with pytest.warns(gpukit.GpukitWarning, match="create_graph"):
        (x**2).sum().backward(create_graph=True)
    assert x.grad is not first  # first is part of a graph and stays what it was
    assert (first.tolist(), x.grad.tolist()) == ([12.0], [16.0])
    assert gpukit.autograd.grad(x.grad.sum(), x)[0].tolist() == [14.0]
    x.sum().backward()  # plain: the sum has no graph
    assert (x.grad.tolist(), x.grad.requires_grad) == ([17.0], False)
    x.grad = None


def test_a_pass_records_inside_no_grad_too() -> None:
    x = leaf(3.0)
    y = (x * x).sum()
    with gpukit.no_grad():
        (slope,) = gpukit.autograd.grad(y, x, create_graph=True)
        assert not gpukit.is_grad_enabled()
    assert gpukit.autograd.grad(slope.sum(), x)[0].tolist() == [2.0]


def test_incoming_gradients_have_gradients(device: gpukit.device) -> None:
    x, v = leaf(1.0, 2.0, device=device), leaf(3.0, 4.0, device=device)
    (g,) = gpukit.autograd.grad(x.exp(), x, v, create_graph=True)
    (by_v,) = gpukit.autograd.grad(g.sum(), v)
    np.testing.assert_allclose(by_v.cpu().numpy(), np.exp([1.0, 2.0]))


def test_between_dtypes_and_devices(device: gpukit.device) -> None:
    x = leaf(1.0, 2.0)
    y = (x.to(device).float() ** 3).cpu().double()
    (slope,) = gpukit.autograd.grad(y.sum(), x, create_graph=True)
    assert gpukit.autograd.grad(slope.sum(), x)[0].tolist() == [6.0, 12.0]


def test_hooks_see_gradients_with_graphs() -> None:
    x = leaf(2.0)
    seen = []
    y = x * x
    handle = y.register_hook(lambda g: seen.append(g.requires_grad) or g * y)
    (slope,) = gpukit.autograd.grad(y.sum(), x, create_graph=True)  # 2 x**3
    handle.remove()
    assert gpukit.autograd.grad(slope.sum(), x)[0].tolist() == [24.0]
    assert seen == [False]


def test_a_retained_gradient_has_a_graph() -> None:
    x = leaf(2.0)
    y = x * x
    y.retain_grad()
    with pytest.warns(gpukit.GpukitWarning):
        (y * y).sum().backward(create_graph=True)
    assert gpukit.autograd.grad(y.grad.sum(), x)[0].tolist() == [8.0]
    x.grad = y.grad = None


def test_a_changed_tensor_is_found_in_a_recorded_pass_too() -> None:
    x = leaf(2.0)
    y = x * 1
    z = y * y
    y.add_(1)
    with pytest.raises(gpukit.AutogradError, match="changed in place"):
        gpukit.autograd.grad(z.sum(), x, create_graph=True)


def test_only_what_leads_to_the_inputs_runs() -> None:
    x = leaf(2.0, 3.0)
    hidden = x.exp()
    piece = hidden[0]
    gpukit.autograd.grad((piece * 2).sum(), piece)
    hidden.sum().backward()  # its graph was kept
    assert x.grad is not None


def test_a_step_function_gives_zeros_and_not_nothing() -> None:
    """As in torch: no parameter of a penalty of a network with relu is missing."""
    x, w, b = leaf(1.0, -2.0), leaf(0.5, 0.25), leaf(0.1, 0.2)
    (slope,) = gpukit.autograd.grad((x * w + b).relu().sum(), x, create_graph=True)
    by_w, by_b = gpukit.autograd.grad((slope**2).sum(), [w, b])
    assert (by_w.tolist(), by_b.tolist()) == ([1.0, 0.0], [0.0, 0.0])


def test_a_loss_is_one_node() -> None:
    x = leaf(1.0, 2.0)
    for loss in (F.mse_loss, F.huber_loss):
        node = loss(x, x.detach() + 1, reduction="none").grad_fn
        assert node.next_functions[0][0].name() == "AccumulateGrad"


@pytest.mark.memory_growth
def test_nothing_stays_alive() -> None:
    def penalties(count: int) -> None:
        for _ in range(count):
            x = gpukit.ones(64, 1024, requires_grad=True)
            (g,) = gpukit.autograd.grad((x.exp() * x.tanh()).sum(), x, create_graph=True)
            (h,) = gpukit.autograd.grad(g.norm(), x, create_graph=True)
            h.sum().backward()

    penalties(5)
    gc.collect()
    before = resident_kib()
    penalties(100)  # each makes some megabytes
    gc.collect()
    assert resident_kib() - before < 16 * 1024


def resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1024


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(
    "function",
    [F.relu, F.leaky_relu, gpukit.abs, lambda x: x.norm(1)],
    ids=["relu", "leaky_relu", "abs", "norm1"],
)
def test_the_second_derivative_of_straight_lines_is_zeros(function, dtype, device):
    values = [0.0, 2.0, -1.0, float("nan"), float("inf"), -float("inf")]
    x = gpukit.tensor(values, dtype=dtype, device=device, requires_grad=True)
    (slope,) = gpukit.autograd.grad(function(x).sum(), x, create_graph=True)
    assert slope.requires_grad
    slope[:3].sum().backward()
    assert x.grad.tolist()[:3] == [0.0, 0.0, 0.0]


def test_the_recorded_slope_of_leaky_relu_is_the_plain_one(device):
    values = [0.0, -0.0, 2.0, -1.0, float("nan"), float("inf"), -float("inf")]
    for slope in (0.01, 0.2, 0, -1.5):
        x = gpukit.tensor(values, device=device, requires_grad=True)
        y = F.leaky_relu(x, slope).sum()
        (plain,) = gpukit.autograd.grad(y, x, retain_graph=True)
        (recorded,) = gpukit.autograd.grad(y, x, create_graph=True)
        want = np.array([slope, slope, 1, slope, slope, 1, slope], np.float32).tolist()
        assert plain.tolist() == want
        assert recorded.tolist() == want


def test_a_gradient_penalty_gives_each_layer_a_gradient(device):
    gpukit.manual_seed(0)
    critic = gpukit.nn.Sequential(
        gpukit.nn.Linear(2, 4), gpukit.nn.LeakyReLU(0.2), gpukit.nn.Linear(4, 1)
    ).to(device)
    x = gpukit.randn(8, 2, device=device).requires_grad_()
    scores = critic(x)
    slope = gpukit.autograd.grad(
        outputs=scores,
        inputs=x,
        grad_outputs=gpukit.ones_like(scores),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    ((slope.norm(2, dim=1) - 1) ** 2).mean().backward()
    assert critic[0].weight.grad.abs().sum() > 0
    assert critic[0].bias.grad.tolist() == [0.0] * 4
    assert critic[2].weight.grad.abs().sum() > 0
