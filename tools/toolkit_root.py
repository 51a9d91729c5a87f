"""Put together a CUDA Toolkit root from wheels, to try -DGPUKIT_CUDA_ROOT without a toolkit.

`python tools/toolkit_root.py FOLDER` makes FOLDER with links to the wheels of the group `build`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from compile_kernels import BuildError, wheel_path

VERSION = {"cuda": {"name": "CUDA SDK", "version": "12.9.1"}}


def make_root(root: Path) -> None:
    """Link what CMake's FindCUDAToolkit and gpukit's build look for."""
    libraries = root / "lib64"
    libraries.mkdir(parents=True)
    (root / "include").symlink_to(wheel_path("cuda_runtime", "include"))
    (root / "version.json").write_text(json.dumps(VERSION), encoding="utf-8")
    runtime = wheel_path("cuda_runtime", "lib", "libcudart.so.12")
    (libraries / "libcudart.so").symlink_to(runtime)
    for library in wheel_path("cuda_nvrtc", "lib").glob("libnvrtc*"):
        (libraries / library.name).symlink_to(library)


def main() -> int:
    """Make the folder named on the command line."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    try:
        make_root(Path(sys.argv[1]))
    except BuildError as error:
        print(f"toolkit_root: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
