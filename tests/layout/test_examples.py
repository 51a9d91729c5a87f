"""The examples in public docstrings run, and print what they say."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import gpukit
from support.examples import MODULES, check, documented, public

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
