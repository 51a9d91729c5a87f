"""Programs after torch.compile's documentation and tests: what Python does around tensors.

Each program gets `compile`, makes functions, calls them several times, and gives all that a user
can see afterwards.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import io
from typing import Any, NamedTuple

import pytest

import gpukit
from gpukit._compile import compiled as compiled_functions
from support.programs import check_program, tried, x_of

SCALE = 2.0
TABLE = {"bias": 1.0}
LOG: list[Any] = []


@pytest.fixture(autouse=True)
def always_chains(monkeypatch):
    monkeypatch.setattr(compiled_functions, "FEW_ELEMENTS", 0)


class Point(NamedTuple):
    x: Any
    y: Any


@dataclasses.dataclass
class Batch:
    values: Any
    weight: float = 2.0


def graph_break(compile):
    @compile
    def toy(a, b):
        x = a / (gpukit.abs(a) + 1)
        if b.sum() < 0:
            b = b * -1
        return x * b

    a = x_of(10)
    return [toy(a, b) for b in (a, -a, a, -a)]


def side_effect_list(compile):
    seen = []

    @compile
    def f(x):
        y = gpukit.sin(x) + 1
        seen.append(float(y.sum()))
        return y * 2

    return [f(x_of(4)), f(x_of(4) * 2), f(x_of(4)), seen]


def side_effect_global(compile):
    LOG.clear()

    @compile
    def f(x):
        y = x * 2 + 1
        LOG.append(len(LOG))
        return y

    return [f(x_of(3)), f(x_of(3)), f(x_of(3)), list(LOG)]


def counter_nonlocal(compile):
    count = 0

    @compile
    def f(x):
        nonlocal count
        count += 1
        return x * count + 1

    return [f(x_of(3)) for _ in range(4)] + [count]


def dynamic_shapes(compile):
    @compile
    def f(x):
        return (x + 1).reshape(-1, x.shape[-1]) * x.shape[0] - x.size(-1)

    return [f(x_of(*shape)) for shape in ((2, 3), (4, 3), (2, 5), (2, 3), (1, 1), (0, 3))]


def branch_on_shape(compile):
    @compile
    def f(x):
        if x.shape[0] > 3:
            return x * 2 + 1
        return x - 1 + x

    return [f(x_of(n)) for n in (2, 5, 3, 4, 2)]


def branch_on_dtype_and_rank(compile):
    @compile
    def f(x):
        if x.dtype == gpukit.float64:
            return x * 3 - 1
        if x.dim() == 2:
            return x * 2 + 1
        return x.float() + 0.5

    inputs = [x_of(3), x_of(2, 2), x_of(3).double(), x_of(3).long()]
    return [f(x) for x in inputs * 2]


def closures(compile):
    def outer(k):
        shift = k * 10

        @compile
        def inner(x):
            return x * k + shift

        def change(value):
            nonlocal shift
            shift = value

        return inner, change

    first, change = outer(2)
    second, _ = outer(3)
    found = [first(x_of(3)), second(x_of(3)), first(x_of(3))]
    change(-1.0)
    return [*found, first(x_of(3)), second(x_of(3))]


def globals_and_defaults(compile):
    global SCALE

    def f(x, power=2, *, bias=0.5):
        return x**power * SCALE + bias + TABLE["bias"]

    g = compile(f)
    found = [g(x_of(3)), g(x_of(3), 3), g(x_of(3), bias=1.5)]
    SCALE = 5.0
    found.append(g(x_of(3)))
    TABLE["bias"] = -1.0
    found.append(g(x_of(3)))
    f.__defaults__ = (1,)
    found.append(g(x_of(3)))
    f.__kwdefaults__ = {"bias": 9.0}
    found.append(g(x_of(3)))
    SCALE = 2.0
    TABLE["bias"] = 1.0
    return [*found, g(x_of(3))]


def mutable_default(compile):
    @compile
    def f(x, seen=[]):  # noqa: B006
        seen.append(1)
        return x * len(seen) + 1

    return [f(x_of(2)) for _ in range(4)]


def keyword_arguments(compile):
    @compile
    def f(a, *rest, scale=1.0, **named):
        for each in rest:
            a = a + each * scale
        for key in sorted(named):
            a = a * named[key] + 1
        return a

    x = x_of(3)
    calls = [
        lambda: f(x),
        lambda: f(x, x, x),
        lambda: f(x, x, scale=3.0),
        lambda: f(x, b=x, c=2.0),
        lambda: f(a=x, c=x, b=2.0),
        lambda: f(x, x, scale=True),
    ]
    return [call() for call in calls * 2]


def nested_structures(compile):
    @compile
    def f(tree):
        (a, [b, c]), named = tree["pair"], tree["named"]
        return {
            "out": [a * b + 1, (c - a, {"deep": named["x"] * 2 + b})],
            "point": Point(a + 1, b * 2),
            "number": 3,
            "text": "kept",
            "none": None,
        }

    trees = [
        {"pair": (x_of(3) * k, [x_of(3), x_of(3) + k]), "named": {"x": x_of(3) - k}} for k in (1, 2)
    ]
    return [f(tree) for tree in trees * 2]


def other_containers(compile):
    @compile
    def f(batch):
        if isinstance(batch, Batch):
            return Batch(batch.values * batch.weight + 1, batch.weight)
        if isinstance(batch, Point):
            return Point(batch.x * 2 + 1, batch.y)
        return collections.OrderedDict((key, value * 2 + 1) for key, value in batch.items())

    found = []
    for _ in range(2):
        found.append(f(Batch(x_of(3))))
        found.append(f(Batch(x_of(3), 5.0)))
        found.append(f(Point(x_of(2), x_of(3))))
        found.append(f(collections.OrderedDict(b=x_of(2), a=x_of(3))))
        found.append(f(collections.defaultdict(list, a=x_of(3))))
    return found


def generators(compile):
    @compile
    def produce(x):
        for k in range(3):
            yield x * k + 1

    @compile
    def consume(x):
        parts = (part * 2 + 1 for part in (x, x + 1))
        return sum(parts) + gpukit.stack([y * 2 for y in (x, x)]).sum(0)

    return [list(produce(x_of(3))), list(produce(x_of(3) * 2)), consume(x_of(3)), consume(-x_of(3))]


def comprehension_and_zip(compile):
    @compile
    def f(items, weights):
        total = sum(w * x + 1 for w, x in zip(weights, items, strict=True))
        return total, [x * 2 - i for i, x in enumerate(items)], max(weights)

    a = [x_of(3), x_of(3) + 1]
    return [f(a, [1.0, 2.0]), f(a, [3.0, 2.0]), f([*a, a[0]], [1.0, 2.0, 3.0]), f(a, [1.0, 2.0])]


def exceptions(compile):
    @compile
    def f(x, mode):
        if mode == "raise":
            raise ValueError(f"mode {mode}")
        try:
            return x.reshape(mode) * 2 + 1
        except RuntimeError:
            return x * 3 - 1

    modes = [(2, 3), "raise", (4, 4), (3, 2), "raise"]
    return [tried(f, x_of(6), mode) for mode in modes * 2]


def decorated_and_partial(compile):
    def doubled(function):
        @functools.wraps(function)
        def call(*args):
            return function(*args) * 2

        return call

    @compile
    @doubled
    def f(x, k):
        return x * k + 1

    half = functools.partial(f, x_of(3))
    whole = compile(functools.partial(lambda x, k: x * k + 1, k=4.0))
    return [f(x_of(3), 2), f(x_of(3), 2.0), half(3), half(3), whole(x_of(3)), whole(x_of(3), k=2.0)]


def methods_and_properties(compile):
    class Scaler:
        offset = 1.0

        def __init__(self, scale):
            self.scale = scale

        @property
        def doubled(self):
            return self.scale * 2

        @compile
        def apply(self, x):
            return x * self.doubled + self.offset

        @staticmethod
        @compile
        def static(x):
            return x * 2 + 1

    one, two = Scaler(2.0), Scaler(3.0)
    found = [one.apply(x_of(3)), two.apply(x_of(3)), one.apply(x_of(3))]
    one.scale = 7.0
    Scaler.offset = -1.0
    return [
        *found,
        one.apply(x_of(3)),
        two.apply(x_of(3)),
        Scaler.static(x_of(2)),
        one.static(x_of(2)),
    ]


def loops_and_while(compile):
    @compile
    def f(x, n):
        k = 0
        while k < n:
            x = gpukit.sin(x) + k
            k += 1
        for _ in range(n):
            x = x * 1.5 - 1
        return x

    return [f(x_of(3), n) for n in (0, 1, 3, 3, 2, 0)]


def tensor_items(compile):
    @compile
    def f(x):
        k = int(x.max().item())
        return x * k + len(x.nonzero())

    return [f(x_of(3)), f(x_of(3) - 1), f(x_of(3) - 2), tried(f, x_of(3) * 0)]


def strings_and_formats(compile):
    @compile
    def f(x, name):
        label = f"{name}:{x.dtype}:{tuple(x.shape)}"
        return x * 2 + len(label), label

    return [f(x_of(3), "a"), f(x_of(4), "a"), f(x_of(3).double(), "bb"), f(x_of(3), "a")]


def printed(compile):
    @compile
    def f(x):
        print("called", x.shape)
        return x * 2 + 1

    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        found = [f(x_of(3)) for _ in range(3)]
    return [*found, text.getvalue()]


def nested_compiled(compile):
    inner = compile(lambda x: gpukit.sin(x) * 2 + 1)

    @compile
    def outer(x, on):
        y = inner(x) if on else x
        return inner(y) + y

    return [outer(x_of(3), on) for on in (True, False, True)]


def tensor_attributes(compile):
    @compile
    def f(x):
        if hasattr(x, "tag"):
            return x * 2 + 1
        return x.T.contiguous() + x.mT * 2 if x.ndim == 2 else x.real + x.dtype.itemsize

    @compile
    def scaled(x):
        return x * getattr(x, "scale", 2) + len(getattr(x, "seen", ()))

    marked = x_of(3)
    marked.tag = "seen"
    found = [f(x_of(2, 2)), f(x_of(3)), f(marked), f(x_of(3)), f(marked)]
    for scale in (3, 4, 3):
        marked.scale = scale
        found.append(scaled(marked))
    marked.seen = [1]
    found.append(scaled(marked))
    marked.seen.append(2)
    return [*found, scaled(marked), scaled(x_of(3))]


def sets_and_constants(compile):
    @compile
    def f(x, names):
        if "scale" in names:
            x = x * 3
        return x + len(names)

    sets = [{"scale"}, set(), frozenset({"scale", "b"}), {"b"}, range(3), complex(1)]
    return [tried(f, x_of(3), each) for each in sets * 2]


PROGRAMS = [
    graph_break,
    side_effect_list,
    side_effect_global,
    counter_nonlocal,
    dynamic_shapes,
    branch_on_shape,
    branch_on_dtype_and_rank,
    closures,
    globals_and_defaults,
    mutable_default,
    keyword_arguments,
    nested_structures,
    other_containers,
    generators,
    comprehension_and_zip,
    exceptions,
    decorated_and_partial,
    methods_and_properties,
    loops_and_while,
    tensor_items,
    strings_and_formats,
    printed,
    nested_compiled,
    tensor_attributes,
    sets_and_constants,
]


@pytest.mark.parametrize("options", [{}, {"backend": "python"}, {"dynamic": False}])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_results_are_those_of_plain_python(program, options):
    check_program(program, options)
