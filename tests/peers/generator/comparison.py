"""Whether two outcomes are the same: kinds of errors, dtypes, shapes, memory, values, gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .arguments import FLOATS, Array, Call, Dtype, changed, viewed_shape
from .calls import largest
from .outcome import Leaf, Library, Outcome, flattened, outcome

FAMILIES = (
    IndexError, ZeroDivisionError, OverflowError, TypeError, ValueError, AttributeError, BufferError, AssertionError, KeyError,
    StopIteration, RuntimeError,
)  # fmt: skip

EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
SMALLEST = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 5e-324}
NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}
ULPS = {
    "exact": 0, "close": 4, "bounded": 4, "stepped": 4, "summed": 8, "choice": 0, "repeats": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """One thing that is not the same: where, what gpukit gave, what the peer gave."""

    what: str
    mine: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.what}: gpukit {self.mine}, peer {self.theirs}"


def family(error: BaseException) -> type:
    """The class that a user would catch this error by."""
    return next((kind for kind in FAMILIES if isinstance(error, kind)), type(error))


def described(error: BaseException | None) -> str:
    """An error in one line."""
    return (
        "no error"
        if error is None
        else f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    )


class Judge:
    """Compares two outcomes of one call."""

    def __init__(
        self, call: Call, near: str, truth: Callable[[], Outcome | None], device: str = "cpu"
    ) -> None:
        self.call, self.near, self.device = call, near, device
        self.of_gradients = False
        self._truth = truth
        self._true: Outcome | None = None
        self._operands: list[Leaf] = []
        self._asked = False

    def truth(self) -> Outcome | None:
        """What the peer gives in float64, asked once."""
        if not self._asked:
            self._asked, self._true = True, self._truth()
        return self._true

    def difference(self, mine: Outcome, theirs: Outcome) -> Difference | None:
        """The first difference, or None."""
        self._operands = theirs.inputs
        if mine.error or theirs.error:
            return self._errors(mine.error, theirs.error)
        if self.call.library == "numpy":  # which says nothing about errors and views
            return self._trees(mine.tree, theirs.tree) or self._values(
                "value", mine.leaves(), theirs.leaves(), Outcome.leaves
            )
        return (
            self._trees(mine.tree, theirs.tree)
            or self._memory(mine, theirs)
            or self._values("value", mine.leaves(), theirs.leaves(), Outcome.leaves)
            or self._values(
                "argument after the call", mine.inputs, theirs.inputs, lambda true: true.inputs
            )
            or self._gradients(mine, theirs)
        )

    def _errors(
        self, mine: BaseException | None, theirs: BaseException | None
    ) -> Difference | None:
        if self.call.library == "numpy" and theirs is not None:
            return None  # the standard leaves errors open
        if mine is None or theirs is None or not isinstance(mine, family(theirs)):
            return Difference("error", described(mine), described(theirs))
        return None

    def _trees(self, mine: Any, theirs: Any) -> Difference | None:
        left, right = flattened(mine), flattened(theirs)
        if len(left) != len(right) or isinstance(mine, tuple) != isinstance(theirs, tuple):
            return Difference("number of results", str(len(left)), str(len(right)))
        for one, other in zip(left, right, strict=True):
            if isinstance(one, Leaf) != isinstance(other, Leaf):
                return Difference("kind of result", type(one).__name__, type(other).__name__)
            if isinstance(one, Leaf):
                if one.dtype != other.dtype:
                    return Difference("dtype", one.dtype, other.dtype)
                if one.values.shape != other.values.shape:
                    return Difference("shape", str(one.values.shape), str(other.values.shape))
            elif type(one) is not type(other) or not _same_value(one, other):
                return Difference(
                    "result",
                    f"{one!r} ({type(one).__name__})",
                    f"{other!r} ({type(other).__name__})",
                )
        return None

    def _memory(self, mine: Outcome, theirs: Outcome) -> Difference | None:
        if mine.identical != theirs.identical:
            return Difference(
                "is the argument itself", str(sorted(mine.identical)), str(sorted(theirs.identical))
            )
        if mine.shares != theirs.shares:
            return Difference(
                "shares memory with arguments", str(sorted(mine.shares)), str(sorted(theirs.shares))
            )
        for place, _ in mine.shares:
            one, other = mine.leaves()[place], theirs.leaves()[place]
            if one.stride != other.stride and one.values.size > 1 and 1 not in one.values.shape:
                return Difference("strides of a view", str(one.stride), str(other.stride))
        for one, other in zip(mine.leaves(), theirs.leaves(), strict=True):
            if one.requires_grad != other.requires_grad:
                return Difference("requires_grad", str(one.requires_grad), str(other.requires_grad))
        return None

    def _values(
        self,
        what: str,
        mine: list[Leaf],
        theirs: list[Leaf],
        of_truth: Callable[[Outcome], list[Any]],
    ) -> Difference | None:
        if self.near == "shape":
            return None
        for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            if self.near == "drawn":
                if not _same_distribution(one.values, other.values):
                    return Difference(
                        f"distribution of {what} {place}",
                        _moments(one.values),
                        _moments(other.values),
                    )
                continue
            if self.near == "choice" and place == 1 and what == "value":
                continue  # which of equals was chosen
            wrong = self._wrong(one, other, lambda place=place: self._true_leaf(of_truth, place))
            if wrong.any():
                at = tuple(int(axis) for axis in np.argwhere(wrong)[0])
                text = f"{what} {place} at {at} ({int(wrong.sum())} of {wrong.size})"
                return Difference(text, repr(one.values[at].item()), repr(other.values[at].item()))
        return None

    def _true_leaf(self, of_truth: Callable[[Outcome], list[Any]], place: int) -> np.ndarray | None:
        true = self.truth()
        if true is None or true.error:
            return None
        found = of_truth(true)
        leaf = found[place] if place < len(found) else None
        return leaf.values if isinstance(leaf, Leaf) else None

    def _wrong(
        self, mine: Leaf, theirs: Leaf, truth: Callable[[], np.ndarray | None]
    ) -> np.ndarray:
        one, other = mine.values, theirs.values
        if mine.dtype not in FLOATS:
            return np.asarray(one != other)
        with np.errstate(all="ignore"):
            same = (one == other) | (np.isnan(one) & np.isnan(other))
            if self.near in {"exact", "repeats"}:
                same &= np.isnan(one) | (np.signbit(one) == np.signbit(other))
            if same.all():
                return ~same
            return ~(same | self._near(mine, theirs, truth()))

    def _near(self, mine: Leaf, theirs: Leaf, truth: np.ndarray | None) -> np.ndarray:
        one, other = mine.values.astype(np.float64), theirs.values.astype(np.float64)
        allowed = self._allowance(mine, other)
        near = np.abs(one - other) <= allowed
        if truth is None or truth.shape != one.shape:
            return np.asarray(near)
        truth = truth.astype(np.float64)
        # not farther from the truth than the peer is; an overflow of the true value is inf in both
        largest_value = (
            float(np.finfo(np.float32).max)
            if mine.dtype == "bfloat16"
            else float(np.finfo(mine.values.dtype).max)
        )
        true_allowed = np.maximum(
            self._allowance(mine, truth),
            EPSILON[mine.dtype] * np.abs(truth) / 2 + SMALLEST[mine.dtype],
        )
        better = np.abs(one - truth) <= np.maximum(np.abs(other - truth), true_allowed)
        overflow = (
            np.isinf(one)
            & (np.abs(truth) >= largest_value * (1 - EPSILON[mine.dtype]))
            & (np.sign(one) == np.sign(truth))
        )
        both_nan = np.isnan(one) & np.isnan(truth)
        if self.near == "exact":
            # a NaN where the truth is finite is never near
            return np.asarray(near | better | both_nan | overflow)
        return np.asarray(near | better | both_nan | overflow | (one == truth))

    def _allowance(self, mine: Leaf, around: np.ndarray) -> np.ndarray:
        name = self._computed_in(mine.dtype)
        ulps = float(ULPS.get(self.near, 4))
        if self.near == "summed":  # the roundings of n terms add up to about the root of n,
            ulps += (self._terms() * self._repeats()) ** 0.5  # those of n equal ones to n
        # A gradient goes back through what the call was computed in, which dtype= may narrow.
        digits = self._coarsest(name) if self.of_gradients else EPSILON[name]
        allowed = ulps * (digits * np.abs(around) + SMALLEST[name])
        if self.device != "cpu" and ulps:  # exp(-x) overflows where its reciprocal is subnormal
            allowed = allowed + NORMAL[name]
        if "alpha" in self.call.keywords and self.near == "exact":
            allowed = allowed + self._of_the_terms(name, around.shape)
        if self.near == "bounded":  # a difference of two numbers near 1
            allowed = allowed + 8 * EPSILON[name]
        if self.near == "stepped":  # start + i * step, which may come near 0
            allowed = allowed + 4 * EPSILON[name] * largest(self.call)
        if self.near == "summed":
            allowed = allowed + self._coarsest(name) * 4 * self._scale()
        return np.where(np.isfinite(allowed), allowed, 0.0)

    def _of_the_terms(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """What one rounding of alpha * other may be worth: torch rounds once, gpukit twice."""
        alpha = abs(float(self.call.keywords["alpha"]))
        terms = np.zeros(shape)
        for operand in self._operands:
            values = np.abs(np.nan_to_num(operand.values.astype(np.float64), posinf=0, neginf=0))
            if np.broadcast_shapes(values.shape, shape) == shape:
                terms = terms + max(alpha, 1.0) * values
        given = [*self.call.arguments, self.call.keywords.get("other")]
        numbers = [value for value in given if isinstance(value, int | float)]
        factor = sum(abs(float(value)) for value in numbers if np.isfinite(float(value)))
        return np.asarray(EPSILON[name] * (terms + max(alpha, 1.0) * factor))

    def _coarsest(self, name: str) -> float:
        """The precision of the call: that of its least precise dtype."""
        names = [array.dtype for array in self.call.arrays()]
        names += [value.name for value in self.call.keywords.values() if isinstance(value, Dtype)]
        names += [value.name for value in self.call.arguments if isinstance(value, Dtype)]
        return max(EPSILON.get(each, 0.0) for each in [*names, name])

    def _computed_in(self, name: str) -> str:
        """The dtype whose digits a result has: `out=` may be wider than what it was computed in."""
        out = self.call.keywords.get("out")
        if not isinstance(out, Array):
            return name
        operands = [array.dtype for array in self.call.arrays() if array is not out]
        floats = [each for each in operands if each in FLOATS] or ["float32"]
        return max([*floats, name], key=lambda each: EPSILON[each])

    def _terms(self) -> int:
        return max((math.prod(viewed_shape(array)) for array in self.call.arrays()), default=1)

    def _repeats(self) -> float:
        return (
            max(
                (
                    math.prod(viewed_shape(array)) / max(array.data.size, 1)
                    for array in self.call.arrays()
                ),
                default=1.0,
            )
            or 1.0
        )

    def _scale(self) -> float:
        scale = min(largest(self.call), 1e4) ** 2 * max(self._terms(), 1) ** 0.5
        scale *= self._repeats() ** 0.5  # the roundings of equal terms are equal and add up
        if self.call.name.endswith("layer_norm"):  # divides by sqrt(variance + eps)
            scale *= self._steepest()
        return scale

    def _steepest(self) -> float:
        """1 / sqrt(eps) where a row may be of equal numbers, which an expanded one is."""
        equal = any(view[0] == "expand" for array in self.call.arrays() for view in array.views)
        given = [*self.call.arguments[4:5], self.call.keywords.get("eps", 1e-5)]
        eps = given[0] if isinstance(given[0], float) and given[0] > 0 else 1e-5
        return max(1.0, eps**-0.5) if equal else 1.0

    def _gradients(self, mine: Outcome, theirs: Outcome) -> Difference | None:
        if self.near in {"shape", "drawn"} or (mine.gradients is None and theirs.gradients is None):
            if mine.gradient_error or theirs.gradient_error:
                return self._gradient_errors(mine, theirs)
            return None
        if mine.gradients is None or theirs.gradients is None:
            return self._gradient_errors(mine, theirs)
        for place, (one, other) in enumerate(zip(mine.gradients, theirs.gradients, strict=True)):
            if (one is None) != (other is None):
                return Difference(
                    f"gradient {place}",
                    "none" if one is None else "one",
                    "none" if other is None else "one",
                )
            if one is None:
                continue
            if one.dtype != other.dtype or one.values.shape != other.values.shape:
                return Difference(
                    f"gradient {place}",
                    f"{one.dtype} {one.values.shape}",
                    f"{other.dtype} {other.values.shape}",
                )
        pairs = [
            (one, other)
            for one, other in zip(mine.gradients, theirs.gradients, strict=True)
            if one is not None
        ]
        judge = Judge(self.call, "summed", self.truth, self.device)
        judge.of_gradients = True
        if self.near == "choice":  # equals may stand in another order, with other weights
            pairs = [(_sorted(one), _sorted(other)) for one, other in pairs]
        kept = [place for place, one in enumerate(mine.gradients) if one is not None]
        return judge._values(
            "gradient", [one for one, _ in pairs], [other for _, other in pairs],
            lambda true: [(true.gradients or [])[place] if true.gradients else None for place in kept],
        )  # fmt: skip

    @staticmethod
    def _gradient_errors(mine: Outcome, theirs: Outcome) -> Difference | None:
        one, other = mine.gradient_error, theirs.gradient_error
        if one is not None and other is not None and isinstance(one, family(other)):
            return None
        return Difference("error of the gradient", described(one), described(other))


def _sorted(leaf: Leaf) -> Leaf:
    return replace(leaf, values=np.sort(leaf.values, axis=None))


def _same_value(one: Any, other: Any) -> bool:
    if isinstance(one, complex) and isinstance(other, complex):
        return _same_value(one.real, other.real) and _same_value(one.imag, other.imag)
    if isinstance(one, float):
        return bool(one == other or (one != one and other != other))
    return bool(one == other)


def _moments(values: np.ndarray) -> str:
    if values.dtype == bool or not values.size:
        values = values.astype(np.float64)
    return (
        f"mean {values.mean():.4g} sd {values.std():.4g} of {values.size}"
        if values.size
        else "empty"
    )


def _same_distribution(one: np.ndarray, other: np.ndarray) -> bool:
    if one.size < 200 or not (np.isfinite(one).all() and np.isfinite(other).all()):
        return True
    one, other = one.astype(np.float64), other.astype(np.float64)
    spread = ((one.var() + other.var()) / one.size) ** 0.5
    return bool(abs(one.mean() - other.mean()) <= 6 * spread + 1e-9)


def in_float64(call: Call) -> Call:
    """The same call with every floating tensor and dtype widened."""

    def widened(value: Any) -> Any:
        if isinstance(value, Array) and value.dtype in FLOATS:
            return Array(
                "float64",
                value.data.astype(np.float64),
                value.views,
                value.requires_grad,
                value.is_index,
            )
        if isinstance(value, Dtype) and value.name in FLOATS:
            return Dtype("float64")
        return value

    return call.with_values(
        [changed(value, widened) for value in call.arguments],
        {key: changed(value, widened) for key, value in call.keywords.items()},
    )


def true_outcome(call: Call, peer: Library) -> Outcome | None:
    """The peer's result in float64, against which two float32 results are judged."""
    if peer.name != "torch":
        return outcome(in_float64(call), peer)
    before = peer.module.get_default_dtype()
    peer.module.set_default_dtype(peer.module.float64)
    try:
        return outcome(in_float64(call), peer)
    finally:
        peer.module.set_default_dtype(before)
