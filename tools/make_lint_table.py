"""Writes the table of rules into docs/lint.md, between its two comments."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "lint.md"
START, END = "<!-- rules: written by tools/make_lint_table.py -->", "<!-- end of rules -->"


def table() -> str:
    """One row a rule."""
    from gpukit.lint.checking import rules

    rows = ["| code | name | what is wrong, and what to write | `--fix` |", "|---|---|---|---|"]
    for rule in rules().values():
        message = rule.message.replace("|", "\\|")
        rows.append(f"| {rule.code} | {rule.name} | {message} | {'yes' if rule.fixable else ''} |")
    return "\n".join(rows)


def main() -> int:
    """Rewrites the page if its table is old."""
    text = PAGE.read_text(encoding="utf-8")
    between = re.compile(re.escape(START) + ".*?" + re.escape(END), re.DOTALL)
    new = between.sub(lambda _: f"{START}\n\n{table()}\n\n{END}", text)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
