"""Values and gradients of a compiled function beside those of the function."""

from __future__ import annotations

import random
from typing import Any

import gpukit
from support.chains import same_bits


def with_gradients(args: tuple[Any, ...], draw: random.Random) -> tuple[Any, ...]:
    """The same tensors, some of which require gradients."""
    return tuple(
        tensor.detach().clone().requires_grad_(draw.random() < 0.8)
        if tensor.dtype.is_floating_point
        else tensor
        for tensor in args
    )


def gradients(function: Any, args: tuple[Any, ...], seed: int) -> list[Any]:
    """Values and gradients, with other users of the arguments before and after the call."""
    draw = random.Random(seed)
    leaves = [tensor for tensor in args if tensor.requires_grad]
    before = [tensor * 3 for tensor in leaves]
    values = function(*args)
    after = [tensor.exp() for tensor in leaves]
    ends = [value for value in (*before, *values, *after) if value.requires_grad]
    ends = [value for value in ends if draw.random() < 0.9] or ends
    generator = gpukit.Generator(device=args[0].device).manual_seed(seed) if ends else None
    given = [
        gpukit.randn(tuple(value.shape), generator=generator, device=value.device).to(value.dtype)
        for value in ends
    ]
    found = gpukit.autograd.grad(ends, leaves, given, allow_unused=True) if leaves else ()
    return [*values, *found]


def outcome(function: Any, args: tuple[Any, ...], seed: int) -> Any:
    """Values and gradients, or the kind of error."""
    try:
        return gradients(function, args, seed)
    except Exception as error:
        return type(error)


def agree(compiled: Any, function: Any, arguments: list[tuple[Any, ...]], seed: int) -> None:
    """Both have the same values and gradients, bit for bit, for each of the arguments."""
    for number, args in enumerate(arguments):
        expected = outcome(function, args, seed + number)
        found = outcome(compiled, args, seed + number)
        if isinstance(expected, type):
            assert found is expected
            continue
        assert len(found) == len(expected)
        for got, wanted in zip(found, expected, strict=True):
            assert (got is None) == (wanted is None)
            assert got is None or same_bits(got, wanted)
