"""Build the wheels of a release: one a Python, for any Linux with glibc 2.28 or newer.

`python tools/build_wheels.py --out DIR [--arch aarch64 [--root ROOT]] [--python python3.12]...`, by
Python 3.11 or newer. The compiler is zig's, from its wheel: it links with the old glibc's symbols
and brings its own C++ library. Everything but the bindings is compiled once. Each wheel is checked,
and tried in a fresh environment. The same commit and tools give the same bytes, in any folder.

A wheel for another processor than this machine's is tried by tools/try_aarch64.py, which also makes
ROOT, a folder of that processor's Debian packages; `--try` on such a machine tries those in DIR.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cross_build import GLIBC, Target, collect_lzma, write_compilers

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "release"
PACKING = WORK / "packing"
PYTHONS = tuple(f"python3.{minor}" for minor in range(10, 16))

SMOKE = """
import gpukit
with gpukit.simulate(2, "T4"):
    for device in ("cpu", "cuda:0", "cuda:1"):
        x = gpukit.arange(12, device=device, dtype="float32").reshape(3, 4)
        assert (x @ x.t()).sum().item() == 1134, device
"""


def run(*command: str | Path, **environment: str) -> None:
    """One command, with these variables added; its failure ends the script."""
    subprocess.run(list(map(str, command)), cwd=ROOT, env=os.environ | environment, check=True)


def requirements(*groups: str) -> list[str]:
    """What these dependency groups of pyproject.toml name."""
    import tomllib  # of Python 3.11

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [entry for group in groups for entry in project["dependency-groups"][group]]


def missing(pythons: Sequence[str]) -> list[str]:
    """Those of the Pythons that are not on the path, or do not start."""
    asked = {python: [python, "-c", "import venv"] for python in pythons if shutil.which(python)}
    started = {python: subprocess.run(words, check=False) for python, words in asked.items()}
    return [p for p in pythons if p not in started or started[p].returncode]


def set_date() -> None:
    """Files in archives bear the commit's date, unless SOURCE_DATE_EPOCH names another."""
    words = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        os.environ.setdefault("SOURCE_DATE_EPOCH", done.stdout.strip())
    os.umask(0o022)


def install_tools(python: str) -> Path:
    """The build's requirements in one folder for all Pythons: none has code for one Python only.

    The oldest Python installs them, because only it needs the backports among them.
    """
    folder, installed = WORK / "tools", WORK / "tools.txt"
    wanted = requirements("build", "wheels")
    listing = "\n".join([f"# {python}", *wanted])  # its backports, its first lines of programs
    if not installed.exists() or installed.read_text(encoding="utf-8") != listing:
        shutil.rmtree(folder, ignore_errors=True)
        run(python, "-m", "pip", "install", "-q", "--target", folder, *wanted)
        installed.write_text(listing, encoding="utf-8")
    if not PACKING.exists():
        words = ("-m", "pip", "install", "-q", "--target", PACKING)
        run(sys.executable, *words, *requirements("packing"))
    return folder


def headers(python: str) -> Path:
    """The folder of a Python's headers.

    Debian's pyconfig.h includes that of the processor that is compiled for, from a folder that only
    its own compilers search. There is this machine's alone, which serves all: a link leads to it.
    """
    names = "sysconfig.get_path('include'), sysconfig.get_config_var('MULTIARCH') or ''"
    words = [python, "-c", f"import sysconfig; print({names}, sep='\\n')"]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    folder, multiarch = map(Path, done.stdout.splitlines())
    settings = folder.parent / multiarch / folder.name / "pyconfig.h"
    if not multiarch.name or not settings.exists():
        return folder
    linked = WORK / "headers" / folder.name
    shutil.rmtree(linked, ignore_errors=True)
    linked.mkdir(parents=True)
    for header in {entry.name: entry for entry in (*folder.iterdir(), settings)}.values():
        (linked / header.name).symlink_to(header)
    return linked


