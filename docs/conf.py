"""Sphinx's settings: `sphinx-build -W docs build/docs`, with gpukit and the group `docs` there."""

from __future__ import annotations

import re
from typing import Any

import gpukit

project = "gpukit"
copyright = "the gpukit developers"
version = release = gpukit.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["lessons/notebooks", "zh/lessons/notebooks", "hardware.ipynb"]
suppress_warnings = ["myst.header"]  # lessons and pages may skip a level

linkcheck_timeout = 15
linkcheck_rate_limit_timeout = 30
linkcheck_anchors = False

html_theme = "furo"
html_title = "gpukit"
html_static_path = ["_static"]
html_css_files = ["lessons.css"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# Lessons run when the pages are built; an error in a cell fails the build.
nb_execution_mode = "force"
# The code of zh/lessons is that of lessons/, which runs; tests/sim/test_gpu_day.py runs the other.
nb_execution_excludepatterns = ["zh/lessons/*", "hardware-notebook*"]
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

_CODE = re.compile(r"(``.+?``|`[^`]+`)")
_MARKUP = re.compile(r"[*|]|(?<=\w)_(?=\W|$)")
_STARRED_ARGUMENT = re.compile(r"\s*\*+\w+:")


def as_rst(line: str) -> str:
    """A line of a docstring, whose only markup is code in backticks."""
    parts = _CODE.split(line)
    parts[::2] = [_MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
    parts[1::2] = [f"``{part.strip('`')}``" for part in parts[1::2]]
    return "".join(parts)


def docstring_as_rst(*arguments: Any) -> None:
    """Keep operators such as `|`, names that end in _, and examples unchanged."""
    lines: list[str] = arguments[-1]
    in_example = False
    for index, line in enumerate(lines):
        in_example = line.strip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example and not _STARRED_ARGUMENT.match(line):
            lines[index] = as_rst(line)


def with_qualified_type(*arguments: Any) -> tuple[str, str] | None:
    """Name Python's own `type` in full: several classes have an attribute of that name."""
    signature, returns = arguments[-2:]
    if not signature or ": type[" not in signature:
        return None
    return signature.replace(": type[", ": builtins.type["), returns


def setup(app: Any) -> None:
    """Docstrings are rewritten before napoleon reads them."""
    app.connect("autodoc-process-docstring", docstring_as_rst, priority=400)
    app.connect("autodoc-process-signature", with_qualified_type)
