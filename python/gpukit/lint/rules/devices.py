"""Rules on devices: where tensors and models are, and what says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.nodes import FUNCTIONS, method, position, receiver, same
from gpukit.lint.program import Program
from gpukit.lint.values import Value

_T = "import torch\n"
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
    two_args = frozenset(
        ["mm", "matmul", "bmm", "add", "mul", "dot", "allclose", "equal", "cat", "stack", "where"]
    )
    for node in program.of(ast.BinOp, ast.Call):
        parts: list[ast.expr] = []
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Call):
            path = program.called(node)
            if path.startswith("torch.") and path.rpartition(".")[2] in two_args:
                parts = list(node.args)
                if parts and isinstance(parts[0], (ast.List, ast.Tuple)):
                    parts = list(parts[0].elts)
        values = program.tensors(parts)
        values = [v for v in values if v.origin != "tensor"]  # scalars mix with any device
        if len(values) > 1 and (detail := _clash(values)):
            yield Hit(node, detail)


@rule(
    "GPK102",
    "float16-on-cpu",
    "float16 on the CPU is slow or not implemented: use float32 there, or bfloat16",
    bad=_T + "x = torch.rand(9, 9, dtype=torch.float16)\ny = x @ x\n",
    good=_T + 'x = torch.rand(9, 9, dtype=torch.float16, device="cuda")\ny = x @ x\n',
)
def _half_cpu(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.BinOp):
        values = program.tensors((node.left, node.right))
        if isinstance(node.op, ast.MatMult) and values and all(_cpu_half(v) for v in values):
            yield Hit(node)
    for call in program.all_calls:
        tail = program.called(call).rpartition(".")[2]
        values = program.tensors(call.args)
        if (
            tail in {"mm", "matmul", "bmm", "conv2d"}
            and values
            and all(_cpu_half(v) for v in values)
        ):
            yield Hit(call)
        model = program.value(call.func)
        if model.kind == "module" and _cpu_half(model):
            yield Hit(call)


def _cpu_half(value: Value) -> bool:
    return value.device == "cpu" and value.dtype == "float16"


def _first_parameter(function: ast.FunctionDef) -> str:
    return function.args.args[0].arg if function.args.args else ""


@rule(
    "GPK103",
    "device-count-off-by-one",
    "devices count from 0, so device i is there only if device_count() >= i + 1: gpukit.try_gpu(i) "
    "does this",
    bad=_T + "def try_gpu(i=0):\n    if torch.cuda.device_count() >= i:\n"
    "        return torch.device(f'cuda:{i}')\n    return torch.device('cpu')\n",
    good=_T + "def try_gpu(i=0):\n    if torch.cuda.device_count() >= i + 1:\n"
    "        return torch.device(f'cuda:{i}')\n    return torch.device('cpu')\n",
)
def _off_by_one(program: Program) -> Iterator[Hit]:
    for function in program.of(ast.FunctionDef):
        name = _first_parameter(function)
        for node in ast.walk(function) if name else ():
            if not isinstance(node, ast.Compare) or len(node.ops) != 1:
                continue
            left, op, right = node.left, node.ops[0], node.comparators[0]
            if isinstance(op, (ast.LtE, ast.Lt)):
                left, right = right, left
            wide = isinstance(op, (ast.GtE, ast.LtE))
            if wide and program.called(left) == "torch.cuda.device_count":  # noqa: SIM102
                if isinstance(right, ast.Name) and right.id == name:
                    yield Hit(node)


@rule(
    "GPK104",
    "device-as-string",
    "a function that gives devices should give torch.device, not a string, which has no .type or "
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
    "the optimizer was made before the model moved: move the model first, then give its parameters "
    "to the optimizer",
    bad=_T + "model = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    'model.to("cuda")\n',
    good=_T + "model = torch.nn.Linear(2, 1)\n"
    'model.to("cuda")\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\n',
)
def _optimizer_first(program: Program) -> Iterator[Hit]:
    for call in program.methods("to", "cuda"):
        model = receiver(call)
        if not isinstance(model, ast.Name) or program.value(model).kind == "tensor":
            continue
        if method(call) == "to" and program.value(call).device in {None, "cpu"}:
            continue
        for other in program.methods("parameters"):
            owner = program.parents.get(other)
            made = isinstance(owner, ast.Call) and program.called(owner).startswith("torch.optim.")
            before = position(other) < position(call) and same(receiver(other), model)
            if (
                made
                and before
                and program.block(_statement(program, other))
                is program.block(_statement(program, call))
            ) and not _rebound(program, model.id, other, call):
                yield Hit(call)
                break


def _rebound(program: Program, name: str, one: ast.AST, two: ast.AST) -> bool:
    scope = program.scope(two)
    return any(
        position(one) < position(target) < position(two)
        and program.statement(target) is not program.statement(two)
        for target, _ in program.bindings.get((scope, name), ())
    )


def _statement(program: Program, node: ast.AST) -> ast.AST:
    return program.statement(node) or node


@rule(
    "GPK106",
    "moved-copy-dropped",
    "a tensor's .to(), .cuda() and .cpu() give a copy and leave the tensor where it is: write "
    "x = x.to(device)",
    bad=_T + 'x = torch.rand(3)\nx.to("cuda")\n',
    good=_T + 'x = torch.rand(3)\nx = x.to("cuda")\n',
    fixable=True,
)
def _dropped(program: Program) -> Iterator[Hit]:
    for call in program.methods("to", "cuda", "cpu", "half", "float", "double"):
        statement = program.parents.get(call)
        of = receiver(call)
        if not isinstance(statement, ast.Expr) or of is None:
            continue
        if program.value(of).kind == "tensor" and not _shown(program, statement):
            edit = (
                replace(call, f"{of.id} = {ast.unparse(call)}")
                if isinstance(of, ast.Name)
                else None
            )
            yield Hit(call, edit=edit)


def _shown(program: Program, statement: ast.stmt) -> bool:
    """The last line of a notebook's cell, which is shown."""
    origin = program.source.origin
    if origin is None:
        return False
    cell, _ = program.source.place(statement.lineno)
    after = origin[statement.end_lineno or statement.lineno :]
    following = program.source.lines[statement.end_lineno or statement.lineno :]
    rest = [text for (each, _), text in zip(after, following, strict=False) if each == cell]
    return not any(text.strip() and not text.strip().startswith("#") for text in rest)


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
        if isinstance(program.parents.get(call), ast.withitem):
            continue
        if any(
            program.called(each) and "enter_context" in ast.dump(each.func)
            for each in program.ancestors(call)
            if isinstance(each, ast.Call)
        ):
            continue
        root = (
            call.func.value.value
            if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Attribute)
            else None
        )
        word = call.args[0] if call.args else None
        plain = isinstance(word, ast.Constant) and isinstance(word.value, str)
        edit = (
            replace(call.func, f"{root.id}.device")
            if plain and isinstance(root, ast.Name)
            else None
        )
        if not isinstance(program.parents.get(call), ast.Assign) or not _entered(program, call):
            yield Hit(call, edit=edit)


