"""Report files over 500 lines and functions over 60: a list to look at, not a verdict."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("csrc", "python", "tests", "tools", "benchmarks")
SUFFIXES = {".h", ".cpp", ".cu", ".py", ".pyi"}
FILE_LINES = 500
FUNCTION_LINES = 60
# A line at the left edge that opens a body and is neither a type, a namespace nor a table.
CPP_FUNCTION = re.compile(r"^(?!namespace|struct|class|enum|union|extern|const|#)\S.*\{$")
CPP_NAME = re.compile(r"([~\w:]+)\s*\(")


def python_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, first line, lines) of each function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def cpp_functions(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, first line, lines) of each function whose brace closes at the left edge."""
    start, name = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if not start and CPP_FUNCTION.match(line):
            found = CPP_NAME.search(line)
            start, name = number, found.group(1) if found else line[:40]
        elif start and line.startswith("}"):
            yield name, start, number - start + 1
            start = 0


def report(root: Path = ROOT) -> list[str]:
    """One line for each file or function over its budget."""
    lines = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES or path.name == "_core.pyi":
                continue
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(root).as_posix()
            if (count := text.count("\n")) > FILE_LINES:
                lines.append(f"{name}: {count} lines")
            functions = python_functions if path.suffix in {".py", ".pyi"} else cpp_functions
            lines += [
                f"{name}:{first}: {function} has {length} lines"
                for function, first, length in functions(text)
                if length > FUNCTION_LINES
            ]
    return lines


def main() -> int:
    """Print the report; never an error."""
    for line in report():
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
