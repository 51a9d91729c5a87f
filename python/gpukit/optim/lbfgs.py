"""LBFGS: steps along directions that the last gradients give, with a line search if asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._core import Tensor
from gpukit.autograd import enable_grad, no_grad
from gpukit.errors import ArgumentError
from gpukit.optim.optimizer import Optimizer

__all__ = ["LBFGS"]

_DECREASE, _CURVATURE = 1e-4, 0.9  # of the strong Wolfe conditions


@dataclass
class _Point:
    """A step length with the loss there, its gradient, and the slope along the direction."""

    step: float
    loss: float
    gradient: Tensor
    slope: float


class LBFGS(Optimizer):
    """Quasi-Newton steps from the last gradients (Liu and Nocedal, 1989).

    `step` takes a closure, which it calls several times. There is one group of parameters.

    Args:
        params: Tensors.
        lr: Learning rate: the length of a step without line search, the first trial with one.
        max_iter: Steps in a call of `step`.
        max_eval: Calls of the closure in a call of `step`; None is 1.25 times max_iter.
        tolerance_grad: Ends where no gradient is larger.
        tolerance_change: Ends where parameters and loss change less.
        history_size: How many gradients are kept.
        line_search_fn: "strong_wolfe", or None.

    Raises:
        ValueError: A setting out of range, several groups, or no parameters.

    Example:
        >>> import gpukit
        >>> p = gpukit.nn.Parameter(gpukit.tensor([3.0]))
        >>> optimizer = gpukit.optim.LBFGS([p], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = ((p - 1) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> first = optimizer.step(closure)
        >>> p.detach()
        tensor([1.])
    """

    _state_names = ()

    def __init__(
        self,
        params: Any,
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if max_eval is None:
            max_eval = int_from("LBFGS", "max_iter", max_iter, 0) * 5 // 4
        defaults = {
            "lr": lr,
            "max_iter": int_from("LBFGS", "max_iter", max_iter, 0),
            "max_eval": int_from("LBFGS", "max_eval", max_eval, 0),
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": int_from("LBFGS", "history_size", history_size, 0),
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ArgumentError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _check(self, group: dict[str, Any]) -> None:
        self._check_not_negative(group, "lr")
        if group["line_search_fn"] not in {None, "strong_wolfe"}:
            raise ArgumentError(
                "LBFGS: line_search_fn: only 'strong_wolfe' is supported, or None, got "
                f"{group['line_search_fn']!r}"
            )

    def _take_step(self, closure: Callable[[], Any] | None) -> Any:
        if not callable(closure):
            raise TypeError(
                "LBFGS.step: closure is needed: a function that clears the gradients, computes "
                f"the loss, calls backward() and returns the loss; got {closure!r}"
            )
        with no_grad():
            return self._steps(closure)

    def _steps(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        original = self._called(closure)
        loss, gradient = float(original), self._gradient()
        calls = 1
        state["func_evals"] += 1
        ended = _largest(gradient) <= group["tolerance_grad"]
        iteration = 0
        while not ended and iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            direction = self._direction(state, gradient)
            state["prev_flat_grad"], state["prev_loss"] = gradient.clone(), loss
            step = float(group["lr"])
            if state["n_iter"] == 1:
                step *= min(1.0, 1.0 / gradient.abs().sum().item())
            slope = gradient.dot(direction).item()
            if slope > -group["tolerance_change"]:
                state["d"], state["t"] = direction, step
                break
            before, taken = loss, 0
            if group["line_search_fn"] is not None:
                start = _Point(0.0, loss, gradient, slope)
                most = group["max_eval"] - calls
                found, taken = self._searched(closure, start, step, direction, most)
                loss, gradient, step = found.loss, found.gradient, found.step
                self._move(direction, step)
            else:
                self._move(direction, step)
                if iteration != group["max_iter"]:
                    loss = float(self._called(closure))
                    gradient, taken = self._gradient(), 1
            state["d"], state["t"] = direction, step
            calls += taken
            state["func_evals"] += taken
            ended = (
                calls >= group["max_eval"]
                or _largest(gradient) <= group["tolerance_grad"]
                or _largest(direction) * abs(step) <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            )
        return original

    def _called(self, closure: Callable[[], Any]) -> Any:
        with enable_grad():
            return closure()

    def _gradient(self) -> Tensor:
        """The gradients of all parameters as one vector."""
        return _core.cat(
            [
                _core.zeros(p.numel(), dtype=p.dtype, device=p.device)
                if p.grad is None
                else p.grad.reshape(-1)
                for p in self._params
            ]
        )

    def _move(self, direction: Tensor, step: float) -> None:
        place = 0
        for param in self._params:
            part = direction[place : place + param.numel()]
            param.add_(part.reshape(param.shape), alpha=step)
            place += param.numel()

    def _direction(self, state: dict[str, Any], gradient: Tensor) -> Tensor:
        """Where the kept gradients say that the minimum is: the recursion of two loops."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return -gradient
        change, moved = gradient - state["prev_flat_grad"], state["d"] * state["t"]
        curvature = change.dot(moved).item()
        changes, moves, inverses = state["old_dirs"], state["old_stps"], state["ro"]
        inverses[:] = map(float, inverses)  # torch's states have tensors
        if curvature > 1e-10:
            if len(changes) == self.param_groups[0]["history_size"]:
                for kept in (changes, moves, inverses):
                    kept.pop(0)
            changes.append(change)
            moves.append(moved)
            inverses.append(1.0 / curvature)
            state["H_diag"] = curvature / change.dot(change).item()
        vector, shares = -gradient, [0.0] * len(changes)
        for i in reversed(range(len(changes))):
            shares[i] = moves[i].dot(vector).item() * inverses[i]
            vector = vector.add(changes[i], alpha=-shares[i])
        vector = vector * state["H_diag"]
        for i, move in enumerate(moves):
            share = changes[i].dot(vector).item() * inverses[i]
            vector = vector.add(move, alpha=shares[i] - share)
        return vector  # type: ignore[no-any-return]

    def _searched(
        self,
        closure: Callable[[], Any],
        start: _Point,
        step: float,
        direction: Tensor,
        most: int,
    ) -> tuple[_Point, int]:
        """A step that satisfies the strong Wolfe conditions, and how many were tried."""
        begin = [param.clone() for param in self._params]
        tried = 0

        def attempt(length: float) -> _Point:
            nonlocal tried
            tried += 1
            self._move(direction, length)
            loss = float(self._called(closure))
            gradient = self._gradient()
            for param, value in zip(self._params, begin, strict=True):
                param.copy_(value)
            return _Point(length, loss, gradient, gradient.dot(direction).item())

        tolerance = self.param_groups[0]["tolerance_change"] / max(_largest(direction), 1e-300)
        return _strong_wolfe(attempt, start, step, tolerance, most), tried


def _largest(values: Tensor) -> float:
    return float(values.abs().max().item())


def _strong_wolfe(
    attempt: Callable[[float], _Point], start: _Point, step: float, tolerance: float, most: int
) -> _Point:
    """Bracket a step that satisfies the strong Wolfe conditions, then narrow the bracket."""
    before, point = start, attempt(step)
    trials = 0
    pair = None
    while trials < most:
        if _too_high(point, start) or (trials > 1 and point.loss >= before.loss):
            pair = [before, point]
            break
        if abs(point.slope) <= -_CURVATURE * start.slope:
            return point
        if point.slope >= 0:
            pair = [before, point]
            break
        nearest = point.step + 0.01 * (point.step - before.step)
        length = _cubic_minimum(before, point, nearest, point.step * 10)
        before, point = point, attempt(length)
        trials += 1
    return _narrowed(attempt, start, pair or [start, point], most - trials, tolerance)


def _too_high(point: _Point, start: _Point) -> bool:
    return point.loss > start.loss + _DECREASE * point.step * start.slope


def _narrowed(
    attempt: Callable[[float], _Point],
    start: _Point,
    pair: list[_Point],
    left: int,
    tolerance: float,
) -> _Point:
    """The end of a bracket with the smaller loss, once the bracket is narrow or it suffices."""
    stuck = False
    low = 0 if pair[0].loss <= pair[1].loss else 1
    for _ in range(left):
        least, most = sorted(end.step for end in pair)
        if most - least < tolerance:
            break
        length = _cubic_minimum(pair[0], pair[1], least, most)
        margin = 0.1 * (most - least)
        near_an_end = min(most - length, length - least) < margin
        if near_an_end and (stuck or length >= most or length <= least):
            at_top = abs(length - most) < abs(length - least)
            length = most - margin if at_top else least + margin
            stuck = False
        else:
            stuck = near_an_end
        point = attempt(length)
        if _too_high(point, start) or point.loss >= pair[low].loss:
            pair[1 - low] = point
            low = 0 if pair[0].loss <= pair[1].loss else 1
            continue
        if abs(point.slope) <= -_CURVATURE * start.slope:
            return point
        if point.slope * (pair[1 - low].step - pair[low].step) >= 0:
            pair[1 - low] = pair[low]
        pair[low] = point
    return pair[low]


def _cubic_minimum(a: _Point, b: _Point, least: float, most: float) -> float:
    """The minimum of the cubic through two points with their slopes, within bounds."""
    first = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.step - b.step)
    square = first * first - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2
    root = math.sqrt(square)
    if a.step > b.step:
        a, b = b, a
    spread = b.slope - a.slope + 2 * root
    if spread == 0:
        return (least + most) / 2
    place = b.step - (b.step - a.step) * ((b.slope + root - first) / spread)
    return min(max(place, least), most)
