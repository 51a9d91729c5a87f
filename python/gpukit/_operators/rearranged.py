"""Other shapes of a tensor, parts of it, and combinations; called as composed.py says."""

from __future__ import annotations

import itertools
from typing import Any

from gpukit import _core
from gpukit._arguments import bool_of, dim_of, int_from, int_of, ints_of, tensor_of, tensors_of
from gpukit._core import Tensor
from gpukit.errors import ArgumentError, AutogradError, ShapeError


def unflatten(input: Any, dim: Any, sizes: Any) -> Tensor:
    """One dimension as several."""
    x = tensor_of("unflatten", "input", input)
    axis, parts = dim_of("unflatten", "dim", dim, x.ndim), ints_of("unflatten", "sizes", sizes)
    known = 1
    for part in parts:
        known *= part if part != -1 else 1
    free = parts.count(-1)
    if free > 1 or (free and (known <= 0 or x.shape[axis] % known)):
        raise ShapeError(f"unflatten: dimension {axis} has {x.shape[axis]}, sizes are {parts}")
    parts = [x.shape[axis] // known if part == -1 else part for part in parts]
    if not free and known != x.shape[axis]:
        raise ShapeError(f"unflatten: dimension {axis} has {x.shape[axis]}, sizes are {parts}")
    return x.reshape([*x.shape[:axis], *parts, *x.shape[axis + 1 :]])


def tensor_split(input: Any, indices_or_sections: Any, dim: Any = 0) -> tuple[Tensor, ...]:
    """Parts along a dimension."""
    x = tensor_of("tensor_split", "input", input)
    axis = dim_of("tensor_split", "dim", dim, x.ndim)
    size, given = x.shape[axis], indices_or_sections
    if isinstance(given, Tensor):
        given = given.tolist()
    if isinstance(given, (list, tuple)):
        ends = ints_of("tensor_split", "indices_or_sections", given)
    else:
        count = int_of("tensor_split", "indices_or_sections", given)
        if count < 1:
            raise ArgumentError(f"tensor_split: at least one section is needed, got {count}")
        least, more = divmod(size, count)
        ends = [i * least + min(i, more) for i in range(1, count)]
    parts = []
    for start, end in zip([0, *ends], [*ends, size], strict=True):
        first, last, _ = slice(start, end).indices(size)
        parts.append(x.narrow(axis, first, max(last - first, 0)))
    return tuple(parts)


def dstack(tensors: Any) -> Tensor:
    """One behind the other."""
    return _core.cat([_deep(x) for x in tensors_of("dstack", tensors)], 2)


def atleast_1d(tensors: tuple[Any, ...]) -> Any:
    """One dimension at least."""
    return _each([x if x.ndim else x.reshape(1) for x in tensors_of("atleast_1d", tensors)])


def atleast_2d(tensors: tuple[Any, ...]) -> Any:
    """Two dimensions at least."""
    every = tensors_of("atleast_2d", tensors)
    return _each([x if x.ndim > 1 else x.reshape(1, x.numel()) for x in every])


def atleast_3d(tensors: tuple[Any, ...]) -> Any:
    """Three dimensions at least."""
    return _each([_deep(x) for x in tensors_of("atleast_3d", tensors)])


def _deep(x: Tensor) -> Tensor:
    if x.ndim > 2:
        return x
    return x.unsqueeze(-1) if x.ndim == 2 else x.reshape(1, x.numel(), 1)


def _each(tensors: list[Tensor]) -> Any:
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def block_diag(tensors: tuple[Any, ...]) -> Tensor:
    """Blocks along a diagonal."""
    every = tensors_of("block_diag", tensors)
    for x in every:
        if x.ndim > 2:
            raise ShapeError(f"block_diag: a tensor is {x.shape}; two dimensions are the most")
    blocks = [x if x.ndim == 2 else x.reshape(1, -1) for x in every]
    columns = sum(x.shape[1] for x in blocks)
    rows, left = [], 0
    for x in blocks:
        right = columns - left - x.shape[1]
        sides = [
            _core.zeros(x.shape[0], width, dtype=x.dtype, device=x.device)
            for width in (left, right)
        ]
        rows.append(_core.cat([sides[0], x, sides[1]], 1))
        left += x.shape[1]
    return _core.cat(rows)


def cartesian_prod(tensors: tuple[Any, ...]) -> Tensor:
    """Each combination of elements of several tensors."""
    every = tensors_of("cartesian_prod", tensors)
    for x in every:
        if x.ndim != 1:
            raise ShapeError(f"cartesian_prod: the tensors must be 1-d, one is {x.shape}")
    if len(every) == 1:
        return every[0]
    return _core.stack([grid.flatten() for grid in _core.meshgrid(*every, indexing="ij")], 1)


def combinations(input: Any, r: Any = 2, with_replacement: Any = False) -> Tensor:
    """Each choice of elements of one tensor."""
    x = tensor_of("combinations", "input", input)
    if x.ndim != 1:
        raise ShapeError(f"combinations: the tensor must be 1-d, it is {x.shape}")
    count = int_from("combinations", "r", r, 0)
    if not count:
        return _core.zeros(0, dtype=x.dtype, device=x.device)
    again = bool_of("combinations", "with_replacement", with_replacement)
    choose = itertools.combinations_with_replacement if again else itertools.combinations
    rows = list(choose(range(x.numel()), count))
    if not rows:
        return _core.zeros(0, count, dtype=x.dtype, device=x.device)
    return x[_core.tensor(rows, device=x.device)]


def rot90(input: Any, k: Any = 1, dims: Any = None) -> Tensor:
    """Rotated by right angles."""
    x, times = tensor_of("rot90", "input", input), int_of("rot90", "k", k) % 4
    axes = [
        dim_of("rot90", "dims", each, x.ndim)
        for each in ints_of("rot90", "dims", (0, 1) if dims is None else dims)
    ]
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ArgumentError(f"rot90: dims must be two different dimensions, got {dims!r}")
    if times == 2:
        return _core.flip(x, axes)
    if not times:
        return x.clone()
    flipped = _core.flip(x, axes[1]) if times == 1 else _core.flip(x, axes[0])
    return flipped.transpose(*axes).contiguous()


def fliplr(input: Any) -> Tensor:
    """Columns reversed."""
    x = tensor_of("fliplr", "input", input)
    if x.ndim < 2:
        raise ShapeError(f"fliplr: two dimensions are needed, the tensor is {x.shape}")
    return _core.flip(x, 1)


def flipud(input: Any) -> Tensor:
    """Rows reversed."""
    x = tensor_of("flipud", "input", input)
    if not x.ndim:
        raise ShapeError("flipud: a 0-d tensor has no dimension")
    return _core.flip(x, 0)


# ---- the memory behind a tensor ----


class UntypedStorage:
    """The memory behind tensors, as bytes."""

    def __init__(self, tensor: Tensor) -> None:
        plain = tensor.detach()
        size = _core.storage_info(plain)[1]
        self._bytes = _core.storage_view(plain, _core.uint8, (size,), (1,), 0)

    def nbytes(self) -> int:
        """How many bytes it has."""
        return int(self._bytes.numel())

    size = __len__ = nbytes

    def data_ptr(self) -> int:
        """Its address."""
        return int(self._bytes.data_ptr())

    @property
    def device(self) -> _core.device:
        """Where it lies."""
        return self._bytes.device

    @property
    def is_cuda(self) -> bool:
        """Whether it lies on a GPU."""
        return bool(self._bytes.is_cuda)

    def is_shared(self) -> bool:
        """Whether other processes see it."""
        return bool(self._bytes.is_shared())

    def is_pinned(self) -> bool:
        """Whether it is pinned."""
        return bool(self._bytes.is_pinned())

    def element_size(self) -> int:
        """The bytes of an element."""
        return int(self._bytes.itemsize)

    def tolist(self) -> list[int]:
        """The bytes as numbers."""
        numbers: list[int] = self._bytes.tolist()
        return numbers

    def __getitem__(self, index: int) -> int:
        return int(self._bytes[index].item())

    def __setitem__(self, index: int, value: int) -> None:
        self._bytes[index] = int_of("UntypedStorage", "value", value)


class TypedStorage(UntypedStorage):
    """The memory behind tensors, as elements of one dtype."""

    def __init__(self, tensor: Tensor) -> None:
        super().__init__(tensor)
        self._elements = self._bytes.view(tensor.dtype)
        self.dtype = tensor.dtype

    def size(self) -> int:
        """How many elements it has."""
        return int(self._elements.numel())

    __len__ = size

    def tolist(self) -> list[Any]:
        """The elements as numbers."""
        numbers: list[Any] = self._elements.tolist()
        return numbers

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage(self._elements)

    def element_size(self) -> int:
        """The bytes of an element."""
        return int(self._elements.itemsize)

    def __getitem__(self, index: int) -> Any:
        return self._elements[index].item()

    def __setitem__(self, index: int, value: Any) -> None:
        self._elements[index] = value


def is_storage(obj: Any) -> bool:
    """Return whether an object is a storage, such as `x.untyped_storage()`.

    Args:
        obj: Anything.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(1)
        >>> gpukit.is_storage(x), gpukit.is_storage(x.untyped_storage())
        (False, True)
    """
    return isinstance(obj, UntypedStorage)


def typename(obj: Any) -> str:
    """Return the name of an object's type, with its module; of a tensor its older type's name.

    Args:
        obj: Anything; of a class or function its own name.

    Example:
        >>> import gpukit
        >>> gpukit.typename(gpukit.ones(1)), gpukit.typename(gpukit.nn.ReLU), gpukit.typename(3)
        ('torch.FloatTensor', 'gpukit.nn.activation.ReLU', 'int')
    """
    if isinstance(obj, Tensor):
        return str(_core.Tensor.type(obj))
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", None) or ""
    return named.__qualname__ if module in ("", "builtins") else f"{module}.{named.__qualname__}"


def untyped_storage(input: Tensor) -> UntypedStorage:
    """The memory behind the tensor."""
    return UntypedStorage(input)


def storage(input: Tensor) -> TypedStorage:
    """The memory behind the tensor, as elements."""
    return TypedStorage(input)


def is_set_to(input: Tensor, tensor: Any) -> bool:
    """One storage, offset, shape and layout."""
    other = tensor_of("is_set_to", "tensor", tensor)
    ours, theirs = (
        (x.dtype, _core.storage_info(x)[0], x.storage_offset(), x.shape, x.stride())
        for x in (input, other)
    )
    return ours == theirs


def new_empty_strided(input: Tensor, size: Any, stride: Any, **options: Any) -> Tensor:
    """Room for a layout, of the tensor's dtype on its device."""
    function = "new_empty_strided"
    given = {name: value for name, value in options.items() if value is not None}
    return _with_strides(
        function, size, stride, {"dtype": input.dtype, "device": input.device, **given}
    )


def _with_strides(function: str, size: Any, stride: Any, options: dict[str, Any]) -> Tensor:
    sizes, steps = (
        [int_from(function, name, n, 0) for n in ints_of(function, name, value)]
        for name, value in (("size", size), ("stride", stride))
    )
    if len(sizes) != len(steps):
        raise ArgumentError(f"{function}: there are {len(sizes)} sizes and {len(steps)} strides")
    record = bool_of(function, "requires_grad", options.pop("requires_grad", False))
    last = sum((n - 1) * step for n, step in zip(sizes, steps, strict=True))
    room = _core.empty(0 if 0 in sizes else last + 1, **options)
    return room.as_strided(sizes, steps).requires_grad_(record)


# ---- in place ----


def t_(input: Tensor) -> Tensor:
    """Transposed."""
    return _reshaped("t_", input, input.detach().t())


def squeeze_(input: Tensor, dim: Any = None) -> Tensor:
    """Without dimensions of one element."""
    plain = input.detach()
    return _reshaped("squeeze_", input, plain.squeeze() if dim is None else plain.squeeze(dim))


def unsqueeze_(input: Tensor, dim: Any) -> Tensor:
    """With a dimension more."""
    return _reshaped("unsqueeze_", input, input.detach().unsqueeze(dim))


def resize_(input: Tensor, sizes: Any) -> Tensor:
    """Of another shape; the first elements stay."""
    if not sizes:
        raise TypeError("resize_: argument 'sizes' is missing, e.g. x.resize_(2, 3)")
    shape = ints_of("resize_", "sizes", sizes)
    room = _core.empty(shape, dtype=input.dtype, device=input.device)
    flat, kept = input.detach().reshape(-1), min(room.numel(), input.numel())
    if input.is_contiguous() and room.numel() <= input.numel():
        return _reshaped("resize_", input, flat[: room.numel()].reshape(shape))
    room.reshape(-1)[:kept] = flat[:kept]
    return _reshaped("resize_", input, room)


def set_(input: Tensor, source: Any) -> Tensor:
    """Over the memory of another tensor."""
    return _reshaped("set_", input, tensor_of("set_", "source", source).detach())


def _reshaped(function: str, input: Tensor, other: Tensor) -> Tensor:
    if input.requires_grad:
        raise AutogradError(
            f"{function}: the tensor is part of a graph, whose shapes must stay. "
            f"Use x = x.{function.removesuffix('_')}(…)"
        )
    changed = function != "resize_" or input.shape != other.shape
    input.data = other
    if changed:
        _core.increment_version(input)
    return input
