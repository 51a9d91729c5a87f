"""gpukit's exceptions. Each is also the built-in that a torch user would catch."""

from __future__ import annotations

# Importing typing would take about as long as all else of `import gpukit`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


__all__ = [
    "ArgumentError",
    "AutogradError",
    "BenchError",
    "BoundsError",
    "CheckpointError",
    "CompileError",
    "DTypeError",
    "DeviceError",
    "DeviceMismatchError",
    "DeviceNotFoundError",
    "DimensionError",
    "DistributedError",
    "DriverError",
    "GpukitError",
    "GpukitWarning",
    "InvalidDeviceError",
    "LinAlgError",
    "LintError",
    "LogFullError",
    "OutOfMemoryError",
    "RangeError",
    "ShapeError",
    "SimulationError",
    "TransferError",
]


_LONG, _HEAD, _TAIL = 400, 60, 20


def _shortened(message: str) -> str:
    """The message; of words and quoted values above 400 characters only the ends."""
    if len(message) <= _LONG:
        return message
    import re

    def ends(found: re.Match[str]) -> str:
        text = found.group()
        return f"{text[:_HEAD]}…{text[-_TAIL:]} ({len(text)} characters)"

    quoted = rf"(?<!\w)(['\"])[^'\"\n]{{{_LONG},}}\1(?!\w)"
    return re.sub(rf"\S{{{_LONG},}}", ends, re.sub(quoted, ends, message))


class GpukitError(RuntimeError):
    """Root of gpukit's exceptions: a stable `code`, a `fix` to run or None, `details`.

    `details` is what programs read: `device`, `cause` (docs/errors.md), the driver's `status` and
    `status_name`, and more by kind of error. The wording of a message may change.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.ones(2) @ gpukit.ones(3)
        ... except gpukit.GpukitError as error:
        ...     print(type(error).__name__, error.code)
        ShapeError GK-E106
    """

    code: str = "GK-E100"

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        fix: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(_shortened(message))
        if code is not None:
            self.code = code
        self.fix = fix
        self.details: dict[str, Any] = details or {}

    def _advice(self) -> str:
        """What follows the message when it is shown, with a space before it."""
        return ""

    def __str__(self) -> str:
        from gpukit._language import told

        return told(super().__str__() + self._advice())


_DOCTOR = " gpukit.doctor() finds the cause."


def _steps(details: dict[str, Any]) -> str:
    """What to do on this platform where there is no driver."""
    if "cause" not in details:
        return ""
    from gpukit._system.steps import told_steps

    return told_steps(details)


class DeviceError(GpukitError):
    """Something is wrong with a device.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.DeviceNotFoundError, gpukit.DeviceError)
        True
    """

    code = "GK-E101"


class DeviceNotFoundError(DeviceError):
    """The device is absent or cannot be used; raised when it is used.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.ones(1, device="cuda:63")
        ... except gpukit.DeviceNotFoundError as error:
        ...     print("cuda:63" in str(error), error.fix is not None)
        True True
    """

    code = "GK-E102"

    def _advice(self) -> str:
        return _steps(self.details) + (_DOCTOR if self.details.get("usable") == 0 else "")


class InvalidDeviceError(DeviceError, ValueError):
    """The text or index names no device.

    Example:
        >>> import gpukit
        >>> gpukit.device("cude:0")
        Traceback (most recent call last):
            ...
        gpukit.errors.InvalidDeviceError: 'cude:0' is not a device. Did you mean 'cuda:0'? ...
    """

    code = "GK-E103"


class DeviceMismatchError(DeviceError, ValueError):
    """Operands are on different devices; the message names the missing `.to()`.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     try:
        ...         gpukit.ones(2) + gpukit.ones(2, device="cuda")
        ...     except gpukit.DeviceMismatchError as error:
        ...         print(".to(" in str(error))
        True
    """

    code = "GK-E104"


class OutOfMemoryError(DeviceError, MemoryError):
    """Device memory ran out. Bytes; `others` is what other processes hold, None when unknown.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1, "T4"):
        ...     try:
        ...         gpukit.empty(2**40, device="cuda")
        ...     except gpukit.OutOfMemoryError as error:
        ...         print(error.requested // 2**40, error.requested > error.total)
        4 True
    """

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
    """Shapes do not fit the operation.

    Example:
        >>> import gpukit
        >>> gpukit.ones(2, 3).reshape(4)
        Traceback (most recent call last):
            ...
        gpukit.errors.ShapeError: reshape: a tensor of 6 elements cannot have the shape (4,)
    """

    code = "GK-E106"


class DimensionError(ShapeError, IndexError):
    """A dimension is absent or has nothing to choose from, or indices do not fit together.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.ones(3, 0).argmax(dim=1)
        ... except IndexError as error:
        ...     print(type(error).__name__)
        DimensionError
    """

    code = "GK-E120"


class RangeError(GpukitError, ValueError, OverflowError):
    """A number does not fit into the dtype.

    Example:
        >>> import gpukit
        >>> gpukit.full((2,), 300, dtype="int8")
        Traceback (most recent call last):
            ...
        gpukit.errors.RangeError: full: fill_value 300 does not fit into int8 (-128 to 127). ...
    """

    code = "GK-E121"


class DTypeError(GpukitError, TypeError):
    """The dtype does not fit the operation, or is none.

    Example:
        >>> import gpukit
        >>> gpukit.rand(2, dtype="int64")
        Traceback (most recent call last):
            ...
        gpukit.errors.DTypeError: rand: dtype int64 is not a floating type. Use randint.
    """

    code = "GK-E107"


