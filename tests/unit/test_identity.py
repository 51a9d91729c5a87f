"""A tensor is one Python object: identity, life, copies, subclasses."""

from __future__ import annotations

import copy
import gc
import pickle
import resource
import threading
import weakref
from pathlib import Path

import pytest

import gpukit


class Named(gpukit.Tensor):
    """A subclass as nn.Parameter is one."""

    def __repr__(self) -> str:
        return "Named:" + super().__repr__()


def make_named(*values: float) -> Named:
    return gpukit.tensor(list(values)).as_subclass(Named)


def test_a_tensor_is_itself():
    x = gpukit.ones(3)
    assert x is x
    assert x.to("cpu") is x
    assert x.contiguous() is x
    assert x.float() is x
    assert +x is x
    assert x.add_(1) is x


def test_hash_is_identity():
    x, y = gpukit.ones(2), gpukit.ones(2)
    table = {x: 1, y: 2}
    assert table[x] == 1
    assert table[y] == 2
    assert hash(x) == hash(x)


def test_grad_is_one_object():
    x = gpukit.ones(2)
    assert x.grad is None
    x.grad = gpukit.full((2,), 5.0)
    assert x.grad is x.grad
    kept = x.grad
    assert x.grad is kept
    del kept
    assert x.grad.tolist() == [5.0, 5.0]
    x.grad = None
    assert x.grad is None


def test_object_with_attributes_outlives_its_references():
    x = gpukit.ones(2)
    gradient = gpukit.zeros(2)
    gradient.note = "kept"
    x.grad = gradient
    address = id(gradient)
    del gradient
    gc.collect()
    assert x.grad.note == "kept"
    assert id(x.grad) == address
    assert x.grad is x.grad


def test_subclass_object_outlives_its_references():
    x = gpukit.ones(2)
    for _ in range(3):
        x.grad = make_named(1.0, 2.0)
        gc.collect()
        assert type(x.grad) is Named
        first = x.grad
        assert first is x.grad
        del first
        assert type(x.grad) is Named


def test_weak_reference_follows_the_tensor_not_the_name():
    x = gpukit.ones(2)
    gradient = gpukit.zeros(2)
    seen = weakref.ref(gradient)
    x.grad = gradient
    del gradient
    gc.collect()
    assert seen() is x.grad
    x.grad = None
    gc.collect()
    assert seen() is None


def test_weak_reference_that_is_held_survives_the_owner():
    x = gpukit.ones(2)
    x.grad = make_named(3.0, 4.0)
    seen = weakref.ref(x.grad)
    held = seen()
    del x
    gc.collect()
    assert held.tolist() == [3.0, 4.0]
    assert (held + 1).tolist() == [4.0, 5.0]
    del held
    gc.collect()
    assert seen() is None


def test_weak_reference_ends_with_the_tensor():
    x = gpukit.ones(2)
    calls = []
    seen = weakref.ref(x, lambda _: calls.append(1))
    assert seen() is x
    del x
    assert seen() is None
    assert calls == [1]


def test_last_reference_dropped_by_another_thread():
    x = gpukit.ones(2)
    x.grad = make_named(1.0, 1.0)
    holder = [x]
    del x
    thread = threading.Thread(target=holder.clear)
    thread.start()
    thread.join()
    gc.collect()


def test_attributes():
    x = gpukit.ones(2)
    x.label = "a"
    assert x.label == "a"
    assert x.__dict__ == {"label": "a"}
    del x.label
    with pytest.raises(AttributeError):
        _ = x.label
    with pytest.raises(AttributeError):
        x.shape = (1, 2)
    # A new object has no attributes of an earlier one.
    del x
    assert gpukit.ones(2).__dict__ == {}


GIVE_STATE = {
    "attribute": lambda x: setattr(x, "label", "a"),
    "attributes": lambda x: setattr(x, "__dict__", {"label": "a"}),
    "gradient": lambda x: setattr(x, "grad", gpukit.ones(2)),
    "hook": lambda x: x.register_hook(lambda gradient: gradient),
    "weak reference": weakref.ref,
}


@pytest.mark.parametrize("state", GIVE_STATE)
def test_an_object_that_had_state_is_reused_without_it(state):
    x = gpukit.ones(2, requires_grad=True)
    kept = GIVE_STATE[state](x)
    assert gc.is_tracked(x) == (state != "weak reference")
    del x
    results = [gpukit.ones(2) + 1 for _ in range(200)]
    gc.collect()
    assert not any(gc.is_tracked(result) for result in results)
    assert not any(result.__dict__ for result in results)
    assert all(result.grad is None for result in results)
    del kept


def test_cycles_are_collected():
    class Owner:
        pass

    def make():
        owner = Owner()
        x = gpukit.ones(2)
        x.owner = owner
        owner.tensor = x
        y = make_named(1.0)
        y.me = y
        z = gpukit.ones(1)
        z.grad = gpukit.ones(1)
        z.grad.back = z
        return weakref.ref(owner), weakref.ref(x), weakref.ref(y), weakref.ref(z)

    seen = make()
    gc.collect()
    assert [reference() for reference in seen] == [None] * 4


