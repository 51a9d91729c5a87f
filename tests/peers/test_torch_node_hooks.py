"""Hooks of nodes: called in torch's order, with torch's arguments, and what they change."""

from __future__ import annotations

import gc
import weakref
from importlib import import_module

import pytest
import torch

import gpukit


def plain(value):
    """Gradients as numbers."""
    if isinstance(value, (tuple, list)):
        return tuple(plain(each) for each in value)
    return value.tolist() if hasattr(value, "tolist") else value


def leaves(library):
    return (
        library.tensor([1.0, 2.0], requires_grad=True),
        library.tensor(3.0, requires_grad=True),
    )


def hooked_product(library):
    """Leaves, their product, whose hooks say when they are called, and what makes such hooks."""
    a, b = leaves(library)
    y = a * b
    said = []

    def told(name):
        return lambda *gradients: said.append((name, *map(plain, gradients)))

    y.grad_fn.register_hook(told("node"))
    y.grad_fn.register_prehook(told("before"))
    y.register_hook(told("tensor"))
    return a, b, y, said, told


def order_of_calls(library):
    """Hooks of every kind on one product and on a leaf, in one pass and in grad()."""
    a, b, y, said, told = hooked_product(library)
    y.retain_grad()
    store = y.grad_fn.next_functions[0][0]
    store.register_hook(lambda *g: said.append(("stored", *map(plain, g), plain(a.grad))))
    store.register_prehook(lambda *g: said.append(("to store", *map(plain, g), plain(a.grad))))
    a.register_hook(told("leaf"))
    a.register_post_accumulate_grad_hook(lambda leaf: said.append(("post", plain(leaf.grad))))
    y.sum().backward(retain_graph=True)
    said.append(("y", plain(y.grad)))
    said.append(plain(library.autograd.grad(y.sum(), [a], retain_graph=True)))
    y.sum().backward(inputs=[b])
    return said


def inputs_of_backward(library):
    """Hooks of every kind in passes that end at a leaf, at a result and at both."""
    edge = import_module(f"{library.__name__}.autograd.graph").get_gradient_edge
    a, b, y, said, told = hooked_product(library)
    for name, leaf in (("a", a), ("b", b)):
        store = edge(leaf).node
        store.register_hook(told(f"{name} stored"))
        store.register_prehook(told(f"to {name}"))
        leaf.register_hook(told(f"leaf {name}"))
        leaf.register_post_accumulate_grad_hook(
            lambda leaf: said.append(("post", plain(leaf.grad)))
        )
    y.sum().backward(inputs=[a], retain_graph=True)
    y.sum().backward(inputs=edge(b), retain_graph=True)
    y.sum().backward(inputs=[edge(y), a], retain_graph=True)
    said.append(y.retains_grad)
    y.sum().backward(inputs=[y], retain_graph=True)
    said.append((y.retains_grad, plain(y.grad)))
    y.sum().backward(inputs=[y, b], retain_graph=True)
    said.append((plain(y.grad), plain(a.grad), plain(b.grad)))
    said.append(plain(library.autograd.grad(y.sum(), edge(y), retain_graph=True)))
    said.append(plain(library.autograd.grad(y.sum(), [edge(a)], retain_graph=True)))
    said.append(plain(library.autograd.grad(edge(y.sum()), a, retain_graph=True)))
    given = library.tensor([2.0, 1.0])
    said.append(plain(library.autograd.grad([edge(y)], [a], given, retain_graph=True)))
    library.autograd.backward(y.sum(), inputs=[edge(a)], retain_graph=True)
    library.autograd.grad((a * 2).sum(), [edge(b)], allow_unused=True)
    said.append((plain(y.grad), plain(a.grad), plain(b.grad)))
    return said


def what_a_pass_to_a_result_frees(library):
    a, b = leaves(library)
    y = a * b
    library.autograd.grad(y.sum(), y)
    y.sum().backward(inputs=[y])
    with pytest.raises(RuntimeError, match=r"retain_graph|a second time"):
        y.sum().backward()
    return plain(y.grad), y.retains_grad


def changed(library, name, hook):
    """The gradients after a hook of the product's node."""
    a, b = leaves(library)
    y = a * b
    y.retain_grad()
    y.register_hook(lambda g: g * 3)
    getattr(y.grad_fn, name)(hook)
    y.sum().backward()
    return plain((a.grad, b.grad, y.grad))


def what_is_asked_for(library):
    """grad_inputs of inputs that need none, of broadcast ones and of a second derivative."""
    said = []
    a, b = leaves(library)
    y = a * library.tensor([1.0, 2.0])
    y.grad_fn.register_hook(lambda *g: said.append(("constant", *map(plain, g))))
    z = a.reshape(2, 1) * library.ones(2, 3) + b
    z.grad_fn.register_hook(lambda *g: said.append(("broadcast", *map(plain, g))))
    (y.sum() + z.sum()).backward()
    w = (a * a * b).sum()
    w.grad_fn.register_hook(lambda gi, go: said.append(("recorded", plain(gi), plain(go))))
    (g,) = library.autograd.grad(w, a, create_graph=True)
    g.grad_fn.register_hook(lambda gi, go: said.append(("second", len(gi), plain(go))))
    said.append(plain(library.autograd.grad(g.sum(), b)))
    weight = library.ones(2, 2, requires_grad=True)
    rows = weight[0] * 2 + weight[1]
    leaf = weight.expand_as(weight).grad_fn.next_functions[0][0]
    leaf.register_hook(lambda *g: said.append(("pieces", *map(plain, g))))
    rows.sum().backward()
    return said


def test_the_order_of_calls():
    assert order_of_calls(gpukit) == order_of_calls(torch)


