"""Install a wheel as Colab's and Kaggle's users would, and run the lessons there.

`python tools/try_hosted.py FOLDER [--platform kaggle] [--torch]`: FOLDER holds the wheels for
Python 3.12 and 3.13. Each platform is an environment with its pip and its packages; an installation
may add to them and change none. `--torch` adds torch (gigabytes) and runs the lessons again, torch
imported before gpukit and after. Takes minutes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from released_wheels import wheel_for

ROOT = Path(__file__).resolve().parents[1]
LESSONS = sorted((ROOT / "docs" / "lessons").glob("0*.md"))
RUNNER = ROOT / "tests" / "lessons" / "run_lesson.py"
ADDED = {"gpukit", "scipy-openblas32"}
TORCH = "torch==2.13.0"
NOTEBOOK = ("ipython==7.34.0", "ipykernel==6.17.1", "jupyter_client==7.4.9", "setuptools==75.2.0")
# Both images have a CUDA Toolkit with NVRTC, which lesson 7 needs.
NVRTC = "nvidia-cuda-nvrtc-cu12>=12.0"
COMMON = (
    *(*NOTEBOOK, "matplotlib==3.10.0", "psutil==5.9.5", "rich==13.9.4", "ml_dtypes>=0.4", NVRTC),
    *("scikit-learn==1.6.1", "scipy==1.16.3"),  # the digits of lesson 8
)


@dataclass(frozen=True)
class Platform:
    """What of a platform's image gpukit meets."""

    python: str
    packages: tuple[str, ...]
    pip: str = "24.1.2"


# The newest published lists, as read on 24 November 2026: googlecolab/backend-info of 19 August,
# and Kaggle/docker-python of 12 August, whose image is Colab's of 14 May 2026.
PLATFORMS = {
    "kaggle": Platform(
        "3.12",
        (
            *("numpy==2.0.2", "nvidia-ml-py==13.595.45"),
            *("cuda-pathfinder==1.5.3", "safetensors==0.7.0"),
        ),
    ),
    "colab": Platform(
        "3.13",
        (
            *("numpy==2.1.3", "nvidia-ml-py==13.610.43"),
            *("cuda-pathfinder==1.6.0", "safetensors==0.8.0"),
        ),
    ),
}

# Statements that run before a lesson, by the order in which the two libraries are imported.
ORDERS = {
    "gpukit alone": "import gpukit",
    "torch first": "import torch; import gpukit; torch.ones(3).sum()",
    "gpukit first": "import gpukit; gpukit.ones(3).sum().item(); import torch; torch.ones(3).sum()",
}
LESSON = (
    "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)


class Environment:
    """A virtual environment with the packages of a platform."""

    def __init__(self, folder: Path, platform: Platform) -> None:
        subprocess.run([f"python{platform.python}", "-m", "venv", folder], check=True)
        self.python = folder / "bin" / "python"
        self.pip("install", f"pip=={platform.pip}")
        self.pip("install", *platform.packages, *COMMON)

    def pip(self, *arguments: str | Path) -> str:
        """What pip prints. Its failure ends the script."""
        command = [self.python, "-m", "pip", "--disable-pip-version-check", *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def packages(self) -> dict[str, str]:
        """Name -> version of everything installed."""
        lines = self.pip("list", "--format=freeze").splitlines()
        return dict(line.split("==", 1) for line in lines)

    def run(self, code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """A fresh process in an empty folder."""
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(
                [self.python, "-c", code, *arguments],
                env=os.environ | {"IPYTHONDIR": folder},
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )


def install(environment: Environment, wheel: Path) -> list[str]:
    """The faults of the installation: packages that it changed, added or left without theirs."""
    before = environment.packages()
    environment.pip("install", wheel)
    after = environment.packages()
    changed = {name for name in before if after.get(name) != before[name]}
    faults = [f"{name} {before[name]} became {after.get(name)}" for name in sorted(changed)]
    strangers = sorted(set(after) - set(before) - ADDED)
    faults += [f"{name} {after[name]} was added" for name in strangers]
    environment.pip("check")
    return faults


def install_offline(environment: Environment, wheel: Path, folder: Path) -> None:
    """As docs/install.md says for a notebook without Internet: a folder with what is missing."""
    environment.pip("uninstall", "--yes", *ADDED)
    environment.pip("download", "--no-deps", "--dest", folder, "scipy-openblas32")
    environment.pip("install", "--no-index", "--find-links", folder, wheel)
    environment.pip("check")


def run_lessons(environment: Environment, order: str) -> list[str]:
    """The lessons that do not run to their end."""
    faults = []
    for lesson in LESSONS:
        done = environment.run(f"{ORDERS[order]}; {LESSON}", RUNNER, lesson)
        ending = "ran" if done.returncode == 0 else "FAILED"
        print(f"try_hosted: {order}: {lesson.stem} {ending}", flush=True)
        if done.returncode:
            faults.append(f"{order}: {lesson.stem}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return faults


def try_platform(platform: Platform, wheels: Path, *, torch: bool) -> list[str]:
    """All faults on one platform."""
    wheel = wheel_for(platform.python, wheels)
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(Path(folder) / "environment", platform)
        faults = install(environment, wheel)
        install_offline(environment, wheel, Path(folder) / "dataset")
        faults += run_lessons(environment, "gpukit alone")
        if torch:
            environment.pip("install", TORCH)
            for order in ("torch first", "gpukit first"):
                faults += run_lessons(environment, order)
    return faults


def main() -> int:
    """Try the platforms named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path, help="folder of the wheels")
    parser.add_argument("--platform", choices=PLATFORMS, action="append")
    parser.add_argument("--torch", action="store_true", help=f"also beside {TORCH}")
    arguments = parser.parse_args()
    failed = False
    for name in arguments.platform or PLATFORMS:
        faults = try_platform(PLATFORMS[name], arguments.wheels.resolve(), torch=arguments.torch)
        print(f"try_hosted: {name}: {'; '.join(faults) or 'no fault'}", flush=True)
        failed = failed or bool(faults)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
