"""torch's own sample inputs, run in gpukit and in torch: values, first and second derivatives.

`python -m peers.torch_samples` in tests/ prints the score over all samples of all operators;
`python -m peers.torch_samples NAME ...` what differs in the operators of these names. A process of
its own, since torch's module of samples changes torch settings permanently.
"""

from __future__ import annotations

import argparse
import json
import sys
import types
import unittest
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import torch

import gpukit

# Their results are drawn: two libraries draw other numbers.
RANDOM = {
    *("bernoulli", "normal", "nn.functional.dropout"),
    *(f"nn.functional.fractional_max_pool{dims}d" for dims in (2, 3)),
}


@cache
def operators(dtype: torch.dtype = torch.float64) -> tuple[Any, ...]:
    """The rows of torch's table with second derivatives in a dtype that gpukit has by name."""
    try:
        import expecttest  # noqa: F401
    except ModuleNotFoundError:  # torch's module of samples needs it for assertions of torch's own
        fallback = types.ModuleType("expecttest")
        fallback.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = fallback
    from torch.testing._internal.common_methods_invocations import op_db

    return tuple(
        row
        for row in op_db
        if row.supports_autograd
        and row.supports_gradgrad
        and dtype in row.dtypes
        and function_of(row.name) is not None
        and row.name not in RANDOM
    )


# The same while training, by name; their default for it.
TRAINED = {"nn.functional.dropout1d", "nn.functional.dropout2d", "nn.functional.dropout3d"}
TRAINED_IF_ASKED = {
    "nn.functional.alpha_dropout",
    "nn.functional.feature_alpha_dropout",
    "nn.functional.rrelu",
}


def is_drawn(name: str, sample: Any) -> bool:
    """Whether the result has random numbers."""
    if name in TRAINED | TRAINED_IF_ASKED:
        return bool(sample.kwargs.get("training", name in TRAINED))
    return bool(sample.kwargs.get("dropout_p"))


# Where torch's table has the arguments in an order of its own.
ARRANGED: dict[str, Callable[..., Any]] = {
    "einsum": lambda tensors, equation: gpukit.einsum(equation, *tensors),
    "where": lambda x, condition, other: gpukit.where(condition, x, other),
    "nn.functional.embedding": lambda weight, index, **named: gpukit.nn.functional.embedding(
        index, weight, **named
    ),
    "linalg.lstsq": lambda a, b, **named: gpukit.linalg.lstsq(a, b, **named)[:2],
    "polygamma": lambda x, n: gpukit.polygamma(n, x),
    "special.polygamma": lambda x, n: gpukit.special.polygamma(n, x),
    "zero_": lambda x: x.clone().zero_(),
}


def function_of(name: str) -> Callable[..., Any] | None:
    """gpukit's function of torch's name, or its method."""
    if name in ARRANGED:
        return ARRANGED[name]
    found: Any = gpukit
    for part in name.split("."):
        found = getattr(found, part, None)
    if callable(found):
        return found
    if not hasattr(gpukit.Tensor, name):
        return None
    if name in {"T", "mT", "H", "mH"}:
        return lambda x: getattr(x, name)
    return lambda x, *others, **named: getattr(x, name)(*others, **named)


def title(row: Any) -> str:
    """The operator and the variant."""
    return f"{row.name} {row.variant_test_name}".strip()


class NotAcceptedError(Exception):
    """A sample that one of the libraries does not take."""


