"""Rules on shell and magic lines of notebooks, and on paths given to the loader."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gpukit.lint.findings import Hit, rule
from gpukit.lint.program import Program
from gpukit.lint.reading import Shell

_PIP = re.compile(r"(?:sudo\s+)?(?:python3?\s+-m\s+)?(?:uv\s+)?pip3?\s+(install|uninstall)\s+(.*)")
_VARIABLE = "LD_LIBRARY_PATH"
_STUBS = re.compile(r"/lib(?:64)?/stubs\b")
_EXPORTED = re.compile(rf"{_VARIABLE}=\S*/lib(?:64)?/stubs\b")


def _pip_lines(program: Program) -> Iterator[tuple[Shell, str, list[str], set[str]]]:
    """(line, "install" or "uninstall", words, the packages they name) of each pip line."""
    for line in program.source.shell:
        if found := _PIP.match(line.text):
            words = found.group(2).split()
            yield line, found.group(1), words, {_package(word) for word in words}


def _package(word: str) -> str:
    return re.split(r"[=<>!~\[;]", word)[0].strip("'\"").lower()


@rule(
    "GPK401",
    "retired-package",
    "tensorflow-gpu is retired and fails to install: pip install tensorflow[and-cuda]",
    bad="!pip install tensorflow-gpu\n",
    good="!pip install tensorflow[and-cuda]\n",
)
def _retired(program: Program) -> Iterator[Hit]:
    for line, _, _, packages in _pip_lines(program):
        if "tensorflow-gpu" in packages:
            yield Hit(line.line)


@rule(
    "GPK402",
    "package-is-torch",
    "the package is named torch; pytorch is a placeholder: pip uninstall torch, pip install torch",
    bad="!pip uninstall -y pytorch\n",
    good="!pip uninstall -y torch\n",
)
def _pytorch(program: Program) -> Iterator[Hit]:
    for line, _, _, packages in _pip_lines(program):
        if "pytorch" in packages:
            yield Hit(line.line)


@rule(
    "GPK403",
    "build-not-named",
    "on Windows and macOS this installs torch without CUDA: name the build with --index-url, and "
    "see torch.version.cuda",
    bad="!pip install torch torchvision\n",
    good="!pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126\n",
)
def _build(program: Program) -> Iterator[Hit]:
    for line, kind, words, packages in _pip_lines(program):
        if kind == "install" and "torch" in packages and not any(map(_names_build, words)):
            yield Hit(line.line)


def _names_build(word: str) -> bool:
    said = ("index-url", "find-links", "+cu", "+cpu")
    return word in {"-f", "-i"} or any(each in word for each in said)


@rule(
    "GPK404",
    "stub-library-path",
    "the stubs folder holds a library for linking only, not a driver (error 34): remove it from "
    "LD_LIBRARY_PATH",
    bad="%env LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs\n",
    good="%env LD_LIBRARY_PATH=/usr/local/cuda/lib64\n",
)
def _stubs(program: Program) -> Iterator[Hit]:
    for line in program.source.shell:
        if _VARIABLE in line.text and _STUBS.search(line.text):
            yield Hit(line.line)
    if _VARIABLE not in program.source.text:
        return
    for name, value in _settings(program):
        if isinstance(name, ast.Constant) and name.value == _VARIABLE and _names_stubs(value):
            yield Hit(program.statement(name) or name)
    for each in program.of(ast.Constant):
        if isinstance(each.value, str) and _EXPORTED.search(each.value):
            yield Hit(program.statement(each) or each)


def _settings(program: Program) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(name, value) of each `x[name] = value`, `f(name, value)` and `{name: value}`."""
    for each in program.of(ast.Assign):
        if isinstance(each.targets[0], ast.Subscript):
            yield each.targets[0].slice, each.value
    for call in program.all_calls:
        if len(call.args) > 1:
            yield call.args[0], call.args[1]
    for table in program.of(ast.Dict):
        yield from (
            (key, value) for key, value in zip(table.keys, table.values, strict=True) if key
        )


def _names_stubs(value: ast.expr) -> bool:
    texts = [each.value for each in ast.walk(value) if isinstance(each, ast.Constant)]
    return any(isinstance(text, str) and _STUBS.search(text) for text in texts)


@rule(
    "GPK405",
    "export-in-subshell",
    "each ! line has its own shell, so export and cd end with it: use %env NAME=value or %cd",
    bad="!export CUDA_VISIBLE_DEVICES=0\n",
    good="%env CUDA_VISIBLE_DEVICES=0\n",
)
def _export(program: Program) -> Iterator[Hit]:
    scripts = {line.line for line in program.source.shell if line.text.startswith("%%")}
    for line in program.source.shell:
        alone = not any(sign in line.text for sign in ("&&", ";", "|"))
        word = line.text.split()[:1]
        if line.kind == "!" and word in (["export"], ["cd"], ["set"]) and alone and not scripts:
            yield Hit(line.line)
