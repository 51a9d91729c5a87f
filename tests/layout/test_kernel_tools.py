"""tools/compile_kernels.py and tools/embed_images.py, as far as they go without NVRTC."""

from __future__ import annotations

import lzma
import platform

import pytest

from support.mode import PROJECT
from support.tools import load_tool

compile_kernels = load_tool("compile_kernels")
embed_images = load_tool("embed_images")


def contents(family: str, arch: int, ptx: bool) -> bytes:
    return f"{family} {arch} {ptx} ".encode() * 20


def pack(path, family: str, archs: list[int]):
    images = [
        compile_kernels.Image(arch, ptx, contents(family, arch, ptx))
        for arch, ptx in [*((arch, False) for arch in archs), (100, True)]
    ]
    target = path / f"{family}.images"
    compile_kernels.write_pack(target, family, images)
    return target


def test_pack_comes_back_as_it_was(tmp_path) -> None:
    images = embed_images.read_pack(pack(tmp_path, "fill", [60, 75]))
    assert [(image.arch, image.ptx) for image in images] == [(60, False), (75, False), (100, True)]
    for image in images:
        assert image.family == "fill"
        assert image.data == contents("fill", image.arch, image.ptx)


def test_damaged_pack_ends_the_build(tmp_path) -> None:
    target = pack(tmp_path, "fill", [60])
    target.write_bytes(target.read_bytes()[:-1])
    with pytest.raises(SystemExit, match="cut short"):
        embed_images.read_pack(target)


def test_missing_image_ends_the_build(tmp_path) -> None:
    images = embed_images.read_pack(pack(tmp_path, "fill", [60]))
    wanted = {(60, False), (75, False), (100, True)}
    with pytest.raises(SystemExit, match=r"fill\.cu has no image for \[\(75, False\)\]"):
        embed_images.check_complete(images, ["fill"], wanted)


@pytest.mark.parametrize("compression", ["xz", "none"])
def test_archives_hold_every_image_of_their_architecture(tmp_path, compression: str) -> None:
    packs = [pack(tmp_path, family, [60, 75]) for family in ("copy", "fill")]
    images = [image for path in packs for image in embed_images.read_pack(path)]
    archives = embed_images.make_archives(images, compression)
    assert [(a.arch, a.ptx) for a in archives] == [(60, False), (75, False), (100, True)]
    for archive in archives:
        raw = lzma.decompress(archive.stored) if archive.compressed else archive.stored
        assert archive.compressed == (compression == "xz")
        assert len(raw) == archive.ordered_bytes
        if archive.ptx:  # words without numbers
            assert archive.order == ("kPtx" if archive.compressed else "kAsIs")
        else:  # no ELF
            assert archive.order == "kAsIs"
        assert raw == b"".join(contents(f, archive.arch, archive.ptx) for f in ("copy", "fill"))


def test_index_names_every_image_and_its_offset(tmp_path) -> None:
    packs = [pack(tmp_path, family, [60, 75]) for family in ("copy", "fill")]
    images = [image for path in packs for image in embed_images.read_pack(path)]
    archives = embed_images.make_archives(images, "xz")
    text, assembly = embed_images.index(archives), embed_images.assembly(archives, tmp_path)
    for number, archive in enumerate(archives):
        sizes = f"{len(archive.stored)}, {archive.ordered_bytes}, {archive.raw_bytes}"
        assert f"{{true, ImageOrder::{archive.order}, {archive.symbol}, {sizes}}}," in text
        assert f'.incbin "{tmp_path / archive.symbol}.bin"\n' in assembly
        offset = 0
        for family in ("copy", "fill"):
            size = len(contents(family, archive.arch, archive.ptx))
            kind = str(archive.ptx).lower()
            row = f'{{"{family}", {archive.arch}, {kind}, &kArchives[{number}], {offset}, {size}}},'
            assert row in text
            offset += size
    assert "*count = 6;" in text
    rows = [line for line in text.splitlines() if "&kArchives" in line]
    assert rows == sorted(rows, key=lambda row: (row.split('"')[1], "true" in row))


def test_ways_to_store_are_compared(tmp_path) -> None:
    images = embed_images.read_pack(pack(tmp_path, "fill", [60, 75]))
    sizes = embed_images.compared(images)
    archives = embed_images.make_archives(images, "xz")
    assert sizes["as they are"] == sum(len(image.data) for image in images)
    assert sizes["xz, ordered"] == sum(len(archive.stored) for archive in archives)
    assert sizes["xz, per .cu file"] < sizes["xz, each image"] < sizes["as they are"]


def test_no_images_make_an_empty_index() -> None:
    assert "return nullptr;" in embed_images.index(embed_images.make_archives([], "xz"))


def test_only_the_deprecation_of_old_architectures_is_hidden() -> None:
    deprecation = (
        "nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated "
        "and may be removed in a future release\n"
    )
    warning = 'a.cu(1): warning #177-D: variable "x" was declared but never referenced'
    assert compile_kernels.complaints(deprecation) == ""
    assert compile_kernels.complaints(deprecation + warning) == warning


def test_headers_of_a_kernel_are_followed(tmp_path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "a.h").write_text('#include "kernels/b.h"\n', encoding="utf-8")
    (tmp_path / "kernels" / "b.h").write_text('#include "sim/c.h"\n', encoding="utf-8")
    source = tmp_path / "kernels" / "k.cu"
    source.write_text('#include "kernels/a.h"\n#include <cuda_fp16.h>\n', encoding="utf-8")
    found = [path.name for path in compile_kernels.included_files(source, tmp_path)]
    assert found == ["a.h", "b.h"]


def test_required_architectures_are_built_by_default() -> None:
    from gpukit import cuda

    built = {int(name.removeprefix("sm_")) for name in cuda.get_arch_list() if "sm_" in name}
    newest = 87 if platform.machine() in {"aarch64", "arm64"} else 120
    assert built >= {60, 70, 75, 80, 90, 100, newest}
    assert "compute_100" in cuda.get_arch_list()


def test_kernel_files_are_there() -> None:
    assert len(list((PROJECT / "csrc" / "kernels").glob("*.cu"))) >= 8
