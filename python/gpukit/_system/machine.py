"""A machine as files, variables and installed packages: this one, or one made up for a test."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gpukit import _env

_MAX_FILE_BYTES = 1 << 20


def _installed() -> dict[str, str]:
    """Name -> version of every installed distribution; a name met twice keeps the first."""
    from importlib import metadata

    found: dict[str, str] = {}
    for distribution in metadata.distributions():
        facts = distribution.metadata  # read and parsed at each access
        if name := facts["Name"]:
            found.setdefault(name.lower().replace("_", "-"), facts["Version"] or "")
    return found


def _version_of(name: str) -> str | None:
    """The version of one distribution, None when it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _open_node(path: Path) -> str:
    """The result of opening a device node: ok, absent, denied (mode bits) or refused (a cgroup)."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except FileNotFoundError:
        return "absent"
    except PermissionError:
        return "refused" if os.access(path, os.R_OK | os.W_OK) else "denied"
    except OSError as error:
        return error.strerror or "failed"
    return "ok"


def _own_groups() -> list[str]:
    try:
        import grp

        members = {*os.getgroups(), os.getgid()}
        return [group.gr_name for group in grp.getgrall() if group.gr_gid in members]
    except (ImportError, OSError):
        return []


def _run_sysctl(name: str) -> str:
    """One value of macOS's sysctl, or ""."""
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 (a fixed program and our own names)
            ["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, timeout=2, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


@dataclass(frozen=True)
class Machine:
    """Where evidence comes from. All paths are absolute and looked up under `root`."""

    root: Path = Path("/")
    environ: Mapping[str, str] = field(default_factory=_env.all_variables)
    system: str = field(default_factory=platform.system)
    arch: str = field(default_factory=platform.machine)
    kernel: str = field(default_factory=platform.release)
    packages: Callable[[], dict[str, str]] = _installed
    version_of: Callable[[str], str | None] = _version_of
    open_node: Callable[[Path], str] = _open_node
    groups: Callable[[], list[str]] = _own_groups
    is_root: Callable[[], bool] = lambda: getattr(os, "geteuid", lambda: 1)() == 0
    sysctl: Callable[[str], str] = _run_sysctl

    def path(self, place: str) -> Path:
        """The file of an absolute place."""
        return self.root / place.lstrip("/")

    def place(self, path: Path) -> str:
        """The absolute place of a file under the root."""
        return "/" + path.relative_to(self.root).as_posix()

    def exists(self, place: str) -> bool:
        """True if something exists there; a folder that cannot be read counts as empty."""
        try:
            return self.path(place).exists()
        except OSError:
            return False

    def seen(self, *places: str) -> list[str]:
        """Those of the paths that exist."""
        return [place for place in places if self.exists(place)]

    def read(self, place: str) -> str:
        """The text of a file without its surrounding space, "" when it cannot be read."""
        try:
            with self.path(place).open("rb") as stream:
                return stream.read(_MAX_FILE_BYTES).decode("utf-8", "replace").strip("\0 \n\t")
        except OSError:
            return ""

    def glob(self, pattern: str) -> Iterator[str]:
        """The places that fit a pattern, sorted."""
        try:
            found = sorted(self.root.glob(pattern.lstrip("/")))
        except OSError:
            return
        for path in found:
            yield self.place(path)

    def link_name(self, place: str) -> str | None:
        """The last part of a symbolic link's target."""
        try:
            return self.path(place).readlink().name
        except OSError:
            return None

    def env(self, name: str) -> str:
        """A variable of the environment, "" when it is unset."""
        return self.environ.get(name, "").strip()

    def node(self, place: str) -> str:
        """Whether a device node opens."""
        return self.open_node(self.path(place))