class Converted:
    """A sample's arguments for one library, and the tensors among them that require grad."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp
        self.leaves: list[Any] = []

    def __call__(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)(self(item) for item in value)
        if isinstance(value, torch.dtype):
            return getattr(self.xp, str(value)[6:])
        if isinstance(value, (torch.memory_format, torch.layout, torch.device, torch.Generator)):
            raise NotAcceptedError(f"an argument of {type(value)}")
        if isinstance(value, torch.nn.PairwiseDistance):
            return self.xp.nn.PairwiseDistance(value.norm, value.eps, value.keepdim)
        return value

    def _tensor(self, value: torch.Tensor) -> Any:
        array = value.detach().resolve_conj().resolve_neg().numpy()
        made = self.xp.tensor(array, requires_grad=value.requires_grad)
        if value.requires_grad:
            self.leaves.append(made)
        return made


def numbers(count: int, seed: int) -> np.ndarray:
    """The coefficients of the functionals."""
    return np.random.default_rng(seed).uniform(0.5, 1.5, count)


def functional(xp: Any, tensors: list[Any], seed: int) -> Any:
    """A random sum of the tensors that have a graph; None where there is none."""
    total = None
    for n, tensor in enumerate(tensors):
        if tensor is None or not tensor.requires_grad:
            continue
        weights = xp.tensor(numbers(tensor.numel(), seed + n)).to(tensor.dtype)
        if tensor.is_complex():
            weights = weights * (1 + 0.3j)
        part = (tensor.reshape(-1) * weights).sum()
        part = (part.real if part.is_complex() else part).to(xp.float64)
        total = part if total is None else total + part
    return total


def flattened(result: Any) -> list[Any]:
    """The floating and complex tensors of a result."""
    if isinstance(result, (torch.Tensor, gpukit.Tensor)):
        return [result] if result.is_floating_point() or result.is_complex() else []
    return [tensor for item in result for tensor in flattened(item)]


def array_of(tensor: Any) -> np.ndarray:
    """The values; torch has tensors of zeros without memory."""
    kind = complex if tensor.is_complex() else float
    return np.array((tensor.detach() + 0).tolist(), dtype=kind).reshape(tuple(tensor.shape))


def derivatives(xp: Any, function: Callable[..., Any], sample: Any) -> list[list[np.ndarray]]:
    """The values, the first and the second derivatives of a functional of them."""
    take = Converted(xp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            arguments = [take(value) for value in (sample.input, *sample.args)]
            named = {
                key: take(value)
                for key, value in sample.kwargs.items()
                if value is not torch.preserve_format  # what both do anyway
            }
            outputs = flattened(function(*arguments, **named))
        except NotAcceptedError:
            raise
        except Exception as error:
            raise NotAcceptedError(f"{type(error).__name__}: {error}") from error
        found = [[array_of(output) for output in outputs]]
        tensors = outputs
        for order in (1, 2):
            total = functional(xp, tensors, 10 * order)
            tensors = [None] * len(take.leaves)
            if total is not None:
                tensors = list(
                    xp.autograd.grad(total, take.leaves, create_graph=order == 1, allow_unused=True)
                )
            found.append(
                [
                    np.zeros(tuple(leaf.shape)) if g is None else array_of(g)
                    for g, leaf in zip(tensors, take.leaves, strict=True)
                ]
            )
    return found


@dataclass
class Score:
    """What became of one operator's samples."""

    equal: int = 0
    not_accepted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """One word for the operator."""
        if self.other:
            return "differs"
        if self.refused:
            return "refused"
        return "passed" if self.equal else "no sample accepted"


def samples_of(row: Any, most: int | None, dtype: torch.dtype = torch.float64) -> Iterator[Any]:
    """The first samples of a row, with the same numbers each time."""
    torch.manual_seed(1)
    return islice(row.sample_inputs("cpu", dtype, requires_grad=True), most)


