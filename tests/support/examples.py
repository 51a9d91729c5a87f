"""Examples of docstrings, run where they can run."""

from __future__ import annotations

import doctest
import io
from contextlib import AbstractContextManager, nullcontext

from support.simulation import no_simulation

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def simulates(example: doctest.DocTest) -> bool:
    """Such an example needs a build with CUDA, and a process that simulates no other devices."""
    return any("gpukit.simulate(" in line.source for line in example.examples)


def check(example: doctest.DocTest) -> None:
    """Run the example; what it prints must be what it says."""
    output = io.StringIO()
    surroundings: AbstractContextManager[None]
    surroundings = no_simulation() if simulates(example) else nullcontext()
    with surroundings:
        result = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=output.write)
        example.globs.clear()
    assert result.failed == 0, output.getvalue()
