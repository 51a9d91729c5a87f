"""Timed regions: what runs between a clock's start and the reading that is subtracted from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gpukit.lint.nodes import LOOPS, bare, method, names_in, owner, position, receiver
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


def clock_name(program: Program, statement: ast.stmt) -> str:
    """The name that a statement binds to a reading of a clock, or ""."""
    if not isinstance(statement, ast.Assign) or not _clock(program, statement.value):
        return ""
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def regions(program: Program) -> list[Region]:
    """Every timed region of a file, in the order of the text."""
    found: list[Region] = []
    for call in program.calls(*CLOCKS):
        start = program.parents[call]
        name = clock_name(program, start) if isinstance(start, ast.stmt) else ""
        if not name or not isinstance(start, ast.stmt) or not _subtracted(program, name, start):
            continue
        body: list[ast.stmt] = []
        for later in program.following(start):
            if program.among(program.calls(*CLOCKS), later):
                if not isinstance(later, LOOPS):
                    found.append(Region(start, body, later, name))
                break
            body.append(later)
    return found


def _subtracted(program: Program, name: str, start: ast.stmt) -> bool:
    """`... - name` appears somewhere after `start`: `name` is a start time, not an end time."""
    return program.once(_last_subtractions).get(name, (0, 0)) > position(start)


def _last_subtractions(program: Program) -> dict[str, tuple[int, int]]:
    """Name -> where it is last subtracted."""
    subtractions = (node for node in program.of(ast.BinOp) if isinstance(node.op, ast.Sub))
    return {name: position(node) for node in subtractions for name in names_in(node.right)}


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
    if value.kind == "module" or bare(node) in program.once(_models):
        return value.on_gpu or any(v.on_gpu for v in program.tensors(node.args))
    of = receiver(node)
    return method(node) in HEAVY and of is not None and _gpu_tensor(program, of)


def _models(program: Program) -> set[str]:
    """Names of what is used as a model: of `x.parameters()`, `x.eval()`, `x = f().eval()`."""
    used = program.methods("parameters", "eval", "train", "state_dict", "named_parameters")
    found = {owner(call) for call in used}
    for call in program.methods("eval", "train"):
        bound = program.parents.get(call)
        if isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Name):
            found.add(bound.targets[0].id)
    return found - {""}


def _gpu_tensor(program: Program, node: ast.AST) -> bool:
    value = program.value(node)
    return value.kind == "tensor" and value.on_gpu


def waits(program: Program, region: Region) -> list[ast.Call]:
    """The calls of a region that wait for the GPU."""
    return program.among(program.once(all_waits), [*region.body, region.end])


def all_waits(program: Program) -> list[ast.Call]:
    """The calls of a file that wait for the GPU, in the order of the text."""
    return [call for call in program.all_calls if is_wait(program, call)]


def is_wait(program: Program, node: ast.AST) -> bool:
    """A synchronize, or a copy of a result to the host, which waits for it."""
    if not isinstance(node, ast.Call):
        return False
    path = program.called(node)
    if "synchronize" in path or method(node) in _WAITS:
        return True
    if "sync" in bare(node) or bare(node) == "float":
        return True
    if bare(node) == "print":
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
