"""CUDA devices: how many, which one is current, what each says of itself."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._device import verify_device
from gpukit.errors import DeviceNotFoundError, GpukitError, InvalidDeviceError

if TYPE_CHECKING:
    from typing_extensions import Self


def device_count() -> int:
    """Number of GPUs, counted without starting the driver in this process.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.device_count() == gpukit.num_gpus()
        True
    """
    from gpukit._counting import device_count as count

    return count()


def is_initialized() -> bool:
    """True when the driver was started in this process.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.is_initialized() in (True, False)
        True
    """
    return bool(_core.session_is_open())


def init() -> None:
    """Starts the driver in this process now. Raises DriverError when there is none that works.

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.is_available():
        ...     gpukit.cuda.init()
    """
    _core.prepare_cuda()
    if _core.cuda_device_count() == 0:
        raise DeviceNotFoundError(_absent_text("init"))


def is_available() -> bool:
    """True when a kernel ran on the first GPU and gave the right answer; starts the driver.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.is_available() == (gpukit.try_gpu(quiet=True).type == "cuda")
        True
    """
    return device_count() > 0 and verify_device("cuda:0")


def why_unavailable() -> str | None:
    """Why no GPU can be used, in one sentence with what to do; None when one can.

    Example:
        >>> import gpukit
        >>> (gpukit.cuda.why_unavailable() is None) == gpukit.cuda.is_available()
        True
    """
    if device_count() > 0:
        try:
            works = bool(_core.selftest(0))
        except GpukitError as error:
            return str(error)
        return None if works else "a test kernel gave a wrong answer on cuda:0"
    _core.prepare_cuda()
    report = _core.driver_report()
    reason = str(report["failure"]) or "the driver shows no device"
    fix = str(report["fix"])
    return f"{reason.rstrip('.')}. {fix}".strip() if fix else reason


def _absent_text(op: str, index: int | None = None) -> str:
    what = "a GPU" if index is None else f"cuda:{index}"
    count = device_count()
    reason = why_unavailable() if count == 0 else f"{count} usable GPU(s) found"
    simulated = f"gpukit.simulate({(index or 0) + 1})"
    return f"{op}: {what} was asked for: {(reason or '').rstrip('.')}. Practise with {simulated}."


def index_of(op: str, which: Any) -> int:
    """The index of an existing CUDA device; None is the current one."""
    if which is None:
        index = current_device()
    else:
        wanted = _core.device(which)
        if wanted.type != "cuda":
            raise InvalidDeviceError(f"{op}: device must be a CUDA device, got {str(wanted)!r}")
        index = current_device() if wanted.index is None else wanted.index
    if index >= device_count():
        raise DeviceNotFoundError(_absent_text(op, index))
    return index


def current_device() -> int:
    """Index of this thread's current device.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.current_device()
        0
    """
    return int(_core.current_cuda_index())


def set_device(device: Any) -> None:
    """Makes a device this thread's current one. Raises DeviceNotFoundError when it is absent.

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.is_available():
        ...     gpukit.cuda.set_device(0)
    """
    _core.switch_cuda_index(index_of("set_device", device))


class device:
    """Makes a device the current one inside a `with` block (this thread only).

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.device_count() > 1:
        ...     with gpukit.cuda.device(1):
        ...         assert gpukit.cuda.current_device() == 1
    """

    def __init__(self, device: Any) -> None:
        self.idx = index_of("cuda.device", device)
        self._before: list[int] = []

    def __enter__(self) -> Self:
        self._before.append(current_device())
        _core.switch_cuda_index(self.idx)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _core.switch_cuda_index(self._before.pop())


class device_of:
    """Makes the device of a tensor the current one inside a `with` block; nothing for CPU tensors.

    Example:
        >>> import gpukit
        >>> with gpukit.cuda.device_of(gpukit.ones(2)):
        ...     pass
    """

    def __init__(self, tensor: Any) -> None:
        if not isinstance(tensor, _core.Tensor):
            raise TypeError(f"device_of: tensor must be a gpukit.Tensor, got {tensor!r}")
        self._inner = device(tensor.device) if tensor.device.type == "cuda" else None

    def __enter__(self) -> Self:
        if self._inner is not None:
            self._inner.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._inner is not None:
            self._inner.__exit__(kind, error, trace)


class DeviceProperties:
    """What a device says of itself, under torch's names; bytes, kHz and bits as named.

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.is_available():
        ...     assert gpukit.cuda.get_device_properties(0).total_memory > 0
    """

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    simulated: bool

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items())
        return f"DeviceProperties({shown})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceProperties) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.name, self.__dict__.get("uuid")))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def get_device_properties(device: Any = None) -> DeviceProperties:
    """All properties of a device. Raises DeviceNotFoundError when it is absent.

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.is_available():
        ...     assert gpukit.cuda.get_device_properties().warp_size == 32
    """
    return DeviceProperties(_core.device_properties(index_of("get_device_properties", device)))


def get_device_name(device: Any = None) -> str:
    """The name of a device, such as "Tesla T4".

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.is_available():
        ...     assert gpukit.cuda.get_device_name()
    """
    return str(_core.device_properties(index_of("get_device_name", device))["name"])


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability as (major, minor).

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.is_available():
        ...     assert gpukit.cuda.get_device_capability() >= (5, 0)
    """
    fields = _core.device_properties(index_of("get_device_capability", device))
    return int(fields["major"]), int(fields["minor"])


def get_arch_list() -> list[str]:
    """What gpukit's kernels were compiled for: "sm_60" … and the PTX, "compute_100".

    Example:
        >>> import gpukit
        >>> all(a.startswith(("sm_", "compute_")) for a in gpukit.cuda.get_arch_list())
        True
    """
    return list(_core.build_info()["archs"])


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """True when the first device can reach the memory of the second.

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.device_count() > 1:
        ...     assert gpukit.cuda.can_device_access_peer(0, 1) in (True, False)
    """
    first = index_of("can_device_access_peer", device)
    second = index_of("can_device_access_peer", peer_device)
    return first != second and bool(_core.can_access_peer(first, second))


def synchronize(device: Any = None) -> None:
    """Waits until all work queued on a device is done; the GIL is free meanwhile.

    Example:
        >>> import gpukit
        >>> if gpukit.cuda.is_available():
        ...     gpukit.cuda.synchronize()
    """
    _core.synchronize(_core.device("cuda", index_of("synchronize", device)))


def ipc_collect() -> None:
    """Does nothing: gpukit shares no memory between processes.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.ipc_collect()
    """
