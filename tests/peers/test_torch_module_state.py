"""State of modules and optimizers, and the functions that run with it, as in torch."""

from __future__ import annotations

import copy
import pickle
import re
from collections import OrderedDict

import numpy as np
import pytest
import torch

import gpukit

LIBRARIES = [gpukit, torch]


def net_of(t):
    t.manual_seed(0)
    return t.nn.Sequential(
        OrderedDict(first=t.nn.Linear(2, 3), norm=t.nn.BatchNorm1d(3), last=t.nn.Linear(3, 1))
    )


def same(program):
    """What the program says with both libraries."""
    got, want = (program(library) for library in LIBRARIES)
    assert got == want
    return want


def test_metadata_has_the_versions():
    def program(t):
        return list(net_of(t).state_dict()._metadata.items())

    assert ("norm", {"version": 2}) in same(program)


@pytest.mark.filterwarnings("ignore:Positional args are being deprecated")
def test_a_state_by_parts_and_by_older_arguments():
    def program(t):
        net, into = net_of(t), OrderedDict()
        net.state_dict(destination=into, prefix="net.")
        return list(into), list(net.state_dict(None, "a.", True)), hasattr(into, "_metadata")

    same(program)


def test_hooks_of_a_state():
    def program(t):
        net, said = net_of(t), []
        net.first.register_state_dict_pre_hook(lambda m, p, keep: said.append(("pre", p, keep)))

        def after(m, state, prefix, metadata):
            said.append(("post", sorted(state), prefix, metadata))
            state[prefix + "extra"] = t.zeros(1)

        handle = net.first.register_state_dict_post_hook(after)
        net._register_state_dict_hook(
            lambda m, state, prefix, metadata: OrderedDict((f"x.{k}", v) for k, v in state.items())
        )
        said.append(list(net.state_dict()))
        handle.remove()
        said.append(list(copy.deepcopy(net).state_dict()))
        return said

    same(program)


def test_hooks_of_loading():
    def program(t):
        net, said = net_of(t), []

        def before(m, state, prefix, metadata, strict, missing, unexpected, errors):
            said.append(("pre", type(m).__name__, prefix, sorted(metadata), strict))
            if prefix + "w" in state:
                state[prefix + "weight"] = state.pop(prefix + "w")

        net.last.register_load_state_dict_pre_hook(before)
        net._register_load_state_dict_pre_hook(lambda *a: said.append(("whole", len(a), a[1])))

        def after(m, report):
            said.append(("post", type(m).__name__, report.missing_keys, report.unexpected_keys))
            report.missing_keys.clear()

        net.register_load_state_dict_post_hook(after)
        state = {k.replace("last.weight", "last.w"): v + 1 for k, v in net.state_dict().items()}
        del state["first.bias"]
        said.append(str(net.load_state_dict(state)))
        said.append(net.last.weight.detach().numpy().tolist() == state["last.w"].numpy().tolist())
        return said

    same(program)


def test_extra_state():
    def program(t):
        class Counter(t.nn.Module):
            def __init__(self):
                super().__init__()
                self.count = 0
                self.w = t.nn.Parameter(t.ones(1))

            def get_extra_state(self):
                return {"count": self.count}

            def set_extra_state(self, state):
                self.count = state["count"]

        first, second = (t.nn.Sequential(Counter()) for _ in range(2))
        first[0].count = 7
        state = first.state_dict()
        said = [list(state), str(second.load_state_dict(state)), second[0].count]
        del state["0._extra_state"]
        try:
            second.load_state_dict(state)
        except RuntimeError as error:
            said.append(str(error))
        plain = t.nn.Sequential(t.nn.Linear(1, 1))
        try:
            plain.load_state_dict({**plain.state_dict(), "0._extra_state": 3})
        except RuntimeError as error:
            said.append(str(error))
        return said

    same(program)


