"""Compile one .cu file by NVRTC: a cubin for each architecture and one PTX, packed into one file.

The pack is: eight bytes magic, the length of a JSON index as little-endian uint32, the index, the
images one after the other. tools/embed_images.py reads it, and compresses.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import json
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAGIC = b"GKIMAGES"
NVRTC_VERSION = (12, 9)
# NVRTC prints this line at each compilation for sm_52 ... sm_70, and has no switch against it.
DEPRECATION = re.compile(r"nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated")
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?!sim/)[^"]+)"', re.MULTILINE)


class BuildError(Exception):
    """The image cannot be made; the text says why."""


@dataclass(frozen=True)
class Image:
    """One device image."""

    arch: int
    ptx: bool
    data: bytes


def wheel_path(package: str, *parts: str) -> Path:
    """A file or folder of an NVIDIA wheel, whichever of the namespace's folders has it."""
    spec = importlib.util.find_spec("nvidia")
    for location in (spec.submodule_search_locations or []) if spec else []:
        path = Path(location, package, *parts)
        if path.exists():
            return path
    raise BuildError(f"nvidia/{package}/{'/'.join(parts)} was not found among the installed wheels")


class Nvrtc:
    """The few NVRTC calls in use."""

    def __init__(self, library: Path) -> None:
        # NVRTC opens it by name; under a sanitizer's dlopen that is not looked for beside NVRTC.
        for builtins in library.parent.glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins))
        self._library = ctypes.CDLL(str(library))
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        if (major.value, minor.value) != NVRTC_VERSION:
            found = f"{major.value}.{minor.value}"
            wanted = ".".join(map(str, NVRTC_VERSION))
            raise BuildError(f"{library} is NVRTC {found}; gpukit's kernels are built by {wanted}")

    def supported_archs(self) -> list[int]:
        """The capabilities this NVRTC makes cubins for."""
        count = ctypes.c_int()
        self._check(self._library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
        archs = (ctypes.c_int * count.value)()
        self._check(self._library.nvrtcGetSupportedArchs(archs))
        return list(archs)

    def compile(
        self, source: Path, options: list[str], kinds: tuple[str, ...]
    ) -> tuple[list[bytes], str]:
        """The images, "CUBIN" or "PTX", and the log; BuildError with it if it does not compile."""
        program = ctypes.c_void_p()
        name = source.name.encode()
        self._check(
            self._library.nvrtcCreateProgram(
                ctypes.byref(program), source.read_bytes(), name, 0, None, None
            )
        )
        encoded = [option.encode() for option in options]
        arguments = (ctypes.c_char_p * len(encoded))(*encoded)
        status = self._library.nvrtcCompileProgram(program, len(encoded), arguments)
        log = self._read(program, "ProgramLog").rstrip(b"\0").decode()
        if status != 0:
            raise BuildError(f"{source}: NVRTC with {' '.join(options)}\n{log}")
        images = [self._read(program, kind) for kind in kinds]
        self._check(self._library.nvrtcDestroyProgram(ctypes.byref(program)))
        return images, log

    def _read(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._library, f"nvrtcGet{what}")(program, buffer))
        return buffer.raw

    def _check(self, status: int) -> None:
        if status != 0:
            raise BuildError(f"NVRTC: {self._library.nvrtcGetErrorString(status).decode()}")


def complaints(log: str) -> str:
    """What a log says beyond the deprecation of old architectures."""
    lines = [line for line in log.splitlines() if line.strip() and not DEPRECATION.match(line)]
    return "\n".join(lines)


def included_files(source: Path, include: Path) -> list[Path]:
    """The project's headers that `source` reads; `sim/` is for the host build alone."""
    found: dict[Path, None] = {}
    waiting = [source]
    while waiting:
        current = waiting.pop()
        for name in INCLUDE.findall(current.read_text(encoding="utf-8")):
            for candidate in (current.parent / name, include / name):
                if candidate.exists() and candidate not in found:
                    found[candidate] = None
                    waiting.append(candidate)
                    break
    return list(found)


