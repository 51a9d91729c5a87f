"""Spellings that torch has deprecated: its results, and its one warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

CALLS = """
t.nn.init.constant(t.empty(2, 2), 3.0)
t.nn.init.eye(t.empty(2, 3))
t.nn.init.dirac(t.empty(2, 2, 3))
t.nn.init.uniform(t.empty(2), a=1, b=1)
t.nn.init.normal(t.empty(2), 2.0, std=0.0)
t.nn.init.xavier_uniform(t.empty(2, 2), gain=0.0)
t.nn.init.xavier_normal(t.empty(2, 2), gain=0.0)
t.nn.init.kaiming_uniform(t.empty(2, 2), a=1, mode="fan_out").shape
t.nn.init.kaiming_normal(t.empty(2, 2), nonlinearity="relu").shape
t.nn.init.orthogonal(t.empty(1, 1)).abs()
t.nn.init.sparse(t.empty(2, 2), sparsity=1.0)
t.nn.functional.upsample(x, scale_factor=2)
t.nn.functional.upsample(x, size=(3, 3), mode="bilinear", align_corners=True)
t.nn.functional.upsample_nearest(x, scale_factor=2)
t.nn.functional.upsample_bilinear(x, size=(3, 3))
t.nn.functional.upsample_bilinear(x, scale_factor=2)
t.nn.NLLLoss2d(reduction="sum")(t.log_softmax(x, 1), t.tensor([[[0, 0], [0, 0]]]))
t.nn.NLLLoss2d()(t.log_softmax(x, 1), t.tensor([[[0, 0], [0, 0]]]))
isinstance(t.nn.NLLLoss2d(), t.nn.NLLLoss)
t.nn.utils.clip_grad_norm([p], 1.0)
"""


def outcome(t: Any, call: str) -> tuple[Any, list[tuple[str, type[Warning], str]]]:
    """The result, and each warning: its text, its class and the file that it names."""
    x = t.arange(4.0).reshape(1, 1, 2, 2)
    p = t.nn.Parameter(t.zeros(2))
    p.grad = t.tensor([3.0, 4.0])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = eval(call, {"t": t, "x": x, "p": p})
    given = [
        (str(each.message).replace("torch.", ""), each.category, each.filename) for each in seen
    ]
    if hasattr(result, "tolist"):  # of a tensor
        result = result.tolist()
    return result, given


@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_gives_torchs_result_and_warning(call: str) -> None:
    (theirs, their_warnings), (ours, our_warnings) = outcome(torch, call), outcome(gpukit, call)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert len(our_warnings) == len(their_warnings) == 1
    (text, category, place), (their_text, their_category, their_place) = (
        our_warnings[0],
        their_warnings[0],
    )
    assert category is their_category
    assert place == their_place
    assert text == their_text or their_text.startswith(text[:-1])  # without torch's address


def test_all_of_torchs_deprecated_initialisers_are_there() -> None:
    theirs = {each for each in dir(torch.nn.init) if each + "_" in dir(torch.nn.init)}
    assert theirs
    for name in theirs:
        assert getattr(gpukit.nn.init, name) is getattr(gpukit.nn.init, name)
        assert name not in dir(gpukit.nn.init)


def test_deprecated_names_are_imported_from_torchs_places() -> None:
    from gpukit.nn.functional import upsample  # noqa: F401
    from gpukit.nn.init import xavier_uniform  # noqa: F401
    from gpukit.nn.modules.loss import NLLLoss2d

    assert NLLLoss2d is gpukit.nn.NLLLoss2d


def test_errors_are_those_of_the_present_function() -> None:
    with pytest.warns(FutureWarning), pytest.raises(TypeError, match="tensor"):
        gpukit.nn.init.xavier_uniform([1.0])