def test_a_class_with_its_own_reading_and_writing():
    def program(t):
        class Packed(t.nn.Module):
            _version = 3

            def __init__(self):
                super().__init__()
                self.w = t.nn.Parameter(t.arange(3.0))

            def _save_to_state_dict(self, destination, prefix, keep_vars):
                destination[prefix + "packed"] = self.w.detach() * 2

            def _load_from_state_dict(self, state, prefix, metadata, *rest):
                if metadata.get("version") == 3:
                    state[prefix + "w"] = state.pop(prefix + "packed") / 2 + 1
                super()._load_from_state_dict(state, prefix, metadata, *rest)

        net = t.nn.Sequential(Packed())
        state = net.state_dict()
        report = net.load_state_dict(state)
        return list(state), str(report), net[0].w.tolist(), list(state)

    same(program)


def test_assign_takes_the_tensors_themselves():
    def program(t):
        net = t.nn.BatchNorm1d(2)
        net.weight.requires_grad_(False)
        given = {k: v.double() for k, v in net.state_dict().items()}
        report = net.load_state_dict(given, assign=True)
        return (
            str(report),
            str(net.weight.dtype).split(".")[-1],
            net.weight.requires_grad,
            net.bias.requires_grad,
            net.running_mean is given["running_mean"],
            type(net.weight).__name__,
        )

    same(program)


def test_the_errors_in_torchs_words():
    def program(t):
        said = []
        net = net_of(t)
        good = net.state_dict()
        for change in (
            lambda s: s.pop("norm.num_batches_tracked"),
            lambda s: s.pop("first.weight"),
            lambda s: s.update({"first.more": t.ones(1), "other.weight": t.ones(1)}),
            lambda s: s.update({"last.weight": t.ones(2, 3)}),
        ):
            for copied in (OrderedDict(good), dict(good), good.copy()):
                change(copied)
                for strict in (True, False):
                    try:
                        said.append(str(net.load_state_dict(copied, strict=strict)))
                    except RuntimeError as error:  # noqa: PERF203
                        said.append(re.sub(r"torch\.Size\(\[(.*?)\]\)", r"(\1)", str(error)))
        return said

    same(program)


def test_nothing_changes_where_a_part_does_not_fit():
    net = net_of(gpukit)
    before = {k: v.numpy().copy() for k, v in net.state_dict().items()}
    state = {k: v + 1 for k, v in net.state_dict().items()}
    state["last.weight"] = gpukit.ones(5)
    with pytest.raises(RuntimeError, match=r"size mismatch for last\.weight"):
        net.load_state_dict(state)
    for name, value in net.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), before[name])


def test_the_state_of_an_older_file_loads_without_metadata():
    net = net_of(gpukit)
    state = OrderedDict((k, v) for k, v in net.state_dict().items() if "tracked" not in k)
    assert str(net.load_state_dict(state)) == "<All keys matched successfully>"


def test_hooks_of_an_optimizers_state():
    def program(t):
        sgd, said = t.optim.SGD([t.ones(1, requires_grad=True)], lr=0.5), []
        sgd.register_state_dict_pre_hook(lambda o: said.append("reading"))
        sgd.register_state_dict_post_hook(lambda o, s: {**s, "more": 1})
        sgd.register_state_dict_post_hook(lambda o, s: said.append(sorted(s)), prepend=True)
        sgd.register_load_state_dict_pre_hook(lambda o, s: said.append(s.pop("more")))
        sgd.register_load_state_dict_post_hook(lambda o: said.append(o.param_groups[0]["lr"]))
        state = sgd.state_dict()
        state["param_groups"][0]["lr"] = 0.25
        sgd.load_state_dict(state)
        said.append("more" in state)
        pickle.loads(pickle.dumps(sgd)).state_dict()
        return said

    same(program)


