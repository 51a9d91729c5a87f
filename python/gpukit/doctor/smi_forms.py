"""The other outputs of nvidia-smi: its failures, `-q`, `-L`, `--query-gpu`, `dmon` and `pmon`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpukit.doctor.smi_text import SmiGpu, SmiReport

# nvidia-smi's own last words, and the row of each. The first that is found counts.
_FAILURES = (
    (r"could.{0,2}t communicate with the NVIDIA driver", "module-not-loaded"),
    (r"Driver/library version mismatch", "driver-library-mismatch"),
    (r"GPU access blocked by the operating system", "wsl-docker-blocked"),
    (r"Failed to initialize NVML:\s*Unknown Error", "container-lost-gpu"),
    (r"Unable to determine the device handle|GPU is lost", "gpu-fell-off-bus"),
    (r"Insufficient Permissions", "device-permission"),
    (r"NVML:\s*Driver Not Loaded", "module-not-loaded"),
    (r"could.{0,2}t find libnvidia-ml", "driver-not-installed"),
    (r"NVML:\s*(?:NVML )?Shared Library Not Found", "driver-not-installed"),
    (r"No devices were found", "no-device-shown"),
    (r"nvidia-smi\W{0,4}(?:command )?not found", "driver-not-installed"),
    (r"not found\W{0,4}nvidia-smi|Unknown command\W{0,4}nvidia-smi", "driver-not-installed"),
    (r"nvidia-smi\S{0,40} is not recognized|nvidia-smi\W{1,4}No such file", "driver-not-installed"),
    (r"nvidia-smi[^\n]{0,200}segmentation fault", "wsl-smi-segfault"),
    (r"segmentation fault[^\n]{0,200}nvidia-smi", "wsl-smi-segfault"),
)
# Shells in other languages: the tool's name next to the words for "not found".
_ELSEWHERE = re.compile(
    r"nvidia-smi[^\n]{0,40}(?:nicht gefunden|introuvable|no se encontr|non trovato|未找到|"
    r"見つかりません|не найден|não encontrado)|(?:未找到|找不到)[^\n]{0,20}nvidia-smi",
    re.IGNORECASE,
)
# Blanks at a line's start belong to that line only: \s* would continue through empty lines.
_BLOCK = re.compile(r"^ *GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]+) *$", re.MULTILINE)
_PRODUCT = re.compile(r"^ *Product Name *:", re.MULTILINE)
_LISTED = re.compile(r"^ *GPU (\d{1,4}): (.+?) \(UUID: GPU-", re.MULTILINE)
_LISTED_MIG = re.compile(r"^ +MIG \S.*\(UUID: MIG-", re.MULTILINE)
_LOAD = re.compile(r"^ *# *gpu +(?:pid|pwr|sm|mem|gtemp)\b", re.MULTILINE | re.IGNORECASE)


def failure_of(text: str) -> tuple[str, str] | None:
    """(row, line) of nvidia-smi's own failure, None when it did not fail."""
    for pattern, code in _FAILURES:
        found = re.search(pattern, text, re.IGNORECASE)
        if found:
            start = text.rfind("\n", 0, found.start()) + 1
            end = text.find("\n", found.end())
            return code, text[start : end if end >= 0 else len(text)].strip()
    elsewhere = _ELSEWHERE.search(text)
    return ("driver-not-installed", elsewhere.group()) if elsewhere else None


def _pairs(lines: Iterable[str]) -> list[tuple[str, str, str]]:
    """(section, name, value) of `-q`'s indented lines."""
    found, section = [], ""
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name.strip():
            found.append((section, name.strip(), value.strip()))
        elif line.strip():
            section = line.strip()
    return found


def _whole(text: str) -> int | None:
    number = re.match(r"\s*(\d{1,18})", text)
    return int(number.group(1)) if number else None


def _is_uncorrected(section: str, name: str) -> bool:
    """Errors since the driver was loaded; lifetime totals do not show a current fault."""
    now = section in {"Volatile", "Double Bit"}
    return now and ("Uncorrectable" in name or name in {"Total", "Double Bit"})


def _gpu_of_query(index: int, bus: str, lines: list[str]) -> SmiGpu:
    gpu = SmiGpu(index, "unknown", bus_id=bus)
    for section, name, value in _pairs(lines):
        low = value.lower()
        if "unknown error" in low or "gpu is lost" in low or "err!" in low:
            gpu.unreadable.append(value)
        if name == "Product Name":
            gpu.name = value
        elif name == "Compute Mode":
            gpu.compute_mode = value.replace("Exclusive_Process", "E. Process")
        elif name == "Performance State":
            gpu.performance_state = value
        elif section == "FB Memory Usage" and name in {"Total", "Used"}:
            setattr(gpu, f"memory_{name.lower()}", _whole(value))
        elif section == "Utilization" and name == "Gpu":
            gpu.utilization = _whole(value)
        elif name == "GPU Current Temp":
            gpu.temperature = _whole(value)
        elif section == "MIG Mode" and name == "Current" and value in {"Enabled", "Disabled"}:
            gpu.mig_mode = value
        elif name in {"Pending", "Remapping Failure Occurred"} and low == "yes":
            gpu.state.append(f"ECC: {section} {name}: {value}")
        elif "Slowdown" in name and value == "Active":
            gpu.state.append(f"{name}: {value}")
        elif name == "License Status" and low.startswith("unlicensed"):
            gpu.state.append(value)
        elif _is_uncorrected(section, name) and (count := _whole(value)):
            gpu.state.append(f"ECC: {name} {count}")
    return gpu


