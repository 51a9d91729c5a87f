"""Rules on devices: where tensors and models are, and what says so."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.nodes import FUNCTIONS, bare, bound_in, grouped, method, names_in, owner, position
from gpukit.lint.program import Program
from gpukit.lint.values import Value

_T = "import torch\n"
_JOINING = frozenset(
    ["mm", "matmul", "bmm", "add", "mul", "dot", "allclose", "equal", "cat", "stack", "where"]
)
_ASKS = frozenset({"torch.cuda.is_available", "torch.cuda.device_count", "torch.try_gpu"})


def _clash(values: list[Value]) -> str:
    """Two known devices of tensors that take part in one operation, or ""."""
    devices = {v.device for v in values if v.device}
    known = sorted(str(device) for device in devices if device != "maybe")
    if len(known) > 1:
        return f"{known[0]} and {known[1]}"
    return "cpu and a GPU" if devices == {"cpu", "maybe"} else ""


@rule(
    "GPK101",
    "two-devices",
    "the operands are on different devices: move one with .to(other.device) first",
    bad=_T + 'x = torch.rand(3)\ny = torch.rand(3, device="cuda")\nz = x + y\n',
    good=_T + 'x = torch.rand(3)\ny = torch.rand(3, device="cuda")\nz = x.to(y.device) + y\n',
)
def _two_devices(program: Program) -> Iterator[Hit]:
    for node in (*program.of(ast.BinOp), *program.all_calls):
        values = program.tensors(_operands(program, node))
        values = [v for v in values if v.origin != "tensor"]  # scalars mix with any device
        if len(values) > 1 and (detail := _clash(values)):
            yield Hit(node, detail)


def _operands(program: Program, node: ast.expr) -> list[ast.expr]:
    """The tensors of an operation that must be on one device."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    module, _, name = program.called(node).rpartition(".")
    joins = module.split(".")[0] == "torch" and name in _JOINING
    if not joins or not isinstance(node, ast.Call):
        return []
    first = node.args[0] if node.args else None
    return list(first.elts if isinstance(first, (ast.List, ast.Tuple)) else node.args)


@rule(
    "GPK102",
    "float16-on-cpu",
    "float16 on the CPU is slow or not implemented: use float32 there, or bfloat16",
    bad=_T + "x = torch.rand(9, 9, dtype=torch.float16)\ny = x @ x\n",
    good=_T + 'x = torch.rand(9, 9, dtype=torch.float16, device="cuda")\ny = x @ x\n',
)
def _half_cpu(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.BinOp):
        if isinstance(node.op, ast.MatMult) and _all_half(program, (node.left, node.right)):
            yield Hit(node)
    for call in program.all_calls:
        heavy = program.called(call).rpartition(".")[2] in {"mm", "matmul", "bmm", "conv2d"}
        model = program.value(call.func)
        if (heavy and _all_half(program, call.args)) or (
            model.kind == "module" and _cpu_half(model)
        ):
            yield Hit(call)


def _all_half(program: Program, parts: Iterable[ast.expr]) -> bool:
    values = program.tensors(parts)
    return bool(values) and all(map(_cpu_half, values))


def _cpu_half(value: Value) -> bool:
    return value.device == "cpu" and value.dtype == "float16"


def _first_parameter(function: ast.FunctionDef) -> str:
    return function.args.args[0].arg if function.args.args else ""


@rule(
    "GPK103",
    "device-count-off-by-one",
    "devices count from 0, so device i exists only if device_count() >= i + 1: gpukit.try_gpu(i) "
    "does this",
    bad=_T + "def try_gpu(i=0):\n    if torch.cuda.device_count() >= i:\n"
    "        return torch.device(f'cuda:{i}')\n    return torch.device('cpu')\n",
    good=_T + "def try_gpu(i=0):\n    if torch.cuda.device_count() >= i + 1:\n"
    "        return torch.device(f'cuda:{i}')\n    return torch.device('cpu')\n",
)
def _off_by_one(program: Program) -> Iterator[Hit]:
    for function in program.of(ast.FunctionDef):
        name = _first_parameter(function)
        if not name or not _is_index(program, function, name):
            continue
        for node in program.among(program.of(ast.Compare), function):
            left, op, right = node.left, node.ops[0], node.comparators[0]
            if isinstance(op, ast.LtE):
                left, right = right, left
            counted = program.called(left) == "torch.cuda.device_count"
            wide = isinstance(op, (ast.GtE, ast.LtE)) and len(node.ops) == 1
            if wide and counted and isinstance(right, ast.Name) and right.id == name:
                yield Hit(node)


