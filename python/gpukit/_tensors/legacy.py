"""torch's older ways: Tensor(2, 3), FloatTensor and its like, names such as 'torch.FloatTensor'."""

from __future__ import annotations

from typing import Any

from gpukit import _core
from gpukit._arguments import int_from
from gpukit._core import Tensor
from gpukit._dtypes import FLOATING, ROWS
from gpukit.errors import ArgumentError, DTypeError

# "FloatStorage" is of FloatTensor; dtypes without a storage class in torch have "UInt16Tensor".
_NAME_OF = {
    dtype: f"{row.storage.removesuffix('Storage') or row.name.replace('uint', 'UInt')}Tensor"
    for dtype, row in ROWS.items()
}
_PACKAGES = {"torch": "cpu", "gpukit": "cpu", "torch.cuda": "cuda", "gpukit.cuda": "cuda"}


class _LegacyType(type):
    """A type of torch's: the tensors of one dtype on one kind of device."""

    dtype: _core.dtype
    device_type: str

    def __instancecheck__(cls, instance: Any) -> bool:
        """Whether a tensor has the dtype and lies on that kind of device."""
        if not isinstance(instance, Tensor) or instance.dtype is not cls.dtype:
            return False
        return bool(instance.device.type == cls.device_type)

    def __call__(cls, *data: Any, **options: Any) -> Tensor:
        """Make a tensor, of sizes or of data."""
        device = options.pop("device", cls.device_type)
        return _made(cls.__name__, data, options, cls.dtype, device)


def _type_of(dtype: _core.dtype, device_type: str) -> _LegacyType:
    cuda = device_type == "cuda"
    name, where = _NAME_OF[dtype], ".cuda" if cuda else ""
    data = "[]"
    text = (
        f"torch's older type of {dtype.name} tensors on {'a GPU' if cuda else 'the CPU'}.\n\n"
        f"`{name}(2, 3)` has elements that are not set, `{name}(data)` those of data; "
        f"`isinstance(x, {name})`\nsays whether a tensor is of it, and `x.type({name})` "
        "converts. Write `gpukit.tensor(data, dtype=…)` in\nnew programs.\n\n"
        "Example:\n    >>> import gpukit\n"
        + (
            f"    >>> isinstance(gpukit.ones(1), gpukit.cuda.{name})\n    False\n"
            if cuda
            else f"    >>> gpukit.{name}({data}).dtype\n    gpukit.{dtype.name}\n"
        )
    )
    body = {
        "dtype": dtype,
        "device_type": device_type,
        "__module__": f"gpukit{where}",
        "__doc__": text,
    }
    return _LegacyType(name, (), body)


_TYPES = {(d, where): _type_of(d, where) for d in ROWS for where in ("cpu", "cuda")}
CPU_TYPES = {kind.__name__: kind for (_, where), kind in _TYPES.items() if where == "cpu"}
CUDA_TYPES = {kind.__name__: kind for (_, where), kind in _TYPES.items() if where == "cuda"}
BFloat16Tensor = CPU_TYPES["BFloat16Tensor"]
BoolTensor = CPU_TYPES["BoolTensor"]
ByteTensor = CPU_TYPES["ByteTensor"]
CharTensor = CPU_TYPES["CharTensor"]
DoubleTensor = CPU_TYPES["DoubleTensor"]
FloatTensor = CPU_TYPES["FloatTensor"]
HalfTensor = CPU_TYPES["HalfTensor"]
IntTensor = CPU_TYPES["IntTensor"]
LongTensor = CPU_TYPES["LongTensor"]
ShortTensor = CPU_TYPES["ShortTensor"]


class layout(str):
    """How elements lie in memory: text that prints as torch's names.

    Example:
        >>> import gpukit
        >>> gpukit.ones(1).layout is gpukit.strided, gpukit.strided == "strided"
        (True, True)
    """

    __hash__ = str.__hash__

    def __repr__(self) -> str:
        """Torch's form of it."""
        return f"gpukit.{super().__str__()}"

    __str__ = __repr__


strided = layout("strided")


