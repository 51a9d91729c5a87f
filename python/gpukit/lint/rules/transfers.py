"""Rules on copies between devices: the hidden ones, the repeated ones, and those that wait."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.nodes import (
    LOOPS,
    bare,
    bound_in,
    grouped,
    is_true,
    keyword,
    method,
    names_in,
    owner,
    position,
    receiver,
    same,
)
from gpukit.lint.program import Program
from gpukit.lint.regions import regions

_T = "import torch\n"
_TRAIN = _T + (
    'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    "model = torch.nn.Linear(2, 1).to(device)\nloss_fn = torch.nn.MSELoss()\n"
    "opt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    "def train(data):\n    total = 0.0\n    for x, y in data:\n        opt.zero_grad()\n"
    "        loss = loss_fn(model(x), y)\n        loss.backward()\n        opt.step()\n"
)


def _backward_loop(program: Program, node: ast.AST) -> bool:
    """At each step of the innermost loop, which trains."""
    loop = program.each_step(node)
    return loop is not None and any(
        program.loop(call) is loop for call in program.among(program.methods("backward"), loop)
    )


def _uses_gpu(program: Program) -> bool:
    """The text names a GPU or moves something to a device."""
    return bool(program.methods("cuda", "to")) or "cuda" in program.source.text


@rule(
    "GPK201",
    "copy-in-loop",
    "the same tensor is copied to the device at each step: copy it once, before the loop",
    bad=_T + 'x = torch.rand(9)\nfor i in range(9):\n    y = x.to("cuda") + i\n',
    good=_T + 'x = torch.rand(9)\nx = x.to("cuda")\nfor i in range(9):\n    y = x + i\n',
)
def _copy_in_loop(program: Program) -> Iterator[Hit]:
    for call in program.methods("to", "cuda"):
        of, loop = receiver(call), program.loop(call)
        if not isinstance(of, ast.Name) or loop is None or program.value(of).kind != "tensor":
            continue
        if method(call) == "to" and program.value(call).device is None:
            continue
        around = [each for each in (loop, *program.ancestors(loop)) if isinstance(each, LOOPS)]
        if of.id not in set().union(*map(bound_in, around)) and not _in_place(program, loop, of.id):
            yield Hit(call)


def _in_place(program: Program, loop: ast.AST, name: str) -> bool:
    """The loop changes the tensor itself."""
    calls = program.among(program.all_calls, loop)
    return any(method(call).endswith("_") and name in names_in(call.func) for call in calls)


@rule(
    "GPK202",
    "item-each-step",
    "reading a value at each step waits for the GPU: keep loss.detach() on the GPU and read it "
    "every few hundred steps, or use gpukit.DeviceLog",
    bad=_TRAIN + "        total += loss.item()\n",
    good=_TRAIN + "        total += loss.detach()\n    return total.item()\n",
)
def _item(program: Program) -> Iterator[Hit]:
    if not _uses_gpu(program):
        return
    for call in program.all_calls:
        of = receiver(call)
        if method(call) in {"item", "cpu", "tolist"} and not call.args:
            pass
        elif bare(call) == "float" and call.args:
            of = call.args[0]
        else:
            continue
        value = program.value(of)
        read = value.kind == "tensor" and (value.on_gpu or value.origin == "loss")
        trains = (read or _derived(program, of)) and _backward_loop(program, call)
        if trains or (read and value.on_gpu and _gathered(program, call)):
            yield Hit(call)


def _gathered(program: Program, call: ast.Call) -> bool:
    """A counted loop adds or appends the number at each step, and decides nothing by it."""
    loop, parent = program.each_step(call), program.parents.get(call)
    counted = isinstance(loop, ast.For) and bare(loop.iter) in {"range", "trange"}
    kept = isinstance(parent, ast.AugAssign) or method(parent or call) == "append"
    return counted and kept and id(call) not in program.once(_timed)


def _timed(program: Program) -> set[int]:
    """The nodes of all timed regions."""
    return {id(node) for region in program.once(regions) for node in region.nodes()}


def _derived(program: Program, node: ast.AST | None) -> bool:
    """A name whose backward() the same loop calls, so a loss, whatever made it."""
    loop = program.loop(node) if isinstance(node, ast.Name) else None
    if loop is None or not isinstance(node, ast.Name):
        return False
    return any(owner(call) == node.id for call in program.among(program.methods("backward"), loop))


@rule(
    "GPK203",
    "print-each-step",
    "printing a tensor at each step waits for the GPU and copies: print every few hundred steps",
    bad=_TRAIN + "        print(loss)\n",
    good=_TRAIN + "        total += 1\n        if total % 100 == 0:\n            print(loss)\n",
)
def _print(program: Program) -> Iterator[Hit]:
    if not _uses_gpu(program):
        return
    for call in program.named("print"):
        if id(call) in program.once(_timed):
            continue
        parts = [
            p for arg in call.args for p in ([arg, *ast.walk(arg)] if _formatted(arg) else [arg])
        ]
        names = [part for part in parts if isinstance(part, ast.Name)]
        known = any(v.on_gpu or v.origin == "loss" for v in program.tensors(names))
        known = known or any(_derived(program, name) for name in names)
        if known and _backward_loop(program, call):
            yield Hit(call)


def _formatted(node: ast.AST) -> bool:
    """An f-string of bare names: `f"{loss}"`, not `f"{loss.item()}"`."""
    return isinstance(node, ast.JoinedStr) and not any(
        isinstance(each, (ast.Call, ast.Attribute)) for each in ast.walk(node)
    )


_LOADER = "from torch.utils.data import DataLoader\n"


@rule(
    "GPK204",
    "pinned-but-blocking",
    "pin_memory=True helps only if the copies do not block: write .to(device, non_blocking=True)",
    bad=_T + _LOADER + "def f(data):\n    for x in DataLoader(data, pin_memory=True):\n"
    '        x = x.to("cuda")\n',
    good=_T + _LOADER + "def f(data):\n    for x in DataLoader(data, pin_memory=True):\n"
    '        x = x.to("cuda", non_blocking=True)\n',
)
def _blocking(program: Program) -> Iterator[Hit]:
    pinned = [
        c for c in program.calls("torch.utils.data.DataLoader") if is_true(keyword(c, "pin_memory"))
    ]
    if not pinned or any(keyword(c, "non_blocking") is not None for c in program.all_calls):
        return
    for call in program.methods("to", "cuda"):
        loop = program.loop(call)
        named = receiver(call)
        data = isinstance(named, ast.Name) and isinstance(loop, ast.For)
        if data and isinstance(named, ast.Name) and named.id in bound_in(loop.target):  # type: ignore[union-attr]
            yield Hit(call)


@rule(
    "GPK205",
    "non-blocking-unpinned",
    "non_blocking=True does nothing from ordinary memory: give the DataLoader pin_memory=True",
    bad=_T + _LOADER + "def f(data):\n    for x in DataLoader(data):\n"
    '        x = x.to("cuda", non_blocking=True)\n',
    good=_T + _LOADER + "def f(data):\n    for x in DataLoader(data, pin_memory=True):\n"
    '        x = x.to("cuda", non_blocking=True)\n',
)
def _unpinned(program: Program) -> Iterator[Hit]:
    loaders = program.calls("torch.utils.data.DataLoader")
    words = [word.arg for call in loaders for word in call.keywords]
    if not loaders or "pin_memory" in words or None in words or "pin_memory" in program.source.text:
        return
    for call in program.methods("to", "cuda"):
        if is_true(keyword(call, "non_blocking")):
            yield Hit(call)


@rule(
    "GPK206",
    "numpy-of-gpu-tensor",
    "NumPy cannot read a GPU's memory: write x.cpu().numpy()",
    bad=_T + 'x = torch.rand(3, device="cuda")\nprint(x.numpy())\n',
    good=_T + 'x = torch.rand(3, device="cuda")\nprint(x.cpu().numpy())\n',
    fixable=True,
)
def _numpy(program: Program) -> Iterator[Hit]:
    for call in program.methods("numpy"):
        of = receiver(call)
        value = program.value(of)
        if of is not None and value.kind == "tensor" and value.on_gpu and not call.keywords:
            grad = ".detach()" if value.grad or value.leaf else ""
            yield Hit(call, edit=replace(call, f"{ast.unparse(of)}{grad}.cpu().numpy()"))


@rule(
    "GPK207",
    "tensor-of-tensor",
    "torch.tensor(x) of a tensor copies and warns: write x.detach().clone(), or torch.as_tensor(x)",
    bad=_T + "x = torch.rand(3)\ny = torch.tensor(x)\n",
    good=_T + "x = torch.rand(3)\ny = x.detach().clone()\n",
)
def _tensor_of_tensor(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.tensor"):
        if call.args and program.value(call.args[0]).kind == "tensor":
            yield Hit(call)


@rule(
    "GPK208",
    "numpy-mixed-with-gpu",
    "NumPy and a GPU tensor cannot be mixed: use torch's function, or copy to the host first with "
    ".cpu().numpy()",
    bad=_T + 'import numpy as np\nx = torch.rand(3, device="cuda")\ny = np.mean(x)\n',
    good=_T
    + 'import numpy as np\nx = torch.rand(3, device="cuda")\ny = np.mean(x.cpu().numpy())\n',
)
def _mixed(program: Program) -> Iterator[Hit]:
    for call in program.all_calls:
        if program.called(call).startswith("numpy.") and any(
            v.on_gpu for v in program.tensors(call.args)
        ):
            yield Hit(call)
    for node in program.of(ast.BinOp):
        sides = [program.value(node.left), program.value(node.right)]
        kinds = {value.kind for value in sides}
        if kinds == {"ndarray", "tensor"} and any(v.kind == "tensor" and v.on_gpu for v in sides):
            yield Hit(node)


@rule(
    "GPK209",
    "empty-cache-in-loop",
    "empty_cache() at each step makes each allocation slow again and frees nothing that is in use: "
    "remove it",
    bad=_T + "for i in range(9):\n    torch.cuda.empty_cache()\n",
    good=_T + "for i in range(9):\n    print(i)\ntorch.cuda.empty_cache()\n",
)
def _empty_cache(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.cuda.empty_cache"):
        if program.each_step(call) is not None:
            yield Hit(call)


@rule(
    "GPK210",
    "made-on-cpu-then-moved",
    "this makes the tensor on the CPU and copies it: make it there with device=",
    bad=_T + 'x = torch.ones(9, 9).to("cuda")\n',
    good=_T + 'x = torch.ones(9, 9, device="cuda")\n',
)
def _made_then_moved(program: Program) -> Iterator[Hit]:
    made = {
        f"torch.{name}"
        for name in ("rand", "randn", "zeros", "ones", "empty", "full", "eye", "arange")
    }
    for call in program.methods("to", "cuda"):
        of = receiver(call)
        if (
            program.called(of) in made
            and program.value(call).on_gpu
            and (
                isinstance(of, ast.Call)
                and keyword(of, "device") is None
                and keyword(of, "generator") is None
            )
        ):
            yield Hit(call)


@rule(
    "GPK211",
    "cat-in-loop",
    "each torch.cat copies all that was gathered before: append to a list and cat once after the "
    "loop",
    bad=_T + "x = torch.empty(0)\nfor i in range(9):\n    x = torch.cat([x, torch.rand(1)])\n",
    good=_T + "parts = []\nfor i in range(9):\n    parts.append(torch.rand(1))\n"
    "x = torch.cat(parts)\n",
)
def _cat(program: Program) -> Iterator[Hit]:
    for call in program.calls("torch.cat", "torch.vstack", "torch.hstack"):
        statement, loop = program.parents[call], program.loop(call)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name) or loop is None or not call.args:
            continue
        listed = call.args[0]
        gathered = listed.elts[:1] if isinstance(listed, (ast.List, ast.Tuple)) else []
        used = program.among(program.once(_mentions)[target.id], loop)
        # The loop may restart, or need what was gathered so far, as a decoder does.
        elsewhere = [name for name in used if not program.contains(call, name)]
        if elsewhere == [target] and any(same(each, target) for each in gathered):
            yield Hit(call)


def _mentions(program: Program) -> dict[str, list[ast.Name]]:
    """Name -> its position."""
    return grouped((name.id, name) for name in program.of(ast.Name))


@rule(
    "GPK212",
    "nvidia-smi-as-proof",
    "nvidia-smi shows the pool and the context of the process, not what tensors use: read "
    "torch.cuda.memory_allocated() or gpukit.memory()",
    bad=_T + 'x = torch.rand(9, device="cuda")\n# %%\n!nvidia-smi\n',
    good="!nvidia-smi\n# %%\n" + _T + 'x = torch.rand(9, device="cuda")\n',
)
def _smi(program: Program) -> Iterator[Hit]:
    used = [
        node.lineno
        for node in program.all_calls
        if program.value(node).kind == "tensor" and program.value(node).on_gpu
    ]
    first = min(used, default=0)
    for line in program.source.shell:
        asked = line.kind == "!" and line.text.split()[:1] == ["nvidia-smi"]
        other = any(word in line.text for word in ("-L", "topo", "-q", "utilization"))
        if asked and not other and 0 < first < line.line:
            yield Hit(line.line)
    for call in program.all_calls:
        path = program.called(call)
        if path.startswith("subprocess.") or path == "os.system":
            said = " ".join(str(n.value) for n in ast.walk(call) if isinstance(n, ast.Constant))
            if "nvidia-smi" in said and ("memory.used" in said or 0 < first < call.lineno):
                yield Hit(call)


@rule(
    "GPK213",
    "numpy-of-graph",
    "a result that carries a gradient has no .numpy(): write x.detach().cpu().numpy()",
    bad=_T + "model = torch.nn.Linear(2, 1)\ny = model(torch.rand(3, 2)).numpy()\n",
    good=_T + "model = torch.nn.Linear(2, 1)\ny = model(torch.rand(3, 2)).detach().numpy()\n",
)
def _numpy_graph(program: Program) -> Iterator[Hit]:
    for call in program.methods("numpy"):
        value = program.value(receiver(call))
        if (
            value.kind == "tensor"
            and value.grad
            and not value.on_gpu
            and not program.ungraded(call)
        ) and not keyword(call, "force"):
            yield Hit(call)


@rule(
    "GPK214",
    "loop-over-gpu-tensor",
    "a Python loop over a GPU tensor starts a kernel for each element: use one operation on the "
    "whole tensor, or .tolist() first",
    bad=_T + 'x = torch.rand(9, device="cuda")\nfor v in x:\n    print(v)\n',
    good=_T + 'x = torch.rand(9, device="cuda")\nfor v in x.tolist():\n    print(v)\n',
)
def _iterated(program: Program) -> Iterator[Hit]:
    for loop in program.of(ast.For):
        value = program.value(loop.iter)
        if value.kind == "tensor" and value.on_gpu and position(loop.iter) != (0, 0):
            yield Hit(loop.iter)
