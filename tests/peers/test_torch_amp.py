"""autocast and GradScaler beside torch's: dtypes, gradients, and 200 steps of three networks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

MODULES = (gpukit, torch)
X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)

CALLS = {
    "matmul": lambda m, x: x @ x.T,
    "mm": lambda m, x: m.mm(x, x.T),
    "bmm": lambda m, x: m.bmm(x[None], x.T[None]),
    "mv": lambda m, x: m.mv(x, x[0]),
    "addmm": lambda m, x: m.addmm(x[:, :4], x, x.T),
    "linear": lambda m, x: m.nn.functional.linear(x, x),
    "conv1d": lambda m, x: m.nn.functional.conv1d(x[None], m.ones(3, 4, 2)),
    "einsum": lambda m, x: m.einsum("ij,kj->ik", x, x),
    "add": lambda m, x: x + x,
    "relu": lambda m, x: m.relu(x),
    "half and float": lambda m, x: x.bfloat16() + x,
    "exp of half": lambda m, x: x.bfloat16().exp(),
    "sum of half": lambda m, x: x.bfloat16().sum(),
    "prod of half": lambda m, x: x.bfloat16().prod(),
    "softmax of half": lambda m, x: m.softmax(x.bfloat16(), 1),
    "layer_norm of half": lambda m, x: m.nn.functional.layer_norm(x.bfloat16(), (6,)),
    "mse_loss of half": lambda m, x: m.nn.functional.mse_loss(x.bfloat16(), x.bfloat16()),
    "cross_entropy of half": lambda m, x: m.nn.functional.cross_entropy(
        x.bfloat16(), m.tensor([0, 1, 2, 3])
    ),
    "float64": lambda m, x: x.double() @ x.double().T,
    "int": lambda m, x: m.ones(2, 2, dtype=m.int64) @ m.ones(2, 2, dtype=m.int64),
    "attention": lambda m, x: m.nn.functional.scaled_dot_product_attention(*[x[None]] * 3),
}  # fmt: skip


def answers(m, call, **options):
    x = m.tensor(X, requires_grad=True)
    with m.autocast("cpu", **options):
        out = call(m, x)
    weights = (m.arange(out.numel()) * 3.0).sin().reshape(tuple(out.shape))
    loss = (out.float() * weights).sum()
    gradient = m.autograd.grad(loss, x)[0] if out.requires_grad else None
    return out, gradient


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", CALLS)
def test_dtypes_and_gradients_are_torchs(name, dtype):
    mine, theirs = (answers(m, CALLS[name], dtype=getattr(m, dtype)) for m in MODULES)
    assert str(mine[0].dtype).split(".")[1] == str(theirs[0].dtype).split(".")[1]
    np.testing.assert_allclose(
        mine[0].detach().float().numpy(), theirs[0].detach().float().numpy(), rtol=0.02, atol=0.02
    )
    assert (mine[1] is None) == (theirs[1] is None)
    if mine[1] is not None:
        assert str(mine[1].dtype).split(".")[1] == str(theirs[1].dtype).split(".")[1]
        np.testing.assert_allclose(
            mine[1].float().numpy(), theirs[1].float().numpy(), rtol=0.03, atol=0.03
        )


def test_blocks_nest_and_end():
    def run(m):
        seen = []
        x = m.tensor(X)
        with m.autocast("cpu"):
            seen.append(str((x @ x.T).dtype)[-8:])
            with m.autocast("cpu", enabled=False):
                seen.append(str((x @ x.T).dtype)[-7:])
                seen.append(m.is_autocast_enabled("cpu"))
            with m.autocast("cpu", dtype=m.float16):
                seen.append(str((x @ x.T).dtype)[-7:])
                seen.append(str(m.get_autocast_dtype("cpu"))[-7:])
            seen.append(m.is_autocast_enabled("cpu"))
            seen.append(m.is_autocast_enabled("cuda"))
        seen.append(str((x @ x.T).dtype)[-7:])
        with pytest.raises(KeyError), m.autocast("cpu"):
            raise KeyError
        seen.append(m.is_autocast_enabled("cpu"))

        @m.amp.autocast("cpu")
        def product(a):
            return a @ a.T

        seen.append(str(product(x).dtype)[-8:])
        return seen

    assert run(gpukit) == run(torch)


@pytest.mark.parametrize("wrong", ["xyz", 3])
def test_unknown_devices(wrong):
    with pytest.raises((RuntimeError, ValueError)) as theirs:
        torch.autocast(wrong)
    with pytest.raises(theirs.type):
        gpukit.autocast(wrong)


def test_a_dtype_that_is_not_half_switches_it_off():
    with pytest.warns(UserWarning, match="autocast"):
        theirs = torch.autocast("cpu", dtype=torch.float64)
    with pytest.warns(gpukit.GpukitWarning, match="float64"):
        mine = gpukit.autocast("cpu", dtype=gpukit.float64)
    for m, block in ((torch, theirs), (gpukit, mine)):
        x = m.tensor(X)
        with block:
            assert (x @ x.T).dtype == m.float32


NETS = {
    "mlp": lambda m: [m.nn.Linear(6, 16), m.nn.ReLU(), m.nn.Linear(16, 3)],
    "norm": lambda m: [m.nn.Linear(6, 16), m.nn.LayerNorm(16), m.nn.Tanh(), m.nn.Linear(16, 3)],
    "cnn": lambda m: [
        m.nn.Unflatten(1, (1, 6)) if m is torch else Channels(),
        m.nn.Conv1d(1, 4, 3, padding=1), m.nn.ReLU(), m.nn.Flatten(), m.nn.Linear(24, 3),
    ],
}  # fmt: skip


class Channels(gpukit.nn.Module):
    def forward(self, x):
        return x.unsqueeze(1)


def losses(m, name, steps, scaled):
    """The losses of a training run in half precision."""
    rng = np.random.default_rng(0)
    net = m.nn.Sequential(*NETS[name](m))
    with m.no_grad():
        for p in net.parameters():
            p.copy_(m.tensor(rng.standard_normal(tuple(p.shape)).astype(np.float32) * 0.3))
    data = rng.standard_normal((60, 6)).astype(np.float32)
    x, y = m.tensor(data), m.tensor((data[:, 0] > 0).astype(np.int64) + (data[:, 1] > 0.5))
    optimizer = m.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scaler = m.amp.GradScaler("cpu", enabled=scaled, growth_interval=50)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        with m.autocast("cpu", dtype=m.float16 if scaled else m.bfloat16):
            loss = m.nn.functional.cross_entropy(net(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        found.append(loss.item())
    return found, scaler.get_scale()


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", NETS)
def test_200_steps(name, scaled):
    mine, factor = losses(gpukit, name, 200, scaled)
    theirs, wanted = losses(torch, name, 200, scaled)
    assert factor == wanted
    assert mine[-1] < mine[0] / 2
    np.testing.assert_allclose(mine[:10], theirs[:10], rtol=0.05)
    np.testing.assert_allclose(np.mean(mine[-20:]), np.mean(theirs[-20:]), rtol=0.25, atol=0.02)


def scaler_run(m):
    """What a scaler does with infinities, and its states."""
    w = m.tensor([1.0, 2.0], requires_grad=True)
    optimizer = m.optim.SGD([w], lr=0.5)
    scaler = m.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    seen = []
    for factor in (1.0, float("inf"), 1.0, 1.0, 1.0, float("nan"), 1.0):
        optimizer.zero_grad()
        scaler.scale((w * w).sum() * factor).backward()
        if factor == 1.0:
            scaler.unscale_(optimizer)
            seen.append(w.grad.tolist())
        scaler.step(optimizer)
        scaler.update()
        seen += [scaler.get_scale(), w.tolist()]
    seen.append(scaler.state_dict())
    other = m.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    seen.append(other.get_scale())
    scaler.step(optimizer)
    scaler.update(3.0)
    seen.append(scaler.get_scale())
    seen.append([t.item() for t in scaler.scale([w.sum(), w.sum() * 2])])
    off = m.amp.GradScaler("cpu", enabled=False)
    seen += [off.scale(w.sum()).item(), off.get_scale(), off.state_dict(), off.is_enabled()]
    return seen


def test_infinities_are_skipped_and_the_scale_follows():
    assert scaler_run(gpukit) == scaler_run(torch)


def wrong(m):
    w = m.tensor([1.0], requires_grad=True)
    optimizer = m.optim.SGD([w], lr=0.5)
    scaler = m.amp.GradScaler("cpu")
    scaler.scale(w.sum()).backward()

    def twice():
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)

    def stepped():
        scaler.step(optimizer)
        scaler.unscale_(optimizer)

    return [
        twice,
        stepped,
        lambda: scaler.step(optimizer),
        lambda: m.amp.GradScaler("cpu", growth_factor=1.0),
        lambda: m.amp.GradScaler("cpu").load_state_dict({}),
    ]


@pytest.mark.parametrize("number", range(5))
def test_wrong_uses(number):
    for m in MODULES:
        calls = wrong(m)
        if number == 2:
            calls[1] and calls[2]()
        with pytest.raises((RuntimeError, ValueError, AssertionError)):
            calls[number]()


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("cast", [None, "float32", "bfloat16"])
def test_functions_know_autocast(cast: str | None, inside: bool) -> None:
    def seen(library: Any) -> list[Any]:
        found: list[Any] = []
        custom = library.amp

        class Product(library.autograd.Function):  # type: ignore[name-defined, misc]
            @staticmethod
            @custom.custom_fwd(device_type="cpu", cast_inputs=cast and getattr(library, cast))
            def forward(ctx: Any, a: Any, many: Any) -> Any:
                ctx.save_for_backward(a, many["b"])
                found.extend([a.dtype, many["b"].dtype, many["n"].dtype, many["d"][0].dtype])
                found.append(library.is_autocast_enabled("cpu"))
                return (a.float() @ a.float()).to(a.dtype)

            @staticmethod
            @custom.custom_bwd(device_type="cpu")
            def backward(ctx: Any, gradient: Any) -> Any:
                a, _ = ctx.saved_tensors
                found.extend([gradient.dtype, (a @ a).dtype, library.is_autocast_enabled("cpu")])
                return gradient, None

        a = library.ones(2, 2, requires_grad=True)
        many = {
            "b": library.ones(2, 2),
            "n": library.ones(2, dtype=library.int64),
            "d": [library.ones(2, dtype=library.float64)],
        }
        with library.autocast("cpu", enabled=inside):
            result = Product.apply(a, many)
        result.float().sum().backward()
        return [str(each).replace("torch", "gpukit") for each in [*found, result.dtype]]

    assert seen(gpukit) == seen(torch)


def test_decorators_of_functions_refuse_other_devices() -> None:
    with pytest.raises(TypeError, match="cast_inputs must be a dtype, got 'float32'"):
        gpukit.amp.custom_fwd(len, device_type="cpu", cast_inputs="float32")
    for decorator in (gpukit.amp.custom_fwd, gpukit.amp.custom_bwd):
        with pytest.raises(RuntimeError, match="device_type must be 'cuda' or 'cpu'"):
            decorator(len, device_type="tpu")
    assert gpukit.cuda.amp.custom_bwd(len).__name__ == "len"
    assert gpukit.cuda.amp.custom_fwd(cast_inputs=gpukit.float16)(len).__name__ == "len"


@pytest.mark.parametrize("library", MODULES, ids=["gpukit", "torch"])
def test_forward_without_ctx_is_cast(library: Any) -> None:
    class Product(library.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        @library.amp.custom_fwd(device_type="cpu", cast_inputs=library.float32)
        def forward(a: Any, b: Any) -> Any:
            return (a * b).double() if a.dtype == b.dtype == library.float32 else a

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        @library.amp.custom_bwd(device_type="cpu")
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient, None

    x = library.ones(2, dtype=library.bfloat16, requires_grad=True)
    with library.autocast("cpu"):
        result = Product.apply(x, x)
    assert result.dtype == library.float64
    with pytest.raises((AttributeError, RuntimeError), match=r"autocast|custom_fwd"):
        result.sum().backward()
