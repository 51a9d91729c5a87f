"""Dtypes, shapes, values and tensors, drawn at random with the awkward ones in front."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .arguments import DTYPES, FLOATS, SIGNED, UNSIGNED, Array, numpy_dtype, rounded_to_bfloat16

SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 7)
LONG = ((33,), (65,), (257,), (1000,), (17, 33), (40, 9), (2, 130), (130, 2), (2049,))
WEIGHTS = {"float32": 6, "float64": 5, "int64": 4, "int32": 3, "bool": 3, "uint8": 3}
RARE = {"uint16": 0.6, "uint32": 0.6, "uint64": 0.6}  # torch has few kernels for these; NumPy all

KINDS = {
    "any": DTYPES,
    "number": tuple(name for name in DTYPES if name != "bool"),
    "float": FLOATS,
    "int": (*SIGNED, *UNSIGNED),
    "integral": ("bool", *SIGNED, *UNSIGNED),
    "api any": ("bool", *SIGNED, *UNSIGNED, "float32", "float64"),
    "api number": (*SIGNED, *UNSIGNED, "float32", "float64"),
    "api float": ("float32", "float64"),
    "api bool": ("bool",),
}


def draw_dtype(rng: random.Random, kind: str = "any") -> str:
    """A dtype; `mostly float` is a float three times in four."""
    if kind == "mostly float":
        kind = "float" if rng.random() < 0.75 else "any"
    names = KINDS[kind]
    rare = {} if kind.startswith("api") else RARE
    return rng.choices(names, [rare.get(name, WEIGHTS.get(name, 2)) for name in names])[0]


def draw_shape(rng: random.Random, least: int = 0, most: int = 4) -> tuple[int, ...]:
    """A shape: often small, at times empty, 0-d, or larger than a vector."""
    if least <= 2 and most >= 2 and rng.random() < 0.12:
        shape = rng.choice(LONG)
        if len(shape) >= least:
            return shape
    dims = rng.randint(least, most) if rng.random() < 0.95 or most < 4 else rng.randint(5, 8)
    sizes = SIZES if dims < 5 else (1, 1, 2)
    return tuple(0 if rng.random() < 0.03 else rng.choice(sizes) for _ in range(dims))


def special_floats(name: str) -> list[float]:
    """Values at the edges of a floating dtype."""
    if name == "bfloat16":
        largest, tiny, small = 3.3895313892515355e38, 1.1754943508222875e-38, 9.183549615799121e-41
    else:
        info = np.finfo(numpy_dtype(name))
        largest, tiny, small = float(info.max), float(info.tiny), float(info.smallest_subnormal)
    edge = [largest, tiny, small]
    return [
        float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5,
        *edge, *(-value for value in edge), 100.0, -20.0, 88.5, 255.5, 65504.0, 2.0**24, 2.0**31,
    ]  # fmt: skip


def special_ints(name: str) -> list[int]:
    """Values at the edges of an integer dtype."""
    info = np.iinfo(name)
    wanted = (0, 1, 2, 3, 7, 8, 31, 63, 127, 128, 255, 256, 65535, -1, -2, -128, 2**31, 2**53 + 1)
    inside = [value for value in wanted if info.min <= value <= info.max]
    return [*inside, int(info.min), int(info.max), int(info.max) - 1, int(info.min) + 1]


def draw_values(rng: random.Random, name: str, shape: tuple[int, ...], profile: str) -> np.ndarray:
    """Values of a dtype. Profiles: plain, special (some edges), wide (edges only), summed (no
    finite edges), unit (0 to 1), positive."""
    count = int(np.prod(shape, dtype=np.int64))
    seed = np.random.default_rng(rng.getrandbits(32))
    if name == "bool":
        return np.asarray(seed.random(shape) < 0.5)
    if name not in FLOATS:
        return _draw_ints(rng, seed, name, count, profile).reshape(shape)
    values = _draw_floats(rng, seed, name, count, profile)
    if name == "bfloat16":
        return rounded_to_bfloat16(values.astype(np.float32)).reshape(shape)
    with np.errstate(over="ignore"):
        return values.astype(numpy_dtype(name)).reshape(shape)


def _draw_ints(
    rng: random.Random, seed: np.random.Generator, name: str, count: int, profile: str
) -> np.ndarray:
    info = np.iinfo(name)
    low = 0 if profile in {"unit", "positive"} else max(-6, int(info.min))
    values = seed.integers(low, 2 if profile == "unit" else 8, count).astype(name)
    share = {"special": 0.3, "wide": 1.0}.get(profile, 0.0)
    edges = special_ints(name)
    for place in range(count if share else 0):
        if count < 100 and rng.random() < share:
            values[place] = rng.choice(edges)
    if share and count >= 100:
        values[:] = seed.integers(info.min, info.max, count, dtype=name, endpoint=True)
    return values


def _draw_floats(
    rng: random.Random, seed: np.random.Generator, name: str, count: int, profile: str
) -> np.ndarray:
    if profile == "unit":
        return np.round(seed.random(count), 2)
    values = seed.standard_normal(count) * rng.choice((1.0, 1.0, 3.0, 30.0))
    if rng.random() < 0.3:
        values = np.round(values * 2) / 2  # ties and whole numbers
    if profile == "positive":
        return np.abs(values) + 0.125
    share = {"special": 0.3, "wide": 1.0, "summed": 0.1}.get(profile, 0.0)
    if profile == "summed" and rng.random() < 0.7:
        share = 0.0
    edges = special_floats(name)
    if profile == "summed":
        edges = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, edges[14]]
    with np.errstate(over="ignore"):
        for place in range(count if share else 0):
            if rng.random() < share:
                values[place] = rng.choice(edges)
    return values


def draw_array(
    rng: random.Random,
    name: str,
    shape: tuple[int, ...],
    profile: str = "plain",
    *,
    views: bool = True,
) -> Array:
    """A tensor of this shape, at times a view of a larger storage."""
    steps: tuple[tuple[Any, ...], ...] = ()
    storage = shape
    if views and shape and rng.random() < 0.35:
        storage, steps = _draw_views(rng, shape)
    return Array(name, draw_values(rng, name, storage, profile), steps)


def _draw_views(
    rng: random.Random, shape: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[tuple[Any, ...], ...]]:
    dims = len(shape)
    way = rng.choice(("transpose", "stride", "offset", "expand", "stride transpose"))
    dim = rng.randrange(dims)
    if way == "expand":
        storage = tuple(1 if at == dim else size for at, size in enumerate(shape))
        return storage, (("expand", shape),)
    base, steps = list(shape), []
    if "transpose" in way and dims > 1:
        other = rng.randrange(dims)
        base[dim], base[other] = base[other], base[dim]
        steps.append(("transpose", dim, other))
    if "stride" in way:
        size = base[dim]
        base[dim] = 2 * size + 1
        steps.insert(0, ("slice", dim, 1, None, 2))
    if way == "offset":
        base[dim] += 2
        steps.insert(0, ("slice", dim, 1, base[dim] - 1))
    return tuple(base), tuple(steps)


def broadcastable(rng: random.Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with another."""
    if rng.random() < 0.5:
        return shape
    kept = shape[rng.randint(0, len(shape)) :]
    return tuple(1 if rng.random() < 0.3 else size for size in kept)


NUMBERS: tuple[Any, ...] = (
    0, 1, 2, 3, -1, -2, 5, 7, 8, 100, 127, 128, 255, 256, 300, -129, 65536, 2**31, 2**40, 2**63, -(2**63), 2**64,
    0.0, -0.0, 0.1, 0.5, -0.5, 1.0, 1.5, 2.0, 2.5, -3.5, 1e-8, 1e10, 65536.0, 1e300, 5e-324, float("nan"), float("inf"),
    -float("inf"), True, False,
)  # fmt: skip


def draw_number(rng: random.Random, *, plain: bool = False) -> Any:
    """A Python number or, one time in six, a NumPy scalar."""
    value = rng.choice((0, 1, 2, 3, -1, -2, 0.5, 1.5, -0.5, 0.1, 2.0, True) if plain else NUMBERS)
    if rng.random() < 1 / 6 and not (isinstance(value, int) and abs(value) >= 2**31):
        if isinstance(value, bool):
            return np.bool_(value)
        with np.errstate(over="ignore"):
            if isinstance(value, float):
                return rng.choice((np.float32, np.float64))(value)
            return rng.choice((np.int64, np.int32, np.float64))(value)
    return value
