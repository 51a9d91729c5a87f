"""`gpukit.selftest()`: kernels with known answers, on the CPU and on every GPU, in seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import gpukit
from gpukit import _core
from gpukit._devices.watch import allow_sync
from gpukit._system import counting
from gpukit.errors import GpukitError
from gpukit.report import Column, Table, duration_text

_COUNT = 10_007  # a prime: no kernel's block divides it
_SIDE = 33


def _is(got: Any, want: Any, tolerance: float = 0.0) -> str:
    """Nothing when the number is right, else what was found."""
    good = got == want or (tolerance and math.isclose(got, want, rel_tol=tolerance))
    return "" if good else f"{got!r} instead of {want!r}"


def _numbers(device: Any, dtype: Any = None) -> Any:
    return gpukit.arange(_COUNT, dtype=dtype or gpukit.float32, device=device)


def _fill(device: Any) -> str:
    return _is(
        gpukit.full((_COUNT,), 3, dtype=gpukit.int64, device=device).sum().item(), 3 * _COUNT
    )


def _copy(device: Any) -> str:
    source = gpukit.arange(_COUNT, dtype=gpukit.int32)
    return _is(bool((source.to(device).to("cpu") == source).all().item()), True)


def _arithmetic(device: Any) -> str:
    x = _numbers(device, gpukit.int64)
    return _is(((x + 1) * x - x * x).sum().item(), _COUNT * (_COUNT - 1) // 2)


def _broadcast(device: Any) -> str:
    row = gpukit.arange(_SIDE, dtype=gpukit.int64, device=device)
    column = row.reshape(_SIDE, 1)
    return _is((row * column).sum().item(), (_SIDE * (_SIDE - 1) // 2) ** 2)


def _mathematics(device: Any) -> str:
    x = gpukit.full((_COUNT,), 2.0, dtype=gpukit.float64, device=device)
    return _is((x.sqrt() * x.sqrt() + x.exp().log()).mean().item(), 4.0, 1e-12)


def _halves(device: Any) -> str:
    x = gpukit.arange(1024, dtype=gpukit.float16, device=device)
    return _is((x / 2).to(gpukit.float32).sum().item(), 1023 * 1024 / 4)


def _reductions(device: Any) -> str:
    x = _numbers(device)
    found = (x.max().item(), x.min().item(), x.argmax().item())
    return _is(found, (_COUNT - 1.0, 0.0, _COUNT - 1))


def _rows(device: Any) -> str:
    x = gpukit.arange(_SIDE * _SIDE, dtype=gpukit.int64, device=device).reshape(_SIDE, _SIDE)
    return _is(x.T.sum(dim=1)[0].item(), sum(range(0, _SIDE * _SIDE, _SIDE)))


def _product(device: Any) -> str:
    x = gpukit.arange(_SIDE * _SIDE, dtype=gpukit.float32, device=device).reshape(_SIDE, _SIDE)
    right = gpukit.eye(_SIDE, device=device) * 2
    return _is(bool(((x @ right) == x * 2).all().item()), True)


def _product_of_parts(device: Any) -> str:
    ones = gpukit.ones(_SIDE, 2 * _SIDE, device=device)
    return _is((ones[:, ::2] @ ones[:, 1::2].T).sum().item(), float(_SIDE**3))


def _softmax(device: Any) -> str:
    x = _numbers(device).reshape(1, _COUNT)
    return _is(gpukit.softmax(x / _COUNT, dim=1).sum().item(), 1.0, 1e-5)


def _indexing(device: Any) -> str:
    x = _numbers(device)
    places = gpukit.tensor([5, 0, _COUNT - 1], device=device)
    return _is(x[places].tolist(), [5.0, 0.0, _COUNT - 1.0])


def _masking(device: Any) -> str:
    x = _numbers(device, gpukit.int64)
    return _is(x[x % 2 == 0].sum().item(), sum(range(0, _COUNT, 2)))


def _running_sum(device: Any) -> str:
    return _is(_numbers(device, gpukit.int64).cumsum(0)[-1].item(), _COUNT * (_COUNT - 1) // 2)


def _sorting(device: Any) -> str:
    values = gpukit.sort(_numbers(device, gpukit.int32), descending=True)[0]
    return _is(values[:3].tolist(), [_COUNT - 1, _COUNT - 2, _COUNT - 3])


def _random(device: Any) -> str:
    """The same seed gives the same numbers everywhere."""

    def draw(where: Any) -> list[float]:
        generator = gpukit.Generator(device=where).manual_seed(7)
        return gpukit.rand(8, generator=generator, device=where).tolist()  # type: ignore[no-any-return]

    return _is(draw(device), draw("cpu"))


CHECKS: dict[str, Callable[[Any], str]] = {
    "fill": _fill,
    "copy there and back": _copy,
    "integer arithmetic": _arithmetic,
    "broadcasting": _broadcast,
    "mathematical functions": _mathematics,
    "float16": _halves,
    "max, min, argmax": _reductions,
    "sum of rows": _rows,
    "matrix product": _product,
    "product of strided parts": _product_of_parts,
    "softmax": _softmax,
    "indexing": _indexing,
    "masks": _masking,
    "running sum": _running_sum,
    "sorting": _sorting,
    "random numbers": _random,
}


class SelfTestReport(Table):
    """What each check found: one line a check and device. Truthy when all are right."""

    @property
    def ok(self) -> bool:
        """True when every check returned the right result."""
        return all(row["ok"] for row in self.rows)

    def __bool__(self) -> bool:
        return self.ok


def _run(name: str, device: Any) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        with allow_sync():  # the waits are the test's, not those of the caller's line
            fault = CHECKS[name](device)
    except (GpukitError, ValueError, TypeError) as error:
        fault = str(error)
    seconds = time.perf_counter() - start
    label = f"{device} (simulated)" if device.simulated else str(device)
    shown = "ok" if not fault else f"WRONG: {fault}"
    return {"device": label, "check": name, "ok": not fault, "found": shown, "seconds": seconds}


def _devices(device: Any) -> list[_core.device]:
    if device is not None:
        return [_core.device(device).resolve()]
    count = counting.device_count()
    return [_core.device("cpu"), *(_core.device("cuda", index) for index in range(count))]


def selftest(device: Any = None, *, verbose: bool = True) -> SelfTestReport:
    """Run kernels with known answers on a device, or on the CPU and every GPU. Under 10 s.

    Args:
        device: where; None for every device.
        verbose: print the table.

    Raises:
        DeviceNotFoundError: the device does not exist.

    Example:
        >>> import gpukit
        >>> gpukit.selftest("cpu", verbose=False).ok
        True
    """
    if not isinstance(verbose, bool):
        raise TypeError(f"selftest: verbose must be True or False, got {verbose!r}")
    devices = _devices(device)
    for one in devices:
        _core.empty((1,), device=one)  # a missing device is an error, not a wrong result
    rows = [_run(name, one) for one in devices for name in CHECKS]
    columns = (
        Column("device", "device"),
        Column("check", "check"),
        Column("found", "found"),
        Column("seconds", "time", duration_text, numeric=True),
    )
    wrong = sum(not row["ok"] for row in rows)
    note = (
        f"{wrong} of {len(rows)} checks are wrong" if wrong else f"all {len(rows)} checks are right"
    )
    if len(devices) == 1 and device is None:
        note += "; no GPU was tested: " + (_reason() or "none was found")
    report = SelfTestReport("Self test", columns, rows, [note])
    if verbose:
        report.print()
    return report


def _reason() -> str:
    from gpukit._device import why_no_driver

    return why_no_driver().rstrip(". ")
