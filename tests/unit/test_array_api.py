"""gpukit.array_api has the names, signatures, dtypes and promotion of the standard."""

from __future__ import annotations

import inspect
import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import gpukit
import gpukit.array_api as xp
from support import mode
from support.arrays import INTEGERS, SIGNED

# Every function of the standard 2024.12, and of 2025.12, as it has to be called.
SIGNATURES = """
abs(x, /)
acos(x, /)
acosh(x, /)
add(x1, x2, /)
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
argsort(x, /, *, axis=-1, descending=False, stable=True)
asarray(obj, /, *, dtype=None, device=None, copy=None)
asin(x, /)
asinh(x, /)
astype(x, dtype, /, *, copy=True, device=None)
atan(x, /)
atan2(x1, x2, /)
atanh(x, /)
bitwise_and(x1, x2, /)
bitwise_invert(x, /)
bitwise_left_shift(x1, x2, /)
bitwise_or(x1, x2, /)
bitwise_right_shift(x1, x2, /)
bitwise_xor(x1, x2, /)
broadcast_arrays(*arrays)
broadcast_shapes(*shapes)
broadcast_to(x, /, shape)
can_cast(from_, to, /)
ceil(x, /)
clip(x, /, min=None, max=None)
concat(arrays, /, *, axis=0)
conj(x, /)
copysign(x1, x2, /)
cos(x, /)
cosh(x, /)
count_nonzero(x, /, *, axis=None, keepdims=False)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
divide(x1, x2, /)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
equal(x1, x2, /)
exp(x, /)
expand_dims(x, /, axis)
expm1(x, /)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
finfo(type, /)
flip(x, /, *, axis=None)
floor(x, /)
floor_divide(x1, x2, /)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
greater(x1, x2, /)
greater_equal(x1, x2, /)
hypot(x1, x2, /)
iinfo(type, /)
imag(x, /)
isdtype(dtype, kind)
isfinite(x, /)
isin(x1, x2, /, *, invert=False)
isinf(x, /)
isnan(x, /)
less(x1, x2, /)
less_equal(x1, x2, /)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
log(x, /)
log10(x, /)
log1p(x, /)
log2(x, /)
logaddexp(x1, x2, /)
logical_and(x1, x2, /)
logical_not(x, /)
logical_or(x1, x2, /)
logical_xor(x1, x2, /)
matmul(x1, x2, /)
matrix_transpose(x, /)
max(x, /, *, axis=None, keepdims=False)
maximum(x1, x2, /)
mean(x, /, *, axis=None, keepdims=False)
meshgrid(*arrays, indexing='xy')
min(x, /, *, axis=None, keepdims=False)
minimum(x1, x2, /)
moveaxis(x, source, destination, /)
multiply(x1, x2, /)
negative(x, /)
nextafter(x1, x2, /)
nonzero(x, /)
not_equal(x1, x2, /)
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
permute_dims(x, /, axes)
positive(x, /)
pow(x1, x2, /)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
real(x, /)
reciprocal(x, /)
remainder(x1, x2, /)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
result_type(*arrays_and_dtypes)
roll(x, /, shift, *, axis=None)
round(x, /)
searchsorted(x1, x2, /, *, side='left', sorter=None)
sign(x, /)
signbit(x, /)
sin(x, /)
sinh(x, /)
sort(x, /, *, axis=-1, descending=False, stable=True)
sqrt(x, /)
square(x, /)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
subtract(x1, x2, /)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)
tan(x, /)
tanh(x, /)
tensordot(x1, x2, /, *, axes=2)
tile(x, repetitions, /)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
trunc(x, /)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)
unstack(x, /, *, axis=0)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
vecdot(x1, x2, /, *, axis=-1)
where(condition, x1, x2, /)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
"""
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
DTYPES = ["bool", *INTEGERS, "float32", "float64", "complex64", "complex128"]
METHODS = """
    __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__
    __dlpack_device__ __eq__ __float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__
    __invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__
    __pow__ __rshift__ __setitem__ __sub__ __truediv__ __xor__ to_device T mT device dtype ndim
    shape size __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__
    __rmatmul__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__ __iadd__ __isub__ __imul__
    __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__

""".split()  # noqa: SIM905
xps = make_strategies_namespace(xp, api_version="2024.12")


