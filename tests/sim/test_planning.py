"""gpukit.fit and gpukit.what_if beside simulated devices: real memory, a model's time."""

from __future__ import annotations

import copy
import os
import subprocess
import sys

import pytest

import gpukit
from gpukit import nn
from gpukit.bench import BenchResult
from gpukit.errors import ArgumentError, BenchError
from gpukit.nn import functional as F
from gpukit.planning.fitting import SPREAD

MODELS = {
    "mlp": (
        lambda: nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10)),
        lambda: gpukit.rand(64, 784),
        lambda: gpukit.randint(10, (64,)),
        F.cross_entropy,
        gpukit.optim.Adam,
    ),
    "deep": (
        lambda: nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(100, 100), nn.Sigmoid())]),
        lambda: gpukit.rand(200, 100),
        None,
        None,
        gpukit.optim.SGD,
    ),
    "wide": (
        lambda: nn.Sequential(nn.Linear(50, 400), nn.GELU(), nn.Linear(400, 50)),
        lambda: gpukit.rand(100, 50),
        lambda: gpukit.rand(100, 50),
        F.mse_loss,
        gpukit.optim.AdamW,
    ),
    "words": (
        lambda: nn.Sequential(nn.Embedding(1000, 32), nn.Flatten(), nn.Linear(320, 20)),
        lambda: gpukit.randint(1000, (50, 10)),
        lambda: gpukit.randint(20, (50,)),
        F.cross_entropy,
        gpukit.optim.RMSprop,
    ),
    "plain": (
        lambda: nn.Sequential(nn.Linear(200, 100), nn.Tanh(), nn.Linear(100, 10)),
        lambda: gpukit.rand(64, 200),
        None,
        None,
        None,
    ),
}


def measured_peak(model, x, target, loss, optimizer, steps=3):
    """Bytes of tensors at the peak of some steps on the device."""
    gpukit.cuda.empty_cache()
    before = gpukit.cuda.memory_allocated(0)
    model, x = copy.deepcopy(model).to("cuda:0"), x.to("cuda:0")
    target = None if target is None else target.to("cuda:0")
    stepper = optimizer(model.parameters()) if optimizer else None
    gpukit.cuda.reset_peak_memory_stats(0)
    for _ in range(steps):
        (stepper or model).zero_grad()
        output = model(x)
        value = output.sum() if loss is None else loss(output, target)
        value.backward()
        if stepper:
            stepper.step()
    gpukit.synchronize("cuda:0")
    return gpukit.cuda.max_memory_allocated(0) - before


@pytest.mark.parametrize("name", MODELS)
def test_the_trace_is_within_the_stated_error_of_the_device(name):
    make, make_input, make_target, loss, optimizer = MODELS[name]
    gpukit.rand(64, 64, device="cuda:0") @ gpukit.rand(64, 64, device="cuda:0")  # cuBLAS is there
    model, x = make(), make_input()
    target = make_target() if make_target else None
    report = gpukit.fit(model, x, target, loss=loss, optimizer=optimizer)
    peak = measured_peak(model, x, target, loss, optimizer)
    assert report.trace.total == pytest.approx(peak, rel=SPREAD, abs=0)


def test_the_parts():
    model = nn.Sequential(nn.Linear(100, 200), nn.ReLU(), nn.Linear(200, 10))
    size = 4 * (100 * 200 + 200 + 200 * 10 + 10)
    trace = gpukit.fit(model, gpukit.zeros(32, 100), optimizer=gpukit.optim.Adam).trace
    assert (trace.parameters, trace.gradients) == (size, size)
    assert 2 * size <= trace.optimizer_state <= 2 * size + 64
    assert trace.inputs == 4 * 32 * 100
    assert trace.total >= trace.parameters + trace.optimizer_state + trace.inputs + 4 * 32 * 200
    still = gpukit.fit(model, gpukit.zeros(32, 100), training=False).trace
    assert (still.gradients, still.optimizer_state) == (0, 0)
    assert still.total < trace.total


def test_the_model_is_not_changed():
    model = nn.Linear(10, 10)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    gpukit.fit(model, gpukit.ones(4, 10), optimizer=gpukit.optim.SGD)
    assert all((value == before[name]).all() for name, value in model.state_dict().items())
    assert model.weight.grad is None


