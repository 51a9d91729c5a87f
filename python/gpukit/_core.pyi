"""
gpukit's compiled part. Private: use the names of gpukit.
"""

from __future__ import annotations
import builtins
import builtins
import collections.abc
import numpy
import typing

__all__: list[str] = [
    "CUDAGraph",
    "Event",
    "ExternalStream",
    "Generator",
    "GraphNode",
    "ModuleBase",
    "RemovableHandle",
    "Stream",
    "Tensor",
    "WaitLog",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "adam_step",
    "add",
    "addmm",
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_tensor",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "autograd_grad",
    "begin_count",
    "bernoulli",
    "bfloat16",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "block_of",
    "bmm",
    "bool",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "build_info",
    "can_access_peer",
    "can_cast",
    "cat",
    "cbrt",
    "ceil",
    "chunk",
    "clamp",
    "clear_gradients",
    "clip",
    "clone",
    "concat",
    "concatenate",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cpu_simd",
    "crc32",
    "cross_entropy",
    "cuda_device_count",
    "cuda_is_simulated",
    "cumprod",
    "cumsum",
    "current_cuda_index",
    "current_graph",
    "current_stream",
    "default_generator",
    "default_stream",
    "device",
    "device_properties",
    "device_use",
    "diag",
    "diagonal",
    "diff",
    "div",
    "divide",
    "dot",
    "double",
    "driver_report",
    "dtype",
    "dtype_rows",
    "einsum",
    "elementwise_names",
    "elementwise_operators",
    "embedding_rows",
    "empty",
    "empty_cache",
    "empty_like",
    "end_count",
    "entry_points",
    "environment_table",
    "environment_text",
    "eq",
    "equal",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "flatten",
    "flip",
    "float",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "ge",
    "gelu",
    "generator_at",
    "get_default_device",
    "get_default_dtype",
    "get_float32_matmul_precision",
    "get_num_threads",
    "greater",
    "greater_equal",
    "gt",
    "half",
    "hstack",
    "hypot",
    "in_forked_child",
    "index_add",
    "index_select",
    "initial_seed",
    "install_command",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "kernel_images",
    "layer_norm",
    "le",
    "less",
    "less_equal",
    "linear",
    "linear_relu",
    "linspace",
    "live_counts",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "long",
    "lt",
    "manual_seed",
    "mark_exiting",
    "masked_fill",
    "masked_select",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "mem_get_info",
    "memory_limit",
    "memory_stats",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "moveaxis",
    "movedim",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "nan_to_num",
    "narrow",
    "ne",
    "nearest_name",
    "neg",
    "negative",
    "nextafter",
    "nonzero",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "nvml_places",
    "ones",
    "ones_like",
    "outer",
    "permute",
    "permute_dims",
    "pick_classes",
    "pinned_memory_stats",
    "pop_allowed_wait",
    "positive",
    "pow",
    "prepare_cuda",
    "prod",
    "promote_types",
    "push_allowed_wait",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "reciprocal",
    "relu",
    "remainder",
    "repeat_interleave",
    "replace_session",
    "reset_peak_memory_stats",
    "reset_session",
    "reshape",
    "result_type",
    "return_type",
    "roll",
    "round",
    "rsqrt",
    "scatter",
    "scatter_add",
    "searchsorted",
    "seed",
    "selected_pool",
    "session_id",
    "session_is_open",
    "set_cpu_blas_path",
    "set_current_cuda",
    "set_default_device",
    "set_default_dtype",
    "set_float32_matmul_precision",
    "set_grad_mode",
    "set_inference_mode",
    "set_inner_folders",
    "set_library_folders",
    "set_memory_limit",
    "set_num_threads",
    "set_pool",
    "set_stream",
    "sgd_step",
    "short",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "square",
    "squared_error",
    "squeeze",
    "stack",
    "std",
    "storage_info",
    "storage_view",
    "sub",
    "subtract",
    "sum",
    "swapaxes",
    "switch_cuda_index",
    "synchronize",
    "t",
    "take",
    "take_along_dim",
    "tan",
    "tanh",
    "tensor",
    "tensor_from_bytes",
    "tensordot",
    "tile",
    "topk",
    "torch_advice",
    "trace",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unbind",
    "unique",
    "unsqueeze",
    "unstack",
    "var",
    "vecdot",
    "vstack",
    "wait_kinds",
    "where",
    "with_slopes",
    "zeros",
    "zeros_like",
]

class dtype:
    """
    Type of a tensor's elements: gpukit.float32, int64, bool and so on.

    `dtype(x)` gives the one object that stands for a name, a NumPy dtype or a dtype.

    Args:
        dtype: a name, a NumPy dtype, bool, int, float, or a dtype.

    Raises:
        DTypeError: gpukit has no such dtype.

    Example:
        >>> import gpukit
        >>> gpukit.dtype('float32') is gpukit.float32, gpukit.float32.itemsize
        (True, 4)
    """

    @staticmethod
    def __init__(*args: typing.Any, **kwargs: typing.Any):
        """
        init(self: object, dtype: object) -> None
        """

    @classmethod
    def __new__(cls: typing.Any, dtype: typing.Any) -> typing.Any: ...
    def __reduce__(self) -> str: ...
    def __repr__(self) -> str: ...
    @property
    def is_floating_point(self) -> builtins.bool:
        """
        True for float16, bfloat16, float32 and float64.
        """

    @property
    def is_signed(self) -> builtins.bool:
        """
        True when negative values exist.
        """

    @property
    def itemsize(self) -> builtins.int:
        """
        Bytes of one element.
        """

    @property
    def name(self) -> str:
        """
        The name, e.g. 'float32'.
        """

class device:
    """
    Where a tensor lives: device('cpu'), device('cuda:1'), device('cuda', 1), device(1).

    Immutable and hashable. Naming a device checks only the text; an absent one fails when it
    is used. As a context manager it is where new tensors go.

    Args:
        type: 'cpu', 'cuda' ('gpu' is the same), with or without ':index'; an index; or a device.
        index: the index, if the text has none.

    Raises:
        InvalidDeviceError: it is no device.

    Example:
        >>> import gpukit
        >>> gpukit.device('cuda', 1)
        device(type='cuda', index=1)
        >>> str(gpukit.device('gpu:0'))
        'cuda:0'
    """

    def __enter__(self) -> typing.Any: ...
    def __eq__(self, arg0: typing.Any) -> builtins.bool: ...
    def __exit__(self, *args: typing.Any) -> None: ...
    def __hash__(self) -> builtins.int: ...
    def __init__(self, type: typing.Any, index: typing.Any = None) -> None: ...
    def __reduce__(self) -> tuple[builtins.type, tuple[str, typing.Any]]: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def resolve(self) -> device:
        """
        The same device with its index filled in: device('cuda') is the current one.
        """

    @property
    def index(self) -> typing.Any:
        """
        The index, or None for the CPU and for 'the current one'.
        """

    @property
    def simulated(self) -> builtins.bool:
        """
        True when the device is simulated on the CPU.
        """

    @property
    def type(self) -> str:
        """
        'cpu' or 'cuda'.
        """

class Generator:
    """
    A sequence of random numbers with a seed and a position.

    The numbers depend on neither the device nor the number of threads.

    Args:
        device: taken for torch's sake; the numbers are the same on all.

    Example:
        >>> import gpukit
        >>> g = gpukit.Generator().manual_seed(1)
        >>> h = gpukit.Generator().manual_seed(1)
        >>> gpukit.equal(gpukit.rand(3, generator=g), gpukit.rand(3, generator=h))
        True
    """

    def __getstate__(self) -> bytes: ...
    def __init__(self, device: typing.Any = None) -> None: ...
    def __reduce__(self) -> tuple[typing.Any, ...]: ...
    def get_state(self) -> bytes:
        """
        Seed and position as bytes, for set_state.
        """

    def initial_seed(self) -> builtins.int:
        """
        The seed set last.
        """

    def manual_seed(self, seed: typing.Any) -> typing.Any:
        """
        Sets the seed and goes to the start; gives the generator itself.

        Args:
            seed: an int.

        Returns:
            the generator itself.

        Raises:
            TypeError: seed is no int.
        """

    def seed(self) -> builtins.int:
        """
        Takes a seed from the system and returns it.
        """

    def set_state(self, state: typing.Any) -> typing.Any:
        """
        Goes back to what get_state() gave.

        Args:
            state: those bytes.

        Raises:
            TypeError: it is something else.
        """

    @property
    def device(self) -> device:
        """
        The device it was made for; its numbers are the same on all.
        """

