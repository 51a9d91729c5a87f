"""Recurrent networks over time: the input's product for all steps at once, then step by step.

Equations as in torch: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html, and GRU,
RNN. The steps of an LSTM are one operation (_lstm_steps); everything else is composed of recorded
operators, so all derivatives follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from gpukit import _core
from gpukit._core import Tensor, linear
from gpukit.nn._lstm_steps import LSTMSteps, steps_alone

# What the cell of an LSTM is computed in; other dtypes are composed.
_CELL_DTYPES = {_core.float32, _core.float64}

State = tuple[Tensor, ...]  # (h,), or (h, c) of an LSTM


class Weights(NamedTuple):
    """Those of one layer and direction; h @ hh.T has the gates, one after another."""

    ih: Tensor
    hh: Tensor
    bias_ih: Tensor | None = None
    bias_hh: Tensor | None = None
    hr: Tensor | None = None  # (proj_size, hidden_size)


class Kind(NamedTuple):
    """One kind of recurrent network."""

    gates: int
    step: Callable[[Tensor, State, Weights], State]
    bias_in_step: bool = False  # bias_hh is added to h's product alone, not to the input's


def _tanh_step(x: Tensor, state: State, w: Weights) -> State:
    return (_core.addmm(x, state[0], w.hh.t()).tanh(),)


def _relu_step(x: Tensor, state: State, w: Weights) -> State:
    return (_core.addmm(x, state[0], w.hh.t()).relu(),)


def _lstm_step(x: Tensor, state: State, w: Weights) -> State:
    h, c = state
    i, f, g, o = _core.addmm(x, h, w.hh.t()).chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (h if w.hr is None else linear(h, w.hr), c)


def _gru_step(x: Tensor, state: State, w: Weights) -> State:
    (h,) = state
    size = h.shape[1]
    own = linear(h, w.hh, w.bias_hh)
    r, z = (x[:, : 2 * size] + own[:, : 2 * size]).sigmoid().chunk(2, 1)
    n = (x[:, 2 * size :] + r * own[:, 2 * size :]).tanh()
    return (n + z * (h - n),)


KINDS = {
    "RNN_TANH": Kind(1, _tanh_step),
    "RNN_RELU": Kind(1, _relu_step),
    "LSTM": Kind(4, _lstm_step),
    "GRU": Kind(3, _gru_step, bias_in_step=True),
}


def of_input(kind: Kind, input: Tensor, w: Weights) -> Tensor:
    """The input's part of all gates: (…, input_size) becomes (…, gates * hidden_size)."""
    bias = w.bias_ih
    if bias is not None and w.bias_hh is not None and not kind.bias_in_step:
        bias = bias + w.bias_hh
    return linear(input, w.ih, bias)


def over_steps(
    kind: Kind, parts: Sequence[Tensor], state: State, w: Weights, reverse: bool
) -> tuple[list[Tensor], State]:
    """H after each step, in the order of the parts, and the last state."""
    outputs = []
    for x in _ordered(parts, reverse):
        state = kind.step(x, state, w)
        outputs.append(state[0])
    return list(_ordered(outputs, reverse)), state


def _composed_lstm(
    gates: Tensor, h: Tensor, c: Tensor, weight: Tensor, reverse: bool
) -> tuple[Tensor, Tensor]:
    w = Weights(weight, weight)
    outputs, (_, last) = over_steps(KINDS["LSTM"], gates.unbind(0), (h, c), w, reverse)
    return _core.stack(outputs), last


def over_sequence(
    kind: Kind, gates: Tensor, time: int, state: State, w: Weights, reverse: bool
) -> tuple[Tensor, State]:
    """H of all steps, which are along the dimension `time`, and the last state."""
    same = {each.dtype for each in (gates, *state, w.hh)}
    if kind is KINDS["LSTM"] and w.hr is None and gates.numel() and same < _CELL_DTYPES:
        ordered = gates.transpose(0, time)
        if _core.is_grad_enabled():
            outputs, c = LSTMSteps.apply(ordered, *state, w.hh, reverse, _composed_lstm)
        else:
            outputs, c = steps_alone(ordered, state, w.hh, reverse)
        return outputs.transpose(0, time), (outputs[0 if reverse else -1], c)
    parts, end = over_steps(kind, gates.unbind(time), state, w, reverse)
    return _core.stack(parts, time), end


def over_packed_steps(
    kind: Kind, parts: Sequence[Tensor], state: State, w: Weights, reverse: bool
) -> tuple[list[Tensor], State]:
    """The same with fewer rows in later parts: each sequence has its last state from its end."""
    outputs, ended = [], []
    first, now = state, tuple(each[: len(parts[-1 if reverse else 0])] for each in state)
    for x in _ordered(parts, reverse):
        rows, before = len(x), len(now[0])
        if rows < before:
            ended.append(tuple(each[rows:] for each in now))
            now = tuple(each[:rows] for each in now)
        elif rows > before:
            begun = [each[before:rows] for each in first]
            now = tuple(_core.cat(pair) for pair in zip(now, begun, strict=True))
        now = kind.step(x, now, w)
        outputs.append(now[0])
    if ended:
        now = tuple(_core.cat(each) for each in zip(now, *reversed(ended), strict=True))
    return list(_ordered(outputs, reverse)), now


def _ordered(parts: Sequence[Tensor], reverse: bool) -> Iterable[Tensor]:
    return reversed(parts) if reverse else parts


def pair_of(name: str, hx: Any) -> tuple[Tensor, Tensor]:
    """The two states of an LSTM."""
    if not isinstance(hx, (tuple, list)) or len(hx) != 2:
        raise TypeError(f"{name}: hx must be (h, c), got {type(hx).__name__}. Use hx=(h, c).")
    return hx[0], hx[1]