@pytest.mark.parametrize("line", SIGNATURES.strip().split("\n"))
def test_signature(line):
    name, _, written = line.partition("(")
    wanted: dict[str, object] = {}
    exec(f"def stub({written}: pass", wanted)
    ours = inspect.signature(getattr(xp, name)).parameters.values()
    theirs = inspect.signature(wanted["stub"]).parameters.values()
    assert [(p.kind, p.default) for p in ours] == [(p.kind, p.default) for p in theirs]
    named = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    assert [p.name for p in ours if p.kind in named] == [p.name for p in theirs if p.kind in named]


# The extension, of real dtypes.
LINALG = """
cholesky(x, /, *, upper=False)
cross(x1, x2, /, *, axis=-1)
det(x, /)
diagonal(x, /, *, offset=0)
eig(x, /)
eigh(x, /)
eigvals(x, /)
eigvalsh(x, /)
inv(x, /)
matmul(x1, x2, /)
matrix_norm(x, /, *, keepdims=False, ord='fro')
matrix_power(x, n, /)
matrix_rank(x, /, *, rtol=None)
matrix_transpose(x, /)
outer(x1, x2, /)
pinv(x, /, *, rtol=None)
qr(x, /, *, mode='reduced')
slogdet(x, /)
solve(x1, x2, /)
svd(x, /, *, full_matrices=True)
svdvals(x, /)
tensordot(x1, x2, /, *, axes=2)
trace(x, /, *, offset=0, dtype=None)
vecdot(x1, x2, /, *, axis=-1)
vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
""".strip().splitlines()


@pytest.mark.parametrize("line", LINALG)
def test_signatures_of_linalg(line):
    name, _, arguments = line.partition("(")
    found = inspect.signature(getattr(xp.linalg, name))
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    shown = str(inspect.Signature(bare)).removeprefix("(").removesuffix(")")
    assert shown == arguments.removesuffix(")")


def test_names_of_linalg():
    assert {line.partition("(")[0] for line in LINALG} == set(xp.linalg.__all__)


ONE = "(x, /, *, n=None, axis=-1, norm='backward')"
MANY = "(x, /, *, s=None, axes=None, norm='backward')"
FREQUENCIES = "(n, /, *, d=1.0, dtype=None, device=None)"
FFT = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), ONE),
    **dict.fromkeys(("fftn", "ifftn", "rfftn", "irfftn"), MANY),
    **dict.fromkeys(("fftfreq", "rfftfreq"), FREQUENCIES),
    **dict.fromkeys(("fftshift", "ifftshift"), "(x, /, *, axes=None)"),
}


def test_the_extension_fft():
    assert set(FFT) == set(xp.fft.__all__)
    for name, arguments in FFT.items():
        found = inspect.signature(getattr(xp.fft, name))
        bare = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
        assert str(inspect.Signature(bare)) == arguments
    x = xp.asarray([1.0, 2.0, 4.0])
    assert xp.fft.fft(x, axis=0).dtype == xp.complex64
    assert xp.fft.irfftn(xp.fft.rfftn(x), s=(3,)).tolist() == pytest.approx([1.0, 2.0, 4.0])
    for wrong in (
        lambda: xp.fft.rfft(x + 1j),
        lambda: xp.fft.fft(xp.asarray([1, 2])),
        lambda: xp.fft.irfft(x),
        lambda: xp.fft.fftfreq(3, dtype=xp.int64),
    ):
        with pytest.raises(gpukit.errors.DTypeError):
            wrong()


def test_names():
    functions = {line.partition("(")[0] for line in SIGNATURES.split()}
    public = set(xp.__all__) - {"__array_api_version__", "__array_namespace_info__"}
    extra = public - {name for name in functions if name.isidentifier()}
    assert extra == {*CONSTANTS, *DTYPES, "linalg", "fft"}
    assert all(hasattr(xp, name) for name in xp.__all__)
    assert all((getattr(xp, name).__doc__ or "").strip() for name in public - {*CONSTANTS})


@pytest.mark.parametrize("name", METHODS)
def test_array_object_has(name):
    assert hasattr(xp.ones((2, 2)), name)


