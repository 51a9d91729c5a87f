"""The examples in public docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import gpukit
from support.examples import check

# What is shown once and is also a name of another module, or a module itself, is run once.
MODULES = """
    gpukit gpukit.accelerator gpukit.array_api gpukit.autograd gpukit.backends gpukit.bench
    gpukit.cloud gpukit.config gpukit.cuda gpukit.doctor gpukit.linalg gpukit.lint
    gpukit.monitor gpukit.nn gpukit.nn.functional gpukit.nn.init gpukit.nn.parallel
    gpukit.nn.utils gpukit.optim gpukit.optim.lr_scheduler gpukit.random gpukit.report
    gpukit.testing gpukit.utils.data gpukit.version
""".split()  # noqa: SIM905


def public(module: object) -> list[str]:
    """The public names of a module."""
    return list(getattr(module, "__all__", ()))


def documented() -> dict[str, str]:
    """Dotted name -> docstring, for modules, public things and public members of classes."""
    found: dict[str, str] = {}
    seen: set[str] = set()

    def note(name: str, thing: object) -> None:
        text = getattr(thing, "__doc__", None) or ""
        if ">>>" in text and text not in seen:
            seen.add(text)
            found[name] = text

    for path in MODULES:
        module = importlib.import_module(path)
        note(path, module)
        for name in public(module):
            thing = getattr(module, name)
            note(f"{path}.{name}", thing)
            if inspect.isclass(thing) and thing.__module__.split(".")[0] == "gpukit":
                for member, value in vars(thing).items():
                    if not member.startswith("_"):
                        note(f"{path}.{name}.{member}", value)
    return found


EXAMPLES = documented()


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    example = doctest.DocTestParser().get_doctest(
        EXAMPLES[name], {"gpukit": gpukit}, name, None, None
    )
    check(example)


# What IPython calls, and the parts that results are made of.
WITHOUT_EXAMPLE = {"load_ipython_extension", "unload_ipython_extension"}
INNER_MODULES = {"gpukit.report"}


@pytest.mark.parametrize("path", sorted(set(MODULES) - INNER_MODULES))
def test_every_public_function_and_class_has_one(path: str) -> None:
    module = importlib.import_module(path)
    things = {name: getattr(module, name) for name in public(module)}
    lacking = [
        name
        for name, thing in things.items()
        if callable(thing) and not inspect.ismodule(thing) and name not in WITHOUT_EXAMPLE
        if not isinstance(thing, gpukit.dtype) and ">>>" not in (thing.__doc__ or "")
    ]
    assert lacking == []
