"""The current device and stream of this thread."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from gpukit import _core, _device
from gpukit._arguments import plain
from gpukit._names.earlier import renamed
from gpukit.errors import InvalidDeviceError

if TYPE_CHECKING:
    from typing_extensions import Self


def cuda_index(function: str, d: Any) -> int:
    """Index of a CUDA device; None means the current one."""
    if d is None:
        return _core.current_cuda_index()
    named = d if isinstance(d, _core.device) else _core.device(d)
    if named.type != "cuda":
        raise InvalidDeviceError(f"{function}: device must be a CUDA device, got '{named}'")
    return _core.current_cuda_index() if named.index is None else named.index


def present_index(function: str, d: Any) -> int:
    """Index of an existing CUDA device; DeviceNotFoundError with the reason otherwise."""
    index = cuda_index(function, d)
    count = _core.cuda_device_count()
    if index >= count:
        _device.raise_not_found(index, count, _device.fault_at(index, verify=False), function)
    return index


def init() -> None:
    """Start the driver now; DeviceNotFoundError with the reason when there is no usable GPU.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.init()
        ...     gpukit.cuda.is_initialized()
        True
    """
    present_index("init", 0)


def is_initialized() -> bool:
    """Return True when the driver was started in this process.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.is_initialized() in (True, False)
        True
    """
    return _core.session_is_open()


def current_device() -> int:
    """Return the index of this thread's current device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     gpukit.cuda.current_device()
        0
    """
    return present_index("current_device", None)


def _is_negative(d: Any) -> bool:
    """A negative index, which torch treats as no device."""
    number = plain(d)
    return isinstance(number, int) and not isinstance(number, bool) and number < 0


@renamed(d="device")
def set_device(device: Any) -> None:
    """Make a device this thread's current one.

    Args:
        device: A device, its name or its index; a negative index does nothing.

    Raises:
        InvalidDeviceError: It is not a CUDA device, such as "cpu".
        DeviceNotFoundError: The device does not exist.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     gpukit.cuda.set_device(1)
        ...     gpukit.ones(1, device="cuda").device
        device(type='cuda', index=1)
    """
    if _is_negative(device):
        return
    _core.set_current_cuda(device)


@renamed(d="device")
def synchronize(device: Any = None) -> None:
    """Wait until all queued work of a CUDA device is done; the GIL is released.

    Args:
        device: A device, its name or its index; None means the current one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     x = gpukit.ones(3, device="cuda") + 1
        ...     gpukit.cuda.synchronize()
        ...     x.ready()
        True
    """
    _core.synchronize(_core.device("cuda", present_index("synchronize", device)))


def ipc_collect() -> None:
    """Do nothing: gpukit shares no memory between processes.

    Example:
        >>> import gpukit
        >>> gpukit.cuda.ipc_collect()
    """


@renamed(a="device", b="peer_device")
def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Return True when a device reads the memory of another one directly.

    Args:
        device: A CUDA device.
        peer_device: Another one.

    Raises:
        DeviceNotFoundError: The device does not exist.
        InvalidDeviceError: It is not a CUDA device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     gpukit.cuda.can_device_access_peer(0, 1) in (True, False)
        True
    """
    name = "can_device_access_peer"
    return _core.can_access_peer(present_index(name, device), present_index(name, peer_device))


class device:
    """Context manager: the current CUDA device in the block. None and negatives do nothing.

    Args:
        device: A device, its name or its index.

    Raises:
        InvalidDeviceError: It is not a CUDA device.
        DeviceNotFoundError: It does not exist (raised at the start of the block).

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     with gpukit.cuda.device(1):
        ...         gpukit.ones(1, device="cuda").device
        device(type='cuda', index=1)
    """

    @renamed(d="device")
    def __init__(self, device: Any) -> None:
        skip = device is None or _is_negative(device)
        self.index = -1 if skip else cuda_index("cuda.device", device)
        self._before = -1

    def __enter__(self) -> Self:
        self._before = _core.current_cuda_index()
        if self.index >= 0:
            _core.set_current_cuda(self.index)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _core.switch_cuda_index(self._before)

    def __repr__(self) -> str:
        name = "no device" if self.index < 0 else f"cuda:{self.index}"
        return f"<gpukit.cuda.device context for {name}; did you mean gpukit.device('cuda')?>"


class device_of(device):
    """Context manager: the current device is that of a tensor; a CPU tensor changes nothing.

    Args:
        obj: A tensor.

    Raises:
        TypeError: obj is not a tensor.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(2):
        ...     with gpukit.cuda.device_of(gpukit.ones(1, device="cuda:1")):
        ...         gpukit.cuda.current_device()
        1
    """

    @renamed(t="obj")
    def __init__(self, obj: _core.Tensor) -> None:
        if not isinstance(obj, _core.Tensor):
            raise TypeError(f"device_of: obj must be a Tensor, got {obj!r}")
        super().__init__(obj.device if obj.is_cuda else None)


@renamed(s="stream")
def set_stream(stream: Any) -> None:
    """Make a stream this thread's current one for its device. None does nothing.

    Args:
        stream: A Stream, or None.

    Raises:
        TypeError: stream is neither.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     side = gpukit.cuda.Stream()
        ...     gpukit.cuda.set_stream(side)
        ...     gpukit.cuda.current_stream() == side
        True
    """
    if stream is None:
        return
    if not isinstance(stream, _core.Stream):
        raise TypeError(f"set_stream: stream must be a Stream, got {stream!r}")
    _core.set_stream(stream)


class StreamContext:
    """The result of `stream(stream)`: the stream and its device are current inside the block.

    Example:
        >>> import gpukit
        >>> isinstance(gpukit.cuda.stream(None), gpukit.cuda.StreamContext)
        True
    """

    def __init__(self, stream: _core.Stream | None) -> None:
        if stream is not None and not isinstance(stream, _core.Stream):
            raise TypeError(f"stream: stream must be a Stream, got {stream!r}")
        self.stream = stream
        self._before: list[tuple[int, _core.Stream]] = []

    def __enter__(self) -> Self:
        if self.stream is not None:
            before = _core.current_stream(self.stream.device)
            self._before.append((_core.current_cuda_index(), before))
            _core.set_stream(self.stream)
            if self.stream.device.type == "cuda":
                _core.switch_cuda_index(self.stream.device.index or 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.stream is not None:
            index, before = self._before.pop()
            _core.set_stream(before)
            _core.switch_cuda_index(index)


@renamed(s="stream")
def stream(stream: _core.Stream | None) -> StreamContext:
    """Return a context manager that makes a stream the current one.

    Args:
        stream: A Stream; None does nothing.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     side = gpukit.cuda.Stream()
        ...     with gpukit.cuda.stream(side):
        ...         gpukit.cuda.current_stream() == side
        True
    """
    return StreamContext(stream)


def get_stream_from_external(data_ptr: int, device: Any = None) -> _core.ExternalStream:
    """Return a stream that another library made, by its handle.

    Args:
        data_ptr: The handle, a `cudaStream_t` as an int.
        device: The device of the stream; None means the current one.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     side = gpukit.cuda.Stream()
        ...     gpukit.cuda.get_stream_from_external(side.cuda_stream).query()
        True
    """
    return _core.ExternalStream(data_ptr, device)
