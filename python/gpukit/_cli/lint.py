"""`gpukit lint`: the usual mistakes of GPU programs, found in their text."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpukit._cli.command import EXIT_OK, EXIT_USAGE, Command, print_bytes

EXIT_FOUND = 1  # as ruff: 0 clean, 1 findings, 2 a file or an option that cannot be read


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="FILE", nargs="*", default=["."], help="a file or folder; - is stdin"
    )
    parser.add_argument(
        "--select", metavar="CODES", action="append", help="only these: GPK001,GPK2"
    )
    parser.add_argument("--ignore", metavar="CODES", action="append", help="all but these")
    parser.add_argument("--fix", action="store_true", help="repair what is safe to repair")
    parser.add_argument(
        "--output-format",
        metavar="FORM",
        choices=("full", "concise", "json", "github", "sarif"),
        default="full",
        help="full, concise, json, github or sarif",
    )
    parser.add_argument("--rule", metavar="CODE", help="explain a rule, with its two examples")
    parser.add_argument(
        "--stdin-filename", metavar="NAME", default="stdin.py", help="the name of standard input"
    )


def _words(given: list[str] | None) -> list[str]:
    return [word for each in given or () for word in each.split(",") if word.strip()]


def _explain(code: str) -> int:
    from gpukit._language import shown
    from gpukit.lint.checking import rules

    found = rules().get(code.upper())
    if found is None:
        print(f"gpukit lint: {shown(f'there is no rule {code!r}')}", file=sys.stderr)
        return EXIT_USAGE
    print(f"{found.code} {found.name}\n\n{shown(found.message)}\n")
    print(f"{shown('Bad:')}\n\n{found.bad}\n{shown('Good:')}\n\n{found.good}", end="")
    return EXIT_OK


def _run(options: argparse.Namespace) -> int:
    from gpukit._language import shown
    from gpukit.errors import LintError
    from gpukit.lint.checking import check_source
    from gpukit.lint.findings import Finding
    from gpukit.lint.fixing import fix_file, fix_source
    from gpukit.lint.output import FORMS, plain
    from gpukit.lint.reading import read_file, read_stdin, read_text
    from gpukit.lint.settings import chosen, files, find_settings
    from gpukit.lint.writing import encoded

    if options.rule is not None:
        return _explain(options.rule)
    found: list[Finding] = []
    failed, settled = False, 0
    try:
        settings = find_settings(Path())
        codes = chosen(
            _words(options.select) or settings.select,
            [*settings.ignore, *_words(options.ignore)],
        )
        if "-" in options.paths:
            source = read_stdin(options.stdin_filename)
            if options.fix:
                text, settled = fix_source(source, codes)
                print_bytes(encoded(source, text))
                source = read_text(options.stdin_filename, text)
            found += check_source(source, codes)
    except LintError as error:
        print(f"gpukit lint: {plain(shown(str(error)))}", file=sys.stderr)
        return EXIT_USAGE
    for file in files([path for path in options.paths if path != "-"], settings):
        try:
            settled += fix_file(file, codes) if options.fix else 0
            found += check_source(read_file(file), codes)
        except (LintError, OSError) as error:  # noqa: PERF203
            print(f"gpukit lint: {plain(shown(str(error)))}", file=sys.stderr)
            failed = True
    fixed_stdin = options.fix and "-" in options.paths
    text = FORMS[options.output_format](found)
    unread = failed and not found and options.output_format in {"full", "concise"}
    if text and not unread:  # what was not read has not passed
        print(text, file=sys.stderr if fixed_stdin else sys.stdout)
    if settled:
        print(f"gpukit lint: {shown(f'{settled} fixed')}", file=sys.stderr)
    return EXIT_USAGE if failed else EXIT_FOUND if found else EXIT_OK


COMMAND = Command("lint", "The usual mistakes of GPU programs, by line.", _run, _arguments)
