"""The examples in the docstrings of gpukit.bench and gpukit.testing print what they say."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import gpukit
from gpukit import bench, testing
from support.examples import check, simulates

MODULES = [
    importlib.import_module(info.name)
    for package in (bench, testing)
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + ".")
    if info.name != "gpukit.testing.plugin"
]
EXAMPLES = {
    test.name: test
    for module in [bench, testing, *MODULES]
    for test in doctest.DocTestFinder().find(module, globs={"gpukit": gpukit})
    if test.examples and (gpukit.backends.cuda.is_built() or not simulates(test))
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    check(EXAMPLES[name])


@pytest.mark.parametrize("name", bench.__all__)
def test_every_public_name_is_documented(name):
    thing = getattr(bench, name)
    assert inspect.getdoc(thing)
    if inspect.isfunction(thing):
        assert ">>>" in thing.__doc__, "a function has an example that runs"
