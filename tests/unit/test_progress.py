"""Progress: a line in a terminal, a bar in a notebook, nothing in a pipe."""

from __future__ import annotations

import sys
import time

import pytest

from gpukit.report import Progress, progress


class Handle:
    """What IPython's display gives back, with everything that was shown."""

    def __init__(self):
        self.shown = []

    def update(self, bundle, raw):
        assert raw
        self.shown.append(bundle)


@pytest.fixture
def notebook(monkeypatch):
    from IPython import display

    handle = Handle()

    def show(bundle, raw, display_id):
        assert display_id
        handle.update(bundle, raw)
        return handle

    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    monkeypatch.setattr(display, "display", show)
    return handle


def run(seconds=0.0, **options):
    with Progress(2, **options) as bar:
        bar.step("one <b>")
        bar.step("two")
        time.sleep(seconds)


@pytest.mark.parametrize("seconds", [0.0, 1.05])
def test_work_leaves_nothing_in_a_notebook_however_long_it_took(notebook, seconds):
    run(seconds)
    assert "&lt;b&gt;" in notebook.shown[0]["text/html"]
    assert '<progress max="2" value="2">' in notebook.shown[1]["text/html"]
    assert notebook.shown[-1]["text/plain"].strip() == ""
    assert "<progress" not in notebook.shown[-1]["text/html"]


def test_invisible_progress_is(notebook):
    run(visible=False)
    assert notebook.shown == []


def test_a_terminal_line_is_cleared(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    run()
    written = capsys.readouterr().err
    assert "[2/2] two" in written
    assert written.endswith("\r\x1b[2K")


def test_a_pipe_gets_nothing(capsys):
    run()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
