"""Rules on shell and magic lines of notebooks, and on paths given to the loader."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gpukit.lint.findings import Hit, rule
from gpukit.lint.program import Program

_STUBS = re.compile(r"/lib(?:64)?/stubs\b")


def _packages(text: str) -> tuple[str, list[str]]:
    """("install", its words) of a pip line, else ("", [])."""
    found = re.match(
        r"(?:sudo\s+)?(?:python3?\s+-m\s+)?(?:uv\s+)?pip3?\s+(install|uninstall)\s+(.*)", text
    )
    return (found.group(1), found.group(2).split()) if found else ("", [])


def _names(words: list[str]) -> set[str]:
    return {re.split(r"[=<>!~\[;]", word)[0].strip("'\"").lower() for word in words}


@rule(
    "GPK401",
    "retired-package",
    "tensorflow-gpu is retired and fails to install: pip install tensorflow[and-cuda]",
    bad="!pip install tensorflow-gpu\n",
    good="!pip install tensorflow[and-cuda]\n",
)
def _retired(program: Program) -> Iterator[Hit]:
    for line in program.source.shell:
        _, words = _packages(line.text)
        if "tensorflow-gpu" in _names(words):
            yield Hit(line.line)


@rule(
    "GPK402",
    "package-is-torch",
    "the package is named torch; pytorch is a placeholder: pip uninstall torch, pip install torch",
    bad="!pip uninstall -y pytorch\n",
    good="!pip uninstall -y torch\n",
)
def _pytorch(program: Program) -> Iterator[Hit]:
    for line in program.source.shell:
        _, words = _packages(line.text)
        if "pytorch" in _names(words):
            yield Hit(line.line)


@rule(
    "GPK403",
    "build-not-named",
    "on Windows and macOS this installs torch without CUDA: name the build with --index-url, and see "  # noqa: E501
    "torch.version.cuda",
    bad="!pip install torch torchvision\n",
    good="!pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126\n",
)
def _build(program: Program) -> Iterator[Hit]:
    for line in program.source.shell:
        kind, words = _packages(line.text)
        named = any(
            "index-url" in word or word in {"-f", "-i"} or "find-links" in word for word in words
        )
        pinned = any("+cu" in word or "+cpu" in word for word in words)
        if kind == "install" and "torch" in _names(words) and not named and not pinned:
            yield Hit(line.line)


@rule(
    "GPK404",
    "stub-library-path",
    "the stubs folder holds a library for linking that no GPU answers (error 34): remove it from "
    "LD_LIBRARY_PATH",
    bad="%env LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs\n",
    good="%env LD_LIBRARY_PATH=/usr/local/cuda/lib64\n",
)
def _stubs(program: Program) -> Iterator[Hit]:
    for line in program.source.shell:
        if "LD_LIBRARY_PATH" in line.text and _STUBS.search(line.text):
            yield Hit(line.line)
    for node in program.of(ast.Assign, ast.Call):
        texts = [str(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant)]
        joined = " ".join(texts)
        if (
            "LD_LIBRARY_PATH" in joined
            and _STUBS.search(joined)
            and not any(
                isinstance(each, (ast.Assign, ast.Call)) for each in program.ancestors(node)
            )
        ):
            yield Hit(node)


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
