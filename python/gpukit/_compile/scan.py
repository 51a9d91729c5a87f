"""What a function's code does that a trace could not repeat, read before it runs.

Operators are observed while they run. What Python does beside them is not: it is allowed only
where running it once gives what running it each time would give. So a function may read numbers,
texts, tensors, modules of gpukit.nn and functions that pass the same test, all of which guards
compare before a trace is used again; it may not write to what lives longer than the call.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import operator
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gpukit import _core
from gpukit._compile.faults import Fault
from gpukit._compile.trace import CONSTANTS, Place

# What gives the same each time it is called with the same, and does nothing else.
_PURE_BUILTINS = frozenset(
    """
    abs all any bool dict divmod enumerate filter float frozenset getattr hasattr int isinstance
    issubclass iter len list map max min next pow range reversed round set slice sorted str sum
    super tuple type zip NotImplemented Ellipsis
    """.split()  # noqa: SIM905
)
_PURE_MODULES = frozenset("math itertools operator _operator".split())  # noqa: SIM905
_PURE_NUMPY = frozenset("pi e inf nan newaxis sqrt exp log float32 float64 int32 int64".split())  # noqa: SIM905
# Names under which code asks for sizes: the trace then holds for these shapes alone.
_SIZES = frozenset(
    """
    shape size numel nelement nbytes len element_count __len__ length_hint getattr attrgetter
    methodcaller
    """.split()  # noqa: SIM905
)
# What a tensor's history answers; no guard holds it.
_HISTORY = frozenset("_version grad_fn is_leaf retains_grad".split())  # noqa: SIM905
_WRITES = {
    "STORE_GLOBAL": "writes the global",
    "DELETE_GLOBAL": "deletes the global",
    "STORE_ATTR": "writes the attribute",
    "DELETE_ATTR": "deletes the attribute",
}
_READS_CELL = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
_READ = frozenset(
    {"LOAD_ATTR", "LOAD_METHOD", "STORE_DEREF", "IMPORT_NAME", "LOAD_GLOBAL", "LOAD_NAME"}
    | set(_WRITES)
    | _READS_CELL
)
# Of gpukit itself, beside the operators: what neither computes nor changes anything.
_GPUKIT_NAMES = frozenset(
    """
    Tensor array_api autograd device dtype e enable_grad finfo functional iinfo inf
    inference_mode is_tensor linalg nan newaxis nn no_grad pi promote_types result_type cpu gpu to
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True)
class Source:
    """A place that a function reads while it runs: an entry of a dict, or a closure's cell."""

    holder: Any
    name: str

    def read(self) -> Any:
        """What is there now; MISSING where nothing is."""
        if isinstance(self.holder, types.CellType):
            try:
                return self.holder.cell_contents
            except ValueError:
                return MISSING
        return self.holder.get(self.name, MISSING)


MISSING = object()


@dataclass
class Reading:
    """What the code of a function reads, and what stands against tracing it."""

    sources: list[Source] = field(default_factory=list)
    modules: list[Any] = field(default_factory=list)
    members: list[tuple[Any, str, Any]] = field(default_factory=list)  # (names, name, value)
    codes: list[tuple[Any, Any]] = field(default_factory=list)  # (function, its code)
    reads_sizes: bool = False
    reads_attributes: bool = False  # names that a program may have given tensors
    fault: Fault | None = None


@dataclass(frozen=True)
class Instruction:
    """What a function does with a name."""

    opname: str
    name: str
    line: int


def instructions_of(code: types.CodeType) -> list[Instruction]:
    """Those that are read, each once, at its first line."""
    found: dict[tuple[str, str], Instruction] = {}
    line = code.co_firstlineno
    for each in dis.get_instructions(code):
        line = _line_of(each) or line
        if each.opname in _READ:
            key = (each.opname, each.argval)
            found.setdefault(key, Instruction(*key, line))
    return list(found.values())


# Code objects that were read before, with themselves: by identity, for equal ones may be elsewhere.
Known = dict[int, tuple[types.CodeType, list[Instruction]]]


def known_code(root: Any) -> Known:
    """The code that will be read, as far as it is named by now: reading it takes the longest."""
    known: Known = {}
    with contextlib.suppress(Exception):  # what is wrong is said when the function is called
        read((root,), known)
    return known