class memory_format(layout):
    """The order of a tensor's dimensions in memory: text that prints as torch's names.

    Operators, and copies without `memory_format`, give contiguous results; torch's keep the order.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1, 2, 3, 3).to(memory_format=gpukit.channels_last)
        >>> x.shape, x.stride(), x.is_contiguous(memory_format=gpukit.channels_last)
        ((1, 2, 3, 3), (18, 1, 6, 2), True)
    """

    __hash__ = str.__hash__

    @property
    def name(self) -> str:
        """Its name without `gpukit`."""
        return str.__str__(self)

    @property
    def rank(self) -> int | None:
        """The number of dimensions that it is for; None for any."""
        return {"channels_last": 4, "channels_last_3d": 5}.get(self.name)


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


def tensor(*data: Any, **options: Any) -> Tensor:
    """gpukit.Tensor(…): of the default dtype on the default device."""
    device = options.pop("device", None)
    return _made("Tensor", data, options, None, device)


def new_like(like: Tensor, data: tuple[Any, ...]) -> Tensor:
    """x.new(…): of the tensor's dtype on its device."""
    return _made("new", data, {}, like.dtype, like.device)


def _made(
    function: str, given: tuple[Any, ...], options: dict[str, Any], dtype: Any, device: Any
) -> Tensor:
    sizes = options.pop("size", None)
    if "data" in options:
        given = (*given, options.pop("data"))
    if options:
        raise TypeError(
            f"{function}: there is no argument {next(iter(options))!r}. Use gpukit.tensor(data, …)"
        )
    if sizes is not None:
        given = tuple(sizes)
    if len(given) == 1 and isinstance(given[0], _core.Size):
        given = tuple(given[0])
    made_of = dtype or _core.get_default_dtype()
    if all(_is_int(size) for size in given):
        return _core.empty(list(given) or [0], dtype=made_of, device=device)
    if len(given) > 1 or isinstance(given[0], (str, bytes, float, bool)):
        raise TypeError(
            f"{function}: sizes are ints, and data one list, array or tensor; got "
            f"{given if len(given) > 1 else given[0]!r:.80}. Use gpukit.tensor(data) for a number"
        )
    return _of_data(function, given[0], dtype, made_of, device)


def _is_int(value: Any) -> bool:
    return (
        not isinstance(value, (bool, Tensor)) and hasattr(value, "__index__") and not _shape(value)
    )


def _shape(value: Any) -> Any:
    return getattr(value, "shape", ())


def _of_data(function: str, data: Any, dtype: Any, made_of: _core.dtype, device: Any) -> Tensor:
    if not isinstance(data, Tensor):
        data = list(data) if isinstance(data, range) else data
        try:
            return _core.tensor(data, dtype=made_of, device=device)
        except TypeError as error:
            raise TypeError(f"{function}: sizes or data: {error}") from None
    if dtype is not None and data.dtype is not dtype:
        raise DTypeError(
            f"{function}: the tensor is {data.dtype.name}. Convert it: x.type(gpukit.{function})"
        )
    return data.detach()


def type_name(tensor: Tensor) -> str:
    """x.type(): torch's name, which programs compare with."""
    kind = tensor.device.type
    return f"torch.{'' if kind == 'cpu' else kind + '.'}{_NAME_OF[tensor.dtype]}"


def target_of(wanted: Any) -> tuple[_core.dtype, str] | None:
    """Dtype and kind of device that an older type or its name means; None for all else."""
    if isinstance(wanted, _LegacyType):
        return wanted.dtype, wanted.device_type
    if wanted is Tensor:
        return _core.get_default_dtype(), "cpu"
    if isinstance(wanted, str) and wanted.endswith("Tensor"):
        package, _, name = wanted.rpartition(".")
        kind = {"cpu": CPU_TYPES, "cuda": CUDA_TYPES}.get(_PACKAGES.get(package, ""), {}).get(name)
        if kind is not None:
            return kind.dtype, kind.device_type
    return None