class Tensor:
    """
    A multi-dimensional array of one dtype on one device.

    Made by gpukit.tensor(), zeros(), rand() and the other creation functions, never by Tensor(...).
    Operators and methods check shapes, dtypes and devices and raise ShapeError, DTypeError or
    DeviceMismatchError; work on a GPU is queued, and reading a value waits for it.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x.shape, x.dtype, str(x.device)
        ((2, 2), gpukit.float32, 'cpu')
    """

    @staticmethod
    def __new__(type, *args: typing.Any, **kwargs: typing.Any) -> Tensor:
        """
        Create and return a new object.  See help(type) for accurate signature.
        """

    @staticmethod
    def __torch_function__(*args: typing.Any, **kwargs: typing.Any) -> Tensor:
        """
        Called by torch's functions for a gpukit tensor: raises TypeError with what to import.
        """

    def __abs__(self) -> Tensor:
        """
        abs(self)
        """

    def __add__(self, value: typing.Any) -> Tensor:
        """
        Return self+value.
        """

    def __and__(self, value: typing.Any) -> Tensor:
        """
        Return self&value.
        """

    def __array__(self, dtype: typing.Any = None, copy: typing.Any = None) -> typing.Any:
        """
        What numpy.asarray asks for.
        """

    def __array_namespace__(self, *, api_version: typing.Any = None) -> typing.Any:
        """
        The module gpukit.array_api: the array API standard over this library.
        """

    def __await__(self) -> collections.abc.Generator[typing.Any, None, Tensor]:
        """
        Return an iterator to be used in await expression.
        """

    def __bool__(self) -> builtins.bool:
        """
        True if self else False
        """

    def __complex__(self) -> complex:
        """
        The one element as a complex number.
        """

    def __contains__(self, key: typing.Any) -> builtins.bool:
        """
        Return key in self.
        """

    def __copy__(self) -> Tensor:
        """
        A new tensor over the same memory.
        """

    def __deepcopy__(self, memo: typing.Any) -> Tensor:
        """
        A copy with memory of its own.
        """

    def __delattr__(self, name: typing.Any) -> None:
        """
        Implement delattr(self, name).
        """

    def __delitem__(self, key: typing.Any) -> None:
        """
        Delete self[key].
        """

    def __dlpack__(
        self,
        *,
        stream: typing.Any = None,
        max_version: typing.Any = None,
        dl_device: typing.Any = None,
        copy: typing.Any = None,
    ) -> typing.Any:
        """
        A DLPack capsule over the tensor's memory, for other libraries' from_dlpack.

        stream: the consumer's CUDA stream, which waits for the tensor's work (None: the legacy one, -1: no waiting).
        Raises BufferError for simulated devices, tensors that require a gradient, and copies that copy=False forbids.
        """

    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        """
        (DLPack device type, index) of the tensor.
        """

    def __eq__(self, value: typing.Any) -> Tensor:  # type: ignore[override]
        """
        Return self==value.
        """

    def __float__(self) -> builtins.float:
        """
        float(self)
        """

    def __floordiv__(self, value: typing.Any) -> Tensor:
        """
        Return self//value.
        """

    def __format__(self, format_spec: typing.Any) -> str:
        """
        A 0-d tensor formats as its number.
        """

    def __ge__(self, value: typing.Any) -> Tensor:
        """
        Return self>=value.
        """

    def __getitem__(self, key: typing.Any) -> Tensor:
        """
        Return self[key].
        """

    def __gt__(self, value: typing.Any) -> Tensor:
        """
        Return self>value.
        """

    def __hash__(self) -> builtins.int:
        """
        Return hash(self).
        """

    def __iadd__(self, value: typing.Any) -> Tensor:
        """
        Return self+=value.
        """

    def __iand__(self, value: typing.Any) -> Tensor:
        """
        Return self&=value.
        """

    def __ifloordiv__(self, value: typing.Any) -> Tensor:
        """
        Return self//=value.
        """

    def __ilshift__(self, value: typing.Any) -> Tensor:
        """
        Return self<<=value.
        """

    def __imod__(self, value: typing.Any) -> Tensor:
        """
        Return self%=value.
        """

    def __imul__(self, value: typing.Any) -> Tensor:
        """
        Return self*=value.
        """

    def __index__(self) -> builtins.int:
        """
        Return self converted to an integer, if self is suitable for use as an index into a list.
        """

    def __int__(self) -> builtins.int:
        """
        int(self)
        """

    def __invert__(self) -> Tensor:
        """
        ~self
        """

    def __ior__(self, value: typing.Any) -> Tensor:
        """
        Return self|=value.
        """

    def __ipow__(self, value: typing.Any) -> Tensor:  # type: ignore[misc]
        """
        Return self**=value.
        """

    def __irshift__(self, value: typing.Any) -> Tensor:
        """
        Return self>>=value.
        """

    def __isub__(self, value: typing.Any) -> Tensor:
        """
        Return self-=value.
        """

    def __iter__(self) -> collections.abc.Iterator[Tensor]:
        """
        Implement iter(self).
        """

    def __itruediv__(self, value: typing.Any) -> Tensor:
        """
        Return self/=value.
        """

    def __ixor__(self, value: typing.Any) -> Tensor:
        """
        Return self^=value.
        """

    def __le__(self, value: typing.Any) -> Tensor:
        """
        Return self<=value.
        """

    def __len__(self) -> builtins.int:
        """
        Return len(self).
        """

    def __lshift__(self, value: typing.Any) -> Tensor:
        """
        Return self<<value.
        """

    def __lt__(self, value: typing.Any) -> Tensor:
        """
        Return self<value.
        """

    def __matmul__(self, value: typing.Any) -> Tensor:
        """
        Return self@value.
        """

    def __mod__(self, value: typing.Any) -> Tensor:
        """
        Return self%value.
        """

    def __mul__(self, value: typing.Any) -> Tensor:
        """
        Return self*value.
        """

    def __ne__(self, value: typing.Any) -> Tensor:  # type: ignore[override]
        """
        Return self!=value.
        """

    def __neg__(self) -> Tensor:
        """
        -self
        """

    def __or__(self, value: typing.Any) -> Tensor:
        """
        Return self|value.
        """

    def __pos__(self) -> Tensor:
        """
        +self
        """

    def __pow__(self, value: typing.Any, mod: typing.Any = None) -> Tensor:
        """
        Return pow(self, value, mod).
        """

    def __radd__(self, value: typing.Any) -> Tensor:
        """
        Return value+self.
        """

    def __rand__(self, value: typing.Any) -> Tensor:
        """
        Return value&self.
        """

    def __reduce_ex__(self, protocol: typing.Any) -> tuple[typing.Any, ...]:
        """
        How to pickle: dtype, shape and bytes.
        """

    def __repr__(self) -> str:
        """
        Return repr(self).
        """

    def __rfloordiv__(self, value: typing.Any) -> Tensor:
        """
        Return value//self.
        """

    def __rlshift__(self, value: typing.Any) -> Tensor:
        """
        Return value<<self.
        """

    def __rmatmul__(self, value: typing.Any) -> Tensor:
        """
        Return value@self.
        """

    def __rmod__(self, value: typing.Any) -> Tensor:
        """
        Return value%self.
        """

    def __rmul__(self, value: typing.Any) -> Tensor:
        """
        Return value*self.
        """

    def __ror__(self, value: typing.Any) -> Tensor:
        """
        Return value|self.
        """

    def __rpow__(self, value: typing.Any, mod: typing.Any = None) -> Tensor:
        """
        Return pow(value, self, mod).
        """

    def __rrshift__(self, value: typing.Any) -> Tensor:
        """
        Return value>>self.
        """

    def __rshift__(self, value: typing.Any) -> Tensor:
        """
        Return self>>value.
        """

    def __rsub__(self, value: typing.Any) -> Tensor:
        """
        Return value-self.
        """

    def __rtruediv__(self, value: typing.Any) -> Tensor:
        """
        Return value/self.
        """

    def __rxor__(self, value: typing.Any) -> Tensor:
        """
        Return value^self.
        """

    def __setattr__(self, name: typing.Any, value: typing.Any) -> None:
        """
        Implement setattr(self, name, value).
        """

    def __setitem__(self, key: typing.Any, value: typing.Any) -> None:
        """
        Set self[key] to value.
        """

    def __sub__(self, value: typing.Any) -> Tensor:
        """
        Return self-value.
        """

    def __truediv__(self, value: typing.Any) -> Tensor:
        """
        Return self/value.
        """

    def __xor__(self, value: typing.Any) -> Tensor:
        """
        Return self^value.
        """

    def abs(self, *, out: typing.Any = None) -> Tensor:
        """
        Absolute value.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.abs(gpukit.tensor([-1.5, 2.0]))
            tensor([1.5000, 2.0000])
        """

    def abs_(self) -> Tensor:
        """
        In place: Absolute value.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([-1.0, 2.0]).abs_()
            tensor([1., 2.])
        """

    def absolute(self, *, out: typing.Any = None) -> Tensor:
        """
        The same as abs.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.absolute(gpukit.tensor([-1.5, 2.0]))
            tensor([1.5000, 2.0000])
        """

    def absolute_(self) -> Tensor:
        """
        The same as abs_.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.absolute_() is x
            True
        """

    def acos(self, *, out: typing.Any = None) -> Tensor:
        """
        Inverse cosine, in radians.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.acos(gpukit.tensor([1.0, 0.0]))
            tensor([0.0000, 1.5708])
        """

    def acos_(self) -> Tensor:
        """
        In place: Inverse cosine, in radians.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.acos_() is x
            True
        """

    def acosh(self, *, out: typing.Any = None) -> Tensor:
        """
        Inverse hyperbolic cosine.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.acosh(gpukit.tensor([1.0, 2.0]))
            tensor([0.0000, 1.3170])
        """

    def acosh_(self) -> Tensor:
        """
        In place: Inverse hyperbolic cosine.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.acosh_() is x
            True
        """

    def add(self, other: typing.Any, *, alpha: typing.Any = 1, out: typing.Any = None) -> Tensor:
        """
        input + alpha * other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            alpha: a number that other is multiplied by first, in the dtype of the result.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype that both have in common, where numbers count by their kind only.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.
            RangeError: alpha does not fit into the result's dtype.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.add(gpukit.ones(2), 1)
            tensor([2., 2.])
        """

    def add_(self, other: typing.Any, *, alpha: typing.Any = 1) -> Tensor:
        """
        In place: input + alpha * other.

        Args:
            other: a tensor that broadcasts to this one, or a number.
            alpha: a number that other is multiplied by first, in the dtype that both have in common.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.
            RangeError: alpha does not fit into that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).add_(3, alpha=2)
            tensor([7., 7.])
        """

    def addmm(
        self,
        mat1: typing.Any,
        mat2: typing.Any,
        *,
        beta: typing.Any = 1,
        alpha: typing.Any = 1,
        out: typing.Any = None,
    ) -> Tensor:
        """
        beta * input + alpha * mat1 @ mat2; input broadcasts.

        Args:
            mat1: (n, m), of input's dtype.
            mat2: (m, p), of input's dtype.
            beta: a number; whole for integers.
            alpha: a number; whole for integers.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            (n, p), input's dtype.

        Raises:
            ShapeError: sizes do not fit.
            DTypeError: dtypes differ, or a factor is not whole.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.addmm(gpukit.ones(2), gpukit.eye(2), gpukit.eye(2))
            tensor([[2., 1.],
                    [1., 2.]])
        """

    def all(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
    ) -> Tensor:
        """
        True when no element is 0.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; bool.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.all(gpukit.tensor([True, False]))
            tensor(False)
        """

    def allclose(
        self,
        other: typing.Any,
        rtol: typing.Any = 1e-05,
        atol: typing.Any = 1e-08,
        equal_nan: typing.Any = False,
    ) -> builtins.bool:
        """
        True when all elements are close. Waits for the answer.

        Args:
            other: a tensor that broadcasts with input.
            rtol: tolerance relative to |other|.
            atol: absolute tolerance.
            equal_nan: whether NaN is close to NaN.

        Returns:
            a Python bool: whether all are close.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.

        Example:
            >>> import gpukit
            >>> gpukit.allclose(gpukit.ones(2), gpukit.ones(2) + 1e-7)
            True
        """

    def amax(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
    ) -> Tensor:
        """
        Largest elements over dim, which may be a tuple.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.
            DimensionError: there are no elements to choose from.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.amax(gpukit.tensor([[1, 5], [3, 2]]), dim=1)
            tensor([5, 3])
        """

    def amin(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
    ) -> Tensor:
        """
        Smallest elements over dim, which may be a tuple.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.
            DimensionError: there are no elements to choose from.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.amin(gpukit.tensor([[1, 5], [3, 2]]), dim=1)
            tensor([1, 2])
        """

    def any(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
    ) -> Tensor:
        """
        True when an element is not 0.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; bool.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.any(gpukit.tensor([[True, False], [False, False]]), dim=1)
            tensor([ True, False])
        """

    def argmax(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
    ) -> Tensor:
        """
        Place of the largest element, the first of equal ones; int64.

        Args:
            dim: a dimension, or None for the place in the flattened tensor.
            keepdim: keep reduced dimensions as dimensions of size 1.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without dimension dim; int64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DimensionError: there are no elements to choose from.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.argmax(gpukit.tensor([1.0, 5.0, 2.0])).item()
            1
        """

    def argmin(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
    ) -> Tensor:
        """
        Place of the smallest element, the first of equal ones; int64.

        Args:
            dim: a dimension, or None for the place in the flattened tensor.
            keepdim: keep reduced dimensions as dimensions of size 1.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without dimension dim; int64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DimensionError: there are no elements to choose from.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.argmin(gpukit.tensor([4.0, 1.0, 2.0])).item()
            1
        """

    def argsort(
        self, dim: typing.Any = -1, descending: typing.Any = False, stable: typing.Any = True
    ) -> Tensor:
        """
        Places of the elements in order along dim.

        Args:
            dim: the dimension, counted from the end when negative.
            descending: the largest first.
            stable: taken for torch's sake; equal elements always keep their order.

        Returns:
            sort (values, indices), argsort the indices: input's shape; input's dtype and int64.

        Raises:
            IndexError: dim is not a dimension of the tensor.

        Example:
            >>> import gpukit
            >>> gpukit.argsort(gpukit.tensor([3, 1, 2]))
            tensor([1, 2, 0])
        """

    def argwhere(self) -> Tensor:
        """
        The same as nonzero.

        Returns:
            (count, ndim), int64; rows in the order of the elements.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.argwhere(gpukit.tensor([0, 5]))
            tensor([[1]])
        """

    def as_subclass(self, cls: typing.Any) -> Tensor:
        """
        The same elements as an object of a subclass of Tensor.

        Args:
            cls: a subclass of gpukit.Tensor.

        Returns:
            an object of cls over the same memory.

        Raises:
            TypeError: cls is none.

        Example:
            >>> import gpukit
            >>> Named = type("Named", (gpukit.Tensor,), {})
            >>> type(gpukit.ones(1).as_subclass(Named)).__name__
            'Named'
        """

    def asin(self, *, out: typing.Any = None) -> Tensor:
        """
        Inverse sine, in radians.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.asin(gpukit.tensor([0.0, 1.0]))
            tensor([0.0000, 1.5708])
        """

    def asin_(self) -> Tensor:
        """
        In place: Inverse sine, in radians.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.asin_() is x
            True
        """

    def asinh(self, *, out: typing.Any = None) -> Tensor:
        """
        Inverse hyperbolic sine.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.asinh(gpukit.tensor([0.0, 1.0]))
            tensor([0.0000, 0.8814])
        """

    def asinh_(self) -> Tensor:
        """
        In place: Inverse hyperbolic sine.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.asinh_() is x
            True
        """

    def atan(self, *, out: typing.Any = None) -> Tensor:
        """
        Inverse tangent, in radians.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.atan(gpukit.tensor([0.0, 1.0]))
            tensor([0.0000, 0.7854])
        """

    def atan2(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Angle of the point (other, input) in radians, from -pi to pi.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.atan2(gpukit.tensor([1.0]), gpukit.tensor([-1.0]))
            tensor([2.3562])
        """

    def atan2_(self, other: typing.Any) -> Tensor:
        """
        In place: Angle of the point (other, input) in radians, from -pi to pi.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.atan2_(2) is x
            True
        """

    def atan_(self) -> Tensor:
        """
        In place: Inverse tangent, in radians.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.atan_() is x
            True
        """

    def atanh(self, *, out: typing.Any = None) -> Tensor:
        """
        Inverse hyperbolic tangent.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.atanh(gpukit.tensor([0.0, 0.5]))
            tensor([0.0000, 0.5493])
        """

    def atanh_(self) -> Tensor:
        """
        In place: Inverse hyperbolic tangent.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.atanh_() is x
            True
        """

    def backward(
        self,
        gradient: typing.Any = None,
        retain_graph: typing.Any = None,
        create_graph: typing.Any = False,
    ) -> None:
        """
        Adds the gradient of this tensor to .grad of every leaf that it was computed from.

        Args:
            gradient: of the tensor's shape, dtype and device; needed unless it has one element.
            retain_graph: keep the graph for a second call; None is create_graph.
            create_graph: record the pass, so that gradients have gradients; with a warning, since .grad then holds its own tensor.

        Returns:
            None.

        Raises:
            AutogradError: the tensor has no graph, its graph was used before, or a tensor saved in it was changed in place.
            ShapeError: gradient has another shape.
            DTypeError: gradient has another dtype.
            DeviceMismatchError: gradient is on another device.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, requires_grad=True)
            >>> (x * 3).sum().backward()
            >>> x.grad
            tensor([3., 3.])
        """

    def bernoulli(self, *, generator: typing.Any = None) -> Tensor:
        """
        1 with the probability that input names, else 0.

        Args:
            generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.

        Returns:
            input's shape and dtype.

        Raises:
            DTypeError: input is not floating.
            ValueError: on the CPU, one lies outside 0 to 1.

        Example:
            >>> import gpukit
            >>> gpukit.bernoulli(gpukit.tensor([0.0, 1.0]))
            tensor([0., 1.])
        """

    def bfloat16(self) -> Tensor:
        """
        Converted to bfloat16.

        Returns:
            the same shape; itself when it has that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).bfloat16().dtype
            gpukit.bfloat16
        """

    def bincount(self, weights: typing.Any = None, minlength: typing.Any = 0) -> Tensor:
        """
        How often each number from 0 on occurs, or the sum of the weights beside it. Waits for the largest.

        Args:
            weights: as many numbers, or None.
            minlength: the least length of the result.

        Returns:
            1-d; int64, or floating with weights.

        Raises:
            ShapeError: input is not 1-d, or weights have another length.
            DTypeError: input is not of integers.
            ValueError: a number or minlength is negative.

        Example:
            >>> import gpukit
            >>> gpukit.bincount(gpukit.tensor([0, 2, 2]))
            tensor([1, 0, 2])
        """

    def bitwise_and(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Bitwise AND; logical AND for bool.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the integer dtype in common, or bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: one is floating, or the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.bitwise_and(gpukit.tensor([6]), gpukit.tensor([3]))
            tensor([2])
        """

    def bitwise_and_(self, other: typing.Any) -> Tensor:
        """
        In place: Bitwise AND; logical AND for bool.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, dtype=gpukit.int64)
            >>> x.bitwise_and_(2) is x
            True
        """

    def bitwise_left_shift(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Left shift by other bits.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the integer dtype in common.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: one is floating, or both are bool.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.bitwise_left_shift(gpukit.tensor([3]), 2)
            tensor([12])
        """

    def bitwise_left_shift_(self, other: typing.Any) -> Tensor:
        """
        In place: Left shift by other bits.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, dtype=gpukit.int64)
            >>> x.bitwise_left_shift_(2) is x
            True
        """

    def bitwise_not(self, *, out: typing.Any = None) -> Tensor:
        """
        Bitwise NOT; logical NOT for bool.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            DTypeError: input is floating.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.bitwise_not(gpukit.tensor([0, 5]))
            tensor([-1, -6])
        """

    def bitwise_not_(self) -> Tensor:
        """
        In place: Bitwise NOT; logical NOT for bool.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, dtype=gpukit.int64)
            >>> x.bitwise_not_() is x
            True
        """

    def bitwise_or(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Bitwise OR; logical OR for bool.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the integer dtype in common, or bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: one is floating, or the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.bitwise_or(gpukit.tensor([6]), gpukit.tensor([3]))
            tensor([7])
        """

    def bitwise_or_(self, other: typing.Any) -> Tensor:
        """
        In place: Bitwise OR; logical OR for bool.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, dtype=gpukit.int64)
            >>> x.bitwise_or_(2) is x
            True
        """

    def bitwise_right_shift(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Arithmetic right shift by other bits: the sign is kept.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the integer dtype in common.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: one is floating, or both are bool.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.bitwise_right_shift(gpukit.tensor([-8, 12]), 2)
            tensor([-2,  3])
        """

    def bitwise_right_shift_(self, other: typing.Any) -> Tensor:
        """
        In place: Arithmetic right shift by other bits: the sign is kept.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, dtype=gpukit.int64)
            >>> x.bitwise_right_shift_(2) is x
            True
        """

    def bitwise_xor(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Bitwise XOR; logical XOR for bool.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the integer dtype in common, or bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: one is floating, or the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.bitwise_xor(gpukit.tensor([6]), gpukit.tensor([3]))
            tensor([5])
        """

    def bitwise_xor_(self, other: typing.Any) -> Tensor:
        """
        In place: Bitwise XOR; logical XOR for bool.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, dtype=gpukit.int64)
            >>> x.bitwise_xor_(2) is x
            True
        """

    def block_until_ready(self, timeout: typing.Any = None) -> Tensor:
        """
        The same as wait().

        Args:
            timeout: seconds; None is for ever.

        Returns:
            the tensor itself.

        Raises:
            TimeoutError: it was not ready in time.
            TransferError: a copy failed.
            ValueError: timeout is negative.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).block_until_ready()
            tensor([1., 1.])
        """

    def bmm(self, mat2: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Products of two stacks of matrices, (b, n, m) and (b, m, p).

        Args:
            mat2: (b, m, p), of input's dtype.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            (b, n, p), input's dtype.

        Raises:
            ShapeError: sizes do not fit.
            DTypeError: dtypes differ, or are bool.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.bmm(gpukit.ones(2, 3, 4), gpukit.ones(2, 4, 5)).shape
            (2, 3, 5)
        """

    def bool(self) -> Tensor:
        """
        Converted to bool: everything but 0 is True.

        Returns:
            the same shape; itself when it has that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([0, 3]).bool()
            tensor([False,  True])
        """

    def broadcast_to(self, size: typing.Any) -> Tensor:
        """
        Broadcast to a shape without copying.

        Args:
            size: the new shape; -1 keeps a size, new dimensions come first.

        Returns:
            a view in which repeated elements share memory.

        Raises:
            ShapeError: a size other than 1 would change.

        Example:
            >>> import gpukit
            >>> gpukit.broadcast_to(gpukit.tensor([1, 2]), (2, 2))
            tensor([[1, 2],
                    [1, 2]])
        """

    def cbrt(self, *, out: typing.Any = None) -> Tensor:
        """
        Cube root; of negative numbers too.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.cbrt(gpukit.tensor([-8.0, 27.0]))
            tensor([-2.,  3.])
        """

    def cbrt_(self) -> Tensor:
        """
        In place: Cube root; of negative numbers too.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.cbrt_() is x
            True
        """

    def ceil(self, *, out: typing.Any = None) -> Tensor:
        """
        Smallest integer not less than each element; the dtype is kept.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.ceil(gpukit.tensor([1.2, -1.2]))
            tensor([ 2., -1.])
        """

    def ceil_(self) -> Tensor:
        """
        In place: Smallest integer not less than each element; the dtype is kept.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([1.2]).ceil_()
            tensor([2.])
        """

    def chunk(self, chunks: typing.Any, dim: typing.Any = 0) -> tuple[Tensor, ...]:
        """
        At most `chunks` views of nearly equal size along dim.

        Args:
            chunks: how many at most; of an empty dimension, how many.
            dim: the dimension, counted from the end when negative.

        Returns:
            a tuple of views.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: chunks is not positive.

        Example:
            >>> import gpukit
            >>> gpukit.chunk(gpukit.arange(5), 2)
            (tensor([0, 1, 2]), tensor([3, 4]))
        """

    def clamp(
        self, min: typing.Any = None, max: typing.Any = None, *, out: typing.Any = None
    ) -> Tensor:
        """
        Limited to [min, max]; NaN stays.

        Args:
            min: the lower bound, a number; None is no bound.
            max: the upper bound, likewise; it wins where min is above it.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; the dtype that input and the bounds have in common.

        Raises:
            ValueError: neither min nor max is given.
            RangeError: a bound does not fit into the dtype.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.clamp(gpukit.tensor([-1.0, 5.0]), min=0, max=1)
            tensor([0., 1.])
        """

    def clamp_(self, min: typing.Any = None, max: typing.Any = None) -> Tensor:
        """
        In place: limited to [min, max].

        Args:
            min: the lower bound, a number; None is no bound.
            max: the upper bound, likewise.

        Returns:
            the tensor itself.

        Raises:
            ValueError: neither min nor max is given.
            RangeError: a bound does not fit into the dtype.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([-2, 0, 7]).clamp_(0, 5)
            tensor([0, 0, 5])
        """

    def clip(
        self, min: typing.Any = None, max: typing.Any = None, *, out: typing.Any = None
    ) -> Tensor:
        """
        The same as clamp.

        Args:
            min: the lower bound, a number; None is no bound.
            max: the upper bound, likewise; it wins where min is above it.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; the dtype that input and the bounds have in common.

        Raises:
            ValueError: neither min nor max is given.
            RangeError: a bound does not fit into the dtype.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.clip(gpukit.tensor([-2, 0, 7]), 0, 5)
            tensor([0, 0, 5])
        """

    def clip_(self, min: typing.Any = None, max: typing.Any = None) -> Tensor:
        """
        The same as clamp_.

        Args:
            min: the lower bound, a number; None is no bound.
            max: the upper bound, likewise.

        Returns:
            the tensor itself.

        Raises:
            ValueError: neither min nor max is given.
            RangeError: a bound does not fit into the dtype.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([-2, 0, 7]).clip_(0, 5)
            tensor([0, 0, 5])
        """

    def clone(self) -> Tensor:
        """
        A contiguous copy on the same device.

        Returns:
            a tensor of the same shape and dtype, row by row without gaps.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> y = gpukit.clone(x)
            >>> y[0] = 5
            >>> x, y
            (tensor([1., 1.]), tensor([5., 1.]))
        """

    def contiguous(self) -> Tensor:
        """
        A contiguous tensor of the same elements; itself when it is one.

        Returns:
            a tensor of the same shape and dtype, row by row without gaps.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).t().contiguous().is_contiguous()
            True
        """

    def copy_(self, src: typing.Any, non_blocking: typing.Any = False) -> Tensor:
        """
        Copies src into the tensor: broadcasts, converts, between any devices.

        Args:
            src: a tensor of any dtype on any device that broadcasts to this one, or a number.
            non_blocking: return while the copy is under way.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: src does not broadcast to the tensor.
            TransferError: the copy failed.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2, 2).copy_(gpukit.tensor([1, 2]))
            tensor([[1., 2.],
                    [1., 2.]])
        """

    def copysign(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Magnitude of input with the sign of other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.copysign(gpukit.tensor([1.0, -2.0]), gpukit.tensor([-1.0, 1.0]))
            tensor([-1.,  2.])
        """

    def copysign_(self, other: typing.Any) -> Tensor:
        """
        In place: Magnitude of input with the sign of other.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.copysign_(2) is x
            True
        """

    def cos(self, *, out: typing.Any = None) -> Tensor:
        """
        Cosine of an angle in radians.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.cos(gpukit.zeros(2))
            tensor([1., 1.])
        """

    def cos_(self) -> Tensor:
        """
        In place: Cosine of an angle in radians.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2).cos_()
            tensor([1., 1.])
        """

    def cosh(self, *, out: typing.Any = None) -> Tensor:
        """
        Hyperbolic cosine.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.cosh(gpukit.zeros(2))
            tensor([1., 1.])
        """

    def cosh_(self) -> Tensor:
        """
        In place: Hyperbolic cosine.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.cosh_() is x
            True
        """

    def count_nonzero(self, dim: typing.Any = None, keepdim: typing.Any = False) -> Tensor:
        """
        How many elements are not 0; int64.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.

        Returns:
            without the dimensions of dim; int64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.

        Example:
            >>> import gpukit
            >>> gpukit.count_nonzero(gpukit.tensor([0, 3, 0, 4])).item()
            2
        """

    def cpu(self, non_blocking: typing.Any = False) -> Tensor:
        """
        The tensor on the CPU; itself when it is there.

        Args:
            non_blocking: return while the copy is under way.

        Returns:
            a tensor of the same shape and dtype.

        Raises:
            TransferError: the copy failed.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).cpu().device
            device(type='cpu')
        """

    def cuda(self, device: typing.Any = None, non_blocking: typing.Any = False) -> Tensor:
        """
        The tensor on a CUDA device, by default the current one; itself when it is there.

        Args:
            device: a device, its name or its index; None is the current one.
            non_blocking: return while the copy is under way.

        Returns:
            a tensor of the same shape and dtype.

        Raises:
            InvalidDeviceError: device is no GPU.
            DeviceNotFoundError: there is no such GPU.
            OutOfMemoryError: it does not fit.

        Example:
            >>> import gpukit
            >>> device = gpukit.try_gpu(quiet=True)
            >>> x = gpukit.ones(2).cuda() if device.type == "cuda" else gpukit.ones(2)
            >>> x.device.type == device.type
            True
        """

    def cumprod(
        self, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
    ) -> Tensor:
        """
        Running products along dim.

        Args:
            dim: the dimension, counted from the end when negative.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype, but int64 for bool and other integers than uint64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.cumprod(gpukit.tensor([1, 2, 3, 4]), 0)
            tensor([ 1,  2,  6, 24])
        """

    def cumsum(
        self, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
    ) -> Tensor:
        """
        Running sums along dim.

        Args:
            dim: the dimension, counted from the end when negative.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype, but int64 for bool and other integers than uint64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.cumsum(gpukit.ones(3), 0)
            tensor([1., 2., 3.])
        """

    def data_ptr(self) -> builtins.int:
        """
        Address of the first element: host or device memory.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2, 3)
            >>> x.t().data_ptr() == x.data_ptr()
            True
        """

    def detach(self) -> Tensor:
        """
        The same elements as a tensor without a gradient.

        Returns:
            a view without a graph.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1, requires_grad=True).detach().requires_grad
            False
        """

    def diag(self, diagonal: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
        """
        A matrix with the vector on its diagonal, or the diagonal of a matrix as a vector. A copy.

        Args:
            diagonal: 0 is the main diagonal, above it positive.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            a copy; input's dtype.

        Raises:
            ShapeError: input is neither a vector nor a matrix.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.diag(gpukit.tensor([1, 2]))
            tensor([[1, 0],
                    [0, 2]])
        """

    def diagonal(self, offset: typing.Any = 0) -> Tensor:
        """
        The diagonal of a matrix. A view.

        Args:
            offset: 0 is the main diagonal, above it positive.

        Returns:
            a view; the diagonal is the last dimension.

        Raises:
            DimensionError: input has less than two dimensions.

        Example:
            >>> import gpukit
            >>> gpukit.diagonal(gpukit.tensor([[1, 2], [3, 4]]))
            tensor([1, 4])
        """

    def diff(
        self,
        n: typing.Any = 1,
        dim: typing.Any = -1,
        prepend: typing.Any = None,
        append: typing.Any = None,
        *,
        out: typing.Any = None,
    ) -> Tensor:
        """
        Differences of neighbours along dim, n times over; of bool, whether they differ.

        Args:
            n: how often.
            dim: the dimension, counted from the end when negative.
            prepend: a tensor put before input along dim first.
            append: a tensor put behind it.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            n elements less along dim, none below 0; the dtype that input, prepend and append have in common.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: n is negative.
            ShapeError: input is 0-d, or another tensor does not fit.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.diff(gpukit.tensor([1, 4, 9]))
            tensor([3, 5])
        """

    def dim(self) -> builtins.int:
        """
        Number of dimensions.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).dim()
            2
        """

    def div(
        self, other: typing.Any, *, rounding_mode: typing.Any = None, out: typing.Any = None
    ) -> Tensor:
        """
        input / other; integers give floating results. rounding_mode 'floor' or 'trunc' rounds the quotient.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; floating; with a rounding_mode integers stay integers, and over 0 they give 0.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: both are bool beside a rounding_mode, or the dtypes have none in common.
            ValueError: rounding_mode is another one.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.div(gpukit.tensor([7, -7]), 2, rounding_mode="floor")
            tensor([ 3, -4])
        """

    def div_(self, other: typing.Any, *, rounding_mode: typing.Any = None) -> Tensor:
        """
        In place: input / other; integers give floating results. rounding_mode 'floor' or 'trunc' rounds the quotient.

        Args:
            other: a tensor that broadcasts to this one, or a number.
            rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.
            ValueError: rounding_mode is another one.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).div_(4)
            tensor([0.2500, 0.2500])
        """

    def divide(
        self, other: typing.Any, *, rounding_mode: typing.Any = None, out: typing.Any = None
    ) -> Tensor:
        """
        The same as div.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; floating; with a rounding_mode integers stay integers, and over 0 they give 0.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: both are bool beside a rounding_mode, or the dtypes have none in common.
            ValueError: rounding_mode is another one.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.divide(gpukit.tensor([1, 2]), 2)
            tensor([0.5000, 1.0000])
        """

    def divide_(self, other: typing.Any, *, rounding_mode: typing.Any = None) -> Tensor:
        """
        The same as div_.

        Args:
            other: a tensor that broadcasts to this one, or a number.
            rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.
            ValueError: rounding_mode is another one.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.divide_(2) is x
            True
        """

    def dot(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Inner product of two vectors.

        Args:
            other: (n,), of input's dtype.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            0-d, input's dtype.

        Raises:
            ShapeError: sizes do not fit.
            DTypeError: dtypes differ, or are bool.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.dot(gpukit.tensor([1.0, 2.0]), gpukit.tensor([3.0, 4.0]))
            tensor(11.)
        """

    def double(self) -> Tensor:
        """
        Converted to float64.

        Returns:
            the same shape; itself when it has that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).double().dtype
            gpukit.float64
        """

    def element_size(self) -> builtins.int:
        """
        Bytes of one element.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).element_size()
            4
        """

    def eq(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where the elements are equal.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.eq(gpukit.tensor([1, 2]), 2)
            tensor([False,  True])
        """

    def equal(self, other: typing.Any) -> builtins.bool:
        """
        True when shapes and all elements are equal. Waits for the answer.

        Args:
            other: a tensor of any shape.

        Returns:
            a Python bool.

        Raises:
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.

        Example:
            >>> import gpukit
            >>> gpukit.equal(gpukit.tensor([1, 2]), gpukit.tensor([1, 2]))
            True
        """

    def erf(self, *, out: typing.Any = None) -> Tensor:
        """
        Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.erf(gpukit.tensor([0.0, 1.0]))
            tensor([0.0000, 0.8427])
        """

    def erf_(self) -> Tensor:
        """
        In place: Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.erf_() is x
            True
        """

    def erfc(self, *, out: typing.Any = None) -> Tensor:
        """
        Complementary error function: 1 - erf(input), accurate for large inputs.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.erfc(gpukit.tensor([0.0, 1.0]))
            tensor([1.0000, 0.1573])
        """

    def erfc_(self) -> Tensor:
        """
        In place: Complementary error function: 1 - erf(input), accurate for large inputs.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.erfc_() is x
            True
        """

    def exp(self, *, out: typing.Any = None) -> Tensor:
        """
        Exponential: e to the power of input.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.exp(gpukit.zeros(2))
            tensor([1., 1.])
        """

    def exp2(self, *, out: typing.Any = None) -> Tensor:
        """
        2 to the power of input.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.exp2(gpukit.tensor([0.0, 3.0]))
            tensor([1., 8.])
        """

    def exp2_(self) -> Tensor:
        """
        In place: 2 to the power of input.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.exp2_() is x
            True
        """

    def exp_(self) -> Tensor:
        """
        In place: Exponential: e to the power of input.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2).exp_()
            tensor([1., 1.])
        """

    def expand(self, *size: typing.Any) -> Tensor:
        """
        Dimensions of size 1 repeated without copying; -1 keeps a size.

        Args:
            size: the new shape; -1 keeps a size, new dimensions come first.

        Returns:
            a view in which repeated elements share memory.

        Raises:
            ShapeError: a size other than 1 would change.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([[1], [2]]).expand(2, 3)
            tensor([[1, 1, 1],
                    [2, 2, 2]])
        """

    def expand_as(self, other: typing.Any) -> Tensor:
        """
        expand() to the shape of another tensor.

        Args:
            other: the tensor whose shape is taken.

        Returns:
            input's elements and dtype in the shape of other.

        Raises:
            ShapeError: input does not fit that shape.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([[1], [2]]).expand_as(gpukit.ones(2, 3))
            tensor([[1, 1, 1],
                    [2, 2, 2]])
        """

    def expm1(self, *, out: typing.Any = None) -> Tensor:
        """
        exp(input) - 1, accurate near 0.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.expm1(gpukit.tensor([0.0, 1.0]))
            tensor([0.0000, 1.7183])
        """

    def expm1_(self) -> Tensor:
        """
        In place: exp(input) - 1, accurate near 0.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.expm1_() is x
            True
        """

    def fill_(self, value: typing.Any) -> Tensor:
        """
        Sets all elements to a number.

        Args:
            value: a number, or a tensor of one element.

        Returns:
            the tensor itself.

        Raises:
            RangeError: the number does not fit into the dtype.
            ShapeError: value is a tensor of several elements.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2).fill_(7)
            tensor([7., 7.])
        """

    def flatten(self, start_dim: typing.Any = 0, end_dim: typing.Any = -1) -> Tensor:
        """
        The dimensions from start_dim to end_dim as one.

        Args:
            start_dim: the first dimension to join.
            end_dim: the last one, included.

        Returns:
            a view where the strides allow it, else a copy; input's dtype.

        Raises:
            IndexError: there is no such dimension.
            ValueError: start_dim comes after end_dim.

        Example:
            >>> import gpukit
            >>> gpukit.flatten(gpukit.ones(2, 3, 4), start_dim=1).shape
            (2, 12)
        """

    def flip(self, *dims: typing.Any) -> Tensor:
        """
        Reversed along dims. A copy; x[::-1] is a view.

        Args:
            dims: the dimensions to reverse, ints or one tuple.

        Returns:
            a copy of input's shape and dtype.

        Raises:
            IndexError: there is no such dimension.
            ValueError: one is listed twice.

        Example:
            >>> import gpukit
            >>> gpukit.flip(gpukit.arange(3), 0)
            tensor([2, 1, 0])
        """

    def float(self) -> Tensor:
        """
        Converted to float32.

        Returns:
            the same shape; itself when it has that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([1, 2]).float()
            tensor([1., 2.])
        """

    def floor(self, *, out: typing.Any = None) -> Tensor:
        """
        Largest integer not greater than each element; the dtype is kept.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.floor(gpukit.tensor([1.8, -1.2]))
            tensor([ 1., -2.])
        """

    def floor_(self) -> Tensor:
        """
        In place: Largest integer not greater than each element; the dtype is kept.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([1.8]).floor_()
            tensor([1.])
        """

    def floor_divide(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Quotient rounded towards negative infinity.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common. Integers over 0 give 0.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: both are bool, or the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.floor_divide(gpukit.tensor([7, -7]), 2)
            tensor([ 3, -4])
        """

    def floor_divide_(self, other: typing.Any) -> Tensor:
        """
        In place: Quotient rounded towards negative infinity.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([7, -7]).floor_divide_(2)
            tensor([ 3, -4])
        """

    def gather(self, dim: typing.Any, index: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        out[i][j] = input[index[i][j]][j] for dim 0, and so on.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, of as many dimensions as input and not longer along the others.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            index's shape, input's dtype.

        Raises:
            ShapeError: index does not fit.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.gather(gpukit.tensor([[1, 2], [3, 4]]), 1, gpukit.tensor([[1], [0]]))
            tensor([[2],
                    [3]])
        """

    def ge(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where input >= other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.ge(gpukit.tensor([1, 2, 3]), 2)
            tensor([False,  True,  True])
        """

    def gelu(self) -> Tensor:
        """
        Gaussian error linear unit, x * Phi(x) with the normal distribution function Phi: x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel, 2016).

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.gelu(gpukit.tensor([-1.0, 0.0, 1.0]))
            tensor([-0.1587,  0.0000,  0.8413])
        """

    def get_device(self) -> builtins.int:
        """
        Index of the CUDA device; -1 on the CPU.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).get_device()
            -1
        """

    def greater(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The same as gt.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.greater(gpukit.tensor([1, 2, 3]), 2)
            tensor([False, False,  True])
        """

    def greater_equal(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The same as ge.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.greater_equal(gpukit.tensor([1, 2, 3]), 2)
            tensor([False,  True,  True])
        """

    def gt(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where input > other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.gt(gpukit.tensor([1, 2, 3]), 2)
            tensor([False, False,  True])
        """

    def half(self) -> Tensor:
        """
        Converted to float16.

        Returns:
            the same shape; itself when it has that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).half().dtype
            gpukit.float16
        """

    def hypot(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Length of the hypotenuse: sqrt(input ** 2 + other ** 2), without overflow.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.hypot(gpukit.tensor([3.0]), gpukit.tensor([4.0]))
            tensor([5.])
        """

    def hypot_(self, other: typing.Any) -> Tensor:
        """
        In place: Length of the hypotenuse: sqrt(input ** 2 + other ** 2), without overflow.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.hypot_(2) is x
            True
        """

    def index_add(self, dim: typing.Any, index: typing.Any, source: typing.Any) -> Tensor:
        """
        A copy with slices of source added at the places of index along dim.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, 1-d; negative ones count from the end.
            source: shaped as the tensor, but along dim as long as index.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            ShapeError: source has another shape.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.index_add(gpukit.zeros(3), 0, gpukit.tensor([1, 1]), gpukit.ones(2))
            tensor([0., 2., 0.])
        """

    def index_add_(self, dim: typing.Any, index: typing.Any, source: typing.Any) -> Tensor:
        """
        Adds rows of source at the places of index.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, 1-d; negative ones count from the end.
            source: shaped as the tensor, but along dim as long as index.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            ShapeError: source has another shape.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.zeros(3).index_add_(0, gpukit.tensor([0, 2, 2]), gpukit.ones(3))
            tensor([1., 0., 2.])
        """

    def index_select(self, dim: typing.Any, index: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The slices along dim at the places of an integer tensor.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, at most 1-d.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's dtype; along dim as long as index.

        Raises:
            DimensionError: index has more dimensions.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.index_select(gpukit.tensor([5, 6, 7]), 0, gpukit.tensor([2, 0]))
            tensor([7, 5])
        """

    def int(self) -> Tensor:
        """
        Converted to int32; fractions are cut off.

        Returns:
            the same shape; itself when it has that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([1.7]).int()
            tensor([1], dtype=gpukit.int32)
        """

    def is_contiguous(self) -> builtins.bool:
        """
        True when the elements lie row by row without gaps.

        Returns:
            a Python bool.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).t().is_contiguous()
            False
        """

    def is_floating_point(self) -> builtins.bool:
        """
        True for floating dtypes.

        Returns:
            a Python bool.

        Example:
            >>> import gpukit
            >>> gpukit.is_floating_point(gpukit.ones(1))
            True
        """

    def is_pinned(self) -> builtins.bool:
        """
        True when the memory is page-locked.

        Returns:
            a Python bool.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).is_pinned()
            False
        """

    def isclose(
        self,
        other: typing.Any,
        rtol: typing.Any = 1e-05,
        atol: typing.Any = 1e-08,
        equal_nan: typing.Any = False,
    ) -> Tensor:
        """
        True where |input - other| <= atol + rtol * |other|.

        Args:
            other: a tensor that broadcasts with input.
            rtol: tolerance relative to |other|.
            atol: absolute tolerance.
            equal_nan: whether NaN is close to NaN.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.

        Example:
            >>> import gpukit
            >>> gpukit.isclose(gpukit.tensor([1.0, 2.0]), gpukit.tensor([1.0, 2.1]))
            tensor([ True, False])
        """

    def isfinite(self) -> Tensor:
        """
        True where the element is finite: neither infinite nor NaN.

        Returns:
            input's shape; bool.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.isfinite(gpukit.tensor([1.0, gpukit.inf, gpukit.nan]))
            tensor([ True, False, False])
        """

    def isinf(self) -> Tensor:
        """
        True where the element is infinite.

        Returns:
            input's shape; bool.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.isinf(gpukit.tensor([1.0, gpukit.inf, gpukit.nan]))
            tensor([False,  True, False])
        """

    def isnan(self) -> Tensor:
        """
        True where the element is NaN.

        Returns:
            input's shape; bool.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.isnan(gpukit.tensor([1.0, gpukit.inf, gpukit.nan]))
            tensor([False, False,  True])
        """

    def item(self) -> typing.Any:
        """
        The one element as a Python number. Waits for the device.

        Returns:
            a bool, an int or a float.

        Raises:
            ShapeError: there is not exactly one element.

        Example:
            >>> import gpukit
            >>> gpukit.ones(3).sum().item()
            3.0
        """

    def le(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where input <= other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.le(gpukit.tensor([1, 2, 3]), 2)
            tensor([ True,  True, False])
        """

    def less(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The same as lt.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.less(gpukit.tensor([1, 2, 3]), 2)
            tensor([ True, False, False])
        """

    def less_equal(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The same as le.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.less_equal(gpukit.tensor([1, 2, 3]), 2)
            tensor([ True,  True, False])
        """

    def log(self, *, out: typing.Any = None) -> Tensor:
        """
        Natural logarithm.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.log(gpukit.tensor([1.0, gpukit.e]))
            tensor([0., 1.])
        """

    def log10(self, *, out: typing.Any = None) -> Tensor:
        """
        Base-10 logarithm.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.log10(gpukit.tensor([1.0, 1000.0]))
            tensor([0., 3.])
        """

    def log10_(self) -> Tensor:
        """
        In place: Base-10 logarithm.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.log10_() is x
            True
        """

    def log1p(self, *, out: typing.Any = None) -> Tensor:
        """
        log(1 + input), accurate near 0.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.log1p(gpukit.tensor([0.0, 1.0]))
            tensor([0.0000, 0.6931])
        """

    def log1p_(self) -> Tensor:
        """
        In place: log(1 + input), accurate near 0.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.log1p_() is x
            True
        """

    def log2(self, *, out: typing.Any = None) -> Tensor:
        """
        Base-2 logarithm.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.log2(gpukit.tensor([1.0, 8.0]))
            tensor([0., 3.])
        """

    def log2_(self) -> Tensor:
        """
        In place: Base-2 logarithm.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.log2_() is x
            True
        """

    def log_(self) -> Tensor:
        """
        In place: Natural logarithm.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).log_()
            tensor([0., 0.])
        """

    def log_softmax(
        self, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
    ) -> Tensor:
        """
        input - logsumexp(input) along dim: the logarithm of softmax.

        Args:
            dim: the dimension, counted from the end when negative.
            dtype: a floating dtype to compute in and to answer in.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; dtype, or input's if floating, else the default.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DTypeError: dtype is not floating.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.log_softmax(gpukit.zeros(2), 0)
            tensor([-0.6931, -0.6931])
        """

    def logaddexp(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        log(exp(input) + exp(other)), without overflow.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.logaddexp(gpukit.tensor([1000.0]), gpukit.tensor([1000.0]))
            tensor([1000.6932])
        """

    def logaddexp2(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        log2(2 ** input + 2 ** other), without overflow.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.logaddexp2(gpukit.tensor([1000.0]), gpukit.tensor([1000.0]))
            tensor([1001.])
        """

    def logical_and(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where both operands are nonzero.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.logical_and(gpukit.tensor([0, 1, 2]), gpukit.tensor([1, 1, 0]))
            tensor([False,  True, False])
        """

    def logical_not(self, *, out: typing.Any = None) -> Tensor:
        """
        Logical NOT: True where the element is zero.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; bool.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.logical_not(gpukit.tensor([0, 1, 2]))
            tensor([ True, False, False])
        """

    def logical_or(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where either operand is nonzero.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.logical_or(gpukit.tensor([0, 1, 0]), gpukit.tensor([1, 1, 0]))
            tensor([ True,  True, False])
        """

    def logical_xor(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where exactly one operand is nonzero.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.logical_xor(gpukit.tensor([0, 1, 2]), gpukit.tensor([1, 1, 0]))
            tensor([ True, False,  True])
        """

    def logsumexp(
        self, dim: typing.Any, keepdim: typing.Any = False, *, out: typing.Any = None
    ) -> Tensor:
        """
        log(sum(exp(input))) over dim, as m + log(sum(exp(input - m))) with the largest m.

        Args:
            dim: a dimension or a tuple of them.
            keepdim: keep reduced dimensions as dimensions of size 1.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype if floating, else the default.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.logsumexp(gpukit.tensor([1000.0, 1000.0]), 0)
            tensor(1000.6932)
        """

    def long(self) -> Tensor:
        """
        Converted to int64; fractions are cut off.

        Returns:
            the same shape; itself when it has that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([1.7]).long()
            tensor([1])
        """

    def lt(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where input < other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.lt(gpukit.tensor([1, 2, 3]), 2)
            tensor([ True, False, False])
        """

    def masked_fill(self, mask: typing.Any, value: typing.Any) -> Tensor:
        """
        A copy with a number where mask is True.

        Args:
            mask: a bool tensor that broadcasts to the tensor.
            value: a number, or a tensor of one element.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            RangeError: the number does not fit into the dtype.
            ShapeError: mask does not broadcast to the tensor.
            DTypeError: mask is not bool.
            DeviceMismatchError: the tensors are on different devices.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.masked_fill(gpukit.arange(3), gpukit.tensor([True, False, True]), 9)
            tensor([9, 1, 9])
        """

    def masked_fill_(self, mask: typing.Any, value: typing.Any) -> Tensor:
        """
        Sets the elements where mask is True to a number.

        Args:
            mask: a bool tensor that broadcasts to the tensor.
            value: a number, or a tensor of one element.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            RangeError: the number does not fit into the dtype.
            ShapeError: mask does not broadcast to the tensor.
            DTypeError: mask is not bool.
            DeviceMismatchError: the tensors are on different devices.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.arange(3).masked_fill_(gpukit.tensor([True, False, True]), 9)
            tensor([9, 1, 9])
        """

    def masked_select(self, mask: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The elements where mask is True, 1-d. Waits.

        Args:
            mask: a bool tensor that broadcasts with input.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            1-d; input's dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            DTypeError: mask is not bool.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.masked_select(gpukit.arange(3), gpukit.tensor([True, False, True]))
            tensor([0, 2])
        """

    def matmul(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Matrix product of vectors, matrices or stacks of matrices, which broadcast. The operator @.

        Args:
            other: one dimension or more; input's dtype.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            (..., n, p) of (..., n, m) and (..., m, p), leading sizes broadcast; vectors lose their dimension. input's dtype.

        Raises:
            ShapeError: inner sizes differ, or one is 0-d.
            DTypeError: dtypes differ, or are bool.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.matmul(gpukit.ones(2, 3), gpukit.ones(3))
            tensor([3., 3.])
        """

    def max(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, other: typing.Any = None
    ) -> typing.Any:
        """
        Largest element; with dim (values, indices) along it; with a tensor the larger of each pair.

        Args:
            dim: a dimension or None for all; in this place also another tensor, as other.
            keepdim: keep reduced dimensions as dimensions of size 1.
            other: a tensor that broadcasts with input, instead of dim.

        Returns:
            0-d without dim; with dim (values, indices), input's dtype and int64; with a tensor the broadcast shape.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DimensionError: there are no elements to choose from.
            ShapeError: other does not broadcast.
            TypeError: dim and other are both given.
            DTypeError: the dtypes have none in common.

        Example:
            >>> import gpukit
            >>> gpukit.max(gpukit.tensor([1.0, 5.0]))
            tensor(5.)
        """

    def maximum(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Elementwise maximum; NaN propagates.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype that both have in common.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.maximum(gpukit.tensor([1, 5]), gpukit.tensor([4, 2]))
            tensor([4, 5])
        """

    def mean(
        self,
        dim: typing.Any = None,
        keepdim: typing.Any = False,
        *,
        dtype: typing.Any = None,
        out: typing.Any = None,
    ) -> Tensor:
        """
        Mean over dim.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype. NaN of no elements.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.
            DTypeError: input, or dtype if given, is not floating.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.arange(4.0).mean()
            tensor(1.5000)
        """

    def median(self, dim: typing.Any = None, keepdim: typing.Any = False) -> typing.Any:
        """
        The element in the middle, the lower one of two; of all, or along dim with its places. NaN where there is one.

        Args:
            dim: the dimension; None is all of them, as one.
            keepdim: keep reduced dimensions as dimensions of size 1.

        Returns:
            0-d of input's dtype; with dim a pair of values and int64 indices.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ShapeError: there is no element along dim, or none of integers.

        Example:
            >>> import gpukit
            >>> gpukit.median(gpukit.tensor([3.0, 1.0, 2.0]))
            tensor(2.)
        """

    def min(
        self, dim: typing.Any = None, keepdim: typing.Any = False, *, other: typing.Any = None
    ) -> typing.Any:
        """
        Smallest element; with dim (values, indices) along it; with a tensor the smaller of each pair.

        Args:
            dim: a dimension or None for all; in this place also another tensor, as other.
            keepdim: keep reduced dimensions as dimensions of size 1.
            other: a tensor that broadcasts with input, instead of dim.

        Returns:
            0-d without dim; with dim (values, indices), input's dtype and int64; with a tensor the broadcast shape.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DimensionError: there are no elements to choose from.
            ShapeError: other does not broadcast.
            TypeError: dim and other are both given.
            DTypeError: the dtypes have none in common.

        Example:
            >>> import gpukit
            >>> gpukit.min(gpukit.tensor([[1, 5], [3, 2]]), dim=1).values
            tensor([1, 2])
        """

    def minimum(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Elementwise minimum; NaN propagates.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype that both have in common.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.minimum(gpukit.tensor([1, 5]), gpukit.tensor([4, 2]))
            tensor([1, 2])
        """

    def mm(self, mat2: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Product of two matrices.

        Args:
            mat2: (m, p), of input's dtype.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            (n, p), input's dtype.

        Raises:
            ShapeError: not two matrices, or inner sizes differ.
            DTypeError: dtypes differ, or are bool.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.mm(gpukit.tensor([[1.0, 2.0]]), gpukit.tensor([[3.0], [4.0]]))
            tensor([[11.]])
        """

    def moveaxis(self, source: typing.Any, destination: typing.Any) -> Tensor:
        """
        Dimensions moved to other places; the others keep their order. A view.

        Args:
            source: a dimension or a tuple of them.
            destination: their new places, as many.

        Returns:
            a view.

        Raises:
            IndexError: there is no such dimension.
            ValueError: one occurs twice, or their numbers differ.

        Example:
            >>> import gpukit
            >>> gpukit.moveaxis(gpukit.ones(2, 3, 4), 0, -1).shape
            (3, 4, 2)
        """

    def movedim(self, source: typing.Any, destination: typing.Any) -> Tensor:
        """
        The same as moveaxis.

        Args:
            source: a dimension or a tuple of them.
            destination: their new places, as many.

        Returns:
            a view.

        Raises:
            IndexError: there is no such dimension.
            ValueError: one occurs twice, or their numbers differ.

        Example:
            >>> import gpukit
            >>> gpukit.movedim(gpukit.ones(2, 3, 4), 0, -1).shape
            (3, 4, 2)
        """

    def mul(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        input * other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype that both have in common.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.mul(gpukit.tensor([1, 2]), 3)
            tensor([3, 6])
        """

    def mul_(self, other: typing.Any) -> Tensor:
        """
        In place: input * other.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).mul_(3)
            tensor([3., 3.])
        """

    def multinomial(
        self,
        num_samples: typing.Any,
        replacement: typing.Any = False,
        *,
        generator: typing.Any = None,
    ) -> Tensor:
        """
        Places drawn by their weights: of a vector, or of each row of a matrix.

        Args:
            num_samples: how many places are drawn.
            replacement: draw a place again and again.
            generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.

        Returns:
            (num_samples,) or (rows, num_samples), int64.

        Raises:
            ShapeError: input is neither a vector nor a matrix.
            DTypeError: input is not floating.
            ValueError: a weight is negative, infinite or NaN; num_samples is not positive, or more than there are weights over 0.

        Example:
            >>> import gpukit
            >>> gpukit.multinomial(gpukit.tensor([0.0, 3.0]), 2, replacement=True)
            tensor([1, 1])
        """

    def multiply(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The same as mul.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype that both have in common.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.multiply(gpukit.tensor([1, 2]), 3)
            tensor([3, 6])
        """

    def multiply_(self, other: typing.Any) -> Tensor:
        """
        The same as mul_.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.multiply_(2) is x
            True
        """

    def mv(self, vec: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Product of a matrix and a vector.

        Args:
            vec: (m,), of input's dtype.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            (n,), input's dtype.

        Raises:
            ShapeError: sizes do not fit.
            DTypeError: dtypes differ, or are bool.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.mv(gpukit.tensor([[1.0, 2.0], [3.0, 4.0]]), gpukit.ones(2))
            tensor([3., 7.])
        """

    def nan_to_num(
        self, nan: typing.Any = 0.0, posinf: typing.Any = None, neginf: typing.Any = None
    ) -> Tensor:
        """
        A copy with numbers for NaN and the infinities; None stands for the largest and the smallest of the dtype.

        Args:
            nan: for NaN.
            posinf: for infinity.
            neginf: for minus infinity.

        Returns:
            input's shape and dtype.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.nan_to_num(gpukit.tensor([1.0, float('nan')]))
            tensor([1., 0.])
        """

    def narrow(self, dim: typing.Any, start: typing.Any, length: typing.Any) -> Tensor:
        """
        length elements from start along dim. A view.

        Args:
            dim: the dimension, counted from the end when negative.
            start: the first place; negative counts from the end.
            length: how many.

        Returns:
            a view.

        Raises:
            IndexError: dim, start or length is out of range.

        Example:
            >>> import gpukit
            >>> gpukit.narrow(gpukit.arange(5), 0, 1, 3)
            tensor([1, 2, 3])
        """

    def ndimension(self) -> builtins.int:
        """
        Number of dimensions.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).ndimension()
            2
        """

    def ne(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        True where the elements differ.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.ne(gpukit.tensor([1, 2]), 2)
            tensor([ True, False])
        """

    def neg(self, *, out: typing.Any = None) -> Tensor:
        """
        -input.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            DTypeError: input is bool.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.neg(gpukit.tensor([1, -2]))
            tensor([-1,  2])
        """

    def neg_(self) -> Tensor:
        """
        In place: -input.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).neg_()
            tensor([-1., -1.])
        """

    def negative(self, *, out: typing.Any = None) -> Tensor:
        """
        The same as neg.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            DTypeError: input is bool.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.negative(gpukit.tensor([1, -2]))
            tensor([-1,  2])
        """

    def negative_(self) -> Tensor:
        """
        The same as neg_.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.negative_() is x
            True
        """

    def nelement(self) -> builtins.int:
        """
        Number of elements.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).nelement()
            6
        """

    def new_empty(
        self,
        *size: typing.Any,
        dtype: typing.Any = None,
        device: typing.Any = None,
        requires_grad: typing.Any = False,
    ) -> Tensor:
        """
        empty() with the tensor's dtype and device.

        Args:
            size: ints, or one tuple of them.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            device: where the result lies; None is the tensor's.
            requires_grad: record what is done with the result; floating dtypes only.

        Returns:
            a tensor of that size; dtype, or the tensor's.

        Raises:
            ValueError: a size is negative.
            DTypeError: dtype is unknown, or not a floating one with requires_grad.
            InvalidDeviceError: device is no device.
            DeviceNotFoundError: device is not there.
            MemoryError: it does not fit (on a GPU OutOfMemoryError).

        Example:
            >>> import gpukit
            >>> gpukit.ones(1, dtype=gpukit.int8).new_empty((2, 3)).dtype
            gpukit.int8
        """

    def new_full(
        self,
        size: typing.Any,
        fill_value: typing.Any,
        *,
        dtype: typing.Any = None,
        device: typing.Any = None,
        requires_grad: typing.Any = False,
    ) -> Tensor:
        """
        full() with the tensor's dtype and device.

        Args:
            size: an int or a tuple of ints.
            fill_value: a number.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            device: where the result lies; None is the tensor's.
            requires_grad: record what is done with the result; floating dtypes only.

        Returns:
            a tensor of that size; dtype, or the tensor's.

        Raises:
            ValueError: a size is negative.
            RangeError: the number does not fit into the dtype.
            DTypeError: dtype is unknown, or not a floating one with requires_grad.
            InvalidDeviceError: device is no device.
            DeviceNotFoundError: device is not there.
            MemoryError: it does not fit (on a GPU OutOfMemoryError).

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).new_full((2,), 3)
            tensor([3., 3.])
        """

    def new_ones(
        self,
        *size: typing.Any,
        dtype: typing.Any = None,
        device: typing.Any = None,
        requires_grad: typing.Any = False,
    ) -> Tensor:
        """
        ones() with the tensor's dtype and device.

        Args:
            size: ints, or one tuple of them.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            device: where the result lies; None is the tensor's.
            requires_grad: record what is done with the result; floating dtypes only.

        Returns:
            a tensor of that size; dtype, or the tensor's.

        Raises:
            ValueError: a size is negative.
            DTypeError: dtype is unknown, or not a floating one with requires_grad.
            InvalidDeviceError: device is no device.
            DeviceNotFoundError: device is not there.
            MemoryError: it does not fit (on a GPU OutOfMemoryError).

        Example:
            >>> import gpukit
            >>> gpukit.zeros(1, dtype=gpukit.int8).new_ones((2,))
            tensor([1, 1], dtype=gpukit.int8)
        """

    def new_tensor(
        self, data: typing.Any, dtype: typing.Any = None, device: typing.Any = None
    ) -> Tensor:
        """
        tensor() with the tensor's dtype and device.

        Args:
            data: as for tensor().
            dtype: a dtype or its name, for the result; None is the one under Returns.
            device: where the result lies; None is the tensor's.

        Returns:
            the shape of data; dtype, or the tensor's.

        Raises:
            ValueError: lists of one level differ in length.
            TypeError: numbers stand beside lists.
            DTypeError: dtype is unknown, or not a floating one with requires_grad.
            InvalidDeviceError: device is no device.
            DeviceNotFoundError: device is not there.
            MemoryError: it does not fit (on a GPU OutOfMemoryError).

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).new_tensor([1, 2])
            tensor([1., 2.])
        """

    def new_zeros(
        self,
        *size: typing.Any,
        dtype: typing.Any = None,
        device: typing.Any = None,
        requires_grad: typing.Any = False,
    ) -> Tensor:
        """
        zeros() with the tensor's dtype and device.

        Args:
            size: ints, or one tuple of them.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            device: where the result lies; None is the tensor's.
            requires_grad: record what is done with the result; floating dtypes only.

        Returns:
            a tensor of that size; dtype, or the tensor's.

        Raises:
            ValueError: a size is negative.
            DTypeError: dtype is unknown, or not a floating one with requires_grad.
            InvalidDeviceError: device is no device.
            DeviceNotFoundError: device is not there.
            MemoryError: it does not fit (on a GPU OutOfMemoryError).

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).new_zeros((2,))
            tensor([0., 0.])
        """

    def nextafter(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Next representable number after input towards other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> (gpukit.nextafter(gpukit.ones(1), gpukit.tensor([2.0])) - 1).item()
            1.1920928955078125e-07
        """

    def nextafter_(self, other: typing.Any) -> Tensor:
        """
        In place: Next representable number after input towards other.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.nextafter_(2) is x
            True
        """

    def nonzero(self, *, as_tuple: typing.Any = False, out: typing.Any = None) -> Tensor:
        """
        Coordinates of the elements that are not 0: (count, ndim), int64. Waits.

        Args:
            as_tuple: give a tuple of index tensors, one a dimension.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            (count, ndim), int64; rows in the order of the elements.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.nonzero(gpukit.tensor([0, 3, 0, 4]))
            tensor([[1],
                    [3]])
        """

    def norm(
        self,
        p: typing.Any = "fro",
        dim: typing.Any = None,
        keepdim: typing.Any = False,
        dtype: typing.Any = None,
        *,
        out: typing.Any = None,
    ) -> Tensor:
        """
        sum(|input|**p) ** (1 / p): the vector norm over dim or over all elements.

        Args:
            p: the order: a number, 'fro' (2) or 'inf'; 0 counts what is not 0.
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DTypeError: input, or dtype if given, is not floating.
            ValueError: p is another text.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.norm(gpukit.tensor([3.0, 4.0]))
            tensor(5.)
        """

    def normal_(
        self, mean: typing.Any = 0.0, std: typing.Any = 1.0, *, generator: typing.Any = None
    ) -> Tensor:
        """
        Fills with normal numbers.

        Args:
            mean: mean of the distribution.
            std: its standard deviation.
            generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.

        Returns:
            the tensor itself, which must be floating.

        Raises:
            DTypeError: the tensor is not floating.
            ValueError: std is negative.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.empty(1000).normal_(mean=5).mean().item() > 4
            True
        """

    def not_equal(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The same as ne.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; bool.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.not_equal(gpukit.tensor([1, 2]), 2)
            tensor([ True, False])
        """

    def numel(self) -> builtins.int:
        """
        Number of elements.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).numel()
            6
        """

    def numpy(self, *, force: typing.Any = False) -> typing.Any:
        """
        A NumPy array over the same memory. A GPU tensor raises DeviceError, or is copied with force=True.

        Args:
            force: also copy from a GPU, and wait for that; and take a tensor that requires a gradient.

        Returns:
            an array of the same shape and dtype; bfloat16 needs the package ml_dtypes.

        Raises:
            DeviceError: the tensor is on a GPU, without force.
            AutogradError: it requires a gradient, without force.

        Example:
            >>> import gpukit
            >>> gpukit.ones(3).numpy().sum().item()
            3.0
        """

    def outer(self, vec2: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        All products of the elements of two vectors: (n, m).

        Args:
            vec2: (m,).
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            (n, m); the dtype that both have in common.

        Raises:
            ShapeError: one is not 1-d.
            DTypeError: the dtypes have none in common.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.outer(gpukit.tensor([1, 2]), gpukit.tensor([3, 4]))
            tensor([[3, 4],
                    [6, 8]])
        """

    def permute(self, *dims: typing.Any) -> Tensor:
        """
        Dimensions in another order. A view.

        Args:
            dims: all dimensions in their new order, ints or one tuple.

        Returns:
            a view.

        Raises:
            IndexError: there is no such dimension.
            ShapeError: not all dimensions are listed.
            ValueError: one is listed twice.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3, 4).permute(2, 0, 1).shape
            (4, 2, 3)
        """

    def pin_memory(self) -> Tensor:
        """
        A copy in page-locked memory, which GPUs read and write at full speed. CPU tensors only.

        Returns:
            a CPU tensor of the same shape and dtype.

        Raises:
            DeviceNotFoundError: there is no CUDA device.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2).pin_memory() if gpukit.cuda.is_available() else gpukit.ones(2)
            >>> x.is_pinned() == gpukit.cuda.is_available()
            True
        """

    def positive(self) -> Tensor:
        """
        The tensor itself; bool raises, as + does.

        Example:
            >>> import gpukit
            >>> gpukit.positive(gpukit.tensor([1, -2]))
            tensor([ 1, -2])
        """

    def pow(self, exponent: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        input to the power of exponent.

        Args:
            exponent: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: both are bool, or the dtypes have none in common.
            ValueError: integers to a negative integer number.
            RangeError: exponent does not fit into integers or a half type.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.pow(gpukit.tensor([2, 3]), 2)
            tensor([4, 9])
        """

    def pow_(self, exponent: typing.Any) -> Tensor:
        """
        In place: input to the power of exponent.

        Args:
            exponent: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.
            ValueError: integers to a negative integer number.
            RangeError: exponent does not fit into integers or a half type.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([2, 3]).pow_(2)
            tensor([4, 9])
        """

    def prod(
        self,
        dim: typing.Any = None,
        keepdim: typing.Any = False,
        *,
        dtype: typing.Any = None,
        out: typing.Any = None,
    ) -> Tensor:
        """
        Product over dim.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype, but int64 for bool and other integers than uint64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.prod(gpukit.tensor([2, 3, 4]))
            tensor(24)
        """

    def ravel(self) -> Tensor:
        """
        All dimensions as one: a view of a contiguous tensor, else a copy.

        Returns:
            1-d; a view if input is contiguous, else a copy.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.ravel(gpukit.ones(2, 3)).shape
            (6,)
        """

    def ready(self) -> builtins.bool:
        """
        True when the tensor's bytes have arrived and nothing queued on its stream is still running. Never waits.

        Returns:
            a Python bool.

        Example:
            >>> import gpukit
            >>> gpukit.ones(3).ready()
            True
        """

    def reciprocal(self, *, out: typing.Any = None) -> Tensor:
        """
        Reciprocal: 1 / input.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.reciprocal(gpukit.tensor([2.0, 4.0]))
            tensor([0.5000, 0.2500])
        """

    def reciprocal_(self) -> Tensor:
        """
        In place: Reciprocal: 1 / input.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([2.0, 4.0]).reciprocal_()
            tensor([0.5000, 0.2500])
        """

    def register_hook(self, hook: typing.Any) -> typing.Any:
        """
        Calls hook(gradient) when the tensor's gradient is computed; what it returns, if not None, is used instead.

        The result's remove() takes the hook away. What the hook raises comes out of backward().

        Args:
            hook: a function of the gradient, a tensor of this one's shape.

        Returns:
            a handle with remove().

        Raises:
            AutogradError: the tensor does not require a gradient.
            TypeError: hook is no function.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(1, requires_grad=True)
            >>> handle = x.register_hook(lambda gradient: gradient * 10)
            >>> (x * 2).sum().backward()
            >>> x.grad
            tensor([20.])
        """

    def relu(self) -> Tensor:
        """
        Rectified linear unit: max(input, 0).

        Returns:
            input's shape and dtype.

        Raises:
            DTypeError: input is bool.

        Example:
            >>> import gpukit
            >>> gpukit.relu(gpukit.tensor([-1.0, 2.0]))
            tensor([0., 2.])
        """

    def relu_(self) -> Tensor:
        """
        In place: Rectified linear unit: max(input, 0).

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([-1.0, 2.0]).relu_()
            tensor([0., 2.])
        """

    def remainder(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        Remainder of floor division: input - other * floor(input / other). It has the sign of other, as % in Python.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common. Integers over 0 give 0.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: both are bool, or the dtypes have none in common.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.remainder(gpukit.tensor([7, -7]), 3)
            tensor([1, 2])
        """

    def remainder_(self, other: typing.Any) -> Tensor:
        """
        In place: Remainder of floor division: input - other * floor(input / other). It has the sign of other, as % in Python.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([7, -7]).remainder_(3)
            tensor([1, 2])
        """

    def repeat(self, *repeats: typing.Any) -> Tensor:
        """
        The tensor repeated along its dimensions; a copy.

        Args:
            repeats: a count for each dimension; further ones come in front.

        Returns:
            a copy.

        Raises:
            ShapeError: a dimension has no count.
            ValueError: a count is negative.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([1, 2]).repeat(2, 2)
            tensor([[1, 2, 1, 2],
                    [1, 2, 1, 2]])
        """

    def repeat_interleave(self, repeats: typing.Any, dim: typing.Any = None) -> Tensor:
        """
        Each element repeats times, one after the other; repeats is an int or one int for each place along dim.

        Args:
            repeats: an int, or a 1-d integer tensor with one count a place, or one for all.
            dim: the dimension; None flattens first.

        Returns:
            a copy; input's dtype.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            TypeError: repeats is not of integers.
            ValueError: a count is negative.
            ShapeError: repeats has another length than dim.

        Example:
            >>> import gpukit
            >>> gpukit.repeat_interleave(gpukit.tensor([1, 2]), 2)
            tensor([1, 1, 2, 2])
        """

    def requires_grad_(self, requires_grad: typing.Any = True) -> Tensor:
        """
        Sets requires_grad; gives the tensor itself.

        Args:
            requires_grad: True or False.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor is not floating.
            AutogradError: it is a result, not a leaf, and shall stop.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).requires_grad_()
            tensor([1.], requires_grad=True)
        """

    def reshape(self, *shape: typing.Any) -> Tensor:
        """
        The same elements in another shape; one size may be -1. A view when the strides allow it, else a copy.

        Args:
            shape: ints, or one tuple; one of them may be -1.

        Returns:
            input's elements and dtype in the new shape.

        Raises:
            ShapeError: the number of elements differs, or a view would need a copy.

        Example:
            >>> import gpukit
            >>> gpukit.arange(6).reshape(2, -1)
            tensor([[0, 1, 2],
                    [3, 4, 5]])
        """

    def reshape_as(self, other: typing.Any) -> Tensor:
        """
        reshape() to the shape of another tensor.

        Args:
            other: the tensor whose shape is taken.

        Returns:
            input's elements and dtype in the shape of other.

        Raises:
            ShapeError: input does not fit that shape.

        Example:
            >>> import gpukit
            >>> gpukit.arange(4).reshape_as(gpukit.ones(2, 2))
            tensor([[0, 1],
                    [2, 3]])
        """

    def retain_grad(self) -> None:
        """
        Keeps .grad of a result too; of leaves it is kept anyway.

        Returns:
            None.

        Raises:
            AutogradError: the tensor does not require a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(1, requires_grad=True)
            >>> y = x * 2
            >>> y.retain_grad()
            >>> (y * 3).sum().backward()
            >>> y.grad
            tensor([3.])
        """

    def roll(self, shifts: typing.Any, dims: typing.Any = None) -> Tensor:
        """
        Elements moved by shifts along dims, those that fall off put in at the other end; without dims the tensor is
        flattened for it.

        Args:
            shifts: an int, or one for each of dims.
            dims: a dimension, a tuple of them, or None.

        Returns:
            a copy of input's shape and dtype.

        Raises:
            IndexError: there is no such dimension.
            ShapeError: shifts and dims differ in number.
            ValueError: several shifts without dims.

        Example:
            >>> import gpukit
            >>> gpukit.roll(gpukit.arange(4), 1)
            tensor([3, 0, 1, 2])
        """

    def round(self, *, decimals: typing.Any = 0, out: typing.Any = None) -> Tensor:
        """
        Nearest integer, or multiple of 10 ** -decimals; halves are rounded to even. The dtype is kept.

        Args:
            decimals: digits behind the decimal point; negative ones before it.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            DTypeError: decimals of integers.
            ValueError: decimals is beyond the dtype's digits.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.round(gpukit.tensor([0.5, 1.5, 2.6]))
            tensor([0., 2., 3.])
        """

    def round_(self, *, decimals: typing.Any = 0) -> Tensor:
        """
        In place: Nearest integer, or multiple of 10 ** -decimals; halves are rounded to even. The dtype is kept.

        Args:
            decimals: digits behind the decimal point; negative ones before it.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: decimals of integers.
            ValueError: decimals is beyond the dtype's digits.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([2.6]).round_()
            tensor([3.])
        """

    def rsqrt(self, *, out: typing.Any = None) -> Tensor:
        """
        Reciprocal of the square root.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.rsqrt(gpukit.tensor([4.0, 16.0]))
            tensor([0.5000, 0.2500])
        """

    def rsqrt_(self) -> Tensor:
        """
        In place: Reciprocal of the square root.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([4.0, 16.0]).rsqrt_()
            tensor([0.5000, 0.2500])
        """

    def scatter(self, dim: typing.Any, index: typing.Any, src: typing.Any) -> Tensor:
        """
        A copy with src written at the places that index names along dim; see scatter_.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, of as many dimensions as the tensor; negative ones count from the end.
            src: a tensor at least as long as index along each dimension.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            RangeError: src is a number that does not fit into the dtype.
            ShapeError: index or src does not fit.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.scatter(gpukit.zeros(3), 0, gpukit.tensor([2, 0]), gpukit.tensor([5.0, 6.0]))
            tensor([6., 0., 5.])
        """

    def scatter_(self, dim: typing.Any, index: typing.Any, src: typing.Any) -> Tensor:
        """
        Writes src at the places that index names along dim. Of several values for one place one stays: the last on the CPU, any on a GPU.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, of as many dimensions as the tensor; negative ones count from the end.
            src: a tensor at least as long as index along each dimension.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            RangeError: src is a number that does not fit into the dtype.
            ShapeError: index or src does not fit.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.zeros(3).scatter_(0, gpukit.tensor([2, 0]), gpukit.tensor([5.0, 6.0]))
            tensor([6., 0., 5.])
        """

    def scatter_add(self, dim: typing.Any, index: typing.Any, src: typing.Any) -> Tensor:
        """
        A copy with src added at the places that index names along dim.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, of as many dimensions as the tensor; negative ones count from the end.
            src: a tensor at least as long as index along each dimension.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            RangeError: src is a number that does not fit into the dtype.
            ShapeError: index or src does not fit.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.scatter_add(gpukit.zeros(2), 0, gpukit.tensor([1, 1]), gpukit.ones(2))
            tensor([0., 2.])
        """

    def scatter_add_(self, dim: typing.Any, index: typing.Any, src: typing.Any) -> Tensor:
        """
        Adds src at the places that index names along dim.

        Args:
            dim: the dimension, counted from the end when negative.
            index: integers, of as many dimensions as the tensor; negative ones count from the end.
            src: a tensor at least as long as index along each dimension.

        Returns:
            shape, dtype and device of the tensor.

        Raises:
            RangeError: src is a number that does not fit into the dtype.
            ShapeError: index or src does not fit.
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2).scatter_add_(0, gpukit.tensor([1, 1]), gpukit.ones(2))
            tensor([0., 2.])
        """

    def select(self, dim: typing.Any, index: typing.Any) -> Tensor:
        """
        The slice at index along dim, which disappears. A view.

        Args:
            dim: the dimension, counted from the end when negative.
            index: the place; negative counts from the end.

        Returns:
            a view with one dimension less.

        Raises:
            IndexError: dim or index is out of range.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([[1, 2], [3, 4]]).select(1, 0)
            tensor([1, 3])
        """

    def sigmoid(self, *, out: typing.Any = None) -> Tensor:
        """
        Logistic function: 1 / (1 + exp(-input)).

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.sigmoid(gpukit.zeros(2))
            tensor([0.5000, 0.5000])
        """

    def sigmoid_(self) -> Tensor:
        """
        In place: Logistic function: 1 / (1 + exp(-input)).

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2).sigmoid_()
            tensor([0.5000, 0.5000])
        """

    def sign(self, *, out: typing.Any = None) -> Tensor:
        """
        The sign of each element: -1, 0 or 1.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.sign(gpukit.tensor([-3.0, 0.0, 2.0]))
            tensor([-1.,  0.,  1.])
        """

    def sign_(self) -> Tensor:
        """
        In place: The sign of each element: -1, 0 or 1.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.sign_() is x
            True
        """

    def signbit(self, *, out: typing.Any = None) -> Tensor:
        """
        True where the sign bit is set; -0.0 has it set.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; bool.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.signbit(gpukit.tensor([-0.0, 1.0]))
            tensor([ True, False])
        """

    def sin(self, *, out: typing.Any = None) -> Tensor:
        """
        Sine of an angle in radians.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.sin(gpukit.zeros(2))
            tensor([0., 0.])
        """

    def sin_(self) -> Tensor:
        """
        In place: Sine of an angle in radians.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2).sin_()
            tensor([0., 0.])
        """

    def sinh(self, *, out: typing.Any = None) -> Tensor:
        """
        Hyperbolic sine.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.sinh(gpukit.zeros(2))
            tensor([0., 0.])
        """

    def sinh_(self) -> Tensor:
        """
        In place: Hyperbolic sine.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.sinh_() is x
            True
        """

    def size(self, dim: typing.Any = None) -> typing.Any:
        """
        The shape, or the size of one dimension.

        Args:
            dim: a dimension, or None for all.

        Returns:
            a tuple of ints, or one int.

        Raises:
            IndexError: dim is not a dimension of the tensor.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).size(), gpukit.ones(2, 3).size(1)
            ((2, 3), 3)
        """

    def softmax(
        self, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
    ) -> Tensor:
        """
        exp(input - m) / sum(exp(input - m)) along dim, with the largest m.

        Args:
            dim: the dimension, counted from the end when negative.
            dtype: a floating dtype to compute in and to answer in.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; dtype, or input's if floating, else the default.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DTypeError: dtype is not floating.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.softmax(gpukit.zeros(4), 0)
            tensor([0.2500, 0.2500, 0.2500, 0.2500])
        """

    def sort(
        self, dim: typing.Any = -1, descending: typing.Any = False, stable: typing.Any = True
    ) -> typing.Any:
        """
        Values in order along dim, and their places; stable; NaN is the largest.

        Args:
            dim: the dimension, counted from the end when negative.
            descending: the largest first.
            stable: taken for torch's sake; equal elements always keep their order.

        Returns:
            sort (values, indices), argsort the indices: input's shape; input's dtype and int64.

        Raises:
            IndexError: dim is not a dimension of the tensor.

        Example:
            >>> import gpukit
            >>> gpukit.sort(gpukit.tensor([3, 1, 2])).values
            tensor([1, 2, 3])
        """

    def split(self, split_size_or_sections: typing.Any, dim: typing.Any = 0) -> tuple[Tensor, ...]:
        """
        Views of a size, or of the listed sizes, along dim.

        Args:
            split_size_or_sections: an int, the size of all parts but perhaps the last; or a list of sizes.
            dim: the dimension, counted from the end when negative.

        Returns:
            a tuple of views.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: the size is not positive.
            ShapeError: the sizes do not add up.

        Example:
            >>> import gpukit
            >>> gpukit.split(gpukit.arange(5), [2, 3])
            (tensor([0, 1]), tensor([2, 3, 4]))
        """

    def sqrt(self, *, out: typing.Any = None) -> Tensor:
        """
        Square root.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.sqrt(gpukit.tensor([4.0, 9.0]))
            tensor([2., 3.])
        """

    def sqrt_(self) -> Tensor:
        """
        In place: Square root.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([4.0, 9.0]).sqrt_()
            tensor([2., 3.])
        """

    def square(self, *, out: typing.Any = None) -> Tensor:
        """
        input * input.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype; of bool, int64.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.square(gpukit.tensor([2, 3]))
            tensor([4, 9])
        """

    def square_(self) -> Tensor:
        """
        In place: input * input.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.square_() is x
            True
        """

    def squeeze(self, dim: typing.Any = None) -> Tensor:
        """
        Without dimensions of size 1: all of them, or those named. A view.

        Args:
            dim: a dimension, a tuple of them, or None for all; those of another size stay.

        Returns:
            a view.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.

        Example:
            >>> import gpukit
            >>> gpukit.squeeze(gpukit.ones(1, 3, 1)).shape
            (3,)
        """

    def std(
        self,
        dim: typing.Any = None,
        correction: typing.Any = None,
        keepdim: typing.Any = False,
        *,
        unbiased: typing.Any = None,
        out: typing.Any = None,
    ) -> Tensor:
        """
        Square root of var.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            correction: taken from the count, a number; None is 1.
            keepdim: keep reduced dimensions as dimensions of size 1.
            unbiased: torch's older form: True is correction 1, False is 0.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype. Where count - correction is not above 0, inf, or NaN if all elements are equal.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DTypeError: input is not floating.
            TypeError: correction and unbiased are both given.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.std(gpukit.tensor([1.0, 2.0, 3.0]))
            tensor(1.)
        """

    def storage_offset(self) -> builtins.int:
        """
        Elements before the first one in the shared memory.

        Returns:
            an int.

        Example:
            >>> import gpukit
            >>> gpukit.arange(5)[2:].storage_offset()
            2
        """

    def stride(self, dim: typing.Any = None) -> typing.Any:
        """
        Elements to step over for the next index: of all dimensions or of one.

        Args:
            dim: a dimension, or None for all.

        Returns:
            a tuple of ints, or one int.

        Raises:
            IndexError: dim is not a dimension of the tensor.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2, 3).stride()
            (3, 1)
        """

    def sub(self, other: typing.Any, *, alpha: typing.Any = 1, out: typing.Any = None) -> Tensor:
        """
        input - alpha * other.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            alpha: a number that other is multiplied by first, in the dtype of the result.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype that both have in common, where numbers count by their kind only.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.
            RangeError: alpha does not fit into the result's dtype.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.sub(gpukit.tensor([5, 6]), 1)
            tensor([4, 5])
        """

    def sub_(self, other: typing.Any, *, alpha: typing.Any = 1) -> Tensor:
        """
        In place: input - alpha * other.

        Args:
            other: a tensor that broadcasts to this one, or a number.
            alpha: a number that other is multiplied by first, in the dtype that both have in common.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.
            RangeError: alpha does not fit into that dtype.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).sub_(3)
            tensor([-2., -2.])
        """

    def subtract(
        self, other: typing.Any, *, alpha: typing.Any = 1, out: typing.Any = None
    ) -> Tensor:
        """
        The same as sub.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            alpha: a number that other is multiplied by first, in the dtype of the result.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype that both have in common, where numbers count by their kind only.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.
            RangeError: alpha does not fit into the result's dtype.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.subtract(gpukit.tensor([5, 6]), 1)
            tensor([4, 5])
        """

    def subtract_(self, other: typing.Any, *, alpha: typing.Any = 1) -> Tensor:
        """
        The same as sub_.

        Args:
            other: a tensor that broadcasts to this one, or a number.
            alpha: a number that other is multiplied by first, in the dtype that both have in common.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.
            RangeError: alpha does not fit into that dtype.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.subtract_(2) is x
            True
        """

    def sum(
        self,
        dim: typing.Any = None,
        keepdim: typing.Any = False,
        *,
        dtype: typing.Any = None,
        out: typing.Any = None,
    ) -> Tensor:
        """
        Sum over dim.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            keepdim: keep reduced dimensions as dimensions of size 1.
            dtype: a dtype or its name, for the result; None is the one under Returns.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype, but int64 for bool and other integers than uint64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: a dimension is named twice.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.sum(gpukit.ones(2, 3), dim=0)
            tensor([2., 2., 2.])
        """

    def swapaxes(self, dim0: typing.Any, dim1: typing.Any) -> Tensor:
        """
        The same as transpose.

        Args:
            dim0: the one dimension.
            dim1: the other.

        Returns:
            a view.

        Raises:
            IndexError: there is no such dimension.

        Example:
            >>> import gpukit
            >>> gpukit.swapaxes(gpukit.ones(2, 3), 0, 1).shape
            (3, 2)
        """

    def t(self) -> Tensor:
        """
        A matrix with its dimensions swapped; 0-d and 1-d tensors stay. A view.

        Returns:
            a view.

        Raises:
            ShapeError: input has more than two dimensions.

        Example:
            >>> import gpukit
            >>> gpukit.t(gpukit.tensor([[1, 2], [3, 4]]))
            tensor([[1, 3],
                    [2, 4]])
        """

    def take(self, index: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The flattened tensor at integer places, in the shape of index.

        Args:
            index: integers of any shape; negative ones count from the end.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            index's shape, input's dtype.

        Raises:
            DTypeError: index is not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.take(gpukit.tensor([[1, 2], [3, 4]]), gpukit.tensor([0, 3]))
            tensor([1, 4])
        """

    def take_along_dim(
        self, indices: typing.Any, dim: typing.Any = None, *, out: typing.Any = None
    ) -> Tensor:
        """
        As gather, with the other dimensions broadcast; without dim both are flattened.

        Args:
            indices: integers, of as many dimensions as input.
            dim: the dimension; None flattens both.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape of the other dimensions; input's dtype.

        Raises:
            ShapeError: indices do not fit.
            DTypeError: indices are not of an integer dtype.
            IndexError: an index or dim is out of range; of a GPU's index at the next wait.
            DeviceMismatchError: they are on different devices; an index may stay on the CPU.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> x = gpukit.tensor([[3, 1], [2, 4]])
            >>> gpukit.take_along_dim(x, gpukit.argsort(x, dim=1), dim=1)
            tensor([[1, 3],
                    [2, 4]])
        """

    def tan(self, *, out: typing.Any = None) -> Tensor:
        """
        Tangent of an angle in radians.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.tan(gpukit.zeros(2))
            tensor([0., 0.])
        """

    def tan_(self) -> Tensor:
        """
        In place: Tangent of an angle in radians.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.tan_() is x
            True
        """

    def tanh(self, *, out: typing.Any = None) -> Tensor:
        """
        Hyperbolic tangent.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.tanh(gpukit.tensor([0.0, 1.0]))
            tensor([0.0000, 0.7616])
        """

    def tanh_(self) -> Tensor:
        """
        In place: Hyperbolic tangent.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.zeros(2).tanh_()
            tensor([0., 0.])
        """

    def tensordot(
        self, other: typing.Any, dims: typing.Any = 2, *, out: typing.Any = None
    ) -> Tensor:
        """
        Products summed over dims: a number of dimensions (the last of input with the first of other), or two lists of them.

        Args:
            other: a tensor of input's dtype.
            dims: how many, or two lists of dimensions.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the dimensions of input that are left, then those of other; input's dtype.

        Raises:
            ShapeError: sizes differ, or the lists in length.
            IndexError: a list names no dimension.
            ValueError: so many dimensions are not there.
            DTypeError: dtypes differ, or are bool.
            DeviceMismatchError: the tensors are on different devices.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.tensordot(gpukit.ones(2, 3), gpukit.ones(3, 2), dims=1)
            tensor([[3., 3.],
                    [3., 3.]])
        """

    def tile(self, *dims: typing.Any) -> Tensor:
        """
        The tensor repeated dims times along its dimensions; missing counts at the front are 1.

        Args:
            dims: counts, ints or one tuple.

        Returns:
            a copy.

        Raises:
            ValueError: a count is negative.

        Example:
            >>> import gpukit
            >>> gpukit.tile(gpukit.tensor([1, 2]), 2)
            tensor([1, 2, 1, 2])
        """

    def to(
        self,
        device: typing.Any = None,
        dtype: typing.Any = None,
        non_blocking: typing.Any = False,
        copy: typing.Any = False,
        *,
        stream: typing.Any = None,
        other: typing.Any = None,
    ) -> Tensor:
        """
        The tensor on another device, in another dtype, or both; itself when nothing changes.

        Forms: to(device), to(dtype), to(device, dtype), to(other). With non_blocking=True the call returns while
        the copy is under way; whatever uses the result waits for it. The source is kept; change it in place only
        through gpukit until the copy is done.

        Args:
            device: a device, its name, or a dtype or tensor in its place.
            dtype: a dtype or its name; None keeps it.
            non_blocking: return while the copy is under way.
            copy: a copy also where nothing changes.
            stream: a stream to copy on; None is gpukit's own for copies.
            other: the tensor whose device and dtype are taken.

        Returns:
            a tensor of the same shape.

        Raises:
            InvalidDeviceError: device is no device.
            DeviceNotFoundError: it is not there.
            DTypeError: dtype is unknown.
            TransferError: the copy failed.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).to(gpukit.int64)
            tensor([1, 1])
        """

    def to_device(self, device: typing.Any, *, stream: typing.Any = None) -> Tensor:
        """
        The array API's name of to(device).

        Args:
            device: a device or its name.
            stream: a stream to copy on; None is gpukit's own for copies.

        Returns:
            a tensor of the same shape and dtype.

        Raises:
            InvalidDeviceError: device is no device.
            DeviceNotFoundError: it is not there.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).to_device("cpu").device
            device(type='cpu')
        """

    def tobytes(self) -> bytes:
        """
        The elements row by row as bytes. CPU tensors only.

        Returns:
            bytes, numel() * element_size() of them.

        Raises:
            DeviceError: the tensor is on a GPU.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([1, 2], dtype=gpukit.uint8).tobytes()
            b'\\x01\\x02'
        """

    def tolist(self) -> typing.Any:
        """
        Nested lists of Python numbers; one number for a 0-d tensor. Waits.

        Returns:
            lists as deep as the tensor has dimensions, of bool, int or float.

        Raises:
            TransferError: a copy failed.

        Example:
            >>> import gpukit
            >>> gpukit.tensor([[1, 2], [3, 4]]).tolist()
            [[1, 2], [3, 4]]
        """

    def topk(
        self,
        k: typing.Any,
        dim: typing.Any = -1,
        largest: typing.Any = True,
        sorted: typing.Any = True,
    ) -> typing.Any:
        """
        The k largest (or smallest) along dim, and their places.

        Args:
            k: how many.
            dim: the dimension, counted from the end when negative.
            largest: False takes the smallest.
            sorted: whether they must be in order; here they always are.

        Returns:
            (values, indices) with k elements along dim; input's dtype and int64.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ValueError: k is negative or above the size of dim.

        Example:
            >>> import gpukit
            >>> gpukit.topk(gpukit.tensor([3, 1, 2]), 2).values
            tensor([3, 2])
        """

    def trace(self) -> Tensor:
        """
        Sum of the diagonal of a matrix.

        Returns:
            0-d; input's dtype, but int64 for bool and other integers than uint64.

        Raises:
            ShapeError: input is not a matrix.

        Example:
            >>> import gpukit
            >>> gpukit.trace(gpukit.tensor([[1, 2], [3, 4]]))
            tensor(5)
        """

    def transpose(self, dim0: typing.Any, dim1: typing.Any) -> Tensor:
        """
        Two dimensions swapped. A view.

        Args:
            dim0: the one dimension.
            dim1: the other.

        Returns:
            a view.

        Raises:
            IndexError: there is no such dimension.

        Example:
            >>> import gpukit
            >>> gpukit.transpose(gpukit.ones(2, 3), 0, 1).shape
            (3, 2)
        """

    def tril(self, diagonal: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
        """
        The lower triangle of matrices, 0 elsewhere.

        Args:
            diagonal: the last diagonal that stays; 0 is the main one, above it positive.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            a copy of input's shape and dtype.

        Raises:
            ShapeError: input has less than two dimensions.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.tril(gpukit.ones(2, 2))
            tensor([[1., 0.],
                    [1., 1.]])
        """

    def triu(self, diagonal: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
        """
        The upper triangle of matrices, 0 elsewhere.

        Args:
            diagonal: the last diagonal that stays; 0 is the main one, above it positive.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            a copy of input's shape and dtype.

        Raises:
            ShapeError: input has less than two dimensions.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.triu(gpukit.ones(2, 2))
            tensor([[1., 1.],
                    [0., 1.]])
        """

    def true_divide(self, other: typing.Any, *, out: typing.Any = None) -> Tensor:
        """
        The same as div.

        Args:
            other: a tensor that broadcasts with input on the same device, or a number.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: uint64 beside signed integers.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.true_divide(gpukit.tensor([1, 2]), 2)
            tensor([0.5000, 1.0000])
        """

    def true_divide_(self, other: typing.Any) -> Tensor:
        """
        The same as div_.

        Args:
            other: a tensor that broadcasts to this one, or a number.

        Returns:
            the tensor itself.

        Raises:
            ShapeError: other does not broadcast to the tensor.
            DeviceMismatchError: the tensors are on different devices.
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.true_divide_(2) is x
            True
        """

    def trunc(self, *, out: typing.Any = None) -> Tensor:
        """
        Truncated towards zero; the dtype is kept.

        Args:
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            input's shape and dtype.

        Raises:
            TypeError: an argument is of another kind.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.trunc(gpukit.tensor([1.8, -1.8]))
            tensor([ 1., -1.])
        """

    def trunc_(self) -> Tensor:
        """
        In place: Truncated towards zero; the dtype is kept.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> x = gpukit.ones(2)
            >>> x.trunc_() is x
            True
        """

    def type(self, dtype: typing.Any = None) -> Tensor:
        """
        Converted to a dtype; itself when it has that dtype.

        Args:
            dtype: a dtype or its name.

        Returns:
            the same shape, of that dtype.

        Raises:
            DTypeError: dtype is unknown.
            TypeError: dtype is missing.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).type(gpukit.int32)
            tensor([1], dtype=gpukit.int32)
        """

    def type_as(self, other: typing.Any) -> Tensor:
        """
        Converted to the dtype and the device of another tensor.

        Args:
            other: a tensor.

        Returns:
            the same shape; itself when nothing changes.

        Raises:
            TransferError: the copy failed.

        Example:
            >>> import gpukit
            >>> gpukit.ones(1).type_as(gpukit.tensor([1])).dtype
            gpukit.int64
        """

    def unbind(self, dim: typing.Any = 0) -> tuple[Tensor, ...]:
        """
        A tuple of all slices along dim.

        Args:
            dim: the dimension, counted from the end when negative.

        Returns:
            a tuple of views with one dimension less.

        Raises:
            IndexError: dim is not a dimension of the tensor.

        Example:
            >>> import gpukit
            >>> gpukit.unbind(gpukit.tensor([[1, 2], [3, 4]]))
            (tensor([1, 2]), tensor([3, 4]))
        """

    def uniform_(
        self, from_: typing.Any = 0.0, to: typing.Any = 1.0, *, generator: typing.Any = None
    ) -> Tensor:
        """
        Fills with uniform numbers of [from, to).

        Args:
            from_: lower end of the range, included.
            to: upper end, not included.
            generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.

        Returns:
            the tensor itself, which must be floating.

        Raises:
            DTypeError: the tensor is not floating.
            ValueError: from_ is above to.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> 0 <= gpukit.empty(3).uniform_(0, 2).max().item() < 2
            True
        """

    def unique(
        self,
        sorted: typing.Any = True,
        return_inverse: typing.Any = False,
        return_counts: typing.Any = False,
    ) -> typing.Any:
        """
        The different values, ascending; with return_inverse and return_counts a tuple. Waits.

        Args:
            sorted: taken for torch's sake; the values are always in order.
            return_inverse: also where each element of input is among the values.
            return_counts: also how often each occurs.

        Returns:
            1-d values of input's dtype; inverse (input's shape) and counts are int64.

        Raises:
            TypeError: an argument is of another kind.

        Example:
            >>> import gpukit
            >>> gpukit.unique(gpukit.tensor([3, 1, 3]))
            tensor([1, 3])
        """

    def unsqueeze(self, dim: typing.Any) -> Tensor:
        """
        With a new dimension of size 1 at dim. A view.

        Args:
            dim: where the new dimension comes to stand, -ndim - 1 to ndim.

        Returns:
            a view.

        Raises:
            IndexError: dim is out of that range.

        Example:
            >>> import gpukit
            >>> gpukit.unsqueeze(gpukit.ones(3), 0).shape
            (1, 3)
        """

    def var(
        self,
        dim: typing.Any = None,
        correction: typing.Any = None,
        keepdim: typing.Any = False,
        *,
        unbiased: typing.Any = None,
        out: typing.Any = None,
    ) -> Tensor:
        """
        sum((input - mean)**2) / (count - correction) over dim: the variance.

        Args:
            dim: a dimension, a tuple of them, or None for all.
            correction: taken from the count, a number; None is 1.
            keepdim: keep reduced dimensions as dimensions of size 1.
            unbiased: torch's older form: True is correction 1, False is 0.
            out: a tensor for the result, of its shape and of a dtype that can hold it.

        Returns:
            without the dimensions of dim; input's dtype. Where count - correction is not above 0, inf, or NaN if all elements are equal.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            DTypeError: input is not floating.
            TypeError: correction and unbiased are both given.
            ShapeError: out has another shape than the result.
            DTypeError: out cannot hold the result's dtype.
            DeviceMismatchError: out is on another device.
            AutogradError: out is given where gradients are recorded.

        Example:
            >>> import gpukit
            >>> gpukit.var(gpukit.tensor([1.0, 2.0, 3.0]))
            tensor(1.)
        """

    def vecdot(self, other: typing.Any, dim: typing.Any = -1) -> Tensor:
        """
        Inner products along a dimension of what both broadcast to.

        Args:
            other: broadcasts with input; input's dtype. dim is of the broadcast shape.
            dim: the dimension, counted from the end when negative.

        Returns:
            the broadcast shape without dim; input's dtype.

        Raises:
            IndexError: dim is not a dimension of the tensor.
            ShapeError: the shapes do not broadcast.
            DTypeError: dtypes differ, or are bool.
            DeviceMismatchError: the tensors are on different devices.

        Example:
            >>> import gpukit
            >>> gpukit.vecdot(gpukit.ones(2, 3), gpukit.ones(2, 3))
            tensor([3., 3.])
        """

    def view(self, *shape: typing.Any) -> Tensor:
        """
        The same memory in another shape; ShapeError when that needs a copy.

        Args:
            shape: ints, or one tuple; one of them may be -1.

        Returns:
            input's elements and dtype in the new shape.

        Raises:
            ShapeError: the number of elements differs, or a view would need a copy.

        Example:
            >>> import gpukit
            >>> gpukit.arange(6).view(2, -1)
            tensor([[0, 1, 2],
                    [3, 4, 5]])
        """

    def view_as(self, other: typing.Any) -> Tensor:
        """
        view() in the shape of another tensor.

        Args:
            other: the tensor whose shape is taken.

        Returns:
            input's elements and dtype in the shape of other.

        Raises:
            ShapeError: input does not fit that shape.

        Example:
            >>> import gpukit
            >>> gpukit.arange(4).view_as(gpukit.ones(2, 2))
            tensor([[0, 1],
                    [2, 3]])
        """

    def wait(self, timeout: typing.Any = None) -> Tensor:
        """
        Waits for the copies and the queued work before it, `timeout` seconds at most; gives the tensor itself.

        Args:
            timeout: seconds; None is for ever.

        Returns:
            the tensor itself.

        Raises:
            TimeoutError: it was not ready in time.
            TransferError: a copy failed.
            ValueError: timeout is negative.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).wait()
            tensor([1., 1.])
        """

    def where(self, condition: typing.Any, other: typing.Any) -> Tensor:
        """
        input where condition is true, else other; all three broadcast.

        Args:
            condition: a bool tensor.
            other: a tensor or a number.

        Returns:
            the broadcast shape of all three; the dtype that input and other have in common. A tuple of int64 tensors without them.

        Raises:
            ShapeError: the shapes do not broadcast.
            DeviceMismatchError: the tensors are on different devices.
            RangeError: a number does not fit into the dtype.
            TypeError: one of input and other is missing.
            DTypeError: condition is not bool, or the dtypes have none in common.

        Example:
            >>> import gpukit
            >>> gpukit.where(gpukit.tensor([True, False]), 1, 0)
            tensor([1, 0])
        """

    def zero_(self) -> Tensor:
        """
        Sets all elements to 0.

        Returns:
            the tensor itself.

        Raises:
            DTypeError: the tensor's dtype cannot hold the result.
            AutogradError: the tensor is a leaf that requires a gradient.

        Example:
            >>> import gpukit
            >>> gpukit.ones(2).zero_()
            tensor([0., 0.])
        """

    @property
    def T(self) -> Tensor: ...
    @property
    def __array_priority__(self) -> builtins.int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, typing.Any]: ...
    @property
    def data(self) -> Tensor: ...
    @data.setter
    def data(self, value: Tensor) -> None: ...
    @property
    def device(self) -> device: ...
    @property
    def dtype(self) -> dtype: ...
    @property
    def grad(self) -> Tensor | None: ...
    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_fn(self) -> GraphNode | None: ...
    @property
    def is_cpu(self) -> builtins.bool: ...
    @property
    def is_cuda(self) -> builtins.bool: ...
    @property
    def is_leaf(self) -> builtins.bool: ...
    @property
    def itemsize(self) -> builtins.int: ...
    @property
    def layout(self) -> str: ...
    @property
    def mT(self) -> Tensor: ...
    @property
    def nbytes(self) -> builtins.int: ...
    @property
    def ndim(self) -> builtins.int: ...
    @property
    def requires_grad(self) -> builtins.bool: ...
    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None: ...
    @property
    def retains_grad(self) -> builtins.bool: ...
    @property
    def shape(self) -> tuple[builtins.int, ...]: ...

class GraphNode:
    """
    A recorded operation: what tensor.grad_fn is.
    """

    def __eq__(self, arg0: typing.Any) -> builtins.bool: ...
    def __getstate__(self) -> typing.Any: ...
    def __hash__(self) -> builtins.int: ...
    def __reduce__(self) -> typing.Any: ...
    def __repr__(self) -> str: ...
    def name(self) -> str:
        """
        The name, as torch has it: 'AddBackward0'.
        """

    @property
    def next_functions(self) -> tuple[typing.Any, ...]:
        """
        The nodes of the inputs as (node, 0) pairs; (None, -1) for an input without a gradient.
        """

class RemovableHandle:
    """
    Takes a hook away again.
    """

    def __getstate__(self) -> typing.Any: ...
    def __reduce__(self) -> typing.Any: ...
    def remove(self) -> None:
        """
        Takes the hook away; a second time does nothing.
        """

class ModuleBase:
    """
    Calls forward; an error from inside gets the layer's name.
    """

    def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        """
        Call self as a function.
        """

class Stream:
    """
    A queue of work on one CUDA device: Stream(device=None, priority=0). Lower priorities run first.

    Args:
        device: a device, its name or its index; None is the current CUDA device.
        priority: an int; the lowest runs first.

    Raises:
        DeviceNotFoundError: there is no such GPU.
        ValueError: the card has no such priority.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     side = gpukit.cuda.Stream()
        ...     with gpukit.cuda.stream(side):
        ...         x = gpukit.ones(3, device="cuda") + 1
        ...     gpukit.cuda.current_stream().wait_stream(side)
        ...     x.tolist()
        [2.0, 2.0, 2.0]
    """

    def __cuda_stream__(self) -> tuple[builtins.int, builtins.int]:
        """
        The CUDA stream protocol: (version, handle).
        """

    def __eq__(self, arg0: typing.Any) -> builtins.bool: ...
    def __getstate__(self) -> typing.Any: ...
    def __hash__(self) -> builtins.int: ...
    def __init__(self, device: typing.Any = None, priority: typing.Any = 0) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def __repr__(self) -> str: ...
    def query(self) -> builtins.bool:
        """
        True when all queued work is done.
        """

    def record_event(self, event: typing.Any = None) -> typing.Any:
        """
        Marks the work queued so far; gives the event.

        Args:
            event: an Event; None makes one.

        Raises:
            TypeError: it is no Event.
        """

    def synchronize(self) -> None:
        """
        Waits until all queued work is done.
        """

    def wait_event(self, event: typing.Any) -> None:
        """
        Makes later work wait for an event.

        Args:
            event: an Event.

        Raises:
            TypeError: it is no Event.
        """

    def wait_stream(self, stream: typing.Any) -> None:
        """
        Makes later work wait for what another stream has queued so far.

        Args:
            stream: a Stream.

        Raises:
            TypeError: it is no Stream.
        """

    @property
    def cuda_stream(self) -> builtins.int:
        """
        The driver's handle as an int.
        """

    @property
    def device(self) -> device:
        """
        Its device.
        """

    @property
    def priority(self) -> builtins.int:
        """
        Its priority.
        """

class ExternalStream(Stream):
    """
    A stream that another library made, by its handle: ExternalStream(ptr, device=None).

    gpukit does not free it; it must live as long as the tensors that were used on it.

    Args:
        ptr: the CUstream as an int; 0 is the legacy stream.
        device: a device, its name or its index; None is the current CUDA device.

    Raises:
        ValueError: ptr is negative.
        DeviceNotFoundError: there is no such GPU.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     theirs = gpukit.cuda.Stream()  # in earnest: another library's
        ...     gpukit.cuda.ExternalStream(theirs.cuda_stream) == theirs
        True
    """

    def __init__(self, ptr: typing.Any, device: typing.Any = None) -> None: ...

class Event:
    """
    A mark in a stream: Event(enable_timing=False, blocking=False).

    With timing, elapsed_time gives milliseconds between two events; blocking waits sleep instead of polling.

    Args:
        enable_timing: keep the time.
        blocking: sleep in synchronize() instead of polling.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     start = gpukit.cuda.Event(enable_timing=True)
        ...     end = gpukit.cuda.Event(enable_timing=True)
        ...     start.record()
        ...     x = gpukit.ones(1000, device="cuda") * 2
        ...     end.record()
        ...     end.synchronize()
        ...     start.elapsed_time(end) > 0
        True
    """

    def __getstate__(self) -> typing.Any: ...
    def __init__(self, enable_timing: typing.Any = False, blocking: typing.Any = False) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def elapsed_time(self, end_event: typing.Any) -> builtins.float:
        """
        Milliseconds from this event to a later one; both need enable_timing=True.

        Args:
            end_event: an Event.

        Returns:
            a float.

        Raises:
            GpukitError: one was not recorded, or keeps no time.
            DeviceMismatchError: they are of different devices.
        """

    def query(self) -> builtins.bool:
        """
        True when the marked work is done.
        """

    def record(self, stream: typing.Any = None) -> None:
        """
        Marks the work queued so far on a stream, by default the current one.

        Args:
            stream: a Stream; None is the current one.

        Raises:
            TypeError: it is no Stream.
        """

    def synchronize(self) -> None:
        """
        Waits until the marked work is done.
        """

    def wait(self, stream: typing.Any = None) -> None:
        """
        Makes later work of a stream wait for the event.

        Args:
            stream: a Stream; None is the current one.

        Raises:
            TypeError: it is no Stream.
        """

class CUDAGraph:
    """
    Work of a GPU that was captured once and runs again with one launch.

    Fill it with gpukit.cuda.graph. Its memory, and every tensor it reads or writes, stay until reset().

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     x, g = gpukit.zeros(2, device='cuda'), gpukit.cuda.CUDAGraph()
        ...     with gpukit.cuda.graph(g):
        ...         _ = x.add_(1)
        ...     g.replay()
        ...     g.replay()
        ...     x.tolist()
        [2.0, 2.0]
    """

    def __getstate__(self) -> typing.Any: ...
    def __init__(self) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def capture_begin(self) -> None:
        """
        Records what this thread queues on the current stream from now on, instead of running it; gpukit.cuda.graph does this.
        """

    def capture_end(self) -> None:
        """
        Ends the recording and makes the graph ready to run. DeviceError when the block queued nothing.
        """

    def follow(self, group: typing.Any) -> None:
        """
        Private: the steps recorded since the last call take their rate from this dict.
        """

    def replay(self) -> None:
        """
        Runs the captured work on the current stream and does not wait. Random numbers go on, optimizers count their steps and take the learning rate of the moment.
        """

    def reset(self) -> None:
        """
        Lets the graph and its memory go; it can be filled again. DeviceError while another thread captures it.
        """

class WaitLog:
    """
    Counts Python's waits for devices, by line.
    """

    def __getstate__(self) -> typing.Any: ...
    def __init__(
        self,
        mode: str,
        min_bytes: typing.SupportsInt | typing.SupportsIndex,
        include: collections.abc.Sequence[str],
    ) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def rows(self) -> list[typing.Any]:
        """
        (file, line, function, kind, count, bytes, seconds) for each line and kind.
        """

    def start(self) -> None:
        """
        Begins to count.
        """

    def stop(self) -> None:
        """
        Ends counting.
        """

    @property
    def idle_seconds(self) -> builtins.float:
        """
        Of these, seconds in which nothing was queued after a wait.
        """

    @property
    def seconds(self) -> builtins.float:
        """
        Seconds from start to stop or now.
        """

def abs(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Absolute value.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.abs(gpukit.tensor([-1.5, 2.0]))
        tensor([1.5000, 2.0000])
    """

def absolute(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    The same as abs.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.absolute(gpukit.tensor([-1.5, 2.0]))
        tensor([1.5000, 2.0000])
    """

def acos(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Inverse cosine, in radians.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.acos(gpukit.tensor([1.0, 0.0]))
        tensor([0.0000, 1.5708])
    """

def acosh(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Inverse hyperbolic cosine.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.acosh(gpukit.tensor([1.0, 2.0]))
        tensor([0.0000, 1.3170])
    """

def adam_step(
    params: typing.Any,
    exp_avgs: typing.Any,
    exp_avg_sqs: typing.Any,
    max_exp_avg_sqs: typing.Any,
    steps: typing.Any,
    lr: typing.Any,
    beta1: typing.Any,
    beta2: typing.Any,
    eps: typing.Any,
    weight_decay: typing.Any = 0,
    decoupled: typing.Any = False,
    maximize: typing.Any = False,
) -> builtins.bool:
    """
    One step of Adam, or of AdamW with decoupled, for all parameters that have a gradient. Missing states are made and put into their lists; True when there were any.
    """

def add(
    input: Tensor, other: typing.Any, *, alpha: typing.Any = 1, out: typing.Any = None
) -> Tensor:
    """
    input + alpha * other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        alpha: a number that other is multiplied by first, in the dtype of the result.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype that both have in common, where numbers count by their kind only.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.
        RangeError: alpha does not fit into the result's dtype.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.add(gpukit.ones(2), 1)
        tensor([2., 2.])
    """

def addmm(
    input: Tensor,
    mat1: typing.Any,
    mat2: typing.Any,
    *,
    beta: typing.Any = 1,
    alpha: typing.Any = 1,
    out: typing.Any = None,
) -> Tensor:
    """
    beta * input + alpha * mat1 @ mat2; input broadcasts.

    Args:
        input: broadcasts to (n, p).
        mat1: (n, m), of input's dtype.
        mat2: (m, p), of input's dtype.
        beta: a number; whole for integers.
        alpha: a number; whole for integers.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (n, p), input's dtype.

    Raises:
        ShapeError: sizes do not fit.
        DTypeError: dtypes differ, or a factor is not whole.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.addmm(gpukit.ones(2), gpukit.eye(2), gpukit.eye(2))
        tensor([[2., 1.],
                [1., 2.]])
    """

def all(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
) -> Tensor:
    """
    True when no element is 0.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; bool.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.all(gpukit.tensor([True, False]))
        tensor(False)
    """

def allclose(
    input: Tensor,
    other: typing.Any,
    rtol: typing.Any = 1e-05,
    atol: typing.Any = 1e-08,
    equal_nan: typing.Any = False,
) -> builtins.bool:
    """
    True when all elements are close. Waits for the answer.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input.
        rtol: tolerance relative to |other|.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Returns:
        a Python bool: whether all are close.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.

    Example:
        >>> import gpukit
        >>> gpukit.allclose(gpukit.ones(2), gpukit.ones(2) + 1e-7)
        True
    """

def amax(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
) -> Tensor:
    """
    Largest elements over dim, which may be a tuple.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.
        DimensionError: there are no elements to choose from.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.amax(gpukit.tensor([[1, 5], [3, 2]]), dim=1)
        tensor([5, 3])
    """

def amin(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
) -> Tensor:
    """
    Smallest elements over dim, which may be a tuple.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.
        DimensionError: there are no elements to choose from.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.amin(gpukit.tensor([[1, 5], [3, 2]]), dim=1)
        tensor([1, 2])
    """

def any(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
) -> Tensor:
    """
    True when an element is not 0.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; bool.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.any(gpukit.tensor([[True, False], [False, False]]), dim=1)
        tensor([ True, False])
    """

def arange(
    start: typing.Any = None,
    end: typing.Any = None,
    step: typing.Any = 1,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    Numbers from start (0) up to but without end: arange(end) or arange(start, end, step).

    Args:
        start: the first number; None is 0.
        end: where to stop, not included.
        step: the distance, not 0.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        1-d; dtype, or int64 if all are ints or bools, else the default floating dtype.

    Raises:
        ValueError: step is 0 or leads away from end.
        DTypeError: dtype is unknown or bool, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.arange(1, 7, 2)
        tensor([1, 3, 5])
    """

def argmax(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
) -> Tensor:
    """
    Place of the largest element, the first of equal ones; int64.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, or None for the place in the flattened tensor.
        keepdim: keep reduced dimensions as dimensions of size 1.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without dimension dim; int64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DimensionError: there are no elements to choose from.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.argmax(gpukit.tensor([1.0, 5.0, 2.0])).item()
        1
    """

def argmin(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, out: typing.Any = None
) -> Tensor:
    """
    Place of the smallest element, the first of equal ones; int64.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, or None for the place in the flattened tensor.
        keepdim: keep reduced dimensions as dimensions of size 1.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without dimension dim; int64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DimensionError: there are no elements to choose from.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.argmin(gpukit.tensor([4.0, 1.0, 2.0])).item()
        1
    """

def argsort(
    input: Tensor, dim: typing.Any = -1, descending: typing.Any = False, stable: typing.Any = True
) -> Tensor:
    """
    Places of the elements in order along dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        descending: the largest first.
        stable: taken for torch's sake; equal elements always keep their order.

    Returns:
        sort (values, indices), argsort the indices: input's shape; input's dtype and int64.

    Raises:
        IndexError: dim is not a dimension of the tensor.

    Example:
        >>> import gpukit
        >>> gpukit.argsort(gpukit.tensor([3, 1, 2]))
        tensor([1, 2, 0])
    """

def argwhere(input: Tensor) -> Tensor:
    """
    The same as nonzero.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        (count, ndim), int64; rows in the order of the elements.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.argwhere(gpukit.tensor([0, 5]))
        tensor([[1]])
    """

def as_tensor(data: typing.Any, dtype: typing.Any = None, device: typing.Any = None) -> Tensor:
    """
    A tensor of data that shares its memory where possible.

    Args:
        data: as for tensor(), or anything with __dlpack__ or a buffer.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is where the data lie, lists on the default device.

    Returns:
        the shape of the data; their dtype, lists as in tensor().

    Raises:
        ValueError: lists of one level differ in length, or copy=False would need a copy.
        TypeError: the data are something else, or hold numbers beside lists.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(2)
        >>> gpukit.as_tensor(x) is x
        True
    """

def asarray(
    obj: typing.Any, *, dtype: typing.Any = None, device: typing.Any = None, copy: typing.Any = None
) -> Tensor:
    """
    The array API's as_tensor: copy=True always copies, copy=False raises ValueError instead of copying.

    Args:
        obj: as for tensor(), or anything with __dlpack__ or a buffer.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is where the data lie, lists on the default device.
        copy: None copies where it must, True always, False never.

    Returns:
        the shape of the data; their dtype, lists as in tensor().

    Raises:
        ValueError: lists of one level differ in length, or copy=False would need a copy.
        TypeError: the data are something else, or hold numbers beside lists.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.asarray([1.0, 2.0])
        tensor([1., 2.])
    """

def asin(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Inverse sine, in radians.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.asin(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 1.5708])
    """

def asinh(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Inverse hyperbolic sine.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.asinh(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8814])
    """

def atan(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Inverse tangent, in radians.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.atan(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7854])
    """

def atan2(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Angle of the point (other, input) in radians, from -pi to pi.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.atan2(gpukit.tensor([1.0]), gpukit.tensor([-1.0]))
        tensor([2.3562])
    """

def atanh(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Inverse hyperbolic tangent.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.atanh(gpukit.tensor([0.0, 0.5]))
        tensor([0.0000, 0.5493])
    """

def autograd_grad(
    outputs: typing.Any,
    inputs: typing.Any,
    grad_outputs: typing.Any,
    retain_graph: typing.Any,
    create_graph: typing.Any,
    allow_unused: typing.Any,
) -> tuple[typing.Any, ...]:
    """
    See gpukit.autograd.grad.
    """

def begin_count(device: typing.Any) -> None:
    """
    Counts the operations of a device from now on. Costs nothing before.
    """

def bernoulli(input: Tensor, *, generator: typing.Any = None) -> Tensor:
    """
    1 with the probability that input names, else 0.

    Args:
        input: probabilities, floating.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.

    Returns:
        input's shape and dtype.

    Raises:
        DTypeError: input is not floating.
        ValueError: on the CPU, one lies outside 0 to 1.

    Example:
        >>> import gpukit
        >>> gpukit.bernoulli(gpukit.tensor([0.0, 1.0]))
        tensor([0., 1.])
    """

def bincount(input: Tensor, weights: typing.Any = None, minlength: typing.Any = 0) -> Tensor:
    """
    How often each number from 0 on occurs, or the sum of the weights beside it. Waits for the largest.

    Args:
        input: integers, 0 or more, 1-d.
        weights: as many numbers, or None.
        minlength: the least length of the result.

    Returns:
        1-d; int64, or floating with weights.

    Raises:
        ShapeError: input is not 1-d, or weights have another length.
        DTypeError: input is not of integers.
        ValueError: a number or minlength is negative.

    Example:
        >>> import gpukit
        >>> gpukit.bincount(gpukit.tensor([0, 2, 2]))
        tensor([1, 0, 2])
    """

def bitwise_and(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Bitwise AND; logical AND for bool.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the integer dtype in common, or bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: one is floating, or the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.bitwise_and(gpukit.tensor([6]), gpukit.tensor([3]))
        tensor([2])
    """

def bitwise_left_shift(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Left shift by other bits.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the integer dtype in common.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: one is floating, or both are bool.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.bitwise_left_shift(gpukit.tensor([3]), 2)
        tensor([12])
    """

def bitwise_not(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Bitwise NOT; logical NOT for bool.

    Args:
        input: a tensor of any shape; integers or bool.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        DTypeError: input is floating.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.bitwise_not(gpukit.tensor([0, 5]))
        tensor([-1, -6])
    """

def bitwise_or(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Bitwise OR; logical OR for bool.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the integer dtype in common, or bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: one is floating, or the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.bitwise_or(gpukit.tensor([6]), gpukit.tensor([3]))
        tensor([7])
    """

def bitwise_right_shift(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Arithmetic right shift by other bits: the sign is kept.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the integer dtype in common.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: one is floating, or both are bool.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.bitwise_right_shift(gpukit.tensor([-8, 12]), 2)
        tensor([-2,  3])
    """

def bitwise_xor(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Bitwise XOR; logical XOR for bool.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the integer dtype in common, or bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: one is floating, or the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.bitwise_xor(gpukit.tensor([6]), gpukit.tensor([3]))
        tensor([5])
    """

def block_of(tensor: Tensor) -> tuple[builtins.int, builtins.int, str, builtins.int]:
    """
    (number of the block, bytes, file, line) of a tensor's memory; the line that made it is known for blocks of 1 MiB and more.
    """

def bmm(input: Tensor, mat2: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Products of two stacks of matrices, (b, n, m) and (b, m, p).

    Args:
        input: (b, n, m).
        mat2: (b, m, p), of input's dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (b, n, p), input's dtype.

    Raises:
        ShapeError: sizes do not fit.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.bmm(gpukit.ones(2, 3, 4), gpukit.ones(2, 4, 5)).shape
        (2, 3, 5)
    """

def broadcast_shapes(*shapes: typing.Any) -> tuple[builtins.int, ...]:
    """
    The shape that tensors of these shapes broadcast to.

    Args:
        shapes: tuples of ints.

    Returns:
        a tuple of ints.

    Raises:
        ShapeError: the shapes do not broadcast.
        ValueError: a size is negative.

    Example:
        >>> import gpukit
        >>> gpukit.broadcast_shapes((2, 1), (3,))
        (2, 3)
    """

def broadcast_tensors(*tensors: typing.Any) -> tuple[Tensor, ...]:
    """
    The tensors broadcast to one shape, as views.

    Args:
        tensors: tensors of any dtypes.

    Returns:
        a tuple of views of one shape.

    Raises:
        ShapeError: the shapes do not broadcast.

    Example:
        >>> import gpukit
        >>> [x.shape for x in gpukit.broadcast_tensors(gpukit.ones(3, 1), gpukit.ones(2))]
        [(3, 2), (3, 2)]
    """

def broadcast_to(input: Tensor, size: typing.Any) -> Tensor:
    """
    Broadcast to a shape without copying.

    Args:
        input: a tensor of any shape and dtype.
        size: the new shape; -1 keeps a size, new dimensions come first.

    Returns:
        a view in which repeated elements share memory.

    Raises:
        ShapeError: a size other than 1 would change.

    Example:
        >>> import gpukit
        >>> gpukit.broadcast_to(gpukit.tensor([1, 2]), (2, 2))
        tensor([[1, 2],
                [1, 2]])
    """

def build_info() -> dict[str, typing.Any]:
    """
    Version, compiler, architectures, and how kernel images are stored.
    """

def can_access_peer(
    device: typing.SupportsInt | typing.SupportsIndex,
    peer: typing.SupportsInt | typing.SupportsIndex,
) -> builtins.bool:
    """
    True when one device reads the other's memory directly.
    """

def can_cast(from_: typing.Any, to: typing.Any) -> builtins.bool:
    """
    True when an in-place operation may store one dtype in another: the kind does not fall.

    Args:
        from_: a dtype or its name.
        to: another one.

    Raises:
        DTypeError: there is no such dtype.

    Example:
        >>> import gpukit
        >>> gpukit.can_cast(gpukit.float32, gpukit.int64)
        False
    """

def cat(tensors: typing.Any, dim: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
    """
    Tensors one after the other along dim.

    Args:
        tensors: a list or tuple of tensors whose sizes agree but for dim.
        dim: the dimension, counted from the end when negative.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the dtype that all have in common.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: tensors is empty.
        ShapeError: sizes differ.
        DTypeError: the dtypes have none in common.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.cat([gpukit.zeros(2), gpukit.ones(1)])
        tensor([0., 0., 1.])
    """

def cbrt(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Cube root; of negative numbers too.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.cbrt(gpukit.tensor([-8.0, 27.0]))
        tensor([-2.,  3.])
    """

def ceil(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Smallest integer not less than each element; the dtype is kept.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.ceil(gpukit.tensor([1.2, -1.2]))
        tensor([ 2., -1.])
    """

def chunk(input: Tensor, chunks: typing.Any, dim: typing.Any = 0) -> tuple[Tensor, ...]:
    """
    At most `chunks` views of nearly equal size along dim.

    Args:
        input: a tensor of any shape and dtype.
        chunks: how many at most; of an empty dimension, how many.
        dim: the dimension, counted from the end when negative.

    Returns:
        a tuple of views.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: chunks is not positive.

    Example:
        >>> import gpukit
        >>> gpukit.chunk(gpukit.arange(5), 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
    """

def clamp(
    input: Tensor, min: typing.Any = None, max: typing.Any = None, *, out: typing.Any = None
) -> Tensor:
    """
    Limited to [min, max]; NaN stays.

    Args:
        input: a tensor of any shape and dtype.
        min: the lower bound, a number; None is no bound.
        max: the upper bound, likewise; it wins where min is above it.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; the dtype that input and the bounds have in common.

    Raises:
        ValueError: neither min nor max is given.
        RangeError: a bound does not fit into the dtype.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.clamp(gpukit.tensor([-1.0, 5.0]), min=0, max=1)
        tensor([0., 1.])
    """

def clear_gradients(params: typing.Any) -> None:
    """
    Sets grad to None on every tensor of a list.
    """

def clip(
    input: Tensor, min: typing.Any = None, max: typing.Any = None, *, out: typing.Any = None
) -> Tensor:
    """
    The same as clamp.

    Args:
        input: a tensor of any shape and dtype.
        min: the lower bound, a number; None is no bound.
        max: the upper bound, likewise; it wins where min is above it.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; the dtype that input and the bounds have in common.

    Raises:
        ValueError: neither min nor max is given.
        RangeError: a bound does not fit into the dtype.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.clip(gpukit.tensor([-2, 0, 7]), 0, 5)
        tensor([0, 0, 5])
    """

def clone(input: Tensor) -> Tensor:
    """
    A contiguous copy on the same device.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        a tensor of the same shape and dtype, row by row without gaps.

    Example:
        >>> import gpukit
        >>> x = gpukit.ones(2)
        >>> y = gpukit.clone(x)
        >>> y[0] = 5
        >>> x, y
        (tensor([1., 1.]), tensor([5., 1.]))
    """

def concat(tensors: typing.Any, dim: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
    """
    The same as cat.

    Args:
        tensors: a list or tuple of tensors whose sizes agree but for dim.
        dim: the dimension, counted from the end when negative.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the dtype that all have in common.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: tensors is empty.
        ShapeError: sizes differ.
        DTypeError: the dtypes have none in common.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.concat([gpukit.zeros(1), gpukit.ones(2)])
        tensor([0., 1., 1.])
    """

def concatenate(tensors: typing.Any, dim: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
    """
    The same as cat.

    Args:
        tensors: a list or tuple of tensors whose sizes agree but for dim.
        dim: the dimension, counted from the end when negative.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the dtype that all have in common.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: tensors is empty.
        ShapeError: sizes differ.
        DTypeError: the dtypes have none in common.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.concatenate([gpukit.zeros(1), gpukit.ones(2)])
        tensor([0., 1., 1.])
    """

def copysign(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Magnitude of input with the sign of other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.copysign(gpukit.tensor([1.0, -2.0]), gpukit.tensor([-1.0, 1.0]))
        tensor([-1.,  2.])
    """

def cos(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Cosine of an angle in radians.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.cos(gpukit.zeros(2))
        tensor([1., 1.])
    """

def cosh(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Hyperbolic cosine.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.cosh(gpukit.zeros(2))
        tensor([1., 1.])
    """

def count_nonzero(input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False) -> Tensor:
    """
    How many elements are not 0; int64.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.

    Returns:
        without the dimensions of dim; int64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.

    Example:
        >>> import gpukit
        >>> gpukit.count_nonzero(gpukit.tensor([0, 3, 0, 4])).item()
        2
    """

def cpu_simd() -> str:
    """
    The vector instructions of the CPU's loops, in the words of GPUKIT_SIMD.
    """

def crc32(data: typing.Any, value: typing.SupportsInt | typing.SupportsIndex = 0) -> builtins.int:
    """
    zlib.crc32, several times as fast. Other threads run meanwhile.
    """

def cross_entropy(
    input: Tensor,
    target: typing.Any,
    weight: typing.Any = None,
    ignore_index: typing.Any = -100,
    label_smoothing: typing.Any = 0.0,
    reduction: typing.Any = "mean",
) -> Tensor:
    """
    Cross-entropy of rows of logits and class numbers, softmax and reduction in one pass.
    """

def cuda_device_count() -> builtins.int:
    """
    Number of usable CUDA devices. Starts the driver; 0 when there is none.
    """

def cuda_is_simulated() -> builtins.bool:
    """
    True when the CUDA devices of now are simulated.
    """

def cumprod(
    input: Tensor, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
) -> Tensor:
    """
    Running products along dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype, but int64 for bool and other integers than uint64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.cumprod(gpukit.tensor([1, 2, 3, 4]), 0)
        tensor([ 1,  2,  6, 24])
    """

def cumsum(
    input: Tensor, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
) -> Tensor:
    """
    Running sums along dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype, but int64 for bool and other integers than uint64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.cumsum(gpukit.ones(3), 0)
        tensor([1., 2., 3.])
    """

def current_cuda_index() -> builtins.int:
    """
    Index of this thread's current CUDA device.
    """

def current_graph() -> CUDAGraph:
    """
    The CUDAGraph that this thread captures, or None.
    """

def current_stream(device: typing.Any = None) -> Stream:
    """
    This thread's current stream of a device.

    Args:
        device: a device, its name or its index; None is the current CUDA device.

    Raises:
        DeviceNotFoundError: the device is not there.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.current_stream() == gpukit.cuda.default_stream()
        True
    """

def default_stream(device: typing.Any = None) -> Stream:
    """
    gpukit's own stream of a device.

    Args:
        device: a device, its name or its index; None is the current CUDA device.

    Raises:
        DeviceNotFoundError: the device is not there.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     gpukit.cuda.default_stream().device
        device(type='cuda', index=0)
    """

def device_properties(index: typing.SupportsInt | typing.SupportsIndex) -> dict[str, typing.Any]:
    """
    Properties of a CUDA device as a dict.
    """

def device_use() -> list[typing.Any]:
    """
    (pieces of work, changes of stream, last stream) of each GPU since the process began.
    """

def diag(input: Tensor, diagonal: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
    """
    A matrix with the vector on its diagonal, or the diagonal of a matrix as a vector. A copy.

    Args:
        input: a vector or a matrix.
        diagonal: 0 is the main diagonal, above it positive.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a copy; input's dtype.

    Raises:
        ShapeError: input is neither a vector nor a matrix.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.diag(gpukit.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
    """

def diagonal(input: Tensor, offset: typing.Any = 0) -> Tensor:
    """
    The diagonal of a matrix. A view.

    Args:
        input: two dimensions or more; the first two make the matrix.
        offset: 0 is the main diagonal, above it positive.

    Returns:
        a view; the diagonal is the last dimension.

    Raises:
        DimensionError: input has less than two dimensions.

    Example:
        >>> import gpukit
        >>> gpukit.diagonal(gpukit.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """

def diff(
    input: Tensor,
    n: typing.Any = 1,
    dim: typing.Any = -1,
    prepend: typing.Any = None,
    append: typing.Any = None,
    *,
    out: typing.Any = None,
) -> Tensor:
    """
    Differences of neighbours along dim, n times over; of bool, whether they differ.

    Args:
        input: a tensor of any shape and dtype.
        n: how often.
        dim: the dimension, counted from the end when negative.
        prepend: a tensor put before input along dim first.
        append: a tensor put behind it.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        n elements less along dim, none below 0; the dtype that input, prepend and append have in common.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: n is negative.
        ShapeError: input is 0-d, or another tensor does not fit.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.diff(gpukit.tensor([1, 4, 9]))
        tensor([3, 5])
    """

def div(
    input: Tensor, other: typing.Any, *, rounding_mode: typing.Any = None, out: typing.Any = None
) -> Tensor:
    """
    input / other; integers give floating results. rounding_mode 'floor' or 'trunc' rounds the quotient.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; floating; with a rounding_mode integers stay integers, and over 0 they give 0.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: both are bool beside a rounding_mode, or the dtypes have none in common.
        ValueError: rounding_mode is another one.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.div(gpukit.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4])
    """

def divide(
    input: Tensor, other: typing.Any, *, rounding_mode: typing.Any = None, out: typing.Any = None
) -> Tensor:
    """
    The same as div.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        rounding_mode: None, 'floor' (down) or 'trunc' (towards 0).
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; floating; with a rounding_mode integers stay integers, and over 0 they give 0.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: both are bool beside a rounding_mode, or the dtypes have none in common.
        ValueError: rounding_mode is another one.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.divide(gpukit.tensor([1, 2]), 2)
        tensor([0.5000, 1.0000])
    """

def dot(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Inner product of two vectors.

    Args:
        input: (n,).
        other: (n,), of input's dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        0-d, input's dtype.

    Raises:
        ShapeError: sizes do not fit.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.dot(gpukit.tensor([1.0, 2.0]), gpukit.tensor([3.0, 4.0]))
        tensor(11.)
    """

def driver_report() -> dict[str, typing.Any]:
    """
    What was found of driver and cuBLAS, with every place tried.
    """

def dtype_rows() -> list[typing.Any]:
    """
    The table of dtypes, for gpukit._dtypes.
    """

def einsum(equation: typing.Any, *operands: typing.Any) -> Tensor:
    """
    Sums of products, written with a letter for each dimension: 'ij,jk->ik' is a matrix product.

    '...' stands for dimensions that broadcast; without '->' the result has the letters that occur once, in alphabetical
    order. Operands are taken from left to right, each pair as one batched product.

    Args:
        equation: text such as 'ij,jk->ik'.
        operands: a tensor for each part, or one list of them.

    Returns:
        the shape that the letters behind '->' say; the operands' dtype.

    Raises:
        ValueError: the equation is wrong, or names another number of operands.
        ShapeError: a letter has two sizes, or an operand another number of dimensions.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.

    Example:
        >>> import gpukit
        >>> gpukit.einsum('ij->j', gpukit.ones(2, 3))
        tensor([2., 2., 2.])
    """

def elementwise_names() -> list[typing.Any]:
    """
    The names and aliases of the functions that elementwise.def makes.
    """

def elementwise_operators() -> list[typing.Any]:
    """
    The rows of elementwise.def that users can call: name, aliases, number of operands, domain, whether out= and an in-place form exist, whether it is differentiable, and the intervals that tests draw its operands from.
    """

def embedding_rows(weight: typing.Any, index: typing.Any) -> Tensor:
    """
    weight[index] for nn.functional.embedding.
    """

def empty(
    *size: typing.Any,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    pin_memory: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    A tensor with undefined elements.

    Args:
        size: ints, or one tuple of them.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        pin_memory: on the CPU, in page-locked memory, which needs a CUDA device.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a tensor of that size; dtype, or the default floating dtype.

    Raises:
        ValueError: a size is negative.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.empty(2, 3).shape
        (2, 3)
    """

def empty_cache(device: typing.Any = None) -> builtins.int:
    """
    Gives cached memory back to the device; returns the bytes.
    """

def empty_like(
    input: Tensor,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    Undefined elements in the shape of another tensor.

    Args:
        input: a tensor of any shape and dtype.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is input's.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        input's shape; dtype, or input's.

    Raises:
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.empty_like(gpukit.ones(2, 3)).shape
        (2, 3)
    """

def end_count(device: typing.Any) -> dict[str, typing.Any]:
    """
    Ends the count: operations, copies among them, bytes they must move, flops by dtype, longest sum.
    """

def entry_points() -> list[typing.Any]:
    """
    Every function of the tables: (name, signature, 'function', 'method' or 'both', may it wait).
    """

def environment_table() -> list[typing.Any]:
    """
    Every environment variable that gpukit reads.
    """

def environment_text(name: str) -> str:
    """
    The value of a variable of the table; its default, after one warning, when invalid.
    """

def eq(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where the elements are equal.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.eq(gpukit.tensor([1, 2]), 2)
        tensor([False,  True])
    """

def equal(input: Tensor, other: typing.Any) -> builtins.bool:
    """
    True when shapes and all elements are equal. Waits for the answer.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor of any shape.

    Returns:
        a Python bool.

    Raises:
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.

    Example:
        >>> import gpukit
        >>> gpukit.equal(gpukit.tensor([1, 2]), gpukit.tensor([1, 2]))
        True
    """

def erf(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.erf(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 0.8427])
    """

def erfc(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Complementary error function: 1 - erf(input), accurate for large inputs.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.erfc(gpukit.tensor([0.0, 1.0]))
        tensor([1.0000, 0.1573])
    """

def exp(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Exponential: e to the power of input.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.exp(gpukit.zeros(2))
        tensor([1., 1.])
    """

def exp2(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    2 to the power of input.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.exp2(gpukit.tensor([0.0, 3.0]))
        tensor([1., 8.])
    """

def expm1(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    exp(input) - 1, accurate near 0.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.expm1(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 1.7183])
    """

def eye(
    n: typing.Any,
    m: typing.Any = None,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    A matrix with ones on the diagonal and zeros elsewhere.

    Args:
        n: rows.
        m: columns; None is n.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (n, m); dtype, or the default floating dtype.

    Raises:
        ValueError: a size is negative.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """

def flatten(input: Tensor, start_dim: typing.Any = 0, end_dim: typing.Any = -1) -> Tensor:
    """
    The dimensions from start_dim to end_dim as one.

    Args:
        input: a tensor of any shape and dtype.
        start_dim: the first dimension to join.
        end_dim: the last one, included.

    Returns:
        a view where the strides allow it, else a copy; input's dtype.

    Raises:
        IndexError: there is no such dimension.
        ValueError: start_dim comes after end_dim.

    Example:
        >>> import gpukit
        >>> gpukit.flatten(gpukit.ones(2, 3, 4), start_dim=1).shape
        (2, 12)
    """

def flip(input: Tensor, *dims: typing.Any) -> Tensor:
    """
    Reversed along dims. A copy; x[::-1] is a view.

    Args:
        input: a tensor of any shape and dtype.
        dims: the dimensions to reverse, ints or one tuple.

    Returns:
        a copy of input's shape and dtype.

    Raises:
        IndexError: there is no such dimension.
        ValueError: one is listed twice.

    Example:
        >>> import gpukit
        >>> gpukit.flip(gpukit.arange(3), 0)
        tensor([2, 1, 0])
    """

def floor(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Largest integer not greater than each element; the dtype is kept.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.floor(gpukit.tensor([1.8, -1.2]))
        tensor([ 1., -2.])
    """

def floor_divide(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Quotient rounded towards negative infinity.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common. Integers over 0 give 0.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: both are bool, or the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.floor_divide(gpukit.tensor([7, -7]), 2)
        tensor([ 3, -4])
    """

def from_dlpack(x: typing.Any, *, device: typing.Any = None, copy: typing.Any = None) -> Tensor:
    """
    A tensor over the memory of another library's array (anything with __dlpack__), or of a DLPack capsule.

    Args:
        x: an array with __dlpack__ and __dlpack_device__, or a capsule.
        device: where the result shall be; None is where the array is.
        copy: True always copies, False raises instead of copying.

    Returns:
        the array's shape, strides and dtype; read-only if the array is.

    Raises:
        BufferError: the other side cannot hand it over, or copy=False would need a copy.
        TypeError: x is neither.
        DeviceNotFoundError: device is not there.

    Example:
        >>> import gpukit, numpy
        >>> gpukit.from_dlpack(numpy.arange(3.0))
        tensor([0., 1., 2.], dtype=gpukit.float64)
    """

def from_numpy(ndarray: typing.Any) -> Tensor:
    """
    A CPU tensor over the memory of a NumPy array; changes show on both sides.

    Args:
        ndarray: a NumPy array of a dtype that gpukit has.

    Returns:
        a CPU tensor of the array's shape, strides and dtype; read-only if the array is.

    Raises:
        TypeError: it is no NumPy array.
        DTypeError: gpukit does not have its dtype.

    Example:
        >>> import gpukit, numpy
        >>> gpukit.from_numpy(numpy.arange(3.0)).dtype
        gpukit.float64
    """

def frombuffer(
    buffer: typing.Any, *, dtype: typing.Any, count: typing.Any = -1, offset: typing.Any = 0
) -> Tensor:
    """
    A 1-d CPU tensor over the bytes of a buffer (bytes, bytearray, memoryview, array.array, mmap).

    Args:
        buffer: any object with the buffer protocol.
        dtype: dtype of the elements.
        count: how many; -1 is all.
        offset: bytes to leave out at the start.

    Returns:
        1-d, on the CPU, over the same memory; read-only if the buffer is.

    Raises:
        ValueError: the bytes are no whole elements, or too few.
        TypeError: it is no buffer.

    Example:
        >>> import gpukit
        >>> gpukit.frombuffer(bytearray(4), dtype=gpukit.int16)
        tensor([0, 0], dtype=gpukit.int16)
    """

def full(
    size: typing.Any,
    fill_value: typing.Any,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    pin_memory: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    A tensor of one value, whose kind gives the dtype.

    Args:
        size: an int or a tuple of ints.
        fill_value: a number, or a tensor of one element.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        pin_memory: on the CPU, in page-locked memory, which needs a CUDA device.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a tensor of that size; dtype, or that of the value's kind: bool, int64, or the default floating dtype.

    Raises:
        ValueError: a size is negative.
        ShapeError: fill_value is a tensor of several elements.
        RangeError: the number does not fit into the dtype.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.full((2,), 7)
        tensor([7, 7])
    """

def full_like(
    input: Tensor,
    fill_value: typing.Any,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    One value in the shape of another tensor.

    Args:
        input: a tensor of any shape and dtype.
        fill_value: a number, or a tensor of one element.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is input's.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        input's shape; dtype, or input's.

    Raises:
        RangeError: the number does not fit into the dtype.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.full_like(gpukit.ones(2), 5)
        tensor([5., 5.])
    """

def gather(input: Tensor, dim: typing.Any, index: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    out[i][j] = input[index[i][j]][j] for dim 0, and so on.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        index: integers, of as many dimensions as input and not longer along the others.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        index's shape, input's dtype.

    Raises:
        ShapeError: index does not fit.
        DTypeError: index is not of an integer dtype.
        IndexError: an index or dim is out of range; of a GPU's index at the next wait.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.gather(gpukit.tensor([[1, 2], [3, 4]]), 1, gpukit.tensor([[1], [0]]))
        tensor([[2],
                [3]])
    """

def ge(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where input >= other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.ge(gpukit.tensor([1, 2, 3]), 2)
        tensor([False,  True,  True])
    """

def gelu(input: Tensor) -> Tensor:
    """
    Gaussian error linear unit, x * Phi(x) with the normal distribution function Phi: x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel, 2016).

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.gelu(gpukit.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.1587,  0.0000,  0.8413])
    """

def generator_at(cls: typing.Any, device: typing.Any, state: typing.Any) -> typing.Any:
    """
    A generator that goes on from a state; what pickle calls.
    """

def get_default_device() -> device:
    """
    Where new tensors go when no device is named.

    Example:
        >>> import gpukit
        >>> gpukit.get_default_device()
        device(type='cpu')
    """

def get_default_dtype() -> typing.Any:
    """
    The floating dtype of new tensors when none is named.

    Example:
        >>> import gpukit
        >>> gpukit.get_default_dtype()
        gpukit.float32
    """

def get_float32_matmul_precision() -> str:
    """
    What set_float32_matmul_precision set.

    Returns:
        one of the three texts.

    Example:
        >>> import gpukit
        >>> gpukit.get_float32_matmul_precision()
        'highest'
    """

def get_num_threads() -> builtins.int:
    """
    How many threads work on CPU tensors.

    Example:
        >>> import gpukit
        >>> gpukit.get_num_threads() >= 1
        True
    """

def greater(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The same as gt.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.greater(gpukit.tensor([1, 2, 3]), 2)
        tensor([False, False,  True])
    """

def greater_equal(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The same as ge.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.greater_equal(gpukit.tensor([1, 2, 3]), 2)
        tensor([False,  True,  True])
    """

def gt(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where input > other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.gt(gpukit.tensor([1, 2, 3]), 2)
        tensor([False, False,  True])
    """

def hstack(tensors: typing.Any) -> Tensor:
    """
    cat along the second dimension, of 1-d tensors along the first.

    Args:
        tensors: a list or tuple of tensors whose sizes agree but for that dimension.

    Returns:
        the dtype that all have in common.

    Raises:
        ValueError: tensors is empty.
        ShapeError: sizes differ.
        DeviceMismatchError: the tensors are on different devices.

    Example:
        >>> import gpukit
        >>> gpukit.hstack([gpukit.ones(2, 1), gpukit.zeros(2, 1)])
        tensor([[1., 0.],
                [1., 0.]])
    """

def hypot(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Length of the hypotenuse: sqrt(input ** 2 + other ** 2), without overflow.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.hypot(gpukit.tensor([3.0]), gpukit.tensor([4.0]))
        tensor([5.])
    """

def in_forked_child() -> builtins.bool:
    """
    True in a child made by fork after the driver was started in its parent.
    """

def index_add(input: Tensor, dim: typing.Any, index: typing.Any, source: typing.Any) -> Tensor:
    """
    A copy with slices of source added at the places of index along dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        index: integers, 1-d; negative ones count from the end.
        source: shaped as the tensor, but along dim as long as index.

    Returns:
        shape, dtype and device of the tensor.

    Raises:
        ShapeError: source has another shape.
        DTypeError: index is not of an integer dtype.
        IndexError: an index or dim is out of range; of a GPU's index at the next wait.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

    Example:
        >>> import gpukit
        >>> gpukit.index_add(gpukit.zeros(3), 0, gpukit.tensor([1, 1]), gpukit.ones(2))
        tensor([0., 2., 0.])
    """

def index_select(
    input: Tensor, dim: typing.Any, index: typing.Any, *, out: typing.Any = None
) -> Tensor:
    """
    The slices along dim at the places of an integer tensor.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        index: integers, at most 1-d.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's dtype; along dim as long as index.

    Raises:
        DimensionError: index has more dimensions.
        DTypeError: index is not of an integer dtype.
        IndexError: an index or dim is out of range; of a GPU's index at the next wait.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.index_select(gpukit.tensor([5, 6, 7]), 0, gpukit.tensor([2, 0]))
        tensor([7, 5])
    """

def initial_seed() -> builtins.int:
    """
    Seed of the process-wide generator.

    Example:
        >>> import gpukit
        >>> _ = gpukit.manual_seed(5)
        >>> gpukit.initial_seed()
        5
    """

def install_command(extra: str = "", version: str = "") -> str:
    """
    The command that installs gpukit, or an extra, of a version; by default of this build.
    """

def is_floating_point(input: Tensor) -> builtins.bool:
    """
    True for floating dtypes.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        a Python bool.

    Example:
        >>> import gpukit
        >>> gpukit.is_floating_point(gpukit.ones(1))
        True
    """

def is_grad_enabled() -> builtins.bool:
    """
    True when this thread records operations.

    Example:
        >>> import gpukit
        >>> gpukit.is_grad_enabled()
        True
    """

def is_inference_mode_enabled() -> builtins.bool:
    """
    True inside inference_mode().

    Example:
        >>> import gpukit
        >>> gpukit.is_inference_mode_enabled()
        False
    """

def isclose(
    input: Tensor,
    other: typing.Any,
    rtol: typing.Any = 1e-05,
    atol: typing.Any = 1e-08,
    equal_nan: typing.Any = False,
) -> Tensor:
    """
    True where |input - other| <= atol + rtol * |other|.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input.
        rtol: tolerance relative to |other|.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.

    Example:
        >>> import gpukit
        >>> gpukit.isclose(gpukit.tensor([1.0, 2.0]), gpukit.tensor([1.0, 2.1]))
        tensor([ True, False])
    """

def isfinite(input: Tensor) -> Tensor:
    """
    True where the element is finite: neither infinite nor NaN.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        input's shape; bool.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.isfinite(gpukit.tensor([1.0, gpukit.inf, gpukit.nan]))
        tensor([ True, False, False])
    """

def isin(
    elements: typing.Any,
    test_elements: typing.Any,
    *,
    invert: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    True where an element is among test_elements.

    Args:
        elements: a tensor of any shape, or a number.
        test_elements: a tensor of any shape, or a number.
        invert: True where it is not among them.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the shape of elements; bool.

    Raises:
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.isin(gpukit.tensor([1, 2]), gpukit.tensor([2, 3]))
        tensor([False,  True])
    """

def isinf(input: Tensor) -> Tensor:
    """
    True where the element is infinite.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        input's shape; bool.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.isinf(gpukit.tensor([1.0, gpukit.inf, gpukit.nan]))
        tensor([False,  True, False])
    """

def isnan(input: Tensor) -> Tensor:
    """
    True where the element is NaN.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        input's shape; bool.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.isnan(gpukit.tensor([1.0, gpukit.inf, gpukit.nan]))
        tensor([False, False,  True])
    """

def kernel_images() -> list[typing.Any]:
    """
    Embedded images: (family, architecture, is PTX, bytes).
    """

def layer_norm(
    input: Tensor,
    dims: typing.Any,
    weight: typing.Any = None,
    bias: typing.Any = None,
    eps: typing.Any = 1e-05,
) -> Tensor:
    """
    Slices of the last dims dimensions shifted and scaled to mean 0 and variance 1, then times weight plus bias.
    """

def le(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where input <= other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.le(gpukit.tensor([1, 2, 3]), 2)
        tensor([ True,  True, False])
    """

def less(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The same as lt.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.less(gpukit.tensor([1, 2, 3]), 2)
        tensor([ True, False, False])
    """

def less_equal(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The same as le.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.less_equal(gpukit.tensor([1, 2, 3]), 2)
        tensor([ True,  True, False])
    """

def linear(input: Tensor, weight: typing.Any, bias: typing.Any = None) -> Tensor:
    """
    input @ weight.T + bias; weight is (out, in) or (in), input (…, in).

    Args:
        input: (..., in).
        weight: (out, in), of input's dtype.
        bias: (out,), or None.

    Returns:
        (..., out), input's dtype.

    Raises:
        ShapeError: sizes do not fit.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.

    Example:
        >>> import gpukit
        >>> x, weight = gpukit.ones(2, 3), gpukit.ones(4, 3)
        >>> gpukit.nn.functional.linear(x, weight).shape
        (2, 4)
    """

def linear_relu(input: Tensor, weight: typing.Any, bias: typing.Any = None) -> Tensor:
    """
    relu(linear(input, weight, bias)) in one operation.
    """

def linspace(
    start: typing.Any,
    end: typing.Any,
    steps: typing.Any,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    steps numbers at equal distances, both ends included.

    Args:
        start: the first number.
        end: the last.
        steps: how many.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (steps,); dtype, or the default floating dtype.

    Raises:
        ValueError: steps is negative.
        RangeError: the number does not fit into the dtype.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.linspace(0, 1, 3)
        tensor([0.0000, 0.5000, 1.0000])
    """

def live_counts() -> dict[str, typing.Any]:
    """
    How many buffers, copies under way, streams and events of devices exist now.
    """

def log(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Natural logarithm.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.log(gpukit.tensor([1.0, gpukit.e]))
        tensor([0., 1.])
    """

def log10(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Base-10 logarithm.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.log10(gpukit.tensor([1.0, 1000.0]))
        tensor([0., 3.])
    """

def log1p(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    log(1 + input), accurate near 0.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.log1p(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 0.6931])
    """

def log2(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Base-2 logarithm.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.log2(gpukit.tensor([1.0, 8.0]))
        tensor([0., 3.])
    """

def log_softmax(
    input: Tensor, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
) -> Tensor:
    """
    input - logsumexp(input) along dim: the logarithm of softmax.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        dtype: a floating dtype to compute in and to answer in.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; dtype, or input's if floating, else the default.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DTypeError: dtype is not floating.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.log_softmax(gpukit.zeros(2), 0)
        tensor([-0.6931, -0.6931])
    """

def logaddexp(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    log(exp(input) + exp(other)), without overflow.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.logaddexp(gpukit.tensor([1000.0]), gpukit.tensor([1000.0]))
        tensor([1000.6932])
    """

def logaddexp2(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    log2(2 ** input + 2 ** other), without overflow.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.logaddexp2(gpukit.tensor([1000.0]), gpukit.tensor([1000.0]))
        tensor([1001.])
    """

def logical_and(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where both operands are nonzero.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.logical_and(gpukit.tensor([0, 1, 2]), gpukit.tensor([1, 1, 0]))
        tensor([False,  True, False])
    """

def logical_not(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Logical NOT: True where the element is zero.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; bool.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.logical_not(gpukit.tensor([0, 1, 2]))
        tensor([ True, False, False])
    """

def logical_or(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where either operand is nonzero.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.logical_or(gpukit.tensor([0, 1, 0]), gpukit.tensor([1, 1, 0]))
        tensor([ True,  True, False])
    """

def logical_xor(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where exactly one operand is nonzero.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.logical_xor(gpukit.tensor([0, 1, 2]), gpukit.tensor([1, 1, 0]))
        tensor([ True, False,  True])
    """

def logsumexp(
    input: Tensor, dim: typing.Any, keepdim: typing.Any = False, *, out: typing.Any = None
) -> Tensor:
    """
    log(sum(exp(input))) over dim, as m + log(sum(exp(input - m))) with the largest m.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension or a tuple of them.
        keepdim: keep reduced dimensions as dimensions of size 1.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype if floating, else the default.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.logsumexp(gpukit.tensor([1000.0, 1000.0]), 0)
        tensor(1000.6932)
    """

def lt(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where input < other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.lt(gpukit.tensor([1, 2, 3]), 2)
        tensor([ True, False, False])
    """

def manual_seed(seed: typing.Any) -> typing.Any:
    """
    Sets the seed of the process-wide generator, for all devices, and gives that generator.

    Args:
        seed: an int.

    Returns:
        the generator.

    Raises:
        TypeError: seed is no int.

    Example:
        >>> import gpukit
        >>> _ = gpukit.manual_seed(0)
        >>> a = gpukit.rand(2)
        >>> _ = gpukit.manual_seed(0)
        >>> gpukit.equal(a, gpukit.rand(2))
        True
    """

def mark_exiting() -> None:
    """
    Says that the process ends: no vendor library is called from now on.
    """

def masked_fill(input: Tensor, mask: typing.Any, value: typing.Any) -> Tensor:
    """
    A copy with a number where mask is True.

    Args:
        input: a tensor of any shape and dtype.
        mask: a bool tensor that broadcasts to the tensor.
        value: a number, or a tensor of one element.

    Returns:
        shape, dtype and device of the tensor.

    Raises:
        RangeError: the number does not fit into the dtype.
        ShapeError: mask does not broadcast to the tensor.
        DTypeError: mask is not bool.
        DeviceMismatchError: the tensors are on different devices.
        AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

    Example:
        >>> import gpukit
        >>> gpukit.masked_fill(gpukit.arange(3), gpukit.tensor([True, False, True]), 9)
        tensor([9, 1, 9])
    """

def masked_select(input: Tensor, mask: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The elements where mask is True, 1-d. Waits.

    Args:
        input: a tensor of any shape and dtype.
        mask: a bool tensor that broadcasts with input.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        1-d; input's dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        DTypeError: mask is not bool.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.masked_select(gpukit.arange(3), gpukit.tensor([True, False, True]))
        tensor([0, 2])
    """

def matmul(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Matrix product of vectors, matrices or stacks of matrices, which broadcast. The operator @.

    Args:
        input: one dimension or more; any dtype but bool.
        other: one dimension or more; input's dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (..., n, p) of (..., n, m) and (..., m, p), leading sizes broadcast; vectors lose their dimension. input's dtype.

    Raises:
        ShapeError: inner sizes differ, or one is 0-d.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.matmul(gpukit.ones(2, 3), gpukit.ones(3))
        tensor([3., 3.])
    """

def max(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, other: typing.Any = None
) -> typing.Any:
    """
    Largest element; with dim (values, indices) along it; with a tensor the larger of each pair.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension or None for all; in this place also another tensor, as other.
        keepdim: keep reduced dimensions as dimensions of size 1.
        other: a tensor that broadcasts with input, instead of dim.

    Returns:
        0-d without dim; with dim (values, indices), input's dtype and int64; with a tensor the broadcast shape.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DimensionError: there are no elements to choose from.
        ShapeError: other does not broadcast.
        TypeError: dim and other are both given.
        DTypeError: the dtypes have none in common.

    Example:
        >>> import gpukit
        >>> gpukit.max(gpukit.tensor([1.0, 5.0]))
        tensor(5.)
    """

def maximum(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Elementwise maximum; NaN propagates.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype that both have in common.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.maximum(gpukit.tensor([1, 5]), gpukit.tensor([4, 2]))
        tensor([4, 5])
    """

def mean(
    input: Tensor,
    dim: typing.Any = None,
    keepdim: typing.Any = False,
    *,
    dtype: typing.Any = None,
    out: typing.Any = None,
) -> Tensor:
    """
    Mean over dim.

    Args:
        input: a floating tensor of any shape.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype. NaN of no elements.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.
        DTypeError: input, or dtype if given, is not floating.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.arange(4.0).mean()
        tensor(1.5000)
    """

def median(input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False) -> typing.Any:
    """
    The element in the middle, the lower one of two; of all, or along dim with its places. NaN where there is one.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension; None is all of them, as one.
        keepdim: keep reduced dimensions as dimensions of size 1.

    Returns:
        0-d of input's dtype; with dim a pair of values and int64 indices.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ShapeError: there is no element along dim, or none of integers.

    Example:
        >>> import gpukit
        >>> gpukit.median(gpukit.tensor([3.0, 1.0, 2.0]))
        tensor(2.)
    """

def mem_get_info(device: typing.Any = None) -> tuple[builtins.int, builtins.int]:
    """
    Free and total bytes of a device.
    """

def memory_limit(device: typing.Any = None) -> builtins.int:
    """
    The limit that set_memory_limit set; 0 is none.
    """

def memory_stats(device: typing.Any = None) -> dict[str, typing.Any]:
    """
    Counts and bytes of a device's memory; zeros when the driver is not in use.
    """

def meshgrid(*tensors: typing.Any, indexing: typing.Any = "ij") -> tuple[Tensor, ...]:
    """
    Coordinate grids of 1-d tensors, as views; indexing 'ij' (rows first) or 'xy' (columns first).

    Args:
        tensors: 1-d tensors, or one list of them.
        indexing: 'ij' or 'xy'.

    Returns:
        a tuple of as many views, all of one shape.

    Raises:
        ShapeError: a tensor is not 1-d.
        ValueError: indexing is another one.

    Example:
        >>> import gpukit
        >>> x, y = gpukit.meshgrid(gpukit.arange(2), gpukit.arange(3))
        >>> x.shape
        (2, 3)
    """

def min(
    input: Tensor, dim: typing.Any = None, keepdim: typing.Any = False, *, other: typing.Any = None
) -> typing.Any:
    """
    Smallest element; with dim (values, indices) along it; with a tensor the smaller of each pair.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension or None for all; in this place also another tensor, as other.
        keepdim: keep reduced dimensions as dimensions of size 1.
        other: a tensor that broadcasts with input, instead of dim.

    Returns:
        0-d without dim; with dim (values, indices), input's dtype and int64; with a tensor the broadcast shape.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DimensionError: there are no elements to choose from.
        ShapeError: other does not broadcast.
        TypeError: dim and other are both given.
        DTypeError: the dtypes have none in common.

    Example:
        >>> import gpukit
        >>> gpukit.min(gpukit.tensor([[1, 5], [3, 2]]), dim=1).values
        tensor([1, 2])
    """

def minimum(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Elementwise minimum; NaN propagates.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype that both have in common.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.minimum(gpukit.tensor([1, 5]), gpukit.tensor([4, 2]))
        tensor([1, 2])
    """

def mm(input: Tensor, mat2: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Product of two matrices.

    Args:
        input: (n, m).
        mat2: (m, p), of input's dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (n, p), input's dtype.

    Raises:
        ShapeError: not two matrices, or inner sizes differ.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.mm(gpukit.tensor([[1.0, 2.0]]), gpukit.tensor([[3.0], [4.0]]))
        tensor([[11.]])
    """

def moveaxis(input: Tensor, source: typing.Any, destination: typing.Any) -> Tensor:
    """
    Dimensions moved to other places; the others keep their order. A view.

    Args:
        input: a tensor of any shape and dtype.
        source: a dimension or a tuple of them.
        destination: their new places, as many.

    Returns:
        a view.

    Raises:
        IndexError: there is no such dimension.
        ValueError: one occurs twice, or their numbers differ.

    Example:
        >>> import gpukit
        >>> gpukit.moveaxis(gpukit.ones(2, 3, 4), 0, -1).shape
        (3, 4, 2)
    """

def movedim(input: Tensor, source: typing.Any, destination: typing.Any) -> Tensor:
    """
    The same as moveaxis.

    Args:
        input: a tensor of any shape and dtype.
        source: a dimension or a tuple of them.
        destination: their new places, as many.

    Returns:
        a view.

    Raises:
        IndexError: there is no such dimension.
        ValueError: one occurs twice, or their numbers differ.

    Example:
        >>> import gpukit
        >>> gpukit.movedim(gpukit.ones(2, 3, 4), 0, -1).shape
        (3, 4, 2)
    """

def mul(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    input * other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype that both have in common.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.mul(gpukit.tensor([1, 2]), 3)
        tensor([3, 6])
    """

def multinomial(
    input: Tensor,
    num_samples: typing.Any,
    replacement: typing.Any = False,
    *,
    generator: typing.Any = None,
) -> Tensor:
    """
    Places drawn by their weights: of a vector, or of each row of a matrix.

    Args:
        input: weights, 0 or more, 1-d or 2-d; they need not sum to 1.
        num_samples: how many places are drawn.
        replacement: draw a place again and again.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.

    Returns:
        (num_samples,) or (rows, num_samples), int64.

    Raises:
        ShapeError: input is neither a vector nor a matrix.
        DTypeError: input is not floating.
        ValueError: a weight is negative, infinite or NaN; num_samples is not positive, or more than there are weights over 0.

    Example:
        >>> import gpukit
        >>> gpukit.multinomial(gpukit.tensor([0.0, 3.0]), 2, replacement=True)
        tensor([1, 1])
    """

def multiply(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The same as mul.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype that both have in common.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.multiply(gpukit.tensor([1, 2]), 3)
        tensor([3, 6])
    """

def mv(input: Tensor, vec: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Product of a matrix and a vector.

    Args:
        input: (n, m).
        vec: (m,), of input's dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (n,), input's dtype.

    Raises:
        ShapeError: sizes do not fit.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.mv(gpukit.tensor([[1.0, 2.0], [3.0, 4.0]]), gpukit.ones(2))
        tensor([3., 7.])
    """

def nan_to_num(
    input: Tensor, nan: typing.Any = 0.0, posinf: typing.Any = None, neginf: typing.Any = None
) -> Tensor:
    """
    A copy with numbers for NaN and the infinities; None stands for the largest and the smallest of the dtype.

    Args:
        input: a tensor of any shape and dtype.
        nan: for NaN.
        posinf: for infinity.
        neginf: for minus infinity.

    Returns:
        input's shape and dtype.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.nan_to_num(gpukit.tensor([1.0, float('nan')]))
        tensor([1., 0.])
    """

def narrow(input: Tensor, dim: typing.Any, start: typing.Any, length: typing.Any) -> Tensor:
    """
    length elements from start along dim. A view.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        start: the first place; negative counts from the end.
        length: how many.

    Returns:
        a view.

    Raises:
        IndexError: dim, start or length is out of range.

    Example:
        >>> import gpukit
        >>> gpukit.narrow(gpukit.arange(5), 0, 1, 3)
        tensor([1, 2, 3])
    """

def ne(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    True where the elements differ.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.ne(gpukit.tensor([1, 2]), 2)
        tensor([ True, False])
    """

def nearest_name(text: str, names: collections.abc.Sequence[str]) -> str:
    """
    The name that is at most two slips of a key away from a text, or ''.
    """

def neg(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    -input.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        DTypeError: input is bool.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.neg(gpukit.tensor([1, -2]))
        tensor([-1,  2])
    """

def negative(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    The same as neg.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        DTypeError: input is bool.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.negative(gpukit.tensor([1, -2]))
        tensor([-1,  2])
    """

def nextafter(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Next representable number after input towards other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> (gpukit.nextafter(gpukit.ones(1), gpukit.tensor([2.0])) - 1).item()
        1.1920928955078125e-07
    """

def nonzero(input: Tensor, *, as_tuple: typing.Any = False, out: typing.Any = None) -> Tensor:
    """
    Coordinates of the elements that are not 0: (count, ndim), int64. Waits.

    Args:
        input: a tensor of any shape and dtype.
        as_tuple: give a tuple of index tensors, one a dimension.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (count, ndim), int64; rows in the order of the elements.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.nonzero(gpukit.tensor([0, 3, 0, 4]))
        tensor([[1],
                [3]])
    """

def norm(
    input: Tensor,
    p: typing.Any = "fro",
    dim: typing.Any = None,
    keepdim: typing.Any = False,
    dtype: typing.Any = None,
    *,
    out: typing.Any = None,
) -> Tensor:
    """
    sum(|input|**p) ** (1 / p): the vector norm over dim or over all elements.

    Args:
        input: a floating tensor of any shape.
        p: the order: a number, 'fro' (2) or 'inf'; 0 counts what is not 0.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DTypeError: input, or dtype if given, is not floating.
        ValueError: p is another text.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.norm(gpukit.tensor([3.0, 4.0]))
        tensor(5.)
    """

def normal(
    mean: typing.Any,
    std: typing.Any = 1.0,
    size: typing.Any = None,
    *,
    generator: typing.Any = None,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    Normal numbers of a mean and a standard deviation: of one size, or one number for each element of mean and std.

    Args:
        mean: a number, or a tensor with one mean an element.
        std: the standard deviation, likewise.
        size: ints, of numbers; None takes the broadcast shape of mean and std.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        a tensor of that size; dtype, or that of mean or std, or the default floating dtype.

    Raises:
        TypeError: neither size nor a tensor is given, or both.
        ValueError: std is negative or NaN (on a GPU only a number is looked at).
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.normal(0, 0.01, (2, 3)).shape
        (2, 3)
    """

def not_equal(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The same as ne.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.not_equal(gpukit.tensor([1, 2]), 2)
        tensor([ True, False])
    """

def numel(input: Tensor) -> builtins.int:
    """
    Number of elements.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        an int.

    Example:
        >>> import gpukit
        >>> gpukit.ones(2, 3).numel()
        6
    """

def nvml_places(driver_path: str) -> tuple[typing.Any, ...]:
    """
    Where NVML may be loaded from: (why the search is off, [(path, origin, refusal)]).
    """

def ones(
    *size: typing.Any,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    pin_memory: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    A tensor of ones.

    Args:
        size: ints, or one tuple of them.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        pin_memory: on the CPU, in page-locked memory, which needs a CUDA device.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a tensor of that size; dtype, or the default floating dtype.

    Raises:
        ValueError: a size is negative.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.ones(2, 2)
        tensor([[1., 1.],
                [1., 1.]])
    """

def ones_like(
    input: Tensor,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    Ones in the shape of another tensor.

    Args:
        input: a tensor of any shape and dtype.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is input's.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        input's shape; dtype, or input's.

    Raises:
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.ones_like(gpukit.zeros(2))
        tensor([1., 1.])
    """

def outer(input: Tensor, vec2: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    All products of the elements of two vectors: (n, m).

    Args:
        input: (n,).
        vec2: (m,).
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (n, m); the dtype that both have in common.

    Raises:
        ShapeError: one is not 1-d.
        DTypeError: the dtypes have none in common.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.outer(gpukit.tensor([1, 2]), gpukit.tensor([3, 4]))
        tensor([[3, 4],
                [6, 8]])
    """

def permute(input: Tensor, *dims: typing.Any) -> Tensor:
    """
    Dimensions in another order. A view.

    Args:
        input: a tensor of any shape and dtype.
        dims: all dimensions in their new order, ints or one tuple.

    Returns:
        a view.

    Raises:
        IndexError: there is no such dimension.
        ShapeError: not all dimensions are listed.
        ValueError: one is listed twice.

    Example:
        >>> import gpukit
        >>> gpukit.ones(2, 3, 4).permute(2, 0, 1).shape
        (4, 2, 3)
    """

def permute_dims(input: Tensor, dims: typing.Any) -> Tensor:
    """
    The array API's name of permute.

    Args:
        input: a tensor of any shape and dtype.
        dims: a tuple of all dimensions in their new order.

    Returns:
        a view.

    Raises:
        IndexError: there is no such dimension.
        ShapeError: not all dimensions are listed.
        ValueError: one is listed twice.

    Example:
        >>> import gpukit
        >>> gpukit.permute_dims(gpukit.ones(2, 3, 4), (2, 0, 1)).shape
        (4, 2, 3)
    """

def pick_classes(input: Tensor, classes: typing.Any) -> Tensor:
    """
    input[i][classes[i][0]] for nll_loss: a negative class is out of range.
    """

def pinned_memory_stats(device: typing.Any = None) -> dict[str, typing.Any]:
    """
    Counts and bytes of the pinned host memory of a device.
    """

def pop_allowed_wait() -> None:
    """
    Ends the last push_allowed_wait.
    """

def positive(input: Tensor) -> Tensor:
    """
    The tensor itself; bool raises, as + does.

    Example:
        >>> import gpukit
        >>> gpukit.positive(gpukit.tensor([1, -2]))
        tensor([ 1, -2])
    """

def pow(input: Tensor, exponent: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    input to the power of exponent.

    Args:
        input: a tensor of any shape and dtype.
        exponent: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: both are bool, or the dtypes have none in common.
        ValueError: integers to a negative integer number.
        RangeError: exponent does not fit into integers or a half type.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.pow(gpukit.tensor([2, 3]), 2)
        tensor([4, 9])
    """

def prepare_cuda() -> None:
    """
    Does once what must happen before the driver is opened.
    """

def prod(
    input: Tensor,
    dim: typing.Any = None,
    keepdim: typing.Any = False,
    *,
    dtype: typing.Any = None,
    out: typing.Any = None,
) -> Tensor:
    """
    Product over dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype, but int64 for bool and other integers than uint64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.prod(gpukit.tensor([2, 3, 4]))
        tensor(24)
    """

def promote_types(type1: typing.Any, type2: typing.Any) -> typing.Any:
    """
    The dtype that holds the results of two dtypes.

    Args:
        type1: a dtype or its name.
        type2: another one.

    Raises:
        DTypeError: there is no such dtype, or none for both.

    Example:
        >>> import gpukit
        >>> gpukit.promote_types(gpukit.int64, gpukit.float32)
        gpukit.float32
    """

def push_allowed_wait() -> None:
    """
    Waits of this thread are not counted, warned of or refused from now on.
    """

def rand(
    *size: typing.Any,
    generator: typing.Any = None,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    Uniform numbers of [0, 1). The same seed gives the same bits on every device.

    Args:
        size: ints, or one tuple of them.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a tensor of that size; dtype, or the default floating dtype.

    Raises:
        ValueError: a size is negative.
        DTypeError: dtype is unknown or not floating.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.rand(2, 3).shape
        (2, 3)
    """

def rand_like(
    input: Tensor,
    *,
    generator: typing.Any = None,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    rand() in the shape of another tensor.

    Args:
        input: a tensor of any shape and dtype.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is input's.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        input's shape; dtype, or input's, which must be floating.

    Raises:
        DTypeError: dtype, or input's, is not floating.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.rand_like(gpukit.ones(2, 3)).shape
        (2, 3)
    """

def randint(
    low: typing.Any,
    high: typing.Any = None,
    size: typing.Any = None,
    *,
    generator: typing.Any = None,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    Integers of [low, high): randint(high, size) or randint(low, high, size).

    Args:
        low: the smallest number; randint(high, size) starts at 0.
        high: the first number that is not drawn.
        size: a tuple of ints.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a tensor of that size; dtype, or int64.

    Raises:
        ValueError: low is not below high, or dtype cannot hold the range.
        TypeError: size is missing.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.randint(0, 10, (2, 3)).shape
        (2, 3)
    """

def randn(
    *size: typing.Any,
    generator: typing.Any = None,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    Normal numbers of mean 0 and deviation 1.

    Args:
        size: ints, or one tuple of them.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a tensor of that size; dtype, or the default floating dtype.

    Raises:
        ValueError: a size is negative.
        DTypeError: dtype is unknown or not floating.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.randn(4).shape
        (4,)
    """

def randn_like(
    input: Tensor,
    *,
    generator: typing.Any = None,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    randn() in the shape of another tensor.

    Args:
        input: a tensor of any shape and dtype.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is input's.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        input's shape; dtype, or input's, which must be floating.

    Raises:
        DTypeError: dtype, or input's, is not floating.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.randn_like(gpukit.ones(2, 3)).shape
        (2, 3)
    """

def randperm(
    n: typing.Any,
    *,
    generator: typing.Any = None,
    dtype: typing.Any = None,
    device: typing.Any = None,
    out: typing.Any = None,
) -> Tensor:
    """
    A random order of 0 … n - 1; int64.

    Args:
        n: how many.
        generator: a gpukit.Generator to draw from; None is the one that manual_seed sets.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        (n,); dtype, or int64.

    Raises:
        ValueError: n is negative.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> sorted(gpukit.randperm(4).tolist())
        [0, 1, 2, 3]
    """

def ravel(input: Tensor) -> Tensor:
    """
    All dimensions as one: a view of a contiguous tensor, else a copy.

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        1-d; a view if input is contiguous, else a copy.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.ravel(gpukit.ones(2, 3)).shape
        (6,)
    """

def reciprocal(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Reciprocal: 1 / input.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.reciprocal(gpukit.tensor([2.0, 4.0]))
        tensor([0.5000, 0.2500])
    """

def relu(input: Tensor) -> Tensor:
    """
    Rectified linear unit: max(input, 0).

    Args:
        input: a tensor of any shape and dtype.

    Returns:
        input's shape and dtype.

    Raises:
        DTypeError: input is bool.

    Example:
        >>> import gpukit
        >>> gpukit.relu(gpukit.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

def remainder(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    Remainder of floor division: input - other * floor(input / other). It has the sign of other, as % in Python.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common. Integers over 0 give 0.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: both are bool, or the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.remainder(gpukit.tensor([7, -7]), 3)
        tensor([1, 2])
    """

def repeat_interleave(input: Tensor, repeats: typing.Any, dim: typing.Any = None) -> Tensor:
    """
    Each element repeats times, one after the other; repeats is an int or one int for each place along dim.

    Args:
        input: a tensor of any shape and dtype.
        repeats: an int, or a 1-d integer tensor with one count a place, or one for all.
        dim: the dimension; None flattens first.

    Returns:
        a copy; input's dtype.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        TypeError: repeats is not of integers.
        ValueError: a count is negative.
        ShapeError: repeats has another length than dim.

    Example:
        >>> import gpukit
        >>> gpukit.repeat_interleave(gpukit.tensor([1, 2]), 2)
        tensor([1, 1, 2, 2])
    """

def replace_session(library: str, configuration: str, reason: str) -> None:
    """
    Ends the CUDA session and makes the next one use this driver library.
    """

def reset_peak_memory_stats(device: typing.Any = None) -> None:
    """
    Starts the peaks anew from the present values.
    """

def reset_session(reason: str) -> None:
    """
    Ends the CUDA session and goes back to the system's driver.
    """

def reshape(input: Tensor, *shape: typing.Any) -> Tensor:
    """
    The same elements in another shape; one size may be -1. A view when the strides allow it, else a copy.

    Args:
        input: a tensor of any shape and dtype.
        shape: ints, or one tuple; one of them may be -1.

    Returns:
        input's elements and dtype in the new shape.

    Raises:
        ShapeError: the number of elements differs, or a view would need a copy.

    Example:
        >>> import gpukit
        >>> gpukit.arange(6).reshape(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """

def result_type(tensor1: typing.Any, tensor2: typing.Any) -> typing.Any:
    """
    The dtype of an operation on two tensors, dtypes or numbers.

    Args:
        tensor1: a tensor, a dtype or a number.
        tensor2: likewise; a number beside a tensor only.

    Raises:
        DTypeError: there is no dtype for both.

    Example:
        >>> import gpukit
        >>> gpukit.result_type(gpukit.ones(2), 1)
        gpukit.float32
    """

def return_type(name: typing.Any) -> typing.Any:
    """
    The type of what max(dim), median, min, sort or topk gives, else None.
    """

def roll(input: Tensor, shifts: typing.Any, dims: typing.Any = None) -> Tensor:
    """
    Elements moved by shifts along dims, those that fall off put in at the other end; without dims the tensor is
    flattened for it.

    Args:
        input: a tensor of any shape and dtype.
        shifts: an int, or one for each of dims.
        dims: a dimension, a tuple of them, or None.

    Returns:
        a copy of input's shape and dtype.

    Raises:
        IndexError: there is no such dimension.
        ShapeError: shifts and dims differ in number.
        ValueError: several shifts without dims.

    Example:
        >>> import gpukit
        >>> gpukit.roll(gpukit.arange(4), 1)
        tensor([3, 0, 1, 2])
    """

def round(input: Tensor, *, decimals: typing.Any = 0, out: typing.Any = None) -> Tensor:
    """
    Nearest integer, or multiple of 10 ** -decimals; halves are rounded to even. The dtype is kept.

    Args:
        input: a tensor of any shape and dtype.
        decimals: digits behind the decimal point; negative ones before it.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        DTypeError: decimals of integers.
        ValueError: decimals is beyond the dtype's digits.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.round(gpukit.tensor([0.5, 1.5, 2.6]))
        tensor([0., 2., 3.])
    """

def rsqrt(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Reciprocal of the square root.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.rsqrt(gpukit.tensor([4.0, 16.0]))
        tensor([0.5000, 0.2500])
    """

def scatter(input: Tensor, dim: typing.Any, index: typing.Any, src: typing.Any) -> Tensor:
    """
    A copy with src written at the places that index names along dim; see scatter_.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        index: integers, of as many dimensions as the tensor; negative ones count from the end.
        src: a tensor at least as long as index along each dimension.

    Returns:
        shape, dtype and device of the tensor.

    Raises:
        RangeError: src is a number that does not fit into the dtype.
        ShapeError: index or src does not fit.
        DTypeError: index is not of an integer dtype.
        IndexError: an index or dim is out of range; of a GPU's index at the next wait.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

    Example:
        >>> import gpukit
        >>> gpukit.scatter(gpukit.zeros(3), 0, gpukit.tensor([2, 0]), gpukit.tensor([5.0, 6.0]))
        tensor([6., 0., 5.])
    """

def scatter_add(input: Tensor, dim: typing.Any, index: typing.Any, src: typing.Any) -> Tensor:
    """
    A copy with src added at the places that index names along dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        index: integers, of as many dimensions as the tensor; negative ones count from the end.
        src: a tensor at least as long as index along each dimension.

    Returns:
        shape, dtype and device of the tensor.

    Raises:
        RangeError: src is a number that does not fit into the dtype.
        ShapeError: index or src does not fit.
        DTypeError: index is not of an integer dtype.
        IndexError: an index or dim is out of range; of a GPU's index at the next wait.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        AutogradError: the tensor is a leaf that requires a gradient (of the forms in place).

    Example:
        >>> import gpukit
        >>> gpukit.scatter_add(gpukit.zeros(2), 0, gpukit.tensor([1, 1]), gpukit.ones(2))
        tensor([0., 2.])
    """

def searchsorted(
    sorted_sequence: typing.Any,
    input: Tensor,
    *,
    right: typing.Any = False,
    side: typing.Any = None,
    out: typing.Any = None,
) -> Tensor:
    """
    Places at which the values would be put to keep the sequence in order; int64.

    Args:
        sorted_sequence: ascending along its last dimension; 1-d, or of the leading sizes of input.
        input: a tensor of any shape, or a number.
        right: behind equal elements instead of before them.
        side: 'left' or 'right', the same as right in words.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; int64.

    Raises:
        ShapeError: the leading sizes differ.
        ValueError: side is another one.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.searchsorted(gpukit.tensor([1, 3, 5]), gpukit.tensor([3, 4]))
        tensor([1, 2])
    """

def seed() -> builtins.int:
    """
    Takes a seed for the process-wide generator from the system and returns it.

    Example:
        >>> import gpukit
        >>> gpukit.seed() >= 0
        True
    """

def selected_pool(device: typing.Any = None) -> str:
    """
    What set_pool set; 'pool' at the start.
    """

def session_id() -> builtins.int:
    """
    A number that changes when another CUDA session begins; 0 when none is open.
    """

def session_is_open() -> builtins.bool:
    """
    True when the CUDA driver was started in this process. Starts nothing.
    """

def set_cpu_blas_path(path: str) -> None:
    """
    Absolute path of the BLAS for products on the CPU; empty for gpukit's own.
    """

def set_current_cuda(device: typing.Any) -> None:
    """
    Makes a CUDA device this thread's current one. It must be there.
    """

def set_default_device(device: typing.Any) -> None:
    """
    Sets where new tensors go when no device is named; None means the CPU. Process wide.

    Args:
        device: a device, its name or its index.

    Raises:
        InvalidDeviceError: it is no device.

    Example:
        >>> import gpukit
        >>> gpukit.set_default_device('cpu')
    """

def set_default_dtype(d: typing.Any) -> None:
    """
    Sets the floating dtype of new tensors when none is named. Process wide.

    Args:
        d: a floating dtype or its name.

    Raises:
        DTypeError: it is another one.

    Example:
        >>> import gpukit
        >>> gpukit.set_default_dtype(gpukit.float32)
    """

def set_float32_matmul_precision(precision: typing.Any) -> None:
    """
    Float32 products on a GPU: 'highest' (plain float32, the default), 'high' or 'medium' (TF32 allowed).

    Args:
        precision: one of the three.

    Returns:
        None.

    Raises:
        ValueError: precision is another one.

    Example:
        >>> import gpukit
        >>> gpukit.set_float32_matmul_precision('highest')
    """

def set_grad_mode(enabled: builtins.bool) -> None:
    """
    Sets whether this thread records operations.
    """

def set_inference_mode(enabled: builtins.bool) -> None:
    """
    Sets the label of inference_mode().
    """

def set_inner_folders(folders: collections.abc.Sequence[str]) -> None:
    """
    Folders of Python files that are never the line that waited.
    """

def set_library_folders(folders: collections.abc.Sequence[str]) -> None:
    """
    Folders in which vendor libraries may lie.
    """

def set_memory_limit(device: typing.Any, limit: typing.Any) -> None:
    """
    Bytes that this process may hold of the device's memory; 0 is no limit.
    """

def set_num_threads(n: typing.Any) -> None:
    """
    Sets how many threads work on CPU tensors, the caller included (1 to 4096).

    Args:
        n: how many.

    Raises:
        ValueError: n is not 1 to 4096.

    Example:
        >>> import gpukit
        >>> gpukit.set_num_threads(gpukit.get_num_threads())
    """

def set_pool(device: typing.Any, pool: typing.Any) -> None:
    """
    Where new memory of a device comes from: 'pool', 'cuda_async' or 'none'.
    """

def set_stream(stream: Stream) -> None:
    """
    Makes a stream this thread's current one for its device.

    Example:
        >>> import gpukit
        >>> with gpukit.simulate(1):
        ...     side = gpukit.cuda.Stream()
        ...     gpukit.cuda.set_stream(side)
        ...     gpukit.cuda.current_stream() == side
        True
    """

def sgd_step(
    params: typing.Any,
    momentum_buffers: typing.Any,
    lr: typing.Any,
    momentum: typing.Any = 0,
    dampening: typing.Any = 0,
    weight_decay: typing.Any = 0,
    nesterov: typing.Any = False,
    maximize: typing.Any = False,
) -> builtins.bool:
    """
    One step of SGD for all parameters that have a gradient. Missing buffers are made and put into their list; True when there were any.
    """

def sigmoid(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Logistic function: 1 / (1 + exp(-input)).

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.sigmoid(gpukit.zeros(2))
        tensor([0.5000, 0.5000])
    """

def sign(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    The sign of each element: -1, 0 or 1.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.sign(gpukit.tensor([-3.0, 0.0, 2.0]))
        tensor([-1.,  0.,  1.])
    """

def signbit(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    True where the sign bit is set; -0.0 has it set.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; bool.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.signbit(gpukit.tensor([-0.0, 1.0]))
        tensor([ True, False])
    """

def sin(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Sine of an angle in radians.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.sin(gpukit.zeros(2))
        tensor([0., 0.])
    """

def sinh(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Hyperbolic sine.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.sinh(gpukit.zeros(2))
        tensor([0., 0.])
    """

def softmax(
    input: Tensor, dim: typing.Any, *, dtype: typing.Any = None, out: typing.Any = None
) -> Tensor:
    """
    exp(input - m) / sum(exp(input - m)) along dim, with the largest m.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        dtype: a floating dtype to compute in and to answer in.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; dtype, or input's if floating, else the default.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DTypeError: dtype is not floating.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.softmax(gpukit.zeros(4), 0)
        tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """

def sort(
    input: Tensor, dim: typing.Any = -1, descending: typing.Any = False, stable: typing.Any = True
) -> typing.Any:
    """
    Values in order along dim, and their places; stable; NaN is the largest.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.
        descending: the largest first.
        stable: taken for torch's sake; equal elements always keep their order.

    Returns:
        sort (values, indices), argsort the indices: input's shape; input's dtype and int64.

    Raises:
        IndexError: dim is not a dimension of the tensor.

    Example:
        >>> import gpukit
        >>> gpukit.sort(gpukit.tensor([3, 1, 2])).values
        tensor([1, 2, 3])
    """

def split(
    input: Tensor, split_size_or_sections: typing.Any, dim: typing.Any = 0
) -> tuple[Tensor, ...]:
    """
    Views of a size, or of the listed sizes, along dim.

    Args:
        input: a tensor of any shape and dtype.
        split_size_or_sections: an int, the size of all parts but perhaps the last; or a list of sizes.
        dim: the dimension, counted from the end when negative.

    Returns:
        a tuple of views.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: the size is not positive.
        ShapeError: the sizes do not add up.

    Example:
        >>> import gpukit
        >>> gpukit.split(gpukit.arange(5), [2, 3])
        (tensor([0, 1]), tensor([2, 3, 4]))
    """

def sqrt(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Square root.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.sqrt(gpukit.tensor([4.0, 9.0]))
        tensor([2., 3.])
    """

def square(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    input * input.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype; of bool, int64.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.square(gpukit.tensor([2, 3]))
        tensor([4, 9])
    """

def squared_error(input: Tensor, target: typing.Any, reduction: typing.Any = "mean") -> Tensor:
    """
    The mean or the sum of squared differences, or all of them.
    """

def squeeze(input: Tensor, dim: typing.Any = None) -> Tensor:
    """
    Without dimensions of size 1: all of them, or those named. A view.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all; those of another size stay.

    Returns:
        a view.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.

    Example:
        >>> import gpukit
        >>> gpukit.squeeze(gpukit.ones(1, 3, 1)).shape
        (3,)
    """

def stack(tensors: typing.Any, dim: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
    """
    Tensors of one shape beside each other along a new dimension.

    Args:
        tensors: a list or tuple of tensors of one shape.
        dim: where the new dimension comes to stand.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the dtype that all have in common.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: tensors is empty.
        ShapeError: shapes differ.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.stack([gpukit.zeros(2), gpukit.ones(2)])
        tensor([[0., 0.],
                [1., 1.]])
    """

def std(
    input: Tensor,
    dim: typing.Any = None,
    correction: typing.Any = None,
    keepdim: typing.Any = False,
    *,
    unbiased: typing.Any = None,
    out: typing.Any = None,
) -> Tensor:
    """
    Square root of var.

    Args:
        input: a floating tensor of any shape.
        dim: a dimension, a tuple of them, or None for all.
        correction: taken from the count, a number; None is 1.
        keepdim: keep reduced dimensions as dimensions of size 1.
        unbiased: torch's older form: True is correction 1, False is 0.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype. Where count - correction is not above 0, inf, or NaN if all elements are equal.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DTypeError: input is not floating.
        TypeError: correction and unbiased are both given.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.std(gpukit.tensor([1.0, 2.0, 3.0]))
        tensor(1.)
    """

def storage_info(tensor: typing.Any) -> tuple[builtins.int, builtins.int]:
    """
    (key, bytes) of the storage; tensors that share it have the same key.
    """

def storage_view(
    base: typing.Any,
    dtype: typing.Any,
    size: typing.Any,
    stride: typing.Any,
    storage_offset: typing.Any,
) -> Tensor:
    """
    A tensor over base's storage in any dtype and layout that stays inside; ValueError for one that does not.
    """

def sub(
    input: Tensor, other: typing.Any, *, alpha: typing.Any = 1, out: typing.Any = None
) -> Tensor:
    """
    input - alpha * other.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        alpha: a number that other is multiplied by first, in the dtype of the result.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype that both have in common, where numbers count by their kind only.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.
        RangeError: alpha does not fit into the result's dtype.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.sub(gpukit.tensor([5, 6]), 1)
        tensor([4, 5])
    """

def subtract(
    input: Tensor, other: typing.Any, *, alpha: typing.Any = 1, out: typing.Any = None
) -> Tensor:
    """
    The same as sub.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        alpha: a number that other is multiplied by first, in the dtype of the result.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype that both have in common, where numbers count by their kind only.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: bool from bool, in sub; or the dtypes have none in common; or alpha is a float for integers, or a bool for others than bool.
        RangeError: alpha does not fit into the result's dtype.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.subtract(gpukit.tensor([5, 6]), 1)
        tensor([4, 5])
    """

def sum(
    input: Tensor,
    dim: typing.Any = None,
    keepdim: typing.Any = False,
    *,
    dtype: typing.Any = None,
    out: typing.Any = None,
) -> Tensor:
    """
    Sum over dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: a dimension, a tuple of them, or None for all.
        keepdim: keep reduced dimensions as dimensions of size 1.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype, but int64 for bool and other integers than uint64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: a dimension is named twice.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.sum(gpukit.ones(2, 3), dim=0)
        tensor([2., 2., 2.])
    """

def swapaxes(input: Tensor, dim0: typing.Any, dim1: typing.Any) -> Tensor:
    """
    The same as transpose.

    Args:
        input: a tensor of any shape and dtype.
        dim0: the one dimension.
        dim1: the other.

    Returns:
        a view.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import gpukit
        >>> gpukit.swapaxes(gpukit.ones(2, 3), 0, 1).shape
        (3, 2)
    """

def switch_cuda_index(index: typing.SupportsInt | typing.SupportsIndex) -> None:
    """
    Sets this thread's current index without looking at the device.
    """

def synchronize(device: typing.Any = None) -> None:
    """
    Waits until all queued work of a device is done; the GIL is free meanwhile.

    None means the current CUDA device if the driver is in use, else nothing. Work on the CPU is always done.

    Args:
        device: a device, its name or its index.

    Raises:
        DeviceNotFoundError: the device is not there.

    Example:
        >>> import gpukit
        >>> gpukit.synchronize()
    """

def t(input: Tensor) -> Tensor:
    """
    A matrix with its dimensions swapped; 0-d and 1-d tensors stay. A view.

    Args:
        input: at most two dimensions.

    Returns:
        a view.

    Raises:
        ShapeError: input has more than two dimensions.

    Example:
        >>> import gpukit
        >>> gpukit.t(gpukit.tensor([[1, 2], [3, 4]]))
        tensor([[1, 3],
                [2, 4]])
    """

def take(input: Tensor, index: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The flattened tensor at integer places, in the shape of index.

    Args:
        input: a tensor of any shape and dtype.
        index: integers of any shape; negative ones count from the end.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        index's shape, input's dtype.

    Raises:
        DTypeError: index is not of an integer dtype.
        IndexError: an index or dim is out of range; of a GPU's index at the next wait.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.take(gpukit.tensor([[1, 2], [3, 4]]), gpukit.tensor([0, 3]))
        tensor([1, 4])
    """

def take_along_dim(
    input: Tensor, indices: typing.Any, dim: typing.Any = None, *, out: typing.Any = None
) -> Tensor:
    """
    As gather, with the other dimensions broadcast; without dim both are flattened.

    Args:
        input: a tensor of any shape and dtype.
        indices: integers, of as many dimensions as input.
        dim: the dimension; None flattens both.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape of the other dimensions; input's dtype.

    Raises:
        ShapeError: indices do not fit.
        DTypeError: indices are not of an integer dtype.
        IndexError: an index or dim is out of range; of a GPU's index at the next wait.
        DeviceMismatchError: they are on different devices; an index may stay on the CPU.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([[3, 1], [2, 4]])
        >>> gpukit.take_along_dim(x, gpukit.argsort(x, dim=1), dim=1)
        tensor([[1, 3],
                [2, 4]])
    """

def tan(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Tangent of an angle in radians.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.tan(gpukit.zeros(2))
        tensor([0., 0.])
    """

def tanh(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Hyperbolic tangent.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape; its dtype if floating, else the default floating dtype. NaN where the function is not defined.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.tanh(gpukit.tensor([0.0, 1.0]))
        tensor([0.0000, 0.7616])
    """

def tensor(
    data: typing.Any,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    A new tensor with a copy of data: a number, nested lists, a NumPy array or another tensor.

    Python floats give the default dtype (float32), ints int64, bools bool; arrays keep theirs.

    Args:
        data: a number, nested lists, an array or a tensor.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is where the data lie, lists on the default device.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        the shape of data; its dtype as said above.

    Raises:
        ValueError: lists of one level differ in length.
        RangeError: a number does not fit into the dtype.
        TypeError: data holds something else, or numbers beside lists.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """

def tensor_from_bytes(data: bytes, dtype: typing.Any, shape: typing.Any) -> Tensor:
    """
    A CPU tensor with these bytes as its elements.
    """

def tensordot(
    input: Tensor, other: typing.Any, dims: typing.Any = 2, *, out: typing.Any = None
) -> Tensor:
    """
    Products summed over dims: a number of dimensions (the last of input with the first of other), or two lists of them.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor of input's dtype.
        dims: how many, or two lists of dimensions.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the dimensions of input that are left, then those of other; input's dtype.

    Raises:
        ShapeError: sizes differ, or the lists in length.
        IndexError: a list names no dimension.
        ValueError: so many dimensions are not there.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.tensordot(gpukit.ones(2, 3), gpukit.ones(3, 2), dims=1)
        tensor([[3., 3.],
                [3., 3.]])
    """

def tile(input: Tensor, *dims: typing.Any) -> Tensor:
    """
    The tensor repeated dims times along its dimensions; missing counts at the front are 1.

    Args:
        input: a tensor of any shape and dtype.
        dims: counts, ints or one tuple.

    Returns:
        a copy.

    Raises:
        ValueError: a count is negative.

    Example:
        >>> import gpukit
        >>> gpukit.tile(gpukit.tensor([1, 2]), 2)
        tensor([1, 2, 1, 2])
    """

def topk(
    input: Tensor,
    k: typing.Any,
    dim: typing.Any = -1,
    largest: typing.Any = True,
    sorted: typing.Any = True,
) -> typing.Any:
    """
    The k largest (or smallest) along dim, and their places.

    Args:
        input: a tensor of any shape and dtype.
        k: how many.
        dim: the dimension, counted from the end when negative.
        largest: False takes the smallest.
        sorted: whether they must be in order; here they always are.

    Returns:
        (values, indices) with k elements along dim; input's dtype and int64.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ValueError: k is negative or above the size of dim.

    Example:
        >>> import gpukit
        >>> gpukit.topk(gpukit.tensor([3, 1, 2]), 2).values
        tensor([3, 2])
    """

def torch_advice(value: typing.Any) -> str:
    """
    What to do about an object of torch's; empty for all other objects.
    """

def trace(input: Tensor) -> Tensor:
    """
    Sum of the diagonal of a matrix.

    Args:
        input: (n, m).

    Returns:
        0-d; input's dtype, but int64 for bool and other integers than uint64.

    Raises:
        ShapeError: input is not a matrix.

    Example:
        >>> import gpukit
        >>> gpukit.trace(gpukit.tensor([[1, 2], [3, 4]]))
        tensor(5)
    """

def transpose(input: Tensor, dim0: typing.Any, dim1: typing.Any) -> Tensor:
    """
    Two dimensions swapped. A view.

    Args:
        input: a tensor of any shape and dtype.
        dim0: the one dimension.
        dim1: the other.

    Returns:
        a view.

    Raises:
        IndexError: there is no such dimension.

    Example:
        >>> import gpukit
        >>> gpukit.transpose(gpukit.ones(2, 3), 0, 1).shape
        (3, 2)
    """

def tril(input: Tensor, diagonal: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
    """
    The lower triangle of matrices, 0 elsewhere.

    Args:
        input: two dimensions or more; the last two make the matrices.
        diagonal: the last diagonal that stays; 0 is the main one, above it positive.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a copy of input's shape and dtype.

    Raises:
        ShapeError: input has less than two dimensions.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.tril(gpukit.ones(2, 2))
        tensor([[1., 0.],
                [1., 1.]])
    """

def triu(input: Tensor, diagonal: typing.Any = 0, *, out: typing.Any = None) -> Tensor:
    """
    The upper triangle of matrices, 0 elsewhere.

    Args:
        input: two dimensions or more; the last two make the matrices.
        diagonal: the last diagonal that stays; 0 is the main one, above it positive.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a copy of input's shape and dtype.

    Raises:
        ShapeError: input has less than two dimensions.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.triu(gpukit.ones(2, 2))
        tensor([[1., 1.],
                [0., 1.]])
    """

def true_divide(input: Tensor, other: typing.Any, *, out: typing.Any = None) -> Tensor:
    """
    The same as div.

    Args:
        input: a tensor of any shape and dtype.
        other: a tensor that broadcasts with input on the same device, or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape; the dtype in common if it is floating, else the default floating dtype.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        DTypeError: uint64 beside signed integers.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.true_divide(gpukit.tensor([1, 2]), 2)
        tensor([0.5000, 1.0000])
    """

def trunc(input: Tensor, *, out: typing.Any = None) -> Tensor:
    """
    Truncated towards zero; the dtype is kept.

    Args:
        input: a tensor of any shape and dtype.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        input's shape and dtype.

    Raises:
        TypeError: an argument is of another kind.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.trunc(gpukit.tensor([1.8, -1.8]))
        tensor([ 1., -1.])
    """

def unbind(input: Tensor, dim: typing.Any = 0) -> tuple[Tensor, ...]:
    """
    A tuple of all slices along dim.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.

    Returns:
        a tuple of views with one dimension less.

    Raises:
        IndexError: dim is not a dimension of the tensor.

    Example:
        >>> import gpukit
        >>> gpukit.unbind(gpukit.tensor([[1, 2], [3, 4]]))
        (tensor([1, 2]), tensor([3, 4]))
    """

def unique(
    input: Tensor,
    sorted: typing.Any = True,
    return_inverse: typing.Any = False,
    return_counts: typing.Any = False,
) -> typing.Any:
    """
    The different values, ascending; with return_inverse and return_counts a tuple. Waits.

    Args:
        input: a tensor of any shape and dtype.
        sorted: taken for torch's sake; the values are always in order.
        return_inverse: also where each element of input is among the values.
        return_counts: also how often each occurs.

    Returns:
        1-d values of input's dtype; inverse (input's shape) and counts are int64.

    Raises:
        TypeError: an argument is of another kind.

    Example:
        >>> import gpukit
        >>> gpukit.unique(gpukit.tensor([3, 1, 3]))
        tensor([1, 3])
    """

def unsqueeze(input: Tensor, dim: typing.Any) -> Tensor:
    """
    With a new dimension of size 1 at dim. A view.

    Args:
        input: a tensor of any shape and dtype.
        dim: where the new dimension comes to stand, -ndim - 1 to ndim.

    Returns:
        a view.

    Raises:
        IndexError: dim is out of that range.

    Example:
        >>> import gpukit
        >>> gpukit.unsqueeze(gpukit.ones(3), 0).shape
        (1, 3)
    """

def unstack(input: Tensor, dim: typing.Any = 0) -> tuple[Tensor, ...]:
    """
    A tuple of all slices along dim, as views: the array API's name of unbind.

    Args:
        input: a tensor of any shape and dtype.
        dim: the dimension, counted from the end when negative.

    Returns:
        a tuple of views with one dimension less.

    Raises:
        IndexError: dim is not a dimension of the tensor.

    Example:
        >>> import gpukit
        >>> gpukit.unstack(gpukit.tensor([[1, 2], [3, 4]]))
        (tensor([1, 2]), tensor([3, 4]))
    """

def var(
    input: Tensor,
    dim: typing.Any = None,
    correction: typing.Any = None,
    keepdim: typing.Any = False,
    *,
    unbiased: typing.Any = None,
    out: typing.Any = None,
) -> Tensor:
    """
    sum((input - mean)**2) / (count - correction) over dim: the variance.

    Args:
        input: a floating tensor of any shape.
        dim: a dimension, a tuple of them, or None for all.
        correction: taken from the count, a number; None is 1.
        keepdim: keep reduced dimensions as dimensions of size 1.
        unbiased: torch's older form: True is correction 1, False is 0.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        without the dimensions of dim; input's dtype. Where count - correction is not above 0, inf, or NaN if all elements are equal.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        DTypeError: input is not floating.
        TypeError: correction and unbiased are both given.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.var(gpukit.tensor([1.0, 2.0, 3.0]))
        tensor(1.)
    """

def vecdot(input: Tensor, other: typing.Any, dim: typing.Any = -1) -> Tensor:
    """
    Inner products along a dimension of what both broadcast to.

    Args:
        input: a tensor of any shape and dtype.
        other: broadcasts with input; input's dtype. dim is of the broadcast shape.
        dim: the dimension, counted from the end when negative.

    Returns:
        the broadcast shape without dim; input's dtype.

    Raises:
        IndexError: dim is not a dimension of the tensor.
        ShapeError: the shapes do not broadcast.
        DTypeError: dtypes differ, or are bool.
        DeviceMismatchError: the tensors are on different devices.

    Example:
        >>> import gpukit
        >>> gpukit.vecdot(gpukit.ones(2, 3), gpukit.ones(2, 3))
        tensor([3., 3.])
    """

def vstack(tensors: typing.Any) -> Tensor:
    """
    cat along the first dimension; 1-d tensors are rows.

    Args:
        tensors: a list or tuple of tensors whose sizes agree but for that dimension.

    Returns:
        the dtype that all have in common.

    Raises:
        ValueError: tensors is empty.
        ShapeError: sizes differ.
        DeviceMismatchError: the tensors are on different devices.

    Example:
        >>> import gpukit
        >>> gpukit.vstack([gpukit.zeros(2), gpukit.ones(2)])
        tensor([[0., 0.],
                [1., 1.]])
    """

def wait_kinds() -> list[str]:
    """
    The kinds of wait that gpukit tells apart.
    """

def where(
    condition: typing.Any,
    input: typing.Any = None,
    other: typing.Any = None,
    *,
    out: typing.Any = None,
) -> Tensor:
    """
    input where condition is true, else other; all three broadcast. Numbers are allowed.
    Without input and other, the places where it is true: an index tensor for each dimension.

    Args:
        condition: a bool tensor.
        input: a tensor or a number.
        other: a tensor or a number.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        the broadcast shape of all three; the dtype that input and other have in common. A tuple of int64 tensors without them.

    Raises:
        ShapeError: the shapes do not broadcast.
        DeviceMismatchError: the tensors are on different devices.
        RangeError: a number does not fit into the dtype.
        TypeError: one of input and other is missing.
        DTypeError: condition is not bool, or the dtypes have none in common.
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> x = gpukit.tensor([-1.0, 2.0])
        >>> gpukit.where(x > 0, x, 0.0)
        tensor([0., 2.])
    """

def with_slopes(
    name: typing.Any, value: typing.Any, inputs: typing.Any, parameter: typing.Any
) -> Tensor:
    """
    The value of a function of one or two inputs, whose derivative has that name.
    """

def zeros(
    *size: typing.Any,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
    pin_memory: typing.Any = False,
    out: typing.Any = None,
) -> Tensor:
    """
    A tensor of zeros.

    Args:
        size: ints, or one tuple of them.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is the default device.
        requires_grad: record what is done with the result; floating dtypes only.
        pin_memory: on the CPU, in page-locked memory, which needs a CUDA device.
        out: a tensor for the result, of its shape and of a dtype that can hold it.

    Returns:
        a tensor of that size; dtype, or the default floating dtype.

    Raises:
        ValueError: a size is negative.
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).
        ShapeError: out has another shape than the result.
        DTypeError: out cannot hold the result's dtype.
        DeviceMismatchError: out is on another device.
        AutogradError: out is given where gradients are recorded.

    Example:
        >>> import gpukit
        >>> gpukit.zeros(2)
        tensor([0., 0.])
    """

def zeros_like(
    input: Tensor,
    *,
    dtype: typing.Any = None,
    device: typing.Any = None,
    requires_grad: typing.Any = False,
) -> Tensor:
    """
    Zeros in the shape of another tensor.

    Args:
        input: a tensor of any shape and dtype.
        dtype: a dtype or its name, for the result; None is the one under Returns.
        device: where the result lies; None is input's.
        requires_grad: record what is done with the result; floating dtypes only.

    Returns:
        input's shape; dtype, or input's.

    Raises:
        DTypeError: dtype is unknown, or not a floating one with requires_grad.
        InvalidDeviceError: device is no device.
        DeviceNotFoundError: device is not there.
        MemoryError: it does not fit (on a GPU OutOfMemoryError).

    Example:
        >>> import gpukit
        >>> gpukit.zeros_like(gpukit.ones(2))
        tensor([0., 0.])
    """

bfloat16: dtype
bool: dtype
default_generator: Generator
double: dtype
float: dtype
float16: dtype
float32: dtype
float64: dtype
half: dtype
int: dtype
int16: dtype
int32: dtype
int64: dtype
int8: dtype
long: dtype
short: dtype
uint16: dtype
uint32: dtype
uint64: dtype
uint8: dtype
