"""`gpukit doctor`: what is broken first, and what to do."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpukit._cli.command import EXIT_FAILED, EXIT_OK, Command, add_json, print_document

_BACKENDS = ("cuda", "cpu", "rocm", "mps", "oneapi")


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("--deep", action="store_true", help="also copy between all pairs of GPUs")
    parser.add_argument(
        "--plan",
        metavar="SYSTEM",
        nargs="?",
        const="",
        help="print what to type on this system, or on a named one such as ubuntu; nothing is run",
    )
    parser.add_argument(
        "--paste", metavar="FILE", help="judge pasted nvidia-smi text; - is standard input"
    )
    parser.add_argument("--explain", metavar="TEXT", help="say what an error message means")
    parser.add_argument(
        "--require", metavar="BACKEND", choices=_BACKENDS, help="fail unless gpukit computes on it"
    )


def _text_of(path: str) -> str:
    if path == "-":
        return sys.stdin.read()
    return Path(path).read_text(encoding="utf-8", errors="replace")


def _print_text(name: str, text: str, *, as_json: bool) -> int:
    if as_json:
        print_document({name: text})
    else:
        print(text)
    return EXIT_OK


def _run(options: argparse.Namespace) -> int:
    import gpukit

    if options.plan is not None:
        return _print_text("plan", gpukit.doctor.plan(options.plan or None), as_json=options.json)
    if options.explain is not None:
        text = gpukit.doctor.explain(options.explain)
        return _print_text("explanation", text, as_json=options.json)
    if options.paste is not None:
        text = _text_of(options.paste)
        try:
            diagnosis = gpukit.doctor.judge_paste(text)
        except ValueError as error:  # then it is an error message of something else
            print(f"gpukit doctor: {error}", file=sys.stderr)
            if text.strip():
                _print_text("explanation", gpukit.doctor.explain(text), as_json=options.json)
            return EXIT_FAILED
    else:
        diagnosis = gpukit.doctor.examine(deep=options.deep)
    if options.json:
        print(diagnosis.to_json())
    else:
        diagnosis.print()
    if options.require and not diagnosis.supports(options.require):
        print(f"gpukit doctor: {options.require} is required and not usable", file=sys.stderr)
        return EXIT_FAILED
    return diagnosis.exit_code


COMMAND = Command("doctor", "What is broken first, and what to do.", _run, _arguments)