@lru_cache(maxsize=1024)
def _read_own(function: types.FunctionType) -> Reading:
    """A function of gpukit's without a closure: whether what it calls asks for sizes or attributes.

    In a closure there may be functions of a user's, which have to be guarded.
    """
    scan = _Scan({}, trusted=True)
    scan.function(function)
    return scan.reading


def read(roots: tuple[Any, ...], known: Known | None = None) -> Reading:
    """Reads functions, the forward of modules, and all that they call by name."""
    scan = _Scan({} if known is None else known)
    for root in roots:
        scan.value(root, None)
    return scan.reading


class _Scan:
    def __init__(self, known: Known, trusted: bool = False) -> None:
        self.reading = Reading()
        self._known = known
        self._seen: set[int] = set()
        self._trusted = trusted  # gpukit's own code is read for sizes alone

    def value(self, value: Any, place: Place | None) -> None:
        """A value that the code reads."""
        if self.reading.fault is not None or id(value) in self._seen:
            return
        if isinstance(value, (*CONSTANTS, _core.Tensor, _core.Generator)):
            return
        self._seen.add(id(value))
        self._read(value, place)

    def _read(self, value: Any, place: Place | None) -> None:
        self.reading.reads_sizes |= type(value) in _ASKING
        self.reading.reads_attributes |= type(value) in _ASKING or value is operator.attrgetter
        inner = getattr(value, "_compiled_from", None)
        if inner is not None:
            self.value(inner, place)
        elif isinstance(value, (tuple, list)):
            for item in value:
                self.value(item, place)
        elif isinstance(value, dict):
            for item in value.values():
                self.value(item, place)
        elif isinstance(value, types.MethodType):
            self.value(value.__self__, place)
            self.value(value.__func__, place)
        elif isinstance(value, types.FunctionType) and not _is_tool(value):
            self.function(value)
        elif isinstance(value, _core.ModuleBase):
            self._module(value)
        elif not _is_known(value):
            self._refuse(f"uses {_described(value)}, which a trace cannot hold", place)

    def _refuse(self, reason: str, place: Place | None) -> None:
        if self.reading.fault is None and not self._trusted:
            self.reading.fault = Fault(reason, place)

    def function(self, function: types.FunctionType) -> None:
        """A function and what it calls."""
        trusted = _is_gpukit(function.__module__)
        if trusted and not self._trusted and function.__closure__ is None:
            own = _read_own(function)
            self.reading.reads_sizes |= own.reads_sizes
            self.reading.reads_attributes |= own.reads_attributes
            return
        code = function.__code__
        outer, self._trusted = self._trusted, trusted
        if not trusted:
            self.reading.codes.append((function, code))
            self._defaults(function)
        self._code(code, function.__globals__, dict(_cells(function)))
        self._trusted = outer

    def _defaults(self, function: types.FunctionType) -> None:
        place = Place(function.__code__.co_filename, function.__code__.co_firstlineno, "")
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.value(value, place)

    def _code(self, code: types.CodeType, names: dict[str, Any], cells: dict[str, Any]) -> None:
        self.reading.reads_sizes |= bool(_SIZES.intersection(code.co_names))
        if "getattr" in code.co_names and _HISTORY.intersection(map(str, code.co_consts)):
            place = Place(code.co_filename, code.co_firstlineno, code.co_name)
            self._refuse("reads the history of a tensor with getattr()", place)
        if not self._trusted:
            self._tensor_methods(code)
        if code.co_flags & _SUSPENDS and code.co_name != "<genexpr>":
            place = Place(code.co_filename, code.co_firstlineno, code.co_name)
            self._refuse("is a generator or a coroutine", place)
        if self._trusted:
            self._names_in(code, names, cells)
        else:
            before, instructions = self._known.get(id(code), (None, []))
            if before is not code:
                instructions = instructions_of(code)
                self._known[id(code)] = (code, instructions)
            for each in instructions:
                self._instruction(each, code, names, cells)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant, names, cells)

    def _names_in(self, code: types.CodeType, names: dict[str, Any], cells: dict[str, Any]) -> None:
        """All that a name in gpukit's own code may mean, which takes less time than disassembly."""
        place = Place(code.co_filename, code.co_firstlineno, code.co_name)
        for name in code.co_names:
            if name in names:
                self._source(Source(names, name), code, place)
            elif name.startswith("gpukit.") and name in sys.modules:  # imported where it is used
                self._package(sys.modules[name], code, place)
            elif name.startswith("gpukit."):
                self.reading.reads_sizes = True  # nobody knows yet
        for name in code.co_freevars:
            if name in cells:
                self._source(Source(cells[name], name), code, place)

    def _tensor_methods(self, code: types.CodeType) -> None:
        """Methods of tensors, which a program may replace."""
        names = vars(_core.Tensor)
        for name in code.co_names:
            if name in names:
                self.reading.members.append((names, name, names[name]))
                if isinstance(names[name], types.FunctionType):
                    self.value(names[name], None)

    def _instruction(
        self,
        instruction: Instruction,
        code: types.CodeType,
        names: dict[str, Any],
        cells: dict[str, Any],
    ) -> None:
        opname, name = instruction.opname, instruction.name
        place = Place(code.co_filename, instruction.line, code.co_name)
        if opname in {"LOAD_ATTR", "LOAD_METHOD"} and name not in _TENSOR_NAMES:
            self.reading.reads_attributes = True
        if opname in _WRITES:
            self._refuse(f"{_WRITES[opname]} {name!r}", place)
        elif opname in {"LOAD_ATTR", "LOAD_METHOD"} and name in _HISTORY:
            self._refuse(f"reads the attribute {name!r}", place)
        elif opname == "STORE_DEREF" and name in code.co_freevars and name in cells:
            self._refuse(f"writes the outer variable {name!r}", place)
        elif opname == "IMPORT_NAME" and name != "math":
            self._refuse(f"imports {name}", place)
        elif opname in {"LOAD_GLOBAL", "LOAD_NAME"}:
            self._name(name, names, code, place)
        elif opname in _READS_CELL and name in cells:
            self._source(Source(cells[name], name), code, place)

    def _name(self, name: str, names: dict[str, Any], code: types.CodeType, place: Place) -> None:
        source = Source(names, name)
        if name in names:
            self._source(source, code, place)
            return
        if not self._trusted:
            self.reading.sources.append(source)
        self.reading.reads_attributes |= name in {"getattr", "hasattr"}
        found = getattr(builtins, name, MISSING)
        error = isinstance(found, type) and issubclass(found, BaseException)
        if name not in _PURE_BUILTINS and not error and found is not MISSING:
            self._refuse(f"calls {name}()", place)

    def _source(self, source: Source, code: types.CodeType, place: Place) -> None:
        if not self._trusted:
            self.reading.sources.append(source)
        value = source.read()
        if isinstance(value, types.ModuleType):
            self._package(value, code, place)
        elif value is not MISSING:
            self.value(value, place)

    def _package(self, package: types.ModuleType, code: types.CodeType, place: Place) -> None:
        """A module: of those known, the names that the code may take from it are read."""
        if _is_gpukit(package.__name__):
            for owner, name, value in _named(package, code.co_names):
                if not self._trusted:
                    self.reading.members.append((vars(owner), name, value))
                self.value(value, place)
        elif package.__name__ == "numpy":
            for name in set(code.co_names) & set(dir(package)) - _PURE_NUMPY:
                found = getattr(package, name)
                computes = name in vars(_core.Tensor) or not callable(found)
                if isinstance(found, types.ModuleType) or not computes:
                    self._refuse(f"uses numpy.{name}, which a trace cannot hold", place)
        elif package.__name__ not in _PURE_MODULES:
            self._refuse(f"uses the module {package.__name__}, which a trace cannot hold", place)

    def _module(self, module: Any) -> None:
        if vars(module).keys() & {"forward", "_gpukit_hooks"}:
            place = None
            self._refuse(f"{type(module).__name__} has hooks or a forward of its own", place)
        self.reading.modules.append(module)
        for part in module.children():
            self.value(part, None)
        self._attributes(module, self._methods(type(module)))

    def _methods(self, kind: type) -> set[str]:
        """Reads forward and what it may mean by a name of the class; gives all such names."""
        names: set[str] = set()
        waiting = set(_CALLED)
        while waiting:
            name = waiting.pop()
            names.add(name)
            for found in self._members(kind, name):
                self.value(found, None)
                waiting |= _names_of(found) - names
        return names

    def _members(self, kind: type, name: str) -> Iterator[Any]:
        """What classes of the user's have under a name, else the method of gpukit's class."""
        for base in kind.__mro__:
            if name not in vars(base):
                continue
            found = vars(base)[name]
            if isinstance(found, (tuple, list, dict)):  # by contents
                self.reading.sources.append(Source(vars(base), name))
            self.reading.members.append((vars(base), name, found))
            found = found.fget if isinstance(found, property) else found
            found = getattr(found, "__func__", found)
            if not _is_gpukit(base.__module__) and base is not object:
                yield found
            elif name == "forward" or (name not in _CALLED and _is_function(found)):
                yield found
                return
            else:
                return

    def _attributes(self, module: Any, names: set[str]) -> None:
        for name in names & set(vars(module)):
            place = None
            self.value(vars(module)[name], place)


