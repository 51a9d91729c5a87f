"""The tools of releases and platforms, as far as they go without building one."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
import zlib
from importlib.metadata import requires
from pathlib import Path

import pytest

from support.mode import PROJECT
from support.tools import load_tool

build_wheels = load_tool("build_wheels")
make_platforms = load_tool("make_platforms")
pack_wheel = load_tool("pack_wheel")
release = load_tool("release")
released_wheels = load_tool("released_wheels")
try_pythons = load_tool("try_pythons")

ROW = {
    "wheel": "gpukit-1.2.3-cp314-cp314-manylinux_2_28_x86_64.whl",
    "python": "3.14.8",
    "libc": "glibc 2.43",
    "architecture": "x86_64",
    "system": "Debian",
    "tests": ["tests/unit"],
    "mode": "sim",
    "passed": 12,
    "failed": 1,
    "seen": ["bench", "doctor"],
    "date": "2026-11-24",
}
REPORT = """<?xml version="1.0"?><testsuites><testsuite name="pytest">
<testcase classname="tests.unit.test_a" name="test_one" time="0.1"/>
<testcase classname="tests.unit.test_a.TestClass" name="test_two" time="0.1"/>
<testcase classname="tests.unit.test_ab" name="test_three[x]"><failure>no</failure></testcase>
<testcase classname="" name="tests.unit.test_b" time="0.1"><error>no import</error></testcase>
</testsuite></testsuites>"""


def interpreter(folder: Path, multiarch: str) -> str:
    """A Python that tells of headers in `folder` alone."""
    program = folder / "python"
    include = folder / "include" / "python3.14"
    program.write_text(f"#!/bin/sh\necho {include}\necho {multiarch}\n", encoding="utf-8")
    program.chmod(0o755)
    include.mkdir(parents=True)
    (include / "Python.h").write_text('#include "pyconfig.h"\n', encoding="utf-8")
    return str(program)


def test_headers_of_debian_serve_any_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_wheels, "WORK", tmp_path / "work")
    python = interpreter(tmp_path, "x86_64-linux-gnu")
    include = tmp_path / "include" / "python3.14"
    (include / "pyconfig.h").write_text("#include <other-linux-gnu/python3.14/pyconfig.h>\n")
    real = tmp_path / "include" / "x86_64-linux-gnu" / "python3.14" / "pyconfig.h"
    real.parent.mkdir(parents=True)
    real.write_text("#define SIZEOF_LONG 8\n")
    for _ in range(2):  # a folder that is there is made anew
        found = build_wheels.headers(python)
        assert {path.name: path.resolve() for path in found.iterdir()} == {
            "Python.h": include / "Python.h",
            "pyconfig.h": real,
        }


@pytest.mark.parametrize("processor", ["aarch64", "x86_64", "riscv64"])
def test_a_wheel_is_that_of_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processor: str
) -> None:
    monkeypatch.setattr(released_wheels, "machine", lambda: processor)
    for other in ("aarch64", "x86_64", "riscv64"):
        (tmp_path / f"gpukit-1.2.3-cp313-cp313-manylinux_2_28_{other}.whl").touch()
    found = released_wheels.wheel_for("3.13", tmp_path)
    assert found.name == f"gpukit-1.2.3-cp313-cp313-manylinux_2_28_{processor}.whl"
    with pytest.raises(SystemExit, match=f"no wheel for Python 3.12 on {processor}"):
        released_wheels.wheel_for("3.12", tmp_path)


def test_other_headers_stay_where_they_are(tmp_path: Path) -> None:
    python = interpreter(tmp_path, "")
    assert build_wheels.headers(python) == tmp_path / "include" / "python3.14"


def test_a_tag_of_another_version_is_refused() -> None:
    release.check_tag("v1.2.3", "1.2.3")
    with pytest.raises(SystemExit, match=r"v1\.2\.4 is not v1\.2\.3, the version in pyproject"):
        release.check_tag("v1.2.4", "1.2.3")


def test_checksums_are_those_of_sha256sum(tmp_path) -> None:
    file = tmp_path / "a.whl"
    file.write_bytes(b"wheel")
    release.write_sums(tmp_path, [file])
    command = ["sha256sum", "--check", "--strict", release.SUMS]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    file.write_bytes(b"other")
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode != 0


def test_the_version_of_liblzma_is_in_its_header(tmp_path) -> None:
    header = tmp_path / "version.h"
    names = {"MAJOR": 5, "MINOR": 4, "PATCH": 1, "STABILITY": 2}
    header.write_text("".join(f"#define LZMA_VERSION_{n} {v}\n" for n, v in names.items()))
    assert release.version_of_lzma(header) == "5.4.1"


def test_notice_names_what_the_bill_says_is_contained() -> None:
    versions = dict.fromkeys(("ziglang", "nvidia-cuda-nvrtc-cu12", "pybind11"), "1")
    notice = (PROJECT / "NOTICE").read_text(encoding="utf-8")
    words = {"llvm-libcxx": "LLVM", "nvidia-cuda-device-library": "device mathematics library"}
    for part in release.contained(versions, ["5.4.1", "5.8.1"]):
        assert words.get(part.name, part.name) in notice


def test_notice_names_what_each_extra_brings() -> None:
    _, notice = (PROJECT / "NOTICE").read_text(encoding="utf-8").split("The extras install")
    lines = re.sub(r"\n {4,}", " ", notice).splitlines()
    named = {line.split()[0]: line for line in lines if line.startswith("  ")}
    for requirement in requires("gpukit") or ():
        package, extra = (
            re.match(r"[\w-]+", requirement),
            re.search(r"extra == .(\w+)", requirement),
        )
        if extra and extra[1] not in {"all", "peers", "test"}:  # for who works on gpukit
            assert package
            assert package[0].replace("-", "_") in named[extra[1]].replace("-", "_"), requirement


def test_pythons_that_are_not_there_are_named() -> None:
    assert build_wheels.missing([sys.executable, "python3.99"]) == ["python3.99"]
    with pytest.raises(SystemExit, match=r"not on the path: python3\.99; --python names others"):
        build_wheels.build_all(["python3.99"], PROJECT)


def test_the_wheel_of_a_python_is_named(tmp_path) -> None:
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    target = build_wheels.Target("aarch64", tmp_path)
    pattern = build_wheels.wheel_of(sys.executable, target)
    assert pattern == f"gpukit-*-{tag}-{tag}-manylinux_2_28_aarch64.whl"
    with pytest.raises(SystemExit, match="has no gpukit-"):
        build_wheels.try_all([sys.executable], tmp_path, target)


def test_a_run_that_goes_on_makes_no_wheel_again(tmp_path, monkeypatch) -> None:
    target = build_wheels.Target("aarch64", tmp_path)
    wheel = tmp_path / build_wheels.wheel_of(sys.executable, target).replace("*", "1.2.3")
    wheel.touch()
    monkeypatch.setattr(build_wheels, "WORK", tmp_path)
    monkeypatch.setattr(build_wheels, "set_date", lambda: None)
    monkeypatch.setattr(build_wheels, "build", lambda *_: pytest.fail("it is built again"))
    options = {"tools": tmp_path, "keep": True}
    assert build_wheels.build_all([sys.executable], tmp_path, target, **options) == tmp_path


def deflated(data: bytes) -> bytes:
    """A raw stream: zlib.compress makes none before Python 3.11."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def test_a_packed_wheel_has_the_same_members(tmp_path) -> None:
    first, second = tmp_path / "first.whl", tmp_path / "second.whl"
    with zipfile.ZipFile(first, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("gpukit/a.py", "x = 1\n" * 1000)
        archive.writestr("gpukit/\u4e2d.bin", bytes(range(256)))
        mode = zipfile.ZipInfo("gpukit/run", (2026, 11, 26, 22, 42, 18))
        mode.external_attr = 0o755 << 16
        archive.writestr(mode, "")
    with zipfile.ZipFile(first) as archive:
        made = pack_wheel.pack(archive, deflated)
        second.write_bytes(made)
        with zipfile.ZipFile(second) as packed:
            assert packed.testzip() is None
            for old, new in zip(archive.infolist(), packed.infolist(), strict=True):
                for field in ("filename", "date_time", "external_attr", "CRC", "file_size"):
                    assert getattr(old, field) == getattr(new, field)
                assert archive.read(old) == packed.read(new)
    assert second.stat().st_size < first.stat().st_size


def test_a_wheel_is_replaced_by_a_smaller_sound_one_alone(tmp_path) -> None:
    wheel, data = tmp_path / "a.whl", b"gpukit " * 1000

    def packed(method: int) -> bytes:
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", method) as archive:
            archive.writestr("gpukit/a.py", data)
        return held.getvalue()

    large, small = packed(zipfile.ZIP_STORED), packed(zipfile.ZIP_DEFLATED)
    wheel.write_bytes(small)
    assert not pack_wheel.replace_if_smaller(wheel, large) and wheel.read_bytes() == small
    wheel.write_bytes(large)
    bad = bytearray(large)
    bad[200] ^= 1
    wheel.write_bytes(large + bytes(1))
    with pytest.raises(SystemExit, match="as it was"):
        pack_wheel.replace_if_smaller(wheel, bytes(bad))
    assert wheel.read_bytes() == large + bytes(1)
    assert pack_wheel.replace_if_smaller(wheel, small) and wheel.read_bytes() == small
    assert list(tmp_path.iterdir()) == [wheel]


def test_outcomes_are_counted_by_file(tmp_path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    files = [f"tests/unit/test_{name}.py" for name in ("a", "ab", "b")]
    counted = try_pythons.counts(report, files)
    assert [(counted[f]["passed"], counted[f]["failed"]) for f in files] == [(2, 0), (0, 1), (0, 1)]
    assert counted[files[1]]["failures"] == ["tests.unit.test_ab::test_three[x]"]


def test_a_run_without_a_report_has_failed(tmp_path) -> None:
    counted = try_pythons.counts(tmp_path / "none.xml", ["tests/unit/test_a.py"])
    assert counted["tests/unit/test_a.py"]["failed"] == 1


def test_what_failed_or_has_changed_is_run_again_and_what_passed_is_not(
    tmp_path, monkeypatch
) -> None:
    for name in ("a", "b", "c", "d"):
        (tmp_path / f"test_{name}.py").write_text(name)
    monkeypatch.setattr(try_pythons, "ROOT", tmp_path)
    monkeypatch.setitem(try_pythons.SUITES, "3.10", (".",))
    wheel = tmp_path / "gpukit-1-cp310-cp310-any.whl"
    with zipfile.ZipFile(wheel, "w"):
        pass
    place = try_pythons.Place("3.10", wheel, None, tmp_path)
    rows = [("a", 1), ("b", 0), ("a", 0), ("c", 1)]
    lines = [
        {
            "file": f"test_{name}.py",
            "content": try_pythons.content_of(f"test_{name}.py"),
            "failed": failed,
        }
        for name, failed in rows
    ]
    place.results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert place.left() == ["test_c.py", "test_d.py"]
    (tmp_path / "test_b.py").write_text("changed")
    assert place.left() == ["test_b.py", "test_c.py", "test_d.py"]


def test_the_table_has_a_line_for_a_row() -> None:
    assert make_platforms.line(ROW) == (
        "| 3.14.8 | cp314 manylinux_2_28_x86_64 | Debian, glibc 2.43 | `tests/unit`, mode sim "
        "| 12 | 1 | `bench`, `doctor` | 2026-11-24 |"
    )


def test_a_suite_that_did_not_end_says_so() -> None:
    assert "mode sim (3 of 7 files so far)" in make_platforms.line(ROW | {"files": [3, 7]})
    assert make_platforms.line(ROW | {"files": [7, 7]}) == make_platforms.line(ROW)


def test_rows_stand_by_processor_and_python(tmp_path) -> None:
    record = {"stage": "x", "result": "ok", "commit": "", "date": "", "covers": {}}
    others = [ROW | {"architecture": "aarch64", "python": "3.13.5"}, ROW | {"python": "3.9.1"}]
    (tmp_path / "pythons.json").write_text(json.dumps(record | {"rows": [others[0], ROW]}))
    (tmp_path / "release.json").write_text(json.dumps(record | {"rows": [others[1]]}))
    found = [(row["architecture"], row["python"]) for row in make_platforms.rows(tmp_path)]
    assert found == [("x86_64", "3.9.1"), ("x86_64", "3.14.8"), ("aarch64", "3.13.5")]


def test_the_notebooks_install_a_wheel_once_there_is_an_address() -> None:
    lines = make_platforms.notebook_lines("https://example.org/releases/download").splitlines()
    assert len(lines) == 4
    for line in lines[1:3]:
        assert line.startswith("%pip install https://example.org/releases/download/v")
        assert "-manylinux_2_28_x86_64.whl  # " in line


def test_the_pages_are_current() -> None:
    """Otherwise run tools/make_platforms.py."""
    for path, text in make_platforms.pages().items():
        assert path.read_text(encoding="utf-8") == text
