"""Every parameter of every function gets a wrong value: a typed error, and the next call works."""

from __future__ import annotations

import gc
import re
from typing import Any

import numpy as np
import pytest

import gpukit
from gpukit import _core

TYPED = (TypeError, ValueError, IndexError, gpukit.GpukitError)

# Values that are good for a parameter of that name, where a call needs one.
GOOD: dict[str, Any] = {
    "input": lambda: gpukit.ones(2, 2),
    "condition": lambda: gpukit.ones(2, 2) > 0,
    "input2": lambda: gpukit.eye(2),
    "other": lambda: gpukit.ones(2, 2),
    "tensors": lambda: [gpukit.ones(2), gpukit.ones(2)],
    "mat1": lambda: gpukit.ones(2, 2),
    "mat2": lambda: gpukit.ones(2, 2),
    "vec": lambda: gpukit.ones(2),
    "vec2": lambda: gpukit.ones(2),
    "mask": lambda: gpukit.ones(2, 2) > 0,
    "index": lambda: gpukit.tensor([0, 1]),
    "source": lambda: gpukit.ones(2, 2),
    "src": lambda: gpukit.ones(2, 2),
    "data": lambda: [1.0, 2.0],
    "obj": lambda: [1.0, 2.0],
    "ndarray": lambda: np.ones(2),
    "array": lambda: np.ones(2),
    "size": lambda: (2, 2),
    "shape": lambda: (2, 2),
    "dims": lambda: (0, 1),
    "repeats": lambda: (1, 1),
    "dim": lambda: 0,
    "dim0": lambda: 0,
    "dim1": lambda: 1,
    "fill_value": lambda: 1.0,
    "value": lambda: 1.0,
    "exponent": lambda: 2.0,
    "start": lambda: 0,
    "end": lambda: 2,
    "length": lambda: 1,
    "steps": lambda: 3,
    "n": lambda: 3,
    "k": lambda: 1,
    "low": lambda: 10,
    "chunks": lambda: 2,
    "split_size_or_sections": lambda: 1,
    "precision": lambda: "highest",
    "dtype": lambda: gpukit.float32,
    "cls": lambda: gpukit.Tensor,
    "equation": lambda: "...",
    "operands": lambda: gpukit.ones(2, 2),
    "sorted_sequence": lambda: gpukit.ones(2),
    "y": lambda: gpukit.ones(2),
    "xp": lambda: gpukit.ones(2),
    "fp": lambda: gpukit.ones(2),
    "elements": lambda: gpukit.ones(2, 2),
    "test_elements": lambda: gpukit.ones(2, 2),
    "indices": lambda: gpukit.tensor([[0, 1], [1, 0]]),
    "destination": lambda: 0,
    "shifts": lambda: (1, 1),
    "shapes": lambda: [(2, 2)],
    "device": lambda: "cpu",
    "A": lambda: gpukit.eye(2),
    "LU_data": lambda: gpukit.eye(2),
    "LU_pivots": lambda: gpukit.tensor([1, 2], dtype="int32"),
    "real": lambda: gpukit.ones(2),
    "imag": lambda: gpukit.ones(2),
    "abs": lambda: gpukit.ones(2),
    "angle": lambda: gpukit.ones(2),
    "tensor1": lambda: gpukit.ones(2, 2),
    "tensor2": lambda: gpukit.ones(2, 2),
    "weight": lambda: 0.5,
    "x1": lambda: gpukit.ones(2, 2),
    "x2": lambda: gpukit.ones(2, 2),
    "batch1": lambda: gpukit.ones(1, 2, 2),
    "batch2": lambda: gpukit.ones(1, 2, 2),
    "boundaries": lambda: gpukit.ones(2),
    "a": lambda: gpukit.ones(2),
    "v": lambda: gpukit.ones(2),
    "values": lambda: gpukit.ones(()),
    "reduce": lambda: "sum",
    "sizes": lambda: (2, 1),
    "stride": lambda: (1, 1),
}
# Functions whose first parameter has one dimension, and the like.
SPECIAL: dict[tuple[str, str], Any] = {
    **{(f, "mat"): lambda: gpukit.ones(2, 2) for f in ("addmv", "addmv_")},
    **{(f, "input"): lambda: gpukit.ones(2) for f in ("addmv", "addmv_")},
    **{(f, "vec1"): lambda: gpukit.ones(2) for f in ("addr", "addr_")},
    ("map_", "tensor"): lambda: gpukit.ones(2, 2),
    ("stft", "input"): lambda: gpukit.ones(16),
    ("stft", "n_fft"): lambda: 8,
    ("istft", "input"): lambda: gpukit.stft(gpukit.ones(16), 8, return_complex=True),
    ("istft", "n_fft"): lambda: 8,
    ("nonzero_static", "size"): lambda: 3,
    ("geometric_", "p"): lambda: 0.5,
    ("put", "source"): lambda: gpukit.ones(2),
    ("index_reduce", "reduce"): lambda: "prod",
    ("index_reduce_", "reduce"): lambda: "prod",
    ("select_scatter", "index"): lambda: 0,
    ("select_scatter", "src"): lambda: gpukit.ones(2),
    ("dsplit", "input"): lambda: gpukit.ones(2, 2, 2),
    ("dot", "input"): lambda: gpukit.ones(2),
    ("dot", "other"): lambda: gpukit.ones(2),
    ("outer", "input"): lambda: gpukit.ones(2),
    ("bmm", "input"): lambda: gpukit.ones(1, 2, 2),
    ("bmm", "mat2"): lambda: gpukit.ones(1, 2, 2),
    ("gather", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter_", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter_add_", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter_add", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("randint", "size"): lambda: (2,),
    ("item", "input"): lambda: gpukit.ones(1),
    ("select", "index"): lambda: 0,
    ("expand", "size"): lambda: (2, 2),
    ("moveaxis", "source"): lambda: 0,
    ("movedim", "source"): lambda: 0,
    ("interp", "x"): lambda: gpukit.ones(2),
    ("vander", "x"): lambda: gpukit.ones(2),
    ("cross", "input"): lambda: gpukit.ones(2, 3),
    ("cross", "other"): lambda: gpukit.ones(2, 3),
    ("lerp", "end"): lambda: gpukit.ones(2, 2),
    ("lerp_", "end"): lambda: gpukit.ones(2, 2),
    ("combinations", "input"): lambda: gpukit.ones(2),
    ("index_put", "indices"): lambda: (gpukit.tensor([0, 1]),),
    ("index_put_", "indices"): lambda: (gpukit.tensor([0, 1]),),
    ("put_", "source"): lambda: gpukit.ones(2),
    ("unfold", "size"): lambda: 1,
    ("scatter_reduce", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
    ("scatter_reduce_", "index"): lambda: gpukit.tensor([[0, 1], [1, 0]]),
}
# Arguments that are optional in the signature, but needed.
EXTRA: dict[str, dict[str, Any]] = {
    "arange": {"end": 5},
    "stft": {"return_complex": True},
    "randint": {"high": 20, "size": (2,)},
    "where": {"input": gpukit.ones(2, 2), "other": 2.0},
    "normal": {"mean": 0.0, "size": (2,)},
}
# Parameters that take anything: Python protocols, and what is only meant for NumPy.
FREE = {
    ("__deepcopy__", "memo"),
    ("__reduce_ex__", "protocol"),
    ("__array__", "dtype"),
    ("__array__", "copy"),
    ("__array_wrap__", "context"),
    ("__array_wrap__", "return_scalar"),
    ("cdist", "compute_mode"),  # nothing reads it
}
# Needs a GPU to get as far as its arguments.
SKIPPED = {"pin_memory", "record_stream"}


class Nothing:
    """A value that fits no parameter."""

    def __repr__(self) -> str:
        return "<nothing>"


def parameters(signature: str) -> list[tuple[str, bool, bool]]:
    """(name, is required, is variadic) of a signature text."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    found = []
    for part in re.split(r",\s*(?![^()]*\))", inside):
        if part in {"", "*"}:
            continue
        name = part.lstrip("*").split("=")[0]
        found.append((name, "=" not in part, part.startswith("*")))
    return found


def entry_points() -> list[tuple[str, str, str, bool]]:
    """The functions that users see; those that only nn and optim call are tested with them."""
    return [
        row
        for row in _core.entry_points()
        if row[2] == "method" or getattr(gpukit, row[0], None) is getattr(_core, row[0], row)
    ]


def good(function: str, name: str) -> Any:
    return SPECIAL.get((function, name), GOOD.get(name, lambda: 1))()


def cases() -> list[tuple[str, str, str, str]]:
    """(function, signature, where, parameter)."""
    rows = []
    for function, signature, where, _ in entry_points():
        if function in SKIPPED:
            continue
        for name, _, _ in parameters(signature):
            if (function, name) not in FREE and not (where == "method" and name == "input"):
                rows.append((function, signature, where, name))
    return rows


def call(function: str, signature: str, where: str, changed: dict[str, Any]) -> Any:
    keywords = {
        name: good(function, name) for name, required, _ in parameters(signature) if required
    }
    keywords |= {**EXTRA.get(function, {}), **changed}
    if where == "method":
        return getattr(keywords.pop("input", gpukit.ones(2, 2)), function)(**keywords)
    return getattr(gpukit, function)(**keywords)


@pytest.mark.parametrize(("function", "signature", "where", "name"), cases())
def test_wrong_type_of_every_parameter(function, signature, where, name):
    with pytest.raises(TYPED) as caught:
        call(function, signature, where, {name: Nothing()})
    assert not isinstance(caught.value, SystemError)
    message = str(caught.value)
    assert name.rstrip("_") in message or function in message
    assert "<nothing>" in message or "Nothing" in message, (
        f"{message} (if another argument is refused, it needs a value in GOOD or SPECIAL)"
    )
    assert gpukit.ones(2).sum().item() == 2.0


# Functions that compute by another one: their errors name what the caller wrote.
OLDER_FORMS = ("cholesky_solve", "lu_solve", "lu_unpack", "triangular_solve", "cross", "vander")


@pytest.mark.parametrize(
    ("function", "signature", "where", "name"),
    [row for row in cases() if row[0] in OLDER_FORMS and row[3] != "out"],
)
def test_errors_of_older_forms_name_both(function, signature, where, name):
    with pytest.raises(TypeError, match=rf"^{function}: {name} must be .*<nothing>"):
        call(function, signature, where, {name: Nothing()})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            lambda: gpukit.lu_solve(gpukit.ones(3, 1), gpukit.eye(2), gpukit.ones(2).int()),
            r"lu_solve: LU_data is \(2, 2\) and input \(3, 1\)",
        ),
        (
            lambda: gpukit.triangular_solve(gpukit.ones(3, 1), gpukit.eye(2)),
            r"triangular_solve: A is \(2, 2\) and input \(3, 1\)",
        ),
        (
            lambda: gpukit.cholesky_solve(gpukit.ones(3, 1), gpukit.eye(2)),
            r"cholesky_solve: input2 is \(2, 2\) and input \(3, 1\)",
        ),
    ],
)
def test_sizes_of_older_forms_are_those_of_their_arguments(wrong, words):
    with pytest.raises(gpukit.ShapeError, match=f"^{words}; the size 3 of input must be 2"):
        wrong()


def test_the_flag_of_a_unit_triangle_is_named():
    eye = gpukit.eye(2)
    with pytest.raises(TypeError, match=r"^linalg\.solve_triangular: unitriangular must be"):
        gpukit.linalg.solve_triangular(eye, eye, upper=True, unitriangular=1)


@pytest.mark.parametrize(
    ("function", "signature", "where"),
    [row[:3] for row in entry_points() if row[0][:2] != "__"],
)
def test_unknown_and_missing_arguments(function, signature, where):
    target = gpukit.ones(2, 2) if where == "method" else gpukit
    with pytest.raises(TypeError, match="nonsense"):
        getattr(target, function)(nonsense=1)
    names = [name for name, required, _ in parameters(signature) if required]
    needed = names[1:] if where == "method" else names
    if needed and function != "new":  # which makes a tensor without elements then
        with pytest.raises(TypeError, match=f"'{needed[0]}' is missing|{needed[0]}"):
            getattr(target, function)()


class Emptying:
    """A number whose reading empties a list."""

    def __init__(self, victim: list[object]) -> None:
        self.victim = victim

    def __index__(self) -> int:
        self.victim.clear()
        gc.collect()
        return 2


class Filling(Emptying):
    """One whose reading makes a list longer than it was."""

    def __index__(self) -> int:
        self.victim += [1.0] * 100_000
        return 2


READERS_OF_LISTS = {
    "zeros": gpukit.zeros,
    "reshape": lambda sizes: gpukit.ones(16).reshape(sizes),
    "sum": lambda dims: gpukit.sum(gpukit.ones(2, 2, 2), dims),
    "permute": lambda dims: gpukit.ones(2, 3, 4).permute(dims),
    "split": lambda sizes: gpukit.ones(16).split(sizes),
    "index": lambda places: gpukit.ones(3, 3)[places],
    "tensor": gpukit.tensor,
    "tensor of rows": lambda row: gpukit.tensor([row, [1.0] * 8]),
    "float64": lambda numbers: gpukit.tensor(numbers, dtype="float64"),
}


@pytest.mark.parametrize("name", READERS_OF_LISTS)
@pytest.mark.parametrize("kind", [Emptying, Filling])
def test_a_list_that_changes_while_it_is_read(name, kind):
    numbers: list[object] = []
    numbers += [kind(numbers), *(object() for _ in range(6)), 1.5]
    with pytest.raises((TypeError, ValueError, IndexError), match=r"\w"):
        READERS_OF_LISTS[name](numbers)
    assert gpukit.ones(2).sum().item() == 2


@pytest.mark.parametrize("kind", [Emptying, Filling])
def test_rows_that_change_while_others_are_read(kind):
    row: list[object] = [1.0, 2.0]
    with pytest.raises(ValueError, match=r"changed while it was read|ragged"):
        gpukit.tensor([[kind(row), 2.0], row])


def test_a_format_that_is_no_text_of_unicode():
    with pytest.raises(TypeError, match="has no format"):
        format(gpukit.ones(2), "\ud800")


class Reading(np.ndarray):
    """An array of a class of the user's."""


@pytest.mark.parametrize(
    "array",
    [
        np.ma.array([1.0, 2.0]),
        np.ones(2).view(Reading),
    ],
    ids=lambda array: type(array).__name__,
)
@pytest.mark.parametrize(
    "call",
    [
        lambda x, a: x + a,
        lambda x, a: a - x,
        lambda x, a: x * a,
        lambda x, a: x < a,
        lambda x, a: x.__iadd__(a),
    ],
)
def test_arrays_of_other_classes_are_no_operands(array, call):
    with pytest.raises(TypeError, match=r"an operand is a NumPy array .*from_numpy"):
        call(gpukit.zeros(2), array)
