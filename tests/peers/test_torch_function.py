"""autograd.Function and checkpoint beside torch's: cases of the documentation and of programs."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
import torch

import gpukit

MODULES = (gpukit, torch)


def checkpoint_of(m):
    return importlib.import_module(f"{m.__name__}.utils.checkpoint")


def classes(m):
    """Functions as programs write them."""

    class Exp(m.autograd.Function):
        @staticmethod
        def forward(ctx, i):
            result = i.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad_output):
            (result,) = ctx.saved_tensors
            return grad_output * result

    class Linear(m.autograd.Function):
        @staticmethod
        def forward(input, weight, bias):
            output = input.mm(weight.t())
            if bias is not None:
                output = output + bias.unsqueeze(0).expand_as(output)
            return output

        @staticmethod
        def setup_context(ctx, inputs, output):
            input, weight, bias = inputs
            ctx.save_for_backward(input, weight, bias)

        @staticmethod
        def backward(ctx, grad_output):
            input, weight, bias = ctx.saved_tensors
            gi = gw = gb = None
            if ctx.needs_input_grad[0]:
                gi = grad_output.mm(weight)
            if ctx.needs_input_grad[1]:
                gw = grad_output.t().mm(input)
            if bias is not None and ctx.needs_input_grad[2]:
                gb = grad_output.sum(0)
            return gi, gw, gb

    class Both(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, scale):
            ctx.scale = scale
            ctx.save_for_backward(x, y)
            numbers = (x > y).long()
            ctx.mark_non_differentiable(numbers)
            return x * y * scale, x + y, numbers

        @staticmethod
        def backward(ctx, gp, gs, gn):
            x, y = ctx.saved_tensors
            assert gn.shape == x.shape
            return gp * y * ctx.scale + gs, gp * x * ctx.scale + gs, None

    class Straight(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, g):
            return g

    class Inplace(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    class Reverse(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, alpha):
            ctx.alpha = alpha
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g.neg() * ctx.alpha, None

    class Nothing(m.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.set_materialize_grads(False)
            return x * 2, y * 3

        @staticmethod
        def backward(ctx, a, b):
            return None if a is None else a * 2, None if b is None else b * 3

    class Same(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 5

    class Once(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        @m.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    return {
        "Exp": Exp, "Linear": Linear, "Both": Both, "Straight": Straight, "Inplace": Inplace,
        "Reverse": Reverse, "Nothing": Nothing, "Same": Same, "Once": Once,
    }  # fmt: skip


A = np.arange(6.0).reshape(2, 3) / 3 - 0.7
B = np.arange(6.0)[::-1].reshape(2, 3) / 4
W = np.arange(12.0).reshape(4, 3) / 5 - 1


def beside(run):
    """What run(module, classes) returns: numbers of both, equal."""
    found = []
    for m in MODULES:
        result = run(m, classes(m))
        found.append([r.detach().tolist() if hasattr(r, "detach") else r for r in result])
    for mine, theirs in zip(*found, strict=True):
        if isinstance(theirs, str):
            assert mine == theirs
        else:
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def leaves(m, *arrays):
    return [m.tensor(a, requires_grad=True) for a in arrays]


def test_exp_and_its_derivatives():
    def run(m, c):
        (x,) = leaves(m, A)
        y = c["Exp"].apply(x)
        (first,) = m.autograd.grad((y * y).sum(), x, create_graph=True)
        (second,) = m.autograd.grad((first * first).sum(), x)
        return y, first, second, y.grad_fn.name()

    beside(run)


@pytest.mark.parametrize("biased", [False, True])
def test_a_linear_layer_with_setup_context(biased):
    def run(m, c):
        x, w, b = leaves(m, A, W, W[:, 0])
        out = c["Linear"].apply(x, w, b if biased else None)
        (out * out).sum().backward()
        return out, x.grad, w.grad, *([b.grad] if biased else [])

    beside(run)


@pytest.mark.parametrize("used", ["first", "second", "both"])
def test_several_outputs(used):
    def run(m, c):
        x, y = leaves(m, A, B)
        product, total, numbers = c["Both"].apply(x, y, 3.0)
        parts = {"first": [product], "second": [total], "both": [product, total]}[used]
        loss = sum((part * part).sum() for part in parts)
        first = m.autograd.grad(loss, [x, y], create_graph=True)
        second = m.autograd.grad(sum((g * g).sum() for g in first), [x, y])
        return product, total, numbers, str(numbers.requires_grad), *first, *second

    beside(run)


def test_straight_through_and_gradient_reversal():
    def run(m, c):
        (x,) = leaves(m, A)
        c["Straight"].apply(x * 3).sum().backward()
        straight = x.grad.clone()
        (c["Reverse"].apply(x, 0.5) ** 2).sum().backward()
        return straight, x.grad

    beside(run)


def test_in_place():
    def run(m, c):
        (x,) = leaves(m, A)
        y = x * 1
        z = c["Inplace"].apply(y)
        assert z is y
        (z * z).sum().backward()
        return z, x.grad

    beside(run)


def test_gradients_that_nobody_asked_for_are_none():
    def run(m, c):
        x, y = leaves(m, A, B)
        a, b = c["Nothing"].apply(x, y)
        a.sum().backward(retain_graph=True)
        first = str(y.grad)
        b.sum().backward()
        return first, x.grad, y.grad

    beside(run)


def test_an_input_as_result():
    def run(m, c):
        (x,) = leaves(m, A)
        y = c["Same"].apply(x)
        assert y is not x
        y.sum().backward()
        return y, x.grad

    beside(run)


def test_a_pass_twice():
    def run(m, c):
        (x,) = leaves(m, A)
        y = c["Exp"].apply(x).sum()
        y.backward(retain_graph=True)
        y.backward()
        return (x.grad,)

    beside(run)


def test_without_recording_there_is_no_graph():
    def run(m, c):
        (x,) = leaves(m, A)
        with m.no_grad():
            y = c["Exp"].apply(x)
        z = c["Exp"].apply(x.detach())
        return y, str(y.requires_grad), str(z.requires_grad)

    beside(run)


def wrong(m):
    c = classes(m)
    x = m.tensor(A, requires_grad=True)

    class Few(c["Both"]):
        @staticmethod
        def backward(ctx, gp, gs, gn):
            return gp, gs

    class Forgets(c["Inplace"]):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x * 2

    def changed():
        y = x * 1
        z = c["Linear"].apply(y, m.tensor(W, requires_grad=True), None)
        y.mul_(2)
        z.sum().backward()

    def twice():
        y = c["Exp"].apply(x)
        y.sum().backward()
        y.sum().backward()

    def once():
        (g,) = m.autograd.grad(c["Once"].apply(x).sum(), x, create_graph=True)
        g.sum().backward()

    return [
        lambda: Few.apply(x, x, 1.0)[0].sum().backward(),
        lambda: Forgets.apply(x * 1).sum().backward(),
        changed,
        twice,
        once,
        lambda: c["Inplace"].apply(x),
        lambda: m.autograd.Function.apply(x),
    ]


@pytest.mark.parametrize("number", range(7))
def test_wrong_uses_raise_torch_s_class(number):
    with pytest.raises((RuntimeError, NotImplementedError, TypeError)) as theirs:
        wrong(torch)[number]()
    if number == 1:  # torch warns or raises at another place
        with pytest.raises(RuntimeError):
            wrong(gpukit)[number]()
        return
    with pytest.raises(theirs.type):
        wrong(gpukit)[number]()


def test_what_backward_raises_comes_out_as_it_is():
    class Fails(gpukit.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise KeyError("mine")

    x = gpukit.ones(2, requires_grad=True)
    with pytest.raises(KeyError, match="mine"):
        Fails.apply(x).sum().backward()


def network(m):
    m.manual_seed(0)
    net = m.nn.Sequential(m.nn.Linear(3, 4), m.nn.Tanh(), m.nn.Linear(4, 2), m.nn.ReLU()).double()
    with m.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_(m.linspace(-1, 1 + i, p.numel(), dtype=m.float64).reshape(tuple(p.shape)))
    return net


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("needs", [False, True])
def test_checkpoint(reentrant, needs):
    def run(m, _):
        net = network(m)
        x = m.tensor(A, requires_grad=needs or reentrant)
        out = checkpoint_of(m).checkpoint(net, x, use_reentrant=reentrant)
        (out * out).sum().backward()
        return out, *(p.grad for p in net.parameters()), *([x.grad] if x.requires_grad else [])

    beside(run)


@pytest.mark.parametrize("segments", [1, 2, 3])
def test_checkpoint_sequential(segments):
    def run(m, _):
        net = network(m)
        x = m.tensor(A, requires_grad=True)
        call = checkpoint_of(m).checkpoint_sequential
        out = call(net, segments, x, use_reentrant=False)
        (out * out).sum().backward()
        return out, x.grad, *(p.grad for p in net.parameters())

    beside(run)


def test_checkpoint_draws_the_same_numbers_again():
    x = gpukit.ones(1000, requires_grad=True)
    drop = gpukit.nn.Dropout(0.5)
    out = checkpoint_of(gpukit).checkpoint(drop, x, use_reentrant=False)
    out.sum().backward()
    assert (out.detach() == x.grad).all()
    calls = []

    def counted(t):
        calls.append(gpukit.is_grad_enabled())
        return t * t

    checkpoint_of(gpukit).checkpoint(counted, x).sum().backward()
    assert calls == [True, True]


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("kind", ["seen", "changed", "first", "removed", "data", "order"])
def test_full_backward_hooks(kind):
    def run(m, _):
        net = network(m)
        x = m.tensor(A, requires_grad=kind != "data")
        seen = []

        def after(module, inputs, outputs):
            seen.extend(t for t in (*inputs, *outputs) if t is not None)
            seen.append(str(len(inputs)))
            return tuple(g * 2 for g in inputs) if kind == "changed" else None

        def before(module, outputs):
            seen.extend(outputs)
            return tuple(g * 3 for g in outputs) if kind == "first" else None

        handle = net[0].register_full_backward_hook(after)
        net[1].register_full_backward_hook(after)
        other = net[1].register_full_backward_pre_hook(before)
        if kind == "order":
            net[1].register_full_backward_hook(lambda *_: seen.append("last"))
            net[1].register_full_backward_hook(lambda *_: seen.append("first"), prepend=True)
        if kind == "removed":
            handle.remove()
            other.remove()
        out = net(x)
        (out * out).sum().backward()
        (net(x) * 2).sum().backward()
        return *seen, *([x.grad] if x.requires_grad else []), *(p.grad for p in net.parameters())

    beside(run)


def test_backward_hooks_of_a_module_with_several_results():
    def run(m, _):
        class Two(m.nn.Module):
            def forward(self, a, b, scale):
                return a * b * scale, a + b

        seen = []
        net = Two()
        net.register_full_backward_hook(lambda mod, i, o: seen.extend([str(len(i)), *i[:2], *o]))
        x, y = leaves(m, A, B)
        p, _ = net(x, y, 2.0)
        (p * p).sum().backward()
        (net(x, y, 1.0)[1] ** 2).sum().backward()
        return [v if v is not None else "None" for v in seen] + [x.grad, y.grad]

    beside(run)


SAVED_RESULTS = """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        slope = 3 * x ** 2
        ctx.save_for_backward(x, slope)
        return x ** 3, slope

    @staticmethod
    def backward(ctx, of_cube, of_slope):
        x, slope = ctx.saved_tensors
        return of_cube * slope + of_slope * 6 * x

x = torch.tensor([2.0, -1.0], requires_grad=True)
cube = Cube.apply(x)[0]
(first,) = torch.autograd.grad(cube.sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
(third,) = torch.autograd.grad(second.sum(), x)
print(first.tolist(), second.tolist(), third.tolist())
"""


def test_saved_results_of_several_are_differentiated_again(capsys):
    for library in ("torch", "gpukit"):
        exec(f"import {library} as torch\n{SAVED_RESULTS}", {})
    theirs, mine = capsys.readouterr().out.splitlines()
    assert mine == theirs == "[12.0, 3.0] [12.0, -6.0] [6.0, 6.0]"
