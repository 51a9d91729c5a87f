"""Infers the values of a file's expressions through assignments, loops, classes and calls."""

from __future__ import annotations

import ast
from dataclasses import replace

from gpukit.lint.nodes import FUNCTIONS, parameters
from gpukit.port.aliases import Bound, Names
from gpukit.port.kinds import (
    ARRAY,
    LIKELY,
    MODULE,
    NUMBER,
    TENSOR,
    TEXT,
    UNKNOWN,
    Kind,
    agreed,
    items,
)
from gpukit.port.results import attribute, pair, result
from gpukit.port.surface import Missing, bases, find

_MAX_DEPTH = 25
_BATCH = Kind("list", False, LIKELY)  # what a loader yields at each step
_NUMBERS = frozenset(["item", "size", "stride"])  # whose annotations allow several kinds


class Kinds:
    """Answers what expressions of one file hold; each is worked out once."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._known: dict[ast.AST, Kind] = {}
        self._deep = 0
        self._calls: dict[str, list[ast.Call]] = {}
        for call in names.program.all_calls:
            if isinstance(call.func, ast.Name):
                self._calls.setdefault(call.func.id, []).append(call)

    def of(self, node: ast.AST | None) -> Kind:
        """The kind of an expression; UNKNOWN where the text does not say."""
        if node is None or self._deep > _MAX_DEPTH:
            return UNKNOWN
        if node not in self._known:
            self._deep += 1
            self._known[node] = UNKNOWN  # for what depends on itself
            self._known[node] = self._read(node)
            self._deep -= 1
        return self._known[node]

    def _read(self, node: ast.AST) -> Kind:
        reader = getattr(self, f"_{type(node).__name__.lower()}", None)
        return reader(node) if reader is not None else UNKNOWN

    # -- expressions, by the name of their node ------------------------------------------------

    def _constant(self, node: ast.Constant) -> Kind:
        if isinstance(node.value, str):
            return TEXT
        number = isinstance(node.value, (int, float, complex))
        return NUMBER if number else Kind(type(node.value).__name__)

    def _joinedstr(self, _: ast.JoinedStr) -> Kind:
        return TEXT

    def _name(self, node: ast.Name) -> Kind:
        bound = self.names.bindings(node)
        if bound is None:
            return self._parameter(node)
        return self._merged(self.names.before(bound, node))

    def _merged(self, bound: list[Bound]) -> Kind:
        """What all bindings agree on; less sure where some say nothing."""
        return agreed([self._bound(each) for each in bound])

    def _bound(self, bound: Bound) -> Kind:
        kind = self.of(bound.value)
        if bound.how == "import" or (bound.how == "value" and bound.value is None):
            return UNKNOWN
        if bound.how == "entered":
            kind = UNKNOWN
        if bound.how == "item":
            kind = kind.item()
            if kind.unknown and self.of(bound.value).tensor:
                kind = self.of(bound.value)
        for step in bound.steps:
            kind = kind if kind.tensor else kind.item(step)
        return kind

    def _parameter(self, node: ast.Name) -> Kind:
        function = self.names.parameter(node)
        if function is None:
            return UNKNOWN
        said = next((a.annotation for a in _arguments(function) if a.arg == node.id), None)
        if said is not None:
            return self._annotated(said)
        owner = self.names.class_around(function)
        if owner is not None and parameters(function)[:1] == [node.id]:
            return Kind(own=owner, cls=self.base(owner))
        if function.name == "forward" and owner is not None:
            plain = "Module" in self.base(owner) and not _has_default(function, node.id)
            return LIKELY if plain and _is_plain(function, node.id) else UNKNOWN
        return self._from_calls(function, node.id)

    def _annotated(self, said: ast.expr) -> Kind:
        path = self.names.path(said)
        if path in {"torch.Tensor", "torch.nn.Module", "torch.nn.Parameter"}:
            return replace(Kind(path), sure=path != "torch.nn.Module")
        return Kind(path, sure=False) if path.startswith("torch.") else UNKNOWN

    def _from_calls(self, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Kind:
        """The arguments that the file's calls pass to a parameter."""
        order = parameters(function)
        found = []
        for call in self._calls.get(function.name, ())[:20]:
            by_name = next((word.value for word in call.keywords if word.arg == name), None)
            place = order.index(name)
            starred = any(isinstance(each, ast.Starred) for each in call.args)
            if by_name is not None:
                found.append(self.of(by_name))
            elif place < len(call.args) and not starred:
                found.append(self.of(call.args[place]))
        return replace(agreed(found), sure=False) if found else UNKNOWN

    def _attribute(self, node: ast.Attribute) -> Kind:
        if self.names.path(node).startswith(("torch.", "numpy.")):
            return self._named(self.names.path(node))
        value = self.of(node.value)
        if value.tensor:
            return self._of_tensor(value, node.attr)
        if value.cls == "several" and node.attr in {"values", "indices"}:
            return TENSOR
        if value.own is not None:
            for owner in self.lineage(value.own)[0]:
                if inside := self.names.attributes.get((owner, node.attr)):
                    return self._merged(inside)
        if self.is_module(value):
            kind = attribute(value.cls, node.attr)
            return replace(kind, sure=False) if kind.tensor else kind
        return UNKNOWN

    def _named(self, path: str) -> Kind:
        if path.startswith("torch.backends") or path == "torch.version":
            return UNKNOWN
        return Kind("torch.dtype") if type(find(path)).__name__ == "dtype" else UNKNOWN

    def _of_tensor(self, value: Kind, attribute: str) -> Kind:
        if attribute in {"data", "T", "mT", "H", "mH", "real", "imag"}:
            return replace(TENSOR, sure=value.sure)
        if attribute == "grad":
            return replace(TENSOR, sure=value.sure)
        named = {"shape": "torch.Size", "dtype": "torch.dtype", "device": "torch.device",
                 "grad_fn": "torch.autograd.graph.Node"}  # fmt: skip
        return Kind(named[attribute], sure=value.sure) if attribute in named else UNKNOWN

    def _subscript(self, node: ast.Subscript) -> Kind:
        value = self.of(node.value)
        if value.tensor:
            return replace(TENSOR, sure=value.sure)
        if value.cls in {"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"}:
            return MODULE
        if isinstance(node.slice, ast.Slice):
            return value if value.cls in {"list", "str", "numpy.ndarray"} else UNKNOWN
        if value.cls == "numpy.ndarray":
            return ARRAY
        place = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return value.item(place if isinstance(place, int) and place >= 0 else None)

    def _binop(self, node: ast.BinOp) -> Kind:
        return self._operated([node.left, node.right])

    def _compare(self, node: ast.Compare) -> Kind:
        kind = self._operated([node.left, *node.comparators])
        plain = any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops)
        return UNKNOWN if plain else kind

    def _operated(self, nodes: list[ast.expr]) -> Kind:
        kinds = [self.of(each) for each in nodes]
        tensors = [kind for kind in kinds if kind.tensor]
        if tensors:
            return replace(TENSOR, sure=any(kind.sure for kind in tensors))
        arrays = any(kind.cls == "numpy.ndarray" for kind in kinds)
        return ARRAY if arrays else NUMBER if all(k.cls == "number" for k in kinds) else UNKNOWN

    def _unaryop(self, node: ast.UnaryOp) -> Kind:
        kind = self.of(node.operand)
        return kind if not isinstance(node.op, ast.Not) and not kind.own else UNKNOWN

    def _namedexpr(self, node: ast.NamedExpr) -> Kind:
        return self.of(node.value)

    def _ifexp(self, node: ast.IfExp) -> Kind:
        return agreed([self.of(node.body), self.of(node.orelse)])

    def _list(self, node: ast.List | ast.Tuple) -> Kind:
        parts = tuple(self.of(each) for each in node.elts[:30])
        return Kind(
            "list" if isinstance(node, ast.List) else "tuple", True, agreed(list(parts)), parts
        )

    _tuple = _list

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> Kind:
        return Kind("list", True, self.of(node.elt))

    _generatorexp = _listcomp

    def _dict(self, node: ast.Dict) -> Kind:
        return Kind("dict", True, agreed([self.of(each) for each in node.values[:30]]))

    # -- calls ---------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Kind:
        path = self.names.called(node)
        if path.startswith("torch."):
            return self._torch_call(node, path)
        if path.split(".")[0] == "numpy":
            return ARRAY
        if isinstance(node.func, ast.Name):
            return self._plain_call(node, node.func)
        if isinstance(node.func, ast.Attribute) and not path:
            return self._method_call(node, node.func)
        return self._applied(self.of(node.func))

    def _torch_call(self, node: ast.Call, path: str) -> Kind:
        thing = find(path)
        if isinstance(thing, Missing):
            return UNKNOWN
        if isinstance(thing, type):
            loader = path == "torch.utils.data.DataLoader"
            return Kind(path, True, _BATCH if loader else None)
        return self._paired(node, path, sure=True) if pair(path) else result(path)

    def _paired(self, node: ast.Call, path: str, *, sure: bool) -> Kind:
        """max() and the like return one tensor of all elements, or two along a dimension."""
        along = pair(path) == "always" or _is_dim(node, of_method=not self.names.path(node.func))
        tensor = replace(TENSOR, sure=sure)
        return Kind("several", sure, tensor) if along else tensor

    def _plain_call(self, node: ast.Call, func: ast.Name) -> Kind:
        if self.names.bindings(func) == []:
            return self._builtin(node, func.id)
        definition = self._definition(func)
        if isinstance(definition, ast.ClassDef):
            return Kind(self.base(definition), True, own=definition)
        if definition is not None:
            return self._returned(definition)
        return self._applied(self.of(func))

    def _definition(self, func: ast.Name) -> ast.ClassDef | ast.FunctionDef | None:
        bound = self.names.bindings(func) or []
        one = bound[-1].at if bound else None
        return one if isinstance(one, (ast.ClassDef, ast.FunctionDef)) else None

    def _returned(self, function: ast.FunctionDef) -> Kind:
        nodes = self.names.program.among(self.names.program.of(ast.Return), function)
        own = [each for each in nodes if self.names.program.scope(each) is function]
        kinds = [self.of(each.value) for each in own if each.value is not None]
        yields = any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(function))
        return replace(agreed(kinds), sure=False) if kinds and not yields else UNKNOWN

    def _builtin(self, node: ast.Call, name: str) -> Kind:
        given = [self.of(each) for each in node.args]
        if name == "enumerate" and given:
            return Kind("list", True, Kind("tuple", True, None, (NUMBER, items(given[0]))))
        if name == "zip":
            return Kind("list", True, Kind("tuple", True, None, tuple(map(items, given))))
        if name in {"list", "tuple", "reversed", "sorted", "iter", "tqdm"} and given:
            return Kind("list", True, items(given[0]))
        if name == "next" and given:
            return items(given[0])
        if name in {"len", "int", "float", "round", "range"}:
            return Kind("list", True, NUMBER) if name == "range" else NUMBER
        if name in {"sum", "abs", "max", "min"} and given and given[0].tensor:
            return TENSOR
        if name == "super":
            return self._super(node)
        return TEXT if name in {"str", "repr", "input"} else UNKNOWN

    def _super(self, node: ast.Call) -> Kind:
        """An instance of the first base of the class around a call of super()."""
        owner = self.names.class_around(node)
        first = owner.bases[0] if owner is not None and owner.bases else None
        inner = self._definition(first) if isinstance(first, ast.Name) else None
        if isinstance(inner, ast.ClassDef):
            return Kind(self.base(inner), sure=False, own=inner)
        return Kind(self.base(owner), sure=False) if owner is not None else UNKNOWN

    def _applied(self, value: Kind) -> Kind:
        """A call of a module usually returns a tensor."""
        if value.own is not None:
            forward = self.method(value.own, "forward")
            if forward is not None:
                kind = self._returned(forward)
                return kind if not kind.unknown else LIKELY
        return LIKELY if self.is_module(value) else UNKNOWN

    def _method_call(self, node: ast.Call, func: ast.Attribute) -> Kind:
        value = self.of(func.value)
        if value.tensor:
            return self._tensor_method(node, value, func.attr)
        if value.own is not None and (own := self.method(value.own, func.attr)) is not None:
            return self._returned(own)
        if self.is_module(value):
            return self._module_method(value, func.attr)
        if value.cls == "dict" and func.attr in {"values", "items"}:
            held = value.of or UNKNOWN
            pair = Kind("tuple", True, None, (TEXT, held))
            return Kind("list", True, pair if func.attr == "items" else held)
        if value.cls == "torch.Size" and func.attr == "numel":
            return NUMBER
        return self._applied(self.of(func))

    def _tensor_method(self, node: ast.Call, value: Kind, name: str) -> Kind:
        if name == "numpy":
            return ARRAY
        if name == "size" and not node.args and not node.keywords:
            return Kind("torch.Size", value.sure)
        if name in _NUMBERS:
            return NUMBER
        path = f"torch.Tensor.{name}"
        if pair(path):
            return self._paired(node, path, sure=value.sure)
        kind = result(path, value)
        return replace(kind, sure=value.sure) if kind.tensor else kind

    def _module_method(self, value: Kind, name: str) -> Kind:
        return result(f"torch.nn.Module.{name}", value)

    # -- classes -------------------------------------------------------------------------------

    def base(self, owner: ast.ClassDef) -> str:
        """The first of torch's classes that a class of the file derives from, or ""."""
        outside = self.lineage(owner)[1]
        return next((path for path in outside if path.startswith("torch.")), "")

    def lineage(self, owner: ast.ClassDef) -> tuple[list[ast.ClassDef], list[str]]:
        """A class with its bases in the file, and the paths of those outside ("?" if unknown)."""
        own, outside = [owner], []
        for one in own:  # grows while it is read
            for each in one.bases:
                inner = self._definition(each) if isinstance(each, ast.Name) else None
                if isinstance(inner, ast.ClassDef):
                    own += [inner] if inner not in own else []
                elif not (isinstance(each, ast.Name) and each.id == "object"):
                    outside.append(self.names.path(each) or "?")
        return own, outside

    def method(self, owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
        """The method of that name of a class of the file or of its bases there."""
        found = (_method(each, name) for each in self.lineage(owner)[0])
        return next((each for each in found if each is not None), None)

    def is_module(self, kind: Kind) -> bool:
        """A module of torch's or one of the file's."""
        return kind.cls.startswith("torch.nn.") and "torch.nn.Module" in bases(kind.cls)


def _is_dim(node: ast.Call, *, of_method: bool) -> bool:
    """The call names a dimension, not a second tensor."""
    if any(word.arg in {"dim", "axis", "keepdim"} for word in node.keywords):
        return True
    place = node.args[0 if of_method else 1 :][:1]
    value = place[0].operand if place and isinstance(place[0], ast.UnaryOp) else place and place[0]
    return isinstance(value, ast.Constant)


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _has_default(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    plain = [*function.args.posonlyargs, *function.args.args]
    late = plain[len(plain) - len(function.args.defaults) :] if function.args.defaults else []
    return any(each.arg == name for each in (*late, *function.args.kwonlyargs))


def _is_plain(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    extra = [each.arg for each in (function.args.vararg, function.args.kwarg) if each is not None]
    return name not in extra


def _method(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    found = [each for each in owner.body if isinstance(each, FUNCTIONS) and each.name == name]
    return found[0] if found and isinstance(found[0], ast.FunctionDef) else None
