"""`gpukit versions`: what a bug report needs."""

from __future__ import annotations

import argparse

from gpukit._cli.command import EXIT_OK, Command, add_json, print_document


def _run(options: argparse.Namespace) -> int:
    import gpukit

    if options.json:
        print_document(gpukit.show_versions(as_dict=True) or {})
    else:
        gpukit.show_versions()
    return EXIT_OK


COMMAND = Command("versions", "Versions to paste into a bug report.", _run, add_json)
