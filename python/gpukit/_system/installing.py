"""How to install gpukit and its extras: from the index, or, for a development version, from files.

`_core.install_command` decides by the version, for the C++ side too.
"""

from __future__ import annotations

from gpukit import _core


def _version(version: str) -> str:
    return version or str(_core.build_info()["version"])


def command(extra: str = "", *, version: str = "") -> str:
    """The command for a shell. A development version's extras are named by their packages.

    Example:
        >>> from gpukit._system import installing
        >>> installing.command(version="1.0.0"), installing.command(version="1.1.0.dev0")
        ('pip install gpukit', 'pip install .')
    """
    return str(_core.install_command(extra, _version(version)))


def wheel(version: str = "") -> str:
    """What pip takes where there is no clone: the name, or a development version's file."""
    text = _version(version)
    released = command(version=text).removeprefix("pip install ")
    return released if released != "." else f"PATH/gpukit-{text}-….whl"


def in_a_cell(*, version: str = "") -> str:
    """The line for a cell of a notebook."""
    return f"%pip install {wheel(version)}"


def in_words(*, version: str = "") -> str:
    """The command, with what else may be typed."""
    first, other = command(version=version), f"pip install {wheel(version)}"
    return first if first == other else f"{first} in a clone of gpukit, or {other}"
