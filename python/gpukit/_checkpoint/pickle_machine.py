"""The stack machine of pickles, without the steps that could run something.

It makes plain values, and calls only what a fixed table of names allows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpukit import _core
from gpukit._checkpoint.failure import shown

_KEYS = (str, int, float, bool, bytes, complex, type(None), _core.dtype, _core.device)


class Unfinished:
    """What exists while a file is read only; none of it is a value of the file."""


@dataclass(frozen=True)
class Allowed(Unfinished):
    """A name that a pickle may call, and what is done instead."""

    name: str
    call: Callable[..., Any]


@dataclass(frozen=True)
class Token(Unfinished):
    """A name that a pickle may mention as an argument, e.g. a class of torch."""

    name: str


class ForbiddenError(Exception):
    """A pickle asks for something that is not in the table; the text says what."""


class StorageFailure(Exception):  # noqa: N818 (it carries an error)
    """Reading a storage failed; the pickle is not to blame for `error`."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class _Mark:
    """Where the values of a MARK begin on the stack."""


_MARK = _Mark()


class PickleMachine:
    """Stack and memo of one pickle; STEPS has the method of each opcode.

    Any ordinary exception of a step means that the pickle is damaged.
    """

    def __init__(
        self,
        names: Mapping[str, Any],
        load_storage: Callable[[Any], Any],
        build_of: Callable[[Any], Callable[[Any, Any], None] | None] = lambda _: None,
    ) -> None:
        self.stack: list[Any] = []
        self._names = names
        self._load_storage = load_storage
        self._build_of = build_of
        self._memo: dict[int, Any] = {}

    def do(self, opcode: str, argument: Any) -> None:
        """One step. ForbiddenError for an opcode that makes objects of classes."""
        if opcode not in STEPS:
            raise ForbiddenError(f"uses the pickle opcode {opcode}")
        STEPS[opcode](self, argument)

    def push(self, value: Any) -> None:
        """Puts a value on the stack."""
        self.stack.append(value)

    def pop(self) -> Any:
        """Takes the top value."""
        value = self.stack.pop()
        if value is _MARK:
            raise ValueError("a value is missing")
        return value

    def pop_to_mark(self) -> list[Any]:
        """The values above the latest MARK, in order."""
        values = []
        while (value := self.stack.pop()) is not _MARK:
            values.append(value)
        values.reverse()
        return values

    def _top(self, *kinds: type) -> Any:
        value = self.stack[-1]
        if type(value) not in kinds:
            raise TypeError(f"{type(value).__name__} where {kinds[0].__name__} is expected")
        return value

    def pop_one(self, _: Any) -> None:
        """POP: drops the top value."""
        self.stack.pop()

    def mark(self, _: Any) -> None:
        """MARK: begins a run of values."""
        self.push(_MARK)

    def tuple_of(self, count: int) -> None:
        """The top values as a tuple."""
        parts = [self.pop() for _ in range(count)]
        self.push(tuple(reversed(parts)))

    def append(self, _: Any) -> None:
        """APPEND: adds one value to a list."""
        value = self.pop()
        self._top(list).append(value)

    def appends(self, _: Any) -> None:
        """APPENDS: adds a run of values to a list."""
        values = self.pop_to_mark()
        self._top(list).extend(values)

    def set_item(self, _: Any) -> None:
        """SETITEM: adds one pair to a dict."""
        value, key = self.pop(), self.pop()
        self._top(dict, OrderedDict)[checked_key(key)] = value

    def set_items(self, _: Any) -> None:
        """SETITEMS: adds a run of pairs to a dict."""
        values = self.pop_to_mark()
        target = self._top(dict, OrderedDict)
        target.update(_pairs(values))

    def add_items(self, _: Any) -> None:
        """ADDITEMS: adds a run of values to a set."""
        values = self.pop_to_mark()
        self._top(set).update(map(checked_key, values))

    def put(self, index: int) -> None:
        """PUT: remembers the top value by a number."""
        self._memo[index] = self.stack[-1]

    def memoize(self, _: Any) -> None:
        """MEMOIZE: remembers the top value by the next number."""
        self._memo[len(self._memo)] = self.stack[-1]

    def get(self, index: int) -> None:
        """GET: the value remembered by a number."""
        self.push(self._memo[index])

    def _find(self, module: str, name: str) -> None:
        full = f"{'builtins' if module == '__builtin__' else module}.{name}"
        if full not in self._names:
            raise ForbiddenError(f"asks for {shown(full)}")
        self.push(self._names[full])

    def find_global(self, argument: str) -> None:
        """GLOBAL: what a name stands for."""
        # genops joins the two lines with a blank.
        module, _, name = argument.partition(" ")
        self._find(module, name)

    def stack_global(self, _: Any) -> None:
        """STACK_GLOBAL: the same, with the name on the stack."""
        name, module = self.pop(), self.pop()
        if not isinstance(module, str) or not isinstance(name, str):
            raise TypeError("a name must be text")
        self._find(module, name)

    def reduce(self, _: Any) -> None:
        """REDUCE: calls one of the allowed names."""
        arguments, function = self.pop(), self.pop()
        if not isinstance(function, Allowed) or type(arguments) is not tuple:
            raise ForbiddenError(f"calls {shown(repr(function))}")
        self.push(function.call(*arguments))

    def build(self, _: Any) -> None:
        """BUILD: attributes of an OrderedDict, e.g. `_metadata` of a state_dict; NumPy's states."""
        state = self.pop()
        if build := self._build_of(self.stack[-1]):
            build(self.stack[-1], state)
            return
        target = self._top(OrderedDict)
        if type(state) is not dict or not all(isinstance(key, str) for key in state):
            raise TypeError("the state must be a dict with text as keys")
        # An attribute must not hide a method such as items().
        vars(target).update({k: v for k, v in state.items() if not hasattr(OrderedDict, k)})

    def persistent(self, _: Any) -> None:
        """BINPERSID: a storage of the file."""
        identity = self.pop()
        try:
            self.push(self._load_storage(identity))
        except Exception as error:
            raise StorageFailure(error) from error

    def push_frozen(self, _: Any) -> None:
        """FROZENSET: a run of values as a frozenset."""
        self.push(frozenset(map(checked_key, self.pop_to_mark())))


