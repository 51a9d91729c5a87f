"""Rules on single calls: loading, probing, and two libraries in one program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.nodes import bare, is_true, keyword, method, names_in, position
from gpukit.lint.program import Program

_T = "import torch\n"


@rule(
    "GPK307",
    "load-without-map-location",
    "a checkpoint from a GPU fails to load where there is none: give map_location=, as "
    'map_location="cpu"',
    bad=_T + "state = torch.load('model.pt', weights_only=True)\n",
    good=_T + "state = torch.load('model.pt', map_location='cpu', weights_only=True)\n",
)
def _map_location(program: Program) -> Iterator[Hit]:
    for call in _torch_loads(program):
        if keyword(call, "map_location") is None and len(call.args) < 2:
            yield Hit(call)


def _torch_loads(program: Program) -> Iterator[ast.Call]:
    """Calls of torch.load with explicit keywords; gpukit.load needs neither of the two.

    A file that the same code has just saved is no foreign checkpoint.
    """
    for call in program.calls("torch.load"):
        given = not program.from_gpukit(call.func) and all(word.arg for word in call.keywords)
        if given and not _just_saved(program, call):
            yield call


def _just_saved(program: Program, load: ast.Call) -> bool:
    """The load's path was given to torch.save above, in the same function or at the top level."""
    if not load.args:
        return False
    path = ast.dump(load.args[0])
    return any(
        len(save.args) > 1
        and ast.dump(save.args[1]) == path
        and position(save) < position(load)
        and program.scope(save) is program.scope(load)
        for save in program.calls("torch.save")
    )


@rule(
    "GPK308",
    "load-runs-code",
    "before torch 2.6 loading runs code that a checkpoint may hold: give weights_only=True",
    bad=_T + "state = torch.load('model.pt', map_location='cpu')\n",
    good=_T + "state = torch.load('model.pt', map_location='cpu', weights_only=True)\n",
)
def _weights_only(program: Program) -> Iterator[Hit]:
    for call in _torch_loads(program):
        if not is_true(keyword(call, "weights_only")):
            yield Hit(call)


@rule(
    "GPK112",
    "no-such-backend",
    "there is no such backend: AMD GPUs are under torch.cuda (see torch.version.hip), Intel's "
    "under torch.xpu",
    bad=_T + "print(torch.hip.is_available())\n",
    good=_T + "print(torch.version.hip)\n",
)
def _backend(program: Program) -> Iterator[Hit]:
    absent = {f"torch.{name}" for name in ("hip", "rocm", "opencl", "gpu", "amd")}
    for node in program.of(ast.Attribute):
        path = program.path(node)
        if path in absent and not (path == "torch.gpu" and program.from_gpukit(node)):
            yield Hit(node)
    kinds = {"hip", "rocm"} if program.gpukit_names else {"hip", "rocm", "gpu"}
    for word in program.device_words():
        if str(word.value).split(":")[0] in kinds:
            yield Hit(word)


@rule(
    "GPK113",
    "mps-probe",
    "torch.mps.is_available is missing in older versions and then reads as no: ask "
    "torch.backends.mps.is_available()",
    bad=_T + "print(torch.mps.is_available())\n",
    good=_T + "print(torch.backends.mps.is_available())\n",
    fixable=True,
)
def _mps(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Attribute):
        if program.path(node) == "torch.mps.is_available":
            inner = node.value
            root = inner.value if isinstance(inner, ast.Attribute) else None
            plain = isinstance(root, ast.Name) and root.id == "torch"
            edit = replace(node, "torch.backends.mps.is_available") if plain else None
            yield Hit(node, edit=edit)
    for call in program.named("hasattr"):
        if len(call.args) == 2 and program.path(call.args[0]) == "torch.mps":
            name = call.args[1]
            if isinstance(name, ast.Constant) and name.value == "is_available":
                yield Hit(call)


