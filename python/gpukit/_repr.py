"""Text of a tensor, as torch prints it. Copies only the elements that are shown."""

from __future__ import annotations

import math
from typing import Any

from gpukit import _core

_PRECISION = 4
_LINE_WIDTH = 80
_THRESHOLD = 1000
_EDGE = 3


def tensor_text(tensor: _core.Tensor) -> str:
    """The repr: elements, then what is not the default."""
    tensor, whole = tensor.detach(), tensor  # looking records nothing
    prefix = "tensor(" if type(whole) is _core.Tensor else f"{type(whole).__name__}("
    indent = len(prefix)
    if tensor.numel() == 0:
        body = "[]"
    else:
        summarized = tensor.numel() > _THRESHOLD
        shown = _corners(tensor) if summarized else tensor
        # Of a 0-d tensor the list is a number.
        values = shown.cpu().tolist()
        formatter = _Formatter(_flat(values), tensor.is_floating_point())
        body = _nested(values, tensor.shape, indent, summarized, formatter)
    return _with_suffixes(prefix + body, _suffixes(whole), indent)


def _suffixes(tensor: _core.Tensor) -> list[str]:
    suffixes = []
    empty = tensor.numel() == 0
    if empty and tensor.ndim != 1:
        suffixes.append(f"size={tensor.shape}")
    if tensor.is_cuda:
        suffixes.append(f"device='{tensor.device}'")
    default = _core.get_default_dtype()
    plain = (default,) if empty else (default, _core.int64, getattr(_core, "bool"))  # noqa: B009
    if tensor.dtype not in plain:
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    if tensor.is_cuda and tensor.device.simulated:
        suffixes.append("simulated=True")
    return suffixes


def _with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Suffixes behind the elements, on a new line where they do not fit."""
    parts = [text]
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > _LINE_WIDTH:
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
    if size > 2 * _EDGE:
        first = tensor.narrow(dim, 0, _EDGE)
        last = tensor.narrow(dim, size - _EDGE, _EDGE)
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

    def _plain(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{_PRECISION}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{_PRECISION}f}"

    def text(self, value: Any) -> str:
        return self._plain(value).rjust(self.width)


def _nested(
    values: Any, shape: tuple[int, ...], indent: int, summarized: bool, formatter: _Formatter
) -> str:
    if not shape:
        return formatter.text(values)
    shortened = summarized and shape[0] > 2 * _EDGE
    if len(shape) == 1:
        return _vector(values, indent, shortened, formatter)
    parts = [_nested(item, shape[1:], indent + 1, summarized, formatter) for item in values]
    if shortened:
        parts[_EDGE:_EDGE] = ["..."]
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


def _vector(values: list[Any], indent: int, shortened: bool, formatter: _Formatter) -> str:
    per_line = max(1, (_LINE_WIDTH - indent) // (formatter.width + 2))
    words = [formatter.text(value) for value in values]
    if shortened:
        words[_EDGE:_EDGE] = [" ..."]
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
