"""Rules on models and parameters: what autograd and optimizers do not see."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.nodes import bare, method, owner, parameters, receiver, same
from gpukit.lint.program import Program

_T = "import torch\n"
_CLASS = _T + "class Net(torch.nn.Module):\n    def __init__(self):\n"


@rule(
    "GPK310",
    "data-hides-gradient",
    "a change through .data is unseen by autograd, so gradients become wrong without an error: use "
    "with torch.no_grad(), or .detach()",
    bad=_T + "w = torch.rand(3, requires_grad=True)\nw.data -= 0.1\n",
    good=_T + "w = torch.rand(3, requires_grad=True)\nwith torch.no_grad():\n    w -= 0.1\n",
)
def _data(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Attribute):
        if node.attr != "data":
            continue
        parent = program.parents.get(node)
        known = program.value(node.value)
        tensor = known.kind == "tensor" and (known.grad or known.leaf)
        parameter = getattr(node.value, "attr", "") in {"weight", "bias"}
        if not tensor and not parameter:
            continue
        changed = isinstance(parent, ast.AugAssign) and parent.target is node
        called = isinstance(parent, ast.Attribute) and parent.attr.endswith("_")
        taken = isinstance(parent, ast.Assign) and parent.value is node and tensor
        if changed or taken or (called and tensor):
            yield Hit(node)


@rule(
    "GPK311",
    "in-place-on-leaf",
    "a leaf that requires grad cannot be changed in place: put the update under torch.no_grad()",
    bad=_T + "w = torch.rand(3, requires_grad=True)\nw -= 0.1\n",
    good=_T + "w = torch.rand(3, requires_grad=True)\nwith torch.no_grad():\n    w -= 0.1\n",
)
def _leaf(program: Program) -> Iterator[Hit]:
    for node in (*program.of(ast.AugAssign), *program.all_calls):
        changed = _changed_in_place(node)
        if changed is not None and program.value(changed).leaf and not program.ungraded(node):
            yield Hit(node)


def _changed_in_place(node: ast.AST) -> ast.expr | None:
    """`x` of `x += ...` and `x.add_(...)`."""
    if isinstance(node, ast.AugAssign):
        return node.target
    free = {"requires_grad_", "retain_grad", "zero_grad", "detach_", "share_memory_", "backward"}
    name = method(node)
    in_place = name.endswith("_") and not name.endswith("__") and name not in free
    return receiver(node) if in_place and isinstance(node, ast.Call) else None


@rule(
    "GPK312",
    "uninitialized-tensor",
    "torch.Tensor(n) is uninitialized memory of n elements: write torch.empty(n), or "
    "torch.tensor([n]) for the value",
    bad=_T + "x = torch.Tensor(3)\n",
    good=_T + "x = torch.empty(3)\n",
    fixable=True,
)
def _uninitialized(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.Tensor"):
        numbers = [isinstance(arg, ast.Constant) and type(arg.value) is int for arg in call.args]
        if numbers and all(numbers) and not call.keywords:
            root = receiver(call)
            edit = replace(call.func, f"{root.id}.empty") if isinstance(root, ast.Name) else None
            yield Hit(call, edit=edit)


@rule(
    "GPK313",
    "variable",
    "Variable has done nothing since torch 0.4: use the tensor itself",
    bad=_T + "from torch.autograd import Variable\nx = Variable(torch.rand(3))\n",
    good=_T + "x = torch.rand(3)\n",
)
def _variable(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.autograd.Variable"):
        yield Hit(call)


@rule(
    "GPK316",
    "layer-made-with-tensors",
    "the layer is made with tensors instead of being applied to them: make it first, then call it, "
    "as in CrossEntropyLoss()(output, target)",
    bad=_T + "x = torch.rand(3)\ny = torch.rand(3)\nloss = torch.nn.MSELoss(x, y)\n",
    good=_T + "x = torch.rand(3)\ny = torch.rand(3)\nloss = torch.nn.MSELoss()(x, y)\n",
)
def _made_with(program: Program) -> Iterator[Hit]:
    for call in program.all_calls:
        module, _, name = program.called(call).rpartition(".")
        if module != "torch.nn" or not name[:1].isupper() or name in {"Parameter", "Buffer"}:
            continue
        weighted = name.endswith("Loss") and len(call.args) == 1
        if (program.tensors(call.args) and not weighted) or _output_and_target(name, call):
            yield Hit(call)


# Losses whose constructors take a weight and flags: two values by position are tensors.
_OF_TWO = frozenset(
    """
    BCELoss BCEWithLogitsLoss CrossEntropyLoss KLDivLoss L1Loss MSELoss NLLLoss
    """.split()  # noqa: SIM905
)


def _output_and_target(name: str, call: ast.Call) -> bool:
    """`CrossEntropyLoss(output, target)`, whatever the two names hold."""
    values = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)
    two = len(call.args) == 2 and all(isinstance(arg, values) for arg in call.args)
    return two and name in _OF_TWO


def _module_classes(program: Program) -> Iterator[ast.ClassDef]:
    return (node for node in program.of(ast.ClassDef) if node.name in program.module_classes)


def _init(node: ast.ClassDef) -> ast.FunctionDef | None:
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return each
    return None


@rule(
    "GPK318",
    "layers-in-plain-list",
    "layers in a plain list or dict are not registered, so they neither train nor move: use "
    "nn.ModuleList or nn.ModuleDict",
    bad=_CLASS + "        super().__init__()\n        self.layers = [torch.nn.Linear(2, 2)]\n",
    good=_CLASS + "        super().__init__()\n"
    "        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 2)])\n",
)
def _plain_list(program: Program) -> Iterator[Hit]:
    for each in _module_classes(program):
        calls = program.among(program.all_calls, each)
        for node in program.among(program.of(ast.Assign), each):
            target, items = node.targets[0], _items(node.value)
            if not isinstance(target, ast.Attribute) or not isinstance(node.value, _PLAIN):
                continue
            appended = [] if items else [x for call in calls for x in _appended(call, target)]
            found = items or appended
            layers = found and all(program.value(item).kind == "module" for item in found)
            if layers and not any(_registers(program, call, target) for call in calls):
                yield Hit(node)


_PLAIN = (ast.List, ast.ListComp, ast.Dict)


def _appended(call: ast.Call, target: ast.Attribute) -> list[ast.expr]:
    """`x` of `self.layers.append(x)`."""
    added = method(call) == "append" and same(receiver(call), target)
    return call.args if added else []


def _registers(program: Program, call: ast.Call, target: ast.Attribute) -> bool:
    """`nn.ModuleList(self.layers)`, `nn.Sequential(*self.layers)`, or add_module in the class."""
    if method(call) in {"add_module", "register_module"} or bare(call) == "setattr":
        return True
    given = [arg.value if isinstance(arg, ast.Starred) else arg for arg in call.args]
    holds = program.called(call).startswith("torch.nn.")
    return holds and any(same(arg, target) for arg in given)


def _items(node: ast.expr) -> list[ast.expr]:
    """The elements of a list or dict literal."""
    if isinstance(node, ast.List):
        return node.elts
    if isinstance(node, ast.ListComp):
        return [node.elt]
    return node.values if isinstance(node, ast.Dict) else []


@rule(
    "GPK319",
    "missing-super-init",
    "a Module needs super().__init__() before its layers are set: call it first",
    bad=_CLASS + "        self.layer = torch.nn.Linear(2, 2)\n",
    good=_CLASS + "        super().__init__()\n        self.layer = torch.nn.Linear(2, 2)\n",
)
def _super(program: Program) -> Iterator[Hit]:
    for each in _module_classes(program):
        start = _init(each)
        if start is None:
            continue
        if called := program.among(program.methods("__init__"), start):
            yield from _layers_before(program, start, called[0])
            continue
        if any(
            isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in ast.walk(start)
        ):
            yield Hit(start)


def _layers_before(program: Program, start: ast.FunctionDef, call: ast.Call) -> Iterator[Hit]:
    """Layers that are set before super().__init__(); numbers and texts may be."""
    this = parameters(start)[:1]
    plain = program.among(program.of(ast.Assign), start, before=call)
    annotated = program.among(program.of(ast.AnnAssign), start, before=call)
    every: list[ast.Assign | ast.AnnAssign] = [*plain, *annotated]
    for each in every:
        for target, value in _assigned_pairs(each):
            of = target.value if isinstance(target, ast.Attribute) else None
            if isinstance(of, ast.Name) and [of.id] == this and _is_layer(program.called(value)):
                yield Hit(each)
                return


def _assigned_pairs(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its value; `a, b = x, y` is two."""
    if isinstance(node, ast.AnnAssign):
        if node.value is not None:
            yield node.target, node.value
        return
    for target in node.targets:
        rows = (ast.Tuple, ast.List)
        if isinstance(target, rows) and isinstance(node.value, rows):
            starred = any(
                isinstance(each, ast.Starred) for each in (*target.elts, *node.value.elts)
            )
            if not starred and len(target.elts) == len(node.value.elts):
                yield from zip(target.elts, node.value.elts, strict=True)
        else:
            yield target, node.value


