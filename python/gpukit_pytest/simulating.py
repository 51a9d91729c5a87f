"""`pytest --gpukit-simulate 2xT4`: restarts pytest where every program finds simulated GPUs."""

from __future__ import annotations

import atexit
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

_STATUS: pytest.StashKey[int] = pytest.StashKey()
_VARIABLE = "GPUKIT_PYTEST_SIMULATE"
# Of gpukit/_simulation/folder.py, which cannot be imported without gpukit.
_PREFIX, _OWNER = "gpukit-sim-", "owner"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option `--gpukit-simulate`, and the line `gpukit_simulate` of a configuration file."""
    group = parser.getgroup("gpukit", "simulated GPUs (gpukit)")
    group.addoption(
        "--gpukit-simulate",
        metavar="GPUS",
        help="restart pytest where CUDA programs find simulated GPUs: 2xT4, "
        "or 2xT4,check=race to fail tests whose kernels race",
    )
    parser.addini("gpukit_simulate", "simulated GPUs, as for --gpukit-simulate", default="")


def wanted(config: pytest.Config) -> str:
    """The devices to simulate, from the command line, the environment or the configuration file."""
    if config.known_args_namespace.help or config.known_args_namespace.version:
        return ""  # no test will run
    option = getattr(config.known_args_namespace, "gpukit_simulate", None)
    if option is not None:
        return str(option).strip() or _nothing_named()
    return os.environ.get(_VARIABLE, "").strip() or str(config.getini("gpukit_simulate")).strip()


def _nothing_named() -> str:
    raise pytest.UsageError("--gpukit-simulate: name the devices, e.g. 2xT4")


def folder() -> Path | None:
    """The folder of simulated libraries on this process's library path, or None."""
    for entry in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep):
        place = Path(entry)
        if place.name.startswith(_PREFIX) and (place / "libcuda.so.1").exists():
            return place
    return None


def is_simulated(text: str) -> bool:
    """True if this process, or an ancestor, was started with these simulated GPUs."""
    return os.environ.get("GPUKIT_SIMULATE", "").strip() == text and folder() is not None


# Before pytest's own wrapper, which starts to capture output: the new process must inherit the
# files of this one.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> Iterator[None]:
    """Restart before a conftest.py is imported, if asked to."""
    _restart_if_requested(early_config, args)
    yield


def _restart_if_requested(config: pytest.Config, args: list[str]) -> None:
    text = wanted(config)
    if not text or is_simulated(text):
        return
    if "PYTEST_XDIST_WORKER" in os.environ:
        raise pytest.UsageError(
            "--gpukit-simulate: this worker of pytest-xdist runs on another machine or with an "
            "environment; start it with `gpukit sim`"
        )
    from gpukit_pytest import restarting

    # In a program that called pytest.main() this returns, and this process has nothing left to do.
    config.stash[_STATUS] = restarting.restart_pytest(config, text)
    args[:] = []
    config.known_args_namespace.noconftest = True


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """The exit status, if pytest ran in another process."""
    return config.stash.get(_STATUS, None)


def pytest_configure(config: pytest.Config) -> None:
    """Checks that the restart worked, and removes the folder at exit."""
    text = wanted(config)
    if not text:
        return
    if not is_simulated(text):
        raise pytest.UsageError(
            "--gpukit-simulate: the plugin was loaded too late, by a conftest.py; "
            "load it with -p gpukit"
        )
    if (place := folder()) is not None:
        _remove_at_exit(place)


def _remove_at_exit(place: Path) -> None:
    """Register the removal, if this process replaced the one that made the folder."""
    try:
        owner, held = map(int, (place / _OWNER).read_text().split())
    except (OSError, ValueError):
        return
    if owner == os.getpid():
        os.set_inheritable(held, False)  # a server that a test starts must not keep it
        atexit.register(_remove, place, owner)


def _remove(place: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(place, ignore_errors=True)


def pytest_report_header(config: pytest.Config) -> str | None:
    """The simulated GPUs of this run."""
    text = wanted(config)
    return f"gpukit: simulated GPUs {text}" if text else None
