"""The command line: `gpukit COMMAND`. The commands themselves are in `gpukit._cli`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from gpukit import _cli, _language
from gpukit._cli.command import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from gpukit._cli.help_text import HelpText


def _hint(word: str, names: list[str]) -> str:
    """The nearest name, or all of them."""
    near, typed = get_close_matches(word, names, 1), ", ".join(names)
    return f"did you mean {near[0]!r}?" if near else f"known: {typed}"


class _Parser(argparse.ArgumentParser):
    """argparse that suggests the nearest word for an unknown word or option."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": HelpText, **settings})

    def format_help(self) -> str:
        """The help, in the language of the screen."""
        _language.follow_locale()
        return super().format_help()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            hint = _hint(str(value), [str(choice) for choice in action.choices])
            raise argparse.ArgumentError(action, f"there is no {value!r}; {hint}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown_text(unknown[0]))
        return options, unknown

    def _unknown_text(self, word: str) -> str:
        hint = _hint(word.split("=", maxsplit=1)[0], list(self._option_string_actions))
        return f"there is no {word!r}; {hint}"

    def error(self, message: str) -> NoReturn:
        _language.follow_locale()
        self.print_usage(sys.stderr)
        self.exit(EXIT_USAGE, f"{self.prog}: {_language.shown(message)}\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    import gpukit
    from gpukit._cli.info import overview

    parser = _Parser(prog="gpukit", description="Find, use and time GPUs honestly.")
    parser.add_argument("--version", action="version", version=f"gpukit {gpukit.__version__}")
    parser.set_defaults(act=overview)
    subparsers = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    for command in _cli.commands():
        entry = subparsers.add_parser(
            command.name, help=command.summary, description=command.summary
        )
        entry.set_defaults(act=command.run)
        command.arguments(entry)
    return parser


def _run(arguments: Sequence[str] | None) -> int:
    options = build_parser().parse_args(arguments)
    if not getattr(options, "json", False):  # a document for programs is English
        _language.follow_locale()
    status = int(options.act(options))
    if sys.stdout is not None:
        sys.stdout.flush()  # a reader that left is noticed here, not while the interpreter ends
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status.

    0 done, 1 failed, 2 wrong usage, 3 results differ, 130 Ctrl-C.

    Example:
        >>> from gpukit.cli import main
        >>> main(["versions", "--json"])  # doctest: +ELLIPSIS
        {
        ...
        0
    """
    from gpukit.errors import GpukitError

    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader left; a second write at exit would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except (GpukitError, ValueError, OSError) as error:
        print(f"gpukit: {_language.shown(str(error))}", file=sys.stderr)
        return EXIT_FAILED
