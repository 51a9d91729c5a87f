"""Everything of a file that gpukit will not run: names, members, arguments, calls, libraries."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Any

from gpukit.lint.nodes import FUNCTIONS
from gpukit.lint.reading import Source
from gpukit.port.aliases import Names, as_torch
from gpukit.port.found import Location
from gpukit.port.guards import Guards
from gpukit.port.hidden import hidden_imports
from gpukit.port.imports import edits
from gpukit.port.inference import Kinds
from gpukit.port.kinds import NODE, Kind
from gpukit.port.refusals import TABLE, Context
from gpukit.port.surface import Missing, Taken, bases, find, taken
from gpukit.port.vocabulary import MEMBERS, MODULE, ON_TORCH, OTHER_MEANING, SHARED, TENSOR

_LIMITS = "it is not part of gpukit; see docs/limits"
_CHAIN = re.compile(r"(?<![\w.])([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)+)")


def locations(source: Source, names: Names) -> Iterator[Location]:
    """All leftovers of a file, in no order."""
    kinds, guards = Kinds(names), Guards(names)
    finder = _Finder(names, kinds)
    for place in finder.all():
        if isinstance(place.where, int) or not guards.unreached(place.where):
            yield place
    yield from finder.of_magics(source)


class _Finder:
    def __init__(self, names: Names, kinds: Kinds) -> None:
        self.names = names
        self.kinds = kinds
        self.context = Context(names, kinds)
        self.changed = edits(names).keys()

    def all(self) -> Iterator[Location]:
        program = self.names.program
        for node in program.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from self.of_import(node)
            elif isinstance(node, (ast.Attribute, ast.Name)):
                if not isinstance(program.parents.get(node), ast.Attribute):
                    yield from self.of_chain(node)  # a longer chain says more than its beginning
                if isinstance(node, ast.Attribute):
                    yield from self.of_member(node)
        for call in program.all_calls:
            yield from self.of_call(call)
        yield from hidden_imports(self.names)

    # -- names ---------------------------------------------------------------------------------

    def of_import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Location]:
        if isinstance(node, ast.ImportFrom) and node.level:
            return
        for alias in node.names:
            path = alias.name
            if isinstance(node, ast.ImportFrom):
                path = f"{node.module}.{alias.name}" if alias.name != "*" else f"{node.module}"
            path = as_torch(path)
            top = path.split(".")[0]
            if top == "torch":
                if alias.asname or isinstance(node, ast.ImportFrom):  # else it becomes `torch`
                    yield from self.missing(alias, path)
            elif (top in ON_TORCH or path.startswith("d2l.")) and not {node, alias} & self.changed:
                said = f"{top} takes and gives torch's tensors, which do not mix with gpukit's"
                yield Location(alias, "GPP005", path, f"{said}: read data by NumPy and from_numpy")

    def of_chain(self, node: ast.Attribute | ast.Name) -> Iterator[Location]:
        """A name or a dotted name that starts at torch."""
        path = self.names.path(node)
        if not path.startswith("torch."):
            return
        if not isinstance(node.ctx, ast.Load):
            path = path.rpartition(".")[0] if isinstance(node, ast.Attribute) else ""
        elif isinstance(node, ast.Name) and self._is_alias(node):
            return  # was named where it was assigned
        if path:
            yield from self.missing(node, path)

    def _is_alias(self, node: ast.Name) -> bool:
        bound = self.names.bindings(node)
        return bool(bound) and all(each.how == "value" for each in bound or ())

    def missing(self, node: ast.AST, path: str) -> Iterator[Location]:
        found = find(path)
        if path in OTHER_MEANING and not self.names.program.gpukit_names:
            name = path.removeprefix("torch.")
            yield Location(node, "GPP001", path, f"gpukit's {name} differs: {OTHER_MEANING[path]}")
        if not isinstance(found, Missing):
            return
        what = f"gpukit has no {found.path.removeprefix('torch.')}"
        said = _sentence(found)
        yield Location(node, "GPP001", path, f"{what}: {said}")

    # -- members -------------------------------------------------------------------------------

    def of_member(self, node: ast.Attribute) -> Iterator[Location]:
        """A member of a tensor, a module or another object."""
        if not isinstance(node.ctx, ast.Load) or self.names.path(node):
            return
        kind = self.kinds.of(node.value)
        if isinstance(node.value, ast.Attribute) and node.value.attr == "grad_fn":
            kind = NODE
        if self._lacks(kind, node):
            what = _class_of(kind, node.attr)
            said = _instead_of(node.attr) if kind.tensor or kind.unknown else ""
            name = f"{what}.{node.attr}"
            text = f"gpukit's {what.rpartition('.')[2]} has no {node.attr}: {said or _LIMITS}"
            yield Location(node, "GPP002", name, text, at_end=True)

    def _lacks(self, kind: Kind, node: ast.Attribute) -> bool:
        name = node.attr
        if kind.tensor:
            absent = name in TENSOR and not _has("torch.Tensor", name)
            return absent and (kind.sure or name not in _OF_PLAIN)
        if kind.unknown:
            return self._implies_tensor(node)
        if kind.own is not None and self._own_member(kind.own, name):
            return False
        if kind.cls == NODE.cls and name.startswith(("_saved_", "_raw_saved_")):
            return True
        for base in _bases(kind.cls):
            if name in MEMBERS.get(base, ()):
                return not _has(kind.cls, name) and not _has(base, name)
        return False

    def _implies_tensor(self, node: ast.Attribute) -> bool:
        """A name that only torch's tensors or modules have, of an unknown object."""
        name = node.attr
        if not self.names.program.uses_torch or name in SHARED or name.startswith("_"):
            return False
        if name.startswith("register_"):
            return name in MODULE and not _has("torch.nn.Module", name)
        absent = name in TENSOR and not _has("torch.Tensor", name)
        return absent and not _has("torch.nn.Module", name) and not self._of_import(node)

    def _of_import(self, node: ast.Attribute) -> bool:
        """An object that some other library made."""
        value: ast.expr = node.value
        while isinstance(value, (ast.Attribute, ast.Call, ast.Subscript)):
            value = value.func if isinstance(value, ast.Call) else value.value
        if not isinstance(value, ast.Name):
            return False
        bound = self.names.bindings(value) or []
        roots = [each.value for each in bound if isinstance(each.value, ast.Call)]
        paths = [self.names.path(value), *(self.names.called(each) for each in roots)]
        return any(path and not path.startswith("torch.") for path in paths)

    def _own_member(self, owner: ast.ClassDef, name: str) -> bool:
        """The class of the file, or one that it derives from, may define the name itself."""
        own, outside = self.kinds.lineage(owner)
        if any(not path.startswith("torch.") for path in outside):
            return True
        return any(name in _defined(one) or (one, name) in self.names.attributes for one in own)

    # -- calls ---------------------------------------------------------------------------------

    def of_call(self, call: ast.Call) -> Iterator[Location]:
        """Arguments that gpukit does not take, calls that it refuses, and names by getattr."""
        path = self.names.called(call)
        refused = [each for each in TABLE if each.applies(self.context, call)]
        for each in refused:
            yield Location(call, "GPP004", path or _method_name(call), each.message)
        target = self._target(call, path) if not refused else None
        if target is not None:
            thing, name, bound = target
            takes = taken(thing)
            if takes is not None:
                yield from _argument_faults(call, takes, name, bound)
        if path == "functools.partial" and call.args:
            thing = self.names.path(call.args[0])
            takes = taken(find(thing)) if thing.startswith("torch.") else None
            yield from _unknown_keywords(call, takes, thing) if takes is not None else ()
        if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) == 2:
            of, word = self.names.path(call.args[0]), call.args[1]
            if of.split(".")[0] == "torch" and isinstance(word, ast.Constant):
                yield from self.missing(call, f"{of}.{word.value!s}")

    def _target(self, call: ast.Call, path: str) -> tuple[Any, str, bool] | None:
        """The gpukit callable of a call, its name, and whether it is bound to an object."""
        if path.startswith("torch."):
            found = find(path)
            return None if isinstance(found, Missing) else (found, path, False)
        if path or not isinstance(call.func, ast.Attribute):
            return None
        kind, name = self.kinds.of(call.func.value), call.func.attr
        if kind.own is not None and self._own_member(kind.own, name):
            return None
        cls = "torch.Tensor" if kind.tensor else kind.cls
        if not self._is_usual(cls) or (kind.tensor and not kind.sure and name in _LOOSE):
            return None
        owner = find(cls)
        if not inspect.isclass(owner) or not inspect.isroutine(getattr(owner, name, None)):
            return None
        return getattr(owner, name), f"{cls}.{name}", True

    def _is_usual(self, cls: str) -> bool:
        """A class of torch's whose methods gpukit has with their arguments."""
        data = cls.startswith("torch.utils.data.")
        return data or any(base in MEMBERS for base in _bases(cls))

    def of_magics(self, source: Source) -> Iterator[Location]:
        """Names of torch in `%timeit torch.mm(a, b)`, which is no Python."""
        module = self.names.program.tree
        for shell in source.shell:
            if shell.kind != "%" or not shell.text.lstrip("%").startswith(
                ("time", "prun", "memit")
            ):
                continue
            for chain in _CHAIN.finditer(shell.text):
                bound = self.names.bound.get((module, chain.group(1)), [])
                base = bound[0].path if len(bound) == 1 and bound[0].how == "import" else ""
                if base.split(".")[0] == "torch":
                    for place in self.missing(module, base + chain.group(2)):
                        yield place._replace(where=shell.line)


