"""Anomaly detection names the derivative that makes a NaN, and the line of its operation."""

from __future__ import annotations

import threading
import warnings

import pytest

import gpukit
from gpukit import _core
from gpukit.autograd import detect_anomaly, set_detect_anomaly


def root(x):
    return (x.sqrt() * 0.0).sum()


LINE = root.__code__.co_firstlineno + 1


def test_the_derivative_and_its_line_are_named(device):
    x = gpukit.tensor([0.0, 1.0], device=device, requires_grad=True)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with detect_anomaly():
            assert gpukit.is_anomaly_enabled()
            y = root(x)
            with pytest.raises(
                gpukit.AutogradError,
                match=r"^Function 'SqrtBackward0' returned nan values in its 0th output",
            ) as caught:
                y.backward()
    assert caught.value.details["line"] == LINE
    assert caught.value.details["file"] == __file__
    texts = [str(each.message) for each in said]
    assert texts[0].startswith("Anomaly Detection has been enabled")
    assert f'File "{__file__}", line {LINE}, in root\n    return (x.sqrt()' in texts[1]
    assert not gpukit.is_anomaly_enabled()
    assert not _core.is_observed()  # what is off costs nothing
    root(x).backward()
    assert x.grad.isnan().tolist() == [True, False]


def test_an_operation_from_before_has_no_line(device):
    y = root(gpukit.zeros(1, device=device, requires_grad=True))
    with (
        set_detect_anomaly(True),
        pytest.warns(UserWarning, match="No forward pass information"),
        pytest.raises(gpukit.AutogradError, match="SqrtBackward0") as caught,
    ):
        y.backward()
    assert caught.value.details == {}


def test_without_a_look_at_nan_a_failing_derivative_is_shown():
    class Fails(gpukit.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            raise ValueError("broken on purpose")

    x = gpukit.zeros(1, requires_grad=True)
    with set_detect_anomaly(True, check_nan=False):
        assert not gpukit.is_anomaly_check_nan_enabled()
        root(x).backward()
        y = Fails.apply(x)
        with (
            pytest.warns(UserWarning, match="Error detected in FailsBackward"),
            pytest.raises(ValueError, match="broken on purpose"),
        ):
            y.backward()
    assert gpukit.is_anomaly_check_nan_enabled()


def test_it_is_a_call_too_nests_and_holds_for_all_threads():
    seen = []
    set_detect_anomaly(True)
    try:
        with set_detect_anomaly(False):
            assert not gpukit.is_anomaly_enabled()
        assert gpukit.is_anomaly_enabled()

        def other():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    root(gpukit.zeros(1, requires_grad=True)).backward()
                except gpukit.AutogradError as error:
                    seen.append(error.details["line"])

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    finally:
        set_detect_anomaly(False)
    assert seen == [LINE]


def test_second_derivatives_are_looked_at():
    x = gpukit.tensor([0.0], requires_grad=True)
    with warnings.catch_warnings(), set_detect_anomaly(True):
        warnings.simplefilter("ignore")
        (slope,) = gpukit.autograd.grad((x**1.5).sum(), x, create_graph=True)
        with pytest.raises(gpukit.AutogradError, match="returned nan values"):
            (slope * 0).sum().backward()


@pytest.mark.parametrize("make", [detect_anomaly, set_detect_anomaly])
def test_modes_are_bools(make):
    with pytest.raises(TypeError, match="must be True or False"):
        make("yes")
