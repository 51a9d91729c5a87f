"""Where the tensors of a file go: the `map_location` of `gpukit.load`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpukit import _core, _device
from gpukit.errors import DeviceNotFoundError, InvalidDeviceError

Reader = Callable[[_core.device], _core.Tensor]
_CPU = _core.device("cpu")


class Placement:
    """Decides for each storage of a file, by the location it was saved from ('cpu', 'cuda:1')."""

    def __init__(self, map_location: Any) -> None:
        self._fixed: _core.device | None = None
        self._table: dict[str, Any] = {}
        self._function: Callable[[_core.Tensor, str], Any] | None = None
        if isinstance(map_location, Mapping):
            self._table = {str(key): value for key, value in map_location.items()}
        elif isinstance(map_location, (str, int, _core.device)):
            self._fixed = usable(map_location)
        elif callable(map_location):
            self._function = map_location
        elif map_location is not None:
            raise TypeError(
                "load: map_location must be a device, a dict, a function or None, "
                f"got {map_location!r}"
            )

    @property
    def may_use_host(self) -> bool:
        """Whether tensors may go to the host's memory: not if all go to a GPU."""
        return self._fixed is None or self._fixed.type == "cpu"

    def place(self, location: str, read: Reader) -> _core.Tensor:
        """The storage that `read` returns, on its device."""
        if self._function is not None:
            return self._by_function(self._function, location, read)
        return read(self._device_for(location))

    def _device_for(self, location: str) -> _core.device:
        if self._fixed is not None:
            return self._fixed
        if location in self._table:
            return usable(self._table[location])
        return saved_device(location)

    @staticmethod
    def _by_function(
        function: Callable[[_core.Tensor, str], Any], location: str, read: Reader
    ) -> _core.Tensor:
        storage = read(_CPU)
        answer = function(storage, location)
        if answer is None:
            return storage.to(saved_device(location))
        if isinstance(answer, _core.Tensor):
            if answer.dtype != storage.dtype or answer.shape != storage.shape:
                raise TypeError(
                    "load: map_location must return the storage, on any device; got a tensor "
                    f"of {answer.dtype} {answer.shape}"
                )
            return answer.contiguous()
        return storage.to(usable(answer))


def _fault_of(device: _core.device, *, verify: bool = True) -> _device.Fault:
    """Why an accelerator cannot be used, if it cannot."""
    if device.type == "cuda":
        return _device.fault_at(device.index or 0, verify=verify)
    there = device.resolve() in _core.added_devices()
    return _device.Fault("" if there else f"there is no {device} here")


def usable(device: Any) -> _core.device:
    """The device with its index. DeviceNotFoundError with the fix if it does not exist."""
    concrete = _core.device(device).resolve()
    if concrete.index is None:
        return concrete
    fault = _fault_of(concrete, verify=False)
    if fault:
        fix = "map_location=gpukit.try_gpu()"
        raise DeviceNotFoundError(
            f"load: {concrete} was asked for, but {fault.text.rstrip('. ')}. Use {fix}.",
            fix=fix,
            details={**fault.details, "device": str(concrete), "reason": fault.text},
        )
    return concrete


def saved_device(location: str) -> _core.device:
    """The device a storage was saved from when it works here, else the CPU with one note."""
    if location == "cpu":
        return _CPU
    try:
        device = _core.device(location)
        reason = _fault_of(device).text
    except InvalidDeviceError:
        reason = "gpukit has no such device"
    if not reason:
        return device.resolve()
    _device.note(
        f"tensors saved on {location!a:.40} were loaded to the CPU ({reason.rstrip('. ')}). "
        "Name a device with map_location."
    )
    return _CPU
