"""Examples of docstrings, run where they can run."""

from __future__ import annotations

import doctest
import io
from contextlib import AbstractContextManager, nullcontext

from support.simulation import no_simulation

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def surroundings(example: doctest.DocTest) -> AbstractContextManager[None]:
    """An example that simulates devices of its own needs a process that simulates none."""
    simulates = any("gpukit.simulate(" in line.source for line in example.examples)
    return no_simulation() if simulates else nullcontext()


def check(example: doctest.DocTest) -> None:
    """Run the example; what it prints must be what it says."""
    output = io.StringIO()
    with surroundings(example):
        result = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=output.write)
        example.globs.clear()
    assert result.failed == 0, output.getvalue()
