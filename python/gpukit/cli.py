"""The command line: `gpukit info`, `gpukit bench`, `gpukit sim 2xT4 -- CMD`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_DIFFER, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


class _Parser(argparse.ArgumentParser):
    """argparse that names the near word when a word is unknown."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            near = get_close_matches(str(value), names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
            raise argparse.ArgumentError(action, f"there is no {value!r}; {hint}")

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EXIT_USAGE, f"{self.prog}: {message}\n")


def _info(options: argparse.Namespace) -> int:
    import gpukit

    report = gpukit.info(stack=options.stack)
    print(report.to_json() if options.json else report)
    return EXIT_OK


def _overview(_: argparse.Namespace) -> int:
    import gpukit

    print(gpukit.info())
    print(
        "\nNext: gpukit bench times every device here; "
        "gpukit sim 2xT4 -- gpukit bench shows two simulated GPUs."
    )
    return EXIT_OK


def _write(path: str, text: str) -> None:
    if path == "-":
        print(text)
    else:
        Path(path).write_text(text + "\n", encoding="utf-8")


def _bench(options: argparse.Namespace) -> int:
    from gpukit.bench import BenchTable, matmul, run

    result: Any
    if options.name == "matmul":
        result = matmul(device=options.device).to_table()
    else:
        result = run(device=options.device)
    assert isinstance(result, BenchTable)
    if options.json != "-":
        result.print()
    if options.json is not None:
        _write(options.json, result.to_json())
    if options.html is not None:
        _write(options.html, result.to_html())
    return EXIT_DIFFER if result.answers_differ else EXIT_OK


def _versions(options: argparse.Namespace) -> int:
    import json

    import gpukit

    if options.json:
        print(json.dumps({"schema": 1, **(gpukit.show_versions(as_dict=True) or {})}, indent=2))
    else:
        gpukit.show_versions()
    return EXIT_OK


def _sim(options: argparse.Namespace) -> int:
    from gpukit import _env
    from gpukit._simulate import check_text

    command = [word for i, word in enumerate(options.command) if not (i == 0 and word == "--")]
    if not command:
        print(
            "gpukit sim: give a command after --, e.g. gpukit sim 2xT4 -- gpukit bench",
            file=sys.stderr,
        )
        return EXIT_USAGE
    try:
        check_text(options.cards)
    except ValueError as error:
        print(f"gpukit sim: {error}", file=sys.stderr)
        return EXIT_USAGE
    # The command may be `python` or `gpukit` of this very environment, which need not be on PATH.
    environment = _env.for_child(Path(sys.executable).parent, GPUKIT_SIMULATE=options.cards)
    sys.stdout.flush()
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606
    except OSError as error:
        print(f"gpukit sim: cannot run {command[0]!r}: {error.strerror}", file=sys.stderr)
        return EXIT_FAILED


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    import gpukit

    parser = _Parser(prog="gpukit", description="Find, use and time GPUs honestly.")
    parser.add_argument("--version", action="version", version=f"gpukit {gpukit.__version__}")
    parser.set_defaults(act=_overview)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)

    def add(
        name: str, act: Callable[[argparse.Namespace], int], summary: str
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(act=act)
        return command

    info = add("info", _info, "What is here and what computes.")
    info.add_argument("--json", action="store_true", help="one JSON document")
    info.add_argument("--stack", action="store_true", help="also the libraries that gpukit uses")
    bench = add("bench", _bench, "Time the CPU and every GPU; without NAME: matmul, add and copy.")
    bench.add_argument(
        "name", nargs="?", choices=("matmul",), metavar="NAME", help="one exercise: matmul"
    )
    bench.add_argument("--device", metavar="D", help="only this device, e.g. cuda:0")
    bench.add_argument(
        "--json", metavar="FILE", nargs="?", const="-", help="results as JSON (default: stdout)"
    )
    bench.add_argument("--html", metavar="FILE", help="results as an HTML fragment")
    sim = add("sim", _sim, "Run a command with simulated GPUs: gpukit sim 2xT4 -- CMD.")
    sim.add_argument("cards", help="count and card, e.g. 2xT4")
    sim.add_argument("command", nargs=argparse.REMAINDER, help="-- and the command")
    versions = add("versions", _versions, "Versions to paste into a bug report.")
    versions.add_argument("--json", action="store_true", help="one JSON document")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and gives its exit status.

    0 done, 1 failed, 2 wrong usage, 3 answers differ, 130 Ctrl-C.

    Example:
        >>> from gpukit.cli import main
        >>> main(["versions", "--json"])  # doctest: +ELLIPSIS
        {
        ...
        0
    """
    from gpukit.errors import GpukitError

    try:
        options = build_parser().parse_args(arguments)
        return int(options.act(options))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader left; a second write at exit would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except (GpukitError, ValueError, OSError) as error:
        print(f"gpukit: {error}", file=sys.stderr)
        return EXIT_FAILED
