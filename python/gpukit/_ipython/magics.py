"""`%load_ext gpukit`: the magics of a notebook. Nothing is registered by `import gpukit`.

A new magic is one function here and one row of `MAGICS`. They work in IPython 7.34 and later.
"""

from __future__ import annotations

import argparse
import ast
import functools
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from gpukit.errors import GpukitError

_OFF = ("off", "stop", "none")


@dataclass(frozen=True)
class Magic:
    """One magic. `run` gets (shell, line, cell or None) and returns what is shown.

    `shows_errors`: errors are those of the user's cell, and come with their traceback.
    """

    name: str
    kind: str  # line, cell or line_cell
    run: Callable[[Any, str, str | None], Any]
    shows_errors: bool = False


class _Parser(argparse.ArgumentParser):
    """Options of a magic: wrong ones are IPython's UsageError, not an exit."""

    def error(self, message: str) -> NoReturn:
        _refuse(f"%{self.prog}: {message}")


def _refuse(message: str) -> NoReturn:
    from IPython.core.error import UsageError

    raise UsageError(message)


def _gpu(shell: Any, line: str, cell: str | None) -> Any:  # noqa: ARG001
    """%gpu: which devices there are, and whether a kernel ran on them."""
    import gpukit
    from gpukit.report import Page

    report = gpukit.info()
    gpus = [device for device in report.devices if device["type"] == "cuda"]
    lines = [f"{gpu['device']}: {gpu['name']}, {_proof(gpu)}" for gpu in gpus]
    reason = report.reasons.get("cuda", "")
    return Page(lines[0] if lines else f"No GPU: {reason}", notes=lines[1:])


def _proof(gpu: dict[str, Any]) -> str:
    from gpukit.report import bytes_text

    ran = "a kernel ran" if gpu["verified"] else "a kernel did NOT run"
    return f"{bytes_text(gpu['total_memory'])}, {ran}"


def _smi(shell: Any, line: str, cell: str | None) -> Any:  # noqa: ARG001
    """%smi: what nvidia-smi shows."""
    import gpukit

    return gpukit.smi()


def _doctor(shell: Any, line: str, cell: str | None) -> Any:  # noqa: ARG001
    """%doctor [--deep]; %%doctor judges nvidia-smi's table or explains the error in the cell."""
    import gpukit
    from gpukit.report import Page

    if cell is None:
        parser = _Parser(prog="doctor", add_help=False)
        parser.add_argument("--deep", action="store_true")
        return gpukit.doctor(deep=parser.parse_args(shlex.split(line)).deep)
    if "Driver Version" in cell:
        return gpukit.doctor.judge_paste(cell)
    first, *rest = gpukit.doctor.explain(cell).split("\n\n")
    return Page(first, notes=rest)


def _simulate(shell: Any, line: str, cell: str | None) -> Any:  # noqa: ARG001
    """%simulate 2xT4 starts simulated GPUs, replacing earlier ones; %simulate off ends them."""
    from gpukit._simulation import session as simulation
    from gpukit.report import Page

    text = line.strip()
    if not text:
        running = simulation.active_text()
        return Page(f"Simulated: {running}" if running else "Nothing is simulated: %simulate 2xT4")
    if text.lower() in _OFF:
        simulation.stop_active()
        return Page("The simulation has ended.")
    devices = simulation.restart(text).devices
    return Page(f"Simulated GPUs: {', '.join(map(str, devices))}. Their times are a model's.")


def _bench_parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="gpubench", add_help=False)
    parser.add_argument("--device")
    parser.add_argument("--no-transfer", action="store_true")
    return parser


def _bench_options(line: str) -> tuple[dict[str, Any], str]:
    """The options before an expression, and the expression as it was written."""
    parser = _bench_parser()
    rest, words = line.strip(), []
    while rest.startswith("--"):
        word, _, rest = rest.partition(" ")
        words.append(word)
        rest = rest.lstrip()
        if word == "--device":
            value, _, rest = rest.partition(" ")
            words += [value] if value else []
            rest = rest.lstrip()
    chosen = parser.parse_args(words)
    transfer = "none" if chosen.no_transfer else "split"
    return {"device": chosen.device, "transfer": transfer}, rest


class _Cell:
    """A cell's code as a function. `uses` are the names that it reads, for bench to inspect."""

    def __init__(self, text: str, names: dict[str, Any]) -> None:
        self._code = compile(text, "<gpubench>", "exec")
        self._run = functools.partial(exec, self._code, names)
        self.uses = {name: names[name] for name in self._code.co_names if name in names}

    def __call__(self) -> None:
        self._run()


