"""`gpukit new NAME`: a folder, or a notebook, with what the tutorials set up manually."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from gpukit import _language
from gpukit._cli.command import EXIT_OK, Command, add_json, print_document

_SUFFIX = ".ipynb"


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("name", metavar="NAME", help="a new folder, or a notebook: NAME.ipynb")


def _check(path: Path) -> None:
    """FileExistsError, FileNotFoundError or ValueError for a name that will not do."""
    if not path.name or not path.name.isprintable():
        raise ValueError(f"new: {str(path)!r} is not the name of a folder or a notebook")
    if path.name == _SUFFIX:
        raise ValueError("new: a notebook needs a name before .ipynb")
    if path.exists() or path.is_symlink():
        raise FileExistsError(
            f"new: {str(path)!r} already exists and is not overwritten; use another name"
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(f"new: there is no folder {str(path.parent)!r}")


def _write_notebook(path: Path) -> list[str]:
    from gpukit._cli.new_files import notebook

    with path.open("x", encoding="utf-8") as file:  # fails if it was created in the meantime
        file.write(notebook(path.stem))
    return [str(path)]


def _write_project(path: Path) -> list[str]:
    """All files, or none: the folder gets its name when it is complete."""
    from gpukit._cli.new_files import project
    from gpukit.version import __version__

    requirement = f"gpukit>={__version__.partition('.dev')[0].partition('+')[0]}"
    files = project(path.name, requirement)
    made = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        for name, text in files.items():
            (made / name).write_text(text, encoding="utf-8")
        made.chmod(0o755)
        path.mkdir()  # fails if it was created in the meantime
        made.replace(path)  # onto the empty folder
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return [str(path / name) for name in files]


def _run(options: argparse.Namespace) -> int:
    path = Path(options.name)
    _check(path)
    is_notebook = path.suffix == _SUFFIX
    files = _write_notebook(path) if is_notebook else _write_project(path)
    if options.json:
        print_document({"made": str(path), "files": files})
        return EXIT_OK
    print("\n".join(files))
    next_step = f"jupyter lab {path}" if is_notebook else f"cd {path} && python train.py"
    print(_language.shown(f"next: {next_step}"))
    return EXIT_OK


COMMAND = Command("new", "Make a project folder or a notebook to begin with.", _run, _arguments)
