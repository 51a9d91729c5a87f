"""Restarts pytest with simulated GPUs."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest


def restart_pytest(config: pytest.Config, text: str) -> int:
    """Replace this process; in a program that called `pytest.main()`, run pytest as a child.

    Returns:
        The status of the other process.

    Raises:
        pytest.UsageError: The text describes no simulation, or this gpukit has no simulator.
    """
    simulated = _simulated_libraries(text)
    try:
        if not _is_pytest_process():
            return _run(config, text, simulated)
        from gpukit._simulation.folder import become

        os.chdir(config.invocation_params.dir)
        become([sys.executable, *sys.orig_argv[1:]], text, simulated)
    except OSError as error:
        raise pytest.UsageError(f"--gpukit-simulate: cannot restart pytest: {error}") from error


def _simulated_libraries(text: str) -> Path:
    """The folder of the simulated libraries, for a text that describes a simulation."""
    from gpukit._simulation.library import library_path
    from gpukit._simulation.session import check_text
    from gpukit.errors import SimulationError

    try:
        check_text(text)
    except (ValueError, SimulationError) as error:
        raise pytest.UsageError(str(error)) from error
    return library_path().parent


def _is_pytest_process() -> bool:
    """True for `pytest`, `python -m pytest`, `coverage run -m pytest`: it only runs pytest."""
    frame = sys._getframe()  # noqa: SLF001
    while frame.f_back is not None:
        frame = frame.f_back
        is_config = frame.f_globals.get("__name__") == "_pytest.config"
        if is_config and frame.f_code.co_name in {"console_main", "_console_main"}:
            return bool(sys.executable)
    return False


def _run(config: pytest.Config, text: str, simulated: Path) -> int:
    """Run pytest as a child, with the arguments and the output of `pytest.main()`."""
    from gpukit._simulation.folder import environment, sim_folder
    from gpukit._simulation.process import wait_for

    asked = config.invocation_params
    command = [sys.executable, "-m", "pytest", *_plugins(config), *map(str, asked.args)]
    sys.stdout.flush()
    sys.stderr.flush()
    with sim_folder(simulated) as folder:
        variables = environment(folder, text)
        variables["PYTHONPATH"] = os.pathsep.join([variables["PYTHONPATH"], *_own_places()])
        status = wait_for(command, variables, asked.dir)
    if status >= 0:
        return status
    import signal

    print(f"gpukit: pytest was killed by {signal.Signals(-status).name}", file=sys.stderr)  # noqa: T201
    return 128 - status


def _plugins(config: pytest.Config) -> list[str]:
    """`plugins=` as options; an object cannot be passed to another process."""
    named: list[str] = []
    for plugin in config.invocation_params.plugins or ():
        if not isinstance(plugin, str):
            raise pytest.UsageError(
                "--gpukit-simulate: pytest.main(plugins=...) was given an object, which cannot be "
                "passed to the new process; start the whole program with `gpukit sim`"
            )
        named += ["-p", plugin]
    return named


def _own_places() -> list[str]:
    """Entries that the program added to sys.path, so that pytest finds the same modules."""
    paths = sysconfig.get_paths()
    usual = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    usual |= {str(Path(paths["platstdlib"]) / "lib-dynload")}
    zipped = _zipped_library()
    usual |= {str(Path(paths[name]).with_name(zipped)) for name in ("stdlib", "platstdlib")}
    return [str(Path(p).absolute()) for p in sys.path if p not in usual]


def _zipped_library() -> str:
    """The archive that may hold the standard library: python311.zip; it is always on the path."""
    return f"python{sys.version_info.major}{sys.version_info.minor}.zip"
