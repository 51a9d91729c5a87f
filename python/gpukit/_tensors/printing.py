"""Text of a tensor, as torch prints it. Copies only the elements that are shown."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, int_of, number_of
from gpukit._dtypes import COMPLEX, by_kind
from gpukit.errors import AutogradError

_HAS_FRACTIONS = by_kind(bool=False, integer=False, floating=True, complex=True)


class _Options:
    """How numbers are shown; torch's defaults."""

    precision = 4
    linewidth = 80
    threshold = 1000
    edgeitems = 3
    sci_mode: bool | None = None


_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    *,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors are printed; omitted settings are unchanged.

    Args:
        precision: Digits after the decimal point.
        threshold: Tensors with more elements show their corners only.
        edgeitems: Elements at each end of a shortened dimension.
        linewidth: Characters a line.
        profile: 'default', 'short' or 'full': a set of the four, changed by the others.
        sci_mode: Always (True) or never (False) write 1.0e+00; None chooses by the numbers.

    Raises:
        ValueError: profile is another one, or a number is negative. Nothing is set then.
        TypeError: a number is not an int (threshold: not a number), or sci_mode is not a bool.

    Example:
        >>> import gpukit
        >>> gpukit.set_printoptions(precision=2)
        >>> gpukit.tensor(3.14159)
        tensor(3.14)
        >>> gpukit.set_printoptions(profile="default")
    """
    if profile is not None and profile not in _PROFILES:
        raise ValueError(
            f"set_printoptions: profile must be one of {sorted(_PROFILES)}, got {profile!r}"
        )
    chosen = dict(_PROFILES.get(profile or "", {}))
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    chosen.update({name: value for name, value in given.items() if value is not None})
    for name, value in chosen.items():
        number = number_of if name == "threshold" else int_of
        chosen[name] = number("set_printoptions", name, value)
        if not chosen[name] >= 0:
            raise ValueError(f"set_printoptions: {name} must be 0 or more, got {value!r}")
    if sci_mode is not None:
        bool_of("set_printoptions", "sci_mode", sci_mode)
    for name, value in chosen.items():
        setattr(_Options, name, value)
    _Options.sci_mode = sci_mode


def tensor_text(tensor: _core.Tensor) -> str:
    """The repr: elements, then what is not the default."""
    tensor, whole = tensor.detach(), tensor  # looking records nothing
    prefix = "tensor(" if type(whole) is _core.Tensor else f"{type(whole).__name__}("
    indent = len(prefix)
    if tensor.is_meta:
        body = "..."
    elif tensor.numel() == 0:
        body = "[]"
    else:
        summarized = tensor.numel() > _Options.threshold
        shown = _corners(tensor) if summarized else tensor
        # Of a 0-d tensor the list is a number.
        values = shown.cpu().tolist()
        formatter = _formatter(_flat(values), tensor.dtype)
        body = _nested(values, tensor.shape, indent, summarized, formatter)
    return _with_suffixes(prefix + body, _suffixes(whole), indent)


def _node_name(tensor: _core.Tensor) -> str:
    """The name of its node; "" without one. A view that can no longer be used has no valid one."""
    try:
        node = tensor.grad_fn
    except AutogradError:
        return "Invalid"
    return node.name() if node is not None else ""


def _suffixes(tensor: _core.Tensor) -> list[str]:
    suffixes = []
    empty = tensor.numel() == 0
    if empty and tensor.ndim != 1 and not tensor.is_meta:
        suffixes.append(f"size={tensor.shape}")
    if tensor.device.type != "cpu":
        suffixes.append(f"device='{tensor.device}'")
    if tensor.is_meta:
        suffixes.append(f"size={tensor.shape}")
    default = _core.get_default_dtype()
    twice = _core.complex128 if default is _core.float64 else _core.complex64
    plain = (
        (default,)
        if empty or tensor.is_meta
        else (default, twice, _core.int64, _core.dtype("bool"))
    )
    if tensor.dtype not in plain:
        suffixes.append(f"dtype={tensor.dtype}")
    node = _node_name(tensor)
    if node:
        suffixes.append(f"grad_fn=<{node}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    if tensor.is_cuda and tensor.device.simulated:
        suffixes.append("simulated=True")
    return suffixes


def _with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Suffixes after the elements, on a new line if they do not fit."""
    parts = [text]
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > _Options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            used = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            used += len(suffix) + 2
    return "".join(parts) + ")"