_TENSOR_NAMES = frozenset(dir(_core.Tensor))
# Names under which Python itself calls a module.
_CALLED = frozenset("forward __call__ __getattr__ __getattribute__".split())  # noqa: SIM905
_ASKING = (operator.attrgetter, operator.methodcaller)
_SUSPENDS = 0x20 | 0x80 | 0x200  # generators, coroutines, asynchronous generators


def _line_of(instruction: dis.Instruction) -> int | None:
    line = getattr(instruction, "line_number", None)
    return line if line is not None else _starts(instruction)


def _starts(instruction: dis.Instruction) -> int | None:
    starts = instruction.starts_line
    return starts if isinstance(starts, int) and not isinstance(starts, bool) else None


def _cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    yield from zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)


def _is_gpukit(name: str | None) -> bool:
    return name is not None and (name == "gpukit" or name.startswith("gpukit."))


def _is_function(value: Any) -> bool:
    return isinstance(getattr(value, "_compiled_from", value), types.FunctionType)


def _names_of(function: Any) -> set[str]:
    inner = getattr(function, "_compiled_from", function)
    found: set[str] = set()
    waiting = [inner.__code__] if isinstance(inner, types.FunctionType) else []
    while waiting:
        code = waiting.pop()
        found |= set(code.co_names)
        waiting += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return found


