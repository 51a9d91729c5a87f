"""gpukit.compile: what it refuses and says, when a trace holds, and what stays as it was."""

from __future__ import annotations

import copy
import pickle
import traceback
import warnings
from xml.etree import ElementTree as ET

import pytest

import gpukit
from gpukit import nn
from gpukit._compile import compiled as compiled_functions
from gpukit._compile.traffic_picture import bars
from support.mode import PROJECT

SCALE = 2.0
SHIFT = gpukit.tensor(1.0)
SEEN: list[float] = []
LAYER_SIZES = {"first": 1.0}


@gpukit.compile
def scaled(x):
    return gpukit.tanh(x * SCALE + SHIFT) - 1


def plain_scaled(x):
    return gpukit.tanh(x * SCALE + SHIFT) - 1


@pytest.fixture(autouse=True)
def always_chains(monkeypatch):
    monkeypatch.setattr(compiled_functions, "FEW_ELEMENTS", 0)


@pytest.fixture(autouse=True)
def no_unseen_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", gpukit.errors.GpukitWarning)
        yield


def line_of(function, offset):
    return function.__code__.co_firstlineno + offset


def runs_eagerly(function, *args, line=None, text=""):
    """Compiled, it warns once, gives the function's results, and raises with fullgraph=True."""
    compiled = gpukit.compile(function)
    with pytest.warns(gpukit.errors.GpukitWarning) as caught:
        first = compiled(*args)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert text in str(caught[0].message)
    if line is not None:
        assert caught[0].lineno == line_of(function, line)
    second = compiled(*args)
    assert text in str(compiled.explain()) or compiled.explain().traces == 0
    with pytest.raises(gpukit.CompileError, match="fullgraph"):
        gpukit.compile(function, fullgraph=True)(*args)
    return first, second


def test_a_branch_on_data():
    def branches(x):
        y = x + 1
        if y.sum() > 0:
            return y * 2
        return y * 3

    x = gpukit.ones(3)
    first, second = runs_eagerly(branches, x, line=2, text="branches on the value")
    assert first.tolist() == second.tolist() == [4, 4, 4]


@pytest.mark.parametrize("read", [lambda x: x.item(), float, lambda x: x.tolist()])
def test_values_that_python_reads(read):
    def reads(x):
        return x * read(x.sum())

    first, _ = runs_eagerly(reads, gpukit.ones(2), text="reads the value")
    assert first.tolist() == [2, 2]


def test_a_global_that_is_written():
    def writes(x):
        global COUNT
        COUNT = 1
        return x + 1

    runs_eagerly(writes, gpukit.ones(2), line=2, text="writes the global 'COUNT'")


def test_a_list_that_is_changed():
    seen = []

    def appends(x):
        seen.append(1)
        return x + 1

    runs_eagerly(appends, gpukit.ones(2), text="changes the value of 'seen'")
    assert len(seen) == 3


def test_an_argument_that_is_changed():
    def writes(x, results):
        results["sum"] = x + 1
        return x * 2

    compiled = gpukit.compile(writes)
    with pytest.warns(gpukit.errors.GpukitWarning, match="changes an argument"):
        compiled(gpukit.ones(2), {})
    results = {}
    compiled(gpukit.ones(2), results)
    assert results["sum"].tolist() == [2, 2]

    def replaces(pair):
        pair[0] = pair[0] + 1
        return pair[0] * 2

    compiled = gpukit.compile(replaces)
    pair = [gpukit.ones(2)]
    with pytest.warns(gpukit.errors.GpukitWarning, match="changes an argument"):
        compiled(pair)
    compiled(pair)
    assert pair[0].tolist() == [3, 3]


def test_a_variable_of_an_outer_function():
    count = 0

    def counts(x):
        nonlocal count
        count += 1
        return x + 1

    runs_eagerly(counts, gpukit.ones(2), line=2, text="writes the outer variable 'count'")


