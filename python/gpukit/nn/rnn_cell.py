"""One step of recurrent networks: torch's names, defaults, first values and state."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_from, tensor_of
from gpukit._core import Tensor
from gpukit.errors import GpukitError, ShapeError
from gpukit.nn import init
from gpukit.nn._recurrence import KINDS, State, Weights, of_input, pair_of
from gpukit.nn.module import Module
from gpukit.nn.parameter import Parameter

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """What RNNCell, LSTMCell and GRUCell have in common.

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        bias: False for no biases.
        num_chunks: Gates: 1, 4 of an LSTM, 3 of a GRU.
        device: Where the parameters are.
        dtype: A floating dtype.

    Example:
        >>> import gpukit
        >>> isinstance(gpukit.nn.GRUCell(2, 3), gpukit.nn.RNNCellBase)
        True
    """

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = int_from(name, "input_size", input_size, 0)
        self.hidden_size = int_from(name, "hidden_size", hidden_size, 0)
        self.bias = bool_of(name, "bias", bias)
        rows = int_from(name, "num_chunks", num_chunks, 1) * self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, self.input_size),
            "weight_hh": (rows, self.hidden_size),
            "bias_ih": (rows,),
            "bias_hh": (rows,),
        }
        for key, shape in shapes.items():
            absent = key.startswith("bias") and not self.bias
            made = None if absent else Parameter(_core.empty(shape, device=device, dtype=dtype))
            self.register_parameter(key, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases, uniform in ±1/sqrt(hidden_size)."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _step(self, mode: str, input: Tensor, hx: State | None, names: tuple[str, ...]) -> State:
        """The states after one step."""
        tensor_of(type(self).__name__, "input", input)
        self._check("input", input, "input_size", self.weight_ih)
        if input.ndim == 1:
            rows = None if hx is None else tuple(self._row(*each) for each in zip(names, hx))  # noqa: B905
            return tuple(x.squeeze(0) for x in self._step(mode, input.unsqueeze(0), rows, names))
        if hx is None:
            zeros = _core.zeros(
                (len(input), self.hidden_size), dtype=input.dtype, device=input.device
            )
            hx = (zeros,) * len(names)
        for key, given in zip(names, hx, strict=True):
            self._check(key, given, "hidden_size", self.weight_hh)
            if given.ndim != 2 or len(given) != len(input):
                raise ShapeError(
                    f"{key} is {tuple(given.shape)} and input {tuple(input.shape)}; {key} must be "
                    f"({len(input)}, {self.hidden_size}): (batch, hidden_size)"
                )
        kind = KINDS[mode]
        w = Weights(self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return kind.step(of_input(kind, input, w), hx, w)

    def _row(self, key: str, given: Any) -> Tensor:
        self._check(key, given, "hidden_size", self.weight_hh)
        return given.unsqueeze(0) if given.ndim == 1 else given  # type: ignore[no-any-return]

    def _check(self, key: str, given: Any, size: str, weight: Tensor) -> None:
        shape = tuple(tensor_of(type(self).__name__, key, given).shape)
        if len(shape) not in {1, 2}:
            raise ShapeError(f"{key} is {shape}; it must be (batch, {size}) or ({size},)")
        wanted = getattr(self, size)
        if shape[-1] != wanted:
            rows = shape[0] if len(shape) == 2 else 1
            own = "weight_ih" if key == "input" else "weight_hh"
            raise ShapeError(
                f"{key} is {shape}, {own} is {tuple(weight.shape)}; the last size of {key} must be "
                f"{size} {wanted}: ({rows}, {shape[-1]}) @ ({wanted}, {len(weight)})"
            )

    def extra_repr(self) -> str:
        """Return the sizes; what has its default is left out."""
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias else ", bias=False"
        chosen = getattr(self, "nonlinearity", "tanh")
        return text if chosen == "tanh" else f"{text}, nonlinearity={chosen}"


class RNNCell(RNNCellBase):
    """One step of an Elman network: h = tanh(x @ W_ih.T + b_ih + h @ W_hh.T + b_hh).

    weight_ih is (hidden_size, input_size), weight_hh (hidden_size, hidden_size), bias_ih and
    bias_hh (hidden_size); all start uniform in ±1/sqrt(hidden_size).

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        bias: False for no biases.
        nonlinearity: 'tanh' or 'relu'.
        device: Where the parameters are.
        dtype: A floating dtype.

    Raises:
        ShapeError: At the call: the input or the state does not fit.

    Example:
        >>> import gpukit
        >>> cell = gpukit.nn.RNNCell(10, 20)
        >>> cell(gpukit.ones(3, 10), gpukit.zeros(3, 20)).shape
        (3, 20)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the state after a step; without hx it begins at 0."""
        mode = f"RNN_{str(self.nonlinearity).upper()}"
        if mode not in KINDS:
            raise GpukitError(f"nonlinearity must be 'tanh' or 'relu', got {self.nonlinearity!r}")
        return self._step(mode, input, None if hx is None else (hx,), ("hx",))[0]


class LSTMCell(RNNCellBase):
    """One step of an LSTM, whose equations are at `LSTM`.

    weight_ih is (4 * hidden_size, input_size), weight_hh (4 * hidden_size, hidden_size), bias_ih
    and bias_hh (4 * hidden_size); all start uniform in ±1/sqrt(hidden_size).

    Args:
        input_size: Features of the input.
        hidden_size: Features of the states.
        bias: False for no biases.
        device: Where the parameters are.
        dtype: A floating dtype.

    Raises:
        ShapeError: At the call: the input or a state does not fit.

    Example:
        >>> import gpukit
        >>> h, c = gpukit.nn.LSTMCell(10, 20)(gpukit.ones(3, 10))
        >>> h.shape, c.shape
        ((3, 20), (3, 20))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return (h, c) after a step; without hx they begin at 0."""
        states = None if hx is None else pair_of("LSTMCell", hx)
        h, c = self._step("LSTM", input, states, ("hx[0]", "hx[1]"))
        return h, c


class GRUCell(RNNCellBase):
    """One step of a GRU, whose equations are at `GRU`.

    weight_ih is (3 * hidden_size, input_size), weight_hh (3 * hidden_size, hidden_size), bias_ih
    and bias_hh (3 * hidden_size); all start uniform in ±1/sqrt(hidden_size).

    Args:
        input_size: Features of the input.
        hidden_size: Features of the state.
        bias: False for no biases.
        device: Where the parameters are.
        dtype: A floating dtype.

    Raises:
        ShapeError: At the call: the input or the state does not fit.

    Example:
        >>> import gpukit
        >>> gpukit.nn.GRUCell(10, 20)(gpukit.ones(3, 10)).shape
        (3, 20)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the state after a step; without hx it begins at 0."""
        return self._step("GRU", input, None if hx is None else (hx,), ("hx",))[0]
