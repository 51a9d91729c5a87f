"""Every row documents arguments, result and errors, with types and an example."""

from __future__ import annotations

import re

import gpukit
from gpukit import _core

ROWS = [row for row in _core.stub_rows() if row[0] in {"function", "method"}]
PUBLIC = [
    row
    for row in ROWS
    if not row[1].startswith("_") and (row[0] == "method" or row[1] in _core.public_functions())
]


def docstring(kind: str, name: str) -> str:
    return getattr(gpukit.Tensor if kind == "method" else _core, name).__doc__ or ""


def lacks(kind: str, name: str) -> list[str]:
    """What the docstring of a row does not have."""
    text = docstring(kind, name)
    signature, meaning, *_ = [*text.split("\n\n"), "", ""]
    has = {
        "signature": signature.startswith(f"{name}("),
        "meaning": meaning.rstrip().endswith((".", ":")),
        "Returns": "\n\nReturns:\n    " in text,
        "Example": "\n\nExample:\n    >>> import gpukit" in text,
    }
    return [part for part, there in has.items() if not there]


def test_a_public_row_says_what_users_read() -> None:
    assert len(PUBLIC) > 400
    lacking = {row[:2]: lacks(*row[:2]) for row in PUBLIC}
    assert {row: parts for row, parts in lacking.items() if parts} == {}


def test_every_parameter_of_a_function_has_a_type() -> None:
    lacking = [
        (name, signature)
        for _, name, signatures, _ in ROWS
        for signature in signatures
        if re.search(r"\bAny\b", signature.rpartition(" -> ")[0])
    ]
    assert lacking == []


def test_no_name_stands_in_two_rows() -> None:
    names = [(row[0], row[1]) for row in ROWS]
    assert len(names) == len(set(names))


def test_public_functions_are_names_of_gpukit() -> None:
    names = _core.public_functions()
    assert set(names) <= set(gpukit.__all__)
    assert all(getattr(gpukit, name) is getattr(_core, name) for name in names)
    assert len(names) > 200


def test_functions_of_modules_are_no_names_of_gpukit() -> None:
    inner = {name for kind, name, *_ in ROWS if kind == "function"} - set(_core.public_functions())
    assert "sgd_step" in inner
    same = {
        name
        for name in inner & set(gpukit.__all__)
        if getattr(gpukit, name) is getattr(_core, name)
    }
    assert not same