def test_namespace_of_an_array():
    assert gpukit.ones(2).__array_namespace__() is xp
    assert gpukit.ones(2).__array_namespace__(api_version="2024.12") is xp
    assert xp.__array_api_version__ == "2024.12"


def test_info():
    info = xp.__array_namespace_info__()
    assert info.capabilities()["data-dependent shapes"]
    assert set(info.dtypes()) == set(DTYPES)
    assert set(info.dtypes(kind=("bool", "real floating"))) == {"bool", "float32", "float64"}
    assert info.default_dtypes()["real floating"] is xp.float32
    assert info.default_device() in info.devices()
    with pytest.raises(ValueError, match="nonsense"):
        info.dtypes(kind="nonsense")


PAIRS = [
    pair
    for pair in itertools.product(INTEGERS, INTEGERS)
    if "uint64" not in pair or not set(pair) & set(SIGNED)
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_promotion_of_integers(a, b):
    want = np.result_type(a, b).name
    assert xp.result_type(getattr(xp, a), getattr(xp, b)).name == want
    got = xp.add(xp.ones(2, dtype=getattr(xp, a)), xp.ones(2, dtype=getattr(xp, b)))
    assert got.dtype.name == want


def test_promotion_of_many_and_of_numbers():
    assert xp.result_type(xp.int8, xp.ones(2, dtype=xp.int16), 3) is xp.int16
    assert xp.result_type(xp.float32, 2.5) is xp.float32
    assert xp.result_type(xp.int8, xp.uint8, xp.int8) is xp.int16
    with pytest.raises(ValueError, match="at least one"):
        xp.result_type(1, 2)
    assert xp.can_cast(xp.int8, xp.int16)
    assert not xp.can_cast(xp.int16, xp.int8)
    assert xp.can_cast(xp.uint32, xp.int64) and not xp.can_cast(xp.uint64, xp.int64)


def test_arrays_without_dimensions_promote_as_others_do():
    small, wide = xp.ones(2, dtype=xp.int8), xp.asarray(300)
    assert xp.add(small, wide).tolist() == [301, 301]
    assert xp.bitwise_or(wide, small).dtype is xp.int64
    assert xp.atan2(xp.zeros((), dtype=xp.float64), xp.ones(1)).dtype is xp.float64
    assert xp.where(xp.ones(2, dtype=xp.bool), wide, small).tolist() == [300, 300]
    assert not xp.any(xp.equal(small, xp.asarray(257)))


def test_running_results_have_the_dtype_asked_for():
    x = xp.ones(3, dtype=xp.uint8)
    for function in (xp.cumulative_sum, xp.cumulative_prod):
        for initial in (False, True):
            assert function(x, dtype=xp.uint8, include_initial=initial).dtype is xp.uint8
            assert function(x, include_initial=initial).dtype is xp.uint64
    assert xp.sum(x).dtype is xp.uint64 and xp.prod(-xp.ones(2, dtype=xp.int8)).dtype is xp.int64


def test_isdtype():
    assert xp.isdtype(xp.bool, "bool")
    assert xp.isdtype(xp.uint8, ("signed integer", "unsigned integer"))
    assert not xp.isdtype(xp.float64, ("integral", "complex floating"))
    assert xp.isdtype(xp.float64, (xp.float64, "integral"))
    for wrong in ("nonsense", "any", "bool or integral"):
        with pytest.raises(ValueError, match="kind"):
            xp.isdtype(xp.bool, wrong)


def test_limits():
    assert xp.finfo(xp.float32).dtype is xp.float32
    assert xp.finfo(xp.ones(2)).smallest_normal == np.finfo(np.float32).tiny
    assert xp.iinfo(xp.int16).min == -(2**15)
    assert xp.iinfo(xp.ones(2, dtype=xp.uint8)).dtype is xp.uint8


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: xp.sin(xp.arange(3)), "sin: x is int64; real or complex is needed"),
        (lambda: xp.add(xp.ones(2, dtype=xp.bool), 1), "add: x1 is bool"),
        (lambda: xp.bitwise_and(xp.ones(2), xp.ones(2)), "bitwise_and: x1 is float32"),
        (lambda: xp.logical_not(xp.ones(2)), "logical_not: x is float32"),
        (lambda: xp.sum(xp.ones(2, dtype=xp.bool)), "sum: x is bool"),
        (lambda: xp.mean(xp.arange(2)), "mean: x is int64"),
        (lambda: xp.clip(xp.arange(2), 0.5), "clip: min is 0.5"),
        (lambda: xp.take(xp.arange(2), xp.ones(2)), "indices is float32"),
        (lambda: xp.sin(1.0), "sin: x must be an array"),
        (lambda: xp.add("a", xp.ones(2)), "add: x1 must be an array or a number, got 'a'"),
        (lambda: xp.where(xp.ones(2), 1, 2), "where: condition is float32"),
    ],
)
def test_kinds_that_the_standard_leaves_open_are_refused(call, words):
    with pytest.raises(TypeError, match=words):
        call()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: xp.squeeze(xp.ones((2, 1)), 0), ValueError),
        (lambda: xp.expand_dims(xp.ones(2), 5), IndexError),
        (lambda: xp.take(xp.ones((2, 2)), xp.asarray([0])), ValueError),
        (lambda: xp.cumulative_sum(xp.ones((2, 2))), ValueError),
        (lambda: xp.nonzero(xp.ones(())), ValueError),
        (lambda: xp.reshape(xp.ones((2, 3)).T, (6,), copy=False), ValueError),
        (lambda: xp.asarray([1], copy=False), ValueError),
        (lambda: xp.from_dlpack(3), TypeError),
    ],
)
def test_wrong_values(call, error):
    with pytest.raises(error):
        call()