def _is_layer(name: str) -> bool:
    """The name of a layer or parameter; nn.functional, nn.init and nn.utils hold none."""
    module, _, kind = name.rpartition(".")
    free = module.startswith(("torch.nn.functional", "torch.nn.init", "torch.nn.utils"))
    return f"{module}.".startswith("torch.nn.") and kind[:1].isupper() and not free


@rule(
    "GPK320",
    "whole-model-saved",
    "a saved model holds the paths of its classes and needs unpickling of code: save "
    "model.state_dict()",
    bad=_T + "model = torch.nn.Linear(2, 1)\ntorch.save(model, 'model.pt')\n",
    good=_T + "model = torch.nn.Linear(2, 1)\ntorch.save(model.state_dict(), 'model.pt')\n",
    fixable=False,
)
def _saved(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.save"):
        if call.args and program.value(call.args[0]).kind == "module":
            yield Hit(call)


@rule(
    "GPK321",
    "forward-called",
    "model.forward(x) skips the hooks: call model(x)",
    bad=_T + "model = torch.nn.Linear(2, 1)\ny = model.forward(torch.rand(3, 2))\n",
    good=_T + "model = torch.nn.Linear(2, 1)\ny = model(torch.rand(3, 2))\n",
    fixable=True,
)
def _forward(program: Program) -> Iterator[Hit]:
    for call, of, value in program.received("forward"):
        if value.kind == "module":
            yield Hit(call, edit=replace(call.func, ast.unparse(of)))


@rule(
    "GPK326",
    "load-result-assigned",
    "load_state_dict() returns the list of missing keys, not the model: call it as a statement",
    bad=_T + "model = torch.nn.Linear(2, 1)\nmodel = model.load_state_dict({})\n",
    good=_T + "model = torch.nn.Linear(2, 1)\nmodel.load_state_dict({})\n",
    fixable=True,
)
def _assigned(program: Program) -> Iterator[Hit]:
    for call in program.methods("load_state_dict"):
        parent = program.parents[call]
        if not isinstance(parent, ast.Assign):
            continue
        target = parent.targets[0]
        if isinstance(target, ast.Name) and target.id == owner(call):
            yield Hit(call, edit=replace(parent, ast.unparse(call)))


@rule(
    "GPK327",
    "optimizer-of-model",
    "an optimizer takes parameters, not a model: pass model.parameters()",
    bad=_T + "model = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(model, lr=0.1)\n",
    good=_T + "model = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n",
    fixable=True,
)
def _of_model(program: Program) -> Iterator[Hit]:
    for call in program.all_calls:
        if program.value(call).kind == "optimizer" and call.args:
            first = call.args[0]
            if program.value(first).kind == "module":
                yield Hit(first, edit=replace(first, f"{ast.unparse(first)}.parameters()"))
