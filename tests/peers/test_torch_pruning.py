"""Pruning beside torch's: masks and weights, one after another and after `remove`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.utils.prune

import gpukit

SHAPE = (4, 3, 5)
# What is done one after another to one weight.
CHAINS = """
p.l1_unstructured(m, "w", 7)
p.l1_unstructured(m, "w", 0.33)
p.l1_unstructured(m, "w", 0.36)
p.l1_unstructured(m, "w", 9, importance_scores=scores)
p.ln_structured(m, "w", 1, n=2, dim=0)
p.ln_structured(m, "w", 0.4, n=1, dim=-1)
p.ln_structured(m, "w", 1, n=float("inf"), dim=1)
p.ln_structured(m, "w", 0.5, n=2, dim=0, importance_scores=scores)
p.l1_unstructured(m, "w", 20); p.l1_unstructured(m, "w", 0.5)
p.ln_structured(m, "w", 1, n=2, dim=0); p.ln_structured(m, "w", 1, n=2, dim=0)
p.ln_structured(m, "w", 2, n=2, dim=2); p.ln_structured(m, "w", 0.5, n=1, dim=-1)
p.ln_structured(m, "w", 1, n=2, dim=0); p.l1_unstructured(m, "w", 10); p.identity(m, "w")
p.custom_from_mask(m, "w", own); p.l1_unstructured(m, "w", 5); p.custom_from_mask(m, "w", other)
p.global_unstructured(both, p.L1Unstructured, amount=0.4)
p.l1_unstructured(m, "w", 4); p.global_unstructured(both, p.L1Unstructured, amount=9)
"""


def ends(t: Any, chain: str) -> list[np.ndarray]:
    drawn = np.random.default_rng(0)
    values = [t.tensor(drawn.normal(size=SHAPE), dtype=t.float32) for _ in range(3)]
    own, other = (t.tensor((drawn.random(SHAPE) < 0.7).astype("float32")) for _ in range(2))
    module, prune = t.nn.Module(), t.nn.utils.prune
    module.w, module.v = (t.nn.Parameter(each) for each in values[:2])
    both = [(module, "w"), (module, "v")]
    masks = {"scores": values[2], "own": own, "other": other}
    names = {"p": prune, "m": module, "both": both, **masks}
    exec(chain, names)
    found = [module.w_mask, module.w, getattr(module, "v_mask", module.v)]
    prune.remove(module, "w")
    return [np.array(each.tolist()) for each in (*found, module.w)]


@pytest.mark.parametrize("chain", CHAINS.strip().splitlines())
def test_masks_and_weights_are_torchs(chain: str) -> None:
    for mine, theirs in zip(ends(gpukit, chain), ends(torch, chain), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("amount", [0, 1, 0.3, 0.7, 1.0])
def test_drawn_prunings_are_of_as_many(amount: float) -> None:
    counts = []
    for t in (gpukit, torch):
        prune = t.nn.utils.prune
        mask = prune.random_unstructured(t.nn.Linear(4, 3), "weight", amount).weight_mask
        rows = prune.random_structured(t.nn.Linear(5, 3), "weight", amount, dim=1).weight_mask
        left = sorted(rows.sum(0).tolist())
        counts.append([int(mask.sum()), *left])
    assert counts[0] == counts[1]
