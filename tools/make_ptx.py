"""PTX texts of gpukit's kernels: what the setting `engine=ptx` of the simulator runs.

    python tools/make_ptx.py 75 FOLDER [FAMILY ...]
    GPUKIT_SIMULATE=2xT4,engine=ptx,ptx=FOLDER pytest tests/backend

NVRTC and the CUDA headers are those of the build's wheels.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from compile_kernels import BuildError, Nvrtc, compile_images, wheel_path

CSRC = Path(__file__).resolve().parent.parent / "csrc"


def make(arch: int, folder: Path, families: list[str]) -> list[Path]:
    """A text for each kernel file, or of those families; BuildError if one does not compile."""
    nvrtc = Nvrtc(wheel_path("cuda_nvrtc", "lib", "libnvrtc.so.12"))
    includes = [CSRC, wheel_path("cuda_runtime", "include")]
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for source in sorted((CSRC / "kernels").glob("*.cu")):
        if families and source.stem not in families:
            continue
        (text,) = compile_images(nvrtc, source, includes, arch, "PTX")
        path = folder / f"{source.stem}.ptx"
        path.write_bytes(text.rstrip(b"\0"))
        made.append(path)
    return made


def main() -> int:
    """Make the texts; 1 with the reason on stderr if one cannot be made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("arch", type=int, help="75 for compute_75")
    parser.add_argument("folder", type=Path)
    parser.add_argument("families", nargs="*", help="file stems, such as matmul_mma; all if none")
    arguments = parser.parse_args()
    try:
        made = make(arguments.arch, arguments.folder, arguments.families)
    except BuildError as error:
        print(f"make_ptx: {error}", file=sys.stderr)
        return 1
    print(f"{len(made)} texts of compute_{arguments.arch} in {arguments.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
