"""Examples of docstrings, run where they can run."""

from __future__ import annotations

import doctest
import importlib
import inspect
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


# What is shown once and is also a name of another module, or a module itself, is run once.
MODULES = """
    gpukit gpukit.accelerator gpukit.array_api gpukit.autograd
    gpukit.autograd.functional gpukit.backends gpukit.bench
    gpukit.cloud gpukit.config gpukit.cuda gpukit.distributed gpukit.doctor gpukit.fft gpukit.linalg
    gpukit.lint
    gpukit.monitor gpukit.nn gpukit.nn.functional gpukit.nn.init gpukit.nn.parallel
    gpukit.nn.utils gpukit.nn.utils.rnn gpukit.optim gpukit.optim.lr_scheduler
    gpukit.port gpukit.random gpukit.report
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
