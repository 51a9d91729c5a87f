"""Rules on timing: GPU work is asynchronous, and the first call pays for what is set up once."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.nodes import bare, grouped, is_true, keyword, method, owner, position, receiver
from gpukit.lint.program import Program
from gpukit.lint.regions import (
    CLOCKS,
    Region,
    all_waits,
    clock_name,
    gpu_work,
    is_copy_to_host,
    is_gpu_work,
    is_wait,
    regions,
    waits,
)
from gpukit.lint.text import T

_SETUP = """\
import time
import torch
x = torch.rand(1000, 1000, device="cuda")
y = x @ x
"""


@rule(
    "GPK001",
    "unsynchronized-timing",
    "the clock stops before the GPU has finished: call synchronize() before each reading of the "
    "clock, or use gpukit.bench",
    bad=_SETUP + "start = time.time()\ny = x @ x\nprint(time.time() - start)\n",
    good=_SETUP
    + "torch.cuda.synchronize()\nstart = time.time()\ny = x @ x\n"
    + "torch.cuda.synchronize()\nprint(time.time() - start)\n",
)
def _unsynchronized(program: Program) -> Iterator[Hit]:
    for region in program.once(regions):
        work = gpu_work(program, region)
        if not work:
            continue
        last = max(position(node) for node in work)
        if not any(_covers(program, node, last) for node in waits(program, region)):
            yield Hit(region.end)


def _covers(program: Program, wait: ast.AST, last: tuple[int, int]) -> bool:
    """A wait after the last work, or around it as in `(x @ x).cpu()`."""
    end = getattr(wait, "end_lineno", 0), getattr(wait, "end_col_offset", 0)
    return position(wait) >= last or end >= last or bool(program.loop(wait))


@rule(
    "GPK002",
    "timed-first-call",
    "the first call also loads kernels and libraries: run the work once before the clock starts",
    bad=_SETUP.replace("y = x @ x\n", "")
    + "start = time.time()\ny = x @ x\ntorch.cuda.synchronize()\nprint(time.time() - start)\n",
    good=_SETUP
    + "torch.cuda.synchronize()\nstart = time.time()\ny = x @ x\ntorch.cuda.synchronize()\n"
    + "print(time.time() - start)\n",
)
def _first_call(program: Program) -> Iterator[Hit]:
    seen: set[ast.AST] = set()
    for region in program.once(regions):
        scope = program.scope(region.start)
        if scope in seen or program.loop(region.start) is not None:
            continue
        work = gpu_work(program, region)
        if not work or any(program.loop(node) is not None for node in work):
            continue
        seen.add(scope)
        if not program.among(program.once(_warm_ups), scope, before=region.start):
            yield Hit(work[0])


def _warm_ups(program: Program) -> list[ast.expr]:
    """Work of a GPU, and calls of functions of this file, which may do it."""
    own = {each.name for each in program.functions}
    return [
        node
        for node in program.of(ast.BinOp, ast.Call)
        if bare(node) in own or is_gpu_work(program, node)
    ]


@rule(
    "GPK003",
    "start-time-reused",
    "this difference also counts the work before it: read the clock again where the second "
    "measurement starts",
    bad="import time\nimport torch\nx = torch.rand(9, 9)\nstart = time.time()\ny = x @ x\n"
    "end = time.time()\nprint(end - start)\ny = x @ x @ x\nend = time.time()\nprint(end - start)\n",
    good="import time\nimport torch\nx = torch.rand(9, 9)\nstart = time.time()\ny = x @ x\n"
    "end = time.time()\nprint(end - start)\nstart = time.time()\ny = x @ x @ x\n"
    "end = time.time()\nprint(end - start)\n",
)
def _start_reused(program: Program) -> Iterator[Hit]:
    for region in program.once(regions) if program.uses_torch else ():
        end, block = clock_name(program, region.end), program.block(region.start)
        printed = _next(program, program.once(_differences).get((end, region.name)), region.end)
        again = _next(program, _readings(program, block, end), printed)
        start = _next(program, _readings(program, block, region.name), region.end)
        if again and (start is None or position(again) < position(start)):
            line = program.source.location(region.start.lineno)[1]
            yield Hit(again, f"{region.name} is from line {line}")


def _next(program: Program, nodes: list[T] | None, after: ast.AST | None) -> T | None:
    """The first of the nodes after a node."""
    later = program.among(nodes, program.tree, after=after) if nodes and after else []
    return later[0] if later else None


def _readings(program: Program, block: list[ast.stmt], name: str) -> list[ast.Assign]:
    """The statements of a block that bind a name to a reading of a clock."""
    return program.once(_clock_readings).get((id(block), name), []) if name else []


def _clock_readings(program: Program) -> dict[tuple[int, str], list[ast.Assign]]:
    return grouped(
        ((id(program.block(each)), name), each)
        for each in program.of(ast.Assign)
        if (name := clock_name(program, each))
    )


def _differences(program: Program) -> dict[tuple[str, str], list[ast.BinOp]]:
    """(end, start) -> the position of `end - start`."""
    return grouped(
        ((node.left.id, node.right.id), node)
        for node in program.of(ast.BinOp)
        if isinstance(node.op, ast.Sub)
        and isinstance(node.left, ast.Name)
        and isinstance(node.right, ast.Name)
    )


@rule(
    "GPK004",
    "copy-in-timed-region",
    "the time of the GPU's work includes the copy to the host: time the two apart, with "
    "synchronize() between them",
    bad=_SETUP + "start = time.time()\ny = x @ x\ntorch.cuda.synchronize()\nz = y.cpu()\n"
    "print(time.time() - start)\n",
    good=_SETUP + "start = time.time()\ny = x @ x\ntorch.cuda.synchronize()\n"
    "print(time.time() - start)\nz = y.cpu()\n",
)
def _copy_timed(program: Program) -> Iterator[Hit]:
    for region in program.once(regions):
        if not gpu_work(program, region) or any(map(_trains, region.nodes())):
            continue
        copies = [node for node in region.nodes() if is_copy_to_host(program, node)]
        if copies:
            yield Hit(copies[0])


def _trains(node: ast.AST) -> bool:
    return method(node) == "backward"


@rule(
    "GPK005",
    "print-in-timed-loop",
    "printing a GPU tensor waits for it and copies it: keep results on the GPU while the clock "
    "runs and print after it",
    bad=_SETUP + "start = time.time()\nfor _ in range(9):\n    print(x @ x)\n"
    "print(time.time() - start)\n",
    good=_SETUP + "start = time.time()\nfor _ in range(9):\n    y = x @ x\n"
    "torch.cuda.synchronize()\nprint(time.time() - start)\nprint(y)\n",
)
def _print_timed(program: Program) -> Iterator[Hit]:
    for region in program.once(regions):
        for node in region.nodes():
            printed = node.args if isinstance(node, ast.Call) and bare(node) == "print" else []
            shown = any(value.on_gpu for value in program.tensors(printed))
            if shown and program.loop(node) is not None:
                yield Hit(node)


@rule(
    "GPK006",
    "removed-clock",
    "time.clock() left Python in 3.8: use time.perf_counter()",
    bad="import time\nimport torch\nstart = time.clock()\n",
    good="import time\nimport torch\nstart = time.perf_counter()\n",
    fixable=True,
)
def _time_clock(program: Program) -> Iterator[Hit]:
    for call in program.calls("time.clock"):
        of = owner(call)
        yield Hit(call, edit=replace(call.func, f"{of}.perf_counter") if of else None)


@rule(
    "GPK007",
    "benchmark-of-zeros",
    "zeros and uninitialized memory draw less power and may be skipped or denormal: time random "
    "values, as torch.rand gives",
    bad=_SETUP.replace("rand", "zeros") + "start = time.time()\ny = x @ x\n"
    "torch.cuda.synchronize()\nprint(time.time() - start)\n",
    good=_SETUP + "start = time.time()\ny = x @ x\ntorch.cuda.synchronize()\n"
    "print(time.time() - start)\n",
)
def _zeros(program: Program) -> Iterator[Hit]:
    for region in program.once(regions):
        for node in gpu_work(program, region):
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else _args(node)
            if any(v.origin in {"zeros", "empty"} for v in program.tensors(parts)):
                yield Hit(node)
                break


def _args(node: ast.AST) -> list[ast.expr]:
    return list(node.args) if isinstance(node, ast.Call) else []


@rule(
    "GPK008",
    "unequal-experiments",
    "the two timed loops do different work: make the timed statements equal but for what is "
    "compared",
    bad=_SETUP + "start = time.time()\nfor _ in range(9):\n    y = torch.mm(x, x.t())\n"
    "torch.cuda.synchronize()\na = time.time() - start\nstart = time.time()\n"
    "for _ in range(9):\n    y = torch.mm(x, x)\ntorch.cuda.synchronize()\n"
    "b = time.time() - start\n",
    good=_SETUP + "start = time.time()\nfor _ in range(9):\n    y = torch.mm(x, x)\n"
    "torch.cuda.synchronize()\na = time.time() - start\nstart = time.time()\n"
    "for _ in range(9):\n    y = torch.mm(x, x)\n    n = torch.norm(y)\ntorch.cuda.synchronize()\n"
    "b = time.time() - start\n",
)
def _unequal(program: Program) -> Iterator[Hit]:
    found = [(region, _loop_work(region)) for region in program.once(regions)]
    for (one, before), (two, after) in itertools.pairwise(found):  # noqa: B905, RUF100
        if program.scope(one.start) is not program.scope(two.start):
            continue
        for key, value in after.items():
            other = before.get(key)
            if other is not None and _differ_in_transposes(other, value):
                yield Hit(value)


def _differ_in_transposes(one: ast.expr, two: ast.expr) -> bool:
    if _transposed(one) == _transposed(two):
        return False
    return ast.dump(_untransposed(one)) == ast.dump(_untransposed(two))


def _loop_work(region: Region) -> dict[tuple[str, str], ast.expr]:
    """(what is looped over, name) -> the expression that the timed loop binds it to."""
    return {
        (ast.dump(loop.iter), statement.targets[0].id): statement.value
        for loop in region.body
        if isinstance(loop, ast.For)
        for statement in loop.body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }


def _transposed(node: ast.expr) -> int:
    return sum(method(each) == "t" or getattr(each, "attr", "") == "T" for each in ast.walk(node))


class _Untranspose(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        of = receiver(node)
        return of if method(node) == "t" and of is not None else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return node.value if node.attr == "T" else node


def _untransposed(node: ast.expr) -> ast.AST:
    copy = ast.parse(ast.unparse(node), mode="eval").body
    result: ast.AST = _Untranspose().visit(copy)
    return result


@rule(
    "GPK009",
    "event-read-too-early",
    "elapsed_time() needs both events to have happened: call end.synchronize() first",
    bad="import torch\na = torch.cuda.Event(enable_timing=True)\n"
    "b = torch.cuda.Event(enable_timing=True)\na.record()\nb.record()\nprint(a.elapsed_time(b))\n",
    good="import torch\na = torch.cuda.Event(enable_timing=True)\n"
    "b = torch.cuda.Event(enable_timing=True)\na.record()\nb.record()\nb.synchronize()\n"
    "print(a.elapsed_time(b))\n",
)
def _event_early(program: Program) -> Iterator[Hit]:
    for call, _, value in program.received("elapsed_time"):
        if value.kind != "event":
            continue
        end = {each.id for each in call.args if isinstance(each, ast.Name)}
        inside = program.scope(call)
        records = program.among(program.methods("record"), inside, before=call)
        last = next((each for each in reversed(records) if owner(each) in end), None)
        if not program.among(program.once(all_waits), inside, after=last, before=call):
            yield Hit(call)


@rule(
    "GPK010",
    "event-without-timing",
    "elapsed_time() needs events made with enable_timing=True",
    bad="import torch\na = torch.cuda.Event()\nb = torch.cuda.Event()\nb.synchronize()\n"
    "print(a.elapsed_time(b))\n",
    good="import torch\na = torch.cuda.Event(enable_timing=True)\n"
    "b = torch.cuda.Event(enable_timing=True)\nb.synchronize()\nprint(a.elapsed_time(b))\n",
)
def _event_untimed(program: Program) -> Iterator[Hit]:
    for call in program.methods("elapsed_time"):
        of = receiver(call)
        made = program.binding(of) if isinstance(of, ast.Name) else None
        if not isinstance(made, ast.Call) or program.called(made) != "torch.cuda.Event":
            continue
        if not made.args and not is_true(keyword(made, "enable_timing")):
            yield Hit(call)


@rule(
    "GPK011",
    "misleading-default-size",
    "no call uses this default, so a reader takes it for the measured size: remove it or use it",
    bad="import time\nimport torch\ndef bench(size=5000):\n    x = torch.rand(size, size)\n"
    "    start = time.time()\n    y = x @ x\n    return time.time() - start\nbench(size=2000)\n"
    "bench(size=2000)\n",
    good="import time\nimport torch\ndef bench(size):\n    x = torch.rand(size, size)\n"
    "    start = time.time()\n    y = x @ x\n    return time.time() - start\nbench(size=2000)\n",
)
def _default(program: Program) -> Iterator[Hit]:
    timed = {program.scope(region.start) for region in program.once(regions)}
    for function in program.of(ast.FunctionDef):
        if function not in timed or not program.uses_torch:
            continue
        calls = program.named(function.name)
        for name, default in _defaults(function) if len(calls) > 1 else ():
            given = [keyword(call, name) for call in calls]
            numbers = {each.value for each in given if isinstance(each, ast.Constant)}
            plain = all(isinstance(each, ast.Constant) for each in given)
            if plain and len(numbers) == 1 and default.value not in numbers:
                said = f"{name}={default.value!r}, and every call says {numbers.pop()!r}"
                yield Hit(default, said)


def _defaults(function: ast.FunctionDef) -> Iterator[tuple[str, ast.Constant]]:
    names = function.args.args[len(function.args.args) - len(function.args.defaults) :]
    for name, default in zip(names, function.args.defaults, strict=True):
        if isinstance(default, ast.Constant) and type(default.value) is int:
            yield name.arg, default


@rule(
    "GPK012",
    "compared-dtypes",
    "the two results have different dtypes, so their difference says nothing of the devices: "
    "compute both in one dtype",
    bad='import torch\na = torch.rand(9, 9)\nb = a.to("cuda").half()\n'
    "print(torch.allclose(a, b.cpu()))\n",
    good='import torch\na = torch.rand(9, 9)\nb = a.to("cuda")\n'
    "print(torch.allclose(a, b.cpu()))\n",
)
def _dtypes(program: Program) -> Iterator[Hit]:
    names = ("torch.allclose", "torch.isclose", "torch.equal", "torch.testing.assert_close")
    for call in program.calls(*names):
        dtypes = {value.dtype for value in program.tensors(call.args[:2])}
        if len(dtypes) == 2 and None not in dtypes:
            yield Hit(call, " and ".join(sorted(str(each) for each in dtypes)))


@rule(
    "GPK013",
    "synchronize-each-step",
    "synchronize() at each step keeps the GPU waiting for Python: remove it, or keep it for timing",
    bad="import torch\ndef train(model, data, opt):\n    for x, y in data:\n"
    "        opt.zero_grad()\n        model(x).sum().backward()\n        opt.step()\n"
    "        torch.cuda.synchronize()\n",
    good="import torch\ndef train(model, data, opt):\n    for x, y in data:\n"
    "        opt.zero_grad()\n        model(x).sum().backward()\n        opt.step()\n"
    "    torch.cuda.synchronize()\n",
)
def _synchronize_step(program: Program) -> Iterator[Hit]:
    timed = [*program.calls(*CLOCKS), *program.methods("record")]
    for call in program.calls("torch.cuda.synchronize", "torch.synchronize"):
        loop = program.each_step(call)
        if loop is None or not program.among(program.methods("backward"), loop):
            continue
        if not any(program.contains(loop, each) for each in timed):
            yield Hit(call)


@rule(
    "GPK014",
    "timeit-unsynchronized",
    "timeit stops before the GPU has finished: put synchronize() into the timed statement, or use "
    "gpukit.bench or %gpubench",
    bad=_SETUP + "import timeit\nprint(timeit.timeit(lambda: x @ x, number=9))\n",
    good=_SETUP + "import timeit\n"
    "print(timeit.timeit(lambda: (x @ x, torch.cuda.synchronize()), number=9))\n",
)
def _timeit(program: Program) -> Iterator[Hit]:
    for call in program.calls("timeit.timeit", "timeit.repeat"):
        work = call.args[0] if call.args else keyword(call, "stmt")
        nodes = list(ast.walk(work)) if isinstance(work, ast.Lambda) else []
        works = any(is_gpu_work(program, node) for node in nodes)
        if works and not any(is_wait(program, node) for node in nodes):
            yield Hit(call)
    for line in program.source.shell:
        words = line.text.replace("(", " ").replace(")", " ").replace(",", " ").split()
        timed = line.kind == "%" and words[:1] and words[0].lstrip("%") in {"timeit", "time"}
        waits = "synchronize" in line.text
        if timed and not waits and program.once(_gpu_names).intersection(words[1:]):
            yield Hit(line.line)


def _gpu_names(program: Program) -> set[str]:
    """Names that hold a tensor of a GPU somewhere."""
    return {
        name
        for (_, name), bound in program.bindings.items()
        if any(value.on_gpu for value in program.tensors(each for _, each in bound if each))
    }
