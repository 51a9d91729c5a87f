"""Scores `gpukit.doctor.explain` on error texts that people pasted.

Example:
    python tools/explain_score.py            # both halves
    python tools/explain_score.py --half 1 --show wrong
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

TEXTS = Path(__file__).resolve().parent.parent / "tests" / "unit" / "pasted_errors.jsonl"
KINDS = ("named", "likely", "among", "not known", "wrong", "harmful")


def half_of(text: str) -> int:
    """1 or 2, by the text alone: rules are written from the first half only."""
    digest = hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()
    return 1 + (int(digest, 16) & 1)


def read_texts(half: int | None = None, path: Path = TEXTS) -> list[dict[str, Any]]:
    """The texts with their labels."""
    lines = path.read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line) for line in lines if line]
    return [each for each in texts if half is None or half_of(each["text"]) == half]


def judge(entry: dict[str, Any]) -> tuple[str, list[str]]:
    """The kind of the answer and the causes it names.

    named: the first cause is right and stated; likely: right and called likely or possible;
    among: a later one is right; harmful: a harmful one is stated, or comes first.
    """
    from gpukit.doctor.errors.answer import find_causes
    from gpukit.doctor.errors.phrases import Surety
    from gpukit.doctor.evidence import Evidence

    findings, _ = find_causes(entry["text"], Evidence())
    codes = [each.row.code for each in findings]
    sure = [each.row.code for each in findings if each.surety is Surety.CERTAIN]
    if {*sure, *codes[:1]} & {*entry["harmful"]}:
        return "harmful", codes
    if not codes:
        return ("named" if "not-known" in entry["right"] else "not known"), codes
    if codes[0] in entry["right"]:
        return ("named" if sure else "likely"), codes
    return ("among" if {*codes} & {*entry["right"]} else "wrong"), codes


def score(texts: list[dict[str, Any]]) -> dict[str, int]:
    """How many answers are of each kind."""
    counts = Counter(judge(each)[0] for each in texts)
    return {"texts": len(texts), **{kind: counts[kind] for kind in KINDS}}


def nameable(texts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those with a cause that can be named: 'not known' is no right answer to them."""
    return [each for each in texts if "not-known" not in each["right"]]


def main() -> int:
    """Prints the score of each half."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--half", type=int, choices=(1, 2))
    parser.add_argument("--show", choices=KINDS, nargs="*", help="print the texts of these kinds")
    parser.add_argument("--texts", type=Path, default=TEXTS)
    options = parser.parse_args()
    for half in (options.half,) if options.half else (1, 2):
        texts = read_texts(half, options.texts)
        print(f"half {half}: {json.dumps(score(texts))}")
        print(f"  with a nameable cause: {json.dumps(score(nameable(texts)))}")
        for each in texts:
            kind, codes = judge(each)
            if kind in (options.show or ()):
                print(f"  {kind}: {codes} not {each['right']}\n    {each['text'][:200]!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
