"""Pasted nvidia-smi text is read in every layout, cut off anywhere, with colours."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpukit.doctor import judge_paste
from gpukit.doctor.smi_forms import parse_list
from gpukit.doctor.smi_text import parse_smi
from support import smi_texts
from support.patience import stretch


def test_the_narrow_windows_layout():
    report = parse_smi(smi_texts.MX150_BEFORE)
    (gpu,) = report.gpus
    assert (report.driver, report.cuda, report.system) == ("457.49", "11.1", "Windows")
    assert (gpu.name, gpu.mode, gpu.temperature) == ("GeForce MX150", "WDDM", 51)
    assert (gpu.memory_used, gpu.memory_total, gpu.utilization) == (505, 2048, 0)
    assert (gpu.power_draw, gpu.power_limit, gpu.fan) == (None, None, None)
    assert not report.complete


def test_the_wide_windows_layout():
    report = parse_smi(smi_texts.RTX_3050)
    (gpu,) = report.gpus
    assert (report.driver, report.cuda, report.system) == ("566.07", "12.7", "Windows")
    assert (gpu.name, gpu.mode, gpu.name_is_cut) == ("NVIDIA GeForce RTX 3050 ...", "WDDM", True)
    assert (gpu.power_draw, gpu.power_limit, gpu.performance_state) == (3.0, 80.0, "P8")


def test_four_cards_and_their_processes():
    report = parse_smi(smi_texts.V100_FOUR)
    assert report.system == "Linux"
    assert report.time == "Mon Jan 17 01:34:20 2022"
    assert [gpu.utilization for gpu in report.gpus] == [20, 0, 99, 0]
    assert [gpu.power_draw for gpu in report.gpus] == [52, 39, 292, 58]
    assert [gpu.temperature for gpu in report.gpus] == [42, 44, 77, 58]
    assert [(p.gpu, p.pid, p.memory) for p in report.processes] == [
        (0, 30549, 1347),
        (2, 85969, 3953),
    ]
    assert report.complete


def test_processes_of_current_drivers():
    report = parse_smi(smi_texts.T4_TODAY)
    assert [(p.pid, p.kind, p.name, p.memory) for p in report.processes] == [
        (1842, "C", "/usr/bin/python3", 102),
        (1999, "C+G", "a name with spaces.exe", None),
    ]


def test_mig_slices_are_counted():
    (gpu,) = parse_smi(smi_texts.A100_MIG).gpus
    assert (gpu.mig_mode, gpu.mig_devices, gpu.utilization) == ("Enabled", 2, None)


def test_wsl2_shows_two_versions():
    assert parse_smi(smi_texts.WSL2).system == "WSL2"


@pytest.mark.parametrize("name", smi_texts.TUTORIALS)
@pytest.mark.parametrize("colour", [False, True])
def test_cut_off_after_any_line(name, colour):
    text = smi_texts.TUTORIALS[name]
    whole = parse_smi(text)
    lines = text.splitlines(keepends=True)
    for count in range(len(lines) + 1):
        part = "".join(lines[:count])
        shown = smi_texts.coloured(part) if colour else part
        if "Driver Version" not in part:
            with pytest.raises(ValueError, match="does not look like nvidia-smi"):
                parse_smi(shown)
            continue
        report = parse_smi(shown)
        assert report.driver == whole.driver
        assert [g.name for g in report.gpus] == [g.name for g in whole.gpus][: len(report.gpus)]


@settings(deadline=None)
@given(st.sampled_from([*smi_texts.TUTORIALS.values(), smi_texts.A100_MIG]), st.integers(0, 4000))
def test_cut_off_after_any_character(text, length):
    part = text[:length]
    if not re.search(r"Driver Version:\s*\d", part):
        with pytest.raises(ValueError, match="does not look like nvidia-smi"):
            parse_smi(part)
        return
    report = parse_smi(part)  # whatever exists of a header is read
    whole = parse_smi(text)
    assert whole.driver.startswith(report.driver)
    names = [gpu.name for gpu in whole.gpus]
    assert all(name in names for name in [gpu.name for gpu in report.gpus][:-1])
    assert len(report.gpus) <= len(names)
    assert repr(report)


@settings(deadline=None)
@given(st.text(alphabet="|/ \n\x1b[0mMiBW%CAN:.0123456789Driver Version", max_size=300))
def test_garbage_is_a_value_error_or_a_report(text):
    try:
        parse_smi("Driver Version: 5.5\n" + text)
    except ValueError:
        pytest.fail("a header was found")


def test_a_hostile_name_is_shown_as_escapes():
    report = parse_smi(smi_texts.T4_TODAY.replace("Tesla T4   ", "T4\x07<b>   "))
    assert "\x07" not in repr(report)
    assert "<b>" not in report._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("text", [None, 3, b"Driver Version: 1"])
def test_only_text_is_taken(text):
    with pytest.raises(TypeError, match="text must be a str"):
        parse_smi(text)


_HEADER = "| NVIDIA-SMI 535.1   Driver Version: 535.1   CUDA Version: 12.2 |\n"
_FORMS = [
    _HEADER + "|====|\n| ",
    "==NVSMI LOG==\nDriver Version : 535.1\nGPU 0000:01:00.0\n",
    "index, name, memory.total [MiB]\n",
    "GPU 0: Tesla T4 (UUID: GPU-1)\n",
    "nvidia-smi ",
]


@pytest.mark.parametrize(
    "piece", ["\n", " ", "  \n", "nvidia-smi ", "<b ", "\x1b]", "0 1 C x ", "["]
)
def test_a_long_paste_takes_time_in_proportion(piece):
    start = time.process_time()
    for form in _FORMS:
        assert judge_paste(form + piece * (30_000 // len(piece)) + "\n" + _HEADER).verdict
    assert time.process_time() - start < stretch(2)


@pytest.mark.parametrize("text", [smi_texts.T4_TODAY, smi_texts.A100_MIG, smi_texts.V100_FOUR])
def test_no_number_of_a_table_is_too_long(text):
    for number in re.finditer(r"\d+", text):
        judge_paste(f"{text[: number.start()]}{'9' * 5000}{text[number.end() :]}{_HEADER}")


def test_a_list_tells_each_gpus_instances():
    lines = [f"GPU {i}: NVIDIA A100 (UUID: GPU-{i})" for i in range(3)]
    lines[1] += "\n  MIG 1g.5gb     Device  0: (UUID: MIG-1)\n  MIG 1g.5gb Device 1: (UUID: MIG-2)"
    assert [gpu.mig_devices for gpu in parse_list("\n".join(lines)).gpus] == [0, 2, 0]
