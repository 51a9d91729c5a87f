"""What a call gave in one library: values, dtypes, shapes, shared memory, gradients, or the error."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .arguments import Array, Call, Dtype, NumpyArray, PythonType, apply_view


@dataclass
class Leaf:
    """One tensor of a result."""

    dtype: str
    values: np.ndarray
    requires_grad: bool = False
    stride: tuple[int, ...] | None = None


@dataclass
class Outcome:
    """A result as a tree of leaves and plain values, or an error."""

    error: BaseException | None = None
    tree: Any = None
    inputs: list[Leaf] = field(default_factory=list)
    shares: frozenset[tuple[int, int]] = frozenset()
    identical: frozenset[tuple[int, int]] = frozenset()
    gradients: list[Any] | None = None
    gradient_error: BaseException | None = None

    def leaves(self) -> list[Leaf]:
        """The tensors of the result in their order."""
        return [value for value in flattened(self.tree) if isinstance(value, Leaf)]


def flattened(tree: Any) -> list[Any]:
    """What stands at the ends of a tree of tuples."""
    if isinstance(tree, tuple):
        return [leaf for part in tree for leaf in flattened(part)]
    return [tree]


class Library:
    """gpukit or a peer: makes tensors of descriptions and reads them back."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        import importlib

        self.name, self.device = name, device
        self.module = importlib.import_module(name)
        self.root = importlib.import_module(name.partition(".")[0])
        self.creates_on: dict[str, Any] = {} if device == "cpu" else {"device": device}
        self.announce: Callable[[str], None] = lambda name: None  # told before each call

    @property
    def tensor_type(self) -> type:
        """The class of tensors."""
        return np.ndarray if self.name == "numpy" else self.root.Tensor  # type: ignore[no-any-return]

    def dtype(self, name: str) -> Any:
        """The library's dtype of this name."""
        return getattr(self.module, name)

    def base(self, array: Array) -> Any:
        """A tensor of the storage's values."""
        data = array.data.copy()
        if self.name == "numpy":
            return data
        if self.name == "torch":
            made = self.module.from_numpy(data)
        else:
            made = self.root.tensor(data, **self.creates_on)
        return made.to(self.root.bfloat16) if array.dtype == "bfloat16" else made

    def read(self, tensor: Any) -> np.ndarray:
        """The values as NumPy's, bfloat16 as float32."""
        if self.name == "numpy":
            return np.array(tensor)
        tensor = tensor.detach()
        if self.device != "cpu":
            tensor = tensor.cpu()
        if "bfloat16" in str(tensor.dtype):
            tensor = tensor.to(self.root.float32)
        return np.array(tensor.numpy())

    def storage(self, tensor: Any) -> int:
        """Where a tensor's memory begins; 0 for one without elements."""
        if self.name == "numpy" or not tensor.numel():
            return 0
        if self.name == "torch":
            return int(tensor.untyped_storage().data_ptr())
        return int(tensor.data_ptr()) - int(tensor.storage_offset()) * int(tensor.itemsize)

    def is_tensor(self, value: Any) -> bool:
        """Whether a value is a tensor of this library."""
        return isinstance(value, self.tensor_type) or (
            self.name == "numpy" and isinstance(value, np.generic)
        )


def numpy_view(array: np.ndarray, view: tuple[Any, ...]) -> np.ndarray:
    """The same step for an array of NumPy's."""
    name, *rest = view
    if name == "transpose":
        return array.swapaxes(*rest)
    return np.broadcast_to(array, rest[0]) if name == "expand" else apply_view(array, view)


