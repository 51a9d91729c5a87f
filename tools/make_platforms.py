"""Write what was tried where into docs/install.md, and the notebooks' lines into both READMEs.

`python tools/make_platforms.py [--check]`: the table's rows come from the records of stages that
tried wheels (tests/records, the field `rows`); `--check` writes nothing and exits with 1 if a page
is old. The lines install a wheel of the release from RELEASES; without an address they install a
checkout.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

from check_records import COVERS, read_record
from try_hosted import PLATFORMS

ROOT = Path(__file__).resolve().parents[1]
# The address under which a release's files stand, e.g. "https://HOST/OWNER/gpukit/releases/download".
RELEASES = ""
# Where a notebook of each platform keeps its files.
FOLDERS = {"colab": "/content", "kaggle": "/kaggle/working"}
NAMES = {"colab": "Colab", "kaggle": "Kaggle"}
README = ("README.md", "docs/zh/README.md")
INSTALL = "docs/install.md"
WHEEL = re.compile(r"gpukit-[^-]+-([^-]+)-[^-]+-(.+)\.whl")
HEAD = (
    "| Python | wheel | system, C library | tests | passed | failed | ran | date |",
    "|---|---|---|---|--:|--:|---|---|",
)


def rows(folder: Path | None = None) -> list[dict[str, Any]]:
    """The rows of all records, by processor and Python."""
    records = [read_record(stage, *([folder] if folder else [])) for stage in COVERS]
    found = [row for record in records if record is not None for row in record.rows]
    versions = [[int(part) for part in re.findall(r"\d+", row["python"])] for row in found]
    order = sorted(
        range(len(found)), key=lambda i: (found[i]["architecture"] != "x86_64", versions[i])
    )
    return [found[i] for i in order]


def line(row: dict[str, Any]) -> str:
    """One row of the table."""
    tag, platform = WHEEL.fullmatch(row["wheel"]).groups()  # type: ignore[union-attr]
    system = ", ".join(part for part in (row.get("system", ""), row["libc"]) if part)
    tests = f"`{'`, `'.join(row['tests'])}`, mode {row['mode']}"
    ran, files = row.get("files", (0, 0))
    if ran < files:
        tests += f" ({ran} of {files} files so far)"
    seen = ", ".join(f"`{name}`" for name in row["seen"])
    cells = (row["python"], f"{tag} {platform}", system, tests, row["passed"], row["failed"])
    return f"| {' | '.join(map(str, (*cells, seen, row['date'])))} |"


def table() -> str:
    """The table of docs/install.md."""
    return "\n".join([*HEAD, *map(line, rows())])


def notebook_lines(releases: str = RELEASES) -> str:
    """A line for each platform's notebooks, as a block of code."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = re.findall(r'^version = "(.+)"$', text, re.MULTILINE)[0]
    lines = []
    for name, title in NAMES.items():
        tag = f"cp{PLATFORMS[name].python.replace('.', '')}"
        wheel = f"gpukit-{version}-{tag}-{tag}-manylinux_2_28_x86_64.whl"
        source = f"{releases}/v{version}/{wheel}" if releases else f"{FOLDERS[name]}/gpukit"
        lines.append(f"%pip install {source}  # {title}")
    return "\n".join(["```text", *lines, "```"])


def replaced(text: str, name: str, new: str) -> str:
    """The page with `new` between the two comments of this name."""
    start, end = f"<!--{name}-->", f"<!--/{name}-->"
    between = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
    if not between.search(text):
        raise SystemExit(f"make_platforms: a page lacks {start} and {end}")
    return between.sub(lambda _: f"{start}\n\n{new}\n\n{end}", text)


def pages() -> dict[Path, str]:
    """Each page as it should be."""
    wanted = {name: ("notebooks", notebook_lines()) for name in README}
    wanted[INSTALL] = ("platforms", table())
    return {
        ROOT / name: replaced((ROOT / name).read_text(encoding="utf-8"), *change)
        for name, change in wanted.items()
    }


def main() -> int:
    """Write or check the pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    old = {path: t for path, t in pages().items() if path.read_text(encoding="utf-8") != t}
    for path, text in old.items():
        if arguments.check:
            print(f"make_platforms: {path.relative_to(ROOT)} is old: run tools/make_platforms.py")
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if arguments.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
