"""The stub takes what torch's stub takes, for each parameter that a function of both has.

The yardstick is torch's own text: `torch/_C/_VariableFunctions.pyi` and the tensor's class in
`torch/_C/__init__.pyi`. What is left is listed here with the reason, and refused at run time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import gpukit

Types = dict[str, set[str]]  # of a function: by parameter
Functions = dict[str, Types]

# What names of types stand for, in both stubs.
MEANING = {
    "_int": ["int"],
    "_float": ["float"],
    "_bool": ["bool"],
    "_complex": ["complex"],
    "Number": ["int", "float", "bool"],
    "RealNumber": ["int", "float", "bool"],
    "_size": ["Sequence[int]"],
    "_symsize": ["Sequence[int]"],
    "_dtype": ["dtype"],
    "_device": ["device"],
    "DeviceLikeType": ["str", "device", "int"],
    "DeviceLike": ["str", "device", "int"],
    "DTypeLike": ["dtype", "str", "type"],
    "SymInt": ["int"],
    "memory_format": ["str"],  # a class of text in gpukit
    "SymBool": ["bool"],
}
# A type checker takes an int where a float is asked for, and a bool where an int is.
WIDER = {"bool": {"int", "float"}, "int": {"float"}}

# Types that no gpukit function accepts.
NEVER = {
    "SymFloat": "a number of torch's compiler",
    "EllipsisType": "names of dimensions are not part of gpukit",
    "Sequence[str | EllipsisType | None]": "names of dimensions are not part of gpukit",
}
# (parameter, type) that gpukit refuses: the reason, and a call that shows it.
X = gpukit.ones(2, 2)
REFUSED = {
    ("requires_grad", "None"): (
        "True or False is needed; leaving it out is False",
        lambda: gpukit.zeros(2, requires_grad=None),
    ),
    ("pin_memory", "None"): (
        "True or False is needed; leaving it out is False",
        lambda: gpukit.zeros(2, pin_memory=None),
    ),
    ("stable", "None"): (
        "True or False is needed; every sort is stable",
        lambda: gpukit.sort(X, stable=None),
    ),
    ("steps", "None"): (
        "torch's default of 100 is deprecated there",
        lambda: gpukit.linspace(0, 1, steps=None),
    ),
    ("dx", "complex"): ("distances are real", lambda: gpukit.trapezoid(X, dx=1j)),
    ("spacing", "complex"): ("distances are real", lambda: gpukit.gradient(X, spacing=1j)),
    ("spacing", "Sequence[bool | complex | float | int]"): (
        "distances are real; the rest of them is taken",
        lambda: gpukit.gradient(X, spacing=[1, 1j]),
    ),
    ("indices", "None"): ("places are tensors", lambda: X.index_put_(None, X)),
    ("indices", "Sequence[None | Tensor]"): (
        "places are tensors; x[:, index] = values takes whole dimensions",
        lambda: gpukit.index_put(X, (None, gpukit.tensor([0])), gpukit.tensor(1.0)),
    ),
    ("p", "complex"): ("norms have real orders", lambda: gpukit.renorm(X, 1j, 0, 1.0)),
    ("maxnorm", "complex"): ("norms are real", lambda: gpukit.renorm(X, 2, 0, 1j)),
    **{
        ("source", kind): ("a tensor is needed", lambda: X.clone().set_(X.untyped_storage()))
        for kind in ("Storage", "TypedStorage", "UntypedStorage")
    },
    ("out", "Tensor"): (
        "two results need two tensors; torch's stub takes one, torch refuses it",
        lambda: gpukit.sort(X, out=X),
    ),
    ("buffer", "Any"): (
        "a buffer is needed",
        lambda: gpukit.frombuffer([1], dtype=gpukit.int8),
    ),
}


STUB = Path(gpukit.__file__).parent / "_core.pyi"


def kinds(node: ast.expr | None) -> Iterator[str]:
    """The single types of an annotation."""
    if isinstance(node, ast.BinOp):
        yield from kinds(node.left)
        yield from kinds(node.right)
    elif isinstance(node, ast.Subscript):
        yield from generic(node)
    elif isinstance(node, ast.Constant):
        yield str(node.value)
    elif node is not None:
        name = ast.unparse(node).rpartition(".")[2]
        yield from MEANING.get(name, [name])


def generic(node: ast.Subscript) -> Iterator[str]:
    """Optional, Union and Literal taken apart; lists and tuples of one type are sequences."""
    name = ast.unparse(node.value).rpartition(".")[2]
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in {"Optional", "Union"}:
        yield from (kind for each in inner for kind in kinds(each))
        yield from ["None"] if name == "Optional" else []
    elif name == "Literal":
        yield from {type(ast.literal_eval(each)).__name__ for each in inner}
    elif name in {"list", "List", "tuple", "Tuple", "Sequence"}:
        items = {kind for each in inner for kind in kinds(each)} - {"Ellipsis"}
        yield f"Sequence[{' | '.join(sorted(items))}]"
    else:
        yield name


def functions(path: Path, owner: str | None) -> Functions:
    """The functions of a stub, or the methods of a class in it, with what their overloads take."""
    text = path.read_text(encoding="utf-8")
    if path == STUB:  # torch writes complex beside its Number
        text = re.sub(r"(?m)(?<=[:|\[] )Number\b|(?<=\[)Number\b", "Number | complex", text)
    body = ast.parse(text).body
    if owner is not None:
        classes = [node for node in body if isinstance(node, ast.ClassDef)]
        body = next(node.body for node in classes if node.name == owner)
    found: Functions = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            taken = found.setdefault(node.name, {})
            every = node.args
            for each in [*every.posonlyargs, *every.args, *every.kwonlyargs]:
                taken.setdefault(each.arg, set()).update(kinds(each.annotation))
            if every.vararg:
                taken.setdefault(every.vararg.arg, set()).update(kinds(every.vararg.annotation))
    return found


def accepts(ours: set[str], kind: str) -> bool:
    if items_of(kind) and any(
        all(accepts(items_of(each), item) for item in items_of(kind)) for each in ours
    ):
        return True
    return bool({kind, "object", "Any"} & ours or WIDER.get(kind, set()) & ours)


def items_of(kind: str) -> set[str]:
    """What a sequence holds; a sequence of fewer kinds is also one of more."""
    inner = kind.removeprefix("Sequence[").removesuffix("]")
    return set() if inner == kind else set(inner.split(" | "))


def differences(ours: Functions, theirs: Functions) -> list[tuple[str, str, str]]:
    return [
        (name, parameter, kind)
        for name in sorted(set(ours) & set(theirs))
        for parameter in sorted(set(ours[name]) & set(theirs[name]))
        for kind in sorted(theirs[name][parameter])
        if parameter != "self" and not accepts(ours[name][parameter], kind)
    ]


TORCH = Path(torch.__file__).parent / "_C"
PAIRS = {
    "functions": (functions(STUB, None), functions(TORCH / "_VariableFunctions.pyi", None)),
    "methods": (functions(STUB, "Tensor"), functions(TORCH / "__init__.pyi", "TensorBase")),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_the_stub_takes_what_torchs_takes(kind: str) -> None:
    ours, theirs = PAIRS[kind]
    found = [each for each in differences(ours, theirs) if each[2] not in NEVER]
    assert [each for each in found if each[1:] not in REFUSED] == []


@pytest.mark.parametrize("kind", PAIRS)
def test_the_stubs_share_many_parameters(kind: str) -> None:
    ours, theirs = PAIRS[kind]
    shared = sum(len(set(ours[name]) & set(theirs[name])) for name in set(ours) & set(theirs))
    assert shared > 250


def test_the_list_holds_what_differs_and_no_more() -> None:
    found = {each[1:] for pair in PAIRS.values() for each in differences(*pair)}
    assert set(REFUSED) <= found


@pytest.mark.parametrize("case", REFUSED, ids=" ".join)
def test_what_the_stub_does_not_take_is_refused(case: tuple[str, str]) -> None:
    reason, call = REFUSED[case]
    assert reason
    with pytest.raises(TypeError):
        call()
