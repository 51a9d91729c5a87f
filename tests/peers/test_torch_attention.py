"""Attention and Transformer layers beside torch: values, gradients, masks, states, errors."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

import gpukit

# torch's advice about its own fast paths and mixed kinds of masks.
pytestmark = [
    pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning"),
    pytest.mark.filterwarnings("ignore:Support for mismatched:UserWarning"),
]
RNG = np.random.default_rng(7)


def both(values: np.ndarray, requires_grad: bool = False) -> tuple[Any, Any]:
    pair = gpukit.from_numpy(values.copy()), torch.from_numpy(values.copy())
    if requires_grad:
        for each in pair:
            each.requires_grad_()
    return pair


def numbers(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def same(mine: Any, theirs: Any, tolerance: float = 1e-10) -> None:
    assert tuple(mine.shape) == tuple(theirs.shape)
    np.testing.assert_allclose(mine.detach().numpy(), theirs.detach().numpy(), tolerance, tolerance)


LOWER = np.tril(np.ones((4, 6), bool))
MASKS: dict[str, Any] = {
    "none": {},
    "causal": {"is_causal": True},
    "scale": {"scale": 0.3},
    "bool": {"attn_mask": LOWER},
    "float": {"attn_mask": RNG.standard_normal((4, 6))},
    "heads": {"attn_mask": RNG.standard_normal((2, 1, 4, 6))},
    "one row": {"attn_mask": np.array([[True, False, True, True, False, True]])},
    "empty row": {"attn_mask": np.array([[False] * 6, [True] * 6] * 2)},
    "infinite": {"attn_mask": np.where(LOWER, 0.0, -np.inf) + np.array([[-np.inf], [0], [0], [0]])},
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("batch", [(2, 3), (), (2, 1)])
def test_scaled_dot_product_attention(name, batch):
    settings = MASKS[name]
    if name == "heads" and not batch:
        settings = {"attn_mask": settings["attn_mask"][0, 0]}
    inputs = [both(numbers(*batch, *last), True) for last in ((4, 5), (6, 5), (6, 3))]
    mine, theirs = (
        module.nn.functional.scaled_dot_product_attention(
            *(pair[i] for pair in inputs),
            **{k: both(v)[i] if k == "attn_mask" else v for k, v in settings.items()},
        )
        for i, module in enumerate((gpukit, torch))
    )
    same(mine, theirs)
    weights = both(numbers(*mine.shape))
    (mine * weights[0]).sum().backward()
    (theirs * weights[1]).sum().backward()
    for a, b in inputs:
        same(a.grad, b.grad)


def test_grouped_queries():
    inputs = [both(numbers(2, heads, 4, 5)) for heads in (6, 2, 3)]
    mine, theirs = (
        module.nn.functional.scaled_dot_product_attention(
            *(pair[i] for pair in inputs), enable_gqa=True
        )
        for i, module in enumerate((gpukit, torch))
    )
    same(mine, theirs)


def test_blocks_of_queries_give_what_the_whole_gives(monkeypatch):
    monkeypatch.setattr("gpukit.nn._attention._WHOLE", 0)
    monkeypatch.setattr("gpukit.nn._attention_tiles._TILE", 100)
    mask = RNG.random((50, 30)) < 0.5
    for settings in ({}, {"is_causal": True}, {"attn_mask": mask}, {"attn_mask": mask[:1]}):
        inputs = [both(numbers(2, rows, 5)) for rows in (50, 30, 30)]
        mine, theirs = (
            module.nn.functional.scaled_dot_product_attention(
                *(pair[i] for pair in inputs),
                **{k: both(v)[i] if k == "attn_mask" else v for k, v in settings.items()},
            )
            for i, module in enumerate((gpukit, torch))
        )
        same(mine, theirs)


def twins(name: str, *sizes: Any, **settings: Any) -> tuple[Any, Any]:
    """A layer of torch's, and gpukit's with its state; both in float64."""
    theirs = getattr(torch.nn, name)(*sizes, **settings).double()
    mine = getattr(gpukit.nn, name)(*sizes, **settings).double()
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    state = {key: gpukit.from_numpy(value.numpy()) for key, value in theirs.state_dict().items()}
    assert list(mine.state_dict()) == list(state)
    mine.load_state_dict(state)
    assert repr(mine) == repr(theirs)
    return mine, theirs


def same_gradients(mine: Any, theirs: Any) -> None:
    for (name, a), (other, b) in zip(
        mine.named_parameters(), theirs.named_parameters(), strict=True
    ):
        assert name == other
        assert (a.grad is None) == (b.grad is None), name
        if a.grad is not None:
            same(a.grad, b.grad, 1e-9)


LAYERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "batch first": {"batch_first": True},
    "no bias": {"bias": False},
    "other sizes": {"kdim": 5, "vdim": 7},
    "learned": {"add_bias_kv": True},
    "zero": {"add_zero_attn": True},
    "all": {"kdim": 5, "vdim": 7, "add_bias_kv": True, "add_zero_attn": True, "batch_first": True},
}
CALLS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no weights": {"need_weights": False},
    "each head": {"average_attn_weights": False},
    "mask": {"attn_mask": np.triu(np.ones((4, 6), bool), 2)},
    "float mask": {"attn_mask": RNG.standard_normal((4, 6)), "need_weights": False},
    "head masks": {"attn_mask": RNG.standard_normal((6, 4, 6))},
    "padding": {"key_padding_mask": np.array([[False] * 5 + [True], [False] * 3 + [True] * 3])},
    "both": {
        "key_padding_mask": np.array([[False] * 6, [False] * 3 + [True] * 3]),
        "attn_mask": np.triu(np.ones((4, 6), bool), 2),
        "need_weights": False,
    },
}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("call", CALLS)
def test_multihead_attention(layer, call):
    settings = LAYERS[layer]
    mine, theirs = twins("MultiheadAttention", 12, 3, **settings)
    first = settings.get("batch_first", False)
    features = 12, settings.get("kdim", 12), settings.get("vdim", 12)
    inputs = [
        both(numbers(*((2, rows) if first else (rows, 2)), size), True)
        for rows, size in zip((4, 6, 6), features, strict=True)
    ]
    results = [
        module(
            *(pair[i] for pair in inputs),
            **{k: both(v)[i] if "mask" in k else v for k, v in CALLS[call].items()},
        )
        for i, module in enumerate((mine, theirs))
    ]
    same(results[0][0], results[1][0])
    assert (results[0][1] is None) == (results[1][1] is None)
    if results[0][1] is not None:
        same(results[0][1], results[1][1])
    for result, _ in results:
        (result * result).sum().backward()
    same_gradients(mine, theirs)
    for a, b in inputs:
        same(a.grad, b.grad, 1e-9)


def test_self_attention_without_a_batch():
    mine, theirs = twins("MultiheadAttention", 12, 3, batch_first=True)
    x, y = both(numbers(4, 12))
    mask = both(np.array([False, False, True, False]))
    for got, want in zip(mine(x, x, x, mask[0]), theirs(y, y, y, mask[1]), strict=True):
        same(got, want)


CAUSAL = np.triu(np.full((5, 5), -np.inf), 1)
PADDED = np.array([[False] * 5, [False, False, False, True, True]])
STACKS: dict[str, dict[str, Any]] = {
    "plain": {},
    "batch first": {"batch_first": True},
    "norm first": {"norm_first": True, "activation": "gelu"},
    "no bias": {"bias": False, "layer_norm_eps": 1e-3},
}


@pytest.mark.parametrize("settings", STACKS.values(), ids=STACKS)
@pytest.mark.parametrize("masked", [False, True])
def test_encoders(settings, masked):
    layers = twins("TransformerEncoderLayer", 8, 2, 16, dropout=0.0, **settings)
    mine, theirs = (
        module.nn.TransformerEncoder(layer, 2, norm=module.nn.LayerNorm(8).double())
        for module, layer in zip((gpukit, torch), layers, strict=True)
    )
    shape = (2, 5, 8) if settings.get("batch_first") else (5, 2, 8)
    x, y = both(numbers(*shape), True)
    calls: list[dict[str, Any]] = [{}, {}]
    if masked:
        calls = [{"mask": both(CAUSAL)[i], "src_key_padding_mask": both(PADDED)[i]} for i in (0, 1)]
    a, b = mine(x, **calls[0]), theirs(y, **calls[1])
    same(a, b)
    (a * a * a).sum().backward()
    (b * b * b).sum().backward()
    same(x.grad, y.grad, 1e-9)
    same_gradients(mine, theirs)


@pytest.mark.parametrize("settings", STACKS.values(), ids=STACKS)
@pytest.mark.parametrize("masked", [False, True])
def test_transformers(settings, masked):
    mine, theirs = twins("Transformer", 8, 2, 1, 2, 16, dropout=0.0, **settings)
    first = settings.get("batch_first")
    x, y = both(numbers(*((2, 6, 8) if first else (6, 2, 8))), True)
    s, t = both(numbers(*((2, 5, 8) if first else (5, 2, 8))), True)
    calls: list[dict[str, Any]] = [{}, {}]
    if masked:
        calls = [
            {
                "tgt_mask": module.nn.Transformer.generate_square_subsequent_mask(5).double(),
                "tgt_key_padding_mask": both(np.where(PADDED, -np.inf, 0.0))[i],
                "memory_key_padding_mask": both(np.pad(PADDED, ((0, 0), (1, 0))))[i],
            }
            for i, module in enumerate((gpukit, torch))
        ]
    a, b = mine(x, s, **calls[0]), theirs(y, t, **calls[1])
    same(a, b)
    (a * a * a).sum().backward()
    (b * b * b).sum().backward()
    for one, other in ((x, y), (s, t)):
        same(one.grad, other.grad, 1e-9)
    same_gradients(mine, theirs)


def test_layers_of_a_stack_are_copies():
    layer = gpukit.nn.TransformerDecoderLayer(4, 2, 8)
    stack = gpukit.nn.TransformerDecoder(layer, 3)
    assert len({id(p) for p in stack.parameters()}) == 3 * len(list(layer.parameters()))
    assert copy.deepcopy(stack).num_layers == 3


WRONG = {
    "features": lambda m, x: m.nn.MultiheadAttention(4, 2)(x(3, 2, 4), x(3, 2, 5), x(3, 2, 4)),
    "heads": lambda m, x: m.nn.MultiheadAttention(5, 2),
    "mask": lambda m, x: m.nn.MultiheadAttention(4, 2)(
        x(3, 2, 4), x(3, 2, 4), x(3, 2, 4), attn_mask=x(2, 2)
    ),
    "hint": lambda m, x: m.nn.MultiheadAttention(4, 2)(
        x(3, 2, 4), x(3, 2, 4), x(3, 2, 4), is_causal=True
    ),
    "batch": lambda m, x: m.nn.Transformer(4, 2, 1, 1, 8)(x(3, 2, 4), x(3, 1, 4)),
    "causal mask": lambda m, x: m.nn.functional.scaled_dot_product_attention(
        x(3, 4), x(3, 4), x(3, 4), attn_mask=x(3, 3), is_causal=True
    ),
    "sizes": lambda m, x: m.nn.functional.scaled_dot_product_attention(x(3, 4), x(3, 5), x(3, 5)),
    "lengths": lambda m, x: m.nn.functional.scaled_dot_product_attention(x(3, 4), x(3, 4), x(2, 4)),
}


@pytest.mark.parametrize("name", WRONG)
def test_both_refuse(name):
    with pytest.raises((RuntimeError, AssertionError, ValueError)):
        WRONG[name](torch, torch.ones)
    with pytest.raises(ValueError, match=r"must|cannot|both given|needs|equal"):
        WRONG[name](gpukit, gpukit.ones)