class ArgumentError(GpukitError, ValueError):
    """An argument has a value that will not do.

    A `ValueError` as in Python and a `RuntimeError` as in torch: `except` of either catches it.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.ones(2).clamp()
        ... except RuntimeError as error:
        ...     print(type(error).__name__, isinstance(error, ValueError))
        ArgumentError True
    """

    code = "GK-E122"


class BoundsError(GpukitError, IndexError):
    """An index or a dimension is out of range.

    An `IndexError` as in Python and a `RuntimeError`, which torch raises in gather and scatter.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.ones(2).gather(0, gpukit.tensor([2]))
        ... except RuntimeError as error:
        ...     print(type(error).__name__, isinstance(error, IndexError))
        BoundsError True
    """

    code = "GK-E123"


class AutogradError(GpukitError):
    """A gradient was requested, but there is none.

    Example:
        >>> import gpukit
        >>> gpukit.ones(2).sum().backward()
        Traceback (most recent call last):
            ...
        gpukit.errors.AutogradError: backward(): loss does not require grad and no recorded ...
    """

    code = "GK-E108"


class CheckpointError(GpukitError):
    """A file of saved tensors is damaged, unsafe or does not fit.

    Example:
        >>> import gpukit
        >>> import io
        >>> try:
        ...     gpukit.load(io.BytesIO(b"no tensors"))
        ... except gpukit.CheckpointError as error:
        ...     print(error.code)
        GK-E109
    """

    code = "GK-E109"


class TransferError(DeviceError):
    """A copy between devices failed, or the device was lost.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.TransferError, gpukit.DeviceError)
        True
    """

    code = "GK-E110"


class DriverError(DeviceError):
    """The CUDA driver is missing, too old, or a stub.

    Example:
        >>> import gpukit
        >>> issubclass(gpukit.DriverError, gpukit.DeviceError)
        True
    """

    code = "GK-E111"

    def _advice(self) -> str:
        return _steps(self.details) + _DOCTOR


class SimulationError(GpukitError):
    """Simulated and measured were mixed, or simulations overlap.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     try:
        ...         gpukit.simulate(2)
        ...     except gpukit.SimulationError as error:
        ...         print(error.code)
        GK-E112
    """

    code = "GK-E112"


class LinAlgError(GpukitError):
    """A matrix is singular, not positive definite, or an algorithm did not converge.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.linalg.inv(gpukit.zeros(2, 2))
        ... except gpukit.linalg.LinAlgError as error:
        ...     print("singular" in str(error))
        True
    """

    code = "GK-E124"


class LogFullError(GpukitError, IndexError):
    """A DeviceLog with the policy "error" is full.

    Example:
        >>> import gpukit
        >>> log = gpukit.DeviceLog(1, policy="error", device="cpu")
        >>> log.append(1.0)
        >>> try:
        ...     log.append(2.0)
        ... except IndexError as error:
        ...     print(type(error).__name__)
        LogFullError
    """

    code = "GK-E113"


class LintError(GpukitError, ValueError):
    """`gpukit.lint` or `gpukit.port` cannot read a file, or it holds no Python: which, and why.

    Example:
        >>> from gpukit import lint
        >>> try:
        ...     lint.check_text("def f(:", "a.py")
        ... except lint.LintError as error:
        ...     print(error.code, str(error).startswith("a.py:1: no Python"))
        GK-E114 True
    """

    code = "GK-E114"


class CompileError(GpukitError):
    """CUDA code of your own does not compile or load, or there is no compiler. `log` says why.

    `gpukit.compile(fullgraph=True)` raises it too, for a function that cannot be recorded.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     kernel = gpukit.cuda.RawKernel("__global__ void f() { int i = j; }", "f")
        ...     try:
        ...         kernel((1,), (1,), ())
        ...     except gpukit.CompileError as error:
        ...         print(error.log.splitlines()[0])
        f.cu(1): error: identifier "j" is undefined
    """

    code = "GK-E115"

    @property
    def log(self) -> str:
        """The compiler's or the driver's log: file, line, text and caret; "" if none."""
        return str(self.details.get("log", ""))


class BenchError(GpukitError):
    """Results differ, or the measured function failed.

    Example:
        >>> import gpukit
        >>> wrong = lambda a, b: a if a.is_cpu else a * 0
        >>> with gpukit.simulate(1):
        ...     try:
        ...         x = gpukit.ones(9)
        ...         gpukit.bench(wrong, x, x, check="raise", max_time=0.2, verbose=False)
        ...     except gpukit.BenchError as error:
        ...         print("differ" in str(error))
        True
    """

    code = "GK-E130"


class DistributedError(GpukitError):
    """The ranks of a job do not fit together, one has left, or they cannot be started.

    Example:
        >>> import gpukit
        >>> try:
        ...     gpukit.distributed.get_rank()
        ... except gpukit.DistributedError as error:
        ...     print("init_process_group" in str(error))
        True
    """

    code = "GK-E140"


class GpukitWarning(UserWarning):
    """gpukit's warnings, shown once per place and kind.

    Example:
        >>> import gpukit
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore", gpukit.GpukitWarning)
        ...     device = gpukit.try_gpu(63, quiet=True)
        >>> device
        device(type='cpu')
    """