def test_reductions_over_no_axis():
    x = xp.asarray([[1.0, 2.0]])
    for function in (xp.sum, xp.prod, xp.max, xp.min, xp.mean):
        assert function(x, axis=()).tolist() == [[1, 2]]
    assert xp.std(x, axis=(), keepdims=True).tolist() == [[0, 0]]
    assert xp.count_nonzero(x, axis=()).tolist() == [[1, 1]]


def test_ranges_that_are_empty():
    assert xp.arange(5, 0).shape == (0,)
    assert xp.arange(0, 5, -1).dtype is xp.int64
    assert xp.arange(-2.0).dtype is xp.float32
    assert xp.linspace(0, 1, 0, endpoint=False).shape == (0,)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_strategies_of_hypothesis_know_the_namespace(data):
    dtype = data.draw(st.sampled_from([getattr(xp, name) for name in DTYPES]))
    x = data.draw(xps.arrays(dtype, xps.array_shapes(min_dims=0, max_dims=3)))
    assert x.dtype is dtype
    y = xp.asarray(np.asarray(x))
    assert xp.all(xp.logical_or(xp.equal(x, y), xp.not_equal(x, x)))


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_shapes_broadcast_as_hypothesis_expects(data):
    shapes = data.draw(xps.mutually_broadcastable_shapes(2, max_dims=3, max_side=4))
    a, b = (xp.ones(shape) for shape in shapes.input_shapes)
    assert (a + b).shape == shapes.result_shape
    assert xp.broadcast_arrays(a, b)[0].shape == shapes.result_shape


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_indexing_as_hypothesis_expects(data):
    shape = data.draw(xps.array_shapes(max_dims=3, max_side=4))
    index = data.draw(xps.indices(shape))
    x = xp.reshape(xp.arange(int(np.prod(shape))), shape)
    np.testing.assert_array_equal(np.asarray(x[index]), np.asarray(x)[index])


def test_the_record_of_the_suite_has_no_failure_and_few_exceptions_of_its_own():
    tools = mode.PROJECT / "tools"
    record = json.loads((tools / "array_api_record.json").read_text())
    exceptions = json.loads((tools / "array_api_exceptions.json").read_text())
    assert [(run["version"], run["failed"]) for run in record] == [("2024.12", 0), ("2025.12", 0)]
    assert all(run["passed"] >= 1340 and run["extensions"] == ["fft", "linalg"] for run in record)
    assert all(row["reason"] for row in exceptions)
    alone = [row["pattern"] for row in exceptions if not row["fails_in"]]
    assert sum(pattern.count("|") + 1 for pattern in alone) <= 10
    text = (mode.PROJECT / "docs" / "tensors.md").read_text()
    for run in record:
        judged = run["passed"] + run["failed"] + run["excepted"]
        assert f"{run['passed']} of {judged}" in text
