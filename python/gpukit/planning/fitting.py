"""gpukit.fit: does a model with this batch fit a card, from steps that are run on the CPU."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._arguments import bytes_of, function_of
from gpukit.cloud.card_table import memory_gb
from gpukit.errors import ArgumentError
from gpukit.report import Column, Table, Tabular, bytes_text

# What the driver's context and kernels take, and cuBLAS with its rooms: assumed, not traced.
_CONTEXT = 450 << 20
_WORKSPACE = 36 << 20
# A card's software sees less than its label: ECC and what the driver keeps.
_USABLE = 0.92
# Peaks of the trace and of devices differ: rounding, temporary blocks of kernels.
SPREAD = 0.15
_OPTIMIZER = ("zero_grad", "step", "state_dict")
_STEPS = 2  # the second also has the optimizer's state


@dataclass(frozen=True)
class Trace:
    """Bytes of one step, traced on the CPU.

    `activations` is the rest of the peak: results that the backward pass reads,
    and temporary ones. Where the peak comes before all gradients exist, it is less than they
    are; the total is the peak.
    """

    parameters: int
    buffers: int
    gradients: int
    optimizer_state: int
    inputs: int
    activations: int

    @property
    def total(self) -> int:
        """All of them: the most bytes that tensors hold at once."""
        return (
            self.parameters
            + self.buffers
            + self.gradients
            + self.optimizer_state
            + self.inputs
            + self.activations
        )


@dataclass(frozen=True, repr=False)
class FitReport(Tabular):
    """Memory needed by a step and available on a card, in bytes.

    Attributes:
        trace: the parts; `trace.total` is the peak of tensors.
        low, high: what the card must have, from the trace and its error, with context and cuBLAS.
        usable: what the card has; None when no card was named.
        verdict: "fits", "does not fit", or "close": between low and high; "" without a card.
        batch: size of the first input's first dimension.
        largest_batch: an estimate of the largest that fits, by two traces; None without a card, or
            where the batch cannot be halved.

    Example:
        >>> import gpukit
        >>> net = gpukit.nn.Linear(1000, 1000)
        >>> report = gpukit.fit(net, gpukit.zeros(64, 1000), card="T4")
        >>> report.verdict, report.trace.parameters, report.trace.gradients
        ('fits', 4004000, 4004000)
    """

    trace: Trace
    device: str
    low: int
    high: int
    usable: int | None
    batch: int
    largest_batch: int | None

    @property
    def verdict(self) -> str:
        """Whether it fits."""
        if self.usable is None:
            return ""
        if self.high <= self.usable:
            return "fits"
        return "does not fit" if self.low > self.usable else "close"

    def to_table(self) -> Table:
        """The content of the display."""
        parts = self.trace.__dict__
        rows = [
            {"part": name.replace("_", " "), "bytes": size} for name, size in parts.items() if size
        ]
        rows += [
            {"part": "tensors at the peak", "bytes": self.trace.total},
            {"part": "context and cuBLAS (assumed)", "bytes": _CONTEXT + _WORKSPACE},
        ]
        columns = [Column("part", "part"), Column("bytes", "bytes", bytes_text, numeric=True)]
        return Table(f"A step with a batch of {self.batch}", columns, rows, self._notes())

    def _notes(self) -> list[str]:
        notes = [
            f"Estimated need: {bytes_text(self.low)} to {bytes_text(self.high)} "
            f"(the trace ± {100 * SPREAD:.0f} %). Traced on the CPU, not measured on a GPU."
        ]
        if self.usable is not None:
            notes.append(f"{self.device} has {bytes_text(self.usable)}: {self.verdict}.")
        if self.largest_batch is not None:
            notes.append(f"The largest batch that fits is about {self.largest_batch}.")
        return notes

    def to_dict(self) -> dict[str, Any]:
        """All figures."""
        return {
            **self.trace.__dict__,
            "total": self.trace.total,
            "low": self.low,
            "high": self.high,
            "usable": self.usable,
            "device": self.device,
            "verdict": self.verdict,
            "batch": self.batch,
            "largest_batch": self.largest_batch,
        }


def fit(
    model: Any,
    inputs: Any,
    target: Any = None,
    *,
    loss: Callable[..., Any] | None = None,
    optimizer: Callable[..., Any] | None = None,
    card: str | None = None,
    memory: int | str | None = None,
    training: bool = True,
) -> FitReport:
    """Say whether a model with this batch fits a card, before there is one.

    Two steps of a copy of the model run on the CPU, and what tensors hold at once is traced:
    parameters, gradients, the optimizer's state, and activations. The model itself is not changed.

    Args:
        model: A gpukit.nn.Module.
        inputs: A tensor, or a tuple of them, of the batch in question.
        target: What the loss takes besides the output; None: nothing.
        loss: A function of the output, and of target if there is one; None sums the output.
        optimizer: A function of the parameters such as gpukit.optim.Adam; None has none.
        card: A card of gpukit.cards(), or a GPU that is here ("cuda:0"), whose free memory counts.
        memory: What the card has, in bytes or as "8GiB", instead of `card`.
        training: False runs only the model, without gradients.

    Returns:
        A FitReport.

    Raises:
        ArgumentError: An unknown card, or both card and memory.
        TypeError: model is not a Module, inputs are not tensors, card is not a str, loss or
            optimizer is not a function, or loss does not return a tensor.

    Example:
        >>> import gpukit
        >>> from gpukit import nn
        >>> net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
        >>> report = gpukit.fit(net, gpukit.zeros(256, 784), optimizer=gpukit.optim.Adam, card="T4")
        >>> report.trace.optimizer_state >= 2 * report.trace.parameters
        True
    """
    if not isinstance(model, _core.ModuleBase):
        raise TypeError(f"fit: model must be a gpukit.nn.Module, got {type(model).__name__}")
    tensors = inputs if isinstance(inputs, tuple) else (inputs,)
    for tensor in tensors:
        if not isinstance(tensor, _core.Tensor):
            raise TypeError(f"fit: inputs must be tensors, got {type(tensor).__name__}")
    if card is not None and memory is not None:
        raise ArgumentError("fit: pass card or memory, not both")
    function_of("fit", "loss", loss, "gpukit.nn.functional.mse_loss")
    function_of("fit", "optimizer", optimizer, "gpukit.optim.Adam")
    device, usable = _usable(card, memory)
    step = _Step(model, loss, optimizer, training)
    trace = step.trace(tensors, target)
    batch = tensors[0].shape[0] if tensors and tensors[0].ndim else 1
    low, high = _bounds(trace.total)
    largest = None if usable is None else _largest(step, tensors, target, trace, usable)
    return FitReport(trace, device, low, high, usable, batch, largest)


def _bounds(total: int) -> tuple[int, int]:
    extra = _CONTEXT + _WORKSPACE
    return round(total * (1 - SPREAD)) + extra, round(total * (1 + SPREAD)) + extra


def _usable(card: str | None, memory: int | str | None) -> tuple[str, int | None]:
    if memory is not None:
        return "the card", _bytes_of(memory)
    if card is None:
        return "", None
    if not isinstance(card, (str, _core.device)):
        raise TypeError(
            f"fit: card must be a str such as 'T4' or 'cuda:0', got {card!r:.80} "
            f"({type(card).__name__}). For several cards call fit for each"
        )
    if str(card).startswith(("cuda", "gpu")):
        from gpukit import cuda

        free, _ = cuda.mem_get_info(card)
        return str(card), free + _CONTEXT  # its context exists already
    known = memory_gb()
    if card not in known:
        from gpukit._names.suggest import near

        meant = near(card, list(known))
        hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(known)}."
        raise ArgumentError(f"fit: there is no card {card!r}. {hint}")
    return card, round(known[card] * _USABLE * (1 << 30))


def _bytes_of(memory: int | str) -> int:
    count = bytes_of("fit", "memory", memory, "8GiB")
    if count < 1:
        raise ArgumentError(f"fit: memory must be 1 byte or more, got {memory!r}")
    return count


@dataclass
class _Step:
    """A step of a copy of the model, on the CPU."""

    model: Any
    loss: Callable[..., Any] | None
    optimizer: Callable[..., Any] | None
    training: bool

    def trace(self, inputs: Sequence[Any], target: Any) -> Trace:
        """Runs the steps, and reads the CPU's allocator around them."""
        model = copy.deepcopy(self.model).to("cpu")
        model.train(self.training)
        given = [tensor.detach().to("cpu") for tensor in inputs]
        parameters = list(model.parameters())
        optimizer = self._optimizer_of(parameters)
        held = _sizes([*parameters, *model.buffers()])
        wanted = [parameter for parameter in parameters if parameter.requires_grad]
        gradients = _sizes(wanted) if self.training else 0
        before = _allocated()
        peak = 0
        for _ in range(_STEPS if self.training else 1):
            _core.reset_peak_memory_stats(_cpu())
            self._run(model, optimizer, given, target)
            peak = _core.memory_stats(_cpu())["max_allocated_bytes"] - before
        after = _allocated() - before
        state = max(0, after - gradients) if optimizer is not None else 0
        state = _state_bytes(optimizer) if optimizer is not None else state
        return Trace(
            parameters=_sizes(parameters),
            buffers=held - _sizes(parameters),
            gradients=gradients,
            optimizer_state=state,
            inputs=_sizes([*given, *_tensors(target)]),
            activations=max(0, peak - gradients - state),
        )

    def _run(self, model: Any, optimizer: Any, inputs: Sequence[Any], target: Any) -> None:
        from gpukit import autograd

        if not self.training:
            with autograd.no_grad():
                model(*inputs)
            return
        if optimizer is not None:
            optimizer.zero_grad()
        else:
            model.zero_grad()
        self._loss_of(model(*inputs), target).backward()
        if optimizer is not None:
            optimizer.step()

    def _optimizer_of(self, parameters: Sequence[Any]) -> Any:
        if self.optimizer is None or not self.training:
            return None
        optimizer = self.optimizer(parameters)
        if all(callable(getattr(optimizer, name, None)) for name in _OPTIMIZER):
            return optimizer
        raise TypeError(
            "fit: optimizer must return an optimizer, as gpukit.optim.Adam does; it returned a "
            + type(optimizer).__name__
        )

    def _loss_of(self, output: Any, target: Any) -> Any:
        if self.loss is None:
            return output.sum()
        value = self.loss(output) if target is None else self.loss(output, target)
        if isinstance(value, _core.Tensor):
            return value
        raise TypeError(
            "fit: loss must return a tensor of one element, as gpukit.nn.functional.mse_loss does; "
            f"it returned {value!r:.80} ({type(value).__name__})"
        )


def _largest(
    step: _Step, inputs: Sequence[Any], target: Any, trace: Trace, usable: int
) -> int | None:
    """By the bytes that a batch of half the size needs less; None where it cannot be halved."""
    batch = inputs[0].shape[0] if inputs and inputs[0].ndim else 1
    half = batch // 2
    if half == 0 or any(not t.ndim or t.shape[0] != batch for t in (*inputs, *_tensors(target))):
        return None
    less = step.trace(
        [tensor[:half] for tensor in inputs],
        target[:half] if isinstance(target, _core.Tensor) else target,
    )
    each = (trace.total - less.total) / (batch - half)
    if each <= 0:
        return None
    fixed = trace.total - each * batch
    room = (usable - _CONTEXT - _WORKSPACE) / (1 + SPREAD) - fixed
    return max(0, int(room / each))


def _cpu() -> Any:
    return _core.device("cpu")


def _allocated() -> int:
    return int(_core.memory_stats(_cpu())["allocated_bytes"])


def _sizes(tensors: Sequence[Any]) -> int:
    return sum(int(tensor.nbytes) for tensor in tensors)


def _state_bytes(optimizer: Any) -> int:
    return _sizes(list(_tensors(optimizer.state_dict())))


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, _core.Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
