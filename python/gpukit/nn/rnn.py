"""Recurrent layers: torch's names, defaults, first values and state."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

from gpukit import _core
from gpukit._arguments import bool_of, int_from, number_of, tensor_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, GpukitWarning, ShapeError
from gpukit.nn import functional as F  # noqa: N812
from gpukit.nn import init
from gpukit.nn._dropping import check_probability
from gpukit.nn._recurrence import (
    KINDS,
    State,
    Weights,
    of_input,
    over_packed_steps,
    over_sequence,
    pair_of,
)
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter
from gpukit.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "RNNBase"]


class RNNBase(Module):
    """What RNN, LSTM and GRU have in common: sizes, parameters and the order of the layers.

    Args:
        mode: 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'.
        input_size: Features of the input.
        hidden_size: Features of the state.
        num_layers: Layers on top of each other.
        bias: False for no biases.
        batch_first: Input and output are (batch, steps, features), not (steps, batch, features).
        dropout: Probability of an element between two layers to become 0 while training.
        bidirectional: A second network goes over the steps from the last one.
        proj_size: Features of the output of an LSTM; 0 means hidden_size.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> isinstance(gpukit.nn.GRU(2, 3), gpukit.nn.RNNBase)
        True
    """

    _states: ClassVar[tuple[str, ...]] = ("hx",)  # as errors name them

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if mode not in KINDS:
            raise ArgumentError(f"{name}: mode must be one of {sorted(KINDS)}, got {mode!r}")
        self.mode = mode
        self.input_size = int_from(name, "input_size", input_size, 1)
        self.hidden_size = int_from(name, "hidden_size", hidden_size, 1)
        self.num_layers = int_from(name, "num_layers", num_layers, 1)
        self.bias = bool_of(name, "bias", bias)
        self.batch_first = bool_of(name, "batch_first", batch_first)
        self.dropout = float(number_of(name, "dropout", dropout))
        check_probability(name, self.dropout)
        self.bidirectional = bool(bidirectional)
        self.proj_size = int_from(name, "proj_size", proj_size, 0)
        if self.proj_size >= self.hidden_size:
            raise ArgumentError(
                f"{name}: proj_size must be less than hidden_size {self.hidden_size}, "
                f"got {self.proj_size}"
            )
        if self.dropout and self.num_layers == 1:
            warnings.warn(
                f"{name}: dropout is between layers, so with num_layers=1 there is none",
                GpukitWarning,
                stacklevel=3,
            )
        self._make_parameters(device, dtype)

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _output_size(self) -> int:
        """Features of h."""
        return self.proj_size or self.hidden_size

    def _make_parameters(self, device: Any, dtype: Any) -> None:
        rows = KINDS[self.mode].gates * self.hidden_size
        self._all_weights: list[list[str]] = []
        for layer in range(self.num_layers):
            columns = self._output_size * self._directions if layer else self.input_size
            for suffix in ("", "_reverse")[: self._directions]:
                shapes: dict[str, tuple[int, ...]] = {
                    "weight_ih": (rows, columns),
                    "weight_hh": (rows, self._output_size),
                }
                if self.bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if self.proj_size:
                    shapes["weight_hr"] = (self.proj_size, self.hidden_size)
                names = {f"{kind}_l{layer}{suffix}": shape for kind, shape in shapes.items()}
                for name, shape in names.items():
                    made = Parameter(_core.empty(shape, device=device, dtype=dtype))
                    self.register_parameter(name, made)
                self._all_weights.append(list(names))
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases, uniform in ±1/sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Do nothing: gpukit's products read the parameters where they are."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def _weights(self, number: int) -> Weights:
        """Those of a layer and direction, in the order of `_all_weights`."""
        found = {name.split("_l")[0]: getattr(self, name) for name in self._all_weights[number]}
        return Weights(
            found["weight_ih"],
            found["weight_hh"],
            found.get("bias_ih"),
            found.get("bias_hh"),
            found.get("weight_hr"),
        )

    def _run(self, input: Any, hx: State | None) -> tuple[Any, State]:
        """The output of all layers, and the last states of each layer and direction."""
        if isinstance(input, PackedSequence):
            return self._run_packed(input, hx)
        self._check_input(tensor_of(type(self).__name__, "input", input), (2, 3))
        states = self._checked_states(hx, input)
        time = 1 if self.batch_first else 0
        if input.ndim == 2:
            input = input.unsqueeze(1 - time)
            states = None if states is None else tuple(each.unsqueeze(1) for each in states)
            out, last = self._run(input, states)
            return out.squeeze(1 - time), tuple(each.squeeze(1) for each in last)
        if not input.shape[time]:
            raise ShapeError(f"input is {tuple(input.shape)} and has no steps (dimension {time})")
        batch = input.shape[1 - time]
        return self._over_layers(input, states or self._zeros(input, batch), time, None)

    def _run_packed(self, input: PackedSequence, hx: State | None) -> tuple[Any, State]:
        data, sizes, sorting, unsorting = input
        self._check_input(data, (2,))
        counts = sizes.tolist()
        states = self._checked_states(hx, data, counts[0])
        if states is None:
            states = self._zeros(data, counts[0])
        elif sorting is not None:
            states = tuple(each.index_select(1, sorting) for each in states)
        out, last = self._over_layers(data, states, 0, counts)
        if unsorting is not None:
            last = tuple(each.index_select(1, unsorting) for each in last)
        return PackedSequence(out, sizes, sorting, unsorting), last

    def _over_layers(
        self, x: Tensor, states: State, time: int, counts: list[int] | None
    ) -> tuple[Tensor, State]:
        kind = KINDS[self.mode]
        last: list[State] = []
        for layer in range(self.num_layers):
            found = []
            for direction in range(self._directions):
                number = layer * self._directions + direction
                w = self._weights(number)
                state = tuple(each[number] for each in states)
                gates = of_input(kind, x, w)
                if counts is None:
                    output, end = over_sequence(kind, gates, time, state, w, direction == 1)
                    found.append(output)
                else:
                    parts = gates.split(counts)
                    outputs, end = over_packed_steps(kind, parts, state, w, direction == 1)
                    found.append(_core.cat(outputs))
                last.append(end)
            x = found[0] if len(found) == 1 else _core.cat(found, -1)
            if layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        return x, tuple(_core.stack(each) for each in zip(*last, strict=True))

    def _state_sizes(self) -> tuple[int, ...]:
        return (self._output_size,)

    def _zeros(self, input: Tensor, batch: int) -> State:
        count = self.num_layers * self._directions
        return tuple(
            _core.zeros((count, batch, size), dtype=input.dtype, device=input.device)
            for size in self._state_sizes()
        )

    def _check_input(self, input: Tensor, ranks: tuple[int, ...]) -> None:
        shape = tuple(input.shape)
        order = "(batch, steps, features)" if self.batch_first else "(steps, batch, features)"
        if input.ndim not in ranks:
            wanted = f"{order} or (steps, features)" if len(ranks) == 2 else "(elements, features)"
            raise ShapeError(f"input is {shape}; it must be {wanted}")
        name = self._flat_weights_names[0]
        weight = getattr(self, name)
        if input.dtype != weight.dtype:
            raise ArgumentError(
                f"input is {input.dtype}, {name} is {weight.dtype}. "
                f"Use input.to({weight.dtype}), or layer.to({input.dtype}).",
                fix=f"input.to({weight.dtype})",
            )
        if shape[-1] != self.input_size:
            rows = math.prod(shape[:-1])
            raise ShapeError(
                f"input is {shape}, {name} is {tuple(weight.shape)}; the last size of input must "
                f"be input_size {self.input_size}: ({rows}, {shape[-1]}) @ "
                f"({self.input_size}, {len(weight)})"
            )

    def _checked_states(
        self, states: State | None, input: Tensor, batch: int | None = None
    ) -> State | None:
        """The states that were given, of the right shapes."""
        if states is None:
            return None
        count = self.num_layers * self._directions
        if batch is None and input.ndim == 3:
            batch = input.shape[0 if self.batch_first else 1]
        sizes = zip(self._states, states, self._state_sizes(), strict=True)
        for name, given, features in sizes:
            tensor_of(type(self).__name__, name, given)
            wanted = (count, features) if batch is None else (count, batch, features)
            if tuple(given.shape) != wanted:
                words = "" if batch is None else "batch, "
                size = "proj_size" if features == self.proj_size else "hidden_size"
                raise ShapeError(
                    f"{name} is {tuple(given.shape)} and input {tuple(input.shape)}; {name} must "
                    f"be {wanted}: (num_layers {self.num_layers} * directions "
                    f"{self._directions}, {words}{size})"
                )
        return states

    def extra_repr(self) -> str:
        """Return the sizes; what has its default is left out."""
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0.0,
            "bidirectional": False,
        }
        text = f"{self.input_size}, {self.hidden_size}"
        for key, value in usual.items():
            given = getattr(self, key)
            text += f", {key}={given}" if given != value else ""
        return text


class RNN(RNNBase):
    """An Elman network: h = tanh(x @ W_ih.T + b_ih + h @ W_hh.T + b_hh) at each step.

    Parameters of layer k: weight_ih_lk (hidden_size, input_size), of later layers (hidden_size,
    directions * hidden_size), weight_hh_lk (hidden_size, hidden_size), bias_ih_lk, bias_hh_lk; with
    the suffix _reverse for the second direction. All start uniform in ±1/sqrt(hidden_size).

    Called with input (steps, batch, input_size), (steps, input_size) or a PackedSequence, and
    with the first state (num_layers * directions, batch, hidden_size), by default 0, it returns
    the output of the last layer, (steps, batch, directions * hidden_size), and the last state.

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        num_layers: Layers on top of each other.
        nonlinearity: 'tanh' or 'relu'.
        bias: False for no biases.
        batch_first: Input and output are (batch, steps, features).
        dropout: Probability of an element between two layers to become 0 while training.
        bidirectional: A second network goes over the steps from the last one.
        device: Where the parameters are.
        dtype: A floating dtype.

    Raises:
        ShapeError: At the call: the input or the state does not fit.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.RNN(10, 20, num_layers=2)
        >>> output, h = layer(gpukit.ones(5, 3, 10))
        >>> output.shape, h.shape
        ((5, 3, 20), (2, 3, 20))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in {"tanh", "relu"}:
            raise ArgumentError(f"RNN: nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(
            f"RNN_{nonlinearity.upper()}",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device=device,
            dtype=dtype,
        )
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """Return the output of the last layer for each step, and the last states."""
        output, (last,) = self._run(input, None if hx is None else (hx,))
        return output, last