def checked_key(key: Any) -> Any:
    """Keys with a quick hash: tuples of tuples could take forever."""
    flat = key if type(key) is tuple else (key,)
    if not all(isinstance(part, _KEYS) for part in flat):
        raise TypeError(f"a {type(key).__name__} cannot be a key here")
    return key


def _pairs(values: list[Any]) -> dict[Any, Any]:
    if len(values) % 2:
        raise ValueError("a key has no value")
    keys = map(checked_key, values[::2])
    return dict(zip(keys, values[1::2], strict=True))


def _constant(value: Any) -> Callable[[PickleMachine, Any], None]:
    return lambda machine, _: machine.push(value)


def _made(make: Callable[[], Any]) -> Callable[[PickleMachine, Any], None]:
    return lambda machine, _: machine.push(make())


def _gathered(make: Callable[[list[Any]], Any]) -> Callable[[PickleMachine, Any], None]:
    return lambda machine, _: machine.push(make(machine.pop_to_mark()))


def _tuple_step(count: int) -> Callable[[PickleMachine, Any], None]:
    return lambda machine, _: machine.tuple_of(count)


def _nothing(machine: PickleMachine, argument: Any) -> None:
    """PROTO and FRAME say nothing that is needed."""


_VALUES = """
    INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT UNICODE SHORT_BINUNICODE BINUNICODE
    BINUNICODE8 SHORT_BINBYTES BINBYTES BINBYTES8 BYTEARRAY8 STRING SHORT_BINSTRING BINSTRING
""".split()  # noqa: SIM905
STEPS: dict[str, Callable[[PickleMachine, Any], None]] = {
    **dict.fromkeys(_VALUES, PickleMachine.push),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), PickleMachine.put),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), PickleMachine.get),
    **dict.fromkeys(("PROTO", "FRAME", "STOP"), _nothing),
    "NONE": _constant(None),
    "NEWTRUE": _constant(True),
    "NEWFALSE": _constant(False),
    "EMPTY_TUPLE": _constant(()),
    "EMPTY_LIST": _made(list),
    "EMPTY_DICT": _made(dict),
    "EMPTY_SET": _made(set),
    "TUPLE": _gathered(tuple),
    "LIST": _gathered(list),
    "DICT": _gathered(_pairs),
    "TUPLE1": _tuple_step(1),
    "TUPLE2": _tuple_step(2),
    "TUPLE3": _tuple_step(3),
    "MARK": PickleMachine.mark,
    "POP": PickleMachine.pop_one,
    "APPEND": PickleMachine.append,
    "APPENDS": PickleMachine.appends,
    "SETITEM": PickleMachine.set_item,
    "SETITEMS": PickleMachine.set_items,
    "ADDITEMS": PickleMachine.add_items,
    "FROZENSET": PickleMachine.push_frozen,
    "MEMOIZE": PickleMachine.memoize,
    "GLOBAL": PickleMachine.find_global,
    "STACK_GLOBAL": PickleMachine.stack_global,
    "REDUCE": PickleMachine.reduce,
    "BUILD": PickleMachine.build,
    "BINPERSID": PickleMachine.persistent,
}
