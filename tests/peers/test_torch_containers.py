"""ParameterList, ParameterDict and Unflatten beside torch's."""

from __future__ import annotations

import contextlib
import copy

import pytest
import torch

import gpukit

MODULES = (gpukit, torch)


def beside(run):
    mine, theirs = (run(m) for m in MODULES)
    assert mine == theirs


def test_lists():
    def run(m):
        p = m.nn.ParameterList([m.zeros(2), m.nn.Parameter(m.ones(1)), "text"])
        p.append(m.full((3,), 2.0)).extend([m.zeros(1)])
        p += [m.ones(2)]
        p[0] = m.full((2,), 7.0)
        net = m.nn.Module()
        net.held = p
        seen = [len(p), p[2], [type(v).__name__ for v in p], p[0].tolist(), p[-1].tolist()]
        seen += [list(p.state_dict()), [n for n, _ in net.named_parameters()]]
        seen += [len(p[1:4]), p[1:4][1], sum(q.numel() for q in net.parameters())]
        other = m.nn.ParameterList([m.zeros(2), m.zeros(1)])
        other.load_state_dict({"0": m.ones(2), "1": m.ones(1)})
        return [*seen, other[0].tolist()]

    beside(run)


def test_dicts():
    def run(m):
        d = m.nn.ParameterDict({"a": m.zeros(2), "b": m.nn.Parameter(m.ones(1)), "c": "text"})
        d["d"] = m.full((3,), 2.0)
        d.update([("e", m.zeros(1))])
        seen = [len(d), list(d.keys()), "a" in d, "z" in d, d["c"], list(d.state_dict())]
        seen += [d.pop("a").tolist(), d.get("a"), d.setdefault("f", m.ones(1)).tolist()]
        del d["b"]
        seen += [list(d), [k for k, _ in d.items()], len(list(d.values())), d.get("z", 3)]
        copy = d.copy()
        d.clear()
        return [*seen, len(d), list(copy.keys()), copy["d"].tolist()]

    beside(run)


def test_unflatten():
    def run(m):
        x = m.arange(24).reshape(2, 12)
        layers = [m.nn.Unflatten(1, (3, 4)), m.nn.Unflatten(0, (2, 1))]
        seen = [(repr(layer), layer(x).tolist()) for layer in layers]
        return [*seen, m.nn.Unflatten(-1, [2, -1, 3])(x).tolist()]

    beside(run)


WRONG = [
    lambda m: m.nn.Unflatten(1, (5, 2))(m.zeros(2, 12)),
    lambda m: m.nn.Unflatten(2, (5, 2))(m.zeros(2, 12)),
    lambda m: m.nn.ParameterList([m.zeros(1)])[1],
    lambda m: m.nn.ParameterList([m.zeros(1)])(),
    lambda m: m.nn.ParameterDict({"a": m.zeros(1)})["b"],
    lambda m: m.nn.ParameterDict({"a": m.zeros(1)})(),
    lambda m: m.nn.ParameterDict(3),
    lambda m: m.nn.ParameterList(3),
    lambda m: m.nn.Unflatten(1, 5),
]


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls(call):
    with pytest.raises((RuntimeError, TypeError, LookupError, AttributeError)) as theirs:
        call(torch)
    with pytest.raises(theirs.type):
        call(gpukit)


def test_modules_by_pairs_and_kept_names():
    def run(m):
        nn = m.nn
        named = nn.ModuleDict([["a", nn.ReLU()], ["b", nn.Tanh()]])
        named.update([("c", nn.ReLU())])
        line = nn.Sequential()
        line.add_module("first", nn.Linear(1, 2))
        line.append(nn.ReLU()).insert(1, nn.Tanh())
        tied = nn.Sequential(line, nn.ReLU(), line)
        return [
            list(named),
            str(line),
            [n for n, _ in tied.named_modules(remove_duplicate=False)],
            [n for n, _ in tied.named_parameters("net", True, False)],
            [n for n, _ in nn.BatchNorm1d(1).named_buffers(remove_duplicate=False)],
        ]

    beside(run)


