"""The interception point: who is told of which call, in which order, and what they may change."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import gpukit
from gpukit import _core, nn
from gpukit.bench.work import count_work
from support.observer_log import Log


@pytest.fixture(autouse=True)
def nobody_is_left():
    yield
    gc.collect()
    assert not _core.is_observed()


def seen(call):
    """The names of the operators that `call` calls."""
    log = Log()
    with _core.observe(log):
        call()
    return log


def test_slots_have_the_names_of_functions():
    x = gpukit.ones(2, 2)
    y, w = x.clone(), gpukit.ones(2)

    def program():
        nonlocal y
        z = x + x
        z = 2 - z
        z = -((z @ x) ** 2)
        y += z
        y[0] = z[1] * (w > 0)
        for row in y:
            float(row.sum())

    slots = ["add", "sub", "matmul", "pow", "neg", "add_", "getitem", "gt", "mul", "setitem"]
    assert seen(program).names == slots + ["__iter__", "sum", "__float__"] * 2


def test_arguments_stand_by_name_as_given():
    x = gpukit.arange(6.0)

    def program():
        x.reshape(2, 3)
        x.reshape((2, 3)).sum(1, keepdims=True)
        gpukit.cat([x, x], dim=0)
        2 - x
        gpukit.add(x, 1, alpha=2)

    given = [call.arguments for call in seen(program).calls]
    assert given[0] == {"input": given[0]["input"], "shape": (2, 3)}
    assert given[0]["input"] is x
    assert given[1]["shape"] == ((2, 3),)
    assert {key: given[2][key] for key in ("dim", "keepdim")} == {"dim": 1, "keepdim": True}
    assert given[3]["tensors"][0] is x
    assert given[3]["dim"] == 0
    assert (given[4]["input"], given[4]["other"]) == (2, given[0]["input"])
    assert (given[5]["other"], given[5]["alpha"]) == (1, 2)


def test_reading_the_memory_is_told():
    x = gpukit.arange(3.0)
    log = seen(lambda: [memoryview(x), np.asarray(x), x.numpy()])
    assert log.names[:2] == ["__buffer__"] * 2
    assert log.calls[2].name == "numpy"
    refuses = pytest.raises(OSError, match="from the observer")
    with _core.observe(Raises("before_operator", "__buffer__")), refuses:
        memoryview(x)


def test_what_is_called_inside_has_a_parent():
    log = seen(lambda: gpukit.vecdot(gpukit.ones(2, 3), gpukit.ones(2, 3)))
    outer = [call.name for call in log.calls if call.depth == 0]
    assert outer == ["ones", "ones", "vecdot"]
    inside = [call for call in log.calls if call.depth > 0]
    assert {"unsqueeze", "matmul", "squeeze"} <= {call.name for call in inside}
    assert inside[0].parent.name == "vecdot"
    assert log.calls[0].parent is None


def test_modules_and_steps_are_calls():
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    optimizer = gpukit.optim.RMSprop(model.parameters())

    def program():
        model(gpukit.ones(1, 2)).sum().backward()
        optimizer.step()

    log = seen(program)
    modules = [call for call in log.calls if call.operator.kind == "module"]
    classes = [type(call.arguments["module"]).__name__ for call in modules]
    assert classes == ["Sequential", "Linear", "Tanh"]
    assert [call.depth for call in modules] == [0, 1, 1]
    step = next(call for call in log.calls if call.name == "optimizer_step")
    assert step.arguments["optimizer"] is optimizer
    assert any(call.parent is step for call in log.calls)


def test_the_youngest_stands_outermost():
    events = []
    x = gpukit.ones(2)
    with _core.observe(Log("old", events)), _core.observe(Log("new", events)):
        x.exp()
    assert events == ["new<exp", "old<exp", "old>exp", "new>exp"]


def test_replaced_arguments_are_recorded():
    w = gpukit.ones(2, 2, requires_grad=True)

    class Halves:
        def before_operator(self, call):
            if call.name == "matmul":
                named = call.arguments
                call.arguments = {name: value.half() for name, value in named.items()}

    below = Log()
    with _core.observe(below), _core.observe(Halves()):
        y = w @ gpukit.ones(2, 2)
    assert y.dtype is gpukit.float16
    assert below.names == ["ones", "half", "half", "matmul"], "the casts are part of the program"
    assert [call.depth for call in below.calls] == [0] * 4
    assert below.calls[-1].arguments["input"].dtype is gpukit.float16
    y.sum().backward()
    assert w.grad.dtype is gpukit.float32


def test_replaced_positional_arguments_stay_positional():
    class Doubles:
        def before_operator(self, call):
            if call.name != "tolist":
                call.arguments = {**call.arguments, "input": gpukit.full((2, 3), 2.0)}

    x = gpukit.ones(2, 3)
    with _core.observe(Doubles()):
        assert x.sum(1).tolist() == [6.0, 6.0]
        assert x.max(1).values.tolist() == [2.0, 2.0]
        assert x.permute(1, 0).shape == (3, 2)
        assert x.permute((1, 0)).shape == (3, 2)
        assert x[1].tolist() == [2.0] * 3
        assert x.T.tolist() == [[2.0, 2.0]] * 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([1, 2], "a dict of arguments"),
        ({"inputt": 1}, "Did you mean 'input'"),
        ({}, "missing"),
        ({"input": "no tensor", "index": 0}, "'no tensor'"),
        ({"input": None, "index": 0}, "None"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    class Wrong:
        def before_operator(self, call):
            call.arguments = arguments

    x = gpukit.ones(2)
    with _core.observe(Wrong()):
        with pytest.raises(TypeError, match=message):
            x[0]
        with pytest.raises(TypeError):
            x.exp()
        with pytest.raises(TypeError):
            abs(x)


def test_an_answer_takes_the_operators_place():
    class Answers:
        def before_operator(self, call):
            if call.name in {"exp", "add_", "setitem", "__bool__", "__float__", "module"}:
                call.answer({"__bool__": True, "__float__": 5.0}.get(call.name, "answer"))

    x = gpukit.zeros(2)
    old = Log()
    with _core.observe(old), _core.observe(Answers()):
        assert x.exp() == "answer"
        y = x
        y += 1
        x[0] = 7
        assert bool(x[0])
        assert float(x[0]) == 5.0
        assert nn.ReLU()(x) == "answer"
    assert y == "answer"
    assert x.tolist() == [0.0, 0.0], "nothing ran"
    assert set(old.names) == {"getitem"}, "those beneath are not told of what does not happen"


def test_a_result_may_be_replaced_after():
    class Wraps:
        def after_operator(self, call):
            call.answer((call.name, call.result))

    with _core.observe(Wraps()):
        name, value = gpukit.ones(2)
    assert name == "ones"
    assert value.shape == (2,)


class Raises:
    def __init__(self, method, name="add_"):
        self.name, self.ended = name, []
        setattr(self, method, self.fail)

    def fail(self, call):
        if call.name == self.name:
            raise OSError("from the observer")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_error_before_stops_the_operator_and_all_hear_of_the_end(order):
    events = []
    x = gpukit.zeros(2)
    observers = [Log("log", events), Raises("before_operator")]
    with _core.observe(observers[order[0]]), _core.observe(observers[order[1]]):
        with pytest.raises(OSError, match="from the observer"):
            x += 1
        x.exp()
    assert x.tolist() == [0.0, 0.0]
    begun = ["log<add_", "log>add_"] if order == (1, 0) else []
    assert events == [*begun, "log<exp", "log>exp"]


def test_an_error_after_comes_out_and_all_hear_of_it():
    x = gpukit.zeros(2)
    log = Log()
    raised = pytest.raises(OSError, match="from the observer")
    with _core.observe(Raises("after_operator")), _core.observe(log), raised:
        x += 1
    assert x.tolist() == [1.0, 1.0], "the operator had run"
    assert isinstance(log.calls[0].error, OSError)


def test_an_error_of_an_observer_keeps_the_operators():
    with _core.observe(Raises("after_operator", "matmul")), pytest.raises(OSError) as caught:
        gpukit.ones(2, 3) @ gpukit.ones(2, 3)
    assert isinstance(caught.value.__context__, gpukit.ShapeError)


def test_an_operators_error_is_its_own():
    log = Log()
    with _core.observe(log), pytest.raises(gpukit.ShapeError, match="matmul"):
        gpukit.ones(2, 3) @ gpukit.ones(2, 3)
    assert isinstance(log.calls[-1].error, gpukit.ShapeError)
    assert not log.calls[-1].answered


def test_a_refused_call_is_no_call():
    log = Log()
    x = gpukit.ones(2)
    with _core.observe(log):
        with pytest.raises(TypeError, match="unknown"):
            x.sum(unknown=1)
        with pytest.raises(TypeError):
            x + "text"
        assert (x == "text") is False
    assert log.names == []


def test_its_own_calls_are_not_told_to_an_observer():
    class Calls(Log):
        def before_operator(self, call):
            super().before_operator(call)
            (gpukit.ones(2) * 2).sum().item()

        after_operator = before_operator

    own, older, younger = Calls(), Log(), Log()
    with _core.observe(older), _core.observe(own), _core.observe(younger):
        gpukit.ones(2).exp()
    assert own.names == ["ones", "ones", "exp", "exp"]
    assert younger.names == ["ones", "exp"]
    mine = ["ones", "mul", "sum", "item"]
    assert older.names == [*mine, "ones", *mine, *mine, "exp", *mine]
    assert {call.depth for call in older.calls} == {0}


def test_the_line_is_the_users():
    places = []

    class Places:
        def before_operator(self, call):
            places.append(call.place)

    with _core.observe(Places()):
        gpukit.vecdot(gpukit.ones(2, 3), gpukit.ones(2, 3))
    assert {place[0] for place in places} == {__file__}
    assert {place[2] for place in places} == {"test_the_line_is_the_users"}


def test_work_inside_a_call_is_that_of_bench(device):
    x = gpukit.rand(8, 8).to(device)

    def program():
        return gpukit.softmax(x @ x + 1, 1).to(gpukit.float16)

    log = Log()
    with _core.observe(log, work=True):
        program()
    counted = count_work(device, program)
    outer = [call.work for call in log.calls if call.depth == 0]
    assert sum(work["operations"] for work in outer) == counted.operations
    assert sum(work["bytes"] for work in outer) == counted.bytes
    assert sum(sum(work["flops"].values()) for work in outer) == counted.total_flops
    assert max(work["longest_sum"] for work in outer) == counted.longest_sum == 8


def test_counts_stand_beside_each_other(device):
    x = gpukit.ones(4, device=device)
    inner = []
    outer = count_work(device, lambda: [x + 1, inner.append(count_work(device, lambda: x * x * x))])
    assert outer.operations == 3
    assert inner[0].operations == 2


def test_nodes_are_told_with_the_call_that_made_them():
    x = gpukit.ones(3, requires_grad=True)
    log = Log()
    with _core.observe(log, nodes=True):
        y = gpukit.softmax(x * 2, 0).sum()
    assert [node for call in log.calls for node in call.nodes][-1] == y.grad_fn
    assert [call.nodes[0].name() for call in log.calls] == [
        "MulBackward0",
        "SoftmaxBackward0",
        "SumBackward0",
    ]


class Derivatives:
    def __init__(self):
        self.before, self.after = [], []

    def before_derivative(self, call):
        self.before.append(call)

    def after_derivative(self, call):
        self.after.append(call)


def test_derivatives_have_gradients_in_and_out():
    x = gpukit.tensor([1.0, 2.0], requires_grad=True)
    log = Derivatives()
    with _core.observe(log):
        ((x * 3).sum() * 2).backward()
    assert [call.name for call in log.before] == ["MulBackward0", "SumBackward0", "MulBackward0"]
    assert log.before[0].given == []
    assert [call.gradient.tolist() for call in log.after] == [1.0, 2.0, [2.0, 2.0]]
    assert [(i, g.tolist()) for i, g in log.after[-1].given] == [(0, [6.0, 6.0])]
    assert log.after[-1].depth == 0, "the call of backward is not observed"


def test_an_observers_error_ends_the_backward_pass():
    class Fails(Derivatives):
        def after_derivative(self, call):
            super().after_derivative(call)
            if call.name == "SumBackward0":
                raise ArithmeticError("stop")

    x = gpukit.ones(2, requires_grad=True)
    fails, log = Fails(), Derivatives()
    loss = (x * 3).sum()
    with _core.observe(fails), _core.observe(log), pytest.raises(ArithmeticError, match="stop"):
        loss.backward()
    assert x.grad is None
    assert [call.name for call in log.after] == ["SumBackward0"]
    assert isinstance(log.after[0].error, ArithmeticError)


def test_backward_in_another_thread_is_that_threads():
    x = gpukit.ones(2, requires_grad=True)
    here = Derivatives()
    with _core.observe(here):
        loss = (x * 3).sum()
        thread = threading.Thread(target=loss.backward)
        thread.start()
        thread.join()
    assert here.before == []
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("observer", [object(), None, 5, type("C", (), {"before_operator": 1})()])
def test_an_observer_has_methods(observer):
    with pytest.raises(TypeError, match="observe: observer"):
        _core.observe(observer)


def test_an_operator_is_called_again():
    log = Log()
    x = gpukit.arange(6.0).reshape(2, 3)
    with _core.observe(log):
        results = [x[1], x.sum(1), x.T, 2 - x, x.reshape(3, 2), nn.ReLU()(x)]
    outer = [call for call in log.calls if call.depth == 0]
    for call, result in zip(outer, results, strict=True):
        again = call.operator.call(call.arguments)
        assert again.tolist() == result.tolist()
    with pytest.raises(TypeError, match="no argument 'inputt'"):
        outer[0].operator.call({"inputt": x})
    with pytest.raises(TypeError, match="missing"):
        outer[0].operator.call({"input": x})
    with pytest.raises(TypeError):
        outer[2].operator.call({"input": 5})