def test_forward_hooks_with_keywords_and_order():
    def program(t):
        said = []

        class Scaled(t.nn.Module):
            def forward(self, x, *, scale=1):
                said.append("forward")
                return x * scale

        net = Scaled()
        net.register_forward_pre_hook(
            lambda m, args, kwargs: (args, {**kwargs, "scale": 5}), with_kwargs=True
        )
        net.register_forward_pre_hook(lambda m, args: said.append("first"), prepend=True)
        net.register_forward_hook(
            lambda m, args, kwargs, out: said.append((kwargs, out.tolist())), with_kwargs=True
        )
        net.register_forward_hook(lambda m, args, out: out + 1, prepend=True)
        said.append(net(t.ones(1), scale=2).tolist())
        return said

    same(program)


def test_hooks_that_always_run():
    def program(t):
        said = []

        class Failing(t.nn.Module):
            def forward(self, x):
                raise ValueError("no")

        net = Failing()
        net.register_forward_hook(lambda m, a, out: said.append("plain"))
        net.register_forward_hook(lambda m, a, out: said.append(out), always_call=True)
        handle = net.register_forward_hook(lambda m, a, out: 1 / 0, always_call=True)
        with (
            pytest.warns(UserWarning, match="silenced as another error"),
            pytest.raises(ValueError),
        ):
            net(t.ones(1))
        handle.remove()
        with pytest.raises(ValueError):
            net(t.ones(1))
        net.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)
        try:
            net(t.ones(1))
        except RuntimeError as error:
            said.append(str(error))
        return said

    same(program)


def test_parts_by_path():
    def program(t):
        net, said = net_of(t), []
        said.append(net.get_buffer("norm.running_mean").tolist())
        net.set_submodule("norm", t.nn.Identity())
        net.set_submodule("first.inner", t.nn.ReLU())
        said.append(str(net))
        for call in (
            lambda: net.get_buffer("first.weight"),
            lambda: net.set_submodule("nothing.x", t.nn.ReLU()),
            lambda: net.set_submodule("", t.nn.ReLU()),
            lambda: net.set_submodule("first.nothing", t.nn.ReLU(), strict=True),
        ):
            with pytest.raises((AttributeError, ValueError)) as caught:
                call()
            said.append(caught.type.__name__)
        return said

    same(program)


def test_parameters_without_values():
    def program(t):
        made = t.nn.utils.skip_init(t.nn.Linear, 2, 3)
        empty = net_of(t).to_empty(device="cpu")
        return str(made), tuple(made.weight.shape), str(empty), type(empty.first.weight).__name__

    same(program)