def test_what_hooks_see():
    assert what_is_asked_for(gpukit) == what_is_asked_for(torch)


@pytest.mark.parametrize(
    ("name", "hook"),
    [
        ("register_hook", lambda gi, go: (gi[0] * 10, gi[1])),
        ("register_hook", lambda gi, go: (None, gi[1])),
        ("register_hook", lambda gi, go: None),
        ("register_prehook", lambda go: (go[0] * 2,)),
        ("register_prehook", lambda go: (None,)),
        ("register_prehook", lambda go: None),
    ],
)
def test_what_hooks_change(name, hook):
    assert changed(gpukit, name, hook) == changed(torch, name, hook)


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("register_hook", lambda lib: (lib.ones(2),)),
        ("register_hook", lambda lib: lib.ones(2)),
        ("register_hook", lambda lib: (1, 2)),
        ("register_hook", lambda lib: [lib.ones(2), lib.ones(())]),
        ("register_hook", lambda lib: (lib.ones(3), lib.ones(()))),
        ("register_prehook", lambda lib: lib.ones(2)),
        ("register_prehook", lambda lib: (lib.ones(2), lib.ones(2))),
        ("register_prehook", lambda lib: (lib.ones(3),)),
    ],
)
def test_results_that_both_refuse(name, result):
    for library in (torch, gpukit):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            changed(library, name, lambda *_, library=library: result(library))


def of_several(library):
    """register_multi_grad_hook in both modes, in passes that reach other tensors."""
    graph = import_module(f"{library.__name__}.autograd.graph")
    said = []
    a, b = leaves(library)
    y, z = a * b, b * 2
    tensors = (a, b, y, z)
    handle = graph.register_multi_grad_hook(tensors, lambda g: said.append(plain(g)))
    first = graph.register_multi_grad_hook((a, y), lambda g: said.append(plain(g)), mode="any")
    y.sum().backward(retain_graph=True)
    (y.sum() + z).backward(retain_graph=True)
    first.remove()
    handle.remove()
    y.sum().backward()
    with pytest.raises(ValueError, match="mode"):
        graph.register_multi_grad_hook((a,), print, mode="some")
    edges = [graph.get_gradient_edge(each) for each in (a, y)]
    said.append([(edge.node.name().rpartition("::")[2], edge.output_nr) for edge in edges])
    with pytest.raises(RuntimeError):
        graph.get_gradient_edge(library.ones(1))
    return said


def test_hooks_of_several_tensors():
    assert of_several(gpukit) == of_several(torch)


def test_metadata_belongs_to_the_node():
    for library in (torch, gpukit):
        a, b = leaves(library)
        y = a * b
        assert y.grad_fn.metadata == {}
        y.grad_fn.metadata["label"] = 1
        assert y.grad_fn.metadata is y.grad_fn.metadata
        assert (y * 2).grad_fn.next_functions[0][0].metadata == {"label": 1}


def test_inputs_of_backward():
    assert inputs_of_backward(gpukit) == inputs_of_backward(torch)
    assert what_a_pass_to_a_result_frees(gpukit) == what_a_pass_to_a_result_frees(torch)


def test_hooks_of_a_stored_gradient_run_when_all_that_leads_to_it_has():
    said = []
    for library in (gpukit, torch):
        told = []
        a, b = leaves(library)
        y = (a * b).exp()
        y.register_hook(lambda g, told=told: told.append("y"))
        a.register_post_accumulate_grad_hook(lambda x, told=told: told.append("a"))
        b.register_post_accumulate_grad_hook(lambda x, told=told: told.append("b"))
        ((y * 2) + (b * 3)).sum().backward(inputs=[b])
        told.append((a.grad, plain(b.grad)))
        said.append(told)
    assert said[0] == said[1]


def test_wrong_gradient_edges():
    a, b = leaves(gpukit)
    y = a * b
    edge = gpukit.autograd.graph.GradientEdge
    with pytest.raises(ValueError, match=r"inputs\[0\] is result 1 of a node"):
        gpukit.autograd.grad(y.sum(), edge(y.grad_fn, 1))
    with pytest.raises(TypeError, match=r"inputs\[0\]"):
        gpukit.autograd.grad(y.sum(), edge(None, 0))
    with pytest.raises(ValueError, match="materialize_grads"):
        gpukit.autograd.grad(y.sum(), edge(y.grad_fn, 0), materialize_grads=True)
    with pytest.raises(TypeError, match=r"tensors\[0\]"):
        gpukit.autograd.backward(edge(y.grad_fn, 0))
    with pytest.raises(gpukit.AutogradError, match="reduce it first"):
        gpukit.autograd.grad([edge(y.grad_fn, 0)], [a])
    with pytest.raises(TypeError, match="inputs"):
        y.sum().backward(inputs=(y.grad_fn, a))


def test_a_failed_pass_leaves_nothing_in_a_hook_of_several():
    a, b = leaves(gpukit)
    y = a * b
    seen, kept = [], []

    def fails(gradient):
        raise KeyError

    failing = a.register_hook(fails)
    b.register_hook(lambda gradient: kept.append(weakref.ref(gradient)))
    gpukit.autograd.graph.register_multi_grad_hook((a, b), seen.append)
    gpukit.autograd.graph.register_multi_grad_hook((a, b), seen.append, mode="any")
    for _ in range(3):
        with pytest.raises(KeyError):
            y.sum().backward(retain_graph=True)
    del seen[:]
    gc.collect()
    assert len(kept) == 3
    assert all(reference() is None for reference in kept)
    failing.remove()
    y.sum().backward()
    assert plain(seen) == (3.0, ([3.0, 3.0], 3.0))
