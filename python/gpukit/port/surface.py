"""What the installed gpukit has and accepts, by introspection."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from gpukit._names.suggest import advice_on
from gpukit.port.vocabulary import OTHER_MEANING

_TAKES = re.compile(r"\w+\((.*)\)(?: -> (.*))?$")
_SPELLINGS = {
    "axis": "dim",
    "keepdims": "keepdim",
    "x": "input",
}  # NumPy's, which gpukit's C++ takes


@dataclass(frozen=True)
class Missing:
    """The first part of a dotted name that gpukit lacks, and the message for its users."""

    path: str
    advice: str
    meant: str = ""  # the nearest name


@dataclass(frozen=True)
class Taken:
    """A callable's parameters: names in order, how many are positional, which are required."""

    names: tuple[str, ...]
    positional: int | None  # None: any number
    needed: frozenset[str]
    any_keyword: bool = False
    spellings: bool = False

    def knows(self, name: str) -> bool:
        """Whether a keyword of that name is accepted."""
        said = _SPELLINGS.get(name, name) if self.spellings else name
        return self.any_keyword or name in self.names or said in self.names


@cache
def is_own(name: str) -> bool:
    """True for a gpukit module that torch lacks: bench, doctor, monitor and others."""
    from gpukit.lint.known import TOP

    other = name not in TOP or f"torch.{name}" in OTHER_MEANING
    return other and _submodule(f"gpukit.{name}") is not None


@cache
def find(path: str) -> Any:
    """What gpukit has under a dotted path of torch's, or Missing."""
    import gpukit

    found: Any = gpukit
    parts = path.split(".")
    for at, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except Exception:  # noqa: PERF203 - whatever a name's first use raises
            inner = _imported(parts[1 : at - 1], part)
            if inner is None:
                return Missing(".".join(parts[:at]), *_advice(found, part))
            found = inner
    return found


def _imported(outer: list[str], name: str) -> Any:
    """The result of `from gpukit.outer import name`, even if a function hides the module."""
    inner = _submodule(".".join(["gpukit", *outer, name]))
    if inner is not None:
        return inner
    return getattr(_submodule(".".join(["gpukit", *outer])), name, None)


def _submodule(name: str) -> Any:
    if any(part.startswith("_") for part in name.split(".")):
        return None
    try:
        return importlib.import_module(name) if importlib.util.find_spec(name) else None
    except (ImportError, ValueError):
        return None


def _advice(owner: Any, name: str) -> tuple[str, str]:
    """The replacement of a name that a module of gpukit lacks, and the nearest name."""
    if not inspect.ismodule(owner) or owner.__name__.split(".")[0] != "gpukit":
        return "", ""
    advice = advice_on(owner.__name__, name)
    return (advice.instead or advice.numpy).rstrip("."), advice.meant


def taken(thing: Any) -> Taken | None:
    """A callable's parameters, or None if unknown. Builtins have them in their docstring."""
    if inspect.isclass(thing):
        own = inspect.isfunction(thing.__init__) or inspect.isfunction(thing.__new__)
        return _of_python(thing) if own else None
    if inspect.isbuiltin(thing) or inspect.ismethoddescriptor(thing):
        return _of_builtin((thing.__doc__ or "").split("\n")[0])
    return _of_python(thing) if callable(thing) else None


def _of_python(thing: Any) -> Taken | None:
    try:
        given = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return None
    plain = [p for p in given if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    starred = any(p.kind is p.VAR_POSITIONAL for p in given)
    return Taken(
        tuple(p.name for p in given if p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD}),
        None if starred else len(plain),
        frozenset(p.name for p in plain if p.default is p.empty),
        any(p.kind is p.VAR_KEYWORD for p in given),
    )


@cache
def _of_builtin(line: str) -> Taken | None:
    found = _TAKES.match(line)
    if found is None:
        return None
    parts = [part.strip() for part in _between_commas(found.group(1))]
    stop = next((at for at, part in enumerate(parts) if part.startswith("*")), len(parts))
    starred = stop < len(parts) and parts[stop] != "*"
    named = [re.match(r"\**(\w+)", part) for part in parts]
    names = tuple(each.group(1) for each in named if each is not None)
    needed = frozenset(names[at] for at, part in enumerate(parts[:stop]) if "=" not in part)
    return Taken(names, None if starred else stop, needed, spellings=True)


def _between_commas(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]] if text.strip() else []


@cache
def returned_type(path: str) -> str:
    """What a function of gpukit gives, as its annotation says it: "Tensor", or ""."""
    thing = find(path)
    if isinstance(thing, Missing) or inspect.isclass(thing):
        return ""
    if inspect.isbuiltin(thing) or inspect.ismethoddescriptor(thing):
        found = _TAKES.match((thing.__doc__ or "").split("\n")[0])
        return (found.group(2) or "") if found else ""
    return str(getattr(thing, "__annotations__", {}).get("return", ""))


@cache
def bases(path: str) -> tuple[str, ...]:
    """The classes with torch names that a gpukit class derives from, itself first."""
    thing = find(path)
    if not inspect.isclass(thing):
        return (path,)
    known = ("torch.nn.Module", "torch.optim.Optimizer", "torch.Tensor")
    found = [
        base for base in known if inspect.isclass(find(base)) and issubclass(thing, find(base))
    ]
    if path.startswith("torch.optim.lr_scheduler."):
        found.append("torch.optim.lr_scheduler.LRScheduler")
    return (path, *(base for base in found if base != path))
