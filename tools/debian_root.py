"""A Debian testing system in a folder, for Pythons that this machine does not have.

`python tools/debian_root.py [--bind DIR]... [--path DIR]... FOLDER -- COMMAND...` makes the root
with mmdebstrap if it is not there, and runs a command in it, as the superuser. This checkout is
mounted at its own path, and so is each DIR of --bind; --path puts a DIR last on the command's path.
All mounts are private to the command and end with it. To remove the root:
`rm -rf --one-file-system FOLDER`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUITE = "forky"
PYTHONS = ("3.14", "3.15")
PACKAGES = (
    *(f"python{version}{part}" for version in PYTHONS for part in ("", "-venv", "-dev")),
    *("ca-certificates", "cmake", "g++", "git", "liblzma-dev", "ninja-build", "zlib1g-dev"),
)
# Each Python has an environment of its own with pip, whose programs are first on the path.
PLACE = "/opt/pythons"
PATHS = [*(f"{PLACE}/{version}/bin" for version in PYTHONS), "/usr/sbin", "/usr/bin", "/bin"]
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
MOUNTS = """
set -e
root=$1; shift
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do mkdir -p "$root$1"; mount --bind "$1" "$root$1"; shift; done
shift; folder=$1; shift
exec chroot "$root" /usr/bin/env -C "$folder" -i "$@"
"""


def checkout() -> tuple[Path, ...]:
    """The folders of this checkout: of a worktree, also that of its repository."""
    words = ["git", "rev-parse", "--path-format=absolute", "--git-common-dir"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    common = Path(done.stdout.strip() or ROOT)
    return (ROOT,) if common.is_relative_to(ROOT) else (ROOT, common)


@dataclass(frozen=True)
class DebianRoot:
    """A root and what is mounted into it."""

    folder: Path
    binds: tuple[Path, ...] = ()

    def make(self) -> None:
        """Install the system, and an environment with pip for each Python."""
        if not (self.folder / "usr" / "bin" / f"python{PYTHONS[-1]}").exists():
            if shutil.which("mmdebstrap") is None or os.geteuid() != 0:
                raise SystemExit("debian_root: run it as the superuser, with mmdebstrap installed")
            subprocess.run(
                [
                    *("mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}"),
                    # The suite's file of hashes may be old on a mirror; its signature is checked.
                    '--aptopt=Acquire::Check-Valid-Until "false"',
                    *(SUITE, str(self.folder)),
                ],
                check=True,
            )
        for version in PYTHONS:
            if (self.folder / PLACE[1:] / version / "bin" / "pip").exists():
                continue
            if self.run(f"/usr/bin/python{version}", "-m", "venv", f"{PLACE}/{version}"):
                raise SystemExit(f"debian_root: no environment for Python {version}")

    def command(self, *words: str | Path, **environment: str) -> list[str]:
        """What runs `words` in the root, in the checkout."""
        for name in ("/etc/resolv.conf", CERTIFICATES):
            if Path(name).exists():
                shutil.copyfile(name, self.folder / name[1:])
        variables = {
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join(PATHS),
            "PIP_CERT": CERTIFICATES,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            **environment,
        }
        return [
            *("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", MOUNTS, "sh"),
            *(str(self.folder.resolve()), *map(str, (*checkout(), *self.binds))),
            *("--", str(ROOT)),
            *(f"{name}={value}" for name, value in variables.items()),
            *map(str, words),
        ]

    def run(self, *words: str | Path, **environment: str) -> int:
        """The status of `words`, run in the root."""
        return subprocess.run(self.command(*words, **environment), check=False).returncode


def main() -> int:
    """Make the root if it is not there, and run a command in it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bind", type=Path, action="append", default=[], help="mount this too")
    parser.add_argument("--path", type=Path, action="append", default=[], help="of more programs")
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    root = DebianRoot(arguments.folder, tuple(path.resolve() for path in arguments.bind))
    root.make()
    path = os.pathsep.join([*PATHS, *map(str, arguments.path)])
    return root.run(*arguments.command, PATH=path) if arguments.command else 0


if __name__ == "__main__":
    sys.exit(main())
