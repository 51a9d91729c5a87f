"""Chains of operators drawn at random, for what runs several of them as one."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

import gpukit
from support.operators import OPERATORS

DTYPES = ("float32", "float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool")
SPECIAL = (0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e-40, 3e38, 0.5)
UNARY = tuple(name for name, row in OPERATORS.items() if row.operands == 1)
BINARY = tuple(name for name, row in OPERATORS.items() if row.operands == 2)
CASTS = ("float", "double", "half", "bfloat16", "int", "bool")
OTHERS = ("view", "turn", "softmax", "detach", "add_in_place")
# Reductions, of rows (kept with size 1 or not) and of all elements.
ENDINGS = tuple(
    f"{name} {what}"
    for name in ("sum", "sum", "mean", "mean", "amax", "amin", "norm", "norm1")
    for what in ("rows", "kept", "all")
)
NUMBERS = (2, 0.5, -1.5, 3, 1, 0, 0.1, 1000)

Instruction = tuple[Any, ...]


def run(program: list[Instruction], tensors: tuple[Any, ...]) -> list[Any]:
    """The values of a program: those of the tensors, then one an instruction."""
    values = list(tensors)
    for name, *operands in program:
        values.append(step(name, values, operands))
    return values


def step(name: str, values: list[Any], operands: list[Any]) -> Any:
    """One instruction. An operand is the number of a value, or a tuple of a number."""
    given = [values[each] if isinstance(each, int) else each[0] for each in operands]
    if name in ENDINGS:
        return ended(given[0], *name.split())
    if name == "view":
        return given[0].reshape(-1)
    if name == "turn":
        return given[0].transpose(0, -1)
    if name == "softmax":
        return given[0].softmax(-1)
    if name == "add_in_place":
        return given[0].clone().add_(1)
    if name in CASTS or name == "detach":
        return getattr(given[0], name)()
    return getattr(gpukit, name)(*given)


def ended(tensor: Any, name: str, what: str) -> Any:
    """A reduction as a program calls it."""
    further = {"p": 1} if name == "norm1" else {}
    if what != "all":
        further |= {"dim": -1, "keepdim": what == "kept"}
    return getattr(tensor, name.rstrip("1"))(**further)


@dataclass
class Chain:
    """A function, and arguments for it of several shapes."""

    seed: int
    program: list[Instruction]
    kept: tuple[int, ...]
    arguments: list[tuple[Any, ...]]

    def function(self) -> Any:
        """A function of the tensors, to be compiled."""
        program, kept = self.program, self.kept

        def chain(*tensors: Any) -> tuple[Any, ...]:
            values = run(program, tensors)
            return tuple(values[number] for number in kept)

        return chain


def drawn(
    seed: int, device: Any, longest: int = 40, size: int = 40, columns: int | None = None
) -> Chain:
    """The chain of a seed, over at most so many rows and columns."""
    draw = random.Random(seed)
    kinds = [_kind(draw) for _ in range(draw.randint(1, 5))]
    shapes = [(draw.randint(1, size), draw.randint(1, columns or size)) for _ in range(3)]
    arguments = [
        tuple(_tensor(kind, shape, draw, device) for kind in kinds)
        for shape in [shapes[0], *shapes]
    ]
    program = _program(arguments[0], draw, draw.randint(2, longest))
    count = len(kinds) + len(program)
    kept = tuple(sorted(draw.sample(range(len(kinds), count), min(4, len(program))))) or (0,)
    return Chain(seed, program, kept, arguments)


def _kind(draw: random.Random) -> tuple[str, str]:
    layout = draw.choice(("full", "full", "full", "row", "column", "single", "turned", "strided"))
    return draw.choice(DTYPES), layout


def _tensor(kind: tuple[str, str], shape: tuple[int, int], draw: random.Random, device: Any) -> Any:
    dtype, layout = kind
    rows, columns = shape
    sizes = {
        "row": (columns,),
        "column": (rows, 1),
        "single": (),
        "turned": (columns, rows),
        "strided": (rows, 2 * columns),
    }.get(layout, shape)
    count = int(np.prod(sizes, dtype=int))
    values = [_number(draw, dtype) for _ in range(count)]
    made = gpukit.tensor(values, dtype=dtype, device=device).reshape(sizes)
    if layout == "turned":
        return made.T
    return made[:, ::2] if layout == "strided" else made


def _number(draw: random.Random, dtype: str) -> float | int | bool:
    if dtype == "bool":
        return draw.random() < 0.5
    if "float" not in dtype:
        return draw.randint(0, 100)
    if draw.random() < 0.1:
        value = draw.choice(SPECIAL)
        return value if abs(value) < 60000 or value != value or dtype != "float16" else 2.0
    return draw.uniform(-3, 3)


def _program(tensors: tuple[Any, ...], draw: random.Random, count: int) -> list[Instruction]:
    """Instructions that do not fail, by trying them."""
    values, program = list(tensors), []
    for _ in range(4 * count):
        if len(program) == count:
            break
        name, *operands = _instruction(len(values), draw)
        try:
            made = step(name, values, operands)
        except (RuntimeError, ValueError, TypeError, IndexError):
            continue
        if isinstance(made, gpukit.Tensor) and made.numel() <= 1 << 14:
            values.append(made)
            program.append((name, *operands))
    return program


def _instruction(values: int, draw: random.Random) -> Instruction:
    def value() -> int:
        return values - 1 if draw.random() < 0.4 else draw.randrange(values)

    kind = draw.random()
    if kind < 0.28:
        return (draw.choice(UNARY), value())
    if kind < 0.55:
        return (draw.choice(BINARY), value(), value())
    if kind < 0.69:
        pair = [value(), (draw.choice(NUMBERS),)]
        if draw.random() < 0.3:
            pair.reverse()
        return (draw.choice(BINARY), *pair)
    if kind < 0.75:
        return (draw.choice(CASTS), value())
    if kind < 0.81:
        return ("where", value(), value(), draw.choice((value(), (0.5,), (0,))))
    if kind < 0.86:
        return ("clamp", value(), (draw.choice((None, -1, -0.5)),), (draw.choice((1, 0.5)),))
    if kind < 0.91:
        return (draw.choice(OTHERS), value())
    return (draw.choice(ENDINGS), value())


def same_bits(a: Any, b: Any) -> bool:
    """Equal in dtype, shape and every bit; one NaN is like another."""
    if (a.dtype, tuple(a.shape), a.device) != (b.dtype, tuple(b.shape), b.device):
        return False
    if a.dtype.is_floating_point:
        if not gpukit.equal(gpukit.isnan(a), gpukit.isnan(b)):
            return False
        a, b = (
            gpukit.nan_to_num(a, 0.0, inf_of(a), -inf_of(a)),
            gpukit.nan_to_num(b, 0.0, inf_of(b), -inf_of(b)),
        )
        return gpukit.equal(a, b) and gpukit.equal(gpukit.signbit(a), gpukit.signbit(b))
    return gpukit.equal(a, b)


def inf_of(tensor: Any) -> float:
    """What stands for infinity: infinity."""
    return float("inf") if tensor.dtype.is_floating_point else 0.0