def _is_index(program: Program, function: ast.FunctionDef, name: str) -> bool:
    """A function makes a device of its parameter; one that only counts devices does not."""
    made = [
        *(node for node in ast.walk(function) if isinstance(node, ast.JoinedStr)),
        *program.calls("torch.device", "torch.cuda.device", "torch.cuda.set_device"),
    ]
    return any(name in names_in(node) for node in made if program.contains(function, node))


@rule(
    "GPK104",
    "device-as-string",
    "a function that returns devices should return torch.device, not a string without .type and "
    ".index: write torch.device(...)",
    bad=_T + "def try_gpu():\n    if torch.cuda.is_available():\n        return 'cuda:0'\n"
    "    return 'cpu'\n",
    good=_T + "def try_gpu():\n    if torch.cuda.is_available():\n"
    "        return torch.device('cuda:0')\n    return torch.device('cpu')\n",
)
def _string_device(program: Program) -> Iterator[Hit]:
    for function in program.of(ast.FunctionDef):
        if function.name not in {"try_gpu", "try_all_gpus", "try_cuda", "get_gpu"}:
            continue
        for node in ast.walk(function):
            text = getattr(node, "value", None) if isinstance(node, ast.Return) else None
            if isinstance(text, ast.JoinedStr) and text.values:
                text = text.values[0]
            if isinstance(text, ast.Constant) and str(text.value).startswith(
                ("cuda", "cpu", "gpu")
            ):
                yield Hit(node)
                break


@rule(
    "GPK105",
    "optimizer-before-move",
    "the optimizer was made before the model moved: move the model first, then pass its parameters "
    "to the optimizer",
    bad=_T + "model = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    'model.to("cuda")\n',
    good=_T + "model = torch.nn.Linear(2, 1)\n"
    'model.to("cuda")\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n',
)
def _optimizer_first(program: Program) -> Iterator[Hit]:
    for call, model, value in program.received("to", "cuda"):
        if not isinstance(model, ast.Name) or value.kind == "tensor":
            continue
        if method(call) == "to" and program.destination(call, value) in {None, "cpu"}:
            continue
        block = program.block(program.statement(call) or call)
        made = program.once(_optimized).get((id(block), model.id), [])
        earlier = program.among(made, block, before=call)
        if not earlier or _rebound(program, model.id, earlier[-1], call):
            continue
        if not _made_again(program, earlier[-1], call, block):
            yield Hit(call)


def _made_again(program: Program, made: ast.Call, move: ast.Call, block: list[ast.stmt]) -> bool:
    """The optimizer's name is bound again right after the move, before anything reads it."""
    names = bound_in(program.statement(made) or made)
    mentions = program.among(program.of(ast.Name), block, after=move)
    later = [node for node in mentions if node.id in names]
    return bool(later) and isinstance(min(later, key=position).ctx, ast.Store)


def _optimized(program: Program) -> dict[tuple[int, str], list[ast.Call]]:
    """(block, model) -> the calls of model.parameters() that an optimizer of the block is given."""
    given = (
        call
        for call in program.methods("parameters")
        if program.called(program.parents[call]).startswith("torch.optim.")
    )
    return grouped(
        ((id(program.block(program.statement(call) or call)), owner(call)), call) for call in given
    )


