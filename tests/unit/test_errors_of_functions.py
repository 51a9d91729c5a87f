"""Dimensions, shapes and dtypes that do not fit, function by function."""

from __future__ import annotations

import re

import pytest

import gpukit

X = gpukit.ones(2, 3)
VECTOR = gpukit.ones(3)
INDEX = gpukit.tensor([0])
INTS = gpukit.ones(2, 3, dtype="int32")
BOOLS = INTS > 0

# Functions of one tensor and one dimension.
OF_A_DIMENSION = (
    {
        name: lambda dim, name=name: getattr(gpukit, name)(X, dim)
        for name in """
        sum mean prod amax amin max min argmax argmin all any var count_nonzero cumsum cumprod
        softmax log_softmax logsumexp sort argsort squeeze unsqueeze flip unbind unstack
    """.split()  # noqa: SIM905
    }
    | {
        "norm": lambda dim: gpukit.norm(X, dim=dim),
        "std": lambda dim: gpukit.std(X, dim=dim),
        "topk": lambda dim: gpukit.topk(X, 1, dim),
        "transpose": lambda dim: gpukit.transpose(X, 0, dim),
        "swapaxes": lambda dim: gpukit.swapaxes(X, dim, 0),
        "permute": lambda dim: gpukit.permute(X, 0, dim),
        "moveaxis": lambda dim: gpukit.moveaxis(X, dim, 0),
        "flatten": lambda dim: gpukit.flatten(X, dim),
        "narrow": lambda dim: gpukit.narrow(X, dim, 0, 1),
        "select": lambda dim: X.select(dim, 0),
        "split": lambda dim: gpukit.split(X, 1, dim),
        "split by sizes": lambda dim: gpukit.split(X, [1, 1], dim),
        "chunk": lambda dim: gpukit.chunk(X, 2, dim),
        "index_select": lambda dim: gpukit.index_select(X, dim, INDEX),
        "gather": lambda dim: gpukit.gather(X, dim, INDEX.expand(2, 1)),
        "take_along_dim": lambda dim: gpukit.take_along_dim(X, INDEX.expand(2, 1), dim),
        "roll": lambda dim: gpukit.roll(X, 1, dim),
        "diff": lambda dim: gpukit.diff(X, 1, dim),
        "repeat_interleave": lambda dim: gpukit.repeat_interleave(X, 2, dim),
        "cat": lambda dim: gpukit.cat([X, X], dim),
        "stack": lambda dim: gpukit.stack([X, X], dim),
        "vecdot": lambda dim: gpukit.vecdot(X, X, dim),
        "size": X.size,
        "stride": X.stride,
        "index_add_": lambda dim: X.clone().index_add_(dim, INDEX, X[:1]),
        "scatter_": lambda dim: X.clone().scatter_(dim, INDEX.expand(2, 1), X),
    }
)


@pytest.mark.parametrize("name", OF_A_DIMENSION)
@pytest.mark.parametrize("dim", [7, -8])
def test_dimension_out_of_range(name, dim):
    with pytest.raises(IndexError, match=str(dim)):
        OF_A_DIMENSION[name](dim)


@pytest.mark.parametrize("name", OF_A_DIMENSION)
@pytest.mark.parametrize("dim", [1.5, "0", 2**70])
def test_dimension_of_a_wrong_kind(name, dim):
    with pytest.raises((TypeError, ValueError, IndexError), match=str(dim)[:8]):
        OF_A_DIMENSION[name](dim)


OF_PLACES = {
    "index_select": lambda places: gpukit.index_select(X, 0, places),
    "index_add_": lambda places: X.clone().index_add_(0, places, X[:1]),
    "gather": lambda places: gpukit.gather(X, 0, places.reshape(1, 1)),
    "scatter_": lambda places: X.clone().scatter_(0, places.reshape(1, 1), X),
    "scatter_add_": lambda places: X.clone().scatter_add_(0, places.reshape(1, 1), X),
    "take": lambda places: gpukit.take(X, places),
}


@pytest.mark.parametrize("name", OF_PLACES)
def test_a_place_out_of_range_names_the_call(name):
    with pytest.raises(IndexError, match=f"^{name}: index 99 is out of range"):
        OF_PLACES[name](gpukit.tensor([99]))


def test_shared_memory_names_the_call():
    with pytest.raises(ValueError, match=r"^index_add_: .*several elements at one address"):
        X[:1].expand(2, 3).index_add_(0, INDEX, X[:1])


