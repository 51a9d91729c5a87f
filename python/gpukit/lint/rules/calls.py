"""Rules on single calls: loading, probing, and two libraries in one program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpukit.lint.findings import Hit, rule
from gpukit.lint.nodes import is_true, keyword, method, position, same
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
    for call in program.calls("torch.load"):
        starred = any(word.arg is None for word in call.keywords)
        if keyword(call, "map_location") is None and len(call.args) < 2 and not starred:
            yield Hit(call)


@rule(
    "GPK308",
    "load-runs-code",
    "before torch 2.6 loading runs code that a checkpoint may hold: give weights_only=True",
    bad=_T + "state = torch.load('model.pt', map_location='cpu')\n",
    good=_T + "state = torch.load('model.pt', map_location='cpu', weights_only=True)\n",
)
def _weights_only(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.load"):
        starred = any(word.arg is None for word in call.keywords)
        if (
            not is_true(keyword(call, "weights_only"))
            and not starred
            and not _gpukit(program, call)
        ):
            yield Hit(call)


def _gpukit(program: Program, call: ast.Call) -> bool:
    """Gpukit's own load, which never runs code."""
    node: ast.AST = call.func
    while isinstance(node, ast.Attribute):
        node = node.value
    name = getattr(node, "id", "")
    imports: list[ast.Import | ast.ImportFrom] = [
        *program.of(ast.Import),
        *program.of(ast.ImportFrom),
    ]
    for each in imports:
        module = getattr(each, "module", None)
        for alias in each.names:
            if (alias.asname or alias.name) == name:
                return str(module or alias.name).split(".")[0] == "gpukit"
    return False


@rule(
    "GPK112",
    "no-such-backend",
    "there is no such backend: AMD's GPUs answer as torch.cuda (see torch.version.hip), Intel's as "
    "torch.xpu",
    bad=_T + "print(torch.hip.is_available())\n",
    good=_T + "print(torch.version.hip)\n",
)
def _backend(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Attribute):
        if program.path(node) in {
            "torch.hip",
            "torch.rocm",
            "torch.opencl",
            "torch.gpu",
            "torch.amd",
        }:
            yield Hit(node)
    for call in program.calls("torch.device"):
        word = call.args[0] if call.args else None
        if isinstance(word, ast.Constant) and str(word.value).split(":")[0] in {
            "hip",
            "rocm",
            "gpu",
        }:
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
    from gpukit.lint.findings import replace

    for node in program.of(ast.Attribute):
        if program.path(node) == "torch.mps.is_available":
            inner = node.value
            root = inner.value if isinstance(inner, ast.Attribute) else None
            plain = isinstance(root, ast.Name) and root.id == "torch"
            yield Hit(
                node, edit=replace(node, "torch.backends.mps.is_available") if plain else None
            )
    for call in program.all_calls:
        asked = getattr(call.func, "id", "") == "hasattr" and len(call.args) == 2
        name = call.args[1] if asked else None
        if asked and program.path(call.args[0]) == "torch.mps":  # noqa: SIM102
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
        outer = program.parents.get(call)
        if isinstance(outer, ast.Call) and getattr(outer.func, "id", "") == "print":
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
        made = program.binding(node.value) if zero and isinstance(node.value, ast.Name) else None
        if program.called(made).endswith("list_physical_devices"):
            guarded = program.inside(node, ast.If, ast.IfExp, ast.Try, ast.For)
            if not guarded and not _asserted(program, node):
                yield Hit(node)


def _asserted(program: Program, node: ast.Subscript) -> bool:
    tests = [(each, each.test) for each in program.of(ast.Assert)]
    guards = [(each, each.test) for each in program.of(ast.If)]
    return any(
        position(each) < position(node) and any(same(n, node.value) for n in ast.walk(test))
        for each, test in [*tests, *guards]
    )


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
        owner = program.parents.get(node)
        if node.type is not None or not isinstance(owner, ast.Try):
            continue
        raises = any(isinstance(each, ast.Raise) for each in ast.walk(node))
        tried = [each for statement in owner.body for each in ast.walk(statement)]
        gpu = any(
            program.path(each).startswith("torch.") or method(each) == "cuda" for each in tried
        )
        if gpu and not raises:
            yield Hit(node)


@rule(
    "GPK412",
    "two-libraries",
    "torch's objects and gpukit's do not mix: with import gpukit as torch, import nn, optim and the "  # noqa: E501
    "rest from gpukit too",
    bad="import gpukit as torch\nfrom torch import nn\n",
    good="import gpukit as torch\nfrom gpukit import nn\n",
    fixable=True,
)
def _libraries(program: Program) -> Iterator[Hit]:
    from gpukit.lint.findings import replace

    aliased = [
        alias
        for node in program.of(ast.Import)
        for alias in node.names
        if alias.name == "gpukit" and alias.asname == "torch"
    ]
    for node in program.of(ast.ImportFrom) if aliased else ():
        module = node.module or ""
        if module.split(".")[0] == "torch" and node.level == 0:
            fixed = ast.ImportFrom("gpukit" + module[5:], node.names, 0)
            yield Hit(node, edit=replace(node, ast.unparse(fixed)))