def described(sample: Any) -> str:
    """A sample in a line."""

    def short(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return f"{str(value.dtype)[6:]}{tuple(value.shape)}"
        return repr([short(v) for v in value]) if isinstance(value, (list, tuple)) else repr(value)

    named = [f"{key}={short(value)}" for key, value in sample.kwargs.items()]
    return ", ".join([short(sample.input), *map(short, sample.args), *named])[:150]


def compare(row: Any, most: int | None = None, dtype: torch.dtype = torch.float64) -> Score:
    """All samples of a row in both libraries."""
    score = Score()
    function = function_of(row.name)
    assert function is not None
    theirs = (lambda x: row.op(x.clone())) if row.name == "zero_" else row.op
    for sample in samples_of(row, most, dtype):
        if is_drawn(row.name, sample):
            score.not_accepted.append(f"{described(sample)}: the result is drawn")
            continue
        try:
            try:
                want = derivatives(torch, theirs, sample)
            except RuntimeError as error:  # a fused kernel of torch without a second derivative
                raise NotAcceptedError(f"torch: {error}") from error
            got = derivatives(gpukit, function, sample)
        except NotAcceptedError as error:
            score.not_accepted.append(f"{described(sample)}: {error}"[:300])
            continue
        except gpukit.AutogradError as error:
            score.refused.append(f"{described(sample)}: {error}"[:300])
            continue
        except Exception as error:
            score.other.append(f"{described(sample)}: {type(error).__name__}: {error}"[:300])
            continue
        fault = difference(got, want)
        if fault:
            score.other.append(f"{described(sample)}: {fault}")
        else:
            score.equal += 1
    return score


def difference(got: list[list[np.ndarray]], want: list[list[np.ndarray]]) -> str:
    """The first order whose arrays differ; empty where none does."""
    for order, (own, theirs) in enumerate(zip(got, want, strict=True)):
        if len(own) != len(theirs):
            return f"order {order}: {len(own)} tensors, torch has {len(theirs)}"
        for one, other in zip(own, theirs, strict=True):
            if one.shape != other.shape:
                return f"order {order}: {one.shape}, torch has {other.shape}"
            if not np.allclose(one, other, rtol=1e-6, atol=1e-8, equal_nan=True):
                apart = ~np.isclose(one, other, rtol=1e-6, atol=1e-8, equal_nan=True)
                return f"order {order}: {one[apart][:4]}, torch has {other[apart][:4]}"
    return ""


def scores(
    most: int | None, dtype: torch.dtype = torch.float64, family: str = ""
) -> dict[str, tuple[str, list[str]]]:
    """Of each operator the verdict and what became of samples that are not equal."""
    found = {}
    for row in operators(dtype):
        if not row.name.startswith(family):
            continue
        score = compare(row, most, dtype)
        found[title(row)] = (score.verdict, [*score.other, *score.refused, *score.not_accepted])
    return found


def a_wrong_one_is_found() -> bool:
    """Whether a function with the right first derivative and a wrong second one is told."""

    def wrong(x: Any) -> Any:
        slope = x.detach().cos()
        return x * slope + (x.sin() - x * slope).detach()

    row = next(row for row in operators() if row.name == "sin")
    sample = next(samples_of(row, 1))
    want = derivatives(torch, torch.sin, sample)
    right = difference(derivatives(gpukit, gpukit.sin, sample), want)
    return not right and difference(derivatives(gpukit, wrong, sample), want).startswith("order 2")


def show(names: list[str], dtype: torch.dtype) -> None:
    """Print what differs, and the score."""
    verdicts: Counter[str] = Counter()
    samples: Counter[str] = Counter()
    for row in operators(dtype):
        if names and row.name not in names and title(row) not in names:
            continue
        score = compare(row, None, dtype)
        verdicts[score.verdict] += 1
        samples["equal"] += score.equal
        for kind in ("not_accepted", "refused", "other"):
            texts = getattr(score, kind)
            samples[kind] += len(texts)
            shown = texts if names else texts[:3] if kind != "not_accepted" else []
            for text in shown:
                print(f"{title(row)}: {kind}: {text}")
        if score.verdict == "no sample accepted" and not names:
            print(f"{title(row)}: no sample accepted: {score.not_accepted[:1]}")
    print(f"operators: {sum(verdicts.values())}, {dict(verdicts)}; samples: {dict(samples)}")


def main() -> None:
    """The score, or as JSON that of the first samples of each operator."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--json", type=int, metavar="SAMPLES")
    parser.add_argument("--complex", action="store_true", help="in complex128, not in float64")
    wanted = parser.parse_args()
    dtype = torch.complex128 if wanted.complex else torch.float64
    torch.set_num_threads(1)
    if wanted.json is None:
        show(wanted.names, dtype)
        return
    found = {
        "scores": scores(wanted.json),
        "complex": scores(wanted.json, torch.complex128, "linalg."),
        "finds": a_wrong_one_is_found(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