def test_the_verdict_is_what_a_card_of_that_memory_does():
    """A device with less memory than `low` runs out of it; one with `high` does not."""
    model = nn.Sequential(nn.Linear(100, 200), nn.Sigmoid(), nn.Linear(200, 100))
    x = gpukit.rand(4000, 100)
    report = gpukit.fit(model, x, memory="8GiB")
    assert report.verdict == "fits"
    assert gpukit.fit(model, x, memory=report.low // 2).verdict == "does not fit"
    assert gpukit.fit(model, x, memory=(report.low + report.high) // 2).verdict == "close"
    text = _in_a_child(report.trace.total // 2)
    assert "OutOfMemoryError" in text
    assert _in_a_child(report.high).strip() == "ran"


def _in_a_child(memory):
    program = f"""
import gpukit
from gpukit import nn
with gpukit.simulate(1, "T4", memory={memory}):
    model = nn.Sequential(nn.Linear(100, 200), nn.Sigmoid(), nn.Linear(200, 100)).to("cuda")
    x = gpukit.rand(4000, 100).to("cuda")
    try:
        for _ in range(2):
            model.zero_grad()
            model(x).sum().backward()
        print("ran")
    except gpukit.OutOfMemoryError as error:
        print(type(error).__name__)
"""
    environment = {k: v for k, v in os.environ.items() if k != "GPUKIT_SIMULATE"}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    ).stdout


def test_the_largest_batch():
    model = nn.Sequential(nn.Linear(100, 1000), nn.ReLU(), nn.Linear(1000, 10))
    report = gpukit.fit(model, gpukit.zeros(256, 100), memory="560MiB")
    again = gpukit.fit(model, gpukit.zeros(report.largest_batch, 100), memory="560MiB")
    assert again.verdict in {"fits", "close"}
    more = gpukit.fit(model, gpukit.zeros(2 * report.largest_batch, 100), memory="560MiB")
    assert more.verdict == "does not fit"
    assert str(report.largest_batch) in str(report)


def test_wrong_calls_of_fit():
    model, x = nn.Linear(3, 3), gpukit.zeros(2, 3)
    with pytest.raises(ArgumentError, match="Did you mean 'T4'"):
        gpukit.fit(model, x, card="T5")
    with pytest.raises(ArgumentError, match="not both"):
        gpukit.fit(model, x, card="T4", memory=3)
    with pytest.raises(ArgumentError, match="memory must be text such as '8GiB'"):
        gpukit.fit(model, x, memory="much")
    with pytest.raises(TypeError, match=r"model must be a gpukit.nn.Module"):
        gpukit.fit(lambda x: x, x)
    with pytest.raises(TypeError, match="inputs must be tensors"):
        gpukit.fit(model, [1, 2])


WORK = {
    "product": lambda: _call(lambda x: x @ x, 128),
    "products": lambda: _call(lambda x: x @ x @ x @ x, 64),
    "elements": lambda: _call(lambda x: (x + 1).exp().sum(), 128),
    "small": lambda: _call(lambda x: [x + 1 for _ in range(50)], 8),
}


def _call(function, size):
    return function, gpukit.rand(size, size)


@pytest.mark.parametrize("name", WORK)
def test_the_model_time_of_a_simulated_card_is_in_the_interval(name):
    """The simulator's clock is a model of its own: launch, link, and the card's best."""
    function, x = WORK[name]()
    predicted = gpukit.what_if(function, x, cards="T4").predictions[0]
    y = x.to("cuda:0")
    function(y)
    start, stop = (gpukit.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    function(y)
    stop.record()
    stop.synchronize()
    seconds = start.elapsed_time(stop) / 1e3
    assert predicted.low <= seconds <= predicted.high


def test_a_faster_card_is_predicted_faster():
    x = gpukit.rand(512, 512)
    table = gpukit.what_if(lambda: x @ x, cards=["K80", "T4", "H100"])
    assert [one.card for one in table.predictions] == ["H100", "T4", "K80"]
    assert "Predictions, not measurements" in str(table)
    assert "measured on" not in str(table)
    assert table.to_dict()["measured"] is False
    assert len(gpukit.what_if(lambda: x @ x).predictions) > 30


def test_copies_count():
    x = gpukit.rand(8, 8)
    without = gpukit.what_if(lambda: x + 1, cards="T4").predictions[0]
    with_copies = gpukit.what_if(lambda: x + 1, cards="T4", copied=1 << 30).predictions[0]
    assert with_copies.bound == "copy"
    assert with_copies.low > 1000 * without.low


def test_a_measured_result_is_scaled():
    result = BenchResult("step", "Tesla T4", median=0.1, bound="compute")
    result.operations, result.flops, result.bytes = 10, 8e11, 1e6
    table = gpukit.what_if(result, cards=["T4", "V100"])
    own = next(one for one in table.predictions if one.card == "T4")
    assert own.low < 0.1 < own.high
    other = next(one for one in table.predictions if one.card == "V100")
    assert other.low < 0.1 * 8.1 / 15.7 < other.high
    assert "scaled from" in str(table)


def test_wrong_calls_of_what_if():
    x = gpukit.rand(4)
    with pytest.raises(ArgumentError, match="there is no card 'T5'"):
        gpukit.what_if(lambda: x + 1, cards="T5")
    with pytest.raises(ArgumentError, match="copied must be bytes"):
        gpukit.what_if(lambda: x + 1, copied=-1)
    with pytest.raises(BenchError, match="nothing was counted"):
        gpukit.what_if(lambda: 3)
    with pytest.raises(TypeError, match="must be a function or a BenchResult"):
        gpukit.what_if(3)


@pytest.mark.parametrize("width", [60, 80])
def test_tables_in_narrow_terminals(width):
    x = gpukit.rand(8, 8)
    for table in (gpukit.what_if(lambda: x + 1), gpukit.fit(nn.Linear(8, 8), x, card="T4")):
        text = table.to_table().to_text(width=width)
        assert max(map(len, text.splitlines())) <= width
