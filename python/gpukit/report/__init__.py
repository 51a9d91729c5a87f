"""The one way to show a result: text, HTML, Markdown, CSV and JSON from the same rows."""

from gpukit._names.plural import count_of
from gpukit.report.column import Column
from gpukit.report.page import Page, Section, Shown
from gpukit.report.progress import Progress
from gpukit.report.table import SCHEMA, Table, Tabular
from gpukit.report.text import (
    bytes_text,
    count_text,
    duration_text,
    light_texts,
    rate_text,
)

__all__ = [
    "SCHEMA",
    "Column",
    "Page",
    "Progress",
    "Section",
    "Shown",
    "Table",
    "Tabular",
    "bytes_text",
    "count_of",
    "count_text",
    "duration_text",
    "light_texts",
    "rate_text",
]