def _gpubench(shell: Any, line: str, cell: str | None) -> Any:
    """%gpubench EXPRESSION, with its tensors moved to each device; %%gpubench times a cell."""
    import gpukit

    options, expression = _bench_options(line)
    if cell is not None:
        return gpukit.bench(_Cell(cell, shell.user_ns), name="cell", check=False, **options)
    if not expression:
        _refuse("%gpubench: give an expression, e.g. %gpubench x @ y")
    names = compile(expression, "<gpubench>", "eval").co_names
    tensors = [n for n in dict.fromkeys(names) if isinstance(shell.user_ns.get(n), gpukit.Tensor)]
    # The user's own expression, as a function of its tensors.
    function = eval(f"lambda {', '.join(tensors)}: ({expression})", shell.user_ns)  # noqa: S307
    values = [shell.user_ns[name] for name in tensors]
    return gpukit.bench(function, *values, name=expression[:60], **options)


def _gpuwatch(shell: Any, line: str, cell: str | None) -> Any:
    """%%gpuwatch [--error]: run the cell, then show its waits for a GPU; --error refuses them."""
    from IPython.display import display

    import gpukit

    parser = _Parser(prog="gpuwatch", add_help=False)
    parser.add_argument("--error", action="store_true")
    mode = "error" if parser.parse_args(shlex.split(line)).error else "report"
    try:
        with gpukit.watch(mode) as seen:
            _run_cell(shell, cell or "")
    except BaseException:
        display(seen.report)
        raise
    return seen.report


def _run_cell(shell: Any, cell: str) -> None:
    """What IPython does with a cell; its lines have the numbers that the notebook shows."""
    source = shell.transform_cell("# the line of the magic\n" + cell)
    name = shell.compile.cache(source, shell.execution_count)
    tree = ast.parse(source, filename=name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    # The user's own cell.
    exec(compile(tree, name, "exec"), shell.user_ns)  # noqa: S102
    if last is not None:  # shown as a cell shows it
        exec(compile(ast.Interactive([last]), name, "single"), shell.user_ns)  # noqa: S102


def _gpumem(shell: Any, line: str, cell: str | None) -> Any:  # noqa: ARG001
    """%gpumem [DEVICE]: what holds GPU memory, by name."""
    import gpukit

    return gpukit.memory(line.strip() or None)


def _gpufree(shell: Any, line: str, cell: str | None) -> Any:  # noqa: ARG001
    """%gpufree [NAMES]: drop variables, outputs and the last traceback; release the cache."""
    import gpukit

    names = [name for name in re.split(r"[\s,]+", line) if name]
    try:
        return gpukit.free(*names)
    except NameError as error:
        _refuse(f"%gpufree: {error}")


MAGICS = (
    Magic("gpu", "line", _gpu),
    Magic("smi", "line", _smi),
    Magic("doctor", "line_cell", _doctor),
    Magic("simulate", "line", _simulate),
    Magic("gpubench", "line_cell", _gpubench),
    Magic("gpuwatch", "cell", _gpuwatch, shows_errors=True),
    Magic("gpumem", "line", _gpumem),
    Magic("gpufree", "line", _gpufree),
)


def _bound(magic: Magic, shell: Any) -> Callable[..., Any]:
    """The function that IPython calls. gpukit's own errors are shown without their traceback."""

    def call(line: str, cell: str | None = None) -> Any:
        try:
            return magic.run(shell, line, cell)
        except (GpukitError, ValueError) as error:
            if magic.shows_errors:
                raise
            _refuse(f"%{magic.name}: {error}")

    call.__doc__ = magic.run.__doc__
    return call


def load_ipython_extension(shell: Any) -> None:
    """Registers gpukit's magics; `%load_ext gpukit` calls it.

    Adds %gpu, %smi, %doctor, %simulate, %gpubench, %%gpuwatch, %gpumem and %gpufree.
    """
    for magic in MAGICS:
        shell.register_magic_function(
            _bound(magic, shell), magic_kind=magic.kind, magic_name=magic.name
        )


def unload_ipython_extension(shell: Any) -> None:
    """Takes gpukit's magics away again; `%unload_ext gpukit` calls it."""
    for magic in MAGICS:
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop(magic.name, None)