class LSTM(RNNBase):
    """A long short-term memory: the state is h and a cell c, which gates change.

    With the gates i, f, g, o = chunks of x @ W_ih.T + b_ih + h @ W_hh.T + b_hh, each step computes
    c = sigmoid(f) * c + sigmoid(i) * tanh(g) and h = sigmoid(o) * tanh(c); with proj_size,
    h @ W_hr.T takes its place (Hochreiter and Schmidhuber, 1997; Sak et al., arXiv:1402.1128).

    Parameters of layer k: weight_ih_lk (4 * hidden_size, input_size), weight_hh_lk
    (4 * hidden_size, hidden_size), bias_ih_lk and bias_hh_lk (4 * hidden_size), weight_hr_lk
    (proj_size, hidden_size); with the suffix _reverse for the second direction. All start uniform
    in ±1/sqrt(hidden_size).

    Called with input (steps, batch, input_size), (steps, input_size) or a PackedSequence, and with
    the first states (h, c), by default 0, it returns the output of the last layer, (steps, batch,
    directions * hidden_size), and the last states (h, c).

    Args:
        input_size: Features of the input.
        hidden_size: Features of the cell, and of h without proj_size.
        num_layers: Layers on top of each other.
        bias: False for no biases.
        batch_first: Input and output are (batch, steps, features).
        dropout: Probability of an element between two layers to become 0 while training.
        bidirectional: A second network goes over the steps from the last one.
        proj_size: Features of h; 0 means hidden_size.
        device: Where the parameters are.
        dtype: A floating dtype.

    Raises:
        ShapeError: At the call: the input or a state does not fit.

    Example:
        >>> import gpukit
        >>> layer = gpukit.nn.LSTM(10, 20, bidirectional=True)
        >>> output, (h, c) = layer(gpukit.ones(5, 3, 10))
        >>> output.shape, h.shape, c.shape
        ((5, 3, 40), (2, 3, 20), (2, 3, 20))
    """

    _states = ("hx[0]", "hx[1]")

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )

    def _state_sizes(self) -> tuple[int, ...]:
        return self._output_size, self.hidden_size

    def forward(
        self, input: Any, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Any, tuple[Tensor, Tensor]]:
        """Return the output of the last layer for each step, and the last states (h, c)."""
        output, (h, c) = self._run(input, None if hx is None else pair_of("LSTM", hx))
        return output, (h, c)


