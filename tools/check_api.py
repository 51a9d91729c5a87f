"""Check docs/api-agreement.md against the installed gpukit; exit code 1 and a line for each fault.

Every name without a mark must exist. Every name that exists must have a docstring, an example that
runs (members of classes other than Tensor: in their class's docstring), a place in the stubs, and
take the arguments that the page gives it. What is called must say under Args what each argument is,
and functions of tensors under Returns and Raises what they give and when they fail. Examples run
here without GPU unless they simulate one.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import importlib
import inspect
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api-agreement.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL

# Tensor functions that fail only by running out of memory, or for what is no tensor.
CANNOT_FAIL = """
    bfloat16 bool byte cdouble cfloat char clone conj conj_physical contiguous data_ptr detach
    dim double element_size float get_device get_float32_matmul_precision half int is_complex
    is_conj is_contiguous is_floating_point is_inference is_pinned is_shared long nelement numel
    ready real resolve_conj resolve_neg short storage_offset
""".split()  # noqa: SIM905

# What out= adds to the errors of a function of tensors.
OUT_RAISES = ("ShapeError", "DTypeError", "DeviceMismatchError", "AutogradError")

# Classes that functions give back, and that nobody makes.
HANDED_OUT = {
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "GPUStatCollection",
    "ProfilerAction",
    "ProfilerActivity",
    "ProcessGroup",
    "Simulation",
    "Tensor",
    "Work",
}

# Modules over packages of an extra; `.ci/run engines` has those.
NEEDS = {"gpukit.interop.dask": "dask"}

HEADING = re.compile(r"^## .*`(gpukit[\w.]*)`$")
NAME = re.compile(r"[A-Za-z_]\w*")
MARK = re.compile(r"\s\((M\d)\)")


@dataclass
class Entry:
    """One name of the page: `owner` is the class of a member, else empty."""

    module: str
    owner: str
    name: str
    signature: str | None
    mark: str | None

    @property
    def dotted(self) -> str:
        """As a reader would write it."""
        return ".".join(part for part in (self.module, self.owner, self.name) if part)


def closing(text: str, start: int) -> int:
    """The place behind the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place + 1
    raise ValueError(f"a bracket is open: {text}")


def names_of_line(line: str) -> Iterator[tuple[str, str | None, str | None]]:
    """(name, arguments or None, mark or None) of each name in a line."""
    place = 0
    while found := NAME.search(line, place):
        name, signature, mark = found.group(), None, None
        place = found.end()
        if place < len(line) and line[place] == "(":
            end = closing(line, place)
            signature, place = line[place + 1 : end - 1], end
        if marked := MARK.match(line, place):
            mark, place = marked.group(1), marked.end()
        yield name, signature, mark


def entries(text: str) -> Iterator[Entry]:
    """All names of the page."""
    module, owner, inside = "", "", False
    for line in text.splitlines():
        if line.startswith("## "):
            heading = HEADING.match(line)
            module = heading.group(1) if heading else ""
        elif line.startswith("```"):
            inside, owner = line == "```text" and bool(module), ""
        elif inside:
            if not line.startswith("  "):
                owner = ""
            is_class = line.startswith("class ")
            for name, signature, mark in names_of_line(line.removeprefix("class ")):
                yield Entry(module, owner, name, signature, mark)
                owner = name if is_class else owner


def resolve(entry: Entry) -> Any:
    """What the name stands for; AttributeError when there is nothing."""
    module = importlib.import_module(entry.module)
    if not entry.owner:
        return getattr(module, entry.name)
    owner = getattr(module, entry.owner)
    fields: dict[str, Any] = getattr(owner, "__dataclass_fields__", {})
    if entry.name in fields or entry.name in getattr(owner, "__annotations__", {}):
        return fields.get(entry.name)
    if not hasattr(owner, entry.name) and re.search(rf"\b{entry.name}\b", set_in_init(owner)):
        return None
    return getattr(owner, entry.name)


