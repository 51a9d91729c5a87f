"""The examples in all docstrings of gpukit.bench and gpukit.testing print what they say."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import gpukit
from gpukit import bench, testing
from support import mode
from support.examples import check, documented, simulates

MODULES = [
    importlib.import_module(info.name)
    for package in (bench, testing)
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + ".")
    if info.name != "gpukit.testing.plugin"
]
# tests/layout/test_examples.py runs what is public, in the modes that have it.
ELSEWHERE = {*documented().values()} if "layout" in mode.MODE.folders else set()
EXAMPLES = {
    test.name: test
    for module in [bench, testing, *MODULES]
    for test in doctest.DocTestFinder().find(module, globs={"gpukit": gpukit})
    if test.docstring not in ELSEWHERE
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
