"""The exceptions of gpukit. Each is also the built-in that a torch user would catch."""

from __future__ import annotations

from typing import Any

__all__ = [
    "AutogradError",
    "BenchError",
    "CheckpointError",
    "DTypeError",
    "DeviceError",
    "DeviceMismatchError",
    "DeviceNotFoundError",
    "DriverError",
    "GpukitError",
    "GpukitWarning",
    "InvalidDeviceError",
    "LogFullError",
    "OutOfMemoryError",
    "ShapeError",
    "SimulationError",
    "TransferError",
]


class GpukitError(RuntimeError):
    """Root of gpukit's exceptions: a stable `code`, a `fix` to run or None, `details`."""

    code: str = "GK-E100"

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        fix: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.fix = fix
        self.details: dict[str, Any] = details or {}

    def _doctor_knows(self) -> bool:
        """True when `gpukit.doctor()` can find the cause."""
        return False

    def __str__(self) -> str:
        text = super().__str__()
        told = "gpukit.doctor" in text or not self._doctor_knows()
        return text if told else f"{text} gpukit.doctor() finds the cause."


class DeviceError(GpukitError):
    """Something is wrong with a device."""

    code = "GK-E101"


class DeviceNotFoundError(DeviceError):
    """The device is absent or cannot be used; raised when it is used."""

    code = "GK-E102"

    def _doctor_knows(self) -> bool:
        return " 0 usable" in str(self.args[:1])


class InvalidDeviceError(DeviceError, ValueError):
    """The text or index names no device."""

    code = "GK-E103"


class DeviceMismatchError(DeviceError, ValueError):
    """Operands are on different devices; the message names the missing `.to()`."""

    code = "GK-E104"


class OutOfMemoryError(DeviceError, MemoryError):
    """Device memory ran out. Bytes; `others` is what other processes hold, None when unknown."""

    code = "GK-E105"
    requested: int = 0
    free: int = 0
    total: int = 0
    cached: int = 0
    others: int | None = None

    def __init__(self, message: str = "", **keywords: Any) -> None:
        super().__init__(message, **keywords)
        self.holders: list[Any] = []


class ShapeError(GpukitError, ValueError):
    """Shapes do not fit the operation."""

    code = "GK-E106"


class DTypeError(GpukitError, TypeError):
    """The dtype does not fit the operation, or is none."""

    code = "GK-E107"


class AutogradError(GpukitError):
    """A gradient was asked for where there is none."""

    code = "GK-E108"


class CheckpointError(GpukitError):
    """A file of saved tensors is damaged, unsafe or does not fit."""

    code = "GK-E109"


class TransferError(DeviceError):
    """A copy between devices failed, or the device was lost."""

    code = "GK-E110"


class DriverError(DeviceError):
    """The CUDA driver is missing, too old, or a stub."""

    code = "GK-E111"

    def _doctor_knows(self) -> bool:
        return True


class SimulationError(GpukitError):
    """Simulated and measured were mixed, or simulations overlap."""

    code = "GK-E112"


class LogFullError(GpukitError, IndexError):
    """A DeviceLog with the policy "error" is full."""

    code = "GK-E113"


class BenchError(GpukitError):
    """Answers differ, or the measured function failed."""

    code = "GK-E130"


class GpukitWarning(UserWarning):
    """Notices of gpukit, shown once per place and kind."""