class Run:
    """One call in one library."""

    def __init__(self, call: Call, library: Library) -> None:
        self.call, self.library = call, library
        self.made: list[tuple[Array, Any, Any]] = []

    def realized(self, value: Any) -> Any:
        """The library's own object."""
        if isinstance(value, Array):
            return self._tensor(value)
        if isinstance(value, Dtype):
            return self.library.dtype(value.name)
        if isinstance(value, PythonType):
            return value.kind
        if isinstance(value, NumpyArray):
            return value.data.copy()
        if isinstance(value, list | tuple):
            return type(value)(map(self.realized, value))
        return value

    def _tensor(self, array: Array) -> Any:
        base = self.library.base(array)
        if array.requires_grad:
            base.requires_grad_(True)
        tensor = base
        for view in array.views:
            tensor = (
                apply_view(tensor, view)
                if self.library.name != "numpy"
                else numpy_view(tensor, view)
            )
        self.made.append((array, base, tensor))
        return tensor

    def result(self) -> Any:
        """Make the call."""
        call = self.call
        arguments = [self.realized(value) for value in call.arguments]
        keywords = {key: self.realized(value) for key, value in call.keywords.items()}
        path = call.name if self.library.name.startswith("gpukit") else call.peer
        if call.form == "method" and self.library.name == "torch" and _is_function(path):
            return self._function(path, arguments, keywords)
        if call.form == "method":
            return getattr(arguments[0], path)(*arguments[1:], **keywords)
        if call.form == "property":
            return getattr(arguments[0], path)
        if call.form == "get":
            return arguments[0][arguments[1]]
        if call.form == "set":
            arguments[0][arguments[1]] = arguments[2]
            return arguments[0]
        if "operator" in call.form:
            return getattr(operator, path)(*arguments)
        return self._function(path, arguments, keywords)

    def _function(self, path: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        function: Any = self.library.module
        for part in path.split("."):
            function = getattr(function, part)
        if self.library.creates_on and not self.made and path not in _WITHOUT_DEVICE:
            keywords = {**keywords, **self.library.creates_on}
        if self.library.name == "torch":
            renamed = TORCH_NAMES.get(path, {})
            keywords = {renamed.get(key, key): value for key, value in keywords.items()}
        return function(*arguments, **keywords)


# Names of arguments that are gpukit's (the array API's), and torch's names of the same.
TORCH_NAMES = {
    "linalg.vecdot": {"input": "x", "other": "y"},
    "tensordot": {"input": "a", "other": "b"},
}


def _is_function(path: str) -> bool:
    return "." in path or path == "tensordot"


_WITHOUT_DEVICE = {"broadcast_shapes", "can_cast", "promote_types", "result_type"}


def outcome(call: Call, library: Library) -> Outcome:
    """Make a call and note all that can be compared."""
    library.announce(library.name)
    run = Run(call, library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = run.result()
        except Exception as error:
            return Outcome(error=error)
        try:
            return _noted(run, result)
        except Exception as error:
            return Outcome(error=error)


def _noted(run: Run, result: Any) -> Outcome:
    library = run.library
    tensors: list[Any] = []
    tree = _tree(result, library, tensors)
    storages = [library.storage(made) for _, _, made in run.made]
    shares, identical = set(), set()
    for place, tensor in enumerate(tensors):
        where = library.storage(tensor)
        for argument, (_, _, made) in enumerate(run.made):
            if tensor is made:
                identical.add((place, argument))
            if where and where == storages[argument]:
                shares.add((place, argument))
    found = Outcome(tree=tree, shares=frozenset(shares), identical=frozenset(identical))
    found.inputs = [_leaf(made, library) for _, _, made in run.made]
    if run.call.differentiates:
        _differentiate(found, run, tensors)
    return found


def _tree(value: Any, library: Library, tensors: list[Any]) -> Any:
    if library.is_tensor(value):
        tensors.append(value if library.name != "numpy" else np.asarray(value))
        return _leaf(value, library)
    if isinstance(value, tuple | list):  # a named pair counts as a tuple
        return tuple(_tree(part, library, tensors) for part in value)
    if isinstance(value, np.ndarray):
        return Leaf(str(value.dtype), value)
    text = str(type(value))
    if "dtype" in text:
        return str(value).rpartition(".")[2]
    if "device" in text:
        return str(value)
    return value


def _leaf(tensor: Any, library: Library) -> Leaf:
    name = str(tensor.dtype).rpartition(".")[2]
    if library.name == "numpy":
        return Leaf(name, library.read(tensor))
    return Leaf(name, library.read(tensor), bool(tensor.requires_grad), tuple(tensor.stride()))


def weights_for(shape: tuple[int, ...]) -> np.ndarray:
    """What a result is multiplied with before its gradients are taken: exact in every dtype."""
    count = int(np.prod(shape, dtype=np.int64))
    return np.resize(np.array([1.0, -0.5, 2.0, 0.25, -1.0]), count).reshape(shape)


def _differentiate(found: Outcome, run: Run, tensors: list[Any]) -> None:
    library = run.library
    total: Any = None
    try:
        for tensor in tensors:
            if tensor.requires_grad:
                weights = weights_for(tuple(tensor.shape)).astype(np.float32)
                factor = library.base(Array("float32", weights)).to(tensor.dtype)
                part = (tensor * factor).sum()
                total = part if total is None else total + part.to(total.dtype)
        if total is None:
            return
        total.backward()
        found.gradients = [
            None if base.grad is None else _leaf(base.grad, library)
            for array, base, _ in run.made
            if array.requires_grad
        ]
    except Exception as error:
        found.gradient_error = error