def test_other_modules_and_prints():
    def prints(x):
        print("a call")
        return x + 1

    runs_eagerly(prints, gpukit.ones(2), line=1, text="calls print()")

    def clocks(x):
        return x + warnings.filters.count(1)

    runs_eagerly(clocks, gpukit.ones(2), line=1, text="uses the module warnings")

    def seeds(x):
        gpukit.manual_seed(1)
        return x + 1

    runs_eagerly(seeds, gpukit.ones(2), line=1, text="uses manual_seed()")


def test_objects_that_a_trace_cannot_hold():
    class Settings:
        scale = 2.0

    settings = Settings()

    def configured(x):
        return x * settings.scale + 1

    runs_eagerly(configured, gpukit.ones(2), line=1, text="an object of Settings")
    compiled = gpukit.compile(lambda x, s: x * s.scale)
    with pytest.warns(gpukit.errors.GpukitWarning, match="given a Settings"):
        assert compiled(gpukit.ones(2), settings).tolist() == [2, 2]

    def returns(x):
        return {1, 2}

    runs_eagerly(returns, gpukit.ones(2), text="returns a set")


def test_an_attribute_that_is_written():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x + 1

    compiled = gpukit.compile(Counter())
    with pytest.warns(gpukit.errors.GpukitWarning, match="writes the attribute 'calls'"):
        compiled(gpukit.ones(2))
    compiled(gpukit.ones(2))
    assert compiled.calls == 2


def test_globals_may_change(monkeypatch):
    x = gpukit.linspace(-1, 1, 9)
    assert gpukit.equal(scaled(x), plain_scaled(x))
    assert gpukit.equal(scaled(x), plain_scaled(x))
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert gpukit.equal(scaled(x), plain_scaled(x))
    monkeypatch.setitem(globals(), "SHIFT", gpukit.tensor(5.0))
    assert gpukit.equal(scaled(x), plain_scaled(x))
    SHIFT.add_(1)
    assert gpukit.equal(scaled(x), plain_scaled(x))


def test_closures_defaults_and_contents_may_change():
    factors = [1.0, 2.0]
    offset = 1.0

    def chain(x, power=2):
        return (x * factors[0] + offset) ** power

    compiled = gpukit.compile(chain, fullgraph=True)
    x = gpukit.linspace(0, 1, 5)

    def check():
        for _ in range(2):
            assert gpukit.equal(compiled(x), chain(x))

    check()
    factors[0] = 4.0
    check()
    offset = -0.0
    check()
    offset = 0.0
    assert (1 / compiled(x * 0 - 0.0, power=1)).tolist() == (1 / chain(x * 0 - 0.0, 1)).tolist()
    chain.__defaults__ = (3,)
    check()
    for power in (1, 2, 3, 2.0, True):
        assert gpukit.equal(compiled(x, power), chain(x, power))


def test_functions_that_ask_for_sizes():
    def mean(x):
        return (x * 2 + 1) / x.shape[0]

    def centred(x):
        return nn.functional.layer_norm(x * 2 + 1, (len(x),)) if x.ndim == 1 else x + 1

    for function in (mean, centred):
        compiled = gpukit.compile(function, fullgraph=True)
        for size in (4, 8, 4, 5):
            x = gpukit.arange(float(size))
            assert gpukit.equal(compiled(x), function(x))


def test_literal_sizes_raise_as_in_the_function():
    def chain(x):
        return (x * 2 + 1).reshape(2, 3)

    compiled = gpukit.compile(chain, fullgraph=True)
    compiled(gpukit.ones(6))
    with pytest.raises(gpukit.ShapeError) as caught:
        compiled(gpukit.ones(8))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert any(frame.name == "chain" and frame.filename == __file__ for frame in frames)


def test_errors_after_a_write_do_not_write_twice():
    def chain(x, y):
        x += 1
        return x * y + 1

    compiled = gpukit.compile(chain, fullgraph=True)
    compiled(gpukit.zeros(3), gpukit.ones(3))
    x = gpukit.zeros(3)
    with pytest.raises(gpukit.ShapeError):
        compiled(x, gpukit.ones(4))
    assert x.tolist() == [1, 1, 1]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(6, 5)
        self.scale = nn.Parameter(gpukit.ones(5))
        self.dropout = nn.Dropout(0.5)
        self.slope = 0.5

    def forward(self, x):
        return self.dropout(self.activation(self.hidden(x)) * self.scale + 1)

    def activation(self, x):
        return gpukit.where(x > 0, x, x * self.slope)