def _entered(program: Program, call: ast.Call) -> bool:
    """Bound to a name that a later `with` enters."""
    statement = program.parents.get(call)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(same(item.context_expr, t) for item in program.of(ast.withitem) for t in targets)


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
        word = node.comparators[0]
        plain = isinstance(word, ast.Constant) and isinstance(word.value, str)
        if not plain or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            continue
        left = node.left
        attribute = isinstance(left, ast.Attribute) and left.attr == "device"
        of = left.value if isinstance(left, ast.Attribute) else None
        tensor = attribute and program.value(of).kind == "tensor"
        if tensor or program.value(left).kind == "device":
            bare = isinstance(word, ast.Constant) and ":" not in str(word.value)
            yield Hit(node, edit=replace(left, f"{ast.unparse(left)}.type") if bare else None)


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
        block = program.block(node)
        at = next((i for i, each in enumerate(block) if each is node), len(block))
        after = [each for later in block[at + 1 :] for each in ast.walk(later)]
        if any(_needs_gpu(program, each) for each in after):
            yield Hit(node)


def _is_print(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and getattr(call.func, "id", "") == "print"


def _needs_gpu(program: Program, node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return (
            isinstance(node.value, str)
            and node.value in {"cuda", "cuda:0", "cuda:1"}
            and not any(isinstance(outer, (ast.IfExp, ast.If)) for outer in program.ancestors(node))
        )
    return method(node) == "cuda" and not program.inside(node, ast.If, ast.IfExp)


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
    "CUDA_VISIBLE_DEVICES counts only until CUDA starts: set it before torch is imported, or in the "  # noqa: E501
    "shell",
    bad=_T + "from os import environ\nenviron['CUDA_VISIBLE_DEVICES'] = '1'\n",
    good="from os import environ\nenviron['CUDA_VISIBLE_DEVICES'] = '1'\n" + _T,
)
def _visible(program: Program) -> Iterator[Hit]:
    imports = [
        position(node)
        for node in program.of(ast.Import, ast.ImportFrom)
        if program.scope(node) is program.tree and _imports_torch(node)
    ]
    for node in program.of(ast.Subscript):
        stored = isinstance(node.ctx, ast.Store) and program.path(node.value) == _ENVIRONMENT
        key = node.slice
        if stored and isinstance(key, ast.Constant) and key.value == "CUDA_VISIBLE_DEVICES":  # noqa: SIM102
            if imports and min(imports) < position(node) and not program.inside(node, *FUNCTIONS):
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
        if model.kind != "module" or not call.args or _moved_in_place(program, call):
            continue
        values = program.tensors(call.args[:1])
        if values and (detail := _clash([model, *values])):
            yield Hit(call, detail)


def _moved_in_place(program: Program, call: ast.Call) -> bool:
    """`model.to(device)` as a statement moves the model itself."""
    name = call.func if isinstance(call.func, ast.Name) else None
    return any(
        same(receiver(other), name) and isinstance(program.parents.get(other), ast.Expr)
        for other in program.methods("to", "cuda", "cpu", "half")
    )


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
        typed = path.startswith("torch.") and path.endswith("Tensor")
        if (typed and path not in {"torch.Tensor", "torch.is_tensor"} and "sparse" not in path) or (  # noqa: SIM102
            path == "torch.set_default_tensor_type"
        ):
            if path.count(".") <= 2 and path.rpartition(".")[2] != "Tensor":
                yield Hit(call)
