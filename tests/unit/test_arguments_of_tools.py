"""Wrong arguments of the planning and watching tools: the argument, its value and the fix."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

import pytest

import gpukit
from gpukit import nn
from gpukit.errors import ArgumentError, DTypeError, InvalidDeviceError, ShapeError


def fit(**given):
    return gpukit.fit(nn.Linear(4, 2), gpukit.ones(3, 4), **given)


def what_if(**given):
    return gpukit.what_if(lambda: gpukit.ones(3) + 1, **given)


WRONG: list[tuple[Callable, dict, type[Exception], str]] = [
    (fit, {"card": ["T4"]}, TypeError, r"card must be a str such as 'T4'.* got \['T4'\] \(list\)"),
    (fit, {"card": 4}, TypeError, r"card must be a str .* got 4 \(int\)"),
    (fit, {"loss": 1}, TypeError, r"loss must be a function such as .*mse_loss.* got 1 \(int\)"),
    (fit, {"loss": len}, TypeError, r"loss must return a tensor .* returned 3 \(int\)"),
    (fit, {"optimizer": 1}, TypeError, r"optimizer must be a function .*Adam.* got 1 \(int\)"),
    (fit, {"optimizer": list}, TypeError, "optimizer must return an optimizer.* returned a list"),
    (what_if, {"cards": 3}, TypeError, r"cards must be a str or a list .* got 3 \(int\)"),
    (what_if, {"cards": [3]}, TypeError, r"cards must be a str or a list .* got \[3\] \(list\)"),
    (what_if, {"cards": []}, ArgumentError, "cards is empty; name one of"),
    (what_if, {"copied": True}, TypeError, r"copied must be a number of bytes, got True"),
    (what_if, {"copied": "1"}, TypeError, r"copied must be a number of bytes, got '1'"),
    (what_if, {"copied": math.nan}, ArgumentError, "copied must be bytes, .*finite, got nan"),
    (what_if, {"copied": math.inf}, ArgumentError, "copied must be bytes, .*finite, got inf"),
    (gpukit.watch, {"include": None}, TypeError, r"include must be a str or a list .* got None"),
    (gpukit.watch, {"include": [1]}, TypeError, r"include must be a str or a list .* got \[1\]"),
    (gpukit.bench.allreduce, {"sizes": 0}, TypeError, r"sizes must be a list .* got 0 \(int\)"),
    (gpukit.bench.allreduce, {"sizes": b"4K"}, TypeError, r"sizes must be a list .* got b'4K'"),
    (gpukit.bench.allreduce, {"sizes": "4KB"}, TypeError, r"sizes must be a list .* got '4KB'"),
    (gpukit.bench.allreduce, {"timeout": 0}, ArgumentError, "timeout must be above 0 seconds"),
    (gpukit.bench.allreduce, {"timeout": math.nan}, ArgumentError, "timeout must be .* got nan"),
    (gpukit.monitor.session, {"hours": True}, TypeError, r"hours must be a number .* got True"),
    (gpukit.monitor.session, {"hour": 1}, TypeError, "no option 'hour'. Did you mean 'hours'"),
    (gpukit.monitor.session, {"bogus": 1}, TypeError, "no option 'bogus'. Known: hours, warn_min"),
    (gpukit.monitor.session, {"save": 1}, TypeError, r"save must be a function .* got 1 \(int\)"),
    (gpukit.monitor.session, {"tell": "me"}, TypeError, r"tell must be a function .* got 'me'"),
]


@pytest.mark.parametrize(("call", "given", "error", "text"), WRONG)
def test_wrong_arguments_are_named(call, given, error, text):
    with pytest.raises(error, match=text):
        call(**given)


LONG = "x" * 100_000
SPACED = "x y" * 40_000
SHOWN: list[tuple[Callable, type[Exception]]] = [
    (gpukit.device, InvalidDeviceError),
    (lambda text: gpukit.ones(2, device=text), InvalidDeviceError),
    (lambda text: gpukit.ones(2).to(text), InvalidDeviceError),
    (lambda text: gpukit.Generator(device=text), InvalidDeviceError),
    (lambda text: gpukit.ones(2, dtype=text), DTypeError),
    (gpukit.finfo, DTypeError),
    (lambda text: gpukit.einsum(text, gpukit.ones(2)), ShapeError),
    (lambda text: fit(card=text), ArgumentError),
    (lambda text: what_if(cards=text), ArgumentError),
    (gpukit.watch, ValueError),
    (lambda text: gpukit.watch(include=text), ValueError),
]


@pytest.mark.parametrize(("call", "error"), SHOWN)
@pytest.mark.parametrize("given", [LONG, SPACED], ids=["word", "words"])
def test_long_values_are_shown_by_their_ends(call, error, given):
    with pytest.raises(error) as caught:
        call(given)
    text = str(caught.value)
    assert given[:20] in text
    assert len(text) < 1000


def test_long_messages_stay_whole_where_their_values_are_short():
    names = ", ".join(f"layer{i}.weight" for i in range(1000))
    text = f"it isn't there, and doesn't load: {names}; it's 'x'."
    assert str(ArgumentError(text)) == text
    assert str(pickle.loads(pickle.dumps(ArgumentError(text)))) == text
    shortened = str(ArgumentError(f"got '{LONG}'."))
    assert shortened == f"got '{LONG[:59]}…{LONG[:19]}' (100002 characters)."
