"""Tables and number texts."""

from __future__ import annotations

import io
from html.parser import HTMLParser

import pytest

from gpukit.report import Column, Table, bytes_text, count_text, duration_text, rate_text
from gpukit.report.text import printable

# What a process, a file or a variable may be called.
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=y>',
    "</style><script>z</script>",
    "<a href=javascript:x>y</a>",
    "a&b;&lt;",
    "x | y",
    "\x1b]0;title\x07",
    "\x1b[31mred\x1b[0m",
    "'",
    "```\nrm -rf\n```",
    "[link](http://x) *bold* `code`",
    "two\nlines\r\x00\u202eback",
]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (1.5, "1.50 s"),
        (0.0123, "12.3 ms"),
        (4.5e-5, "45.0 µs"),
        (3e-9, "3.00 ns"),
        (9.9996e-7, "1.00 µs"),
        (123.0, "123 s"),
    ],
)
def test_durations(seconds, text):
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(None, "–"), (0, "0 B"), (1023, "1023 B"), (4 << 30, "4.00 GiB"), (1 << 60, "1048576 TiB")],
)
def test_bytes(count, text):
    assert bytes_text(count) == text


def test_counts_and_rates():
    assert count_text(12_500_000) == "12.5 M"
    assert count_text(7) == "7"
    assert rate_text(None, "GB/s") == "–"
    assert rate_text(187.4, "GB/s") == "187 GB/s"


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_html_is_inert(hostile):
    table = Table(hostile, [Column("a", hostile)], [{"a": hostile}], [hostile])
    seen = Tags()
    seen.feed(table.to_html())
    assert seen.tags <= {
        "div",
        "style",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "p",
    }
    assert seen.attributes <= {"class"}


def hostile_diagnosis(name):
    from gpukit.doctor.diagnosis import Check, Diagnosis

    check = Check(name, False, "blocker", name, name, name, [name], name, name)
    return Diagnosis("not_ready", name, [check], {name: True}, name, name, options=[name])


@pytest.mark.parametrize("hostile", HOSTILE)
def test_pages_are_inert(hostile):
    diagnosis = hostile_diagnosis(hostile)
    seen = Tags()
    seen.feed(diagnosis.to_html())
    assert "script" not in seen.tags
    assert not seen.tags & {"img", "a", "link", "iframe", "object"}
    assert seen.attributes <= {"class"}
    for text in (diagnosis.to_text(), diagnosis.to_markdown(), diagnosis.to_html()):
        assert not any(character in text for character in "\x1b\x07\x00\r\u202e")
    assert "<script" not in diagnosis.to_markdown().split("```")[0]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_markdown_tables_keep_their_shape(hostile):
    table = Table(hostile, [Column("a", hostile)], [{"a": hostile}], [hostile])
    lines = table.to_markdown().splitlines()
    assert len(lines) == 7
    assert "<script" not in "".join(lines)


def test_no_colour_is_fixed():
    import re

    for markup in (hostile_diagnosis("x").to_html(), Table("t", [Column("a", "a")]).to_html()):
        style = markup.split("</style>")[0]
        assert not re.search(r"#[0-9a-fA-F]{3,6}|rgb\(|: ?(black|white|grey|gray|red)\b", style)
        assert "currentColor" in markup


def test_terminal_escapes_are_shown_not_obeyed():
    assert printable("\x1b]0;x\x07") == "\\x1b]0;x\\x07"
    assert "\x1b" not in Table("t", [Column("a", "a")], [{"a": "\x1b[31m"}]).to_text()


def test_an_empty_column_is_left_out_and_missing_is_a_dash():
    table = Table(
        "t", [Column("a", "a"), Column("b", "b"), Column("c", "c")], [{"a": 1, "b": 2}, {"a": 3}]
    )
    text = table.to_markdown()
    assert "| a | b |" in text
    assert "| 3 | – |" in text


def test_pipes_do_not_break_markdown():
    assert "x \\| y" in Table("t", [Column("a", "a")], [{"a": "x | y"}]).to_markdown()


def test_a_table_without_rows_still_says_what_it_is():
    from gpukit.report import Column, Table

    table = Table("Nothing yet", [Column("n", "n")])
    for text in (table.to_text(), table.to_markdown(), table.to_html()):
        assert "Nothing yet" in text


def test_a_terminal_keeps_the_indent_of_a_broken_line():
    import io

    from rich.console import Console

    from gpukit.report import Page, Section

    stream = io.StringIO()
    page = Page("T", sections=[Section("S", items=["a long line of many words that must break"])])
    Console(file=stream, width=24).print(page)
    broken = stream.getvalue().splitlines()[3:]
    assert len(broken) > 1
    assert all(line.startswith("  ") for line in broken)


def test_a_title_wider_than_its_table_stays_on_one_line():
    title = "a title of many words over a narrow table"
    text = Table(title, [Column("n", "n")], [{"n": 1}]).to_text()
    assert text.splitlines()[0] == title


@pytest.mark.parametrize(("variable", "coloured"), [(None, True), ("1", False)])
def test_no_color_is_honoured(monkeypatch, variable, coloured):
    import io

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if variable:
        monkeypatch.setenv("NO_COLOR", variable)
    terminal = Terminal()
    hostile_diagnosis("pip install x").print(terminal)
    assert ("\x1b[36m" in terminal.getvalue()) == coloured


def test_in_a_kernel_the_text_is_text_and_goes_where_it_is_sent(monkeypatch):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    table = Table("Sizes", [Column("n", "n", numeric=True)], [{"n": 3}])
    assert table.to_text().startswith("Sizes") and "3" in table.to_text()
    sent = io.StringIO()
    table.print(sent)
    assert sent.getvalue().startswith("Sizes")


def test_wide_tables_scroll_and_chinese_words_stay_whole():
    columns = [Column("kind", "kind"), Column("line", "line", code=True)]
    shown = Table("Offers", columns, [{"kind": "按需", "line": "x = y + 1"}]).to_html()
    assert ".gpukit{overflow-x:auto}" in shown
    assert "word-break:keep-all" in shown
    assert '<td class="c">x = y + 1</td>' in shown
