"""Put compiled kernel images into the extension: an archive per architecture, and a C++ index.

An archive holds the images of all `.cu` files for one architecture as one .xz stream: kernels of
one architecture have much in common. Their bytes have the order of order_images.py. The assembler
file takes the archives (.incbin); the index implements gpukit::kernel_images() of
csrc/kernels/images.h. A missing image ends the build.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from compile_kernels import MAGIC
from order_images import AS_IS, CONTROL_WORDS, INSTRUCTIONS_OF_16, PTX, order_images

SECTION = ".gpukit_images"
# Machine code has instructions of 16 or 8 bytes, so a byte is predicted by its position; text is
# predicted by the byte before it.
MODELS = {
    AS_IS: {"lc": 1, "lp": 3, "pb": 4},
    CONTROL_WORDS: {"lc": 1, "lp": 3, "pb": 3},
    INSTRUCTIONS_OF_16: {"lc": 0, "lp": 4, "pb": 4},
    PTX: {"lc": 4, "lp": 0, "pb": 0},
}


@dataclass(frozen=True)
class Image:
    """One image and the `.cu` file it was made of."""

    family: str
    arch: int
    ptx: bool
    data: bytes


@dataclass(frozen=True)
class Archive:
    """The images of one architecture as they are stored."""

    arch: int
    ptx: bool
    images: list[Image]
    stored: bytes
    compressed: bool
    order: str
    ordered_bytes: int

    @property
    def symbol(self) -> str:
        """The name of the archive's first byte; its file has the same stem."""
        return f"gpukit_images_{'compute' if self.ptx else 'sm'}_{self.arch}"

    @property
    def raw_bytes(self) -> int:
        """Its size when it is unpacked."""
        return sum(len(image.data) for image in self.images)


def read_pack(path: Path) -> list[Image]:
    """The images of one pack, in their stored order."""
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise SystemExit(f"embed_images: {path} is not a pack of kernel images")
    start = len(MAGIC) + 4
    (length,) = struct.unpack_from("<I", data, len(MAGIC))
    index = json.loads(data[start : start + length])
    images = []
    offset = start + length
    for image in index["images"]:
        end = offset + image["bytes"]
        images.append(Image(index["family"], image["arch"], image["ptx"], data[offset:end]))
        offset = end
    if offset != len(data):
        raise SystemExit(f"embed_images: {path} is cut short")
    return images


def check_complete(images: list[Image], families: list[str], wanted: set[tuple[int, bool]]) -> None:
    """End the build unless every family has every wanted image."""
    for family in families:
        found = {(image.arch, image.ptx) for image in images if image.family == family}
        if missing := sorted(wanted - found):
            raise SystemExit(f"embed_images: {family}.cu has no image for {missing} (arch, is PTX)")


def compress(data: bytes, model: dict[str, int]) -> bytes:
    """One .xz stream with a CRC32 of its contents."""
    import lzma  # some Pythons are built without it

    dictionary = max(4096, 1 << (len(data) - 1).bit_length())
    lzma2 = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": dictionary}
    return lzma.compress(data, check=lzma.CHECK_CRC32, filters=[lzma2 | model])


def make_archive(images: list[Image], *, compressed: bool) -> Archive:
    """The images of one architecture."""
    arch, ptx = images[0].arch, images[0].ptx
    parts = [image.data for image in images]
    if not compressed:
        blob = b"".join(parts)
        return Archive(arch, ptx, images, blob, False, AS_IS, len(blob))
    order, blob = order_images(parts, arch, ptx=ptx)
    stored = compress(blob, MODELS[order])
    return Archive(arch, ptx, images, stored, True, order, len(blob))


def make_archives(images: list[Image], compression: str) -> list[Archive]:
    """The images by architecture: cubins first, then PTX."""
    targets = sorted({(image.ptx, image.arch) for image in images})
    groups = [
        [image for image in images if (image.ptx, image.arch) == target] for target in targets
    ]
    with ThreadPoolExecutor() as pool:
        made = pool.map(lambda group: make_archive(group, compressed=compression == "xz"), groups)
        return list(made)


def assembly(archives: list[Archive], folder: Path) -> str:
    """The .S file: one hidden symbol per archive."""
    # A section of its own, so that tools/check_wheel.py can see how much of the wheel they take.
    lines = [f'    .section {SECTION},"a",%progbits']
    for archive in archives:
        lines += [
            "    .balign 16",
            f"    .globl {archive.symbol}",
            f"    .hidden {archive.symbol}",
            f"    .type {archive.symbol}, %object",
            f"    .size {archive.symbol}, {len(archive.stored)}",
            f"{archive.symbol}:",
            f'    .incbin "{folder / archive.symbol}.bin"',
        ]
    lines += ['    .section .note.GNU-stack,"",%progbits', ""]
    return "\n".join(lines)


