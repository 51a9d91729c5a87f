"""autocast: operators choose their dtype while it is on. An observer changes their arguments.

The lists are torch's documented ones, in the names of gpukit's operators:
https://docs.pytorch.org/docs/stable/amp.html#autocast-op-reference
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from gpukit import _core
from gpukit._autocast import THREAD, Setting
from gpukit._core import Tensor
from gpukit._dtypes import HALF
from gpukit.errors import ArgumentError, GpukitError, GpukitWarning

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "autocast",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_available",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
]

# Products run in the half type.
_PRODUCTS = frozenset(
    "matmul mm bmm addmm linear linear_relu convolution convolution_transposed".split()  # noqa: SIM905
)
_GPU_PRODUCTS = frozenset({*_PRODUCTS, "mv"})
# What loses digits or overflows in half types runs in float32.
_EXACT = {
    "cuda": frozenset(
        """
        pow exp expm1 log log10 log2 log1p reciprocal rsqrt acos asin cosh sinh tan softmax
        log_softmax logsumexp layer_norm norm prod sum cumsum cumprod cross_entropy squared_error
        """.split()  # noqa: SIM905
    ),
    "cpu": frozenset("prod trace cross_entropy squared_error".split()),  # noqa: SIM905
}
_DTYPES = {"cuda": _core.float16, "cpu": _core.bfloat16}
# What is cast: float64 stays.
_CAST = (*HALF, _core.float32)


class _Observer:
    """Converts the arguments of the operators of a thread."""

    def before_operator(self, call: Any) -> None:
        """Convert them to the half type, or to float32, by the operator's name."""
        name = call.name
        lower = name in _GPU_PRODUCTS
        if not lower and name not in _EXACT["cuda"] and name not in _EXACT["cpu"]:
            return
        arguments = call.arguments
        changed = {}
        for key, value in arguments.items():
            if not isinstance(value, Tensor) or key == "out":
                continue
            wanted = _wanted(name, lower, value)
            if wanted is not None and wanted != value.dtype:
                changed[key] = value.to(wanted)
        if changed:
            call.arguments = {**arguments, **changed}

    def after_operator(self, call: Any) -> None:
        """Nothing: results have the dtype that they were computed in."""


def _wanted(name: str, lower: bool, tensor: Tensor) -> Any:
    kind = tensor.device.type
    setting = THREAD.settings.get(kind)
    if setting is None or not setting.enabled or tensor.dtype not in _CAST:
        return None
    if lower:
        return setting.dtype if kind == "cuda" or name in _PRODUCTS else None
    return _core.float32 if name in _EXACT[kind] else None


class autocast:
    """Run products in a half type and what needs digits in float32: a `with` block or a decorator.

    Parameters stay as they are; conversions are recorded, so that their gradients have their
    dtype. float64 is not converted. The setting is the thread's.

    Args:
        device_type: 'cuda' or 'cpu': operators whose tensors are there.
        dtype: float16 or bfloat16; None is float16 on 'cuda' and bfloat16 on 'cpu'.
        enabled: False switches it off inside another block.
        cache_enabled: Accepted for compatibility with PyTorch.

    Raises:
        RuntimeError: device_type is unknown.
        TypeError: device_type is not a str.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(2, 2)
        >>> with gpukit.autocast("cpu"):
        ...     (x @ x).dtype
        gpukit.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: Any = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,  # noqa: ARG002
    ) -> None:
        self.device = _kind_of("autocast", device_type)
        self.fast_dtype = _DTYPES[self.device] if dtype is None else dtype
        self._enabled = bool(enabled)
        if self._enabled and self.fast_dtype not in HALF:
            warnings.warn(
                f"autocast: dtype must be float16 or bfloat16, got {dtype}; it is off",
                GpukitWarning,
                stacklevel=2,
            )
            self._enabled = False
        self._before: list[Setting | None] = []

    def __enter__(self) -> Self:
        thread = THREAD
        self._before.append(thread.settings.get(self.device))
        thread.settings[self.device] = Setting(self._enabled, self.fast_dtype)
        thread.depth += 1
        if thread.observation is None:
            thread.observation = _core.observe(_Observer())
        return self

    def __exit__(self, *error: object) -> None:
        thread = THREAD
        before = self._before.pop()
        if before is None:
            del thread.settings[self.device]
        else:
            thread.settings[self.device] = before
        thread.depth -= 1
        if thread.depth == 0:
            thread.observation.stop()
            thread.observation = None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with each of its calls inside the block.

        Args:
            function: Any function.
        """

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return run


@contextmanager
def restored(settings: dict[str, Setting]) -> Iterator[None]:
    """Set this thread to what THREAD.settings was at another time."""
    with ExitStack() as stack:
        for device in {*settings, *THREAD.settings}:
            wanted = settings.get(device, Setting(False, _DTYPES[device]))
            if THREAD.settings.get(device) != wanted:
                stack.enter_context(autocast(device, wanted.dtype, wanted.enabled))
        yield


def _kind_of(op: str, device_type: Any) -> str:
    if not isinstance(device_type, str):
        raise _NotTextError(
            f"{op}: device_type must be 'cuda' or 'cpu', got {type(device_type).__name__}"
        )
    if device_type not in _DTYPES:
        raise GpukitError(f"{op}: device_type must be 'cuda' or 'cpu', got {device_type!r}")
    return device_type


class _NotTextError(ArgumentError, TypeError):
    """torch raises ValueError."""


def is_autocast_available(device_type: str) -> bool:
    """Return whether autocast knows a type of device.

    Args:
        device_type: Such as 'cuda'.

    Example:
        >>> import gpukit
        >>> gpukit.amp.is_autocast_available("cpu")
        True
    """
    return device_type in _DTYPES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return whether this thread is inside of an autocast block.

    Args:
        device_type: 'cuda' or 'cpu'.

    Raises:
        RuntimeError: device_type is unknown.

    Example:
        >>> import gpukit
        >>> gpukit.is_autocast_enabled("cpu")
        False
    """
    setting = THREAD.settings.get(_kind_of("is_autocast_enabled", device_type))
    return setting is not None and setting.enabled


def is_autocast_cpu_enabled() -> bool:
    """Return whether this thread is inside of an autocast block of the CPU: torch's older name.

    Example:
        >>> import gpukit
        >>> gpukit.is_autocast_cpu_enabled()
        False
    """
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> Any:
    """Return the half type of this thread's autocast, or the one that it has by default.

    Args:
        device_type: 'cuda' or 'cpu'.

    Raises:
        RuntimeError: device_type is unknown.

    Example:
        >>> import gpukit
        >>> gpukit.get_autocast_dtype("cpu")
        gpukit.bfloat16
    """
    kind = _kind_of("get_autocast_dtype", device_type)
    setting = THREAD.settings.get(kind)
    return _DTYPES[kind] if setting is None else setting.dtype


def get_autocast_gpu_dtype() -> Any:
    """Return the half type of this thread's autocast on GPUs: torch's older name.

    Example:
        >>> import gpukit
        >>> gpukit.get_autocast_gpu_dtype()
        gpukit.float16
    """
    return get_autocast_dtype("cuda")


def get_autocast_cpu_dtype() -> Any:
    """Return the half type of this thread's autocast on the CPU: torch's older name.

    Example:
        >>> import gpukit
        >>> gpukit.get_autocast_cpu_dtype()
        gpukit.bfloat16
    """
    return get_autocast_dtype("cpu")
