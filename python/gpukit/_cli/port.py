"""`gpukit port`: code for torch becomes code for gpukit, and what will not run is listed."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from gpukit._cli.command import EXIT_OK, EXIT_USAGE, Command, print_bytes

if TYPE_CHECKING:
    from gpukit.port.porting import Ported

EXIT_LEFT = 1  # as `gpukit lint`: 0 nothing left, 1 leftovers, 2 a file or an option that fails


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="FILE", nargs="+", help="a file or folder; - is stdin")
    parser.add_argument(
        "--write", action="store_true", help="change the files instead of printing the difference"
    )
    parser.add_argument(
        "--output-format",
        "--format",
        metavar="FORM",
        choices=("full", "concise", "json", "github", "sarif"),
        default="full",
        help="full, concise, json, github or sarif",
    )
    parser.add_argument(
        "--stdin-filename", metavar="NAME", default="stdin.py", help="the name of standard input"
    )


def _run(options: argparse.Namespace) -> int:
    from gpukit._language import shown
    from gpukit.errors import LintError
    from gpukit.lint.output import plain
    from gpukit.lint.settings import Settings, files
    from gpukit.port.output import FORMS
    from gpukit.port.porting import port_file

    done: list[Ported] = []
    failed = False
    if "-" in options.paths:
        try:
            done.append(_standard_input(options))
        except LintError as error:
            print(f"gpukit port: {plain(shown(str(error)))}", file=sys.stderr)
            return EXIT_USAGE
    for file in files([path for path in options.paths if path != "-"], Settings()):
        try:
            done.append(port_file(file, write=options.write))
        except (LintError, OSError, UnicodeError) as error:  # noqa: PERF203
            print(f"gpukit port: {plain(shown(str(error)))}", file=sys.stderr)
            failed = True
    text = FORMS[options.output_format](done, written=options.write)
    if text:
        on_stdin = options.write and "-" in options.paths
        print(text, file=sys.stderr if on_stdin else sys.stdout)
    left = any(each.leftovers for each in done)
    return EXIT_USAGE if failed else EXIT_LEFT if left else EXIT_OK


def _standard_input(options: argparse.Namespace) -> Ported:
    from gpukit.lint.reading import read_stdin
    from gpukit.lint.writing import encoded
    from gpukit.port.porting import port_source

    source = read_stdin(options.stdin_filename)
    done = port_source(source)
    if options.write:
        print_bytes(encoded(source, done.text))
    return done


COMMAND = Command("port", "Change code for torch into code for gpukit.", _run, _arguments)