# Members of types that may appear where a tensor is expected: str, list, dict.
_OF_PLAIN = frozenset({*dir(list), *dir(dict), *dir(str), "name", "real", "imag"})

# Methods whose arguments say nothing of a tensor where it is not sure that there is one.
_LOOSE = frozenset(
    [
        "sum",
        "mean",
        "max",
        "min",
        "std",
        "var",
        "view",
        "reshape",
        "copy",
        "sort",
        "split",
        "index",
        "item",
        "size",
        "to",
    ]
)


def _argument_faults(call: ast.Call, takes: Taken, name: str, bound: bool) -> Iterator[Location]:
    short = f"{name.rpartition('.')[2]}()"
    listed = _listed(takes)
    yield from _unknown_keywords(call, takes, name)
    if any(isinstance(each, ast.Starred) for each in call.args):
        return
    count = len(call.args) + bound
    if takes.positional is not None and count > takes.positional:
        text = f"gpukit's {short} takes {takes.positional - bound} arguments by position: {listed}"
        yield Location(call, "GPP003", name, text)
    elif all(word.arg is not None for word in call.keywords):
        said = {word.arg for word in call.keywords}
        lacks = sorted(takes.needed - set(takes.names[:count]) - said)
        lacks = [each for each in lacks if not (takes.spellings and _numpy_spelling(each, said))]
        if lacks:
            text = f"gpukit's {short} needs the argument {lacks[0]!r}; it takes {listed}"
            yield Location(call, "GPP003", name, text)