def index_rows(archives: list[Archive]) -> list[str]:
    """The rows of the table of images, sorted as images.h says."""
    rows = []
    for number, archive in enumerate(archives):
        offset = 0
        for image in archive.images:
            key = (image.family, image.ptx, image.arch)
            row = (
                f'    {{"{image.family}", {image.arch}, {str(image.ptx).lower()}, '
                f"&kArchives[{number}], {offset}, {len(image.data)}}},"
            )
            rows.append((key, row))
            offset += len(image.data)
    return [row for _, row in sorted(rows)]


def index(archives: list[Archive]) -> str:
    """The .cpp file with kernel_images()."""
    head = ['#include "kernels/images.h"', ""]
    table = []
    rows = index_rows(archives)
    if rows:
        head += [
            f'extern "C" __attribute__((visibility("hidden"))) const unsigned char {a.symbol}[];'
            for a in archives
        ]
        table = [
            "namespace {",
            "constexpr ImageArchive kArchives[] = {",
            *(
                f"    {{{str(a.compressed).lower()}, ImageOrder::{a.order}, {a.symbol}, "
                f"{len(a.stored)}, {a.ordered_bytes}, {a.raw_bytes}}},"
                for a in archives
            ),
            "};",
            "constexpr KernelImage kImages[] = {",
            *rows,
            "};",
            "}  // namespace",
            "",
        ]
    tail = [
        "const KernelImage* kernel_images(std::size_t* count) noexcept {",
        f"  *count = {len(rows)};",
        f"  return {'kImages' if rows else 'nullptr'};",
        "}",
        "",
        "}  // namespace gpukit",
        "",
    ]
    return "\n".join([*head, "", "namespace gpukit {", "", *table, *tail])


def compared(images: list[Image]) -> dict[str, int]:
    """Bytes of the images by the way they are stored; decision 7 has this table."""
    families: dict[tuple[str, bool], bytes] = {}
    archs: dict[tuple[int, bool], bytes] = {}
    for image in images:
        family, arch = (image.family, image.ptx), (image.arch, image.ptx)
        families[family] = families.get(family, b"") + image.data
        archs[arch] = archs.get(arch, b"") + image.data

    def packed(data: bytes, ptx: bool) -> int:
        return len(compress(data, MODELS[PTX if ptx else AS_IS]))

    return {
        "as they are": sum(len(image.data) for image in images),
        "zlib, each image": sum(len(zlib.compress(image.data, 9)) for image in images),
        "xz, each image": sum(packed(image.data, image.ptx) for image in images),
        "xz, per .cu file": sum(packed(data, ptx) for (_, ptx), data in families.items()),
        "xz, per architecture": sum(packed(data, ptx) for (_, ptx), data in archs.items()),
        "xz, ordered": sum(len(one.stored) for one in make_archives(images, "xz")),
    }


def main() -> int:
    """Read all packs, check that nothing is missing, write the archives and both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archs")
    parser.add_argument("--ptx-arch", type=int)
    parser.add_argument("--compression", choices=["xz", "none"], default="xz")
    parser.add_argument("--assembly", type=Path)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--compare", action="store_true", help="print sizes and write nothing")
    parser.add_argument("packs", type=Path, nargs="*")
    arguments = parser.parse_args()
    wanted_files = (arguments.archs, arguments.ptx_arch, arguments.assembly, arguments.index)
    if not arguments.compare and None in wanted_files:
        parser.error("--archs, --ptx-arch, --assembly and --index are needed, or --compare")

    images = [image for pack in sorted(arguments.packs) for image in read_pack(pack)]
    if arguments.compare:
        for way, size in compared(images).items():
            print(f"{way:22}{size:>12,}")
        return 0
    wanted = {(int(arch), False) for arch in arguments.archs.split(",")}
    wanted.add((arguments.ptx_arch, True))
    check_complete(images, [pack.stem for pack in arguments.packs], wanted)

    archives = make_archives(images, arguments.compression)
    folder = arguments.assembly.parent
    folder.mkdir(parents=True, exist_ok=True)
    for archive in archives:
        (folder / f"{archive.symbol}.bin").write_bytes(archive.stored)
    arguments.assembly.write_text(assembly(archives, folder), encoding="utf-8")
    arguments.index.write_text(index(archives), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
