"""First and second derivatives beside torch's over torch's own sample inputs (torch_samples.py).

A fixed sample runs here: the first samples of each operator. All of them:
`python -m peers.torch_samples` in tests/.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent.parent
SAMPLES = 4

# What is known to be otherwise, with the reason; a row that is right again fails.
NOT_ACCEPTED = {
    "norm nuc": "linalg.matrix_norm has it",
    "linalg.pinv singular": "an argument of torch's own wrapper",
    "to": "five arguments by place",
    **dict.fromkeys(("svd_lowrank", "pca_lowrank"), "torch's own wrapper multiplies two tensors"),
    "nn.functional.feature_alpha_dropout with_train": "its result is drawn",
    "nn.functional.ctc_loss": "torch has first derivatives: test_torch_sequence_losses",
}
REFUSED = {"nextafter": "it has no derivative in gpukit"}
DIFFERENT = {
    "as_strided_scatter": "torch gives elements that were replaced a gradient",
    "linalg.eigh": "the signs of eigenvectors depend on the LAPACK",
    "linalg.lstsq": "two results, those that torch's wrapper of the other variant keeps",
    "linalg.norm subgradients_at_zero": "second derivatives of norms of zeros are 0, in torch NaN",
}
KNOWN = {
    **dict.fromkeys(NOT_ACCEPTED, "no sample accepted"),
    **dict.fromkeys(REFUSED, "refused"),
    **dict.fromkeys(DIFFERENT, "differs"),
}
COMPLEX = {"linalg.eigh": "passed"}  # what depends on phases is refused by torch


pytestmark = pytest.mark.timeout(400)  # the samples of all operators are one run of a minute


@pytest.fixture(scope="module")
def answer() -> dict[str, Any]:
    command = [sys.executable, "-m", "peers.torch_samples", "--json", str(SAMPLES)]
    run = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def test_every_operator_that_both_have_is_as_expected(answer: dict[str, Any]) -> None:
    scores = answer["scores"]
    expected = {name: KNOWN.get(name, "passed") for name in scores}
    assert {name: s for name, s in scores.items() if s[0] != expected[name]} == {}
    assert set(KNOWN) <= set(scores)


def test_linear_algebra_of_complex_matrices_is_as_expected(answer: dict[str, Any]) -> None:
    scores = answer["complex"]
    expected = {name: KNOWN.get(name, "passed") for name in scores} | COMPLEX
    assert {name: s for name, s in scores.items() if s[0] != expected[name]} == {}
    assert len(scores) >= 38


def test_nobody_picks_the_operators(answer: dict[str, Any]) -> None:
    """All names of torch's table that gpukit has, but for those whose results are drawn."""
    verdicts = [verdict for verdict, _ in answer["scores"].values()]
    assert len(verdicts) >= 184
    assert verdicts.count("passed") >= 176


def test_a_wrong_second_derivative_is_found(answer: dict[str, Any]) -> None:
    assert answer["finds"]