def set_in_init(owner: Any) -> str:
    """The attributes that a Python class sets on itself."""
    try:
        return " ".join(re.findall(r"self\.(\w+)\b[^=\n]* = ", inspect.getsource(owner)))
    except (OSError, TypeError):
        return ""


def arguments_of(signature: str) -> ast.arguments:
    """The arguments of a signature as text."""
    tree = ast.parse(f"def f({signature}): pass").body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree.args


def parameters(arguments: ast.arguments) -> dict[str, str | None]:
    """Name -> default as text, or None."""
    plain = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    pairs = list(zip(plain, [*missing, *arguments.defaults], strict=True))
    pairs += list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    pairs += [(starred, None) for starred in (arguments.vararg, arguments.kwarg) if starred]
    return {argument.arg: ast.unparse(value) if value else None for argument, value in pairs}


def taken(thing: Any) -> dict[str, str | None] | None:
    """What a callable takes; None when nothing says so. Builtins say it in their docstring."""
    if inspect.isclass(thing) and inspect.isfunction(thing.__new__):
        thing = thing.__new__
    if inspect.isclass(thing) and thing.__text_signature__:  # a type made by the C API
        found = re.match(r"\((.*)\)$", thing.__text_signature__)
    elif inspect.isclass(thing) and not inspect.isfunction(thing.__init__):
        written = thing.__init__.__doc__ or thing.__doc__ or ""
        found = re.search(r"\b\w+\((.*?)\)(?= ->|[.\n:]|$)", written.split("\n\n")[0])
    elif inspect.isbuiltin(thing) or inspect.ismethoddescriptor(thing):
        found = re.match(r"\w+\((.*)\)(?: -> .*)?$", (thing.__doc__ or "").split("\n")[0])
    else:
        try:
            signature = inspect.signature(thing)
        except (TypeError, ValueError):
            return None
        return {
            name: None if p.default is p.empty else repr(p.default)
            for name, p in signature.parameters.items()
        }
    return parameters(arguments_of(found.group(1))) if found else None


def value(text: str) -> Any:
    """A default, as a value where it is a literal."""
    try:
        return ast.literal_eval(text)
    except ValueError:
        return text


def signature_fault(entry: Entry, thing: Any) -> str | None:
    """What the page promises and the callable does not take."""
    if not entry.signature:
        return None
    promised = arguments_of(entry.signature)
    real = taken(thing)
    if real is None:
        return "its signature cannot be read"
    for name, default in parameters(promised).items():
        if name not in real:
            return f"it takes no {name!r}; it takes {', '.join(real)}"
        actual = real[name]
        if default is None or default == "..." or actual is None:
            continue
        if value(default) != value(actual):
            return f"{name} is {actual}, not {default}, when left out"
    return None


def section(document: str, title: str) -> str | None:
    """The indented lines below `title:` in a docstring, or None when it has no such part."""
    found = re.search(rf"^{title}:\n((?: {{4}}.*\n?)+)", document, re.MULTILINE)
    return found.group(1) if found else None


def undescribed(document: str, names: list[str]) -> list[str]:
    """The arguments that the docstring lacks, and those that it has and the function has not."""
    text = section(document, "Args") or ""
    described = re.findall(r"^ {4}\*{0,2}(\w+)(?: \(.*?\))?: \S", text, re.MULTILINE)
    return [name for name in names if name not in described] + [
        name for name in described if name not in names
    ]


@cache
def functions_of_tensors() -> set[str]:
    """The names in the extension's tables of functions and methods."""
    from gpukit import _core

    return {name for name, *_ in _core.entry_points()}


def is_made_by_users(thing: Any) -> bool:
    """Whether a class is one that readers call: no error, and no result that gpukit hands out."""
    from gpukit.report.forms import Forms

    if thing.__name__ in HANDED_OUT or hasattr(thing, "__dataclass_fields__"):
        return False
    return not issubclass(thing, (BaseException, Forms))


