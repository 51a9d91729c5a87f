"""A device with the name and kind that TensorFlow uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpukit import _core

if TYPE_CHECKING:
    from typing_extensions import Self

_KINDS = {"cpu": "CPU", "cuda": "GPU"}


class PhysicalDevice(str):
    """A device of `list_physical_devices`: text such as "cuda:0" that knows TensorFlow's name.

    Every `device=` takes it, because it is text.

    Args:
        device: A device, its text or its index.

    Raises:
        InvalidDeviceError: It is not a device.

    Example:
        >>> import gpukit
        >>> gpukit.config.PhysicalDevice("cuda:1").name
        '/physical_device:GPU:1'
        >>> gpukit.ones(2, device=gpukit.config.list_physical_devices("CPU")[0]).device
        device(type='cpu')
    """

    __slots__ = ()

    def __new__(cls, device: Any) -> Self:
        """The text of a device."""
        return super().__new__(cls, str(_core.device(device)))

    @property
    def device(self) -> _core.device:
        """The same as a `gpukit.device`."""
        return _core.device(str(self))

    @property
    def type(self) -> str:
        """'cpu' or 'cuda', as of a `gpukit.device`."""
        return self.device.type

    @property
    def index(self) -> int | None:  # type: ignore[override]
        """The device's number, as of a `gpukit.device`; None for the CPU. Hides `str.index`."""
        number: int | None = self.device.index
        return number

    def __eq__(self, other: object) -> bool:
        """Whether both are the same device: another entry, a `gpukit.device` or text."""
        return str(self) == str(other) if isinstance(other, (str, _core.device)) else NotImplemented

    def __hash__(self) -> int:
        """The hash of its text."""
        return super().__hash__()

    @property
    def device_type(self) -> str:
        """'CPU' or 'GPU'."""
        return _KINDS[self.device.type]

    @property
    def name(self) -> str:
        """TensorFlow's name, such as '/physical_device:GPU:0'."""
        return f"/physical_device:{self.device_type}:{self.device.index or 0}"

    def __repr__(self) -> str:
        """As TensorFlow shows it."""
        return f"PhysicalDevice(name={self.name!r}, device_type={self.device_type!r})"
