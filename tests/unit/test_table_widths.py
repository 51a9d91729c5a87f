"""Every table keeps its columns and its cells in a narrow terminal."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

import gpukit
from gpukit import cloud, doctor
from gpukit._language import shown
from gpukit.report import Column, Page, Section, Table
from support import smi_texts

TABLES = {
    "vendors": gpukit.vendors,
    "cloud": cloud.table,
    "cloud --free": lambda: cloud.table(True),
    "cards": gpukit.cards,
    "smi": gpukit.smi,
    "bench": lambda: gpukit.bench(lambda: None, repeats=3).to_table(),
    "compat": lambda: doctor.compat(driver="535.54.03", gpu="T4").to_table(),
    "pasted": lambda: doctor.parse_smi(smi_texts.V100_FOUR).to_table(),
    "cloud recommend": lambda: cloud.recommend(need_gb=10, hours=4),
    "cloud relative": cloud.relative,
    "selftest": lambda: gpukit.selftest("cpu", verbose=False),
    "topology": lambda: gpukit.monitor.topology().to_table(),
    "fit": lambda: gpukit.fit(gpukit.nn.Linear(8, 8), (gpukit.ones(2, 8),)),
}
PAGES = {
    "info": lambda: gpukit.info(stack=True).to_page(),
    "doctor": lambda: gpukit.doctor().to_page(),
    "pasted": lambda: doctor.judge_paste(smi_texts.V100_FOUR).to_page(),
}


@pytest.fixture(params=["en", "zh"])
def language(request):
    gpukit.set_language(request.param)
    yield request.param
    gpukit.set_language(None)


def letters(text: str) -> str:
    """What is left without the space and the lines that a table draws."""
    return re.sub(r"[\s─━╴╶]", "", text)


def drawn(table: Table | Page, width: int) -> list[str]:
    stream = io.StringIO()
    console = Console(file=stream, width=width, highlight=False, force_jupyter=False)
    console.print(table)
    return stream.getvalue().splitlines()


def as_table(made):
    return made if isinstance(made, Table) else made.to_table()


def check(table: Table, width: int) -> None:
    """All letters of all titles and cells are there, no line is too long, nothing is cut."""
    lines = drawn(table, width)
    assert max(map(cell_len, lines)) <= width
    rest = letters("".join(lines))
    columns = table._shown()
    texts = [shown(column.title) for column in columns]
    texts += [shown(column.cell(row)) for row in table.rows for column in columns]
    for letter in set(letters("".join(texts))):
        assert rest.count(letter) >= sum(letters(text).count(letter) for text in texts), letter
    assert rest.count("…") <= letters("".join([*texts, table.title, *table.notes])).count("…")


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", TABLES)
def test_every_table_keeps_its_columns(name, width, language):
    check(as_table(TABLES[name]()), width)


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("name", PAGES)
def test_every_page_fits(name, width, language):
    page = PAGES[name]()
    lines = drawn(page, width)
    assert max(map(cell_len, lines)) <= width
    rest = letters("".join(lines))
    assert rest == letters(page.to_text())


def test_chinese_takes_two_places_a_letter():
    gpukit.set_language("zh")
    try:
        page = Page("Self test", sections=[Section("Libraries", items=["no GPU was found " * 9])])
        table = Table(
            "t", [Column("a", "memory"), Column("b", "device")], [{"a": "值" * 50, "b": 1}]
        )
        for shown_thing in (page, table):
            assert max(map(cell_len, drawn(shown_thing, 60))) <= 60
        rows = [line for line in drawn(table, 60) if "值" in line]
        assert sum(row.count("值") for row in rows) == 50
        assert cell_len(rows[0].rstrip()) > 40
    finally:
        gpukit.set_language(None)


@pytest.mark.parametrize("width", [60, 80])
def test_rows_can_be_told_apart_in_each_part(width):
    table = as_table(cloud.table())
    first = [table._shown()[0].cell(row)[:10] for row in table.rows]
    text = "\n".join(drawn(table, width))
    heads = text.count(table._shown()[0].title)
    assert heads >= 1
    assert all(text.count(name) >= 1 for name in first)


CELL = st.text(alphabet="abc defgh 0123456789.-/", min_size=1, max_size=60)


@settings(deadline=None)
@given(st.data(), st.integers(2, 12), st.integers(0, 4), st.sampled_from([40, 60, 80, 120]))
def test_any_table_keeps_its_columns(data, columns, rows, width):
    shown = [
        Column(f"k{i}", data.draw(CELL.filter(str.strip)), numeric=data.draw(st.booleans()))
        for i in range(columns)
    ]
    values = [{column.key: data.draw(CELL) for column in shown} for _ in range(rows)]
    check(Table("t", shown, values), width)
