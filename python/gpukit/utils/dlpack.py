"""torch's place of DLPack: tensors that other libraries read without a copy, and theirs."""

from __future__ import annotations

import enum
from typing import Any

from gpukit._arguments import tensor_of
from gpukit._core import Tensor, from_dlpack
from gpukit._names.suggest import module_getattr

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """DLPack's numbers of the kinds of devices (dlpack.h).

    Args:
        value: A number.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.dlpack import DLDeviceType
        >>> gpukit.ones(1).__dlpack_device__()[0] == DLDeviceType.kDLCPU
        True
    """

    kDLCPU = 1  # noqa: N815
    kDLCUDA = 2  # noqa: N815
    kDLCUDAHost = 3  # noqa: N815
    kDLOpenCL = 4  # noqa: N815
    kDLVulkan = 7  # noqa: N815
    kDLMetal = 8  # noqa: N815
    kDLVPI = 9  # noqa: N815
    kDLROCM = 10  # noqa: N815
    kDLROCMHost = 11  # noqa: N815
    kDLExtDev = 12  # noqa: N815
    kDLCUDAManaged = 13  # noqa: N815
    kDLOneAPI = 14  # noqa: N815
    kDLWebGPU = 15  # noqa: N815
    kDLHexagon = 16  # noqa: N815
    kDLMAIA = 17  # noqa: N815


def to_dlpack(tensor: Tensor) -> Any:
    """Return a DLPack capsule over the tensor's memory.

    A capsule is read once, by `from_dlpack` of any library. Those that read `__dlpack__` take the
    tensor itself.

    Args:
        tensor: Any tensor that records no gradients.

    Raises:
        TypeError: The argument is no tensor.
        BufferError: The tensor requires a gradient, or its memory cannot be shared.

    Example:
        >>> import gpukit
        >>> from gpukit.utils.dlpack import from_dlpack, to_dlpack
        >>> x = gpukit.zeros(2)
        >>> _ = from_dlpack(to_dlpack(x)).fill_(3)
        >>> x
        tensor([3., 3.])
    """
    return tensor_of("to_dlpack", "tensor", tensor).__dlpack__()


__getattr__ = module_getattr(__name__)
