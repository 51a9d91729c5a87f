"""`[tool.gpukit.lint]` of pyproject.toml, and which files and rules a call means."""

from __future__ import annotations

import ast
import fnmatch
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpukit.errors import LintError
from gpukit.lint.checking import rules

_KEYS = ("select", "ignore", "exclude")
_SKIPPED = frozenset(
    [
        ".git",
        ".hg",
        ".venv",
        "venv",
        "build",
        "dist",
        "node_modules",
        "__pycache__",
        ".tox",
        ".ipynb_checkpoints",
        ".eggs",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
    ]
)


@dataclass(frozen=True)
class Settings:
    """What pyproject.toml says; empty where it says nothing."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    root: Path = Path()


def find_settings(start: Path) -> Settings:
    """The settings of the nearest pyproject.toml with a [tool.gpukit.lint] at or above a folder."""
    folder = Path(os.path.abspath(start))  # noqa: PTH100 - resolve() fails on links in a circle
    for each in (folder, *folder.parents):
        file = each / "pyproject.toml"
        if file.is_file():
            table = _table(file)
            if table is not None:
                return _settings(table, file)
    return Settings()


def _table(file: Path) -> dict[str, Any] | None:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LintError(f"{file}: {error}") from None
    try:
        import tomllib
    except ImportError:  # Python 3.10
        return _small_table(file, text)
    try:
        document = tomllib.loads(text)
    except ValueError as error:
        raise LintError(f"{file}: {error}") from None
    tool = document.get("tool", {})
    gpukit = tool.get("gpukit", {}) if isinstance(tool, dict) else {}
    table = gpukit.get("lint") if isinstance(gpukit, dict) else None
    return table if isinstance(table, dict) else None


def _small_table(file: Path, text: str) -> dict[str, Any] | None:
    """The one table, whose values are lists of strings, which Python's syntax shares with TOML."""
    found = re.search(
        r"^\[tool\.gpukit\.lint\][^\n]*\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL
    )
    if found is None:
        return None
    try:
        tree = ast.parse(found.group(1))
        pairs = [
            (each.targets[0], each.value) for each in tree.body if isinstance(each, ast.Assign)
        ]
        return {ast.unparse(name): ast.literal_eval(value) for name, value in pairs}
    except (SyntaxError, ValueError) as error:
        raise LintError(f"{file}: [tool.gpukit.lint]: {error}") from None


def _settings(table: dict[str, Any], file: Path) -> Settings:
    for key, value in table.items():
        if key not in _KEYS:
            raise LintError(f"{file}: [tool.gpukit.lint] has no {key!r}; it has {', '.join(_KEYS)}")
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise LintError(f"{file}: {key} must be a list of strings, not {value!r}")
    lists = {key: tuple(table.get(key, ())) for key in _KEYS}
    return Settings(**lists, root=file.parent)


def chosen(select: Iterable[str], ignore: Iterable[str]) -> set[str]:
    """The codes that prefixes or names select and do not ignore; an unknown one is an error."""
    table = rules()
    picked = _matching(select) if list(select) else set(table)
    return picked - _matching(ignore)


def _matching(words: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for word in words:
        upper = word.strip().upper()
        codes = {
            code
            for code, each in rules().items()
            if upper == "ALL" or (upper and code.startswith(upper)) or each.name == word.strip()
        }
        if not codes:
            raise LintError(f"no rule is called {word.strip()!r}; codes look like GPK001 or GPK1")
        found |= codes
    return found


def files(paths: Iterable[str], settings: Settings) -> Iterator[Path]:
    """The files that paths mean: named files, and every .py and .ipynb in folders."""
    seen: set[str] = set()
    for path in map(Path, paths):
        for file in _in_folder(path, settings) if _is_folder(path) else [path]:
            key = os.path.abspath(file)  # noqa: PTH100
            if key not in seen:
                seen.add(key)
                yield file


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError, RuntimeError):
        return False  # a name too long, or links in a circle: reading it says so


def _in_folder(folder: Path, settings: Settings) -> Iterator[Path]:
    # Links to folders are not followed, which avoids endless loops; a link to a file elsewhere is
    # skipped, so that --fix and --write change nothing outside the folder.
    home = folder.resolve()
    for top, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(
            each
            for each in folders
            if each not in _SKIPPED and not _excluded(Path(top, each), settings)
        )
        for name in sorted(names):
            file = Path(top, name)
            if name.endswith((".py", ".ipynb")) and not _excluded(file, settings):
                if file.is_symlink() and not _leads_into(home, file):
                    continue
                yield file


def _leads_into(home: Path, link: Path) -> bool:
    """A link leads into the folder, or nowhere, which reading it reports."""
    try:
        return home in link.resolve().parents
    except (OSError, RuntimeError):
        return True  # a loop of links: reading one reports it


def _excluded(path: Path, settings: Settings) -> bool:
    full = Path(os.path.abspath(path))  # noqa: PTH100
    relative = os.path.relpath(full, settings.root) if settings.exclude else ""
    relative = relative.replace(os.sep, "/")
    return any(
        fnmatch.fnmatch(relative, pattern)
        or fnmatch.fnmatch(full.name, pattern)
        or relative.startswith(pattern.rstrip("/") + "/")
        for pattern in settings.exclude
    )