def _rebound(program: Program, name: str, one: ast.AST, two: ast.AST) -> bool:
    """A name is bound again between two nodes, and not by the statement of the second."""
    bound = [target for target, _ in program.bindings.get((program.scope(two), name), ())]
    between = program.among(bound, program.scope(two), after=one, before=two)
    return bool(between) and program.statement(between[0]) is not program.statement(two)


@rule(
    "GPK106",
    "moved-copy-dropped",
    "a tensor's .to(), .cuda() and .cpu() return a copy and leave the tensor where it is: write "
    "x = x.to(device)",
    bad=_T + 'x = torch.rand(3)\nx.to("cuda")\n',
    good=_T + 'x = torch.rand(3)\nx = x.to("cuda")\n',
    fixable=True,
)
def _dropped(program: Program) -> Iterator[Hit]:
    for call, of, value in program.received("to", "cuda", "cpu", "half", "float", "double"):
        statement = program.parents[call]
        if not isinstance(statement, ast.Expr):
            continue
        if value.kind != "tensor" and not _of_a_loader(program, call, of):
            continue
        # A result without a name, as in (x @ x).cpu(), is dropped on purpose: the copy waits.
        if isinstance(of, (ast.Name, ast.Attribute)) and not _shown(program, statement):
            name = of.id if isinstance(of, ast.Name) else ""
            yield Hit(call, edit=replace(call, f"{name} = {ast.unparse(call)}") if name else None)


def _of_a_loader(program: Program, call: ast.Call, of: ast.expr) -> bool:
    """One of several names that the loop around takes from a loader: `for x, y in loader`."""
    loop = program.loop(call)
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or not isinstance(of, ast.Name):
        return False
    counted = isinstance(loop.iter, ast.Call) and bare(loop.iter) == "enumerate" and loop.iter.args
    source = counted[0] if counted else loop.iter
    if not isinstance(source, ast.Name) or not isinstance(loop.target, ast.Tuple):
        return False
    return bool(re.search("load|data|batch", source.id.lower())) and of.id in bound_in(loop.target)


def _shown(program: Program, statement: ast.stmt) -> bool:
    """The last line of a notebook's cell, which is shown."""
    source = program.source
    if source.origin is None:
        return False
    cell, _ = source.location(statement.lineno)
    for number in range((statement.end_lineno or statement.lineno) + 1, len(source.lines) + 1):
        text = source.lines[number - 1].strip()
        if source.location(number)[0] != cell:
            return True
        if text and not text.startswith("#"):
            return False
    return True


@rule(
    "GPK107",
    "hard-coded-cuda",
    "this fails on a machine without a GPU: write device = gpukit.try_gpu() once and .to(device)",
    bad=_T + "x = torch.rand(3)\ny = x.cuda()\n",
    good=_T + "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    "x = torch.rand(3)\ny = x.to(device)\n",
)
def _hard_coded(program: Program) -> Iterator[Hit]:
    if any(program.path(node) in _ASKS for node in program.of(ast.Attribute, ast.Name)):
        return
    if any(
        word in program.source.text for word in ("try_gpu", "use_cuda", "args.cuda", "init_process")
    ):
        return
    for call in program.methods("cuda"):
        told = bool(call.keywords) or not all(isinstance(arg, ast.Constant) for arg in call.args)
        if program.path(call.func) == "" and not told and not program.inside(call, ast.If):
            yield Hit(call)
            return  # once a file


