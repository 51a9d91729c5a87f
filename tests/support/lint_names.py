"""The names of a library that the linter takes for mistyped ones."""

from __future__ import annotations

from types import ModuleType

from gpukit.lint import check_text


def mistyped_names(module: ModuleType) -> list[str]:
    """The lines of a program of all names of a module that GPK110 finds."""
    name, names = module.__name__, {*dir(module), *getattr(module, "__all__", ())}
    lines = [f"print({name}.{each})\n" for each in sorted(names) if each.isidentifier()]
    text = f"import {name.split('.')[0]}\n" + "".join(lines)
    return [finding.text for finding in check_text(text) if finding.code == "GPK110"]
