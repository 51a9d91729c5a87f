"""Objects that were never initialised, and pickles of every class."""

from __future__ import annotations

import copy
import copyreg
import pickle
from typing import Any

import pytest

import gpukit
from gpukit import _core

BASE: Any = gpukit.Generator.__mro__[1]  # what pybind11 derives its classes from
BOUND = sorted(
    (c for c in vars(_core).values() if isinstance(c, type) and issubclass(c, BASE)),
    key=lambda c: c.__name__,
)
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def test_the_list_of_classes_is_complete():
    names = {cls.__name__ for cls in BOUND}
    assert names >= {
        "Generator",
        "Stream",
        "ExternalStream",
        "Event",
        "CUDAGraph",
        "GraphNode",
        "RemovableHandle",
        "device",
        "dtype",
        "WaitLog",
    }


def uninitialised(cls: Any) -> list[Any]:
    """Made by __new__ alone, by every way that gives an object."""
    ways = [lambda: BASE.__new__(cls)]
    if cls is not gpukit.dtype:  # its own __new__ looks the dtype up
        ways.append(lambda: cls.__new__(cls))
    if cls not in (gpukit.dtype, gpukit.device):  # these two are final
        half = type("Half", (cls,), {"__init__": lambda self: None})
        ways.append(lambda: half.__new__(half))
    return [way() for way in ways]


@pytest.mark.parametrize("cls", BOUND, ids=lambda cls: cls.__name__)
def test_every_use_of_an_uninitialised_object_is_a_type_error(cls):
    own = [
        name for name, value in vars(cls).items() if callable(value) or isinstance(value, property)
    ]
    special = {"__new__", "__init__", "__doc__", "__getstate__", "__setstate__", "__reduce__"}
    for made in uninitialised(cls):
        for name in set(own) - special:
            parameters = {"__exit__": (None, None, None), "__eq__": (made,)}.get(name, ())
            with pytest.raises(TypeError):
                getattr(made, name)(*parameters)
        for use in (lambda m=made: pickle.dumps(m), lambda m=made: copy.copy(m)):
            with pytest.raises((TypeError, pickle.PicklingError)):
                use()
        if "__repr__" in own:
            with pytest.raises(TypeError, match="never initialised"):
                repr(made)


@pytest.mark.parametrize(
    "cls", [c for c in BOUND if c.__name__ not in {"dtype", "device"}], ids=lambda cls: cls.__name__
)
def test_a_subclass_that_forgets_its_base_is_told(cls):
    class Forgetful(cls):
        def __init__(self) -> None:
            repr(self) if cls.__repr__ is not object.__repr__ else None

    with pytest.raises(TypeError):
        Forgetful()


def empty(cls: Any) -> Any:
    return BASE.__new__(cls)


