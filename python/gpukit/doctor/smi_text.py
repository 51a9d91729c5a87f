"""Reading what `nvidia-smi` printed: every layout since driver 418, cut off anywhere, coloured."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from gpukit.report import Column, Table, Tabular
from gpukit.report.text import printable, without_escapes

# A paste may hold anything, up to a megabyte on one line. So digits have a limit, which int()
# has too, and no pattern has two neighbours that take the same letters: each takes linear time.
_WINDOWS_MODELS = ("WDDM", "TCC", "MCDM")

_TIME = re.compile(r"^\w{3} \w{3} +\d{1,2} \d\d:\d\d:\d\d \d{4}")
_TOOL = re.compile(r"NVIDIA-SMI\s+(\d[\d.]*)")
_DRIVER = re.compile(r"(?:Driver|KMD) Version:\s*(\d+(?:\.\d+)*)")
_CUDA = re.compile(r"CUDA (?:UMD )?Version:\s*(\d+\.\d+)")
_BUS = re.compile(r"([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s*(On|Off|N/A)?")
_MEMORY = re.compile(r"(\d{1,9})\s*MiB\s*/\s*(\d{1,9})\s*MiB")
_WATTS = r"(\d{1,6}(?:\.\d{1,6})?)\s*W"
_POWER = re.compile(rf"{_WATTS}\s*/\s*(?:{_WATTS})?")
_PERCENT = re.compile(r"(\d{1,9})\s*%")
_DEGREES = re.compile(r"(\d{1,9})\s*C\b")
_STATE = re.compile(r"\b(P\d{1,2})\b")
_COMPUTE_MODE = re.compile(r"(Default|Prohibited|E\. ?Process|E\. ?Thread|Exclusive\S*)")
# Text in place of a reading when the driver cannot reach the GPU.
_UNREADABLE = re.compile(
    r"ERR!|\[?Unknown Error\]?|\[?GPU (?:is lost|requires reset)[^|,]*\]?|Requires reset",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^(?:\s*>)+\s?")
_SERVICE = re.compile(r"^[\w./-]+\s+\| ?")
_BORDER, _BORDER_END = re.compile(r"\s*[+|][-=+]{20,}$"), re.compile(r"[-=+]*[+|]\s*$")
_TAGS = re.compile(r"</?(?:pre|code|span|p|div|samp|kbd|b|i|em|strong)\b[^<>]*>", re.IGNORECASE)
_MIG_ROW = re.compile(r"\s*(\d{1,4})(?:\s+\d{1,4}){3}\s*$")
_PROCESS = re.compile(
    r"\s*(\d{1,4})\s+(?:(?:\d{1,4}|N/A)\s+(?:\d{1,4}|N/A)\s+)?(\d{1,10})\s+([CGM+]{1,3})\s+(\S.*)"
)
_PROCESS_MEMORY = re.compile(r"(?:(\d{1,9})\s*MiB|N/A)$")


@dataclass
class SmiGpu:
    """One GPU of the table. MiB, watts, percent, degrees Celsius; None: not shown or N/A.

    Example:
        >>> import gpukit
        >>> gpu = gpukit.doctor.SmiGpu(index=0, name="Tesla V100-SXM2...", memory_total=16130)
        >>> gpu.name_is_cut, gpu.temperature
        (True, None)
    """

    index: int
    name: str
    mode: str | None = None
    bus_id: str | None = None
    display_active: bool | None = None
    ecc: str | None = None
    fan: int | None = None
    temperature: int | None = None
    performance_state: str | None = None
    power_draw: float | None = None
    power_limit: float | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    utilization: int | None = None
    compute_mode: str | None = None
    mig_mode: str | None = None
    mig_devices: int = 0
    unreadable: list[str] = field(default_factory=list)  # what reads ERR!, Unknown Error, lost
    state: list[str] = field(default_factory=list)  # what `-q` says is wrong

    @property
    def name_is_cut(self) -> bool:
        """True when nvidia-smi shortened the name to fit its column."""
        return self.name.endswith("..")


@dataclass
class SmiProcess:
    """One row of the process table; `memory` in MiB, None if the system does not report it.

    Example:
        >>> import gpukit
        >>> gpukit.doctor.SmiProcess(gpu=0, pid=30549, kind="C", name="python", memory=1347).memory
        1347
    """

    gpu: int
    pid: int
    kind: str
    name: str
    memory: int | None = None


@dataclass(repr=False)
class SmiReport(Tabular):
    """The contents of a pasted `nvidia-smi`. `cuda` is the newest CUDA that the driver accepts.

    Example:
        >>> from gpukit import doctor
        >>> line = "| NVIDIA-SMI 535.54.03  Driver Version: 535.54.03  CUDA Version: 12.2 |"
        >>> doctor.parse_smi(line).cuda
        '12.2'
    """

    driver: str
    cuda: str | None = None
    tool: str | None = None
    time: str | None = None
    system: str = "Linux"  # or Windows, or WSL2
    complete: bool = False  # the process table was reached
    cuda_absent: bool = False  # "CUDA Version: N/A": no libcuda was found
    no_mig_devices: bool = False  # it says so
    gpus: list[SmiGpu] = field(default_factory=list)
    processes: list[SmiProcess] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data."""
        return {"schema": 1, **asdict(self)}

    def to_table(self) -> Table:
        """The GPUs as rows."""
        columns = [
            Column("index", "GPU", numeric=True),
            Column("name", "name"),
            Column("memory", "memory used / total"),
            Column("utilization", "util %", numeric=True),
            Column("temperature", "°C", numeric=True),
            Column("power", "power"),
        ]
        rows = [
            {
                "index": gpu.index,
                "name": gpu.name,
                "memory": _of(gpu.memory_used, gpu.memory_total, "MiB"),
                "utilization": gpu.utilization,
                "temperature": gpu.temperature,
                "power": _of(gpu.power_draw, gpu.power_limit, "W"),
            }
            for gpu in self.gpus
        ]
        newest = f", accepts up to CUDA {self.cuda}" if self.cuda else ""
        return Table(f"nvidia-smi of a {self.system} driver {self.driver}{newest}", columns, rows)


