"""The tutorials' helpers: which device to use, and what to say when there is no GPU."""

from __future__ import annotations

import sys

from gpukit import _core, _env
from gpukit._names.plural import count_of
from gpukit.errors import DeviceNotFoundError, GpukitError

# Importing typing would take about as long as all else of `import gpukit`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_ELEMENTS = 1000


class Fault:
    """Why a device cannot be used: a text for people, details for programs; false where it can.

    `details` are those of the error behind it: `cause` (csrc/base/cause.h), `status`, ...
    """

    __slots__ = ("details", "text")

    def __init__(self, text: str = "", details: dict[str, Any] | None = None) -> None:
        self.text = text
        self.details = details or {}

    def __bool__(self) -> bool:
        return bool(self.text)


def fault_of(error: GpukitError) -> Fault:
    """What an error says, as it was raised: without the advice that follows when it is shown."""
    details = error.details
    if isinstance(error, MemoryError):
        details = {"cause": "out_of_memory", **details}
    return Fault(str(error.args[0]), details)


# (session, index) -> no fault when a kernel returned the right result there.
_verdicts: dict[tuple[int, int], Fault] = {}
_noted: set[str] = set()


def _check_index(function: str, i: Any) -> int:
    if isinstance(i, bool) or not isinstance(i, int):
        from gpukit._arguments import int_of  # imported late, as typing is

        i = int_of(function, "i", i)
    index: int = i
    if index < 0:
        raise ValueError(f"{function}: index must be >= 0, got {index}")
    return index


