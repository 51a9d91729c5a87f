"""The functions over which dask's own tests try another kind of chunk, tried with gpukit's.

dask writes them for CuPy. Only the list is taken from its file.
"""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from packaging.version import Version

import gpukit
from gpukit.interop.dask import Chunk, from_tensor, to_numpy

# By place in the list: what gpukit lacks, with the reason.
LACKING = {
    "i0": "no Bessel functions",
}


def read_list() -> list[Any]:
    """The list of that name in dask's file, which itself needs CuPy to be imported."""
    spec = importlib.util.find_spec("dask.array.tests.test_cupy_core")
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    (found,) = [
        node
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "functions"
    ]
    stand_in = SimpleNamespace(angle=np.angle)
    names = {"cupy": stand_in, "da": da, "np": np, "pytest": pytest, "dask": dask}
    names |= {"cupy_version": Version("13.0.0"), "Version": Version}
    functions = eval(compile(ast.Expression(found.value), spec.origin, "eval"), names)
    return [getattr(each, "values", (each,))[0] for each in functions]


FUNCTIONS = read_list()


def called(function: Any) -> set[str]:
    """The names in its text; a constant may be a code object, whose words name its file."""
    return set(function.__code__.co_names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_dasks_list(number: int) -> None:
    function = FUNCTIONS[number]
    a = np.random.default_rng(0).random((2, 3, 4))
    ours = from_tensor(gpukit.tensor(a), chunks=(1, 2, 2))
    if LACKING.keys() & called(function):
        with pytest.raises(TypeError):
            function(ours).compute(scheduler="sync")
        return
    got = function(ours)
    wanted = function(da.from_array(a, chunks=(1, 2, 2))).compute(scheduler="sync")
    assert type(got._meta) is Chunk
    result = got.compute(scheduler="sync")
    assert type(result) is Chunk
    assert result.dtype == wanted.dtype
    if "empty_like" not in called(function):
        np.testing.assert_allclose(to_numpy(result), wanted)


def test_from_array_of_a_tensor_has_the_right_values() -> None:
    """NumPy's arrays, whatever the chunks: `from_tensor` keeps gpukit's."""
    x = gpukit.arange(12.0).reshape(3, 4)
    for chunks in ("auto", (1, 3)):
        for asarray in (None, False, True):
            given = da.from_array(x, chunks=chunks, asarray=asarray)
            found = ((given + 1) * 2).sum(axis=0).compute(scheduler="sync")
            assert np.asarray(found).tolist() == [30.0, 36.0, 42.0, 48.0]