def _of(used: float | None, total: float | None, unit: str) -> str | None:
    if used is None:
        return None
    return f"{used:g} {unit}" if total is None else f"{used:g} / {total:g} {unit}"


_BARS = tuple((bar, "|") for bar in "│┃║｜¦")


def plain_lines(text: str) -> list[str]:
    """The lines without escape sequences; other control characters as visible escapes."""
    clean = without_escapes(text)
    if "&" in clean or "<" in clean:
        clean = html.unescape(_TAGS.sub("", re.sub(r"<br\s*/?>", "\n", clean)))
    for foreign, plain in (("\xa0", " "), ("\t", " "), ("\r\n", "\n"), ("\r", "\n"), *_BARS):
        clean = clean.replace(foreign, plain)
    return [printable(line) for line in _joined(_without_prefix(clean.split("\n")))]


def _without_prefix(lines: list[str]) -> list[str]:
    """Without the marks of mail, and the name that docker-compose puts before each line."""
    lines = [_QUOTED.sub("", line) for line in lines]
    names = {found.group() if (found := _SERVICE.match(line)) else "" for line in lines if line}
    return [_SERVICE.sub("", line) for line in lines] if names and "" not in names else lines


def _joined(lines: list[str]) -> list[str]:
    """Rows that a narrow window broke in two, put together again.

    Such a window breaks the table's borders too: that shows its width.
    """
    pairs = pairwise(lines)
    width = next(
        (len(line) for line, after in pairs if _BORDER.match(line) and _BORDER_END.match(after)), 0
    )
    if not width:
        return lines
    whole: list[str] = []
    open_row = False
    for line in lines:
        if open_row:
            whole[-1] += line
            open_row = False
        else:
            whole.append(line.ljust(width) if line.lstrip()[:1] in {"|", "+"} else line)
            open_row = line.lstrip()[:1] in {"|", "+"}
    return whole


def _cells(line: str) -> list[str]:
    """The cells of a table row; a row that was cut off keeps the cells it has."""
    stripped = line.strip()
    if not stripped.startswith("|"):
        return []
    return stripped.removeprefix("|").removesuffix("|").split("|")


def _number(pattern: re.Pattern[str], text: str, group: int = 1) -> float | None:
    match = pattern.search(text)
    return float(match.group(group)) if match and match.group(group) else None


def _whole(pattern: re.Pattern[str], text: str) -> int | None:
    value = _number(pattern, text)
    return None if value is None else int(value)