@pytest.mark.parametrize("kind", ["parameter", "buffer", "module"])
def test_a_registered_name_takes_no_attribute_s_place(kind):
    def run(m):
        net = m.nn.Linear(2, 2)
        net.plain = 3
        net.register_buffer("scale", m.ones(1))
        net.inner = m.nn.ReLU()
        value = {"parameter": m.nn.Parameter(m.zeros(1)), "buffer": m.zeros(1)}
        register = {"module": net.add_module}.get(kind) or getattr(net, f"register_{kind}")
        taken = []
        for name in ("weight", "scale", "inner", "plain", "forward", "new"):
            with contextlib.suppress(KeyError):
                register(name, value.get(kind, m.nn.Tanh()))
                taken.append(name)
        net.plain = m.nn.Parameter(m.ones(3))  # an assignment does
        net.scale = m.nn.Tanh()
        return taken, [*net.state_dict()], [n for n, _ in net.named_children()]

    beside(run)


def test_type_converts_integers_too():
    def run(m):
        net = m.nn.BatchNorm1d(2)
        net.to(m.float16)
        kept = str(net.num_batches_tracked.dtype)
        net.type(m.float64)
        return [text.split(".")[1] for text in (kept, str(net.num_batches_tracked.dtype))]

    beside(run)


def test_deep_copies_of_views_share_memory():
    def run(m):
        base = m.arange(6.0).view(2, 3)
        seen = []
        for values in ([base, base[1], base.t()], [base.t()[1:], base[:, 0], base]):
            copied = copy.deepcopy(values)
            copied[0][0] = -1.0
            seen += [(v.tolist(), v.stride(), v.is_leaf) for v in [*copied, base]]
        wide = copy.deepcopy(m.ones(1).expand(3))
        leaf = copy.deepcopy(m.nn.Parameter(m.ones(4)[1:3]))
        empty = copy.deepcopy([m.zeros(0, 3), m.zeros(0)[None]])
        return seen, wide.stride(), [leaf.tolist(), leaf.is_leaf], [tuple(e.shape) for e in empty]

    beside(run)


def test_modules_are_taken_out():
    def run(m):
        seen = []
        for made in (m.nn.Sequential, lambda *layers: m.nn.ModuleList(layers)):
            line = made(m.nn.ReLU(), m.nn.Tanh(), m.nn.Sigmoid())
            seen += [str(line.pop(1)), str(line), str(line.pop(-1)), str(line)]
        shared = m.nn.ReLU()
        twice = m.nn.Sequential(shared, shared)
        return seen, len(list(twice.modules())), len(list(twice.modules(remove_duplicate=False)))

    beside(run)


def test_joined_lists_of_modules():
    def run(m):
        nn = m.nn
        held = layers = nn.ModuleList([nn.Tanh()])
        layers += [nn.ReLU()]
        joined = layers + nn.ModuleList([nn.ELU()]) + (nn.GELU() for _ in range(1))
        return repr(layers), layers is held, repr(joined), joined[0] is layers[0]

    beside(run)


def test_joined_dicts_of_parameters():
    def run(m):
        first = m.nn.ParameterDict({"a": m.ones(1), "b": m.zeros(2)})
        second = m.nn.ParameterDict({"b": m.ones(3), "c": m.ones(4)})
        joined = first | second
        seen = [list(joined), joined["b"].shape, first["b"].shape, list(reversed(joined))]
        kept = first
        first |= second
        seen += [list(first), kept is first, first.popitem()[0], len(first)]
        made = first.fromkeys(["x", "y"], 3.0)
        seen += [list(made.items()), type(made).__name__]
        try:
            m.nn.ParameterDict().popitem()
        except KeyError:
            seen.append("empty")
        return str(seen).replace("torch.Size([3])", "(3,)").replace("torch.Size([2])", "(2,)")

    beside(run)


def test_attributes_by_torchs_names():
    def run(m):
        optimizer = m.optim.SGD([m.nn.Parameter(m.ones(1))], lr=1.0)
        plateau = m.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, cooldown=2)
        seen = [plateau.mode_worse, plateau.in_cooldown]
        for _ in range(3):
            plateau.step(1.0)
        seen += [plateau.in_cooldown, m.nn.PairwiseDistance(1.0).norm]
        lazy = m.nn.LazyInstanceNorm1d()
        lazy(m.ones(2, 3, 4))
        return [*seen, repr(lazy), list(lazy.state_dict())]

    beside(run)
