"""A second backward pass without retain_graph: refused for the graphs that torch refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import gpukit
from support.gradients import Case

from .torch_cases import SHARED

ROWS = """
w * 2
2 * w
w / 2
2 / w
w + 2
w - 2
2 - w
w ** 2
2 ** w
-w
w * t.ones(2)
w * t.tensor(2.0)
w + t.ones(2)
w.sum() * 2
w.mean()
w.exp()
w.relu()
w.reshape(2, 1)
w[0]
w[:1]
w[t.tensor([0])]
t.cat([w, w])
w.double()
w.expand(3, 2)
w.remainder(2)
t.add(w, w, alpha=2)
w.masked_fill(w > 1, 0.0)
t.where(w > 1, w, 0.0)
(w + 0).mul_(2)
(w + 0).div_(2)
(w + 0).add_(2)
(w + 0).sub_(w)
(w + 0).fill_(2.0) + w
changed(w + 0, lambda x: x[:1].mul_(2))
changed(w + 0, lambda x: x[:1].add_(2))
changed(w + 0, lambda x: x.view(2, 1).add_(1))
changed(w + 0, lambda x: x.__setitem__(slice(0, 1), 3.0))
changed(w + 0, lambda x: x.__setitem__(t.tensor([0]), 3.0))
t.complex(w, w)
t.complex(w, w).real
t.fft.fft(w)
t.fft.rfft(w)
t.fft.ifft(t.complex(w.detach(), w.detach()).requires_grad_())
t.complex(w.detach(), w.detach()).requires_grad_() * 2
t.complex(w.detach(), w.detach()).requires_grad_() + 2
""".strip().splitlines()

# Operations of several in gpukit, or with a derivative of another form. (torch, gpukit)
APART = {"div floor": ("refused", "computed")}


def changed(x: Any, change: Any) -> Any:
    change(x)
    return x


def outcome(library: Any, result: Any) -> str:
    if isinstance(result, (tuple, list)):
        result = result[0]
    if not result.requires_grad:
        return "no graph"
    if result.is_complex():
        result = library.view_as_real(result.resolve_conj())
    total = result.sum()
    total.backward()
    try:
        total.backward()
    except RuntimeError:
        return "refused"
    return "computed"


@pytest.mark.parametrize("row", ROWS)
def test_rows(row: str) -> None:
    found = []
    for library in (gpukit, torch):
        w = library.tensor([1.0, 2.0], requires_grad=True)
        found.append(outcome(library, eval(row, {"t": library, "w": w, "changed": changed})))
    assert found[0] == found[1]


@pytest.mark.parametrize("case", SHARED, ids=lambda case: case.name)
def test_every_operation(case: Case) -> None:
    found = []
    for library in (torch, gpukit):
        inputs = [
            library.tensor(values.tolist(), dtype=library.float64, requires_grad=True)
            for values in case.inputs(0)
        ]
        found.append(outcome(library, case.function(library, *inputs)))
    assert tuple(found) == APART.get(case.name, (found[0], found[0]))


def test_the_error_says_what_to_do() -> None:
    loss = (gpukit.ones(2, requires_grad=True) * 2).sum()
    loss.backward()
    with pytest.raises(gpukit.AutogradError, match=r"MulBackward0 was used before.*retain_graph"):
        loss.backward()
