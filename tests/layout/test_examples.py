"""The examples in public docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import inspect
import io

import pytest

import gpukit

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


# Public modules whose names have examples of their own.
MODULES = {
    "": gpukit,
    "nn.": gpukit.nn,
    "nn.functional.": gpukit.nn.functional,
    "nn.init.": gpukit.nn.init,
    "nn.parallel.": gpukit.nn.parallel,
    "nn.utils.": gpukit.nn.utils,
    "optim.": gpukit.optim,
    "optim.lr_scheduler.": gpukit.optim.lr_scheduler,
    "utils.data.": gpukit.utils.data,
}


def documented() -> dict[str, str]:
    """Dotted name -> docstring, for public things and the public members of public classes."""
    found: dict[str, str] = {}
    for prefix, module in MODULES.items():
        for name in module.__all__:
            thing = getattr(module, name)
            found[prefix + name] = getattr(thing, "__doc__", None) or ""
            if inspect.isclass(thing) and thing.__module__.split(".")[0] == "gpukit":
                for member, value in vars(thing).items():
                    if not member.startswith("_"):
                        found[f"{prefix}{name}.{member}"] = getattr(value, "__doc__", None) or ""
    return {name: text for name, text in found.items() if ">>>" in text}


EXAMPLES = documented()


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(
        EXAMPLES[name], {"gpukit": gpukit}, name, None, None
    )
    output = io.StringIO()
    result = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=output.write)
    assert result.failed == 0, output.getvalue()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 20