def _word(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match.group(1) if match else None


def _identity(cell: str) -> tuple[int, str, str] | None:
    """Number, name and mode of `0  Tesla T4   Off`; a name may have blanks inside."""
    number, _, rest = cell.strip().partition(" ")
    words = rest.rsplit(None, 1)
    if len(words) < 2 or not re.fullmatch(r"\d{1,4}", number):
        return None
    return int(number), words[0].lstrip(), words[1]


def _identity_row(cells: list[str]) -> SmiGpu | None:
    """`0  Tesla T4   Off | 00000000:00:04.0 Off | 0`: the first row of a GPU."""
    if len(cells) < 2:
        return None
    identity, bus = _identity(cells[0]), _BUS.search(cells[1])
    unreadable = _UNREADABLE.findall(" ".join(cells))
    if not identity or not (bus or unreadable):
        return None
    index, name, mode = identity
    shown = bus.group(2) if bus else None
    return SmiGpu(
        index=index,
        name=name,
        mode=mode,
        bus_id=bus.group(1) if bus else None,
        display_active={"On": True, "Off": False}.get(shown or ""),
        ecc=cells[2].strip() or None if len(cells) > 2 else None,
        unreadable=unreadable,
    )


def _fill_readings(gpu: SmiGpu, cells: list[str]) -> None:
    """`N/A  51C  P0  N/A / N/A | 505MiB / 2048MiB | 0%  Default`: the second row."""
    first = cells[0]
    gpu.unreadable += _UNREADABLE.findall(" ".join(cells))
    gpu.fan = _whole(_PERCENT, first)
    gpu.temperature = _whole(_DEGREES, first)
    gpu.performance_state = _word(_STATE, first)
    gpu.power_draw = _number(_POWER, first)
    gpu.power_limit = _number(_POWER, first, 2)
    if memory := _MEMORY.search(cells[1]):
        gpu.memory_used, gpu.memory_total = int(memory.group(1)), int(memory.group(2))
    if len(cells) > 2:
        gpu.utilization = _whole(_PERCENT, cells[2])
        gpu.compute_mode = _word(_COMPUTE_MODE, cells[2])


def _process_row(cells: list[str]) -> SmiProcess | None:
    match = _PROCESS.match(cells[0]) if len(cells) == 1 else None
    if not match:
        return None
    gpu, pid, kind, rest = match.groups()
    rest = rest.rstrip()
    held = _PROCESS_MEMORY.search(rest)
    name = rest[: held.start()].rstrip() if held else rest
    memory = int(held.group(1)) if held and held.group(1) else None
    return SmiProcess(int(gpu), int(pid), kind, name, memory)


class _Reader:
    """Goes through the rows; knows which GPU the next row belongs to."""

    def __init__(self, report: SmiReport) -> None:
        self.report = report
        self._rows_of_gpu = 0
        self._in_mig_table = False

    def row(self, cells: list[str]) -> None:
        if cells[0].strip().startswith("Processes:"):
            self.report.complete = True
        elif cells[0].strip().startswith("MIG devices:"):
            self._in_mig_table = True
        elif self.report.complete:
            self.report.processes += [p for p in [_process_row(cells)] if p]
        elif self._in_mig_table:
            self._mig_row(cells)
        else:
            self._gpu_row(cells)

    def _gpu_row(self, cells: list[str]) -> None:
        if gpu := _identity_row(cells):
            self.report.gpus.append(gpu)
            self._rows_of_gpu = 1
        elif self._rows_of_gpu == 1 and len(cells) > 1:
            _fill_readings(self.report.gpus[-1], cells)
            self._rows_of_gpu = 2
        elif self._rows_of_gpu == 2 and len(cells) > 2:
            self.report.gpus[-1].mig_mode = cells[2].strip() or None
            self._rows_of_gpu = 3

    def _mig_row(self, cells: list[str]) -> None:
        match = _MIG_ROW.match(cells[0])
        for gpu in self.report.gpus:
            if match and gpu.index == int(match.group(1)):
                gpu.mig_devices += 1


def _header(lines: list[str]) -> SmiReport:
    joined = "\n".join(lines)
    driver = _word(_DRIVER, joined)
    if driver is None:
        raise ValueError("this does not look like nvidia-smi output (no 'Driver Version')")
    time = next((match.group() for line in lines if (match := _TIME.match(line.strip()))), None)
    return SmiReport(driver, _word(_CUDA, joined), _word(_TOOL, joined), time)


def _system(report: SmiReport, lines: list[str]) -> str:
    """Whose driver it is. Under WSL2 the tool is Linux's and the driver Windows's: they differ."""
    titles = any("TCC/WDDM" in line or "Driver-Model" in line for line in lines)
    if titles or any(gpu.mode in _WINDOWS_MODELS for gpu in report.gpus):
        return "Windows"
    differ = report.tool is not None and report.tool != report.driver
    return "WSL2" if differ and report.driver.count(".") == 1 else "Linux"


def _rows(lines: list[str]) -> Iterator[list[str]]:
    for line in lines:
        cells = _cells(line)
        if cells:
            yield cells


def parse_smi(text: str) -> SmiReport:
    """Read the text that `nvidia-smi` printed, even if it was cut off or has colours.

    Args:
        text: a paste; words before and after the table do not matter.

    Returns:
        An SmiReport with `driver`, `cuda`, `system`, `gpus` and `processes`. Memory in MiB.

    Raises:
        TypeError: `text` is not a str. ValueError: there is no "Driver Version" in it.

    Example:
        >>> from gpukit import doctor
        >>> line = "| NVIDIA-SMI 457.49  Driver Version: 457.49  CUDA Version: 11.1 |"
        >>> doctor.parse_smi(line).driver
        '457.49'
    """
    if not isinstance(text, str):
        raise TypeError(f"parse_smi: text must be a str, got {type(text).__name__}")
    lines = plain_lines(text)
    report = _header(lines)
    reader = _Reader(report)
    for cells in _rows(lines):
        reader.row(cells)
    report.cuda_absent = any(re.search(r"CUDA Version:\s*(N/A|ERR!)", line) for line in lines)
    report.no_mig_devices = any("No MIG devices found" in line for line in lines)
    report.system = _system(report, lines)
    return report
