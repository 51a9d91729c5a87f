"""autograd.forward_ad beside torch: tangents of operations, modules, gradients; errors."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch

import gpukit

MODULES = (gpukit, torch)
# torch compiles its decompositions with the deprecated torch.jit on the first use.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
OPERATIONS = {
    "square": lambda m, x: x * x,
    "chain": lambda m, x: (x.sin() * x.exp()).sum(0),
    "identity": lambda m, x: x.view(-1),
    "one more": lambda m, x: x + 1,
    "matmul": lambda m, x: x @ x.T,
    "softmax": lambda m, x: x.softmax(-1),
    "parts": lambda m, x: m.cat([x[:1] * 2, x[1:].exp()]),
    "sorted": lambda m, x: x.sort(-1).values,
    "sign": lambda m, x: x.sign(),
    "detached": lambda m, x: x.detach() * x,
    "largest": lambda m, x: x.max(),
    "written": lambda m, x: m.zeros(3, 2, dtype=m.float64).copy_(x * 2).mul_(x),
}
X = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])
T = np.array([[1.0, 0.5], [-2.0, 0.0], [0.25, 1.0]])


def forward_ad(module):
    return importlib.import_module(f"{module.__name__}.autograd.forward_ad")


def same(ours, theirs):
    assert (ours.tangent is None) == (theirs.tangent is None)
    pairs = [(ours.primal, theirs.primal)]
    pairs += [] if theirs.tangent is None else [(ours.tangent, theirs.tangent)]
    for mine, other in pairs:
        assert str(mine.dtype).rpartition(".")[2] == str(other.dtype).rpartition(".")[2]
        np.testing.assert_allclose(mine.detach().numpy(), other.detach().numpy(), 1e-12, 1e-14)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("records", [False, True])
def test_operations_carry_the_tangents_of_torch(name, records):
    found = []
    for m in MODULES:
        f = forward_ad(m)
        with f.dual_level():
            x = m.tensor(X, requires_grad=records)
            dual = f.make_dual(x, m.tensor(T))
            found.append(f.unpack_dual(OPERATIONS[name](m, dual)))
    same(*found)
    assert found[0].primal.requires_grad == found[1].primal.requires_grad


def test_a_dual_tensor_shares_memory_and_gives_its_own_tangent():
    for m in MODULES:
        f = forward_ad(m)
        x, t = m.tensor(X), m.tensor(T)
        with f.dual_level() as level:
            dual = f.make_dual(x, t, level=level)
            assert f.unpack_dual(dual).tangent is t
            assert dual.data_ptr() == x.data_ptr()
            assert f.unpack_dual(dual + 0).tangent.data_ptr() != t.data_ptr()
            assert f.unpack_dual(x * 2).tangent is None
            assert f.unpack_dual(dual.argmax()).tangent is None
            assert f.unpack_dual(dual.detach()).tangent is None
            y = dual * 2
        assert f.unpack_dual(y).tangent is None
        assert f.unpack_dual(dual).tangent is None
        assert not dual.requires_grad
        assert f.UnpackedDualTensor._fields == ("primal", "tangent")


def network(m):
    layers = (m.nn.Linear(2, 3), m.nn.BatchNorm1d(3), m.nn.Tanh(), m.nn.LayerNorm(3))
    net = m.nn.Sequential(*layers, m.nn.Linear(3, 1)).double()
    generator = np.random.default_rng(3)
    for parameter in net.parameters():
        parameter.data.copy_(m.tensor(generator.normal(size=tuple(parameter.shape))))
    return net


@pytest.mark.parametrize("way", ["functional_call", "attributes"])
def test_parameters_of_a_module_carry_tangents(way):
    found = []
    for m in MODULES:
        f, net = forward_ad(m), network(m)
        with f.dual_level():
            duals = {k: f.make_dual(p, m.ones_like(p)) for k, p in net.named_parameters()}
            if way == "functional_call":
                result = m.func.functional_call(net, duals, (m.tensor(X),))
            else:
                for name, dual in duals.items():
                    inside, _, last = name.rpartition(".")
                    delattr(net.get_submodule(inside), last)
                    setattr(net.get_submodule(inside), last, dual)
                result = net(m.tensor(X))
            found.append(f.unpack_dual(result))
    same(*found)


def test_gradients_have_tangents_which_are_second_derivatives():
    found = []
    for m in MODULES:
        f = forward_ad(m)
        with f.dual_level():
            x = m.tensor(X, requires_grad=True)
            dual = f.make_dual(x, m.tensor(T))
            (slope,) = m.autograd.grad((dual**3).sum(), dual, create_graph=True)
            found.append(f.unpack_dual(slope))
    same(*found)


def test_the_tangent_of_a_leaf_has_a_gradient():
    found = []
    for m in MODULES:
        f = forward_ad(m)
        x, t = m.tensor(X, requires_grad=True), m.tensor(T, requires_grad=True)
        with f.dual_level():
            tangent = f.unpack_dual(f.make_dual(x, t) ** 3).tangent
        tangent.sum().backward()
        found.append((x.grad.numpy(), t.grad.numpy()))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-12)


def test_complex_numbers():
    found = []
    for m in MODULES:
        f = forward_ad(m)
        with f.dual_level():
            z = f.make_dual(m.tensor([1 + 2j]), m.tensor([0.5 - 1j]))
            found.append([f.unpack_dual(z * z * (2 + 1j)), f.unpack_dual(z.abs())])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours.tangent.numpy(), theirs.tangent.numpy(), 1e-6)


def test_an_operation_of_ones_own_carries_the_tangent():
    found = []
    for m in MODULES:
        f = forward_ad(m)

        class Cube(m.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                ctx.kept = x
                return x**3

            @staticmethod
            def backward(ctx, slope):
                (x,) = ctx.saved_tensors
                return slope * 3 * x * x

            @staticmethod
            def jvp(ctx, tangent):
                return tangent * 3 * ctx.kept * ctx.kept

        with f.dual_level():
            found.append(f.unpack_dual(Cube.apply(f.make_dual(m.tensor(X), m.tensor(T)))))
    same(*found)


def refused(m):
    f = forward_ad(m)
    x, t = m.tensor(X), m.tensor(T)
    outside = [lambda: f.make_dual(x, t), f.exit_dual_level, lambda: f.make_dual(x, t, level=0)]
    inside = [
        lambda d: f.make_dual(d, t),
        lambda d: f.make_dual(x, t[:1]),
        lambda d: f.make_dual(m.tensor([1]), m.tensor([1])),
        lambda d: f.make_dual(x, m.zeros(3, 2, dtype=m.int32)),
        lambda d: f.unpack_dual(3),
        lambda d: f.enter_dual_level(),
        lambda d: f.make_dual(x, t, level=1),
        lambda d: f.unpack_dual(d, level=1),
        lambda d: f.exit_dual_level(level=1),
    ]
    for call in outside:
        yield error_of(call)
    with f.dual_level():
        dual = f.make_dual(x, t)
        for call in inside:
            yield error_of(lambda call=call: call(dual))


def error_of(call):
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


def test_errors_are_of_torchs_classes():
    for ours, theirs in zip(refused(gpukit), refused(torch), strict=True):
        assert isinstance(ours, type(theirs)), (ours, theirs)
        assert isinstance(ours, (gpukit.GpukitError, TypeError))
