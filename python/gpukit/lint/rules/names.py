"""Rules on names: mistyped torch attributes, device strings, helpers, and unknown names."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from functools import lru_cache

from gpukit.lint.findings import Hit, replace, rule
from gpukit.lint.known import CUDA, TOP
from gpukit.lint.nodes import bound_in
from gpukit.lint.program import Program

_T = "import torch\n"
_DEVICES = frozenset({"cuda", "cpu", "mps", "xpu", "meta"})
_COMMON = frozenset(
    [
        "device",
        "cuda",
        "tensor",
        "Tensor",
        "zeros",
        "ones",
        "rand",
        "randn",
        "float32",
        "save",
        "load",
    ]
)
_JOINED = re.compile(r"([A-Za-z]+)[ _-]?(\d+)")
_HELPERS = frozenset({"try_gpu", "try_all_gpus", "try_gpus"})


@lru_cache(maxsize=4096)
def _near(word: str, known: frozenset[str]) -> str:
    """The known name that a word is a slip of, or ""."""
    if word in known or word.startswith("_") or len(word) < 3:
        return ""
    slips = [each for each in sorted(known) if len(each) > 2 and _one_edit_apart(word, each)]
    return min(slips, key=lambda each: (each not in _COMMON, each[0] != word[0], each), default="")


def _one_edit_apart(word: str, known: str) -> bool:
    """One letter more, less or other, or two letters exchanged."""
    if sorted(word) == sorted(known):
        return True
    if abs(len(word) - len(known)) > 1:
        return False
    head = 0
    while head < min(len(word), len(known)) and word[head] == known[head]:
        head += 1
    tail = 0
    while tail < min(len(word), len(known)) - head and word[-1 - tail] == known[-1 - tail]:
        tail += 1
    return max(len(word), len(known)) - head - tail <= 1


@lru_cache(maxsize=2)
def _own(head: str) -> frozenset[str]:
    """Gpukit's names and torch's; names that only torch has raise when the program runs."""
    import gpukit

    return TOP | set(dir(gpukit)) if head == "torch" else CUDA | set(dir(gpukit.cuda))


def _parts_of(device: str) -> tuple[str, str, str]:
    """Kind, colon and index of a device, as it is meant: cuda0, "cuda: 0", "cuda:O", CUDA."""
    kind, colon, index = (part.strip() for part in device.partition(":"))
    if joined := _JOINED.fullmatch(kind):
        kind, colon, index = joined[1], ":", joined[2]
    if kind.isupper():
        kind = kind.lower()
    return kind, colon, "0" if index in {"O", "o"} else index


@rule(
    "GPK109",
    "mistyped-device",
    "no such device type",
    bad=_T + "d = torch.device('cude:0')\n",
    good=_T + "d = torch.device('cuda:0')\n",
    fixable=True,
)
def _device(program: Program) -> Iterator[Hit]:
    for word in program.device_words():
        kind, colon, index = _parts_of(str(word.value))
        exact = kind.lower() in _DEVICES and f"{kind}{colon}{index}" != word.value
        near = kind.lower() if exact else _near(kind, _DEVICES)
        if near and kind.isalpha() and kind != "gpu":  # which GPK112 knows
            fixed = repr(f"{near}{colon}{index}")
            yield Hit(word, f"did you mean {fixed}?", replace(word, fixed))


@rule(
    "GPK110",
    "mistyped-torch-name",
    "torch has no such name",
    bad=_T + "d = torch.decive('cpu')\n",
    good=_T + "d = torch.device('cpu')\n",
    fixable=True,
)
def _attribute(program: Program) -> Iterator[Hit]:
    for node in program.of(ast.Attribute):
        path = program.path(node)
        head, _, tail = path.rpartition(".")
        if head not in {"torch", "torch.cuda"} or not isinstance(node.ctx, ast.Load):
            continue
        known = _own(head) if program.from_gpukit(node) else TOP if head == "torch" else CUDA
        if len(tail) > 3 and (near := _near(tail, known)):
            text = f"{ast.unparse(node.value)}.{near}"
            yield Hit(node, f"did you mean {head}.{near}?", replace(node, text))


@rule(
    "GPK111",
    "mistyped-helper",
    "the helper's name is mistyped, and readers will call the right one",
    bad=_T + "def try_all_gups():\n    return [torch.device('cpu')]\n",
    good=_T + "def try_all_gpus():\n    return [torch.device('cpu')]\n",
)
def _helper(program: Program) -> Iterator[Hit]:
    for function in program.of(ast.FunctionDef):
        if near := _near(function.name, _HELPERS):
            yield Hit(function, f"did you mean {near}?")


@rule(
    "GPK408",
    "unknown-name",
    "nothing in this file binds the name, so the line ends in a NameError: compute it first",
    bad=_T + "print(speedup)\n",
    good=_T + "speedup = 2\nprint(speedup)\n",
)
def _unknown(program: Program) -> Iterator[Hit]:
    if not program.uses_torch or _open(program):
        return
    bound = set(dir(builtins)) | set(program.modules) | bound_in(program.tree)
    bound |= {"__file__", "__name__", "__doc__", "get_ipython", "display", "In", "Out", "exit", "_"}
    bound |= {"__path__", "__all__", "__builtins__", "__spec__", "__class__", "__annotations__"}
    for node in program.nodes:
        bound |= _bound_by(node)
    told: set[str] = set()
    for name in program.of(ast.Name):
        if isinstance(name.ctx, ast.Load) and name.id not in bound and name.id not in told:
            told.add(name.id)
            yield Hit(name, name.id)


def _bound_by(node: ast.AST) -> set[str]:
    """Names that a node binds as plain strings: functions, classes, arguments, patterns, types."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return set(node.names)
    if isinstance(node, ast.arg):
        return {node.arg}
    # A function, class, handler, pattern or type parameter has a name, a mapping's pattern a rest.
    return {
        str(each) for each in (getattr(node, "name", None), getattr(node, "rest", None)) if each
    }


def _open(program: Program) -> bool:
    """Names may come from elsewhere: a star import, %run, exec, or lines kept from a shell."""
    if any(alias.name == "*" for node in program.of(ast.ImportFrom) for alias in node.names):
        return True
    if program.named("exec", "globals", "locals"):
        return True
    words = {
        line.text.lstrip("%").split(" ")[0] for line in program.source.shell if line.kind == "%"
    }
    return bool(words & {"run", "load", "pylab", "store", "load_ext", "cython", "bash"})