def _corners(tensor: _core.Tensor, dim: int = 0) -> _core.Tensor:
    """The first and last elements along every dimension that is shortened."""
    if dim == tensor.ndim:
        return tensor
    size = tensor.shape[dim]
    if size > 2 * _Options.edgeitems:
        first = tensor.narrow(dim, 0, _Options.edgeitems)
        last = tensor.narrow(dim, size - _Options.edgeitems, _Options.edgeitems)
        return _core.cat([_corners(first, dim + 1), _corners(last, dim + 1)], dim)
    return _corners(tensor, dim + 1)


def _flat(values: Any) -> list[Any]:
    if not isinstance(values, list):
        return [values]
    return [leaf for item in values for leaf in _flat(item)]


class _Formatter:
    """One format for all numbers, so that columns line up."""

    def __init__(self, values: list[Any], floating: bool) -> None:
        self.floating = floating
        self.whole = True
        self.scientific = False
        shown = values
        if floating:
            # As in torch, zeros, infinities and NaN follow the format of the other numbers.
            shown = [value for value in values if math.isfinite(value) and value != 0]
            if shown:
                self._choose(shown)
        self.width = max((len(self._plain(value)) for value in shown), default=1)

    def _choose(self, finite: list[float]) -> None:
        largest = max(abs(value) for value in finite)
        smallest = min(abs(value) for value in finite)
        self.whole = all(value == math.ceil(value) for value in finite)
        wide = largest / smallest > 1000 or largest > 1e8
        self.scientific = wide or (not self.whole and smallest < 1e-4)
        if _Options.sci_mode is not None:
            self.scientific = _Options.sci_mode

    def _plain(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{_Options.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{_Options.precision}f}"

    def text(self, value: Any) -> str:
        return self._plain(value).rjust(self.width)


class _ComplexFormatter:
    """A format for the real parts and one for the imaginary ones."""

    def __init__(self, values: list[complex]) -> None:
        self.real = _Formatter([value.real for value in values], True)
        self.imag = _Formatter([value.imag for value in values], True)
        self.width = self.real.width + self.imag.width + 1

    def text(self, value: complex) -> str:
        imag = self.imag.text(value.imag).lstrip()
        sign = "" if imag.startswith("-") else "+"
        return f"{self.real.text(value.real)}{sign}{imag}j"


def _formatter(values: list[Any], dtype: _core.dtype) -> _Formatter | _ComplexFormatter:
    if dtype in COMPLEX:
        return _ComplexFormatter(values)
    return _Formatter(values, _HAS_FRACTIONS[dtype])


def _nested(
    values: Any,
    shape: tuple[int, ...],
    indent: int,
    summarized: bool,
    formatter: _Formatter | _ComplexFormatter,
) -> str:
    if not shape:
        return formatter.text(values)
    shortened = summarized and shape[0] > 2 * _Options.edgeitems
    if len(shape) == 1:
        return _vector(values, indent, shortened, formatter)
    parts = [_nested(item, shape[1:], indent + 1, summarized, formatter) for item in values]
    if shortened:
        parts[_Options.edgeitems : _Options.edgeitems] = ["..."]
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


def _vector(
    values: list[Any], indent: int, shortened: bool, formatter: _Formatter | _ComplexFormatter
) -> str:
    per_line = max(1, (_Options.linewidth - indent) // (formatter.width + 2))
    words = [formatter.text(value) for value in values]
    if shortened:
        words[_Options.edgeitems : _Options.edgeitems] = [" ..."]
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
