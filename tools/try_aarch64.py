"""Try the wheel for aarch64 on an emulated processor: smoke runs, then the suites in pieces.

    python tools/try_aarch64.py --prepare                     # packages, emulator; once
    python tools/try_aarch64.py --wheel WHEEL                 # install it, and see that it runs
    python tools/try_aarch64.py --wheel WHEEL --suites        # the files without a result
    python tools/try_aarch64.py --wheel WHEEL --suites --report   # the score, and runs nothing

--prepare unpacks Debian's packages for arm64 under FOLDER/root (Python, the C library and the
static liblzma that the wheel is built with) and Debian testing's qemu-user under FOLDER/emulator;
nothing is installed, and apt's own state is not touched. Programs of that processor are started
through Linux's binfmt_misc, so this runs as root. Each file's result is written down when it is
known: a run that was stopped goes on where it ended, and a file runs again when it, or the wheel,
has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timezone
from fnmatch import fnmatch
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from build_wheels import SMOKE
from try_pythons import COMMANDS, FACTS, counts, fingerprint

ROOT = Path(__file__).resolve().parents[1]
MIRROR = "http://deb.debian.org/debian"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SYSTEM = "trixie"  # Python 3.13
EMULATOR = "testing"  # qemu 7 of Debian 12 passes the host's /proc/cpuinfo and is ten times slower
PACKAGES = ("python3.13", "liblzma-dev", "libstdc++6")
PYTHON = "3.13"
PLATFORMS = (
    "manylinux_2_28",
    "manylinux_2_27",
    "manylinux_2_26",
    "manylinux_2_17",
    "manylinux2014",
)
# An ELF file of 64 bits, little-endian, a program or a library, for machine 183.
MAGIC = rb"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
MASK = rb"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
BINFMT = Path("/proc/sys/fs/binfmt_misc")
ENTRY = "gpukit-aarch64"
MEMORY = 6 << 30  # bytes that one process may write to
GROUP = 12  # files: what is lost when a run is stopped
# In the order in which they run: mode and folder.
SUITES = (
    ("cpu", "unit"),
    ("cpu", "backend"),
    ("cpu", "driver"),
    ("sim", "driver"),
    ("sim", "sim"),
    ("sim", "backend"),
)


def run(*command: str | Path, **environment: str) -> None:
    """One command, with these variables added; its failure ends the script."""
    subprocess.run(list(map(str, command)), env=os.environ | environment, check=True)


class Emulated:
    """A system for aarch64 in a folder: Debian's packages, an emulator, a virtual environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.root = self.folder / "root"
        self.emulator = self.folder / "emulator" / "usr" / "bin" / "qemu-aarch64"
        self.environment = self.folder / "environment"
        self.python = self.environment / "bin" / "python"
        self.packages = self.environment / "lib" / f"python{PYTHON}" / "site-packages"

    def unpack(self, suite: str, architecture: str, target: Path, *packages: str) -> None:
        """Packages of a suite and what they depend on; apt keeps its state in our folder."""
        state = self.folder / f"apt-{suite}"
        for part in ("lists/partial", "cache/archives/partial"):
            (state / part).mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        source = f"deb [signed-by={KEYRING}] {MIRROR} {suite} main\n"
        (state / "sources.list").write_text(source, encoding="utf-8")
        settings = {
            "Dir::State": state,
            "Dir::State::status": state / "status",
            "Dir::State::lists": state / "lists",
            "Dir::Cache": state / "cache",
            "Dir::Etc::sourcelist": state / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "APT::Architecture": architecture,
            "APT::Architectures": architecture,
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
        }
        apt: list[str | Path] = [
            "apt-get",
            "-q",
            *(f"-o{name}={value}" for name, value in settings.items()),
        ]
        run(*apt, "update")
        run(*apt, "install", "--download-only", "-y", "--no-install-recommends", *packages)
        for archive in sorted((state / "cache" / "archives").glob("*.deb")):
            run("dpkg-deb", "-x", archive, target)

    def prepare(self) -> None:
        """The packages and the emulator, where they are missing."""
        if not self.root.exists():
            fresh = self.folder / "root.new"
            shutil.rmtree(fresh, ignore_errors=True)
            self.unpack(SYSTEM, "arm64", fresh, *PACKAGES)
            (fresh / "lib").symlink_to("usr/lib")
            fresh.rename(self.root)
        if not self.emulator.exists():
            self.unpack(EMULATOR, "amd64", self.folder / "emulator", "qemu-user")

    def register(self) -> None:
        """Linux starts programs of this processor in the emulator."""
        if not (BINFMT / "register").exists():
            run("mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT)
        if not (BINFMT / ENTRY).exists():
            line = b":".join(
                [b"", ENTRY.encode(), b"M", b"", MAGIC, MASK, bytes(self.emulator), b"F"]
            )
            (BINFMT / "register").write_bytes(line)

    def install(self, wheel: Path, tools: Path) -> None:
        """The wheel with what it and its tests require, in a fresh environment."""
        shutil.rmtree(self.environment, ignore_errors=True)
        self.python.parent.mkdir(parents=True)
        original = self.root / "usr" / "bin" / f"python{PYTHON}"
        shutil.copy2(original, self.python)
        libraries = self.root / "usr" / "lib" / "aarch64-linux-gnu"
        loader = self.root / "usr" / "lib" / "ld-linux-aarch64.so.1"
        patch: list[str | Path] = [
            tools / "bin" / "patchelf",
            "--force-rpath",
            "--set-rpath",
            libraries,
        ]
        run(*patch, "--set-interpreter", loader, self.python)
        (self.python.with_name("python3")).symlink_to("python")
        home = f"home = {original.parent}\ninclude-system-site-packages = false\n"
        (self.environment / "pyvenv.cfg").write_text(
            f"{home}version = {PYTHON}\n", encoding="utf-8"
        )
        import tomllib  # of Python 3.11

        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        tests = project["project"]["optional-dependencies"]["test"]
        pip: list[str | Path] = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--target",
            self.packages,
        ]
        pip += ["--only-binary=:all:", "--implementation=cp", f"--python-version={PYTHON}"]
        pip += [f"--platform={platform}_aarch64" for platform in PLATFORMS]
        run(*pip, wheel, *tests)
        for library in self.packages.glob("nvidia/cuda_nvrtc/lib/libnvrtc.so.*"):
            # It has a path of its own, so that of the program does not find its librt.so.1.
            run(tools / "bin" / "patchelf", "--add-rpath", libraries, library)
        for script in (self.packages / "bin").iterdir():  # they name the interpreter that ran pip
            _, _, text = script.read_text(encoding="utf-8").partition("\n")
            placed = self.python.with_name(script.name)
            placed.write_text(f"#!{self.python}\n{text}", encoding="utf-8")
            placed.chmod(0o755)

    def variables(self, compilers: Path, **more: str) -> dict[str, str]:
        """The environment of its processes: compilers make its code, though they run here."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            "PATH": f"{self.python.parent}{os.pathsep}{os.environ['PATH']}",
            "CC": str(compilers / "zig-cc"),
            "CXX": str(compilers / "zig-c++"),
            "QEMU_CPU": "neoverse-n1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **more,
        }

    def smoke(self, compilers: Path) -> None:
        """Values on the CPU and on simulated GPUs, the doctor, and a measurement."""
        gpukit: list[str | Path] = [self.python, "-m", "gpukit"]
        commands: list[list[str | Path]] = [
            [self.python, "-I", "-c", SMOKE],
            [*gpukit, "info"],
            [*gpukit, "sim", "2xT4", "--", *gpukit, "selftest"],
            [*gpukit, "sim", "2xT4", "--", *gpukit, "doctor"],
            [*gpukit, "bench"],
        ]
        for command in commands:
            print("$", *(Path(word).name for word in command[:1]), *command[1:], flush=True)
            subprocess.run(command, env=self.variables(compilers), check=True, timeout=1800)


class Suites:
    """Test files with their results, each of which is a line of a file."""

    def __init__(self, system: Emulated, compilers: Path, wheel: Path) -> None:
        self.system, self.compilers = system, compilers
        self.progress = system.folder / "results.jsonl"
        self.mark = fingerprint(wheel)

    def key(self, mode: str, file: Path) -> str:
        """What a result holds for."""
        content = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        return f"{mode} {file.relative_to(ROOT)} {content} {self.mark}"

    def results(self) -> dict[str, dict[str, Any]]:
        """The last result of each key."""
        if not self.progress.exists():
            return {}
        rows = map(json.loads, self.progress.read_text(encoding="utf-8").splitlines())
        return {row["key"]: row for row in rows}

    def run_group(self, mode: str, files: list[Path], workers: int) -> None:
        """Run these files in one process and its workers, which take some 15 s to start.

        Where it was stopped (a signal, a limit), each file runs alone.
        """
        report = self.system.folder / "report.xml"
        report.unlink(missing_ok=True)
        command: list[str | Path] = [
            self.system.python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--tb=short",
        ]
        command += ["-n", str(workers), "--timeout=1800", "-m", "not memory_growth"]
        begin, limit = time.monotonic(), (MEMORY, MEMORY)
        done = subprocess.run(
            [*command, f"--junitxml={report}", *files],
            cwd=ROOT,
            env=self.system.variables(self.compilers, GPUKIT_TEST_MODE=mode),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, limit),
        )
        seconds = round(time.monotonic() - begin, 1)
        stopped = done.returncode not in {0, 1, 5}  # 5: the mode has no test in these files
        if stopped and len(files) > 1:
            for file in files:
                self.run_group(mode, [file], workers)
            return
        if stopped:
            report.unlink(missing_ok=True)
        names = [file.relative_to(ROOT).as_posix() for file in files]
        counted = counts(report, names)
        with self.progress.open("a", encoding="utf-8") as progress:
            for file, name in zip(files, names, strict=True):
                row = {"key": self.key(mode, file), **counted[name], "seconds": seconds}
                row["said"] = done.stdout[-8000:] if row["failed"] else ""
                progress.write(json.dumps(row) + "\n")
                seconds = 0.0  # those of the group stand in its first row
        last = next((line for line in reversed(done.stdout.splitlines()) if " in " in line), "")
        told = f"{mode} {names[0]} to {Path(names[-1]).name}"
        print(f"{told}: {last.strip('= ') or done.returncode}", flush=True)

    def files(self, only: str) -> Iterable[tuple[str, Path]]:
        """Every file of the suites whose name fits."""
        for mode, folder in SUITES:
            for file in sorted((ROOT / "tests" / folder).glob("test_*.py")):
                without_driver = file.name.startswith("test_no_driver")  # as tests/support/mode.py
                if folder == "driver" and without_driver != (mode == "cpu"):
                    continue
                if fnmatch(f"{mode} {file.relative_to(ROOT)}", only):
                    yield mode, file

    def run(self, only: str, workers: int, *, again: bool) -> None:
        """The files that have no result yet, or that failed."""
        results = self.results()
        for mode, pairs in groupby(self.files(only), key=itemgetter(0)):
            known = [(file, results.get(self.key(mode, file))) for _, file in pairs]
            left = [file for file, row in known if row is None or (again and row["failed"])]
            for start in range(0, len(left), GROUP):
                self.run_group(mode, left[start : start + GROUP], workers)

    def rows(self, wheel: Path, only: str) -> list[dict[str, Any]]:
        """What tools/make_platforms.py shows, for each mode with results of these files."""
        results = self.results()
        words: list[str | Path] = [self.system.python, "-c", FACTS]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        facts = json.loads(told) | {"system": f"Debian {SYSTEM} under qemu-user"}
        rows = []
        for mode in dict(SUITES):
            of_mode = [pair for pair in self.files(only) if pair[0] == mode]
            ran = [
                (file, results[key])
                for _, file in of_mode
                if (key := self.key(mode, file)) in results
            ]
            if ran:
                sums = {word: sum(row[word] for _, row in ran) for word in ("passed", "failed")}
                folders = sorted({str(file.parent.relative_to(ROOT)) for file, _ in ran})
                date = datetime.now(timezone.utc).date().isoformat()
                row = {"wheel": wheel.name, **facts, "tests": folders, "mode": mode, **sums}
                row["files"] = [len(ran), len(of_mode)]  # that ran, that there are
                rows.append({**row, "seen": [*COMMANDS], "date": date})
        return rows

    def report(self, only: str) -> int:
        """The score, in the words of a test runner; 1 while a file has no result, or failed."""
        results, total, missing, bad = self.results(), Counter[str](), 0, 0
        seconds = 0.0
        for mode, file in self.files(only):
            row = results.get(self.key(mode, file))
            if row is None:
                missing += 1
                continue
            seconds += float(row["seconds"])
            total.update({word: int(row[word]) for word in ("passed", "failed")})
            if row["failed"]:
                bad += 1
                print(f"{mode} {file.relative_to(ROOT)}:")
                print(*(f"    {name}" for name in row["failures"]), sep="\n")
        text = ", ".join(f"{number} {word}" for word, number in total.items())
        print(f"== {text} in {seconds:.0f}s ==")
        print(f"try_aarch64: {bad} files failed, {missing} have not run")
        return 1 if bad or missing else 0


def main() -> int:
    """Prepare, install, try and run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "aarch64")
    parser.add_argument("--prepare", action="store_true", help="unpack packages and emulator")
    parser.add_argument("--wheel", type=Path)
    parser.add_argument(
        "--release", type=Path, default=ROOT / "build" / "release", help="with the compilers"
    )
    parser.add_argument("--suites", action="store_true", help="run the tests that have no result")
    parser.add_argument("--only", default="*", help='pattern of "MODE FILE"')
    parser.add_argument("--failed", action="store_true", help="also those that failed")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--rows", type=Path, help="write the rows of tools/make_platforms.py here")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    system, release = Emulated(options.folder), options.release.resolve()
    if options.prepare:
        system.folder.mkdir(parents=True, exist_ok=True)
        system.prepare()
    if options.wheel is None:
        return 0
    suites = Suites(system, release / "aarch64", options.wheel)
    if not options.report:
        system.register()
        installed = system.folder / "installed.txt"
        if not installed.exists() or installed.read_text(encoding="utf-8") != suites.mark:
            installed.unlink(missing_ok=True)
            system.install(options.wheel.resolve(), release / "tools")
            system.smoke(suites.compilers)
            installed.write_text(suites.mark, encoding="utf-8")
        if options.suites:
            suites.run(options.only, options.workers, again=options.failed)
    if options.rows is not None:
        rows = suites.rows(options.wheel, options.only)
        options.rows.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return suites.report(options.only) if options.suites else 0


if __name__ == "__main__":
    sys.exit(main())