def documented_facts_fault(entry: Entry, thing: Any, document: str) -> str | None:
    """What the docstring does not say of arguments, results and errors."""
    if inspect.isclass(thing) and not is_made_by_users(thing):
        return None
    names = [name for name in taken(thing) or {} if name not in {"self", "cls", "input"}]
    described = [name for name in undescribed(document, names) if name != "input"]
    if described:
        return f"Args must describe just its arguments; wrong for {', '.join(described)}"
    if inspect.isfunction(thing) or entry.name not in functions_of_tensors():
        return None
    if entry.owner not in {"", "Tensor"}:
        return None
    if section(document, "Returns") is None:
        return "it does not say what it returns"
    raises = section(document, "Raises") or ""
    if not raises and entry.name not in CANNOT_FAIL:
        return "it does not say what it raises"
    if "out" in names and (silent := [x for x in OUT_RAISES if f"{x}: out " not in raises]):
        return f"it does not say that out= raises {', '.join(silent)}"
    return None


@cache
def stub_names(module: str) -> set[str] | None:
    """The names in a module's stub, or None where the module is typed Python itself."""
    path = ROOT / "python" / Path(*module.split(".")) / "__init__.pyi"
    if not path.exists():
        return None
    return set(re.findall(r"\b\w+\b", path.read_text(encoding="utf-8")))


@cache
def core_classes() -> dict[str, set[str]]:
    """The members that _core.pyi gives each class that is in it."""
    tree = ast.parse((ROOT / "python" / "gpukit" / "_core.pyi").read_text(encoding="utf-8"))
    return {
        node.name: {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def example_fault(name: str, text: str) -> str | None:
    """What the example prints that it should not."""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    lines: list[str] = []
    failed = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=lines.append).failed
    return "its example fails:\n" + "".join(lines) if failed else None


def faults_of(entry: Entry, thing: Any, *, run: bool) -> Iterator[str]:
    """Everything wrong with one name that exists."""
    document = inspect.getdoc(thing) or ""
    is_data = not callable(thing) and not isinstance(thing, property)
    needs_example = entry.owner in {"", "Tensor"} and not entry.name.startswith("__")
    if entry.owner and entry.owner != "Tensor" and is_data:
        pass  # an attribute: its class describes it
    elif entry.owner == "" and (is_data or type(thing).__name__ == "dtype"):
        pass  # a constant
    elif not document.strip() and not entry.name.startswith("__"):
        yield "it has no docstring"
    elif needs_example:
        if ">>>" not in document:
            yield "it has no example"
        elif run and (fault := example_fault(entry.dotted, document)):
            yield fault
    if fault := signature_fault(entry, thing):
        yield fault
    is_called = not is_data and not isinstance(thing, property) and not entry.name.startswith("__")
    if is_called and (fault := documented_facts_fault(entry, thing, document)):
        yield fault
    known = core_classes().get(entry.owner) if entry.owner else stub_names(entry.module)
    if known is not None and entry.name not in known and not entry.name.startswith("__"):
        yield "the stub does not have it"


def check(page: Path, *, run: bool = True) -> list[str]:
    """One line for each fault; without `run` examples need only be there."""
    importlib.import_module("gpukit")  # where it cannot be imported, one error says so
    found: list[str] = []
    listed = list(entries(page.read_text(encoding="utf-8")))
    if len(listed) < 100:
        found.append(f"{page}: only {len(listed)} names were read")
    for entry in listed:
        if entry.module in NEEDS and find_spec(NEEDS[entry.module]) is None:
            continue
        try:
            thing = resolve(entry)
        except (AttributeError, ImportError):
            if entry.mark is None:
                found.append(f"{entry.dotted}: it does not exist")
            continue
        if entry.mark is not None:
            found.append(f"{entry.dotted}: it exists; take the mark ({entry.mark}) away")
        found += [f"{entry.dotted}: {fault}" for fault in faults_of(entry, thing, run=run)]
    return found


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", nargs="?", type=Path, default=PAGE)
    parser.add_argument("--without-running", action="store_true", help="leave the examples alone")
    arguments = parser.parse_args()
    found = check(arguments.page, run=not arguments.without_running)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    os.environ.pop("GPUKIT_SIMULATE", None)
    sys.exit(main())
