"""Make the READMEs' pictures of `gpukit.info()` with Chromium; `--check` compares.

One a language and theme; Chinese needs a font that has it. Each picture holds the digest of the
page that it was made from, so a report that has changed since is found without a browser.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

import gpukit
from gpukit._system.info import gather_info
from gpukit._system.machine import Machine

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "_static"
THEMES = {"light": ("#ffffff", "#1f2328"), "dark": ("#0d1117", "#e6edf3")}  # paper, ink
WIDTH, HEIGHT, SCALE = 860, 372, 2
# The beginning of the files' names, and their heights.
LANGUAGES = {"en": ("info", HEIGHT), "zh": ("info-zh", 332)}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
KEY = b"page"
VERSIONS = {"numpy": "2.1.3", "torch": None, "cupy": None, "jax": None, "tensorflow": None}


def page(language: str = "en") -> str:
    """The report of two simulated T4 in a made-up machine as HTML: the same everywhere."""
    with tempfile.TemporaryDirectory() as root, gpukit.simulate(2, "T4"):
        machine = Machine(Path(root), {}, "Linux", "x86_64", "6.8")
        report = gather_info(machine, stack=False, verify=True)
    facts: dict[str, Any] = {
        "python": "3.12",
        "libraries": {},
        "cpu": "x86_64",
        "cpu_threads": 8,
        "ram": 2**34,
    }
    gpukit.set_language(language)
    try:
        return dataclasses.replace(report, **facts | VERSIONS).to_html()
    finally:
        gpukit.set_language(None)


def themed(body: str, theme: str) -> str:
    """The page as a notebook of that theme would show it."""
    paper, ink = THEMES[theme]
    style = f"background:{paper};color:{ink};font:15px sans-serif;margin:18px"
    return f'<!doctype html><meta charset="utf-8"><body style="{style}">{body}</body>'


def digest(document: str) -> bytes:
    """What is written into the picture."""
    return hashlib.sha256(document.encode()).hexdigest().encode()


def with_note(png: bytes, note: bytes) -> bytes:
    """The picture with a text chunk before its end."""
    data = KEY + b"\0" + note
    body = b"tEXt" + data
    chunk = struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    return png[:-12] + chunk + png[-12:]


def note_of(png: bytes) -> bytes:
    """The note of a picture; empty when there is none."""
    place = png.find(b"tEXt" + KEY + b"\0")
    if place < 0:
        return b""
    length = int.from_bytes(png[place - 4 : place], "big")
    return png[place + 4 : place + 4 + length].removeprefix(KEY + b"\0")


def photograph(browser: str, document: str, height: int = HEIGHT) -> bytes:
    """The page as the browser draws it."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.png"
        source.write_text(document, encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--screenshot={target}", f"--window-size={WIDTH},{height}"]
        command += [f"--force-device-scale-factor={SCALE}", source.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        return target.read_bytes()


def documents() -> dict[Path, str]:
    """Each picture's file, and the page that it shows."""
    return {
        FOLDER / f"{name}-{theme}.png": themed(body, theme)
        for language, (name, _) in LANGUAGES.items()
        for body in [page(language)]
        for theme in THEMES
    }


def stale() -> list[Path]:
    """The pictures that were made from another page than today's."""
    return [
        path
        for path, document in documents().items()
        if not path.exists() or note_of(path.read_bytes()) != digest(document)
    ]


def main() -> int:
    """Write both pictures, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if stale")
    if parser.parse_args().check:
        for path in (old := stale()):
            print(f"{path.name} is not of today's report: run python tools/make_pictures.py")
        return 1 if old else 0
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("No Chromium here: apt-get install chromium --no-install-recommends")
        return 1
    wanted = documents()
    heights = dict(LANGUAGES.values())
    for path in stale():
        picture = photograph(browser, wanted[path], heights[path.stem.rpartition("-")[0]])
        path.write_bytes(with_note(picture, digest(wanted[path])))
    return 0


if __name__ == "__main__":
    os.environ.pop("GPUKIT_SIMULATE", None)
    sys.exit(main())