def _unknown_keywords(call: ast.Call, takes: Taken, name: str) -> Iterator[Location]:
    short = f"{name.rpartition('.')[2]}()"
    for word in call.keywords:
        if word.arg is not None and not takes.knows(word.arg):
            text = f"gpukit's {short} has no argument {word.arg!r}; it takes {_listed(takes)}"
            yield Location(word.value, "GPP003", f"{name}({word.arg}=)", text)


def _listed(takes: Taken) -> str:
    return ", ".join(each for each in takes.names if each != "self") or "none"


def _defined(owner: ast.ClassDef) -> set[str]:
    """The names that the body of a class binds."""
    found = set()
    for each in owner.body:
        if isinstance(each, (*FUNCTIONS, ast.ClassDef)):
            found.add(each.name)
        targets = each.targets if isinstance(each, ast.Assign) else []
        found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def _numpy_spelling(name: str, said: set[str | None]) -> bool:
    return {"dim": "axis", "keepdim": "keepdims", "input": "x"}.get(name) in said


def _sentence(found: Missing) -> str:
    """The replacement for a missing name."""
    from gpukit.lint.known import TOP

    name = found.path.rpartition(".")[2]
    real = found.path.count(".") == 1 and name in TOP  # no slip: torch has it
    if found.meant and not real:
        return f"did you mean '{found.meant}'?"
    return found.advice or _LIMITS


def _class_of(kind: Kind, name: str) -> str:
    if kind.unknown:
        return "torch.Tensor" if name in TENSOR else "torch.nn.Module"
    return "torch.Tensor" if kind.tensor else kind.cls


def _instead_of(name: str) -> str:
    """The replacement for a tensor member that gpukit lacks."""
    from gpukit._names.absent import in_numpy, instead

    if name.endswith("_") and _has("torch.Tensor", name[:-1]):
        return f"write x = x.{name[:-1]}(...)"
    if not isinstance(find(f"torch.{name}"), Missing):
        return f"write torch.{name}(x, ...)"
    return (instead("gpukit", name) or in_numpy(name) or "").rstrip(".")


def _has(cls: str, name: str) -> bool:
    owner = find(cls)
    if cls == "torch.Size":
        owner = tuple
    if cls == "torch.autograd.graph.Node":
        from gpukit import _core

        owner = _core.GraphNode
    return isinstance(owner, Missing) or hasattr(owner, name)


def _bases(cls: str) -> tuple[str, ...]:
    return bases(cls) if cls.startswith("torch.") else ()


def _method_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
