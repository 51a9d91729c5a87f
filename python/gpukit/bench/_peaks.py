"""Peak rates of a device, from its attributes and from a dated table of datasheets."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import gpukit
from gpukit import _core
from gpukit._dtypes import HALF, by_kind

# GB/s of one direction of 16 lanes, by generation of PCIe.
_PCIE_GBPS = {3: 15.8, 4: 31.5, 5: 63.0}

# Per multiprocessor and clock, by capability: lanes of float32, lanes of float64 (with tensor
# cores, which a product uses), flops of dense float16 and tf32 tensor products (0: no such unit).
_RATES: dict[tuple[int, int], tuple[int, float, int, int]] = {
    (5, 0): (128, 4, 0, 0),
    (5, 2): (128, 4, 0, 0),
    (6, 0): (64, 32, 256, 0),
    (6, 1): (128, 4, 0, 0),
    (7, 0): (64, 32, 1024, 0),
    (7, 5): (64, 2, 1024, 0),
    (8, 0): (64, 64, 2048, 1024),
    (8, 6): (128, 2, 1024, 512),
    (8, 9): (128, 2, 1024, 512),
    (9, 0): (128, 128, 4096, 2048),
    (10, 0): (128, 64, 8192, 4096),
    (12, 0): (128, 2, 1024, 512),
    (12, 1): (128, 2, 1024, 512),
}


@dataclass(frozen=True)
class Peaks:
    """The most a device can do: GFLOP/s by precision, GB/s of its memory and of its link.

    None means unknown. `source` names where the figures are from, and the clock.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     peaks = gpukit.bench.peaks("cuda:0")
        >>> peaks.bandwidth > 200, peaks.gflops("float32") > 7000
        (True, True)
    """

    device: str
    fp64: float | None
    fp32: float | None
    tf32: float | None
    fp16: float | None
    bandwidth: float | None
    link: float | None
    source: str

    def gflops(self, dtype: str) -> float | None:
        """The peak for products of a dtype; float32 without TF32, as gpukit computes it."""
        found = _core.dtype(dtype)
        own = self.fp16 if found in HALF else self.fp64 if found is _core.float64 else self.fp32
        return by_kind(bool=self.fp32, integer=self.fp32, floating=own, complex=None)[found]

    def to_dict(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


@functools.cache
def _document() -> dict[str, Any]:
    text = Path(__file__).with_name("peaks.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())


def card_row(name: str) -> dict[str, Any] | None:
    """The table's row for a device's name: all words of the row, the longest that fits.

    Example:
        >>> from gpukit.bench._peaks import card_row
        >>> card_row("NVIDIA L40S")["name"], card_row("NVIDIA L4")["name"]
        ('L40S', 'L4')
    """
    words = set(_words(name))
    fitting = [row for row in _document()["cards"] if words.issuperset(_words(row[0]))]
    if not fitting:
        return None
    best = max(fitting, key=lambda row: len(_words(row[0])))
    return dict(zip(_document()["columns"], best, strict=True))


def _to_gflops(value: float | None) -> float | None:
    """TFLOP/s as GFLOP/s."""
    return None if value is None else round(1e3 * value, 3)


def table_peaks(name: str) -> Peaks | None:
    """The figures of the dated table for a card; None for one that is not in it."""
    row = card_row(name)
    if row is None:
        return None
    return Peaks(
        device=name,
        fp64=_to_gflops(row["fp64"]),
        fp32=_to_gflops(row["fp32"]),
        tf32=_to_gflops(row["tf32"]),
        fp16=_to_gflops(row["fp16"]),
        bandwidth=float(row["bandwidth"]),
        link=_PCIE_GBPS.get(row["pcie"]),
        source=f"table of {_document()['as_of']} ({row['name']})",
    )


def attribute_peaks(properties: Any) -> Peaks | None:
    """The figures from multiprocessors, clocks and bus width; None when the driver hides them."""
    rates = _RATES.get((properties.major, properties.minor))
    ghz = properties.clock_rate / 1e6
    if rates is None or ghz <= 0:
        return None
    lanes, lanes64, half, tf32 = rates
    each = properties.multi_processor_count * ghz
    # GeForce cards have half the rate when they add in float32.
    share = 0.5 if "GeForce" in properties.name and properties.major >= 7 else 1.0
    memory = 2 * properties.memory_clock_rate * 1e3 * properties.memory_bus_width / 8 / 1e9
    return Peaks(
        device=properties.name,
        fp64=2 * each * lanes64,
        fp32=2 * each * lanes,
        tf32=each * tf32 * share or None,
        fp16=each * half * share or None,
        bandwidth=memory or None,
        link=None,
        source=(
            f"device attributes ({properties.multi_processor_count} multiprocessors × {lanes} "
            f"lanes × 2 × {ghz:.3g} GHz)"
        ),
    )


def _joined(computed: Peaks | None, listed: Peaks | None, name: str) -> Peaks:
    """The device's own figures if it reports them, else the table's; both in `source`."""
    if computed is None and listed is None:
        return Peaks(name, None, None, None, None, None, None, "no attributes, not in the table")
    if computed is None or listed is None:
        return computed or listed  # type: ignore[return-value]  # one of them exists
    own = {key: value for key, value in computed.to_dict().items() if value is not None}
    own["source"] = (
        f"{computed.source}: {computed.fp32 or 0:.0f} GFLOP/s; {listed.source}: "
        f"{listed.fp32 or 0:.0f} GFLOP/s"
    )
    return Peaks(**{**listed.to_dict(), **own})


def _best_seconds(call: Any, rounds: int = 5) -> float:
    call()
    times = []
    for _ in range(rounds):
        begin = perf_counter()
        call()
        times.append(perf_counter() - begin)
    return min(times)


def _measured_cpu(threads: int) -> Peaks:
    """No table has this CPU, so the best of a few products and copies is taken as its peak."""
    n, count = 768, 1 << 23
    measured = {}
    for dtype in ("float32", "float64"):
        a = gpukit.rand(n, n, dtype=dtype, device="cpu")
        measured[dtype] = 2 * n**3 / _best_seconds(lambda a=a: a @ a) / 1e9
    x = gpukit.zeros(count, device="cpu")
    y = gpukit.zeros(count, device="cpu")
    copied = 8 * count / _best_seconds(lambda: y.copy_(x)) / 1e9
    return Peaks(
        device="cpu",
        fp64=measured["float64"],
        fp32=measured["float32"],
        tf32=None,
        fp16=None,
        bandwidth=copied,
        link=None,
        source=f"measured here with {threads} threads: product of {n}×{n}, copy of 32 MiB",
    )


# By number of threads, the best of all measurements of this process, and how many there were.
_of_cpu: dict[int, Peaks] = {}
_measurements: dict[int, int] = {}
_MAX_MEASUREMENTS = 4


def _cpu_peaks(threads: int) -> Peaks:
    if threads not in _of_cpu:
        _of_cpu[threads] = _measured_cpu(threads)
        _measurements[threads] = 1
    return _of_cpu[threads]


def measure_cpu_again() -> None:
    """A result was faster than the CPU's peak: other programs ran when it was measured.

    The better of both measurements is kept. After a few, the peak is accepted.
    """
    threads = gpukit.get_num_threads()
    before = _cpu_peaks(threads)
    if _measurements[threads] >= _MAX_MEASUREMENTS:
        return
    _measurements[threads] += 1
    now = _measured_cpu(threads)
    best = {
        name: max(getattr(before, name), getattr(now, name))
        for name in ("fp64", "fp32", "bandwidth")
    }
    _of_cpu[threads] = replace(now, **best)


def peaks(device: Any = None) -> Peaks:
    """Returns the most a device can do, in GFLOP/s and GB/s, and where the figures are from.

    A GPU's come from its attributes, checked against a dated table of datasheets; the CPU's are
    measured, since no table knows it. float64 counts tensor cores where products use them.

    Args:
        device: default the current GPU if there is one, else the CPU.

    Example:
        >>> import gpukit
        >>> gpukit.bench.peaks("cpu").source  # doctest: +ELLIPSIS
        'measured here with ...'
    """
    where = gpukit.try_gpu(quiet=True) if device is None else gpukit.device(device).resolve()
    if where.type == "cpu":
        return _cpu_peaks(gpukit.get_num_threads())
    properties = gpukit.cuda.get_device_properties(where)
    return _joined(attribute_peaks(properties), table_peaks(properties.name), properties.name)


def table_names() -> list[str]:
    """The cards of the table."""
    return [row[0] for row in _document()["cards"]]