@rule(
    "GPK406",
    "query-printed",
    "print(gpustat.new_query()) shows an object's address: call .print_formatted(), or use "
    "gpukit.monitor.new_query()",
    bad="import gpustat\nprint(gpustat.new_query())\n",
    good="import gpustat\ngpustat.new_query().print_formatted()\n",
)
def _query(program: Program) -> Iterator[Hit]:
    for call in program.calls("gpustat.new_query", "gpustat.GPUStatCollection.new_query"):
        outer = program.parents[call]
        if bare(outer) == "print":
            yield Hit(outer)


@rule(
    "GPK407",
    "first-of-no-gpus",
    "the list is empty on a machine without a GPU: test it before [0]",
    bad="import tensorflow as tf\ngpus = tf.config.list_physical_devices('GPU')\n"
    "tf.config.experimental.set_memory_growth(gpus[0], True)\n",
    good="import tensorflow as tf\ngpus = tf.config.list_physical_devices('GPU')\n"
    "if gpus:\n    tf.config.experimental.set_memory_growth(gpus[0], True)\n",
)
def _first(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Subscript):
        zero = isinstance(node.slice, ast.Constant) and node.slice.value == 0
        if not zero or not isinstance(node.value, ast.Name):
            continue
        if program.called(program.binding(node.value)).endswith("list_physical_devices"):
            guarded = program.inside(node, ast.If, ast.IfExp, ast.Try, ast.For)
            tested = program.once(_tested).get(node.value.id)
            if not guarded and (tested is None or tested > position(node)):
                yield Hit(node)


def _tested(program: Program) -> dict[str, tuple[int, int]]:
    """Name -> the first `assert` or `if` that tests it."""
    tests = [(position(each), each.test) for each in program.of(ast.Assert)]
    tests += [(position(each), each.test) for each in program.of(ast.If)]
    found: dict[str, tuple[int, int]] = {}
    for at, test in tests:
        for name in names_in(test):
            found[name] = min(at, found.get(name, at))
    return found


@rule(
    "GPK410",
    "bare-except-hides-gpu-error",
    "a bare except also hides out-of-memory and driver errors, and Ctrl-C: name the exception",
    bad=_T + "try:\n    x = torch.rand(3, device='cuda')\nexcept:\n    x = torch.rand(3)\n",
    good=_T + "try:\n    x = torch.rand(3, device='cuda')\nexcept RuntimeError:\n"
    "    x = torch.rand(3)\n",
)
def _bare(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.ExceptHandler):
        tried = program.parents[node]
        if node.type is not None or not isinstance(tried, ast.Try):
            continue
        if program.among(program.of(ast.Raise), node):
            continue
        if program.among(program.once(_gpu_names), tried.body):
            yield Hit(node)


def _gpu_names(program: Program) -> list[ast.AST]:
    """Code that names something of torch, but its version, or calls `.cuda()`."""
    return [
        node
        for node in program.of(ast.Name, ast.Attribute, ast.Call)
        if method(node) == "cuda"
        or (
            program.path(node).startswith("torch.")
            and not program.path(node).startswith("torch.__")
        )
    ]


@rule(
    "GPK412",
    "two-libraries",
    "torch's objects and gpukit's do not mix: with import gpukit as torch, import nn, optim and "
    "the rest from gpukit too",
    bad="import gpukit as torch\nfrom torch import nn\n",
    good="import gpukit as torch\nfrom gpukit import nn\n",
    fixable=True,
)
def _libraries(program: Program) -> Iterator[Hit]:
    names = [alias for node in program.of(ast.Import) for alias in node.names]
    if not any((alias.name, alias.asname) == ("gpukit", "torch") for alias in names):
        return
    for node in program.of(ast.ImportFrom):
        module = node.module or ""
        if module.split(".")[0] == "torch" and node.level == 0:
            fixed = ast.ImportFrom("gpukit" + module[5:], node.names, 0)
            yield Hit(node, edit=replace(node, ast.unparse(fixed)))