def _check_flag(function: str, name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{function}: {name} must be True or False, got {value!r}")


def _run_kernel(device: _core.device) -> Fault:
    """Compute something with a known answer on the device, and compare.

    Its wait is gpukit's own: `watch` neither charges it to the caller's line nor refuses it.
    """
    _core.push_allowed_wait()
    try:
        numbers = _core.arange(_ELEMENTS, dtype=_core.float32, device=device)
        total = (numbers * 2.0 + 1.0).sum().item()
    except GpukitError as error:
        return fault_of(error)
    finally:
        _core.pop_allowed_wait()
    expected = float(_ELEMENTS * _ELEMENTS)
    if total == expected:
        return Fault()
    return Fault(
        f"{device}: a kernel gave {total} instead of {expected}", {"cause": "wrong_result"}
    )


def _verdict(index: int) -> Fault:
    """What verifying cuda:index found. Starts the driver in this process; kept for its session."""
    _core.cuda_device_count()
    session = _core.session_id()
    if session == 0:
        return driver_fault()
    key = (session, index)
    if key not in _verdicts:
        _verdicts[key] = _run_kernel(_core.device("cuda", index))
    elif not _verdicts[key]:
        _verdicts[key] = _why_lost(index)
    return _verdicts[key]


def _why_lost(index: int) -> Fault:
    """Why a device that worked cannot be used any more, as far as this process has noticed."""
    try:
        _core.mem_get_info(_core.device("cuda", index))
    except GpukitError as error:
        return fault_of(error)
    return Fault()


def lost_here() -> dict[int, str]:
    """The devices that this process has used and cannot use now, and why. Starts nothing."""
    if not _core.session_is_open():
        return {}
    session = _core.session_id()
    used = sorted(index for number, index in _verdicts if number == session)
    faults = {index: _verdicts[session, index] or _why_lost(index) for index in used}
    return {index: fault.text for index, fault in faults.items() if fault}


def driver_fault() -> Fault:
    """Why there is no CUDA device at all, if there is none."""
    try:
        report = _core.driver_report()
    except GpukitError as error:
        return fault_of(error)
    return Fault(report["failure"], report["details"])


def why_no_driver() -> str:
    """The text of `driver_fault`, "" where there is a device."""
    return driver_fault().text


def verify_device(device: Any) -> bool:
    """True if a kernel ran on the device with the right result. Always True for the CPU."""
    return not verdict_of(device)


def verdict_of(device: Any) -> Fault:
    """Why a kernel did not run on a device; no fault when it did, and for the CPU."""
    concrete = _core.device(device).resolve()
    return Fault() if concrete.index is None else _verdict(concrete.index)


def fault_at(index: int, *, verify: bool = True) -> Fault:
    """Why cuda:index cannot be used; no fault when it can."""
    count = num_gpus()
    if index >= count:
        return driver_fault() if count == 0 else Fault(f"the last one is cuda:{count - 1}")
    return _verdict(index) if verify else Fault()


def why_unusable(index: int, *, verify: bool = True) -> str:
    """The text of `fault_at`."""
    return fault_at(index, verify=verify).text


def with_fix(fault: Fault) -> str:
    """The text, followed by this platform's steps and what the driver's report advises."""
    from gpukit._system.steps import told_steps

    reason = fault.text + told_steps(fault.details)
    fix = str(_core.driver_report()["fix"])
    return reason if not fix else f"{reason.rstrip('. ')}. Use {fix}."


def note(text: str) -> None:
    """Print something once per process, unless the user asked for quiet."""
    if text in _noted or _env.flag("GPUKIT_QUIET"):
        return
    _noted.add(text)
    from gpukit._language import shown

    sys.stderr.write(f"gpukit: {shown(text)}\n")


def raise_not_found(index: int, count: int, fault: Fault, function: str = "") -> NoReturn:
    """Raise the DeviceNotFoundError of a device that does not exist."""
    _core.throw_device_not_found(function, index, count, fault.text, fault.details)
    raise AssertionError("throw_device_not_found returned")


def count_of_others(index: int) -> int:
    """How many GPUs there are besides cuda:index."""
    return sum(other != index for other in range(num_gpus()))


def try_gpu(
    i: int = 0, *, verify: bool = True, strict: bool = False, quiet: bool = False
) -> _core.device:
    """Return cuda:i if it works, else the CPU with one note on stderr.

    Args:
        i: index of the GPU, 0 or more.
        verify: also run a small kernel; this starts the driver in this process.
        strict: raise DeviceNotFoundError instead of falling back.
        quiet: no note.

    Raises:
        ValueError: `i` is negative. DeviceNotFoundError: strict, and cuda:i cannot be used.

    Example:
        >>> import gpukit
        >>> gpukit.ones(2, device=gpukit.try_gpu(quiet=True)).sum().item()
        2.0
    """
    index = _check_index("try_gpu", i)
    for name, value in (("verify", verify), ("strict", strict), ("quiet", quiet)):
        _check_flag("try_gpu", name, value)
    fault = fault_at(index, verify=verify)
    if not fault:
        return _core.device("cuda", index)
    if strict:
        raise_not_found(index, num_gpus(), fault)
    if not quiet:
        others = (
            " gpukit.try_all_gpus() lists the GPUs that work." if count_of_others(index) else ""
        )
        from gpukit._system.steps import told_steps

        note(
            f"cuda:{index} cannot be used ({fault.text.rstrip('. ')}); using the CPU."
            f"{others}{told_steps(fault.details)}"
        )
    return _core.device("cpu")


def try_all_gpus(*, verify: bool = True) -> list[_core.device]:
    """Return every GPU that works; [device('cpu')] when there is none.

    Args:
        verify: Also run a test kernel on each.

    Raises:
        TypeError: verify is not True or False.

    Example:
        >>> import gpukit
        >>> len(gpukit.try_all_gpus()) >= 1
        True
    """
    _check_flag("try_all_gpus", "verify", verify)
    found = _usable(verify=verify)
    return found or [_core.device("cpu")]


def _usable(*, verify: bool) -> list[_core.device]:
    every = range(num_gpus())
    return [
        _core.device("cuda", index) for index in every if not why_unusable(index, verify=verify)
    ]


def require_gpus(n: int = 1) -> list[_core.device]:
    """Return the first `n` GPUs that work.

    Args:
        n: How many, 0 or more.

    Raises:
        DeviceNotFoundError: There are fewer; the text says why.
        ValueError: n is negative.

    Example:
        >>> import gpukit
        >>> gpukit.require_gpus(0)
        []
    """
    wanted = _check_index("require_gpus", n)
    found = _usable(verify=True) if wanted else []
    if len(found) < wanted:
        fault = fault_at(len(found))
        reason = fault.text.rstrip(". ") or f"{count_of(len(found), 'usable GPU')} found"
        raise DeviceNotFoundError(
            f"require_gpus: asked for {count_of(wanted, 'GPU')}, {len(found)} usable found: "
            f"{reason}. "
            f"Practise with gpukit.simulate({wanted}).",
            fix=f"gpukit.simulate({wanted})",
            details={**fault.details, "usable": len(found)},
        )
    return found[:wanted]


def cpu() -> _core.device:
    """Return device('cpu').

    Example:
        >>> import gpukit
        >>> gpukit.cpu()
        device(type='cpu')
    """
    return _core.device("cpu")


def gpu(i: int = 0) -> _core.device:
    """Return device('cuda', i). Does not access the hardware: a missing device fails on use.

    Args:
        i: The index, 0 or more.

    Raises:
        TypeError: i is not an int.
        ValueError: i is negative.

    Example:
        >>> import gpukit
        >>> gpukit.gpu(1)
        device(type='cuda', index=1)
    """
    return _core.device("cuda", _check_index("gpu", i))


def num_gpus() -> int:
    """Return the number of GPUs, without starting the driver in this process.

    Example:
        >>> import gpukit
        >>> gpukit.num_gpus() >= 0
        True
    """
    from gpukit._system.counting import device_count

    return device_count()


def devices() -> list[_core.device]:
    """Return all devices: GPUs first, then those of device libraries, the CPU last.

    Does not start the driver in this process.

    Example:
        >>> import gpukit
        >>> gpukit.devices()[-1]
        device(type='cpu')
    """
    gpus = [_core.device("cuda", index) for index in range(num_gpus())]
    return [*gpus, *_core.added_devices(), _core.device("cpu")]
