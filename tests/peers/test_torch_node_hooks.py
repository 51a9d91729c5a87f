"""Hooks of nodes: called in torch's order, with torch's arguments, and what they change."""

from __future__ import annotations

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


def order_of_calls(library):
    """Hooks of every kind on one product and on a leaf, in one pass and in grad()."""
    a, b = leaves(library)
    y = a * b
    said = []

    def told(name):
        return lambda *gradients: said.append((name, *map(plain, gradients)))

    y.grad_fn.register_hook(told("node"))
    y.grad_fn.register_prehook(told("before"))
    y.register_hook(told("tensor"))
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