def test_subclass():
    x = make_named(1.0, 2.0)
    assert isinstance(x, gpukit.Tensor)
    assert type(x) is Named
    assert (x + 1).tolist() == [2.0, 3.0]
    assert repr(x).startswith("Named:")
    x.extra = 3
    assert x.extra == 3
    assert type(Named(gpukit.ones(2))) is Named
    assert Named([1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="data is missing"):
        Named()
    assert type(gpukit.Tensor([1.0])) is gpukit.Tensor
    with pytest.raises(TypeError, match="cls"):
        gpukit.ones(2).as_subclass(int)


def test_subclass_with_slots_and_finalizer():
    ends = []

    class Slotted(gpukit.Tensor):
        __slots__ = ("tag",)

        def __del__(self):
            ends.append(self.tag)

    class Further(Slotted):
        pass

    for cls in (Slotted, Further):
        x = gpukit.ones(1).as_subclass(cls)
        x.tag = object()
        seen = weakref.ref(x)
        del x
        gc.collect()
        assert seen() is None
    assert len(ends) == 2


def test_copy_shares_memory():
    x = gpukit.ones(3)
    x.label = ["a"]
    y = copy.copy(x)
    assert y is not x
    assert y.label is x.label
    y[0] = 7
    assert x.tolist() == [7.0, 1.0, 1.0]


def test_deepcopy_does_not(device):
    x = gpukit.ones(3, device=device)
    x.label = ["a"]
    x.grad = gpukit.full((3,), 2.0, device=device)
    y = copy.deepcopy(x)
    y[0] = 7
    y.label.append("b")
    y.grad[0] = 9
    assert x.tolist() == [1.0] * 3
    assert x.label == ["a"]
    assert x.grad.tolist() == [2.0] * 3
    both = copy.deepcopy([x, x])
    assert both[0] is both[1]
    assert type(copy.deepcopy(make_named(1.0))) is Named


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol, device):
    for dtype in ("float32", "float16", "bfloat16", "int64", "bool", "uint8"):
        x = gpukit.arange(6, device=device).reshape(2, 3).to(gpukit.dtype(dtype))
        y = pickle.loads(pickle.dumps(x.T, protocol))
        assert y.dtype is x.dtype
        assert y.device == x.device
        assert gpukit.equal(y, x.T)
    x = make_named(1.0, 2.0)
    x.label = "a"
    x.requires_grad_()
    y = pickle.loads(pickle.dumps(x, protocol))
    assert type(y) is Named
    assert y.label == "a"
    assert y.requires_grad
    for thing in (gpukit.float32, gpukit.device("cuda", 1), gpukit.device("cpu")):
        assert pickle.loads(pickle.dumps(thing, protocol)) == thing
    assert pickle.loads(pickle.dumps(gpukit.int8, protocol)) is gpukit.int8
    assert pickle.loads(pickle.dumps(gpukit.add, protocol)) is gpukit.add
    assert pickle.loads(pickle.dumps(gpukit.zeros(0, 3), protocol)).shape == (0, 3)


# pickle.dumps(gpukit.tensor([1.5, 2.0], requires_grad=True), 2) of version 0.1
OLD_PICKLE = (
    b"\x80\x02cgpukit._copying\nrebuild\n(cgpukit\nTensor\nc_codecs\nencode\nX\t\x00\x00\x00\x00\x00\xc3"
    b"\x80?\x00\x00\x00@X\x06\x00\x00\x00latin1\x86Rcgpukit\nfloat32\nK\x02\x85X\x03\x00\x00\x00cpu\x88t"
    b"Rq\x00cgpukit._copying\n_set_state\nh\x00}N\x86\x86R0."
)


def test_a_pickle_of_the_first_version_still_loads():
    x = pickle.loads(OLD_PICKLE)
    assert x.requires_grad
    assert x.tolist() == [1.5, 2.0]


def test_pickle_of_a_wrong_size_is_refused():
    from gpukit._copying import rebuild

    with pytest.raises(ValueError, match="needs 16"):
        rebuild(gpukit.Tensor, b"123", gpukit.float32, (4,), "cpu", False)


def test_data_changes_the_tensor_in_place():
    x = gpukit.ones(2)
    x.data = gpukit.arange(3)
    assert x.tolist() == [0, 1, 2]
    assert x.dtype is gpukit.int64


def resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1024


@pytest.mark.memory_growth
def test_a_million_tensors_do_not_grow():
    x = gpukit.ones(4)

    def work(count: int) -> None:
        for _ in range(count):
            y = x + 1
            y[0]
            y.label = y
            del y.label

    work(20_000)
    gc.collect()
    before = resident_kib()
    work(300_000)
    gc.collect()
    assert resident_kib() - before < 2048


@pytest.mark.memory_growth
def test_cycles_of_a_hundred_thousand_do_not_grow():
    def work(count: int) -> None:
        for _ in range(count):
            y = gpukit.ones(4)
            y.me = y

    work(20_000)
    gc.collect()
    before = resident_kib()
    work(100_000)
    gc.collect()
    assert resident_kib() - before < 4096