def test_a_module_stays_a_module():
    net = Net().eval()
    compiled = gpukit.compile(net, fullgraph=True)
    x = gpukit.randn(3, 6)
    assert isinstance(compiled, Net)
    assert list(compiled.state_dict()) == list(net.state_dict())
    with gpukit.no_grad():
        for _ in range(2):
            assert gpukit.equal(compiled(x), net(x))
        assert compiled.explain().groups
        net.scale.mul_(3)
        assert gpukit.equal(compiled(x), net(x))
        net.slope = 0.25
        assert gpukit.equal(compiled(x), net(x))
        net.hidden = nn.Linear(6, 5)
        assert gpukit.equal(compiled(x), net(x))
        compiled.train()
        assert net.training
        for function in (compiled, net):
            gpukit.manual_seed(3)
            found = [function(x) for _ in range(2)]
            if function is compiled:
                expected = found
        assert all(gpukit.equal(a, b) for a, b in zip(found, expected, strict=True))
        net.eval().double()
        assert gpukit.equal(compiled(x.double()), net(x.double()))


def test_a_module_learns():
    gpukit.manual_seed(1)
    nets = [Net().eval()]
    nets.append(gpukit.compile(copy.deepcopy(nets[0])))
    x = gpukit.randn(8, 6)
    for net in nets:
        optimizer = gpukit.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().sum().backward()
            optimizer.step()
    for a, b in zip(*(net.state_dict().values() for net in nets), strict=True):
        assert gpukit.equal(a, b)


def test_hooks_run():
    net = Net().eval()
    compiled = gpukit.compile(net)
    x = gpukit.randn(2, 6)
    with gpukit.no_grad():
        compiled(x)
        calls = []
        net.hidden.register_forward_hook(lambda *parts: calls.append(1))
        with pytest.warns(gpukit.errors.GpukitWarning, match="Linear has hooks"):
            compiled(x)
        compiled(x)
    assert len(calls) == 2


def test_pickles_and_copies():
    x = gpukit.linspace(0, 1, 4)
    assert pickle.loads(pickle.dumps(scaled)) is scaled
    made = gpukit.compile(plain_scaled)
    for other in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert gpukit.equal(other(x), plain_scaled(x))
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(gpukit.compile(lambda x: x + 1))
    net = Net().eval()
    compiled = gpukit.compile(net)
    x = gpukit.randn(2, 6)
    for other in (pickle.loads(pickle.dumps(compiled)), copy.deepcopy(compiled)):
        assert isinstance(other, Net)
        with gpukit.no_grad():
            assert gpukit.equal(other(x), net(x))
            other.scale.mul_(2)
            assert not gpukit.equal(other(x), net(x))


class Methods:
    class Holder(nn.Module):
        factor = 2.0

        @gpukit.compile
        def grown(self, x):
            return gpukit.exp(x * 2) + 1


def test_methods_and_nested_functions():
    holder = Methods.Holder()
    x = gpukit.ones(3)
    assert gpukit.equal(holder.grown(x), gpukit.exp(x * 2) + 1)

    @gpukit.compile(fullgraph=True)
    def outer(x):
        return scaled(x) * 2 + helper(x)

    def helper(x):
        return x - 0.5

    for _ in range(2):
        assert gpukit.equal(outer(x), plain_scaled(x) * 2 + (x - 0.5))
    (group,) = outer.explain().groups
    assert group.operators == ("mul", "add", "tanh", "sub", "mul", "sub", "add")


def test_structures_of_arguments_and_results():
    def chain(pair, *, named):
        a, b = pair
        return {"sum": a + b * 2, "list": [a * b - 1, named["c"], None, 3], "same": a}

    compiled = gpukit.compile(chain, fullgraph=True)
    a, b, c = (gpukit.full((3,), float(value)) for value in (1, 2, 3))
    for _ in range(2):
        made = compiled((a, b), named={"c": c})
        assert made["sum"].tolist() == [5, 5, 5]
        assert made["list"][0].tolist() == [1, 1, 1]
        assert made["list"][1] is c
        assert made["list"][2:] == [None, 3]
        assert made["same"] is a