@pytest.mark.parametrize("transpose", [False, True])
def test_a_convolution_joined_with_its_batch_norm(transpose):
    rng = np.random.default_rng(1)
    kind = "ConvTranspose2d" if transpose else "Conv2d"
    values = [rng.random(n).astype(np.float32) + 0.5 for n in (4, 4, 4, 4)]
    picture = rng.random((1, 3, 5, 5)).astype(np.float32)
    weights = rng.random((3, 4, 2, 2) if transpose else (4, 3, 2, 2)).astype(np.float32)
    got = []
    for t in LIBRARIES:
        conv, bn = getattr(t.nn, kind)(3, 4, 2, bias=False).eval(), t.nn.BatchNorm2d(4).eval()
        with t.no_grad():
            conv.weight.copy_(t.tensor(weights))
            for name, value in zip(
                ("weight", "bias", "running_mean", "running_var"), values, strict=True
            ):
                getattr(bn, name).copy_(t.tensor(value))
        fused = t.nn.utils.fuse_conv_bn_eval(conv, bn, transpose)
        assert type(fused) is type(conv)
        assert fused is not conv
        one, two = fused(t.tensor(picture)).detach(), bn(conv(t.tensor(picture))).detach()
        np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-4, atol=1e-5)
        got.append([v.detach().numpy() for v in (fused.weight, fused.bias)])
        with pytest.raises((AssertionError, ValueError)):
            t.nn.utils.fuse_conv_bn_eval(conv.train(), bn)
    for mine, theirs in zip(*got, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


def test_a_linear_layer_joined_with_its_batch_norm():
    layer, bn = gpukit.nn.Linear(3, 2).eval(), gpukit.nn.BatchNorm1d(2).eval()
    bn.running_mean.copy_(gpukit.tensor([1.0, -2.0]))
    x = gpukit.randn(4, 3)
    one = gpukit.nn.utils.fuse_linear_bn_eval(layer, bn)
    np.testing.assert_allclose(
        one(x).detach().numpy(), bn(layer(x)).detach().numpy(), rtol=1e-4, atol=1e-5
    )
    with pytest.raises(ValueError, match="2 outputs and bn 3 features"):
        gpukit.nn.utils.fuse_linear_bn_eval(layer, gpukit.nn.BatchNorm1d(3).eval())


def test_norms_of_all_gradients():
    def program(t):
        ps = [t.nn.Parameter(t.ones(n)) for n in (2, 3)]
        for p in ps:
            p.grad = t.full((p.numel(),), 3.0)
        total = t.nn.utils.get_total_norm([p.grad for p in ps], 2.0, foreach=False)
        t.nn.utils.clip_grads_with_norm_(ps, 1.0, total)
        clipped = t.nn.utils.clip_grad_norm_(ps, 0.5, foreach=True)
        return [round(v, 4) for v in [total.item(), clipped.item(), *ps[1].grad.tolist()]]

    same(program)


def test_a_class_that_reads_its_state_sees_the_values():
    def program(t):
        class Summed(t.nn.Linear):
            def _load_from_state_dict(self, *args):
                super()._load_from_state_dict(*args)
                self.seen = self.weight.sum().item()

        net = t.nn.Sequential(Summed(1, 1), t.nn.Linear(1, 1))
        net.load_state_dict({k: v * 0 + 7 for k, v in net.state_dict().items()})
        return net[0].seen

    assert same(program) == 7


def test_a_frozen_parameter_stays_frozen_where_another_is_assigned():
    def program(t):
        layer, other = t.nn.Linear(1, 1), t.nn.Linear(1, 1)
        layer.weight.requires_grad_(False)
        layer.load_state_dict(other.state_dict(keep_vars=True), assign=True)
        return layer.weight.requires_grad, layer.bias.requires_grad

    assert same(program) == (False, True)


def test_the_bias_that_a_joined_layer_gets_is_no_parameter_to_train():
    def program(t):
        conv, bn = t.nn.Conv2d(1, 2, 3, bias=False).eval(), t.nn.BatchNorm2d(2).eval()
        fused = t.nn.utils.fuse_conv_bn_eval(conv, bn)
        return fused.weight.requires_grad, fused.bias.requires_grad

    assert same(program) == (True, False)


def test_a_module_without_first_values_takes_no_random_numbers():
    def program(t):
        t.manual_seed(3)
        t.nn.utils.skip_init(t.nn.Linear, 4, 4)
        after = t.rand(1)
        t.manual_seed(3)
        return t.equal(after, t.rand(1))

    assert same(program)


def test_names_of_one_parameter_take_one_tensor():
    def program(t):
        net = t.nn.ModuleDict({"a": t.nn.Linear(1, 1, bias=False), "b": t.nn.Linear(1, 1)})
        net["b"].weight = net["a"].weight
        net.forward = lambda x: net["a"](x) + net["b"](x)
        tensors = {"a.weight": t.ones(1, 1) * 3, "b.weight": t.ones(1, 1) * 2}
        with pytest.raises(ValueError, match=r"a\.weight"):
            t.func.functional_call(net, tensors, t.ones(1))

    same(program)


def test_what_load_state_dict_finds_is_printed_as_torch_prints_it():
    def program(t):
        found = t.nn.Linear(1, 1).load_state_dict({"other": t.ones(1)}, strict=False)
        return type(found).__name__, repr(found)

    assert same(program)[0] == "_IncompatibleKeys"
