"""torch's functions of lists of tensors: results, what changes in place, gradients, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import gpukit

UNARY = """
    abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2
    neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc
""".split()  # noqa: SIM905
# After "_foreach_": each is called as it stands, and in place.
BINARY = """
add|(a, 2.5)
add|(a, b)
add|(a, b, alpha=0.5)
add|(a, [1.0, 2.0])
add|(a, t.tensor(3.0))
add|(a, t.tensor(3.0), alpha=2)
sub|(a, 1)
sub|(a, b, alpha=2)
mul|(a, b)
mul|(a, 3)
mul|(a, [2.0, 0.5])
mul|(a, t.tensor(0.5))
div|(a, b)
div|(a, 3.0)
div|(a, [2.0, 4.0])
div|(a, t.tensor(2.0))
pow|(a, 2)
pow|(a, b)
pow|(a, [2.0, 3.0])
maximum|(a, b)
maximum|(a, 0.5)
maximum|(a, [0.5, 0.25])
minimum|(a, b)
minimum|(a, 0.5)
clamp_min|(a, 0.5)
clamp_min|(a, b)
clamp_max|(a, [0.5, 0.25])
addcmul|(a, b, c)
addcmul|(a, b, c, 2.0)
addcmul|(a, b, c, value=0.5)
addcmul|(a, b, c, [2.0, 3.0])
addcmul|(a, b, c, t.tensor([2.0, 3.0]))
addcdiv|(a, b, c, -0.1)
addcdiv|(a, b, c, [2.0, 3.0])
lerp|(a, b, 0.25)
lerp|(a, b, c)
lerp|(a, b, [0.25, 0.5])
"""
ROWS = [
    *[f"{name}{end}|(a)" for name in UNARY for end in ("", "_")],
    *[row.replace("|", f"{end}|", 1) for row in BINARY.strip().splitlines() for end in ("", "_")],
    "norm|(a)",
    "norm|(a, 1)",
    "norm|(a, float('inf'))",
    "norm|(a, 2, dtype=t.float64)",
    "max|(a)",
    "clone|(a)",
    "zero_|(a)",
    "copy_|(a, b)",
]


def outcome(t: Any, row: str) -> tuple[Any, list[Any]]:
    """The results, and the first list after the call."""
    drawn = np.random.default_rng(1)
    lists = [
        [t.tensor(drawn.uniform(0.1, 0.9, size=s).astype(np.float32)) for s in ((2, 3), (4,))]
        for _ in range(3)
    ]
    name, _, arguments = row.partition("|")
    given = dict(zip("abc", lists, strict=True)) | {"t": t}
    result = eval(f"t._foreach_{name}{arguments}", given)
    shown = None if result is None else [(str(x.dtype).split(".")[-1], x.tolist()) for x in result]
    return shown, [each.tolist() for each in lists[0]]


@pytest.mark.parametrize("row", ROWS)
def test_gives_what_torch_gives(row: str) -> None:
    (ours, left), (theirs, their_left) = outcome(gpukit, row), outcome(torch, row)
    assert (ours is None) is (theirs is None)
    for (dtype, values), (their_dtype, their_values) in zip(ours or (), theirs or (), strict=True):
        assert dtype == their_dtype
        np.testing.assert_allclose(values, their_values, rtol=2e-6, atol=1e-7)
    for mine, other in zip(left, their_left, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-6, atol=1e-7)


def test_gradients_pass_through() -> None:
    found = []
    for t in (gpukit, torch):
        x = t.tensor([1.0, 2.0], requires_grad=True)
        y, z = t._foreach_mul([x, x * 2], [3.0, 4.0])
        (y.sum() + z.sum()).backward()
        found.append(x.grad.tolist())
    assert found[0] == found[1]


def test_an_optimizer_of_ones_own_steps_as_in_torch() -> None:
    found = []
    for t in (gpukit, torch):
        params = [t.nn.Parameter(t.ones(2, 2)), t.nn.Parameter(t.full((3,), 2.0))]
        means = [t.zeros_like(p) for p in params]
        squares = [t.zeros_like(p) for p in params]
        for _ in range(4):
            sum((p**3).sum() for p in params).backward()
            grads = [p.grad for p in params]
            with t.no_grad():
                t._foreach_lerp_(means, grads, 0.1)
                t._foreach_mul_(squares, 0.99)
                t._foreach_addcmul_(squares, grads, grads, 0.01)
                roots = t._foreach_sqrt(squares)
                t._foreach_add_(roots, 1e-8)
                t._foreach_addcdiv_(params, means, roots, -0.1)
                t._foreach_zero_(grads)
        found.append([p.tolist() for p in params])
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda t, x: t._foreach_add([], 1),
        lambda t, x: t._foreach_add([x], [x, x]),
        lambda t, x: t._foreach_mul([x], [1.0, 2.0]),
        lambda t, x: t._foreach_sqrt(x),
        lambda t, x: t._foreach_sqrt([3]),
        lambda t, x: t._foreach_sqrt_("text"),
        lambda t, x: t._foreach_addcmul([x], [x, x], [x]),
        lambda t, x: t._foreach_addcdiv([x], [x], [x], [1.0, 2.0]),
        lambda t, x: t._foreach_lerp([x], [x, x], 0.5),
        lambda t, x: t._foreach_mul([x], x, alpha=2),
    ],
)
def test_refuses_what_torch_refuses(call: Any) -> None:
    with pytest.raises((TypeError, RuntimeError)):
        call(torch, torch.ones(2))
    with pytest.raises((TypeError, gpukit.ArgumentError), match=r"^_foreach_\w+: "):
        call(gpukit, gpukit.ones(2))


def test_what_changes_in_place_gives_the_list() -> None:
    for t in (gpukit, torch):
        given = [t.ones(2)]
        assert t._foreach_add_(given, 1) is given
        assert isinstance(t._foreach_add(given, 1), tuple)


def test_other_names_are_no_attributes() -> None:
    assert not hasattr(gpukit, "_foreach_nothing")
    assert gpukit._foreach_add is gpukit._foreach_add  # type: ignore[attr-defined]
