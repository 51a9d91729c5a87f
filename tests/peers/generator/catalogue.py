"""Every public gpukit callable that a peer has too: what it takes, and how close results must be."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from support.operators import OPERATORS as OPERATORS_OF_THE_TABLE
from support.operators import Operator

from .catalogue_numpy import API
from .catalogue_torch import FUNCTIONS, LINALG, METHODS, NETWORK, PROPERTIES, F


@dataclass(frozen=True)
class Parameter:
    """One argument: its name, the role that draws it, whether it may be left out or needs its name."""

    name: str
    role: str
    optional: bool
    keyword_only: bool


@dataclass(frozen=True)
class Row:
    """One callable in one form."""

    name: str
    form: str
    parameters: tuple[Parameter, ...]
    peer: str
    kind: str = "any"  # dtypes of the first tensor
    profiles: tuple[str, ...] = ("plain", "special", "wide")
    near: str = "exact"  # exact, close, summed, drawn, choice, shape
    differentiable: bool = False
    weight: float = 1.0
    library: str = "torch"

    @property
    def key(self) -> str:
        """What names the row in a record."""
        prefix = "array_api." if self.library == "numpy" else ""
        return f"{self.form} {prefix}{self.name}"


def parsed(text: str) -> tuple[Parameter, ...]:
    """`input:x other:operand? *out:out?`: `*` needs its name, `?` may be left out."""
    found = []
    for word in text.split():
        name, _, role = word.strip("*?").partition(":")
        found.append(Parameter(name, role, word.endswith("?"), word.startswith("*")))
    return tuple(found)


OPERATORS = (
    "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift matmul lt le eq ne gt ge"
)
INTEGRAL = {"and_", "or_", "xor", "lshift", "rshift"}
UNARY_OPERATORS = "neg pos abs invert"
IN_PLACE = "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift imatmul"
PEERS = {  # gpukit's name: torch's
    "permute_dims": "permute",
    "unstack": "unbind",
    "vecdot": "linalg.vecdot",
    "gelu": "nn.functional.gelu",
    "linalg.outer": "outer",
}


def _has(owner: Any, dotted: str) -> bool:
    for part in dotted.split("."):
        if not hasattr(owner, part):
            return False
        owner = getattr(owner, part)
    return True


def _operator_rows() -> list[Row]:
    rows = []
    for name in OPERATORS.split():
        kind = "integral" if name in INTEGRAL else "any"
        near = {"matmul": "summed", "truediv": "close", "pow": "close"}.get(name, "exact")
        profiles = ("summed",) if near == "summed" else ("plain", "special", "wide")
        role = "factor" if name == "matmul" else "operand"
        options: dict[str, Any] = {
            "kind": kind,
            "near": near,
            "profiles": profiles,
            "differentiable": True,
        }
        rows.append(Row(name, "operator", parsed(f"a:x b:{role}"), name, **options))
        if name != "matmul":
            rows.append(Row(name, "reversed operator", parsed("a:x b:number"), name, **options))
    rows += [
        Row(name, "operator", parsed("a:x"), name, differentiable=True)
        for name in UNARY_OPERATORS.split()
    ]
    for name in IN_PLACE.split():
        kind = "integral" if name[1:] in {"and", "or", "xor", "lshift", "rshift"} else "any"
        near = {"imatmul": "summed", "itruediv": "close", "ipow": "close"}.get(name, "exact")
        profiles = ("summed",) if near == "summed" else ("plain", "special", "wide")
        role = "factor" if name == "imatmul" else "operand"
        rows.append(
            Row(
                name, "in-place operator", parsed(f"a:x b:{role}"), name, kind, profiles, near, True
            )
        )
    assert all(hasattr(operator, row.name) for row in rows)
    return rows


def _table_rows() -> list[Row]:
    import torch

    import gpukit

    found = []
    for names, text, options in FUNCTIONS:
        for name in names.split():
            peer = PEERS.get(name, name)
            if hasattr(gpukit, name):
                found.append(Row(name, "function", parsed(text), peer, **options))
            both = hasattr(gpukit.Tensor, name) and hasattr(torch.Tensor, peer)
            if both and text.startswith("input:"):
                kept = " ".join(word for word in text.split() if not word.startswith("*out"))
                found.append(Row(name, "method", parsed(kept), peer, **options))
    return found


def _written() -> dict[str, tuple[str, dict[str, Any]]]:
    """Parameters and options of the functions and methods that catalogue_torch has."""
    return {
        name: (text, options)
        for names, text, options in (*FUNCTIONS, *METHODS)
        for name in names.split()
    }


def _elementwise_options(operator: Operator) -> dict[str, Any]:
    options: dict[str, Any] = {"differentiable": operator.differentiable}
    if operator.domain == "function":
        options |= {"kind": "mostly float", "near": "close"}
    if operator.domain in {"bitwise", "shift"}:
        options["kind"] = "integral"
    return options


def _elementwise_rows() -> list[Row]:
    """What elementwise.def makes beyond the rows that are written: new operators, in-place forms."""
    import torch

    written, found = _written(), []
    number = {"bitwise", "shift", "comparison"}
    for row in OPERATORS_OF_THE_TABLE.values():
        other = "operand" if row.domain in number else "tensor_operand"
        plain = "input:x" if row.operands == 1 else f"input:x other:{other}"
        options = _elementwise_options(row)
        for name in (row.name, *row.aliases):
            if name not in written and hasattr(torch, name):
                out = " *out:out?" if row.out else ""
                found.append(Row(name, "function", parsed(plain + out), name, **options))
                found.append(Row(name, "method", parsed(plain), name, **options))
            base = f"{row.name}_"
            if row.in_place and f"{name}_" not in written and hasattr(torch.Tensor, f"{name}_"):
                text, chosen = written.get(base, (plain.replace("input:", "self:"), options))
                found.append(Row(f"{name}_", "method", parsed(text), f"{name}_", **chosen))
    return found


def _method_rows() -> list[Row]:
    summed: dict[str, Any] = {"near": "summed", "profiles": ("summed",)}
    found = [
        Row(name, "method", parsed(text), name, **options)
        for names, text, options in METHODS
        for name in names.split()
    ]
    found += [Row(name, "property", parsed("self:x"), name) for name in PROPERTIES.split()]
    # methods whose peer is a function
    gelu = Row("gelu", "method", parsed("self:x"), "nn.functional.gelu", "mostly float")
    vecdot = parsed("self:x1 other:tensor_operand dim:dim?")
    tensordot = parsed("self:x other:same dims:contraction?")
    return [
        *found,
        replace(gelu, near="bounded", differentiable=True),
        Row("vecdot", "method", vecdot, "linalg.vecdot", "float", **summed),
        Row("tensordot", "method", tensordot, "tensordot", "number", **summed),
    ]


def _module_rows() -> list[Row]:
    found = [
        Row(prefix + name, "function", parsed(text), prefix + name, **options)
        for prefix, table in ((F, NETWORK), ("linalg.", LINALG))
        for names, text, options in table
        for name in names.split()
    ]
    found.append(Row("linalg.outer", "function", parsed("input:vector vec2:any_vector"), "outer"))
    for names, text, options in API:
        for name in names.split():
            peer = {"unique_values": "unique"}.get(name, name)  # NumPy's is not sorted
            found.append(Row(name, "function", parsed(text), peer, library="numpy", **options))
    return found


def _index_rows() -> list[Row]:
    get, put = parsed("self:x key:key"), parsed("self:x key:key value:assigned")
    return [
        Row("__getitem__", "get", get, "", differentiable=True, weight=12),
        Row("__setitem__", "set", put, "", near="repeats", weight=12),
    ]


@cache
def rows() -> tuple[Row, ...]:
    """All rows, each form that both libraries have."""
    import torch

    import gpukit

    found = [
        *_operator_rows(),
        *_table_rows(),
        *_elementwise_rows(),
        *_method_rows(),
        *_module_rows(),
        *_index_rows(),
    ]
    for row in found:
        if row.form == "function" and row.library == "torch":
            assert _has(gpukit, row.name) and _has(torch, row.peer), row
    return tuple(found)
