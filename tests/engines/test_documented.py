"""What needs an extra keeps the agreement too, and its examples run."""

from __future__ import annotations

import doctest
import importlib

import pytest

from support.examples import check
from support.tools import load_tool

MODULES = ["gpukit.interop.dask"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    shown = [getattr(module, each) for each in module.__all__]
    examples = [
        example
        for thing in shown
        for example in doctest.DocTestFinder(recurse=False).find(thing, thing.__name__, module)
        if example.examples
    ]
    assert len(examples) == len(shown)
    for example in examples:
        check(example)


def test_the_agreement_is_kept() -> None:
    check_api = load_tool("check_api")
    entries = check_api.entries(check_api.PAGE.read_text(encoding="utf-8"))
    kept = [entry for entry in entries if entry.module in check_api.NEEDS]
    assert {entry.module for entry in kept} == set(check_api.NEEDS)
    for entry in kept:
        thing = check_api.resolve(entry)
        assert list(check_api.faults_of(entry, thing, run=False)) == []
