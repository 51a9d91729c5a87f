"""Timed regions: what runs between a clock's start and the reading that is subtracted from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gpukit.lint.nodes import LOOPS, method, position, receiver
from gpukit.lint.program import Program
from gpukit.lint.vocabulary import HEAVY

CLOCKS = frozenset(
    {
        "time.time",
        "time.perf_counter",
        "time.monotonic",
        "time.time_ns",
        "time.perf_counter_ns",
        "time.process_time",
        "timeit.default_timer",
        "time.clock",
    }
)
_WAITS = frozenset({"item", "cpu", "numpy", "tolist", "synchronize"})


@dataclass(frozen=True)
class Region:
    """The statements between two readings of a clock, and the statement of the second."""

    start: ast.stmt
    body: list[ast.stmt]
    end: ast.stmt
    name: str

    def nodes(self) -> Iterator[ast.AST]:
        """All nodes of the statements that are timed."""
        for statement in self.body:
            yield from ast.walk(statement)


def _clock(program: Program, node: ast.AST) -> bool:
    return program.called(node) in CLOCKS


def _starts(program: Program, statement: ast.stmt) -> str:
    """The name that a statement binds to a reading of a clock, or ""."""
    if not isinstance(statement, ast.Assign) or not _clock(program, statement.value):
        return ""
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def regions(program: Program) -> list[Region]:
    """Every timed region of a file, in the order of the text."""
    found: list[Region] = []
    for call in program.all_calls:
        statement = program.parents.get(call)
        if not isinstance(statement, ast.stmt) or not (name := _starts(program, statement)):
            continue
        block = program.block(statement)
        first = next((i for i, each in enumerate(block) if each is statement), -1)
        if first < 0 or not _subtracted(program, name, statement):
            continue
        body: list[ast.stmt] = []
        for later in block[first + 1 :]:
            if any(_clock(program, node) for node in ast.walk(later)):
                if not isinstance(later, LOOPS):
                    found.append(Region(statement, body, later, name))
                break
            body.append(later)
    return found


def _subtracted(program: Program, name: str, start: ast.stmt) -> bool:
    """Somewhere after `start`, `... - name` stands: `name` is a start, not an end."""
    return any(
        isinstance(node.op, ast.Sub)
        and any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node.right))
        and position(node) > position(start)
        for node in program.of(ast.BinOp)
    )


def gpu_work(program: Program, region: Region) -> list[ast.AST]:
    """The operations of a region that a GPU runs, in the order of the text."""
    return sorted((node for node in region.nodes() if is_gpu_work(program, node)), key=position)


def is_gpu_work(program: Program, node: ast.AST) -> bool:
    """An operation on a tensor of a GPU, or a model on a GPU that is applied."""
    if isinstance(node, ast.BinOp):
        return any(v.on_gpu for v in program.tensors((node.left, node.right)))
    if not isinstance(node, ast.Call):
        return False
    path = program.called(node)
    if path.startswith("torch.") and path.rpartition(".")[2] in HEAVY:
        return any(value.on_gpu for value in program.tensors(node.args))
    value = program.value(node.func)
    if value.kind == "module":
        return value.on_gpu or any(v.on_gpu for v in program.tensors(node.args))
    of = receiver(node)
    return method(node) in HEAVY and of is not None and _gpu_tensor(program, of)


def _gpu_tensor(program: Program, node: ast.AST) -> bool:
    value = program.value(node)
    return value.kind == "tensor" and value.on_gpu


def waits(program: Program, region: Region) -> list[ast.AST]:
    """The calls of a region that wait for the GPU."""
    found: list[ast.AST] = []
    for statement in [*region.body, region.end]:
        found += [node for node in ast.walk(statement) if is_wait(program, node)]
    return found


def is_wait(program: Program, node: ast.AST) -> bool:
    """A synchronize, or a copy of a result to the host, which waits for it."""
    if not isinstance(node, ast.Call):
        return False
    path = program.called(node)
    if "synchronize" in path or method(node) in _WAITS:
        return True
    if isinstance(node.func, ast.Name) and ("sync" in node.func.id or node.func.id == "float"):
        return True
    if isinstance(node.func, ast.Name) and node.func.id == "print":
        return any(_gpu_tensor(program, arg) for arg in node.args)
    return is_copy_to_host(program, node)


def is_copy_to_host(program: Program, node: ast.AST) -> bool:
    """`x.cpu()`, `x.numpy()` or `x.to("cpu")`."""
    if not isinstance(node, ast.Call) or method(node) not in {"cpu", "numpy", "to", "tolist"}:
        return False
    if method(node) == "to":
        return any(isinstance(arg, ast.Constant) and arg.value == "cpu" for arg in node.args)
    of = receiver(node)
    return of is not None and program.value(of).kind != "module"
