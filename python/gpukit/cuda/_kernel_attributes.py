"""The driver's attributes of a kernel, under CuPy's names."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import int_of
from gpukit.cuda._context import present_index
from gpukit.errors import ArgumentError

# In the driver's order.
ATTRIBUTES = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "ptx_version",
    "binary_version",
    "cache_mode_ca",
    "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
)


class KernelAttributes:
    """The attributes of a kernel on the current device; two of them can be set."""

    def __init__(self) -> None:
        self._settings: dict[int, int] = {}  # by the driver's number, for every device

    def _function(self, index: int) -> _core.CodeFunction:
        raise NotImplementedError

    @property
    def attributes(self) -> dict[str, int]:
        """The driver's attributes on the current device; estimated if simulated."""
        return {name: self._read(name) for name in ATTRIBUTES}

    def _read(self, name: str) -> int:
        function = self._function(present_index(f"RawKernel.{name}", None))
        return int(function.attribute(ATTRIBUTES.index(name)))

    def _write(self, name: str, value: Any) -> None:
        wanted = int_of(f"RawKernel.{name}", "value", value)
        index = present_index(f"RawKernel.{name}", None)
        least, most = (-1, 100) if "carveout" in name else (0, self._most_dynamic(index))
        if not least <= wanted <= most:
            raise ArgumentError(f"RawKernel.{name} must be {least} to {most}, got {wanted}")
        number = ATTRIBUTES.index(name)
        self._function(index).set_attribute(number, wanted)
        self._settings[number] = wanted

    def _most_dynamic(self, index: int) -> int:
        room = int(_core.device_properties(index)["shared_memory_per_block_optin"])
        return room - self.shared_size_bytes

    @property
    def max_threads_per_block(self) -> int:
        """The most threads that a block of it can have."""
        return self._read("max_threads_per_block")

    @property
    def shared_size_bytes(self) -> int:
        """Bytes of static shared memory of a block."""
        return self._read("shared_size_bytes")

    @property
    def const_size_bytes(self) -> int:
        """Bytes of constant memory."""
        return self._read("const_size_bytes")

    @property
    def local_size_bytes(self) -> int:
        """Bytes of local memory of a thread."""
        return self._read("local_size_bytes")

    @property
    def num_regs(self) -> int:
        """Registers of a thread; estimated on a simulated device."""
        return self._read("num_regs")

    @property
    def ptx_version(self) -> int:
        """The virtual architecture that it was compiled for: 75 for compute_75."""
        return self._read("ptx_version")

    @property
    def binary_version(self) -> int:
        """The architecture of its machine code: 75 for sm_75."""
        return self._read("binary_version")

    @property
    def cache_mode_ca(self) -> bool:
        """True where global loads are cached in L1 by the compiler's option."""
        return bool(self._read("cache_mode_ca"))

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Maximum bytes of dynamic shared memory per launch. Can be set."""
        return self._read("max_dynamic_shared_size_bytes")

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: int) -> None:
        self._write("max_dynamic_shared_size_bytes", value)

    @property
    def preferred_shared_memory_carveout(self) -> int:
        """Percent of the on-chip memory that is wanted as shared memory, -1 for the default."""
        return self._read("preferred_shared_memory_carveout")

    @preferred_shared_memory_carveout.setter
    def preferred_shared_memory_carveout(self, value: int) -> None:
        self._write("preferred_shared_memory_carveout", value)
