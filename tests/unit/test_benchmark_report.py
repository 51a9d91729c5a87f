"""benchmarks/report.py: goals beside measured ratios, red where they fall short."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from html import escape
from itertools import groupby
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest

from support.mode import PROJECT
from support.plugin import ALONE

SVG = "{http://www.w3.org/2000/svg}"
DOCUMENT = {
    "schema": 1,
    "kind": "cpu",
    "environment": {"cpu": "two cores"},
    "rows": [
        {
            "group": "g",
            "name": "met",
            "ns": {"gpukit": 100.0, "numpy": 250.0, "limit": 100.0},
            "spread": {"gpukit": 0.02, "numpy": 0.0, "limit": 0.0},
            "goals": {"numpy": 2.0, "limit": 1.0},
            "note": "",
        },
        {
            "group": "g",
            "name": "short",
            "ns": {"gpukit": 100.0, "torch": 150.0},
            "spread": {"gpukit": 0.02, "torch": 0.0},
            "goals": {"torch": 2.0, "cupy": 3.0},
            "note": "noted",
        },
    ],
}


@pytest.fixture(scope="module")
def report():
    path = PROJECT / "benchmarks" / "report.py"
    spec = importlib.util.spec_from_file_location("benchmark_report", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_goals_and_ratios_stand_side_by_side(report):
    text = report.markdown(DOCUMENT)
    assert "2 of 3 goals are met" in text
    met, short = (line for line in text.splitlines() if line.startswith("| g "))
    assert "| 2.50 × numpy; 100 ns | ≥ 2 × numpy; ≤ 100 ns | yes |" in met
    assert "| 1.50 × torch | ≥ 2 × torch | 🔴 **no** |" in short
    assert "short (noted)" in short


def test_unsteady_times_are_marked(report):
    steady = report.markdown(DOCUMENT)
    assert "†" not in steady
    row = {**DOCUMENT["rows"][1], "spread": {"gpukit": 0.25, "torch": 0.27}}
    lines = report.markdown({**DOCUMENT, "rows": [DOCUMENT["rows"][0], row]}).splitlines()
    short = next(line for line in lines if line.startswith("| g | short"))
    assert "| 100 ns ± 12 % | – | 150 ns ± 14 % † |" in short
    assert [line for line in lines if "†" in line] == [short, lines[-1]]
    assert lines[-1].startswith("† unsteady: half of the readings lie further apart than 25 %")


def test_shares_are_of_the_goal(report):
    assert [share for _, share in report.goal_shares(DOCUMENT)] == [1.25, 1.0, 0.75]


def test_files_are_written_by_kind_of_device(report, tmp_path):
    report.write(DOCUMENT, tmp_path)
    assert json.loads((tmp_path / "cpu.json").read_text()) == DOCUMENT
    assert (tmp_path / "cpu.md").read_text() == report.markdown(DOCUMENT)
    assert (tmp_path / "cpu.svg").read_text().startswith("<svg")
    report.write({**DOCUMENT, "kind": "simulated"}, tmp_path)
    assert "a model's figures" in (tmp_path / "simulated.md").read_text()


def pictured(report, document=DOCUMENT):
    """The picture of ratios, parsed: well-formed, and its texts with their places."""
    tree = ET.fromstring(report.pictures.ratios(document, "a title"))
    texts = {text.text: float(text.get("x")) for text in tree.iter(f"{SVG}text")}
    return tree, texts


def test_files_have_the_name_that_the_run_was_given(report, tmp_path):
    named = {**DOCUMENT, "name": "cpu-other"}
    report.write(named, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "cpu-other.json",
        "cpu-other.md",
        "cpu-other.svg",
    }
    assert report.merged({**named, "rows": []}, tmp_path)["rows"] == DOCUMENT["rows"]


def test_readings_that_lie_far_apart_are_drawn(report):
    # Half of a peer's readings lay further apart than twice their median: the end was negative.
    row = {**DOCUMENT["rows"][0], "spread": {"gpukit": 0.5, "numpy": 2.04}}
    (point,) = report.pictures.points(row)
    assert 0 < point.low < point.ratio < point.high
    pictured(report, {**DOCUMENT, "rows": [row]})


def test_each_ratio_has_a_mark_and_an_interval(report):
    first, second = (report.pictures.points(row) for row in DOCUMENT["rows"])
    assert [(point.peer, point.ratio) for point in first] == [("numpy", 2.5)]
    assert [(point.peer, point.ratio) for point in second] == [("torch", 1.5)]
    assert first[0].low == pytest.approx(2.5 / 1.01)
    assert first[0].high == pytest.approx(2.5 / 0.99)
    tree, texts = pictured(report)
    assert {"a title", "numpy", "torch", "met", "short", "1×", "2×"} <= set(texts)
    marks = [*tree.iter(f"{SVG}circle"), *tree.iter(f"{SVG}rect")]
    assert sorted(mark.get("class") for mark in marks) == ["numpy", "numpy", "torch", "torch"]
    lines = [line.get("class") for line in tree.iter(f"{SVG}line")]
    assert lines.count("numpy thin") == lines.count("torch thin") == 1


def test_a_ratio_beyond_the_axis_is_a_number(report):
    far = {**DOCUMENT["rows"][0], "ns": {"gpukit": 1.0, "numpy": 5000.0}}
    _, texts = pictured(report, {**DOCUMENT, "rows": [far]})
    assert "5000×" in texts
    assert texts["5000×"] < 400


@pytest.mark.parametrize("stem", ["cpu", "cpu-intel"])
def test_the_pictures_of_the_results_fit_a_phone_and_both_themes(report, stem):
    results = json.loads((PROJECT / f"benchmarks/results/{stem}.json").read_text(encoding="utf-8"))
    for name, text in (
        (f"{stem}.svg", report.pictures.ratios(results, report.TITLES["cpu"])),
        (f"{stem}-roofline.svg", report.pictures.roofline(results, "Rates under the peaks")),
    ):
        assert (PROJECT / "benchmarks/results" / name).read_text(encoding="utf-8") == text
        tree = ET.fromstring(text)
        assert tree.get("viewBox").startswith("0 0 400 ")
        assert "prefers-color-scheme:dark" in text
        assert ".paper{fill:#0d1117}" in text  # no light ink on a browser's own white
        for label in tree.iter(f"{SVG}text"):
            size = 12 if "small" in label.get("class") else 13
            wide = 0.53 * size * len(label.text)
            start = {"start": 0, "middle": wide / 2, "end": wide}[label.get("text-anchor")]
            assert float(label.get("x")) - start > -2, label.text
            assert float(label.get("x")) - start + wide < 402, label.text
    rows = [row["name"] for row in results["rows"] if report.pictures.points(row)]
    drawn = (PROJECT / f"benchmarks/results/{stem}.svg").read_text(encoding="utf-8")
    assert [name for name in rows if escape(name) not in drawn] == []
    groups = groupby(row["group"] for row in results["rows"] if report.pictures.points(row))
    assert drawn.count(">10×<") == len(list(groups))  # each group has its axis


def test_the_roofline_has_what_its_rows_compute(report):
    work_of = report.pictures.work_of
    named = {"group": "matmul", "name": "float32 100×100"}
    assert work_of(named) == (2e6, 12e4)
    assert work_of({**named, "name": "1×4096 @ 4096×4096"}) == (2 * 4096**2, 4 * (4096**2 + 8192))
    assert work_of({**named, "name": "float64 100×100"}) is None
    assert report.pictures.roofline(DOCUMENT, "no peaks") == ""


def test_a_part_of_the_tests_leaves_the_other_rows(report, tmp_path):
    (tmp_path / "cpu.json").write_text(json.dumps(DOCUMENT))
    again = {**DOCUMENT["rows"][1], "note": "again"}
    both = report.merged({**DOCUMENT, "rows": [again]}, tmp_path)
    assert [(row["name"], row["note"]) for row in both["rows"]] == [("met", ""), ("short", "again")]
    elsewhere = {**DOCUMENT, "environment": {"cpu": "another"}, "rows": [again]}
    assert report.merged(elsewhere, tmp_path)["rows"] == [again]
    assert report.merged(elsewhere, tmp_path / "none") == elsewhere


def test_the_processor_is_stated(report):
    processor = {"openblas": {"numpy": "SkylakeX 0.3"}, "peak": {"float32 GFLOP/s": 230}}
    text = report.markdown({**DOCUMENT, "processor": processor})
    assert "OpenBLAS kernels: numpy SkylakeX 0.3" in text
    assert "measured peak: float32 GFLOP/s 230" in text


@pytest.mark.parametrize("only_collected", [False, True])
def test_the_processor_is_measured_when_a_session_starts(monkeypatch, only_collected):
    # Not with the header, which quiet runs do not print.
    monkeypatch.syspath_prepend(PROJECT / "benchmarks")
    path = PROJECT / "benchmarks" / "conftest.py"
    spec = importlib.util.spec_from_file_location("benchmark_conftest", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module.openblas, "kernels", lambda: {"numpy": "SkylakeX"})
    monkeypatch.setattr(module.openblas, "peak", lambda: {"float32": 230})
    config = SimpleNamespace(getoption={"collectonly": only_collected}.__getitem__)
    module.pytest_sessionstart(SimpleNamespace(config=config))
    shown = [] if only_collected else ["openblas: numpy SkylakeX", "peak: float32 230"]
    assert module.pytest_report_header() == shown


def ask_for_help(*options: str, **settings: str) -> str:
    """What `pytest benchmarks --help` prints: it loads the options and measures nothing."""
    command = [sys.executable, "-m", "pytest", "benchmarks", *options, "--help"]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    done = subprocess.run(
        command,
        cwd=PROJECT,
        env=environment | ALONE | settings,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout
    return done.stdout


@pytest.mark.parametrize("name", ["OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"])
def test_benchmarks_start_again_on_the_processors_own_kernels(name):
    text = ask_for_help(**{name: "Haswell"})
    assert text.startswith(f"benchmarks: started again without {name}\n")


def test_benchmarks_keep_the_kernels_when_asked():
    assert "started again" not in ask_for_help("--keep-openblas-env", OPENBLAS_CORETYPE="Haswell")
    assert "started again" not in ask_for_help()
