"""What the lessons print is true; each check is seen to refuse a false output."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from support import mode
from support.lesson_runs import output

SIMULATED = mode.MODE.name != "gpu"
_UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def found(pattern: str, text: str) -> re.Match[str]:
    """The first place of a pattern; a lesson that does not print it is red."""
    match = re.search(pattern, text, re.MULTILINE)
    assert match, f"nothing printed is like {pattern!r}"
    return match


def seconds(shown: str) -> float:
    """A time as reports print it."""
    number, unit = shown.split()
    return float(number.replace(",", "")) * _UNITS[unit]


def mismatch(text: str) -> None:
    """S1-26: the error names both devices, the move to the GPU, and its bytes: 2 x 3 float32."""
    told = found(
        r"^add: (\w+) is on (cuda:\d+), (\w+) is on cpu\. Move one first, "
        r"e\.g\. (\w+)\.to\('([\w:]+)'\) \(copies (\d+) B\)",
        text,
    )
    assert told[4] == told[3] and told[5] == told[2]
    assert int(told[6]) == 2 * 3 * 4


def prefetch(text: str) -> None:
    """S1-32: copies of the next batch hide behind the work on this one."""
    told = found(r"copy, then multiply: ([\d.]+) ms; with prefetch: ([\d.]+) ms", text)
    in_turn, overlapped = map(float, told.groups())
    assert overlapped > 0
    assert overlapped < in_turn * (1 if SIMULATED else 1.5)  # a real clock is shared


def lock(text: str) -> None:
    """S1-34: another thread runs during a copy, and not during pure Python."""
    told = found(r"other thread: (\d+) in pure Python, (\d+) in a copy", text)
    assert int(told[1]) == 0 < int(told[2])


_TIME = r"([\d.,]+ [nµm]?s)"
_CROSSOVER = re.compile(
    rf"^ *(\d+) +{_TIME} +{_TIME} +{_TIME} +([\d.,]+) × +([\d.,]+) × +(\w+)", re.MULTILINE
)


def crossover_table(text: str) -> None:
    """S1-38: each size was timed on both, its results agree, its ratios are those of its times."""
    rows = _CROSSOVER.findall(text)
    assert len(rows) >= 3
    assert [int(row[0]) for row in rows] == sorted({int(row[0]) for row in rows})
    for _, cpu, alone, copies, ratio, ratio_copies, answer in rows:
        assert answer == "agrees"
        for gpu, shown in ((alone, ratio), (copies, ratio_copies)):
            exact = seconds(cpu) / seconds(gpu)
            assert float(shown.replace(",", "")) == pytest.approx(exact, rel=0.03, abs=0.006)


def crossover_sizes(text: str) -> None:
    """S1-46: the sentence below the table says what the table says, of both ways."""
    rows = _CROSSOVER.findall(text)
    for label, column in (("work alone", 4), ("with both copies", 5)):
        told = re.search(rf"^{label}: the GPU wins from n = ([\d,]+) on", text, re.MULTILINE)
        ratios = {int(row[0]): float(row[column].replace(",", "")) for row in rows}
        if told is None:
            found(rf"^{label}: no crossover up to", text)
            assert not SIMULATED
            continue
        first = int(told[1].replace(",", ""))
        near = 1 if SIMULATED else 1.2  # where the lines cross, real times are noisy
        assert all(ratio * near >= 1 for size, ratio in ratios.items() if size >= first)
        assert all(ratio <= near for size, ratio in ratios.items() if size < first)
        assert sum(size >= first for size in ratios) >= 3


_LOGGING = re.compile(rf"^ (\w.*?)  +{_TIME} +{_TIME} +(\d+) +([\d.]+) × +(\w+)", re.MULTILINE)


def logging(text: str) -> None:
    """S1-57: the same work four ways; two wait at each of 50 entries, two once."""
    rows = {row[0]: row[1:] for row in _LOGGING.findall(text)}
    waits = {name: int(row[2]) for name, row in rows.items()}
    assert waits == {"print each": 50, "item() each": 50, "kept, moved once": 1, "DeviceLog": 1}
    assert {row[4] for row in rows.values()} == {"agrees"}
    if SIMULATED:
        each = [seconds(rows[name][0]) for name in ("print each", "item() each")]
        assert max(seconds(rows[name][0]) for name in ("kept, moved once", "DeviceLog")) < min(each)


def pieces(text: str) -> None:
    """S1-58: memory of 1000 matrices of 40 kB comes from the driver in pieces of 2 MiB or more."""
    told = found(r"^(\d+) matrices: the driver was asked (\d+) times", text)
    assert int(told[1]) == 1000
    assert int(told[2]) <= 1000 * 40_000 // (2 << 20) + 1


def scalars(text: str) -> None:
    """S1-62: a norm prints with its device and is near 2500; each item() is a wait of 4 bytes."""
    told = found(r"^tensor\(([\d.]+), device='cuda:0'", text)
    assert abs(float(told[1]) - 2500) < 250
    row = found(r"cell \d+, line \d+ +item +(\d+) +(\d+) ", text)
    assert (int(row[1]), int(row[2])) == (20, 80)


def too_few(text: str) -> None:
    """S1-66: asking for a GPU more than there is ends in an error with a way to practise."""
    asked = re.findall(r"asked for (\d+) GPUs?, (no|\d+) usable.*?simulate\((\d+)\)", text)
    assert asked
    for wanted, there, practise in asked:
        assert int(wanted) > int(there.replace("no", "0"))
        assert practise == wanted


def old_driver(text: str) -> None:
    """S2-10: the table that "shows that it works" is of a driver that is too old."""
    told = found(r"^Not ready: This driver is too old: gpukit needs (\d+)[\d.]* or newer", text)
    assert int(told[1]) > 418
    assert not re.search(r"^(Ready|Usable)\b", text[told.start() - 400 : told.end()], re.MULTILINE)


def offer(name: str) -> Callable[[str], None]:
    """S2-41, S2-43: an offer is shown with its GPU, or with the words that none is recorded."""

    def check(text: str) -> None:
        shown = found(rf"^{name}\S* (.+) (\w+)$", text)
        assert "None" not in shown[0]
        assert shown[2] in {"offered", "ending", "gone"}

    return check


def physical(text: str) -> None:
    """S4-10: as many names as GPUs, and the entries as TensorFlow shows them."""
    told = found(r"^(\d+) GPUs:((?: /physical_device:GPU:\d+)*)$", text)
    names = told[2].split()
    assert names == [f"/physical_device:GPU:{index}" for index in range(int(told[1]))]
    for name in names:
        assert f"PhysicalDevice(name='{name}', device_type='GPU')" in text


def graph(text: str) -> None:
    """S4-31: load and memory rise and fall again; half of the memory is more than a third."""
    bars = found(r"^GPU 0 memory \|(.+)\|$", text)[1]
    load = found(r"^GPU 0 util   \|(.+)\|$", text)[1]
    assert len(bars) == len(load) >= 5
    assert bars[0] < max(bars) > bars[-1]
    assert max(bars) >= "▃"
    if SIMULATED:
        assert load[0] < max(load) > load[-1]


@dataclass
class Row:
    """A row of the tutorials: the lesson, the check, and false outputs (pattern, replacement)."""

    lesson: int
    check: Callable[[str], None]
    lies: tuple[tuple[str, str], ...]
    on_cpu: bool = False


ROWS = {
    "S1-26": Row(2, mismatch, ((r"\(copies 24 B", "(copies 0 B"), (r"\.to\('cuda:0", ".to('cpu"))),
    "S1-32": Row(4, prefetch, ((r"with prefetch: [\d.]+", "with prefetch: 9999.0"),)),
    "S1-34": Row(
        4, lock, ((r"\d+ in a copy", "0 in a copy"), (r"0 in pure", "3 in pure")), on_cpu=True
    ),
    "S1-38": Row(2, crossover_table, (("agrees", "differs"), (r"([\d.]+) × ", "77.7 × "))),
    "S1-46": Row(2, crossover_sizes, ((r"alone: the GPU wins from n = \d+", "alone: never"),
                                      (r"(copies: the GPU wins from n =) \d+", r"\1 16"))),
    "S1-57": Row(2, logging, ((r"(DeviceLog .* )1 ( +[\d.]+ ×)", r"\g<1>50 \2"),
                              (r"(item\(\) each .* )agrees", r"\g<1>differs"))),
    "S1-58": Row(2, pieces, ((r"was asked \d+", "was asked 1000"),)),
    "S1-62": Row(2, scalars, ((r"tensor\(2", "tensor(9"), (r"item +20 ", "item   19 "))),
    "S1-66": Row(2, too_few, ((r"asked for \d+", "asked for 0"), (r"simulate\(\d", "simulate(9")),
                 on_cpu=True),
    "S2-10": Row(3, old_driver, (("Not ready: This driver is too", "Ready: This driver is not"),
                                 ("gpukit needs 525", "gpukit needs 410")), on_cpu=True),
    "S2-41": Row(3, offer("studio-lab"), ((r"^studio-lab .+ ", "studio-lab None "),), on_cpu=True),
    "S2-43": Row(3, offer("huawei"), ((r"^huawei\S* .+ ", "huawei-cloud None "),), on_cpu=True),
    "S4-10": Row(5, physical, ((r"^\d+ GPUs:.*", "9 GPUs: /physical_device:GPU:0"),), on_cpu=True),
    "S4-31": Row(5, graph, (("[▂-█]", "▁"), (r"(GPU 0 memory \|).", r"\1█"))),
}  # fmt: skip
HERE = [name for name, row in ROWS.items() if row.on_cpu or mode.MODE.name != "cpu"]
LIES = [(name, number) for name in HERE for number in range(len(ROWS[name].lies))]


@pytest.mark.parametrize("name", HERE)
def test_the_output_is_true(name: str) -> None:
    ROWS[name].check(output(ROWS[name].lesson))


@pytest.mark.parametrize(("name", "number"), LIES)
def test_a_false_output_is_refused(name: str, number: int) -> None:
    row = ROWS[name]
    pattern, replacement = row.lies[number]
    false = re.sub(pattern, replacement, output(row.lesson), flags=re.MULTILINE)
    assert false != output(row.lesson)
    with pytest.raises(AssertionError):
        row.check(false)