class GRU(RNNBase):
    """A gated recurrent unit: a reset gate and an update gate change the state h.

    With x_r, x_z, x_n = chunks of x @ W_ih.T + b_ih and h_r, h_z, h_n = chunks of h @ W_hh.T +
    b_hh, each step computes r = sigmoid(x_r + h_r), z = sigmoid(x_z + h_z), n = tanh(x_n + r * h_n)
    and h = (1 - z) * n + z * h (Cho et al., 2014, arXiv:1406.1078, with r after the product).

    Parameters of layer k: weight_ih_lk (3 * hidden_size, input_size), weight_hh_lk
    (3 * hidden_size, hidden_size), bias_ih_lk and bias_hh_lk (3 * hidden_size); with the suffix
    _reverse for the second direction. All start uniform in ±1/sqrt(hidden_size).

    Called with input (steps, batch, input_size), (steps, input_size) or a PackedSequence, and
    with the first state (num_layers * directions, batch, hidden_size), by default 0, it returns
    the output of the last layer, (steps, batch, directions * hidden_size), and the last state.

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        num_layers: Layers on top of each other.
        bias: False for no biases.
        batch_first: Input and output are (batch, steps, features).
        dropout: Probability of an element between two layers to become 0 while training.
        bidirectional: A second network goes over the steps from the last one.
        device: Where the parameters are.
        dtype: A floating dtype.

    Raises:
        ShapeError: At the call: the input or the state does not fit.

    Example:
        >>> import gpukit
        >>> output, h = gpukit.nn.GRU(10, 20, batch_first=True)(gpukit.ones(3, 5, 10))
        >>> output.shape, h.shape
        ((3, 5, 20), (1, 3, 20))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device=device,
            dtype=dtype,
        )

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        """Return the output of the last layer for each step, and the last states."""
        output, (last,) = self._run(input, None if hx is None else (hx,))
        return output, last
