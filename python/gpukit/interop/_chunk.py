"""A tensor as NumPy's functions and dask see an array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

import gpukit
from gpukit import _core
from gpukit.interop._functions import ACCUMULATE, FUNCTIONS, REDUCE
from gpukit.interop._products import matmul
from gpukit.interop._shapes import reshape, stack, transpose
from gpukit.interop._ufuncs import compute, is_known, to_gpukit, to_numpy_dtype

Tensor = _core.Tensor
_FIX = "Convert chunks on purpose: x.map_blocks(gpukit.interop.dask.to_numpy)"


class Chunk(NDArrayOperatorsMixin):
    """A tensor with NumPy's array protocols (NEP 13 and 18): a chunk of a Dask array.

    NumPy functions on it run in gpukit, on its device, with NumPy's dtypes, and return chunks. A
    function that gpukit lacks raises TypeError: no chunk becomes a NumPy array by itself.

    Args:
        tensor: a gpukit tensor, on any device; it is not copied.

    Attributes:
        tensor: the tensor.

    Example:
        >>> import gpukit, numpy
        >>> from gpukit.interop.dask import Chunk
        >>> numpy.exp(Chunk(gpukit.zeros(2))).sum().item()
        2.0
    """

    __slots__ = ("tensor",)
    __array_priority__ = 1500

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Chunk: tensor must be a gpukit.Tensor, got {type(tensor).__name__}")
        self.tensor = tensor.detach() if tensor.requires_grad else tensor

    # ---- what it is ----

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes."""
        return tuple(self.tensor.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype of the same name."""
        return to_numpy_dtype(self.tensor.dtype)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.tensor.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.tensor.numel()

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.tensor.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.tensor.itemsize

    @property
    def T(self) -> Chunk:  # noqa: N802 (NumPy's name)
        """The axes reversed."""
        return Chunk(transpose(self.tensor))

    @property
    def real(self) -> Chunk:
        """Itself."""
        return self

    @property
    def imag(self) -> Chunk:
        """Zeros."""
        return Chunk(gpukit.zeros_like(self.tensor))

    def __repr__(self) -> str:
        return f"Chunk({self.tensor!r})"

    def __len__(self) -> int:
        return len(self.tensor)

    def __iter__(self) -> Iterator[Chunk]:
        return (Chunk(row) for row in self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(f"numpy.asarray: this would turn a gpukit chunk into a NumPy array. {_FIX}")

    # ---- elements ----

    def __getitem__(self, key: Any) -> Chunk:
        return Chunk(self.tensor[_index(key, self.tensor.device)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, (Chunk, np.ndarray)):
            value = _tensor(value, self.tensor.device).to(self.tensor.dtype)
        elif isinstance(value, np.generic):
            value = value.item()
        self.tensor[_index(key, self.tensor.device)] = value

    def item(self) -> Any:
        """The one element as a Python number."""
        return self.tensor.item()

    def tolist(self) -> Any:
        """Nested lists of Python's numbers."""
        return self.tensor.tolist()

    # ---- other shapes, dtypes, memory ----

    def reshape(self, *shape: Any, order: str = "C") -> Chunk:
        """The same elements in another shape."""
        sizes = shape[0] if len(shape) == 1 else shape
        return Chunk(reshape(self.tensor, sizes, order))

    def flatten(self, order: str = "C") -> Chunk:
        """One dimension, copied."""
        return Chunk(reshape(self.tensor, (-1,), order).clone())

    def transpose(self, *axes: Any) -> Chunk:
        """The axes in another order."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return Chunk(transpose(self.tensor, order))

    def astype(
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Chunk:
        """Converted; as NumPy, a copy even where nothing changes."""
        wanted = np.dtype(dtype)
        if not np.can_cast(self.dtype, wanted, casting):  # type: ignore[arg-type]
            raise TypeError(f"astype: {self.dtype} to {wanted} is not {casting!r}")
        result = self.tensor.to(to_gpukit(wanted))
        return Chunk(result.clone() if copy and result is self.tensor else result)

    def copy(self, order: str = "C") -> Chunk:
        """The same elements in new memory."""
        return Chunk(self.tensor.clone())

    def view(self, dtype: Any = None) -> Chunk:
        """The same memory; a dtype of another size changes the last axis."""
        if dtype is None or np.dtype(dtype) == self.dtype:
            return Chunk(self.tensor)
        packed, wanted = self.tensor.contiguous(), to_gpukit(dtype)
        last = self.shape[-1] * packed.itemsize
        if last % wanted.itemsize:
            raise ValueError(
                f"view: {last} bytes are not a whole number of elements of {wanted.name}"
            )
        shape = (*self.shape[:-1], last // wanted.itemsize)
        steps = np.cumprod([1, *reversed(shape[1:])])[::-1].tolist()
        first = packed.storage_offset() * packed.itemsize // wanted.itemsize
        return Chunk(_core.storage_view(packed, wanted, shape, tuple(steps), first))

    def conj(self) -> Chunk:
        """Itself: numbers are real."""
        return self

    conjugate = conj

    # ---- NumPy's protocols ----

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        known = all(isinstance(value, _OPERANDS) for value in inputs)
        if not known or any(not isinstance(each, Chunk) for each in out or ()):
            return NotImplemented
        device = next(each for each in (*inputs, *(out or ())) if isinstance(each, Chunk))
        operands = tuple(_operand(value, device.tensor.device) for value in inputs)
        result = _ufunc_result(ufunc, method, operands, kwargs)
        if not out:
            return _wrapped(result)
        target: Chunk = out[0]
        if not np.can_cast(to_numpy_dtype(result.dtype), target.dtype, "same_kind"):
            raise TypeError(f"{ufunc.__name__}: a {result.dtype.name} does not fit {target.dtype}")
        target.tensor.copy_(result.to(target.tensor.dtype))
        return target

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        if not all(issubclass(kind, (Chunk, np.ndarray)) for kind in types):
            return NotImplemented
        if func in _CREATION:
            return Chunk(_CREATION[func](self.tensor.device, *args, **kwargs))
        name = f"{func.__module__}.{func.__name__}"
        ours = FUNCTIONS.get(func)
        if ours is None:
            raise TypeError(f"{name}: gpukit has no such function for chunks. {_FIX}")
        given = {key: value for key, value in kwargs.items() if not _is_absent(value)}
        if given.pop("out", None) is not None:
            raise TypeError(f"{name}: out= is not supported for chunks. Use the result")
        device = self.tensor.device
        return _wrapped(
            ours(
                *[_operand(value, device) for value in args],
                **{key: _operand(value, device) for key, value in given.items()},
            )
        )


_OPERANDS = (Chunk, np.ndarray, np.generic, int, float, bool)


def _is_absent(value: Any) -> bool:
    return value is np._NoValue  # noqa: SLF001 (what NumPy passes for an absent argument)


def _tensor(value: Any, device: _core.device) -> Tensor:
    """A chunk's or an array's elements; arrays are only taken on the CPU."""
    if isinstance(value, Chunk):
        return value.tensor
    if device.type != "cpu":
        raise gpukit.DeviceMismatchError(
            f"a NumPy array meets a chunk on {device}. Convert it first: "
            f"Chunk(gpukit.tensor(a, device={str(device)!r}))"
        )
    return gpukit.as_tensor(np.ascontiguousarray(value))


def _operand(value: Any, device: _core.device) -> Any:
    """What gpukit's functions take: tensors instead of arrays, also inside lists."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    if isinstance(value, (Chunk, np.ndarray)):
        return _tensor(value, device)
    if type(value) in {list, tuple}:
        if not any(isinstance(each, (Chunk, np.ndarray)) for each in value):
            return value
        return type(value)(_operand(each, device) for each in value)
    return value


def _wrapped(result: Any) -> Any:
    if isinstance(result, Tensor):
        return Chunk(result)
    if isinstance(result, tuple) and any(isinstance(each, Tensor) for each in result):
        return tuple(_wrapped(each) for each in result)
    return result


def _index(key: Any, device: _core.device) -> Any:
    """An index with tensors instead of arrays and lists, and Python's ints."""
    if isinstance(key, tuple):
        return tuple(_index(each, device) for each in key)
    if isinstance(key, Chunk):
        return key.tensor
    if isinstance(key, (np.ndarray, list)):
        found = np.asarray(key)
        found = found.astype(np.int64) if found.size == 0 and found.dtype != bool else found
        return gpukit.tensor(found, device=device)
    if isinstance(key, np.generic):
        return key.item()
    if isinstance(key, slice):
        return slice(*(None if p is None else int(p) for p in (key.start, key.stop, key.step)))
    return key


def _ufunc_result(ufunc: np.ufunc, method: str, operands: Any, kwargs: Any) -> Tensor:
    name = ufunc.__name__
    if method == "__call__" and ufunc is np.matmul:
        return matmul(*operands)
    if method == "__call__" and is_known(name) and not set(kwargs) - {"dtype"}:
        return compute(ufunc, operands, **kwargs)
    tables = {"reduce": REDUCE, "accumulate": ACCUMULATE}
    if name in tables.get(method, {}):
        # NumPy's reduce is over axis 0 where none is named.
        return tables[method][name](*operands, **{"axis": 0, **kwargs})
    if method == "outer" and is_known(name):
        first, second = operands
        return compute(ufunc, (first.reshape((*first.shape, *[1] * second.ndim)), second))
    called = name if method == "__call__" else f"{name}.{method}"
    raise TypeError(f"numpy.{called}: gpukit has no such function for chunks. {_FIX}")


def _from_any(device: _core.device, a: Any, dtype: Any = None, **_: Any) -> Tensor:
    """numpy.asarray(a, like=chunk) and similar functions."""
    if isinstance(a, Chunk):
        tensor = a.tensor
    elif isinstance(a, (list, tuple)) and any(isinstance(each, Chunk) for each in a):
        tensor = stack([_from_any(device, each) for each in a])
    else:
        tensor = gpukit.tensor(np.asarray(a), device=device)
    return tensor if dtype is None else tensor.to(to_gpukit(dtype))


def _creation(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def create(device: _core.device, shape: Any, *fill: Any, **more: Any) -> Tensor:
        sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        dtype = more.get("dtype")
        wanted = np.dtype(np.result_type(*fill) if fill and dtype is None else dtype or float)
        size = tuple(int(each) for each in sizes)
        numbers = tuple(wanted.type(value).item() for value in fill)
        return function(size, *numbers, dtype=to_gpukit(wanted), device=device)

    return create


def _computed(function: Callable[..., Any]) -> Callable[..., Tensor]:
    def create(device: _core.device, *args: Any, **kwargs: Any) -> Tensor:
        return gpukit.tensor(function(*args, **kwargs), device=device)

    return create


# Functions with `like=`: the chunk that was named decides the device.
_CREATION: dict[Any, Callable[..., Tensor]] = {
    np.array: _from_any,
    np.asanyarray: _from_any,
    np.asarray: _from_any,
    np.ascontiguousarray: _from_any,
    np.asfortranarray: _from_any,
    np.arange: _computed(np.arange),
    np.empty: _creation(gpukit.empty),
    np.eye: _computed(np.eye),
    np.full: _creation(gpukit.full),
    np.identity: _computed(np.identity),
    np.ones: _creation(gpukit.ones),
    np.tri: _computed(np.tri),
    np.zeros: _creation(gpukit.zeros),
}


def _method(name: str, ours: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Chunk, *args: Any, **kwargs: Any) -> Any:
        return self.__array_function__(getattr(np, name), (Chunk,), (self, *args), kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = ours.__doc__ or f"numpy.{name} of the chunk."
    return call


for _name in """
    all any argmax argmin argpartition argsort clip compress cumprod cumsum diagonal dot max mean
    min nonzero prod ravel repeat round searchsorted squeeze std sum swapaxes take trace var
""".split():  # noqa: SIM905
    setattr(Chunk, _name, _method(_name, FUNCTIONS[getattr(np, _name)]))
