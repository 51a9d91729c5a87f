"""Make the assembler file and the C++ index that put compiled kernel images into the extension.

The assembler file takes the bytes straight from the packs (.incbin); the index implements
gpukit::kernel_images() of csrc/kernels/images.h. A missing image ends the build.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from compile_kernels import MAGIC

SECTION = ".gpukit_images"


@dataclass(frozen=True)
class Entry:
    """Where one image lies in its pack."""

    family: str
    arch: int
    ptx: bool
    compressed: bool
    raw_bytes: int
    stored_bytes: int
    pack: Path
    offset: int

    @property
    def symbol(self) -> str:
        """The name of the image's first byte."""
        return f"gpukit_image_{self.family}_{'compute' if self.ptx else 'sm'}_{self.arch}"


def read_pack(path: Path) -> list[Entry]:
    """The entries of one pack, in their stored order."""
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise SystemExit(f"embed_images: {path} is not a pack of kernel images")
    start = len(MAGIC) + 4
    (length,) = struct.unpack_from("<I", data, len(MAGIC))
    index = json.loads(data[start : start + length])
    entries = []
    offset = start + length
    for image in index["images"]:
        entries.append(
            Entry(
                index["family"],
                image["arch"],
                image["ptx"],
                index["compressed"],
                image["raw_bytes"],
                image["stored_bytes"],
                path,
                offset,
            )
        )
        offset += image["stored_bytes"]
    if offset != len(data):
        raise SystemExit(f"embed_images: {path} is cut short")
    return entries


def check_complete(
    entries: list[Entry], families: list[str], wanted: set[tuple[int, bool]]
) -> None:
    """End the build unless every family has every wanted image."""
    for family in families:
        found = {(entry.arch, entry.ptx) for entry in entries if entry.family == family}
        if missing := sorted(wanted - found):
            raise SystemExit(f"embed_images: {family}.cu has no image for {missing} (arch, is PTX)")


def assembly(entries: list[Entry]) -> str:
    """The .S file: one hidden symbol per image."""
    # A section of its own, so that tools/check_wheel.py can see how much of the wheel they take.
    lines = [f'    .section {SECTION},"a",%progbits']
    for entry in entries:
        lines += [
            "    .balign 16",
            f"    .globl {entry.symbol}",
            f"    .hidden {entry.symbol}",
            f"    .type {entry.symbol}, %object",
            f"    .size {entry.symbol}, {entry.stored_bytes}",
            f"{entry.symbol}:",
            f'    .incbin "{entry.pack}",{entry.offset},{entry.stored_bytes}',
        ]
    lines += ['    .section .note.GNU-stack,"",%progbits', ""]
    return "\n".join(lines)


def index(entries: list[Entry]) -> str:
    """The .cpp file with kernel_images()."""
    declarations = [
        f'extern "C" __attribute__((visibility("hidden"))) const unsigned char {entry.symbol}[];'
        for entry in entries
    ]
    rows = [
        f'    {{"{entry.family}", {entry.arch}, {str(entry.ptx).lower()}, '
        f"{str(entry.compressed).lower()}, {entry.symbol}, {entry.stored_bytes}, "
        f"{entry.raw_bytes}}},"
        for entry in entries
    ]
    table = "nullptr"
    lines = ['#include "kernels/images.h"', "", *declarations, "", "namespace gpukit {", ""]
    if rows:
        lines += [
            "namespace {",
            "constexpr KernelImage kImages[] = {",
            *rows,
            "};",
            "}  // namespace",
        ]
        table = "kImages"
    lines += [
        "",
        "const KernelImage* kernel_images(std::size_t* count) noexcept {",
        f"  *count = {len(rows)};",
        f"  return {table};",
        "}",
        "",
        "}  // namespace gpukit",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Read all packs, check that nothing is missing, write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archs", required=True)
    parser.add_argument("--ptx-arch", type=int, required=True)
    parser.add_argument("--assembly", type=Path, required=True)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("packs", type=Path, nargs="*")
    arguments = parser.parse_args()

    entries = [entry for pack in arguments.packs for entry in read_pack(pack)]
    entries.sort(key=lambda entry: (entry.family, entry.ptx, entry.arch))
    wanted = {(int(arch), False) for arch in arguments.archs.split(",")}
    wanted.add((arguments.ptx_arch, True))
    check_complete(entries, [pack.stem for pack in arguments.packs], wanted)

    arguments.assembly.parent.mkdir(parents=True, exist_ok=True)
    arguments.assembly.write_text(assembly(entries), encoding="utf-8")
    arguments.index.write_text(index(entries), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