def set_default_tensor_type(t: Any) -> None:
    """Set default dtype and default device by one of torch's older types.

    Args:
        t: A floating type such as `gpukit.DoubleTensor`, or its name such as 'torch.FloatTensor'.

    Raises:
        TypeError: It is not such a type, or not floating.

    Example:
        >>> import gpukit
        >>> gpukit.set_default_tensor_type(gpukit.FloatTensor)
    """
    found = target_of(t) if t is not Tensor else None
    if found is None or found[0] not in FLOATING:
        raise TypeError(
            "set_default_tensor_type: t must be a floating type such as gpukit.DoubleTensor or "
            f"'torch.FloatTensor', got {t!r:.80}. Use set_default_dtype and set_default_device"
        )
    _core.set_default_dtype(found[0])
    _core.set_default_device(found[1])


_deterministic = {"on": False, "warn_only": False}

_interop = {"threads": 1}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same result every time. gpukit's operations give it in any case.

    The setting is kept for `are_deterministic_algorithms_enabled` and changes nothing else.
    What a GPU leaves open, which of several values assigned to one element stays, it leaves
    open here too: docs/limits.

    Args:
        mode: True or False.
        warn_only: As in torch, for `is_deterministic_algorithms_warn_only_enabled`.

    Raises:
        TypeError: mode is not a bool.

    Example:
        >>> import gpukit
        >>> gpukit.use_deterministic_algorithms(True)
        >>> gpukit.are_deterministic_algorithms_enabled()
        True
        >>> gpukit.use_deterministic_algorithms(False)
    """
    if not isinstance(mode, bool):
        raise TypeError(f"use_deterministic_algorithms: mode must be True or False, got {mode!r}")
    _deterministic.update(on=mode, warn_only=mode and bool(warn_only))


def set_num_interop_threads(num: int) -> None:
    """Keep a number for `get_num_interop_threads`; operations of a thread run one after another.

    `set_num_threads` sets how many threads share the work of one operation.

    Args:
        num: 1 or more.

    Raises:
        TypeError: num is not an int.
        ValueError: num is below 1.

    Example:
        >>> import gpukit
        >>> gpukit.set_num_interop_threads(2)
        >>> gpukit.get_num_interop_threads()
        2
        >>> gpukit.set_num_interop_threads(1)
    """
    _interop["threads"] = int_from("set_num_interop_threads", "num", num, 1)


def get_num_interop_threads() -> int:
    """Return what `set_num_interop_threads` was given last, at first 1.

    Example:
        >>> import gpukit
        >>> gpukit.get_num_interop_threads()
        1
    """
    return _interop["threads"]


def are_deterministic_algorithms_enabled() -> bool:
    """Return what `use_deterministic_algorithms` was given last.

    Example:
        >>> import gpukit
        >>> gpukit.are_deterministic_algorithms_enabled()
        False
    """
    return _deterministic["on"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether `use_deterministic_algorithms` was given warn_only=True last.

    Example:
        >>> import gpukit
        >>> gpukit.is_deterministic_algorithms_warn_only_enabled()
        False
    """
    return _deterministic["warn_only"]


_MODES = ("default", "warn", "error")


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Do as `use_deterministic_algorithms`, by a number or word.

    Args:
        debug_mode: 0 or "default", 1 or "warn", 2 or "error".

    Raises:
        ValueError: Another mode.

    Example:
        >>> import gpukit
        >>> gpukit.set_deterministic_debug_mode("warn")
        >>> gpukit.get_deterministic_debug_mode()
        1
        >>> gpukit.set_deterministic_debug_mode("default")
    """
    known = isinstance(debug_mode, (int, str)) and not isinstance(debug_mode, bool)
    if not known or debug_mode not in {*_MODES, 0, 1, 2}:
        raise ArgumentError(
            "set_deterministic_debug_mode: debug_mode must be 'default', 'warn', 'error', 0, 1 or "
            f"2, got {debug_mode!r}"
        )
    mode = _MODES.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    use_deterministic_algorithms(mode > 0, warn_only=mode == 1)


def get_deterministic_debug_mode() -> int:
    """Return 0, 1 or 2: see `set_deterministic_debug_mode`.

    Example:
        >>> import gpukit
        >>> gpukit.get_deterministic_debug_mode()
        0
    """
    return 0 if not _deterministic["on"] else 1 if _deterministic["warn_only"] else 2
