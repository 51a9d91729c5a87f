"""The arguments of a measurement, checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpukit._arguments import int_of, number_of
from gpukit.bench.engine import Plan
from gpukit.bench.libraries import check_libraries
from gpukit.bench.stopping import StoppingRule

_TRANSFERS = ("split", "none", "include")


@dataclass(frozen=True)
class Options:
    """How to measure, which copies count, and whether results are compared.

    `wait` waits for the work of a library that bench does not know. `named`: the device was asked
    for, so that what the function makes is made there too.
    """

    plan: Plan = field(default_factory=Plan)
    transfer: str = "split"
    check: bool | str = True
    libraries: tuple[str, ...] = ("gpukit",)
    wait: Callable[[], Any] | None = None
    named: bool = True


def quick(max_time: float = 1.0, repeats: int | None = None) -> Options:
    """Options for one row among many of an exercise."""
    rule = StoppingRule(min_time=min(0.05, max_time), max_time=max_time, repeats=repeats)
    return Options(Plan(rule))


def _check_seconds(name: str, value: Any) -> float:
    seconds = float(number_of("bench", name, value, "seconds"))
    if not seconds > 0:
        raise ValueError(f"bench: {name} must be above 0 seconds, got {value!r}")
    return seconds


def _check_repeats(repeats: Any) -> int | None:
    if repeats is None:
        return None
    count = int_of("bench", "repeats", repeats, "a count")
    if count < 1:
        raise ValueError(f"bench: repeats must be at least 1, got {repeats!r}")
    return count


def _check_warmup(warmup: Any) -> int | None:
    if isinstance(warmup, str):
        if warmup == "auto":
            return None
        raise ValueError(f"bench: warmup must be 'auto' or a count, got {warmup!r}")
    count = int_of("bench", "warmup", warmup, "'auto' or a count")
    if count < 0:
        raise ValueError(f"bench: warmup must be 'auto' or a count, got {warmup!r}")
    return count


def check_count(exercise: str, name: str, value: Any, least: int = 1) -> int:
    """An integer of at least `least`; TypeError or ValueError naming exercise and argument."""
    count = int_of(f"bench.{exercise}", name, value, "an integer")
    if count < least:
        raise ValueError(f"bench.{exercise}: {name} must be at least {least}, got {count}")
    return count


def checked_options(
    *,
    warmup: Any,
    min_time: Any,
    max_time: Any,
    repeats: Any,
    transfer: Any,
    check: Any,
    libraries: Any,
    setup: Callable[[], Any] | None,
    flush_l2: Any,
    wait: Callable[[], Any] | None = None,
) -> Options:
    """The options of `bench.run`. Typed errors name the argument, the value and the fix."""
    rounds = _check_warmup(warmup)
    longest = _check_seconds("max_time", max_time)
    shortest = min(_check_seconds("min_time", min_time), longest)
    count = _check_repeats(repeats)
    if transfer not in _TRANSFERS:
        raise ValueError(
            f"bench: transfer must be one of {', '.join(_TRANSFERS)}, got {transfer!r}"
        )
    if check not in (True, False, "raise"):
        raise ValueError(f"bench: check must be True, False or 'raise', got {check!r}")
    if setup is not None and not callable(setup):
        raise TypeError(f"bench: setup must be callable, got {setup!r}")
    if wait is not None and not callable(wait):
        raise TypeError(f"bench: wait must be callable, got {wait!r}")
    plan = Plan(StoppingRule(shortest, longest, count), rounds, setup, bool(flush_l2))
    return Options(plan, transfer, check, check_libraries(libraries), wait)


def check_tolerance(tol: Any) -> None:
    """A number of 0 or more, or None."""
    if tol is None:
        return
    if not number_of("bench", "tol", tol) >= 0:
        raise ValueError(f"bench: tol must be 0 or more, got {tol!r}")


def numbered_names(fns: Sequence[Any]) -> dict[str, Any]:
    """Functions by their names; equal names are numbered."""
    named: dict[str, Any] = {}
    for fn in fns:
        name = str(getattr(fn, "__name__", "fn"))
        number = sum(key.split(" #", maxsplit=1)[0] == name for key in named)
        named[f"{name} #{number + 1}" if number else name] = fn
    return named


def named_functions(fn: Any, name: str | None) -> dict[str, Callable[..., Any]]:
    """The functions to measure by name. Throws TypeError for what cannot be called."""
    functions: dict[Any, Any]
    if isinstance(fn, Mapping):
        functions = dict(fn)
    elif isinstance(fn, (list, tuple)):
        functions = numbered_names(fn)
    else:
        functions = {name or str(getattr(fn, "__name__", "fn")): fn}
    if not functions:
        raise ValueError("bench: the functions to compare are empty; give at least one")
    for label, function in functions.items():
        if not callable(function):
            raise TypeError(
                f"bench: fn must be callable, got {function!r}. "
                "Pass function and arguments apart: gpukit.bench(f, x), not gpukit.bench(f(x))."
            )
        if not isinstance(label, str):
            raise TypeError(f"bench: names of functions must be text, got {label!r}")
    return functions