def without_frames(cubin: bytes) -> bytes:
    """The cubin with zeros for .debug_frame, which only a debugger's view of the stack reads.

    NVRTC has no option against it, and it takes 2 % of the compressed images.
    """
    (table,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    kept = bytearray(cubin)
    for name, _, _, _, offset, length in headers:
        start = headers[names][4] + name
        if cubin[start : cubin.index(b"\0", start)] == b".debug_frame":
            kept[offset : offset + length] = bytes(length)
    return bytes(kept)


def compile_images(
    nvrtc: Nvrtc, source: Path, includes: list[Path], arch: int, *kinds: str
) -> list[bytes]:
    """The images of `source` for one capability, each "CUBIN" or "PTX"; any warning is an error."""
    target = f"sm_{arch}" if "CUBIN" in kinds else f"compute_{arch}"
    options = [f"--gpu-architecture={target}", "--std=c++17"]
    options += [f"--include-path={path}" for path in includes]
    images, log = nvrtc.compile(source, options, kinds)
    if remaining := complaints(log):
        raise BuildError(f"{source} for {target}: warnings are errors\n{remaining}")
    return [
        without_frames(image) if kind == "CUBIN" else image
        for kind, image in zip(kinds, images, strict=True)
    ]


def compile_all(arguments: argparse.Namespace, nvrtc: Nvrtc, includes: list[Path]) -> list[Image]:
    """All images of the source, cubins in the order asked for, then the PTX."""
    kinds = {arch: ["CUBIN"] for arch in arguments.archs}
    # A cubin's compilation makes the same PTX on its way as one for the virtual architecture.
    kinds.setdefault(arguments.ptx_arch, []).append("PTX")
    supported = nvrtc.supported_archs()
    if missing := sorted(set(kinds) - set(supported)):
        raise BuildError(f"NVRTC makes no code for {missing}; it knows {supported}")
    compiled = {
        arch: compile_images(nvrtc, arguments.source, includes, arch, *wanted)
        for arch, wanted in kinds.items()
    }
    cubins = [Image(arch, False, compiled[arch][0]) for arch in arguments.archs]
    text = re.sub(rb"[ \t]+", b" ", compiled[arguments.ptx_arch][-1])  # 1 % less when compressed
    return [*cubins, Image(arguments.ptx_arch, True, text)]


def write_pack(path: Path, family: str, images: list[Image]) -> None:
    """Write the pack described at the top of this file."""
    index: dict[str, Any] = {"family": family, "images": []}
    for image in images:
        index["images"].append({"arch": image.arch, "ptx": image.ptx, "bytes": len(image.data)})
    header = json.dumps(index).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    blob = b"".join(image.data for image in images)
    path.write_bytes(MAGIC + struct.pack("<I", len(header)) + header + blob)


def write_depfile(path: Path, output: Path, inputs: list[Path]) -> None:
    """A depfile for ninja and make: `output` is old when one of `inputs` is newer."""
    names = [str(name).replace(" ", "\\ ") for name in inputs]
    path.write_text(f"{output}: {' '.join(names)}\n", encoding="utf-8")


def parse_arguments() -> argparse.Namespace:
    """The command line of one compilation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print-include-dir", action="store_true", help="of the wheels, and stop")
    parser.add_argument("--nvrtc", type=Path, help="libnvrtc.so.12; default: the wheel's")
    parser.add_argument("--cuda-include", type=Path, help="CUDA headers; default: the wheel's")
    parser.add_argument("--include", type=Path, help="where #include paths of the project start")
    parser.add_argument("--archs", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--ptx-arch", type=int)
    parser.add_argument("--depfile", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("source", type=Path, nargs="?")
    return parser.parse_args()


def main() -> int:
    """Compile, pack and write; 1 with the reason on stderr if one image cannot be made."""
    arguments = parse_arguments()
    try:
        library = arguments.nvrtc or wheel_path("cuda_nvrtc", "lib", "libnvrtc.so.12")
        headers = arguments.cuda_include or wheel_path("cuda_runtime", "include")
        if arguments.print_include_dir:
            print(headers)
            return 0
        nvrtc = Nvrtc(library)
        images = compile_all(arguments, nvrtc, [arguments.include, headers])
    except BuildError as error:
        print(f"compile_kernels: {error}", file=sys.stderr)
        return 1
    write_pack(arguments.output, arguments.source.stem, images)
    if arguments.depfile:
        inputs = [arguments.source, *included_files(arguments.source, arguments.include)]
        write_depfile(arguments.depfile, arguments.output, inputs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
