"""what_if's intervals beside times that were measured on a real card."""

from __future__ import annotations

import json

import pytest

import gpukit
from gpukit.nn import functional
from support.mode import PROJECT

FOLDER = PROJECT / "benchmarks" / "results" / "h200"
ELEMENTS = 1 << 26
COPIED = 1 << 28


def measured():
    """What -> seconds on an NVIDIA H200."""
    found = {}
    for name in ("measure", "peers"):
        for row in json.loads((FOLDER / f"{name}.json").read_text())["rows"]:
            time = row.get("us", row.get("gpukit us"))
            if time is not None:
                # Copies are listed for several sizes; the largest is the one that is compared.
                found[row["what"]] = time * 1e-6
    return found


PRODUCTS = [(dtype, n) for dtype in ("float32", "float64") for n in (1024, 2048)]
ELEMENTWISE = {
    "copy": lambda x: x.clone(),
    "exp(x)": lambda x: x.exp(),
    "tanh(x)": lambda x: x.tanh(),
    "sum(x)": lambda x: x.sum(),
    "max(x)": lambda x: x.max(),
    "x + x": lambda x: x + x,
}
COPIES = ["h2d pinned", "d2h pinned", "h2d pageable", "d2h pageable"]


def interval(function, copied=0.0):
    [prediction] = gpukit.what_if(function, cards=["H200"], copied=copied).predictions
    return prediction.low, prediction.high


@pytest.fixture(scope="module")
def inside():
    """What -> whether the measured time lies in the predicted interval."""
    cases = {}
    for dtype, n in PRODUCTS:
        x = gpukit.ones(n, n, dtype=getattr(gpukit, dtype))
        cases[f"{dtype} {n}x{n}"] = interval(lambda x=x: x @ x)
    x = gpukit.ones(ELEMENTS)
    for name, function in ELEMENTWISE.items():
        cases[f"{name}, {ELEMENTS} float32"] = interval(lambda function=function: function(x))
    rows = gpukit.ones(65536, 1024)
    cases["softmax, 65536x1024 float32"] = interval(lambda: functional.softmax(rows, 1))
    one = gpukit.ones(1)
    for name in COPIES:
        cases[name] = interval(one.clone, COPIED)
    times = measured()
    return {what: low <= times[what] <= high for what, (low, high) in cases.items()}


@pytest.mark.skipif(not FOLDER.exists(), reason="a source package without benchmarks/")
def test_times_of_a_real_card_lie_inside(inside):
    """The feature table asks for 80 % or more."""
    assert len(inside) == 15
    assert [what for what, fits in inside.items() if not fits] == ["x + x, 67108864 float32"]
