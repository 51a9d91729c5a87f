"""tools/compile_kernels.py and tools/embed_images.py, as far as they go without NVRTC."""

from __future__ import annotations

import zlib

import pytest

from support.mode import PROJECT
from support.tools import load_tool

compile_kernels = load_tool("compile_kernels")
embed_images = load_tool("embed_images")


def pack(path, family: str, archs: list[int], compression: str = "zlib"):
    images = []
    for arch, ptx in [*((arch, False) for arch in archs), (100, True)]:
        raw = f"{family} {arch} {ptx}".encode() * 20
        stored = zlib.compress(raw) if compression == "zlib" else raw
        images.append(compile_kernels.Image(arch, ptx, len(raw), stored))
    target = path / f"{family}.images"
    compile_kernels.write_pack(target, family, compression, images)
    return target


@pytest.mark.parametrize("compression", ["zlib", "none"])
def test_pack_comes_back_as_it_was(tmp_path, compression: str) -> None:
    target = pack(tmp_path, "fill", [60, 75], compression)
    entries = embed_images.read_pack(target)
    assert [(entry.arch, entry.ptx) for entry in entries] == [(60, False), (75, False), (100, True)]
    data = target.read_bytes()
    for entry in entries:
        stored = data[entry.offset : entry.offset + entry.stored_bytes]
        raw = zlib.decompress(stored) if entry.compressed else stored
        assert raw == f"fill {entry.arch} {entry.ptx}".encode() * 20
        assert entry.raw_bytes == len(raw)


def test_damaged_pack_ends_the_build(tmp_path) -> None:
    target = pack(tmp_path, "fill", [60])
    target.write_bytes(target.read_bytes()[:-1])
    with pytest.raises(SystemExit, match="cut short"):
        embed_images.read_pack(target)


def test_missing_image_ends_the_build(tmp_path) -> None:
    entries = embed_images.read_pack(pack(tmp_path, "fill", [60]))
    wanted = {(60, False), (75, False), (100, True)}
    with pytest.raises(SystemExit, match=r"fill\.cu has no image for \[\(75, False\)\]"):
        embed_images.check_complete(entries, ["fill"], wanted)


def test_index_names_every_image(tmp_path) -> None:
    entries = embed_images.read_pack(pack(tmp_path, "fill", [60, 75]))
    text, assembly = embed_images.index(entries), embed_images.assembly(entries)
    for entry in entries:
        assert f'{{"fill", {entry.arch}, {str(entry.ptx).lower()}, true, {entry.symbol},' in text
        assert f'.incbin "{entry.pack}",{entry.offset},{entry.stored_bytes}\n' in assembly
    assert "*count = 3;" in text


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
    assert built >= {60, 70, 75, 80, 90, 100, 120}
    assert "compute_100" in cuda.get_arch_list()


def test_kernel_files_are_there() -> None:
    assert len(list((PROJECT / "csrc" / "kernels").glob("*.cu"))) >= 8
