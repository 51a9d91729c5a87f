"""signal.windows beside torch's: values, dtypes, classes of errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gpukit

WINDOWS = {
    "bartlett": [{}],
    "blackman": [{}],
    "cosine": [{}],
    "exponential": [{}, {"tau": 3.5}, {"tau": 0.5, "center": 1.0, "sym": False}],
    "gaussian": [{}, {"std": 4.0}],
    "general_cosine": [{"a": [0.46, 0.23, 0.31]}, {"a": (1.0,)}],
    "general_hamming": [{}, {"alpha": 0.8}],
    "hamming": [{}],
    "hann": [{}],
    "kaiser": [{}, {"beta": 0.0}, {"beta": 3.0}],
    "nuttall": [{}],
}
CASES = [(name, keywords) for name, all_of in WINDOWS.items() for keywords in all_of]
REFUSED = [
    ("hann", (-1,), {}),
    ("hann", (4,), {"dtype": "float16"}),
    ("kaiser", (4,), {"dtype": "int64"}),
    ("kaiser", (4,), {"beta": -1.0}),
    ("gaussian", (4,), {"std": 0.0}),
    ("exponential", (4,), {"tau": -1.0}),
    ("exponential", (4,), {"center": 1.0}),
    ("general_cosine", (4,), {"a": []}),
    ("general_cosine", (4,), {"a": 3.0}),
    ("general_cosine", (4,), {}),
    ("hann", (4, True), {}),
]


@pytest.mark.parametrize(("name", "keywords"), CASES)
def test_values(name: str, keywords: dict) -> None:
    for size in (0, 1, 2, 3, 8, 33):
        for sym in (True, False):
            for dtype in ("float64", "float32", None):
                got, want = (
                    getattr(m.signal.windows, name)(
                        size, **{"sym": sym, **keywords}, dtype=dtype and getattr(m, dtype)
                    )
                    for m in (gpukit, torch)
                )
                assert str(got.dtype).rpartition(".")[2] == str(want.dtype).rpartition(".")[2]
                near = 1e-13 if dtype == "float64" else 3e-6  # torch's points are float32
                np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=near, atol=near)


@pytest.mark.parametrize(("name", "args", "keywords"), REFUSED)
def test_errors_are_of_torchs_classes(name: str, args: tuple, keywords: dict) -> None:
    caught = []
    for m in (gpukit, torch):
        given = {k: getattr(m, v) if k == "dtype" else v for k, v in keywords.items()}
        with pytest.raises(Exception) as error:
            getattr(m.signal.windows, name)(*args, **given)
        caught.append(error.value)
    assert isinstance(caught[0], type(caught[1])), caught


@pytest.mark.parametrize(("name", "keywords"), CASES)
def test_requires_grad(name: str, keywords: dict) -> None:
    given = {"a": [1.0], **keywords} if name == "general_cosine" else keywords
    for m in (gpukit, torch):
        assert getattr(m.signal.windows, name)(4, **given, requires_grad=True).requires_grad


def test_a_large_beta_of_kaiser_does_not_overflow() -> None:
    window = gpukit.signal.windows.kaiser(5, beta=1000.0, dtype=gpukit.float64)
    assert window[2].item() == 1.0
    assert window[1].item() == pytest.approx(6.7e-59, rel=0.1)