@rule(
    "GPK108",
    "device-context-as-device",
    "torch.cuda.device(...) is a context manager: the device itself is torch.device(...)",
    bad=_T + "d = torch.cuda.device('cuda')\n",
    good=_T + "d = torch.device('cuda')\nwith torch.cuda.device(0):\n    x = 1\n",
    fixable=True,
)
def _context(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.cuda.device"):
        if _as_context(program, call):
            continue
        func = call.func
        module = func.value if isinstance(func, ast.Attribute) else None
        root = module.value if isinstance(module, ast.Attribute) else None
        edit = replace(func, f"{root.id}.device") if isinstance(root, ast.Name) else None
        yield Hit(call, edit=edit if _named(call) else None)


def _named(call: ast.Call) -> bool:
    word = call.args[0] if call.args else None
    return isinstance(word, ast.Constant) and isinstance(word.value, str)


def _as_context(program: Program, call: ast.Call) -> bool:
    """Entered here or by a later `with`, or passed to code that enters it."""
    outer: ast.AST = call
    while isinstance(program.parents[outer], ast.IfExp):
        outer = program.parents[outer]
    user = program.parents[outer]
    if isinstance(user, ast.Assign):
        return any(ast.dump(each) in program.once(_entered) for each in map(_load, user.targets))
    return (
        isinstance(user, ast.withitem)
        or method(user) == "enter_context"
        or (isinstance(user, ast.Return) and not _named(call))
    )


def _load(target: ast.expr) -> ast.expr:
    """A target as written in the source."""
    return ast.parse(ast.unparse(target), mode="eval").body


def _entered(program: Program) -> set[str]:
    """The context expression of a `with`, as the text of its tree."""
    return {ast.dump(item.context_expr) for item in program.of(ast.withitem)}


@rule(
    "GPK114",
    "cuda-compared-with-cuda-0",
    'device("cuda") == device("cuda:0") is False, as "cuda" has no index: compare .type, or two '
    "devices with an index",
    bad=_T + "print(torch.device('cuda') == torch.device('cuda:0'))\n",
    good=_T + "print(torch.device('cuda').type == torch.device('cuda:0').type)\n",
)
def _equal(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Compare):
        sides = [node.left, node.comparators[0]]
        texts = [_device_text(program, side) for side in sides]
        if ("cuda" in texts and any(text.startswith("cuda:") for text in texts)) or (
            "cuda" in texts and any(getattr(side, "attr", "") == "device" for side in sides)
        ):
            yield Hit(node)


def _device_text(program: Program, node: ast.AST) -> str:
    if program.called(node) == "torch.device" and isinstance(node, ast.Call) and node.args:
        word = node.args[0]
        return str(word.value) if isinstance(word, ast.Constant) and len(node.args) == 1 else ""
    return ""


@rule(
    "GPK115",
    "device-compared-with-string",
    'a device never equals a string: compare x.device.type with "cuda"',
    bad=_T + "x = torch.rand(3)\nif x.device == 'cuda':\n    print(x)\n",
    good=_T + "x = torch.rand(3)\nif x.device.type == 'cuda':\n    print(x)\n",
    fixable=True,
)
def _string_compare(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Compare):
        word, left = node.comparators[0], node.left
        if not isinstance(word, ast.Constant) or not isinstance(word.value, str):
            continue
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)) and _is_device(program, left):
            edit = replace(left, f"{ast.unparse(left)}.type") if ":" not in word.value else None
            yield Hit(node, edit=edit)


def _is_device(program: Program, node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "device":
        return program.value(node.value).kind == "tensor"
    return program.value(node).kind == "device"


@rule(
    "GPK116",
    "guard-without-exit",
    "the message is printed and the code goes on to use the missing GPU: raise, return or "
    "sys.exit() here",
    bad=_T + "if torch.cuda.device_count() < 2:\n    print('needs two GPUs')\n"
    "x = torch.rand(3, device='cuda:1')\n",
    good=_T + "if torch.cuda.device_count() < 2:\n    raise SystemExit('needs two GPUs')\n"
    "x = torch.rand(3, device='cuda:1')\n",
)
def _guard(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.If):
        asks = any(program.called(each) in _ASKS for each in ast.walk(node.test))
        negative = isinstance(node.test, ast.UnaryOp) or (
            isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], (ast.Lt, ast.Eq))
        )
        if not asks or not negative or not all(map(_is_print, node.body)):
            continue
        block = program.block(node) or [node]
        if program.among(program.once(_gpu_needs), block, after=node):
            yield Hit(node)


def _gpu_needs(program: Program) -> list[ast.AST]:
    """Code that fails without a GPU and is not under an `if`."""
    found = (
        node
        for node in program.of(ast.Constant, ast.Call)
        if method(node) == "cuda" or getattr(node, "value", "") in {"cuda", "cuda:0", "cuda:1"}
    )
    return [node for node in found if not program.inside(node, ast.If, ast.IfExp)]


