"""Make a release: the sdist, all wheels, a bill of materials and checksums, by one command.

`python tools/release.py --out DIR [--tag v1.2.3] [--python python3.12]... [--aarch64 ROOT]` in a
clone without changes, by Python 3.11 or newer. ROOT is a folder of tools/try_aarch64.py --prepare;
with it the wheels for aarch64 are made, too. Made twice from one commit by the same tools, in any
folder, the files are equal. `--tag` refuses a tag that is not the version's; `--resume` goes on
with a run that was stopped, and keeps its wheels.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import build_wheels
from cross_build import Target

ROOT = Path(__file__).resolve().parents[1]
SUMS = "SHA256SUMS"
PROJECT_LICENSE = "MIT"


@dataclass(frozen=True)
class Contained:
    """Code of others that is in the wheels, as NOTICE says."""

    name: str
    license: str
    version: str


def project() -> dict[str, Any]:
    """The table [project] of pyproject.toml."""
    import tomllib  # of Python 3.11

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)["project"])


def check_tag(tag: str, version: str) -> None:
    """Refuse a tag that names another version than pyproject.toml."""
    if tag != f"v{version}":
        raise SystemExit(
            f"release: the tag {tag} is not v{version}, the version in pyproject.toml: "
            f"change one of them"
        )


def check_clean() -> None:
    """Refuse files that are changed or unknown: they are in no commit."""
    words = ["git", "status", "--porcelain"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    if done.stdout:
        raise SystemExit(f"release: commit or remove first:\n{done.stdout.rstrip()}")


def make_sdist(tools: Path, out: Path) -> None:
    """The sources as one archive."""
    words = ("-m", "build", "--sdist", "--no-isolation", "--outdir", out)
    path = f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}"
    build_wheels.run(sys.executable, *words, PYTHONPATH=str(tools), PATH=path)


def version_of_lzma(header: Path) -> str:
    """The version of the liblzma in the wheels, from its header."""
    numbers = re.findall(r"#define LZMA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text())
    return ".".join(numbers)


def contained(versions: dict[str, str], lzmas: Iterable[str]) -> list[Contained]:
    """What the wheels contain beside gpukit's own code; the liblzma is each processor's own."""
    return [
        *(Contained("liblzma", "0BSD", lzma) for lzma in sorted(set(lzmas))),
        Contained("llvm-libcxx", "Apache-2.0 WITH LLVM-exception", f"zig {versions['ziglang']}"),
        Contained("nvidia-cuda-device-library", "", versions["nvidia-cuda-nvrtc-cu12"]),
        Contained("pybind11", "BSD-3-Clause", versions["pybind11"]),
    ]


def versions_in(tools: Path) -> dict[str, str]:
    """Name -> version of the packages in the folder of tools."""
    found = importlib.metadata.distributions(path=[str(tools)])
    return {str(one.metadata["Name"]).lower().replace("_", "-"): one.version for one in found}


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def artefacts(out: Path) -> Iterator[Path]:
    """The sdist and the wheels, by name."""
    yield from sorted([*out.glob("gpukit-*.tar.gz"), *out.glob("gpukit-*.whl")])


def write_bill(out: Path, tools: Path, date: datetime) -> Path:
    """The CycloneDX bill of materials: files with hashes, what they contain, need and were made by.

    Its serial number is derived from the files, so that equal files have an equal bill.
    """
    sys.path.append(str(tools))
    from cyclonedx.factory.license import LicenseFactory
    from cyclonedx.model import HashAlgorithm, HashType, Property
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output import make_outputter
    from cyclonedx.schema import OutputFormat, SchemaVersion

    def component(role: str, name: str, license_name: str = "", **more: object) -> Any:
        terms = [LicenseFactory().make_from_string(license_name)] if license_name else []
        reference = ":".join([role, name, *map(str, filter(None, [more.get("version")]))])
        return Component(name=name, licenses=terms, bom_ref=reference, **more)

    about, versions = project(), versions_in(tools) | versions_in(build_wheels.PACKING)
    files = list(artefacts(out))
    bill = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(map(digest, files))))
    main = component("project", "gpukit", PROJECT_LICENSE, version=about["version"])
    bill.metadata.component = main
    bill.metadata.timestamp = date
    for name, version in sorted(versions.items()):
        bill.metadata.tools.components.add(component("tool", name, version=version))
    for file in files:
        hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest(file))]
        bill.components.add(component("file", file.name, type=ComponentType.FILE, hashes=hashes))
    headers = build_wheels.WORK.glob("*/lzma/lzma/version.h")
    inside = [
        component("contained", part.name, part.license, version=part.version)
        for part in contained(versions, map(version_of_lzma, headers))
    ]
    needed = [
        component(
            "needed",
            re.split(r"[^\w-]", requirement)[0],
            properties=[Property(name="gpukit:requirement", value=requirement)],
        )
        for requirement in about["dependencies"]
    ]
    for part in (*inside, *needed):
        bill.components.add(part)
    bill.register_dependency(main, [*inside, *needed])
    written = make_outputter(bill, OutputFormat.JSON, SchemaVersion.V1_6)
    path = out / f"gpukit-{about['version']}.cdx.json"
    path.write_text(written.output_as_string(indent=2) + "\n", encoding="utf-8")
    return path


def write_sums(out: Path, files: list[Path]) -> None:
    """The file that `sha256sum --check` reads."""
    lines = [f"{digest(file)}  {file.name}\n" for file in files]
    (out / SUMS).write_text("".join(lines), encoding="utf-8")


def main() -> int:
    """Make the release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist"))
    parser.add_argument("--tag", help="refuse one that is not the version's")
    parser.add_argument("--python", action="append", dest="pythons", help="repeatable")
    parser.add_argument("--aarch64", type=Path, help="packages of that processor: its wheels, too")
    parser.add_argument(
        "--aarch64-python", action="append", help="repeatable; else those of --python"
    )
    parser.add_argument("--resume", action="store_true", help="keep the wheels in --out")
    arguments = parser.parse_args()
    if arguments.tag:
        check_tag(arguments.tag, project()["version"])
    check_clean()
    out = arguments.out.resolve()
    if not arguments.resume and out.exists() and any(out.iterdir()):
        raise SystemExit(f"release: {out} is not empty; name another with --out, or add --resume")
    pythons = arguments.pythons or build_wheels.PYTHONS
    tools = build_wheels.build_all(pythons, out, keep=arguments.resume)
    if arguments.aarch64 is not None:
        target = Target("aarch64", arguments.aarch64.resolve())
        others = arguments.aarch64_python or pythons
        build_wheels.build_all(others, out, target, tools=tools, keep=arguments.resume)
    make_sdist(tools, out)
    date = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc)
    bill = write_bill(out, tools, date)
    write_sums(out, [*artefacts(out), bill])
    print((out / SUMS).read_text(encoding="utf-8"), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