CALLS = {
    "device of a factory": lambda: gpukit.zeros(2, device=empty(gpukit.device)),
    "device of to": lambda: gpukit.ones(2).to(empty(gpukit.device)),
    "device of a stream": lambda: gpukit.cuda.Stream(empty(gpukit.device)),
    "device as a context": lambda: empty(gpukit.device).__enter__(),
    "device compared": lambda: gpukit.device("cpu") == empty(gpukit.device),
    "default device": lambda: gpukit.set_default_device(empty(gpukit.device)),
    "dtype of a factory": lambda: gpukit.zeros(2, dtype=empty(gpukit.dtype)),
    "dtype of to": lambda: gpukit.ones(2).to(empty(gpukit.dtype)),
    "dtype of finfo": lambda: gpukit.finfo(empty(gpukit.dtype)),
    "promotion": lambda: gpukit.promote_types(empty(gpukit.dtype), gpukit.float32),
    "default dtype": lambda: gpukit.set_default_dtype(empty(gpukit.dtype)),
    "generator": lambda: gpukit.rand(2, generator=empty(gpukit.Generator)),
    "generator of a permutation": lambda: gpukit.randperm(3, generator=empty(gpukit.Generator)),
    "event waited for": lambda: gpukit.cuda.Event().elapsed_time(empty(gpukit.cuda.Event)),
    "stream of an event": lambda: gpukit.cuda.Event().record(empty(gpukit.cuda.Stream)),
    "stream set": lambda: gpukit.cuda.set_stream(empty(gpukit.cuda.Stream)),
    "stream entered": lambda: gpukit.cuda.stream(empty(gpukit.cuda.Stream)).__enter__(),
    "the common base": BASE,
    "a class of the common base": type("Mine", (BASE,), {}),  # called by the test
    "None as self": lambda: _core.WaitLog.start(None),
    "the tensors' metaclass": lambda: type(gpukit.Tensor)("Mine", (), {}),
    "the tensors' metaclass over int": lambda: type(gpukit.Tensor)("Mine", (int,), {}),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_uninitialised_arguments_are_type_errors(call):
    with pytest.raises(TypeError):
        call()


def unpicklable() -> dict[str, Any]:
    leaf = gpukit.ones(2, requires_grad=True)
    return {
        "Event": gpukit.cuda.Event(),
        "CUDAGraph": gpukit.cuda.CUDAGraph(),
        "SumBackward0": (leaf * 2).sum().grad_fn,
        "RemovableHandle": leaf.register_hook(lambda gradient: None),
        "WaitLog": _core.WaitLog("report", 0, []),
    }


@pytest.mark.parametrize("name", unpicklable())
def test_what_belongs_to_this_process_says_so(name):
    thing = unpicklable()[name]
    for protocol in PROTOCOLS:
        with pytest.raises(TypeError, match=f"{name}: cannot be pickled or copied: .{{20}}"):
            pickle.dumps(thing, protocol)
        with pytest.raises(TypeError, match=f"{name}: cannot be pickled or copied: .{{20}}"):
            thing.__reduce_ex__(protocol)
    for use in (
        thing.__reduce__,
        thing.__getstate__,
        lambda: copy.copy(thing),
        lambda: copy.deepcopy([thing]),
    ):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            use()
    with pytest.raises(TypeError):
        copyreg._reduce_ex(thing, 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_can_be_pickled_comes_back(protocol):
    def through(thing: Any) -> Any:
        return pickle.loads(pickle.dumps(thing, protocol))

    assert through(gpukit.float16) is gpukit.float16
    assert through(gpukit.device("cuda:1")) == gpukit.device("cuda:1")
    assert through(gpukit.ones(2, 3)).tolist() == [[1.0] * 3] * 2
    assert through(gpukit.finfo("float32")).max == gpukit.finfo("float32").max
    assert through(gpukit.iinfo("int8")).max == 127
    generator = gpukit.Generator("cuda:1").manual_seed(5)
    gpukit.rand(3, generator=generator)
    other = through(generator)
    assert (other.initial_seed(), str(other.device)) == (5, "cuda:1")
    assert gpukit.equal(gpukit.rand(4, generator=generator), gpukit.rand(4, generator=other))
    for pair in (
        gpukit.tensor([3, 1]).sort(),
        gpukit.tensor([3, 1]).max(0),
        gpukit.tensor([3, 1]).median(0),
        gpukit.tensor([3, 1]).min(0),
        gpukit.tensor([3, 1]).topk(1),
    ):
        back = through(pair)
        assert type(back) is type(pair)
        assert [part.tolist() for part in back] == [part.tolist() for part in pair]


def test_a_copied_generator_goes_its_own_way():
    first = gpukit.Generator().manual_seed(7)
    for second in (copy.copy(first), copy.deepcopy(first)):
        assert gpukit.equal(gpukit.rand(2, generator=first), gpukit.rand(2, generator=second))
        first.manual_seed(7)


def test_names_of_return_types():
    import gpukit.return_types as types

    linear = "cholesky_ex eigh inv_ex lstsq lu lu_factor lu_factor_ex qr slogdet solve_ex svd"
    plain = "frexp geqrf kthvalue lu_unpack max median min mode qr slogdet sort svd topk"
    plain += " triangular_solve"
    assert dir(types) == sorted([f"linalg_{name}" for name in linear.split()] + plain.split())
    assert all(getattr(types, name).__name__ == name for name in dir(types))
    assert type(gpukit.ones(2).sort()) is types.sort
    with pytest.raises(AttributeError, match="zeros"):
        _ = types.zeros


@pytest.mark.parametrize("name", ["device", "dtype"])
def test_devices_and_dtypes_are_final(name):
    with pytest.raises(TypeError, match="not an acceptable base"):
        type("Mine", (getattr(gpukit, name),), {})


@pytest.mark.parametrize(
    "out", [gpukit.ones(2), gpukit.ones(2, requires_grad=True), gpukit.empty(0, dtype=gpukit.int64)]
)
def test_out_beside_a_result_that_is_no_tensor(out):
    with pytest.raises(TypeError, match="out cannot be a tensor"):
        gpukit.where(gpukit.ones(2) > 0, out=out)