def build(python: str, tools: Path, target: Target, folder: Path) -> Path:
    """The wheel for one Python, as the compiler left it. All Pythons share one build tree."""
    work = WORK / target.processor
    work.mkdir(parents=True, exist_ok=True)
    environment = {
        "PYTHONPATH": str(tools),
        "PATH": f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}",
        **write_compilers(target, tools / "ziglang" / "zig", work),
        **target.environment(python),
    }
    settings = {
        "build-dir": work / "tree",
        "cmake.define.GPUKIT_TOOL_PYTHON": sys.executable,
        "cmake.define.GPUKIT_FORWARD_LIBC": "ON",
        "cmake.define.Python_INCLUDE_DIR": headers(python),
        **collect_lzma(target, work / "lzma"),
        **target.settings(python),
    }
    options = [f"--config-settings={name}={value}" for name, value in settings.items()]
    command = [python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    run(*command, *options, "--wheel-dir", folder, ".", **environment)
    return next(folder.glob("*.whl"))


def repair(wheel: Path, tools: Path, target: Target, out: Path) -> Path:
    """The wheel under the tag of the systems that it runs on, checked."""
    with tempfile.TemporaryDirectory() as folder:
        run(
            *(sys.executable, "-c", target.auditor, "repair", "--only-plat", "-z", "9"),
            *("--plat", target.platform, "--wheel-dir", folder),
            wheel,
            PYTHONPATH=str(tools),
            PATH=f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}",
        )
        made = next(Path(folder).glob("*.whl"))
        run(sys.executable, ROOT / "tools" / "pack_wheel.py", made, PYTHONPATH=str(PACKING))
        run(sys.executable, ROOT / "tools" / "check_wheel.py", made, "--glibc", GLIBC, "--release")
        return Path(shutil.move(made, out / made.name))


def smoke(python: str, wheel: Path) -> None:
    """The wheel in a fresh environment of its Python: values on the CPU and two simulated GPUs."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        inside = Path(folder) / "bin" / "python"
        run(inside, "-m", "pip", "install", "-q", wheel)
        run(inside, "-I", "-c", SMOKE)
        run(
            Path(folder) / "bin" / "gpukit", "sim", "2xT4", "--", inside, "-m", "gpukit", "selftest"
        )


def wheel_of(python: str, target: Target) -> str:
    """The pattern of its file name."""
    tag = target.name(python).split("-")[1]
    return f"gpukit-*-cp{tag}-cp{tag}-{target.platform}.whl"


def try_all(pythons: Sequence[str], out: Path, target: Target) -> None:
    """The wheels in `out`, each in a fresh environment of its Python."""
    for python in pythons:
        wheel = next(out.glob(wheel_of(python, target)), None)
        if wheel is None:
            raise SystemExit(f"build_wheels: {out} has no {wheel_of(python, target)}")
        smoke(python, wheel)
        print(f"build_wheels: {wheel.name} runs", flush=True)


def build_all(
    pythons: Sequence[str],
    out: Path,
    target: Target | None = None,
    *,
    tools: Path | None = None,
    keep: bool = False,
) -> Path:
    """The wheels, in `out`; `keep` those that are there. Gives the tools that made them."""
    if names := missing(pythons):
        raise SystemExit(
            f"build_wheels: not on the path: {', '.join(names)}; --python names others"
        )
    target = target or Target(platform.machine())
    set_date()
    out.mkdir(parents=True, exist_ok=True)
    WORK.mkdir(parents=True, exist_ok=True)
    tools = tools or install_tools(pythons[0])
    for python in pythons:
        if keep and any(out.glob(wheel_of(python, target))):
            continue
        with tempfile.TemporaryDirectory() as folder:
            made = build(python, tools, target, Path(folder))
            wheel = repair(made, tools, target, out)
        if target.native:
            smoke(python, wheel)
        print(f"build_wheels: {wheel.name} is made{' and runs' * target.native}", flush=True)
    return tools


def main() -> int:
    """Build, check and try the wheels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist"))
    parser.add_argument("--arch", choices=("x86_64", "aarch64"), default=platform.machine())
    parser.add_argument("--root", type=Path, default=Path("/"), help="of the other processor")
    parser.add_argument("--python", action="append", dest="pythons", help="repeatable")
    parser.add_argument("--try", action="store_true", dest="smoke", help="build nothing")
    arguments = parser.parse_args()
    target = Target(arguments.arch, arguments.root.resolve())
    pythons, out = arguments.pythons or PYTHONS, arguments.out.resolve()
    if arguments.smoke:
        try_all(pythons, out, target)
    else:
        build_all(pythons, out, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