def _is_print(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and bare(statement.value) == "print"


@rule(
    "GPK117",
    "is-available-not-called",
    "without () this is the function itself, which is always true: write is_available()",
    bad=_T + "if torch.cuda.is_available:\n    print('GPU')\n",
    good=_T + "if torch.cuda.is_available():\n    print('GPU')\n",
    fixable=True,
)
def _not_called(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Attribute):
        if not program.path(node).endswith(".is_available"):
            continue
        parent = program.parents.get(node)
        tested = isinstance(parent, (ast.If, ast.IfExp, ast.While)) and parent.test is node
        joined = isinstance(parent, (ast.BoolOp, ast.FormattedValue)) or (
            isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
        )
        if tested or joined:
            yield Hit(node, edit=replace(node, f"{ast.unparse(node)}()"))


_ENVIRONMENT = ".".join(("os", "environ"))


@rule(
    "GPK118",
    "visible-devices-too-late",
    "CUDA_VISIBLE_DEVICES counts only until CUDA starts: set it before torch is imported, or in "
    "the shell",
    bad=_T + "from os import environ\nenviron['CUDA_VISIBLE_DEVICES'] = '1'\n",
    good="from os import environ\nenviron['CUDA_VISIBLE_DEVICES'] = '1'\n" + _T,
)
def _visible(program: Program) -> Iterator[Hit]:
    imports = (
        position(node)
        for node in program.of(ast.Import, ast.ImportFrom)
        if program.scope(node) is program.tree and _imports_torch(node)
    )
    first = min(imports, default=(math.inf, 0))
    for node in program.of(ast.Subscript):
        if not isinstance(node.ctx, ast.Store) or program.path(node.value) != _ENVIRONMENT:
            continue
        named = isinstance(node.slice, ast.Constant) and node.slice.value == "CUDA_VISIBLE_DEVICES"
        if named and first < position(node) and not program.inside(node, *FUNCTIONS):
            yield Hit(node)


def _imports_torch(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in {"torch", "gpukit"}
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return any(name.split(".")[0] in {"torch", "gpukit"} for name in names)


@rule(
    "GPK119",
    "input-on-other-device",
    "the model and its input are on different devices: move the input with .to(device) too",
    bad=_T + 'model = torch.nn.Linear(2, 1).to("cuda")\nx = torch.rand(3, 2)\ny = model(x)\n',
    good=_T + 'model = torch.nn.Linear(2, 1).to("cuda")\nx = torch.rand(3, 2, device="cuda")\n'
    "y = model(x)\n",
)
def _input(program: Program) -> Iterator[Hit]:
    for call in program.all_calls:
        model = program.value(call.func)
        if model.kind != "module" or bare(call) in program.once(_moved_in_place):
            continue
        values = program.tensors(call.args[:1])
        if values and (detail := _clash([model, *values])):
            yield Hit(call, detail)


def _moved_in_place(program: Program) -> set[str]:
    """Names that `model.to(device)` as a statement moves."""
    calls = program.methods("to", "cuda", "cpu", "half")
    return {owner(each) for each in calls if isinstance(program.parents[each], ast.Expr)} - {""}


@rule(
    "GPK121",
    "legacy-tensor-type",
    "typed constructors and default tensor types are deprecated: write torch.tensor(data, "
    "dtype=..., device=...)",
    bad=_T + "x = torch.cuda.FloatTensor([1.0])\n",
    good=_T + 'x = torch.tensor([1.0], device="cuda")\n',
)
def _legacy(program: Program) -> Iterator[Hit]:
    for call in program.all_calls:
        path = program.called(call)
        module, _, name = path.rpartition(".")
        typed = module in {"torch", "torch.cuda"} and name.endswith("Tensor") and name != "Tensor"
        if typed or path == "torch.set_default_tensor_type":
            yield Hit(call)
