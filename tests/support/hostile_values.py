"""Arguments that no caller intends: every call must return or raise, none may end the process."""

from __future__ import annotations

import array
import contextlib
import copy
import ctypes
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gpukit

INTEGERS = (
    -1,
    0,
    1,
    2,
    3,
    7,
    255,
    2**31 - 1,
    2**31,
    2**62,
    2**63 - 1,
    2**63,
    2**64,
    -(2**63),
    10**30,
)
FLOATS = (0.0, -0.0, 0.5, 1e308, -1e-320, float("nan"), float("inf"), float("-inf"))
DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
)
NUMPY_TYPES = (
    "M8[s]",
    "m8[D]",
    "S3",
    "U2",
    "V4",
    "O",
    "g",
    "F",
    "D",
    ">f4",
    ">i8",
    "i4,f8",
    "?",
    "e",
    "u8",
)


class Spoiled:
    """Its special methods raise, lie, or change the list they stand in."""

    def __init__(self, rng: random.Random, victim: list[Any] | None = None) -> None:
        self.rng = rng
        self.victim = [] if victim is None else victim

    def _answer(self, good: Any) -> Any:
        self.victim.clear()
        kind = self.rng.randrange(5)
        if kind == 0:
            raise ValueError("spoiled")
        return (
            good if kind < 3 else [None, "text", b"", -(2**70), 1e300, self][self.rng.randrange(6)]
        )

    def __index__(self) -> int:
        return self._answer(1)

    def __int__(self) -> int:
        return self._answer(1)

    def __float__(self) -> float:
        return self._answer(0.5)

    def __len__(self) -> int:
        return self._answer(2)

    def __iter__(self) -> Any:
        return self._answer(iter((1, 2)))

    def __getitem__(self, key: Any) -> Any:
        return self._answer(1)

    def __bool__(self) -> bool:
        return self._answer(True)

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return self._answer(False)

    def __repr__(self) -> str:
        return self._answer("spoiled")


class Protocols(Spoiled):
    """The same for the array protocols."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self._answer(np.ones(2))

    @property
    def __cuda_array_interface__(self) -> Any:
        return self._answer({"shape": (2,), "typestr": "<f4", "data": (16, False), "version": 3})

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._answer(np.ones(2).__dlpack__())

    def __dlpack_device__(self) -> Any:
        return self._answer((self.rng.choice([1, 2, 3, 99]), 0))


class MyTensor(gpukit.Tensor):
    """A subclass, which may have attributes of its own."""


class MyGenerator(gpukit.Generator):
    """Half initialised: its base never is."""

    def __init__(self) -> None:
        raise RuntimeError("not today")


class MyInt(int):
    def __index__(self) -> int:
        raise OverflowError("no index")


def recursive() -> list[Any]:
    """A list that holds itself."""
    loop: list[Any] = [1]
    loop.append(loop)
    return loop


def uninitialised() -> list[Any]:
    """Objects that __new__ alone made, of every class where that is possible."""
    made = []
    base = gpukit.Generator.__mro__[1]
    for cls in bound_classes():
        for new in (cls.__new__, base.__new__, object.__new__):  # type: ignore[attr-defined]
            with contextlib.suppress(TypeError):
                made.append(new(cls))
    return made


def bound_classes() -> list[type]:
    """The classes that C++ gives to Python."""
    core = gpukit._core
    found = [thing for thing in vars(core).values() if isinstance(thing, type)]
    return [*found, MyTensor, MyGenerator]


def tensors(devices: Sequence[str]) -> list[Any]:
    """Small tensors of every dtype and layout, on every device."""
    made: list[Any] = []
    for device in devices:
        made += [gpukit.ones(2, 3, dtype=name, device=device) for name in DTYPES]
        base = gpukit.arange(24.0, device=device).reshape(2, 3, 4)
        made += [
            base,
            base.permute(2, 0, 1),
            base[:, ::2],
            base[0, 0, 0],
            base[:0],
            base[:1].expand(5, 3, 4),
            gpukit.empty(0, device=device),
            gpukit.tensor(2, device=device),
            gpukit.ones(3, device=device, requires_grad=True),
            gpukit.ones(2, 2, device=device, requires_grad=True) * 2,
            gpukit.tensor([0, 5, -7], device=device),
        ]
    made.append(gpukit.ones(3).as_subclass(MyTensor))
    return made


class Values:
    """Draws hostile values from a seed."""

    def __init__(self, rng: random.Random, devices: Sequence[str], ended: Sequence[Any]) -> None:
        self.rng = rng
        self.kept: list[Any] = [*ended, *uninitialised()]
        self.fresh: Callable[[], list[Any]] = lambda: tensors(devices)
        self.tensors = self.fresh()
        self.devices = devices

    def draw(self) -> Any:
        """One value; about half of them are ordinary enough to get past the first check."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.4:
            return rng.choice(self.tensors)
        if kind < 0.52:
            return rng.choice(INTEGERS)
        if kind < 0.58:
            return rng.choice(FLOATS)
        if kind < 0.66:
            return [self.draw() for _ in range(rng.randrange(4))]
        if kind < 0.70:
            return tuple(self.draw() for _ in range(rng.randrange(4)))
        if kind < 0.78 and self.kept:
            return rng.choice(self.kept)
        return self.odd()

    def odd(self) -> Any:
        """What is neither tensor nor number."""
        rng = self.rng
        victim: list[Any] = [1, 2, 3]
        makers: list[Callable[[], Any]] = [
            lambda: None,
            lambda: rng.choice([True, False, ..., NotImplemented]),
            lambda: rng.choice(
                ["", "cpu", "cuda:0", "cuda:99", "float32", "sum", "ij,jk->ik", "\ud800", "a" * 999]
            ),
            lambda: rng.choice([b"", b"abc", bytearray(5), memoryview(b"abcd")]),
            lambda: rng.choice([gpukit.float16, gpukit.bool, gpukit.int64, float, int, np.float32]),
            lambda: gpukit.device(rng.choice(["cpu", "cuda:1", "cuda:77"])),
            lambda: np.zeros(rng.choice([(), (0,), (2,), (2, 3)]), rng.choice(NUMPY_TYPES)),
            lambda: np.zeros(1, rng.choice(NUMPY_TYPES))[0],
            lambda: np.arange(6.0)[::-1],
            lambda: array.array("d", [1, 2]),
            lambda: (ctypes.c_int * 3)(1, 2, 3),
            lambda: ctypes.c_double(2),
            lambda: Spoiled(rng),
            lambda: Protocols(rng),
            lambda: [1, Spoiled(rng, victim), victim],
            lambda: self._in_its_list(victim),
            lambda: MyInt(3),
            recursive,
            dict,
            lambda: {"a": 1},
            lambda: slice(self.draw(), None, rng.choice([None, 0, -1, 2**63])),
            lambda: rng.choice(bound_classes()),
            lambda: lambda *args: args,
            gpukit.Generator,
            lambda: 1j,
            lambda: range(3),
            lambda: iter([1, 2]),
            lambda: copy.copy(rng.choice(self.tensors)),
        ]
        return rng.choice(makers)()

    def _in_its_list(self, victim: list[Any]) -> list[Any]:
        victim[1] = Spoiled(self.rng, victim)
        return victim

    def keep(self, value: Any) -> None:
        """A result becomes an argument of later calls."""
        if len(self.kept) > 300:
            del self.kept[self.rng.randrange(200)]
        self.kept.append(value)