def test_an_argument_that_is_also_a_global():
    def chain(x):
        return x * SHIFT + 1

    compiled = gpukit.compile(chain, fullgraph=True)
    other = gpukit.tensor(7.0)
    for x in (other, SHIFT, other, SHIFT):
        assert gpukit.equal(compiled(x), chain(x))


def test_many_traces_end():
    compiled = gpukit.compile(lambda x, number: x * number + 1)
    x = gpukit.ones(3)
    for number in range(64):
        assert compiled(x, number).tolist() == [number + 1] * 3
    with pytest.warns(gpukit.errors.GpukitWarning, match="64 traces"):
        assert compiled(x, 64).tolist() == [65] * 3
    assert compiled(x, 65).tolist() == [66] * 3


def test_inference_mode_and_settings():
    compiled = gpukit.compile(lambda x: gpukit.exp(x) * 2 + 1, fullgraph=True)
    whole = gpukit.arange(4)
    assert compiled(whole).dtype == gpukit.float32
    gpukit.set_default_dtype(gpukit.float64)
    try:
        assert compiled(whole).dtype == gpukit.float64
    finally:
        gpukit.set_default_dtype(gpukit.float32)
    with gpukit.inference_mode():
        assert compiled(whole).dtype == gpukit.float32


@pytest.mark.parametrize("backend", [None, "tiles", "python", "eager"])
def test_backends(backend):
    compiled = gpukit.compile(plain_scaled, backend=backend)
    x = gpukit.linspace(0, 1, 7)
    for _ in range(2):
        assert gpukit.equal(compiled(x), plain_scaled(x))


def test_wrong_arguments():
    with pytest.raises(gpukit.ArgumentError, match=r"backend 'inductor'.*'tiles'"):
        gpukit.compile(plain_scaled, backend="inductor")
    with pytest.raises(TypeError, match=r"function or a gpukit\.nn\.Module"):
        gpukit.compile(3)
    with pytest.raises(TypeError, match="fullgraph"):
        gpukit.compile(plain_scaled, fullgraph=1)
    with pytest.raises(TypeError, match="dynamic"):
        gpukit.compile(plain_scaled, dynamic="yes")
    with pytest.raises(TypeError, match="backend"):
        gpukit.compile(plain_scaled, backend=3)


def test_dynamic_false_records_each_shape():
    compiled = gpukit.compile(plain_scaled, dynamic=False)
    for size in (3, 4, 3):
        compiled(gpukit.ones(size))
    assert compiled.explain().traces == 2


def test_explain():
    compiled = gpukit.compile(lambda x: (gpukit.exp(x) + 1).cumsum(0) * 2 + 1)
    assert "no trace yet" in str(compiled.explain())
    compiled(gpukit.ones(10))
    text = str(compiled.explain())
    assert "exp add" in text
    assert "88" not in text
    assert "cumsum ended a group" in text


def test_the_picture_of_what_is_moved():
    @gpukit.compile
    def gate(x, y):
        return gpukit.sigmoid(1.5 * x + y) * gpukit.tanh(y)

    gate(gpukit.ones(1_000_000), gpukit.ones(1_000_000))
    report = gate.explain()
    shown = ET.fromstring(report.to_svg())
    rows = [each for each in shown.iter() if each.tag.endswith("rect")][1:]  # the first is paper
    before, after = (int(row.get("width")) for row in rows)
    assert after / before == pytest.approx(report.bytes_after / report.bytes_before, abs=0.01)
    texts = " ".join(each.text or "" for each in shown.iter())
    assert f"{report.bytes_before:,} bytes" in texts
    assert f"{report.bytes_after:,} bytes" in texts
    drawn = (PROJECT / "docs" / "_static" / "chains.svg").read_text(encoding="utf-8")
    assert drawn.strip() == bars("gate", report.groups)
    assert float(shown.get("viewBox").split()[2]) <= 400  # so that a phone shows legible text
    assert "prefers-color-scheme:dark" in texts
    assert report._repr_html_() == report.to_svg()  # inline, with the notebook's colours