def _named(
    package: types.ModuleType, names: tuple[str, ...]
) -> Iterator[tuple[types.ModuleType, str, Any]]:
    """What names of the code may mean in a module of gpukit, or in one that it names."""
    for name in names:
        value = vars(package).get(name)
        if value is None and name in getattr(package, "__all__", ()):
            value = getattr(package, name)
        if isinstance(value, types.ModuleType):
            yield from _named(value, names)
        elif value is not None:
            yield package, name, value


def _is_known(value: Any) -> bool:
    """Functions and classes that do nothing but compute."""
    if isinstance(value, types.ModuleType):
        return value.__name__ in _PURE_MODULES or _is_gpukit(value.__name__)
    name = getattr(value, "__name__", "")
    owner = getattr(value, "__module__", None) or ""
    if owner in _PURE_MODULES:
        return True
    if isinstance(value, type):
        return value.__module__ == "builtins" or _is_pure_class(value)
    if getattr(value, "__objclass__", None) is _core.Tensor:  # gpukit.detach is Tensor.detach
        return True
    if _is_gpukit(owner) or (callable(value) and getattr(_core, str(name), None) is value):
        return name in _OPERATORS or name in _GPUKIT_NAMES
    return False


def _is_tool(function: types.FunctionType) -> bool:
    """A function of gpukit's that does more than compute with tensors."""
    if not _is_gpukit(function.__module__):
        return False
    computes = ("gpukit.nn", "gpukit._operators", "gpukit.linalg", "gpukit.array_api")
    known = function.__name__ in _OPERATORS or function.__name__ in _GPUKIT_NAMES
    return not (known or function.__module__.startswith(computes))


def _is_pure_class(value: type) -> bool:
    gradient_mode = value.__name__ in {"no_grad", "enable_grad", "inference_mode"}
    known = issubclass(
        value, (BaseException, _core.Tensor, _core.ModuleBase, _core.device, _core.dtype)
    )
    return known or (gradient_mode and _is_gpukit(value.__module__))


def _described(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = getattr(value, "__name__", None)
    return f"{name}()" if name is not None else f"an object of {type(value).__name__}"


_OPERATORS = frozenset(_core.public_functions())
