"""What a Function keeps, and what views tell of their bases, beside torch's."""

from __future__ import annotations

import gc
import weakref

import gpukit

SAVED_IN_THE_GRAPH = """
class Keeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, k):
        out = x * w
        ctx.save_for_backward(x, w, k, out, beside, None)
        return out

    @staticmethod
    def backward(ctx, g):
        x, w, k, out, beside, nothing = ctx.saved_tensors
        with torch.enable_grad():
            (inner,) = torch.autograd.grad((x * w).sum(), w)
        print(w is leaf, k.requires_grad, nothing, inner.tolist())
        print([type(t.grad_fn).__name__ for t in (x, w, k, out, beside)])
        return w, g * x, None

leaf = torch.ones(3, requires_grad=True)
beside = leaf * 3
Keeps.apply(leaf + 1, leaf, torch.ones(2)).sum().backward()
print(leaf.grad.tolist(), leaf.grad.requires_grad)
"""


def test_saved_tensors_keep_their_places_in_the_graph(capsys):
    for library in ("torch", "gpukit"):
        exec(f"import {library} as torch\n{SAVED_IN_THE_GRAPH}", {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:] == lines[:3]


UNPACKED_OTHERWISE = """
class Shows(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w * 1

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors[0].tolist())
        return g

both = torch.arange(4.0)
for unpack in (lambda t: both[2:], lambda t: t.flip(0)):
    w = both[:2].requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = Shows.apply(w)
    y.sum().backward()
"""


def test_what_an_unpack_hook_gives_is_not_replaced_by_the_leaf(capsys):
    for library in ("torch", "gpukit"):
        exec(f"import {library} as torch\n{UNPACKED_OTHERWISE}", {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == lines[:2]


def test_saved_leaves_and_results_leave_no_cycle():
    class Keeps(gpukit.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            out = x * w
            ctx.save_for_backward(x, w, out)
            return out

    gc.collect()
    gc.disable()
    try:
        w = gpukit.ones(3, requires_grad=True)
        out = Keeps.apply(w * 2, w)
        known = [weakref.ref(w), weakref.ref(out)]
        del w, out
        assert [each() for each in known] == [None, None]
    finally:
        gc.enable()


VIEWS = """
x = torch.arange(6.0)
m = x.view(2, 3)
print([v._base is x for v in (m, m[0], m.t(), x[1:], x.expand(2, 6), *m.unbind())])
print([v._base for v in (x, x.detach(), m.t().reshape(-1), x + 1)])
print([v._is_view() for v in (x, m, x.detach(), m.t().reshape(-1), m.reshape(6))])
with torch.no_grad():
    print(x[1:]._base is x, torch.ones(4).view(2, 2)._base.shape == (4,))
"""


def test_bases_of_views(capsys):
    for library in ("torch", "gpukit"):
        exec(f"import {library} as torch\n{VIEWS}", {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[4:] == lines[:4]
    assert gpukit.ones(2).view(gpukit.int32)._base is None
