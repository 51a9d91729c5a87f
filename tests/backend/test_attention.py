"""Attention on every device: values by NumPy, gradients by differences, masks, dropout, errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpukit
from gpukit import nn
from gpukit.nn import functional

RNG = np.random.default_rng(3)


def put(values: np.ndarray, device: str) -> gpukit.Tensor:
    return gpukit.from_numpy(values).to(device)


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """By the formula; a mask of numbers."""
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1]) + mask
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


@pytest.mark.parametrize("kind", ["none", "causal", "bool", "float"])
def test_values(device, kind):
    q, k, v = (RNG.standard_normal((2, 5, 4)).astype(np.float32) for _ in range(3))
    seen = np.tril(np.ones((5, 5), bool)) if kind == "causal" else RNG.random((5, 5)) < 0.7
    seen |= np.eye(5, dtype=bool)
    hidden = np.where(seen, np.float32(0), np.float32(-np.inf))
    settings = {
        "none": {},
        "causal": {"is_causal": True},
        "bool": {"attn_mask": put(seen, device)},
        "float": {"attn_mask": put(hidden, device)},
    }[kind]
    got = functional.scaled_dot_product_attention(
        *(put(each, device) for each in (q, k, v)), **settings
    )
    want = attended(q, k, v, hidden if kind != "none" else np.float32(0))
    np.testing.assert_allclose(got.cpu().numpy(), want, 1e-5, 1e-6)


def test_a_query_without_keys_gives_zeros_and_no_gradient(device):
    x = put(RNG.standard_normal((2, 3)).astype(np.float32), device).requires_grad_()
    mask = gpukit.tensor([[False, False], [True, True]], device=device)
    y = functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)
    assert y[0].tolist() == [0, 0, 0]
    assert y[1].abs().sum().item() > 0
    y[0].sum().backward()
    assert x.grad.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_gradients_of_first_and_second_order(device):
    inputs = [put(RNG.standard_normal((2, 3, 2)), device).requires_grad_() for _ in range(3)]
    for settings in ({}, {"is_causal": True}):

        def attention(q, k, v, settings=settings):
            return functional.scaled_dot_product_attention(q, k, v, **settings)

        assert gpukit.autograd.gradcheck(attention, inputs)
        assert gpukit.autograd.gradgradcheck(attention, inputs)


def test_dropout_leaves_the_mean(device):
    ones = gpukit.ones(64, 256, 4, device=device)
    y = functional.scaled_dot_product_attention(ones, ones, ones, dropout_p=0.25)
    assert abs(y.mean().item() - 1) < 0.01
    assert y.std().item() > 0.01
    assert functional.scaled_dot_product_attention(ones, ones, ones).std().item() < 1e-5


def test_weights_are_shares_of_the_keys(device):
    layer = nn.MultiheadAttention(4, 2, batch_first=True).to(device)
    x = gpukit.randn(3, 5, 4, device=device)
    padding = gpukit.zeros(3, 5, dtype="bool", device=device)
    padding[1, 3:] = True
    result, weights = layer(x, x, x, key_padding_mask=padding)
    assert (result.shape, weights.shape) == ((3, 5, 4), (3, 5, 5))
    np.testing.assert_allclose(weights.sum(-1).detach().cpu().numpy(), 1, 1e-6)
    assert weights[1, :, 3:].tolist() == [[0, 0]] * 5
    without, nothing = layer(x, x, x, key_padding_mask=padding, need_weights=False)
    assert nothing is None
    np.testing.assert_allclose(
        without.detach().cpu().numpy(), result.detach().cpu().numpy(), 1e-5, 1e-6
    )


def test_a_causal_decoder_does_not_see_what_follows(device):
    net = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True).to(device).eval()
    source, target = (gpukit.randn(1, 6, 8, device=device) for _ in range(2))
    mask = nn.Transformer.generate_square_subsequent_mask(6, device=device)
    before = net(source, target, tgt_mask=mask, tgt_is_causal=True)
    target[0, 4:] += 1
    after = net(source, target, tgt_mask=mask, tgt_is_causal=True)
    np.testing.assert_allclose(
        before[0, :4].detach().cpu().numpy(), after[0, :4].detach().cpu().numpy(), 1e-5, 1e-6
    )
    assert (before - after)[0, 4:].abs().max().item() > 1e-3


def test_an_encoder_learns_to_copy(device):
    gpukit.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    net = nn.Sequential(nn.Linear(3, 8), nn.TransformerEncoder(layer, 1), nn.Linear(8, 3))
    net.to(device)
    optimizer = gpukit.optim.Adam(net.parameters(), lr=0.01)
    x = gpukit.randn(4, 5, 3, device=device)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = functional.mse_loss(net(x), x)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_dropout_of_weights_only_while_training(device):
    layer = nn.MultiheadAttention(4, 1, dropout=0.5).to(device)
    x = gpukit.randn(8, 1, 4, device=device)
    _, weights = layer(x, x, x)
    assert (weights == 0).sum().item() > 0
    layer.eval()
    first, second = (layer(x, x, x)[0] for _ in range(2))
    assert first.tolist() == second.tolist()


X = gpukit.ones(3, 4)
SEQUENCES = gpukit.ones(3, 2, 4)
sdpa = functional.scaled_dot_product_attention
layer = nn.MultiheadAttention(4, 2)
WRONG = [
    (lambda: sdpa(X, gpukit.ones(3, 5), X), gpukit.ShapeError, r"query \(3, 4\) and key \(3, 5\)"),
    (lambda: sdpa(X, X, gpukit.ones(2, 4)), gpukit.ShapeError, "has 3 rows and value .* has 2"),
    (lambda: sdpa(X[0], X, X), gpukit.ShapeError, "query must have 2 or more dimensions"),
    (lambda: sdpa(X, X.double(), X), gpukit.DTypeError, "key is float64 and query float32"),
    (lambda: sdpa(X, X, X, X.int()), gpukit.DTypeError, "attn_mask must be bool or float32"),
    (lambda: sdpa(X, X, X, X > 0, 0.0, True), ValueError, "attn_mask and is_causal"),
    (lambda: sdpa(X, X, X, dropout_p=2), ValueError, "between 0 and 1, got 2"),
    (lambda: sdpa(X, X, X, enable_gqa=True), gpukit.ShapeError, "enable_gqa needs"),
    (lambda: nn.MultiheadAttention(5, 2), ValueError, "multiple of num_heads, got 5 and 2. .*=4"),
    (lambda: layer(X, SEQUENCES, SEQUENCES), gpukit.ShapeError, "they have 2, 3 and 3"),
    (
        lambda: layer(SEQUENCES, SEQUENCES, gpukit.ones(3, 2, 5)),
        gpukit.ShapeError,
        "value must have 4 features, its last size is 5",
    ),
    (
        lambda: layer(SEQUENCES, gpukit.ones(3, 1, 4), gpukit.ones(3, 1, 4)),
        gpukit.ShapeError,
        "query has 2 sequences of 3, key 1 of 3",
    ),
    (
        lambda: layer(SEQUENCES, SEQUENCES, SEQUENCES, attn_mask=gpukit.ones(2, 2)),
        gpukit.ShapeError,
        r"attn_mask must be \(3, 3\) or \(4, 3, 3\), its shape is \(2, 2\)",
    ),
    (
        lambda: layer(SEQUENCES, SEQUENCES, SEQUENCES, key_padding_mask=gpukit.ones(3, 2)),
        gpukit.ShapeError,
        r"key_padding_mask must be \(2, 3\), its shape is \(3, 2\)",
    ),
    (
        lambda: layer(SEQUENCES, SEQUENCES, SEQUENCES, key_padding_mask=gpukit.ones(2, 3).int()),
        gpukit.DTypeError,
        "key_padding_mask must be bool or floating, it is int32",
    ),
    (lambda: layer(SEQUENCES, SEQUENCES, SEQUENCES, is_causal=True), ValueError, "is_causal"),
    (
        lambda: nn.TransformerEncoderLayer(4, 2, activation="tanh"),
        ValueError,
        "activation must be 'relu', 'gelu' or a function, got 'tanh'",
    ),
    (lambda: nn.TransformerEncoder(3, 2), TypeError, "must be a Module, got 3"),
    (
        lambda: nn.Transformer(4, 2, 1, 1, 8)(SEQUENCES, gpukit.ones(3, 1, 4)),
        gpukit.ShapeError,
        r"src has 2 sequences and tgt 1; .*batch_first=False",
    ),
    (
        lambda: nn.Transformer(8, 2, 1, 1, 8)(SEQUENCES, SEQUENCES),
        gpukit.ShapeError,
        "src must have d_model = 8 features, its last size is 4",
    ),
]


@pytest.mark.parametrize("row", range(len(WRONG)))
def test_what_is_refused(row):
    call, error, words = WRONG[row]
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("name", ["query", "key", "value"])
def test_what_is_not_a_tensor_is_named(name):
    inputs = {"query": SEQUENCES, "key": SEQUENCES, "value": SEQUENCES, name: [1.0]}
    for call in (layer, sdpa):
        with pytest.raises(TypeError, match=rf"\b{name}\b"):
            call(**inputs)