def parse_query(text: str) -> SmiReport | None:
    """`nvidia-smi -q` or `-a`, whole or cut off."""
    if "NVSMI LOG" not in text and not _PRODUCT.search(text):
        return None
    blocks = list(_BLOCK.finditer(text))
    driver = re.search(r"Driver Version\s*:\s*(\d[\d.]*)", text)
    cuda = re.search(r"CUDA Version\s*:\s*(\d+\.\d+)", text)
    report = SmiReport(driver.group(1) if driver else "", cuda.group(1) if cuda else None)
    ends = [*(block.start() for block in blocks[1:]), len(text)]
    for index, (block, end) in enumerate(zip(blocks, ends, strict=False)):
        lines = text[block.end() : end].splitlines()
        report.gpus.append(_gpu_of_query(index, block.group(1), lines))
    return report


def parse_list(text: str) -> SmiReport | None:
    """`nvidia-smi -L`: names only."""
    gpus = []
    found = list(_LISTED.finditer(text))
    ends = [*(each.start() for each in found[1:]), len(text)]
    for each, end in zip(found, ends, strict=False):
        gpu = SmiGpu(int(each.group(1)), each.group(2))
        if instances := len(_LISTED_MIG.findall(text, each.end(), end)):
            gpu.mig_mode, gpu.mig_devices = "Enabled", instances
        gpus.append(gpu)
    return SmiReport("", gpus=gpus) if gpus else None


_COLUMNS = {
    "name": "name", "gpu_name": "name", "memory.total": "memory_total",
    "memory.used": "memory_used", "utilization.gpu": "utilization",
    "temperature.gpu": "temperature", "compute_mode": "compute_mode",
    "mig.mode.current": "mig_mode", "pstate": "performance_state",
}  # fmt: skip
_OTHER_COLUMNS = {"driver_version", "index", "uuid", "power.draw"}
_NUMBERS = {"memory_total", "memory_used", "utilization", "temperature"}


def parse_csv(text: str) -> SmiReport | None:
    """`--query-gpu=… --format=csv`, with its heading."""
    rows = [_cells(line) for line in text.splitlines() if "," in line]
    start = next((i for i, row in enumerate(rows) if _is_heading(row)), None)
    if start is None:
        return None
    heads = _heads(rows[start])
    report = SmiReport("")
    for row in rows[start + 1 :]:
        if len(row) == len(heads):
            report.gpus.append(_gpu_of_row(report, dict(zip(heads, row, strict=True))))
    return report


def _cells(line: str) -> list[str]:
    """The cells of a line: nvidia-smi quotes none of them."""
    return [cell.strip() for cell in line.split(",")]


def _heads(row: Iterable[str]) -> list[str]:
    """The names of columns without their units: `memory.total [MiB]`."""
    return [cell.partition("[")[0].rstrip() for cell in row]


def _is_heading(row: Iterable[str]) -> bool:
    return len({*_heads(row)} & (_COLUMNS.keys() | _OTHER_COLUMNS)) >= 2


def _gpu_of_row(report: SmiReport, row: dict[str, str]) -> SmiGpu:
    index = row.get("index", "")
    gpu = SmiGpu(int(index) if re.fullmatch(r"\d{1,4}", index) else len(report.gpus), "unknown")
    for head, value in row.items():
        if re.search(r"Unknown Error|GPU is lost|ERR!", value):
            gpu.unreadable.append(value)
        elif head == "driver_version":
            report.driver = report.driver or value
        elif "ecc.errors.uncorrected.volatile" in head and (count := _whole(value)):
            gpu.state.append(f"ECC: {count} uncorrected")
        elif head in _COLUMNS:
            key = _COLUMNS[head]
            plain = value.replace("Exclusive_Process", "E. Process")
            setattr(gpu, key, _whole(value) if key in _NUMBERS else plain)
    return gpu


def is_load_only(text: str) -> bool:
    """`dmon` and `pmon`: loads by GPU or process, and nothing of the driver."""
    return bool(_LOAD.search(text))


def parse_other(text: str) -> SmiReport | None:
    """The report of whichever of these forms the text has."""
    return parse_query(text) or parse_csv(text) or parse_list(text)