OF_TWO = """
    add sub mul div floor_divide remainder pow maximum minimum atan2 hypot copysign logaddexp
    nextafter eq ne lt le gt ge logical_and logical_or logical_xor isclose allclose
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", OF_TWO)
def test_shapes_that_do_not_broadcast(name):
    with pytest.raises(gpukit.ShapeError, match=r"\(2, 3\).*\(2, 2\)") as caught:
        getattr(gpukit, name)(X, gpukit.ones(2, 2))
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("name", OF_TWO[:4])
def test_in_place_result_that_does_not_fit(name):
    with pytest.raises(gpukit.ShapeError, match=f"{name}_"):
        getattr(gpukit.ones(3), f"{name}_")(X)


DTYPES = {
    "mean of ints": lambda: gpukit.mean(INTS),
    "var of ints": lambda: gpukit.var(INTS),
    "std of bools": lambda: gpukit.std(BOOLS),
    "norm of ints": lambda: gpukit.norm(INTS),
    "bitwise_and of floats": lambda: gpukit.bitwise_and(X, X),
    "bitwise_or of floats": lambda: gpukit.bitwise_or(X, X),
    "bitwise_xor of floats": lambda: gpukit.bitwise_xor(X, 1),
    "bitwise_not of floats": lambda: gpukit.bitwise_not(X),
    "bitwise_left_shift of floats": lambda: gpukit.bitwise_left_shift(X, 1),
    "bitwise_right_shift of bools": lambda: gpukit.bitwise_right_shift(BOOLS, BOOLS),
    "neg of bools": lambda: gpukit.neg(BOOLS),
    "sub of bools": lambda: BOOLS - BOOLS,
    "index of floats": lambda: gpukit.index_select(X, 0, gpukit.ones(1)),
    "gather with floats": lambda: gpukit.gather(X, 0, X),
    "take with bools": lambda: gpukit.take(X, BOOLS),
    "mask of ints": lambda: gpukit.masked_select(X, INTS),
    "masked_fill with ints": lambda: gpukit.masked_fill(X, INTS, 1),
    "where with ints": lambda: gpukit.where(INTS, X, X),
    "matmul of two dtypes": lambda: X @ gpukit.ones(3, 2, dtype="float64"),
    "rand of ints": lambda: gpukit.rand(2, dtype="int32"),
    "randn of bools": lambda: gpukit.randn(2, dtype="bool"),
    "floats into ints": lambda: gpukit.ones(2, 3, dtype="int32").add_(X),
    "ones of ints with a gradient": lambda: gpukit.ones(2, dtype="int32", requires_grad=True),
    "einsum of two dtypes": lambda: gpukit.einsum("ij,jk", X, gpukit.ones(3, 2, dtype="float64")),
    "out of ints": lambda: gpukit.add(X, X, out=INTS.clone()),
    "out of bools": lambda: gpukit.add(INTS, INTS, out=BOOLS.clone()),
}


@pytest.mark.parametrize("name", DTYPES)
def test_dtype_that_does_not_fit(name):
    with pytest.raises(gpukit.DTypeError, match=r"int|float|bool") as caught:
        DTYPES[name]()
    assert isinstance(caught.value, TypeError)
    assert gpukit.ones(2).sum().item() == 2


SHAPES = {
    "mm of vectors": lambda: gpukit.mm(VECTOR, VECTOR),
    "mm of other sizes": lambda: gpukit.mm(X, X),
    "bmm of matrices": lambda: gpukit.bmm(X, X),
    "mv of matrices": lambda: gpukit.mv(X, X),
    "mv of other sizes": lambda: gpukit.mv(X, gpukit.ones(2)),
    "dot of matrices": lambda: gpukit.dot(X, X),
    "dot of other sizes": lambda: gpukit.dot(VECTOR, gpukit.ones(2)),
    "outer of matrices": lambda: gpukit.outer(X, X),
    "addmm of other sizes": lambda: gpukit.addmm(X, X, X),
    "matmul of 0-d": lambda: gpukit.matmul(gpukit.ones(()), X),
    "matmul of other batches": lambda: gpukit.ones(2, 3, 4) @ gpukit.ones(3, 4, 5),
    "tril of a vector": lambda: gpukit.tril(VECTOR),
    "diagonal of a vector": lambda: gpukit.diagonal(VECTOR),
    "t of three dimensions": lambda: gpukit.t(gpukit.ones(1, 1, 1)),
    "mT of a vector": lambda: VECTOR.mT,
    "reshape": lambda: X.reshape(4),
    "reshape with -1": lambda: X.reshape(-1, 4),
    "view of a transpose": lambda: X.T.view(6),
    "expand": lambda: X.expand(4, 3),
    "expand to fewer": lambda: X.expand(3),
    "broadcast_to": lambda: gpukit.broadcast_to(X, (3, 3)),
    "cat of other sizes": lambda: gpukit.cat([X, gpukit.ones(2, 4)]),
    "cat of other ranks": lambda: gpukit.cat([X, VECTOR]),
    "stack of other sizes": lambda: gpukit.stack([X, X.T]),
    "where": lambda: gpukit.where(BOOLS, X, gpukit.ones(2, 2)),
    "masked_select": lambda: gpukit.masked_select(X, gpukit.ones(2, 2) > 0),
    "copy_": lambda: gpukit.ones(2).copy_(X),
    "split": lambda: X.split([1, 2]),
    "item": X.item,
    "max of nothing": lambda: gpukit.ones(0).max(),
    "argmin of nothing": lambda: gpukit.ones(0).argmin(),
    "too many dimensions": lambda: gpukit.ones([1] * 9),
    "too many by stack": lambda: gpukit.stack([gpukit.ones([1] * 8)]),
    "too many by None": lambda: gpukit.ones([1] * 8)[None],
    "out": lambda: gpukit.add(X, X, out=gpukit.ones(3)),
    "out of a reduction": lambda: gpukit.sum(X, out=gpukit.ones(1)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape_that_does_not_fit(name):
    with pytest.raises(gpukit.ShapeError) as caught:
        SHAPES[name]()
    assert isinstance(caught.value, ValueError)
    assert any(character.isdigit() for character in str(caught.value))
    assert gpukit.ones(2).sum().item() == 2


SIZES = [-1, 2**31, 2**40, 2**62, 2**63 - 1]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "function",
    [
        lambda n: gpukit.zeros(n, 2**40, dtype="float64"),
        lambda n: gpukit.ones(2**31, n, 2**31),
        lambda n: gpukit.full((2**62, n), 1),
        lambda n: gpukit.rand(2**62, n),
        lambda n: gpukit.eye(2**40, n),
    ],
)
def test_sizes_beyond_memory(function, size):
    with pytest.raises((ValueError, MemoryError)):
        function(size)
    assert gpukit.ones(2).sum().item() == 2


def test_a_broadcast_of_huge_shapes_is_refused():
    x = gpukit.ones(1).expand(2**40, 1)
    y = gpukit.ones(1).expand(1, 2**40)
    with pytest.raises((ValueError, MemoryError)):
        x + y
    with pytest.raises((ValueError, MemoryError)):
        x.contiguous()


def raised_by(name):
    """The classes under Raises in the docstring of the function that the first word names."""
    function = getattr(gpukit, name.split()[0], None) or getattr(
        gpukit.Tensor, name.split()[0], None
    )
    document = getattr(function, "__doc__", None) or ""
    return set(re.findall(r"^    (\w+): ", document.partition("Raises:\n")[2], re.MULTILINE))


RAISED = (
    [(name, "IndexError") for name in OF_A_DIMENSION]
    + [(name, "ShapeError") for name in (*OF_TWO, *SHAPES)]
    + [(name, "DTypeError") for name in DTYPES]
)


@pytest.mark.parametrize(("name", "error"), [case for case in RAISED if raised_by(case[0])])
def test_the_docstring_says_what_is_raised(name, error):
    assert error in raised_by(name) or (
        error == "ShapeError" and "DimensionError" in raised_by(name)
    )


def test_docstrings_were_read():
    assert sum(bool(raised_by(name)) for name, _ in RAISED) > 100
    assert raised_by("rand") >= {"DTypeError", "ValueError", "AutogradError"}


@pytest.mark.parametrize("index", ["x", (0, "x"), ("x", 0), (..., "0")])
def test_text_is_of_the_wrong_type_for_an_index(index):
    x = gpukit.zeros(2, 3)
    with pytest.raises(TypeError, match="index must be ints, slices"):
        x[index]
    with pytest.raises(TypeError, match="index must be ints, slices"):
        x[index] = 1


RAGGED = [[1, [2]], [[1], 2], [1, (2,)], [[[1]], [1]], [[1], [[1]]], [1, []], [0.5, [1]]]


@pytest.mark.parametrize("data", RAGGED, ids=str)
@pytest.mark.parametrize("function", ["tensor", "as_tensor", "asarray", "new_tensor"])
def test_numbers_beside_lists_are_of_the_wrong_type(data, function):
    make = getattr(gpukit, function, gpukit.zeros(2).new_tensor)
    with pytest.raises(TypeError, match="is ragged: at level"):
        make(data)
    with pytest.raises(ValueError, match="there are lists of 2 and of 1"):
        make([[1, 2], [3]])


@pytest.mark.parametrize("shape", [(2,), (0,), (1, 2)])
def test_only_one_element_is_an_index(shape):
    for x in (gpukit.ones(shape, dtype="int64"), gpukit.ones(shape)):
        with pytest.raises(TypeError, match="of one element can be an index"):
            range(5)[x]
    assert range(5)[gpukit.tensor([[3]])] == 3


def test_a_padding_row_that_is_none_is_named_first():
    with pytest.raises(ValueError, match="padding_idx is 5, weight has 2 rows"):
        gpukit.nn.functional.embedding(gpukit.tensor([9]), gpukit.ones(2, 3), padding_idx=5)
