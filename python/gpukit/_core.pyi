"""
gpukit's compiled part. Private: use the names of gpukit.
"""

from __future__ import annotations
import builtins
import collections.abc
import numpy
import numpy.typing
import typing
from collections.abc import Callable, Sequence
from types import EllipsisType, ModuleType
from typing import Any, Literal, NamedTuple, SupportsIndex, TypeAlias, TypeVar
from typing_extensions import Buffer, Self

RealNumber: TypeAlias = builtins.bool | builtins.int | builtins.float
Number: TypeAlias = RealNumber | builtins.complex
AnyArray: TypeAlias = numpy.typing.NDArray[numpy.generic]
DTypeLike: TypeAlias = dtype | str | builtins.type[object] | numpy.dtype[numpy.generic]
DeviceLike: TypeAlias = device | str | builtins.int
IndexItem: TypeAlias = (
    SupportsIndex
    | slice
    | EllipsisType
    | Tensor
    | Sequence[builtins.int]
    | Sequence[Sequence[builtins.int]]
    | AnyArray
    | None
)
GradientEdge: TypeAlias = tuple[GraphNode, builtins.int]
Index: TypeAlias = IndexItem | tuple[IndexItem, ...]
S = TypeVar("S", bound=Tensor)

class NamedResults(tuple[Tensor, ...]):
    def __getattr__(self, name: str) -> Tensor: ...

class ValuesAndIndices(NamedTuple):
    values: Tensor
    indices: Tensor

class Size(tuple[builtins.int, ...]):
    """The sizes of a tensor's dimensions: a tuple of ints with numel()."""

    def __new__(cls, sizes: collections.abc.Iterable[SupportsIndex] = ()) -> Size: ...
    @typing.overload
    def __getitem__(self, index: SupportsIndex) -> builtins.int: ...
    @typing.overload
    def __getitem__(self, index: slice) -> Size: ...
    def __add__(self, other: Any) -> Size: ...
    def __radd__(self, other: Any) -> Size: ...
    def __mul__(self, count: SupportsIndex) -> Size: ...
    def __rmul__(self, count: SupportsIndex) -> Size: ...
    def numel(self) -> builtins.int:
        """The product of all sizes: how many elements there are."""

__all__: list[str] = [
    "CUDAGraph",
    "Chain",
    "ChainRows",
    "CodeFunction",
    "DerivativeCall",
    "DeviceCode",
    "DeviceWorkCount",
    "Event",
    "ExternalStream",
    "Generator",
    "GraphNode",
    "ModuleBase",
    "Observation",
    "Operator",
    "OperatorCall",
    "RemovableHandle",
    "SavedTensor",
    "Size",
    "Stream",
    "Tensor",
    "WaitLog",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "adam_step",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "added_devices",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "all",
    "allclose",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_strided_scatter",
    "as_tensor",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "attention_in_one",
    "attention_in_one_back",
    "autograd_grad",
    "baddbmm",
    "batch_norm_of_batch",
    "bernoulli",
    "bfloat16",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "block_diag",
    "block_of",
    "bmm",
    "bool",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "build_info",
    "can_access_peer",
    "can_cast",
    "cartesian_prod",
    "cat",
    "cbrt",
    "cdist",
    "cdouble",
    "ceil",
    "cfloat",
    "chain_matmul",
    "chain_takes",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clear_gradients",
    "clip",
    "clone",
    "combinations",
    "compile_code",
    "complex",
    "complex128",
    "complex64",
    "concat",
    "concatenate",
    "conj",
    "conj_physical",
    "convolution",
    "convolution_transposed",
    "convolve",
    "copysign",
    "corrcoef",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cpu_simd",
    "crc32",
    "cross",
    "cross_entropy",
    "cuda_device_count",
    "cuda_is_simulated",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "current_cuda_index",
    "current_graph",
    "current_stream",
    "default_generator",
    "default_stream",
    "deg2rad",
    "describe_device",
    "det",
    "device",
    "device_properties",
    "device_use",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "digamma",
    "disable_saved_tensor_hooks",
    "dist",
    "div",
    "divide",
    "dot",
    "double",
    "driver_report",
    "dsplit",
    "dstack",
    "dtype",
    "dtype_rows",
    "einsum",
    "elementwise_operators",
    "embedding_rows",
    "empty",
    "empty_cache",
    "empty_like",
    "end_device_session",
    "entr",
    "entry_points",
    "environment_table",
    "environment_text",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp",
    "exp2",
    "expit",
    "expm1",
    "eye",
    "fft_fft",
    "fft_fft2",
    "fft_fftn",
    "fft_hfft",
    "fft_hfft2",
    "fft_hfftn",
    "fft_ifft",
    "fft_ifft2",
    "fft_ifftn",
    "fft_ihfft",
    "fft_ihfft2",
    "fft_ihfftn",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "fft_rfft",
    "fft_rfft2",
    "fft_rfftn",
    "fix",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frexp",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "gather",
    "gcd",
    "ge",
    "gelu",
    "generator_at",
    "geqrf",
    "ger",
    "get_default_device",
    "get_default_dtype",
    "get_float32_matmul_precision",
    "get_num_threads",
    "gil_releases",
    "gradient",
    "gradient_node",
    "greater",
    "greater_equal",
    "gt",
    "half",
    "hardshrink",
    "has_attention",
    "has_chains",
    "heaviside",
    "histc",
    "histogram",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "igamma",
    "igammac",
    "imag",
    "in_forked_child",
    "increment_version",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "index_select",
    "initial_seed",
    "inner",
    "install_command",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "interp",
    "inverse",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_nonzero",
    "is_observed",
    "is_same_size",
    "is_signed",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "istft",
    "kernel_images",
    "kron",
    "kthvalue",
    "lapack_cholesky",
    "lapack_eig",
    "lapack_eigh",
    "lapack_geqrf",
    "lapack_householder_product",
    "lapack_lstsq",
    "lapack_lu_factor",
    "lapack_lu_solve",
    "lapack_solve",
    "lapack_solve_triangular",
    "lapack_svd",
    "launch_device",
    "layer_norm",
    "lcm",
    "ldexp",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_cross",
    "linalg_det",
    "linalg_diagonal",
    "linalg_eig",
    "linalg_eigh",
    "linalg_eigvals",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_lstsq",
    "linalg_lu",
    "linalg_lu_factor",
    "linalg_lu_factor_ex",
    "linalg_lu_solve",
    "linalg_matrix_exp",
    "linalg_matrix_norm",
    "linalg_matrix_power",
    "linalg_matrix_rank",
    "linalg_multi_dot",
    "linalg_norm",
    "linalg_pinv",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_solve",
    "linalg_solve_ex",
    "linalg_solve_triangular",
    "linalg_svd",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "linalg_vander",
    "linalg_vecdot",
    "linalg_vector_norm",
    "linear",
    "linear_relu",
    "linspace",
    "live_counts",
    "load_device_library",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_ndtr",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logsumexp",
    "long",
    "lstm_cell_back",
    "lstm_cell_step",
    "lstm_steps",
    "lstm_steps_back",
    "lt",
    "lu",
    "lu_solve",
    "lu_unpack",
    "manual_seed",
    "map_shared_memory",
    "mark_exiting",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "max",
    "max_pool",
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
    "mode",
    "move_to_shared_memory",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "mvlgamma",
    "name_nodes",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "narrow_copy",
    "nccl_candidates",
    "ndtr",
    "ndtri",
    "ne",
    "nearest_name",
    "neg",
    "negative",
    "nextafter",
    "nonzero",
    "nonzero_static",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "nvml_candidates",
    "observe",
    "observed_step",
    "ones",
    "ones_like",
    "orgqr",
    "outer",
    "parse_byte_count",
    "parse_target",
    "pass_labels",
    "pass_reaches",
    "pdist",
    "permute",
    "permute_dims",
    "pick_classes",
    "pinned_memory_stats",
    "pinverse",
    "polar",
    "polygamma",
    "pop_allowed_wait",
    "pop_saved_tensor_hooks",
    "positive",
    "pow",
    "prelu",
    "prepare_cuda",
    "prod",
    "promote_types",
    "public_functions",
    "push_allowed_wait",
    "push_saved_tensor_hooks",
    "put",
    "qr",
    "quantile",
    "rad2deg",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "real",
    "reciprocal",
    "record",
    "record_function",
    "reduces_in_chains",
    "relu",
    "remainder",
    "renorm",
    "repeat_interleave",
    "replace_session",
    "reset_peak_memory_stats",
    "reset_session",
    "reshape",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "return_type",
    "roll",
    "rot90",
    "round",
    "row_costs",
    "rsqrt",
    "saved_tensor_hooks_disabled",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "select_scatter",
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
    "sgn",
    "shared_memory_of",
    "short",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "slice_scatter",
    "slogdet",
    "softmax",
    "sort",
    "split",
    "split_with_sizes",
    "sqrt",
    "square",
    "squared_error",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "stft",
    "storage_info",
    "storage_view",
    "stub_rows",
    "sub",
    "subtract",
    "sum",
    "svd",
    "swapaxes",
    "swapdims",
    "switch_cuda_index",
    "synchronize",
    "t",
    "take",
    "take_along_dim",
    "tan",
    "tanh",
    "tensor",
    "tensor_from_bytes",
    "tensor_split",
    "tensordot",
    "throw_device_not_found",
    "tile",
    "topk",
    "torch_advice",
    "trace",
    "transpose",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unbind",
    "unflatten",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsqueeze",
    "unstack",
    "vander",
    "var",
    "var_mean",
    "vdot",
    "vecdot",
    "view_as_complex",
    "view_as_real",
    "vsplit",
    "vstack",
    "wait_kinds",
    "where",
    "with_slopes",
    "xlog1py",
    "xlogy",
    "zeros",
    "zeros_like",
    "zeta",
]

class dtype:
    """Type of a tensor's elements: gpukit.float32, int64, bool and so on."""

    @staticmethod
    def __init__(*args: typing.Any, **kwargs: typing.Any):
        """init(self: object, dtype: object) -> None"""

    @classmethod
    def __new__(cls: typing.Any, dtype: typing.Any) -> typing.Any: ...
    def __reduce__(self) -> str: ...
    def __repr__(self) -> str: ...
    def to_complex(self) -> typing.Any:
        """The complex dtype whose parts are of this one; complex64 for float16 and bfloat16."""

    def to_real(self) -> typing.Any:
        """The dtype of the parts of a complex one; another dtype itself."""

    @property
    def __numpy_dtype__(self) -> typing.Any:
        """What numpy.dtype(x) asks for, from NumPy 2.4 on: NumPy's dtype of the same name."""

    @property
    def is_complex(self) -> builtins.bool:
        """True for complex64 and complex128."""

    @property
    def is_floating_point(self) -> builtins.bool:
        """True for float16, bfloat16, float32 and float64."""

    @property
    def is_signed(self) -> builtins.bool:
        """True when negative values exist."""

    @property
    def itemsize(self) -> builtins.int:
        """Bytes of one element."""

    @property
    def name(self) -> str:
        """The name, e.g. 'float32'."""

class device:
    """Where a tensor lives: device('cpu'), device('cuda:1'), device('cuda', 1), device(1)."""

    def __enter__(self) -> Self: ...
    def __eq__(self, arg0: object) -> builtins.bool: ...
    def __exit__(self, *args: typing.Any) -> None: ...
    def __hash__(self) -> builtins.int: ...
    def __init__(
        self, type: str | builtins.int | device, index: builtins.int | None = None
    ) -> None: ...
    def __reduce__(self) -> tuple[builtins.type, tuple[str, typing.Any]]: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def resolve(self) -> device:
        """The same device with its index filled in: device('cuda') is the current one."""

    @property
    def index(self) -> builtins.int | None:
        """The index, or None for the CPU and for 'the current one'."""

    @property
    def simulated(self) -> builtins.bool:
        """True when the device is simulated on the CPU."""

    @property
    def type(self) -> str:
        """'cpu' or 'cuda'."""

class Generator:
    """A sequence of random numbers with a seed and a position."""

    def __getstate__(self) -> bytes: ...
    def __init__(self, device: DeviceLike | None = None) -> None: ...
    def __reduce__(self) -> tuple[typing.Any, ...]: ...
    def get_state(self) -> Tensor:
        """Seed and position as a tensor of bytes, for set_state."""

    def initial_seed(self) -> builtins.int:
        """The seed set last."""

    def manual_seed(self, seed: builtins.int) -> Generator:
        """Sets the seed and goes to the start; gives the generator itself."""

    def seed(self) -> builtins.int:
        """Takes a seed from the system and returns it."""

    def set_state(self, state: Tensor | bytes) -> Generator:
        """Goes back to what get_state() gave."""

    @property
    def device(self) -> device:
        """The device it was made for; its numbers are the same on all."""

class Tensor:
    """A multi-dimensional array of one dtype on one device."""

    @staticmethod
    def __new__(type, *args: typing.Any, **kwargs: typing.Any) -> Tensor:
        """Create and return a new object.  See help(type) for accurate signature."""

    @staticmethod
    def __torch_function__(*args: typing.Any, **kwargs: typing.Any) -> Tensor:
        """Called by torch's functions for a gpukit tensor: raises TypeError with what to import."""

    def __abs__(self) -> Tensor:
        """abs(self)"""

    def __add__(self, value: Tensor | Number) -> Tensor:
        """Return self+value."""

    def __and__(self, value: Tensor | Number) -> Tensor:
        """Return self&value."""

    def __await__(self) -> collections.abc.Generator[Any, None, Tensor]:
        """Return an iterator to be used in await expression."""

    def __bool__(self) -> builtins.bool:
        """True if self else False"""

    def __contains__(self, key: Tensor | Number) -> builtins.bool:
        """Return key in self."""

    def __delitem__(self, key: Index) -> None:
        """Delete self[key]."""

    def __eq__(self, value: object) -> Tensor:  # type: ignore[override]
        """Return self==value."""

    def __float__(self) -> builtins.float:
        """float(self)"""

    def __floordiv__(self, value: Tensor | Number) -> Tensor:
        """Return self//value."""

    def __ge__(self, value: Tensor | Number) -> Tensor:
        """Return self>=value."""

    def __getitem__(self, key: Index) -> Tensor:
        """Return self[key]."""

    def __gt__(self, value: Tensor | Number) -> Tensor:
        """Return self>value."""

    def __hash__(self) -> builtins.int:
        """Return hash(self)."""

    def __iadd__(self, value: Tensor | Number) -> Tensor:
        """Return self+=value."""

    def __iand__(self, value: Tensor | Number) -> Tensor:
        """Return self&=value."""

    def __ifloordiv__(self, value: Tensor | Number) -> Tensor:
        """Return self//=value."""

    def __ilshift__(self, value: Tensor | Number) -> Tensor:
        """Return self<<=value."""

    def __imod__(self, value: Tensor | Number) -> Tensor:
        """Return self%=value."""

    def __imul__(self, value: Tensor | Number) -> Tensor:
        """Return self*=value."""

    def __index__(self) -> builtins.int:
        """Return self converted to an integer, if self is suitable for use as an index into a list."""

    def __int__(self) -> builtins.int:
        """int(self)"""

    def __invert__(self) -> Tensor:
        """~self"""

    def __ior__(self, value: Tensor | Number) -> Tensor:
        """Return self|=value."""

    def __ipow__(self, value: Tensor | Number) -> Tensor:  # type: ignore[misc]
        """Return self**=value."""

    def __irshift__(self, value: Tensor | Number) -> Tensor:
        """Return self>>=value."""

    def __isub__(self, value: Tensor | Number) -> Tensor:
        """Return self-=value."""

    def __iter__(self) -> collections.abc.Iterator[Tensor]:
        """Implement iter(self)."""

    def __itruediv__(self, value: Tensor | Number) -> Tensor:
        """Return self/=value."""

    def __ixor__(self, value: Tensor | Number) -> Tensor:
        """Return self^=value."""

    def __le__(self, value: Tensor | Number) -> Tensor:
        """Return self<=value."""

    def __len__(self) -> builtins.int:
        """Return len(self)."""

    def __lshift__(self, value: Tensor | Number) -> Tensor:
        """Return self<<value."""

    def __lt__(self, value: Tensor | Number) -> Tensor:
        """Return self<value."""

    def __matmul__(self, value: Tensor) -> Tensor:
        """Return self@value."""

    def __mod__(self, value: Tensor | Number) -> Tensor:
        """Return self%value."""

    def __mul__(self, value: Tensor | Number) -> Tensor:
        """Return self*value."""

    def __ne__(self, value: object) -> Tensor:  # type: ignore[override]
        """Return self!=value."""

    def __neg__(self) -> Tensor:
        """-self"""

    def __or__(self, value: Tensor | Number) -> Tensor:
        """Return self|value."""

    def __pos__(self) -> Tensor:
        """+self"""

    def __pow__(self, value: Tensor | Number, mod: None = None) -> Tensor:
        """Return pow(self, value, mod)."""

    def __radd__(self, value: Tensor | Number) -> Tensor:
        """Return value+self."""

    def __rand__(self, value: Tensor | Number) -> Tensor:
        """Return value&self."""

    def __repr__(self) -> str:
        """Return repr(self)."""

    def __rfloordiv__(self, value: Tensor | Number) -> Tensor:
        """Return value//self."""

    def __rlshift__(self, value: Tensor | Number) -> Tensor:
        """Return value<<self."""

    def __rmatmul__(self, value: Tensor) -> Tensor:
        """Return value@self."""

    def __rmod__(self, value: Tensor | Number) -> Tensor:
        """Return value%self."""

    def __rmul__(self, value: Tensor | Number) -> Tensor:
        """Return value*self."""

    def __ror__(self, value: Tensor | Number) -> Tensor:
        """Return value|self."""

    def __rpow__(self, value: Tensor | Number, mod: None = None) -> Tensor:
        """Return pow(value, self, mod)."""

    def __rrshift__(self, value: Tensor | Number) -> Tensor:
        """Return value>>self."""

    def __rshift__(self, value: Tensor | Number) -> Tensor:
        """Return self>>value."""

    def __rsub__(self, value: Tensor | Number) -> Tensor:
        """Return value-self."""

    def __rtruediv__(self, value: Tensor | Number) -> Tensor:
        """Return value/self."""

    def __rxor__(self, value: Tensor | Number) -> Tensor:
        """Return value^self."""

    def __setitem__(self, key: Index, value: Tensor | Number | Sequence[object] | AnyArray) -> None:
        """Set self[key] to value."""

    def __sub__(self, value: Tensor | Number) -> Tensor:
        """Return self-value."""

    def __truediv__(self, value: Tensor | Number) -> Tensor:
        """Return self/value."""

    def __xor__(self, value: Tensor | Number) -> Tensor:
        """Return self^value."""

    @property
    def H(self) -> Tensor:
        """A matrix transposed and conjugated."""

    @property
    def T(self) -> Tensor:
        """A view with all dimensions reversed."""

    def __array__(
        self, dtype: DTypeLike | None = None, copy: builtins.bool | None = None
    ) -> numpy.typing.NDArray[Any]:
        """What numpy.asarray asks for."""

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """The module gpukit.array_api: the array API standard over this library."""

    @property
    def __array_priority__(self) -> builtins.int:
        """Says NumPy to leave mixed operators to the tensor."""

    def __array_wrap__(
        self, array: AnyArray, context: object = None, return_scalar: builtins.bool = False
    ) -> Tensor:
        """What NumPy's functions of tensors ask for, so that they give tensors: over the memory of the array."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Capsules of Arrow's C data interface over the tensor's memory: what pyarrow.array(x) and polars.Series(x) ask for."""

    def __complex__(self) -> builtins.complex:
        """The one element as a complex number."""

    def __copy__(self) -> Tensor:
        """A new tensor over the same memory."""

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        """What other CUDA libraries read: version 3. AttributeError on the CPU and in a simulation."""

    def __deepcopy__(self, memo: dict[builtins.int, object]) -> Tensor:
        """A copy with its own memory."""

    def __dlpack__(
        self,
        *,
        stream: builtins.int | None = None,
        max_version: tuple[builtins.int, builtins.int] | None = None,
        dl_device: tuple[builtins.int, builtins.int] | None = None,
        copy: builtins.bool | None = None,
    ) -> object:
        """A DLPack capsule over the tensor's memory, for other libraries' from_dlpack."""

    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        """(DLPack device type, index) of the tensor."""

    def __format__(self, format_spec: str) -> str:
        """A 0-d tensor formats as its number."""

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        """How to pickle: dtype, shape and bytes; from protocol 5 on the bytes are a buffer that need not be copied."""

    def __reversed__(self) -> Tensor:
        """The slices along the first dimension in reverse order: what reversed(x) gives."""

    @property
    def _base(self) -> Tensor | None:
        """The tensor that this is a view of, which is no view itself, or None. None also for views as another dtype."""

    def _is_view(self) -> builtins.bool:
        """True for a view of another tensor, which `_base` gives; False for views as another dtype."""

    @property
    def _version(self) -> builtins.int:
        """How often the memory was changed in place."""

    def abs(self, *, out: Tensor | None = None) -> Tensor:
        """Absolute value."""

    def abs_(self) -> Tensor:
        """In place: Absolute value."""

    def absolute(self, *, out: Tensor | None = None) -> Tensor:
        """The same as abs."""

    def absolute_(self) -> Tensor:
        """The same as abs_."""

    def acos(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse cosine, in radians."""

    def acos_(self) -> Tensor:
        """In place: Inverse cosine, in radians."""

    def acosh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic cosine."""

    def acosh_(self) -> Tensor:
        """In place: Inverse hyperbolic cosine."""

    def add(
        self, other: Tensor | Number, *, alpha: Number | None = 1, out: Tensor | None = None
    ) -> Tensor:
        """input + alpha * other."""

    def add_(self, other: Tensor | Number, *, alpha: Number | None = 1) -> Tensor:
        """In place: input + alpha * other."""

    def addbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Number = 1,
        alpha: Number = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """beta * input + alpha * the sum of batch1 @ batch2 over the batch."""

    def addbmm_(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Tensor:
        """In place: beta * input + alpha * the sum of batch1 @ batch2 over the batch."""

    def addcdiv(
        self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
    ) -> Tensor:
        """input + value * tensor1 / tensor2."""

    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """In place: input + value * tensor1 / tensor2."""

    def addcmul(
        self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
    ) -> Tensor:
        """input + value * tensor1 * tensor2."""

    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
        """In place: input + value * tensor1 * tensor2."""

    def addmm(
        self,
        mat1: Tensor,
        mat2: Tensor,
        *,
        beta: Number = 1,
        alpha: Number = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """beta * input + alpha * mat1 @ mat2; input broadcasts."""

    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: addmm."""

    def addmv(
        self,
        mat: Tensor,
        vec: Tensor,
        *,
        beta: Number = 1,
        alpha: Number = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """beta * input + alpha * (mat @ vec)."""

    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * (mat @ vec)."""

    def addr(
        self,
        vec1: Tensor,
        vec2: Tensor,
        *,
        beta: Number = 1,
        alpha: Number = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """beta * input + alpha * outer(vec1, vec2)."""

    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """In place: beta * input + alpha * outer(vec1, vec2)."""

    def adjoint(self) -> Tensor:
        """The last two dimensions swapped, the elements conjugated: x.mH."""

    def all(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """True when no element is 0."""

    def allclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> builtins.bool:
        """True when all elements are close. Waits for the result."""

    def amax(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Largest elements over dim, which may be a tuple."""

    def amin(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Smallest elements over dim, which may be a tuple."""

    def aminmax(
        self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False
    ) -> tuple[Tensor, Tensor]:
        """The smallest and the largest."""

    def angle(self, *, out: Tensor | None = None) -> Tensor:
        """The angle of complex numbers in radians, from -pi to pi; of real numbers 0, or pi of negative ones."""

    def any(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """True when an element is not 0."""

    def apply_(self, callable: object) -> Tensor:
        """In place: a Python function of each number. On the CPU only; slow."""

    def arccos(self, *, out: Tensor | None = None) -> Tensor:
        """The same as acos."""

    def arccos_(self) -> Tensor:
        """The same as acos_."""

    def arccosh(self, *, out: Tensor | None = None) -> Tensor:
        """The same as acosh."""

    def arccosh_(self) -> Tensor:
        """The same as acosh_."""

    def arcsin(self, *, out: Tensor | None = None) -> Tensor:
        """The same as asin."""

    def arcsin_(self) -> Tensor:
        """The same as asin_."""

    def arcsinh(self, *, out: Tensor | None = None) -> Tensor:
        """The same as asinh."""

    def arcsinh_(self) -> Tensor:
        """The same as asinh_."""

    def arctan(self, *, out: Tensor | None = None) -> Tensor:
        """The same as atan."""

    def arctan2(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as atan2."""

    def arctan2_(self, other: Tensor | Number) -> Tensor:
        """The same as atan2_."""

    def arctan_(self) -> Tensor:
        """The same as atan_."""

    def arctanh(self, *, out: Tensor | None = None) -> Tensor:
        """The same as atanh."""

    def arctanh_(self) -> Tensor:
        """The same as atanh_."""

    def argmax(
        self,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Argument of the largest element, the first of equal ones; int64."""

    def argmin(
        self,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Argument of the smallest element, the first of equal ones; int64."""

    def argsort(
        self,
        dim: builtins.int = -1,
        descending: builtins.bool = False,
        stable: builtins.bool = True,
    ) -> Tensor:
        """Indices of the elements in order along dim."""

    def argwhere(self) -> Tensor:
        """The same as nonzero."""

    def as_strided(
        self,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """The memory behind the tensor with other sizes and strides. A view."""

    def as_strided_(
        self,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """In place: other sizes and strides over the same memory."""

    def as_strided_scatter(
        self,
        src: Tensor,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """A copy, in input's layout, with src as the elements that these sizes and strides reach."""

    def as_subclass(self, cls: builtins.type[S]) -> S:
        """The same elements as an object of a subclass of Tensor."""

    def asin(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse sine, in radians."""

    def asin_(self) -> Tensor:
        """In place: Inverse sine, in radians."""

    def asinh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic sine."""

    def asinh_(self) -> Tensor:
        """In place: Inverse hyperbolic sine."""

    def atan(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse tangent, in radians."""

    def atan2(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Angle of the point (other, input) in radians, from -pi to pi."""

    def atan2_(self, other: Tensor | Number) -> Tensor:
        """In place: Angle of the point (other, input) in radians, from -pi to pi."""

    def atan_(self) -> Tensor:
        """In place: Inverse tangent, in radians."""

    def atanh(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse hyperbolic tangent."""

    def atanh_(self) -> Tensor:
        """In place: Inverse hyperbolic tangent."""

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: builtins.bool | None = None,
        create_graph: builtins.bool = False,
        inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge] | None = None,
    ) -> None:
        """Adds the gradient of this tensor to .grad of every leaf that it was computed from."""

    def baddbmm(
        self,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Number = 1,
        alpha: Number = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2), for a batch of matrices."""

    def baddbmm_(
        self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
    ) -> Tensor:
        """In place: baddbmm."""

    def bernoulli(
        self, p: builtins.float | None = None, *, generator: Generator | None = None
    ) -> Tensor:
        """1 with the probability that input names, else 0."""

    def bernoulli_(
        self, p: builtins.float | Tensor = 0.5, *, generator: Generator | None = None
    ) -> Tensor:
        """In place: 1 with probability p, else 0."""

    def bfloat16(self) -> Tensor:
        """Converted to bfloat16."""

    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """How often each number from 0 on occurs, or the sum of its weights. Waits for the largest number."""

    def bitwise_and(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Bitwise AND; logical AND for bool."""

    def bitwise_and_(self, other: Tensor | Number) -> Tensor:
        """In place: Bitwise AND; logical AND for bool."""

    def bitwise_left_shift(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Left shift by other bits."""

    def bitwise_left_shift_(self, other: Tensor | Number) -> Tensor:
        """In place: Left shift by other bits."""

    def bitwise_not(self, *, out: Tensor | None = None) -> Tensor:
        """Bitwise NOT; logical NOT for bool."""

    def bitwise_not_(self) -> Tensor:
        """In place: Bitwise NOT; logical NOT for bool."""

    def bitwise_or(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Bitwise OR; logical OR for bool."""

    def bitwise_or_(self, other: Tensor | Number) -> Tensor:
        """In place: Bitwise OR; logical OR for bool."""

    def bitwise_right_shift(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Arithmetic right shift by other bits: the sign is kept."""

    def bitwise_right_shift_(self, other: Tensor | Number) -> Tensor:
        """In place: Arithmetic right shift by other bits: the sign is kept."""

    def bitwise_xor(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Bitwise XOR; logical XOR for bool."""

    def bitwise_xor_(self, other: Tensor | Number) -> Tensor:
        """In place: Bitwise XOR; logical XOR for bool."""

    def block_until_ready(self, timeout: builtins.float | None = None) -> Tensor:
        """The same as wait()."""

    def bmm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Products of two stacks of matrices, (b, n, m) and (b, m, p)."""

    def bool(self) -> Tensor:
        """Converted to bool: everything but 0 is True."""

    def broadcast_to(self, size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Broadcast to a shape without copying."""

    def byte(self) -> Tensor:
        """Converted to uint8; fractions are cut off."""

    def cauchy_(
        self,
        median: builtins.float = 0.0,
        sigma: builtins.float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """In place: numbers of a Cauchy distribution."""

    def cbrt(self, *, out: Tensor | None = None) -> Tensor:
        """Cube root; of negative numbers too."""

    def cbrt_(self) -> Tensor:
        """In place: Cube root; of negative numbers too."""

    def cdouble(self) -> Tensor:
        """Converted to complex128."""

    def ceil(self, *, out: Tensor | None = None) -> Tensor:
        """Smallest integer not less than each element; the dtype is kept."""

    def ceil_(self) -> Tensor:
        """In place: Smallest integer not less than each element; the dtype is kept."""

    def cfloat(self) -> Tensor:
        """Converted to complex64."""

    def char(self) -> Tensor:
        """Converted to int8; fractions are cut off."""

    def cholesky(self, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
        """Factors L of positive definite matrices, A = L L^H. The same as linalg.cholesky."""

    def cholesky_inverse(
        self, upper: builtins.bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        """Inverses of matrices given by their Cholesky factors."""

    def cholesky_solve(
        self, input2: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        """Solutions X of A X = input, of A given by its Cholesky factor."""

    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` views of nearly equal size along dim."""

    def clamp(
        self,
        min: Number | Tensor | None = None,
        max: Number | Tensor | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Limited to [min, max]; NaN stays."""

    def clamp_(
        self, min: Number | Tensor | None = None, max: Number | Tensor | None = None
    ) -> Tensor:
        """In place: limited to [min, max]."""

    def clamp_max(self, max: Number | Tensor, *, out: Tensor | None = None) -> Tensor:
        """Not above max; clamp with one bound."""

    def clamp_max_(self, max: Number | Tensor) -> Tensor:
        """In place: not above max."""

    def clamp_min(self, min: Number | Tensor, *, out: Tensor | None = None) -> Tensor:
        """Not below min; clamp with one bound."""

    def clamp_min_(self, min: Number | Tensor) -> Tensor:
        """In place: not below min."""

    def clip(
        self,
        min: Number | Tensor | None = None,
        max: Number | Tensor | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """The same as clamp."""

    def clip_(
        self, min: Number | Tensor | None = None, max: Number | Tensor | None = None
    ) -> Tensor:
        """The same as clamp_."""

    def clone(self, *, memory_format: str | None = None) -> Tensor:
        """A contiguous copy on the same device."""

    def conj(self) -> Tensor:
        """The complex conjugate. A copy, not a view as in torch."""

    def conj_physical(self) -> Tensor:
        """The complex conjugate."""

    def conj_physical_(self) -> Tensor:
        """The complex conjugate, in place."""

    def contiguous(self, *, memory_format: str | None = None) -> Tensor:
        """A contiguous tensor of the same elements; itself when it is one."""

    def copy_(self, src: Tensor | Number, non_blocking: builtins.bool = False) -> Tensor:
        """Copies src into the tensor: broadcasts, converts, between any devices."""

    def copysign(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Magnitude of input with the sign of other."""

    def copysign_(self, other: Tensor | Number) -> Tensor:
        """In place: Magnitude of input with the sign of other."""

    def corrcoef(self) -> Tensor:
        """Correlations of the rows, which are variables; columns are observations."""

    def cos(self, *, out: Tensor | None = None) -> Tensor:
        """Cosine of an angle in radians."""

    def cos_(self) -> Tensor:
        """In place: Cosine of an angle in radians."""

    def cosh(self, *, out: Tensor | None = None) -> Tensor:
        """Hyperbolic cosine."""

    def cosh_(self) -> Tensor:
        """In place: Hyperbolic cosine."""

    def count_nonzero(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
    ) -> Tensor:
        """How many elements are not 0; int64."""

    def cov(
        self,
        *,
        correction: builtins.int = 1,
        fweights: Tensor | None = None,
        aweights: Tensor | None = None,
    ) -> Tensor:
        """Covariances of the rows, which are variables; columns are observations."""

    def cpu(self, non_blocking: builtins.bool = False) -> Tensor:
        """The tensor on the CPU; itself when it is there."""

    def cross(
        self, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None
    ) -> Tensor:
        """Cross products of vectors of three numbers; without dim along the first dimension of size 3."""

    def cuda(self, device: DeviceLike | None = None, non_blocking: builtins.bool = False) -> Tensor:
        """The tensor on a CUDA device, by default the current one; itself when it is there."""

    def cummax(
        self, dim: builtins.int, *, out: tuple[Tensor, Tensor] | None = None
    ) -> ValuesAndIndices:
        """The largest of each element and those before it along dim, with indices; the last of equal ones. NaN is the largest."""

    def cummin(
        self, dim: builtins.int, *, out: tuple[Tensor, Tensor] | None = None
    ) -> ValuesAndIndices:
        """The smallest of each element and those before it along dim, with indices; the last of equal ones. NaN is the smallest."""

    def cumprod(
        self, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
    ) -> Tensor:
        """Running products along dim."""

    def cumprod_(self, dim: builtins.int, *, dtype: DTypeLike | None = None) -> Tensor:
        """In place: running products along dim."""

    def cumsum(
        self, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
    ) -> Tensor:
        """Running sums along dim."""

    def cumsum_(self, dim: builtins.int, *, dtype: DTypeLike | None = None) -> Tensor:
        """In place: running sums along dim."""

    @property
    def data(self) -> Tensor:
        """The same elements as a tensor without a gradient."""

    @data.setter
    def data(self, value: Tensor) -> None: ...
    def data_ptr(self) -> builtins.int:
        """Address of the first element: host or device memory."""

    def deg2rad(self, *, out: Tensor | None = None) -> Tensor:
        """Angles in radians of those in degrees."""

    def deg2rad_(self) -> Tensor:
        """In place: radians of degrees."""

    def det(self, *, out: Tensor | None = None) -> Tensor:
        """Determinants of square matrices. The same as linalg.det."""

    def detach(self) -> Tensor:
        """The same elements as a tensor without a gradient."""

    def detach_(self) -> Tensor:
        """Leave the graph: the tensor is a leaf without a gradient from here on."""

    @property
    def device(self) -> device:
        """Where the elements are; always with an index for CUDA."""

    def diag(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """A matrix with the vector on its diagonal, or the diagonal of a matrix as a vector. A copy."""

    def diag_embed(
        self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1
    ) -> Tensor:
        """Matrices that have the last dimension of input on a diagonal."""

    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """A matrix with the elements on a diagonal."""

    def diagonal(
        self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1
    ) -> Tensor:
        """The diagonal of a matrix. A view."""

    def diagonal_scatter(
        self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1
    ) -> Tensor:
        """A copy with src as a diagonal."""

    def diff(
        self,
        n: builtins.int = 1,
        dim: builtins.int = -1,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Differences of neighbours along dim, n times over; of bool, whether they differ."""

    def digamma(self, *, out: Tensor | None = None) -> Tensor:
        """Derivative of lgamma."""

    def digamma_(self) -> Tensor:
        """In place: Derivative of lgamma."""

    def dim(self) -> builtins.int:
        """Number of dimensions."""

    def dist(self, other: Tensor, p: Number = 2) -> Tensor:
        """The norm of the difference."""

    def div(
        self, other: Tensor | Number, *, rounding_mode: str | None = None, out: Tensor | None = None
    ) -> Tensor:
        """input / other; integers give floating results. rounding_mode 'floor' or 'trunc' rounds the quotient."""

    def div_(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """In place: input / other; integers give floating results. rounding_mode 'floor' or 'trunc' rounds the quotient."""

    def divide(
        self, other: Tensor | Number, *, rounding_mode: str | None = None, out: Tensor | None = None
    ) -> Tensor:
        """The same as div."""

    def divide_(self, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
        """The same as div_."""

    def dot(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Inner product of two vectors."""

    def double(self) -> Tensor:
        """Converted to float64."""

    def dsplit(
        self, indices_or_sections: builtins.int | Sequence[builtins.int]
    ) -> tuple[Tensor, ...]:
        """Parts along the third dimension."""

    @property
    def dtype(self) -> dtype:
        """Type of the elements."""

    def element_size(self) -> builtins.int:
        """Bytes of one element."""

    def entr(self, *, out: Tensor | None = None) -> Tensor:
        """-input * log(input), 0 of 0 and -inf below."""

    def eq(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where the elements are equal."""

    def eq_(self, other: Tensor | Number) -> Tensor:
        """In place: True where the elements are equal."""

    def equal(self, other: Tensor) -> builtins.bool:
        """True when shapes and all elements are equal. Waits for the result."""

    def erf(self, *, out: Tensor | None = None) -> Tensor:
        """Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""

    def erf_(self) -> Tensor:
        """In place: Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""

    def erfc(self, *, out: Tensor | None = None) -> Tensor:
        """Complementary error function: 1 - erf(input), accurate for large inputs."""

    def erfc_(self) -> Tensor:
        """In place: Complementary error function: 1 - erf(input), accurate for large inputs."""

    def erfcx(self, *, out: Tensor | None = None) -> Tensor:
        """exp(input * input) * erfc(input), without overflow or underflow."""

    def erfinv(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse of erf, from -1 to 1."""

    def erfinv_(self) -> Tensor:
        """In place: Inverse of erf, from -1 to 1."""

    def exp(self, *, out: Tensor | None = None) -> Tensor:
        """Exponential: e to the power of input."""

    def exp2(self, *, out: Tensor | None = None) -> Tensor:
        """2 to the power of input."""

    def exp2_(self) -> Tensor:
        """In place: 2 to the power of input."""

    def exp_(self) -> Tensor:
        """In place: Exponential: e to the power of input."""

    @typing.overload
    def expand(self, *size: builtins.int) -> Tensor:
        """Dimensions of size 1 repeated without copying; -1 keeps a size."""

    @typing.overload
    def expand(self, size: Sequence[builtins.int]) -> Tensor: ...
    def expand_as(self, other: Tensor) -> Tensor:
        """expand() to the shape of another tensor."""

    def expit(self, *, out: Tensor | None = None) -> Tensor:
        """The same as sigmoid."""

    def expit_(self) -> Tensor:
        """The same as sigmoid_."""

    def expm1(self, *, out: Tensor | None = None) -> Tensor:
        """exp(input) - 1, accurate near 0."""

    def expm1_(self) -> Tensor:
        """In place: exp(input) - 1, accurate near 0."""

    def exponential_(
        self, lambd: builtins.float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        """In place: numbers of an exponential distribution."""

    def fill_(self, value: Tensor | Number) -> Tensor:
        """Sets all elements to a number."""

    def fill_diagonal_(self, value: Number, wrap: builtins.bool = False) -> Tensor:
        """In place: value on the main diagonal."""

    def fix(self, *, out: Tensor | None = None) -> Tensor:
        """The same as trunc."""

    def fix_(self) -> Tensor:
        """The same as trunc_."""

    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """The dimensions from start_dim to end_dim as one."""

    @typing.overload
    def flip(self, *dims: builtins.int) -> Tensor:
        """Reversed along dims. A copy; x[::-1] is a view."""

    @typing.overload
    def flip(self, dims: Sequence[builtins.int]) -> Tensor: ...
    def fliplr(self) -> Tensor:
        """The second dimension reversed. A copy."""

    def flipud(self) -> Tensor:
        """The first dimension reversed. A copy."""

    def float(self) -> Tensor:
        """Converted to float32."""

    def float_power(self, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """input to the power of exponent, in float64."""

    def float_power_(self, exponent: Tensor | Number) -> Tensor:
        """In place: float_power."""

    def floor(self, *, out: Tensor | None = None) -> Tensor:
        """Largest integer not greater than each element; the dtype is kept."""

    def floor_(self) -> Tensor:
        """In place: Largest integer not greater than each element; the dtype is kept."""

    def floor_divide(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Quotient rounded towards negative infinity."""

    def floor_divide_(self, other: Tensor | Number) -> Tensor:
        """In place: Quotient rounded towards negative infinity."""

    def fmax(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Elementwise maximum; a NaN is ignored where the other element is a number."""

    def fmin(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Elementwise minimum; a NaN is ignored where the other element is a number."""

    def fmod(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """What is left of a division whose quotient is rounded towards 0; it has the sign of input."""

    def fmod_(self, other: Tensor | Number) -> Tensor:
        """In place: fmod."""

    def frac(self, *, out: Tensor | None = None) -> Tensor:
        """What is behind the point: input - trunc(input)."""

    def frac_(self) -> Tensor:
        """In place: frac."""

    def frexp(self) -> tuple[Tensor, Tensor]:
        """The mantissa, from 0.5 to 1, and the exponent of each element: mantissa * 2 ** exponent is input."""

    def gather(self, dim: builtins.int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
        """out[i][j] = input[index[i][j]][j] for dim 0, and so on."""

    def gcd(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The greatest common divisor of each pair of whole numbers; of 0 and 0 it is 0."""

    def gcd_(self, other: Tensor) -> Tensor:
        """In place: the greatest common divisors."""

    def ge(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where input >= other."""

    def ge_(self, other: Tensor | Number) -> Tensor:
        """In place: True where input >= other."""

    def gelu(self) -> Tensor:
        """Gaussian error linear unit, x * Phi(x) with the normal distribution function Phi: x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel, 2016)."""

    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """In place: numbers of a geometric distribution, 1 or more."""

    def geqrf(self, *, out: tuple[Tensor, ...] | None = None) -> NamedResults:
        """LAPACK's QR: Householder reflectors below R, and their factors."""

    def ger(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The same as outer."""

    def get_device(self) -> builtins.int:
        """Index of the CUDA device; -1 on the CPU and on meta."""

    @property
    def grad(self) -> Tensor | None:
        """The gradient, or None."""

    @grad.setter
    def grad(self, value: Tensor | None) -> None: ...
    @property
    def grad_fn(self) -> GraphNode | None:
        """The node of the recorded operation that made the tensor, or None."""

    def greater(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as gt."""

    def greater_(self, other: Tensor | Number) -> Tensor:
        """The same as gt_."""

    def greater_equal(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as ge."""

    def greater_equal_(self, other: Tensor | Number) -> Tensor:
        """The same as ge_."""

    def gt(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where input > other."""

    def gt_(self, other: Tensor | Number) -> Tensor:
        """In place: True where input > other."""

    def half(self) -> Tensor:
        """Converted to float16."""

    def hardshrink(self, lambd: Number = 0.5) -> Tensor:
        """Input where it is outside of [-lambd, lambd], else 0."""

    def heaviside(self, values: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The step function: 0 below 0, 1 above it, and values at 0."""

    def heaviside_(self, values: Tensor) -> Tensor:
        """In place: the step function."""

    def histc(
        self,
        bins: builtins.int = 100,
        min: Number = 0,
        max: Number = 0,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """How many elements each of bins of equal width has; of the range of the elements where min equals max. Waits then."""

    def histogram(
        self,
        bins: builtins.int | Tensor,
        *,
        range: tuple[builtins.float, builtins.float] | None = None,
        weight: Tensor | None = None,
        density: builtins.bool = False,
    ) -> tuple[Tensor, Tensor]:
        """How many elements each bin has, and the edges of the bins; the last bin has its right edge."""

    def hsplit(
        self, indices_or_sections: builtins.int | Sequence[builtins.int]
    ) -> tuple[Tensor, ...]:
        """Parts along the second dimension, of 1-d tensors along the first."""

    def hypot(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Length of the hypotenuse: sqrt(input ** 2 + other ** 2), without overflow."""

    def hypot_(self, other: Tensor | Number) -> Tensor:
        """In place: Length of the hypotenuse: sqrt(input ** 2 + other ** 2), without overflow."""

    def i0(self, *, out: Tensor | None = None) -> Tensor:
        """Modified Bessel function of the first kind of order 0."""

    def i0_(self) -> Tensor:
        """In place: Modified Bessel function of the first kind of order 0."""

    def i0e(self, *, out: Tensor | None = None) -> Tensor:
        """exp(-abs(input)) * i0(input)."""

    def i1(self, *, out: Tensor | None = None) -> Tensor:
        """Modified Bessel function of the first kind of order 1."""

    def i1e(self, *, out: Tensor | None = None) -> Tensor:
        """exp(-abs(input)) * i1(input)."""

    def igamma(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The lower incomplete gamma function of order input at other, over gamma(input)."""

    def igammac(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The upper incomplete gamma function of order input at other, over gamma(input)."""

    @property
    def imag(self) -> Tensor:
        """The imaginary part of a complex tensor, a view of the same memory."""

    @imag.setter
    def imag(self, value: Tensor) -> None: ...
    def index_add(
        self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1
    ) -> Tensor:
        """A copy with slices of source added at the indices of index along dim."""

    def index_add_(
        self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1
    ) -> Tensor:
        """Adds rows of source at the indices in index."""

    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """A copy with the slices of source at the indices of index along dim."""

    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """In place: the slices of source at the indices of index along dim."""

    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Tensor:
        """A copy with value at the indices of index along dim."""

    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Tensor:
        """In place: value at the indices of index along dim."""

    def index_put(
        self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False
    ) -> Tensor:
        """A copy with values at indices, as x[indices] = values writes them."""

    def index_put_(
        self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False
    ) -> Tensor:
        """In place: values at indices, as x[indices] = values writes them."""

    def index_reduce(
        self,
        dim: builtins.int,
        index: Tensor,
        source: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """A copy with slices of source joined at the indices of index along dim."""

    def index_reduce_(
        self,
        dim: builtins.int,
        index: Tensor,
        source: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """In place: slices of source joined at the indices of index along dim."""

    def index_select(
        self, dim: builtins.int, index: Tensor, *, out: Tensor | None = None
    ) -> Tensor:
        """The slices along dim at the indices in an integer tensor."""

    def inner(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Products summed over the last dimension of both."""

    def int(self) -> Tensor:
        """Converted to int32; fractions are cut off."""

    def inverse(self, *, out: Tensor | None = None) -> Tensor:
        """Inverse matrices. The same as linalg.inv."""

    def is_complex(self) -> builtins.bool:
        """True for complex64 and complex128."""

    def is_conj(self) -> builtins.bool:
        """False: conj copies."""

    def is_contiguous(self, *, memory_format: str | None = None) -> builtins.bool:
        """True when the elements lie row by row without gaps."""

    @property
    def is_cpu(self) -> builtins.bool:
        """True on the CPU."""

    @property
    def is_cuda(self) -> builtins.bool:
        """True on a CUDA device."""

    def is_floating_point(self) -> builtins.bool:
        """True for floating dtypes."""

    def is_inference(self) -> builtins.bool:
        """True for tensors made inside inference_mode(), and for views of them."""

    @property
    def is_leaf(self) -> builtins.bool:
        """True for tensors that no recorded operation made."""

    @property
    def is_meta(self) -> builtins.bool:
        """True on the device 'meta', where tensors have shapes and no elements."""

    @property
    def is_mps(self) -> builtins.bool:
        """False: it is not on an Apple GPU."""

    @property
    def is_nested(self) -> builtins.bool:
        """False: gpukit has no nested tensors."""

    def is_nonzero(self) -> builtins.bool:
        """Whether the one element is not 0. Waits for it."""

    def is_pinned(self) -> builtins.bool:
        """True when the memory is page-locked."""

    @property
    def is_quantized(self) -> builtins.bool:
        """False: gpukit has no quantised tensors."""

    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Whether the shapes are equal."""

    def is_set_to(self, tensor: Tensor) -> builtins.bool:
        """Whether both are one view of one memory."""

    def is_shared(self) -> builtins.bool:
        """True when the memory is shared with other processes, see share_memory_."""

    def is_signed(self) -> builtins.bool:
        """Whether the dtype has numbers below 0."""

    @property
    def is_sparse(self) -> builtins.bool:
        """False: gpukit has no sparse tensors."""

    @property
    def is_sparse_csr(self) -> builtins.bool:
        """False: gpukit has no sparse tensors."""

    @property
    def is_xpu(self) -> builtins.bool:
        """False: it is not on an Intel GPU."""

    def isclose(
        self,
        other: Tensor,
        rtol: builtins.float = 1e-05,
        atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> Tensor:
        """True where |input - other| <= atol + rtol * |other|."""

    def isfinite(self) -> Tensor:
        """True where the element is finite: not infinite and not NaN."""

    def isinf(self) -> Tensor:
        """True where the element is infinite."""

    def isnan(self) -> Tensor:
        """True where the element is NaN."""

    def isneginf(self, *, out: Tensor | None = None) -> Tensor:
        """True where an element is minus infinity."""

    def isposinf(self, *, out: Tensor | None = None) -> Tensor:
        """True where an element is plus infinity."""

    def isreal(self) -> Tensor:
        """True where the imaginary part is 0."""

    def istft(
        self,
        n_fft: builtins.int,
        hop_length: builtins.int | None = None,
        win_length: builtins.int | None = None,
        window: Tensor | None = None,
        center: builtins.bool = True,
        normalized: builtins.bool = False,
        onesided: builtins.bool | None = None,
        length: builtins.int | None = None,
        return_complex: builtins.bool = False,
    ) -> Tensor:
        """The signal of which stft gives these transforms."""

    def item(self) -> RealNumber:
        """The one element as a Python number. Waits for the device."""

    @property
    def itemsize(self) -> builtins.int:
        """Bytes of one element."""

    def kron(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Kronecker products: other times each element of input, as blocks."""

    def kthvalue(
        self,
        k: builtins.int,
        dim: builtins.int = -1,
        keepdim: builtins.bool = False,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices:
        """The k-th smallest elements along dim, with indices; k is counted from 1, and NaN is the largest."""

    @property
    def layout(self) -> str:
        """Always 'strided'."""

    def lcm(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The least common multiple of each pair of whole numbers; 0 if one of them is 0."""

    def lcm_(self, other: Tensor) -> Tensor:
        """In place: the least common multiples."""

    def ldexp(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """input * 2 ** other."""

    def ldexp_(self, other: Tensor) -> Tensor:
        """In place: ldexp."""

    def le(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where input <= other."""

    def le_(self, other: Tensor | Number) -> Tensor:
        """In place: True where input <= other."""

    def lerp(self, end: Tensor, weight: Number | Tensor, *, out: Tensor | None = None) -> Tensor:
        """input + weight * (end - input)."""

    def lerp_(self, end: Tensor, weight: Number | Tensor) -> Tensor:
        """In place: input + weight * (end - input)."""

    def less(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as lt."""

    def less_(self, other: Tensor | Number) -> Tensor:
        """The same as lt_."""

    def less_equal(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as le."""

    def less_equal_(self, other: Tensor | Number) -> Tensor:
        """The same as le_."""

    def lgamma(self, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of the absolute value of the gamma function."""

    def lgamma_(self) -> Tensor:
        """In place: Logarithm of the absolute value of the gamma function."""

    def log(self, *, out: Tensor | None = None) -> Tensor:
        """Natural logarithm."""

    def log10(self, *, out: Tensor | None = None) -> Tensor:
        """Base-10 logarithm."""

    def log10_(self) -> Tensor:
        """In place: Base-10 logarithm."""

    def log1p(self, *, out: Tensor | None = None) -> Tensor:
        """log(1 + input), accurate near 0."""

    def log1p_(self) -> Tensor:
        """In place: log(1 + input), accurate near 0."""

    def log2(self, *, out: Tensor | None = None) -> Tensor:
        """Base-2 logarithm."""

    def log2_(self) -> Tensor:
        """In place: Base-2 logarithm."""

    def log_(self) -> Tensor:
        """In place: Natural logarithm."""

    def log_ndtr(self, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of ndtr, also where ndtr is 0."""

    def log_normal_(
        self,
        mean: builtins.float = 1.0,
        std: builtins.float = 2.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """In place: exponentials of normal numbers."""

    def log_softmax(
        self, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
    ) -> Tensor:
        """input - logsumexp(input) along dim: the logarithm of softmax."""

    def logaddexp(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """log(exp(input) + exp(other)), without overflow."""

    def logaddexp2(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """log2(2 ** input + 2 ** other), without overflow."""

    def logcumsumexp(self, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
        """Logarithms of running sums of exponentials along dim, which do not overflow."""

    def logdet(self) -> Tensor:
        """Logarithms of determinants; NaN where one is negative."""

    def logical_and(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where both operands are nonzero."""

    def logical_and_(self, other: Tensor | Number) -> Tensor:
        """In place: True where both operands are nonzero."""

    def logical_not(self, *, out: Tensor | None = None) -> Tensor:
        """Logical NOT: True where the element is zero."""

    def logical_not_(self) -> Tensor:
        """In place: Logical NOT: True where the element is zero."""

    def logical_or(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where either operand is nonzero."""

    def logical_or_(self, other: Tensor | Number) -> Tensor:
        """In place: True where either operand is nonzero."""

    def logical_xor(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where exactly one operand is nonzero."""

    def logical_xor_(self, other: Tensor | Number) -> Tensor:
        """In place: True where exactly one operand is nonzero."""

    def logit(self, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
        """Inverse of sigmoid: log(input / (1 - input)). With eps, input is clamped to [eps, 1 - eps] first."""

    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """In place: Inverse of sigmoid: log(input / (1 - input)). With eps, input is clamped to [eps, 1 - eps] first."""

    def logsumexp(
        self,
        dim: builtins.int | Sequence[builtins.int],
        keepdim: builtins.bool = False,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """log(sum(exp(input))) over dim, as m + log(sum(exp(input - m))) with the largest m."""

    def long(self) -> Tensor:
        """Converted to int64; fractions are cut off."""

    def lt(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where input < other."""

    def lt_(self, other: Tensor | Number) -> Tensor:
        """In place: True where input < other."""

    def lu(
        self, pivot: builtins.bool = True, get_infos: builtins.bool = False
    ) -> tuple[Tensor, ...]:
        """LU factors in one matrix, and pivots. linalg.lu_factor is the newer name."""

    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Solutions X of A X = input, of A given by lu_factor."""

    @property
    def mH(self) -> Tensor:
        """The last two dimensions swapped, the elements conjugated."""

    @property
    def mT(self) -> Tensor:
        """A view with the last two dimensions swapped."""

    def map_(self, tensor: Tensor, callable: object) -> Tensor:
        """In place: a Python function of each number and that of another tensor. On the CPU only; slow."""

    def masked_fill(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """A copy with a number where mask is True."""

    def masked_fill_(self, mask: Tensor, value: Tensor | Number) -> Tensor:
        """Sets the elements where mask is True to a number."""

    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """A copy in which the places where mask is True take the elements of source, in their order. Waits."""

    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """In place: the places where mask is True take the elements of source, in their order. Waits."""

    def masked_select(self, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The elements where mask is True, 1-d. Waits."""

    def matmul(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Matrix product of vectors, matrices or stacks of matrices, which broadcast. The operator @."""

    def matrix_exp(self) -> Tensor:
        """Matrix exponentials, by a Taylor series with scaling and squaring."""

    def matrix_power(self, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
        """A product of n equal matrices; of the inverse where n is negative."""

    @typing.overload
    def max(
        self, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        """Largest element; with dim (values, indices) along it; with a tensor the larger of each pair."""

    @typing.overload
    def max(
        self,
        dim: builtins.int,
        keepdim: builtins.bool = False,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices: ...
    @typing.overload
    def max(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def maximum(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Elementwise maximum; NaN propagates."""

    def mean(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        dtype: DTypeLike | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """Mean over dim."""

    @typing.overload
    def median(
        self, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        """The element in the middle, the lower one of two; of all, or along dim with its indices. NaN where there is one."""

    @typing.overload
    def median(
        self,
        dim: builtins.int,
        keepdim: builtins.bool = False,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices: ...
    @typing.overload
    def min(
        self, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        """Smallest element; with dim (values, indices) along it; with a tensor the smaller of each pair."""

    @typing.overload
    def min(
        self,
        dim: builtins.int,
        keepdim: builtins.bool = False,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices: ...
    @typing.overload
    def min(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def minimum(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Elementwise minimum; NaN propagates."""

    def mm(self, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Product of two matrices."""

    def mode(
        self,
        dim: builtins.int = -1,
        keepdim: builtins.bool = False,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices:
        """The most frequent elements along dim, the smallest of equally frequent ones, with the last index of each."""

    def moveaxis(
        self,
        source: builtins.int | Sequence[builtins.int],
        destination: builtins.int | Sequence[builtins.int],
    ) -> Tensor:
        """Dimensions moved to other positions; the others keep their order. A view."""

    def movedim(
        self,
        source: builtins.int | Sequence[builtins.int],
        destination: builtins.int | Sequence[builtins.int],
    ) -> Tensor:
        """The same as moveaxis."""

    def msort(self, *, out: Tensor | None = None) -> Tensor:
        """The tensor sorted along its first dimension."""

    def mul(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """input * other."""

    def mul_(self, other: Tensor | Number) -> Tensor:
        """In place: input * other."""

    def multinomial(
        self,
        num_samples: builtins.int,
        replacement: builtins.bool = False,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Indices drawn by their weights: of a vector, or of each row of a matrix."""

    def multiply(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as mul."""

    def multiply_(self, other: Tensor | Number) -> Tensor:
        """The same as mul_."""

    def mv(self, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Product of a matrix and a vector."""

    def mvlgamma(self, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
        """Logarithm of the multivariate gamma function of dimension p."""

    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """In place: mvlgamma."""

    def nan_to_num(
        self,
        nan: builtins.float | None = 0.0,
        posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """A copy with numbers for NaN and the infinities; None means the largest and the smallest of the dtype."""

    def nan_to_num_(
        self,
        nan: builtins.float | None = 0.0,
        posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """In place: nan_to_num."""

    def nanmean(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        dtype: DTypeLike | None = None,
    ) -> Tensor:
        """The mean of those that are not NaN."""

    @typing.overload
    def nanmedian(
        self, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
    ) -> Tensor:
        """As median, of the elements that are not NaN; NaN where there is no other."""

    @typing.overload
    def nanmedian(
        self,
        dim: builtins.int,
        keepdim: builtins.bool = False,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices: ...
    def nanquantile(
        self,
        q: builtins.float | Tensor,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        interpolation: str = "linear",
        out: Tensor | None = None,
    ) -> Tensor:
        """The elements at fractions q of the sorted order, without NaN."""

    def nansum(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        dtype: DTypeLike | None = None,
    ) -> Tensor:
        """The sum, in which NaN counts as 0."""

    def narrow(
        self, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int
    ) -> Tensor:
        """length elements from start along dim. A view."""

    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """narrow() into memory of its own."""

    @property
    def nbytes(self) -> builtins.int:
        """Bytes of all elements."""

    @property
    def ndim(self) -> builtins.int:
        """Number of dimensions."""

    def ndimension(self) -> builtins.int:
        """Number of dimensions."""

    def ndtr(self, *, out: Tensor | None = None) -> Tensor:
        """Cumulative distribution function of the standard normal distribution."""

    def ndtri(self, *, out: Tensor | None = None) -> Tensor:
        """Quantiles of the standard normal distribution: the inverse of ndtr."""

    def ne(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """True where the elements differ."""

    def ne_(self, other: Tensor | Number) -> Tensor:
        """In place: True where the elements differ."""

    def neg(self, *, out: Tensor | None = None) -> Tensor:
        """-input."""

    def neg_(self) -> Tensor:
        """In place: -input."""

    def negative(self, *, out: Tensor | None = None) -> Tensor:
        """The same as neg."""

    def negative_(self) -> Tensor:
        """The same as neg_."""

    def nelement(self) -> builtins.int:
        """Number of elements."""

    @typing.overload
    def new(self, *size: builtins.int) -> Tensor:
        """torch's older way: a tensor of this dtype on this device, of sizes (elements that are not set) or of data."""

    @typing.overload
    def new(self, size: Sequence[builtins.int]) -> Tensor: ...
    @typing.overload
    def new_empty(
        self,
        *size: builtins.int,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """empty() with the tensor's dtype and device."""

    @typing.overload
    def new_empty(
        self,
        size: Sequence[builtins.int],
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor: ...
    def new_empty_strided(
        self,
        size: Sequence[builtins.int],
        stride: Sequence[builtins.int],
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """empty_strided() with the tensor's dtype and device."""

    def new_full(
        self,
        size: builtins.int | Sequence[builtins.int],
        fill_value: Number,
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """full() with the tensor's dtype and device."""

    @typing.overload
    def new_ones(
        self,
        *size: builtins.int,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """ones() with the tensor's dtype and device."""

    @typing.overload
    def new_ones(
        self,
        size: Sequence[builtins.int],
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor: ...
    def new_tensor(
        self, data: object, dtype: DTypeLike | None = None, device: DeviceLike | None = None
    ) -> Tensor:
        """tensor() with the tensor's dtype and device."""

    @typing.overload
    def new_zeros(
        self,
        *size: builtins.int,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """zeros() with the tensor's dtype and device."""

    @typing.overload
    def new_zeros(
        self,
        size: Sequence[builtins.int],
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor: ...
    def nextafter(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Next representable number after input towards other."""

    def nextafter_(self, other: Tensor | Number) -> Tensor:
        """In place: Next representable number after input towards other."""

    @typing.overload
    def nonzero(self, *, as_tuple: Literal[False] = False, out: Tensor | None = None) -> Tensor:
        """Coordinates of the elements that are not 0: (count, ndim), int64. Waits."""

    @typing.overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    @typing.overload
    def nonzero(self, *, as_tuple: builtins.bool) -> Tensor | tuple[Tensor, ...]: ...
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
        """nonzero with a fixed number of rows."""

    def norm(
        self,
        p: Number | str = "fro",
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        dtype: DTypeLike | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """sum(|input|**p) ** (1 / p): the vector norm over dim or over all elements."""

    def normal_(
        self,
        mean: builtins.float = 0.0,
        std: builtins.float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fills with normal numbers."""

    def not_equal(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as ne."""

    def not_equal_(self, other: Tensor | Number) -> Tensor:
        """The same as ne_."""

    def numel(self) -> builtins.int:
        """Number of elements."""

    def numpy(self, *, force: builtins.bool = False) -> numpy.typing.NDArray[Any]:
        """A NumPy array over the same memory. A GPU tensor raises DeviceError, or is copied with force=True."""

    def orgqr(self, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Q of Householder reflectors. The same as linalg.householder_product."""

    def outer(self, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
        """All products of the elements of two vectors: (n, m)."""

    @typing.overload
    def permute(self, *dims: builtins.int) -> Tensor:
        """Dimensions in another order. A view."""

    @typing.overload
    def permute(self, dims: Sequence[builtins.int]) -> Tensor: ...
    def pin_memory(self) -> Tensor:
        """A copy in page-locked memory, which GPUs read and write at full speed. CPU tensors only."""

    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """Pseudo-inverses of matrices; singular values up to rcond times the largest count as 0."""

    def polygamma(self, n: builtins.int) -> Tensor:
        """Derivative of order n of digamma."""

    def polygamma_(self, n: builtins.int) -> Tensor:
        """In place: polygamma."""

    def positive(self) -> Tensor:
        """The tensor itself; bool raises, as + does."""

    def pow(self, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """input to the power of exponent."""

    def pow_(self, exponent: Tensor | Number) -> Tensor:
        """In place: input to the power of exponent."""

    def prelu(self, weight: Tensor) -> Tensor:
        """Input where it is positive, else weight * input."""

    def prod(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        dtype: DTypeLike | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """Product over dim."""

    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """A copy with source written at flat indices."""

    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """In place: source at the places of index in the flattened tensor."""

    def qr(
        self, some: builtins.bool = True, *, out: tuple[Tensor, ...] | None = None
    ) -> NamedResults:
        """Factors Q and R of matrices, Q orthogonal or unitary and R an upper triangle. linalg.qr is the newer name."""

    def quantile(
        self,
        q: builtins.float | Tensor,
        dim: builtins.int | None = None,
        keepdim: builtins.bool = False,
        *,
        interpolation: str = "linear",
        out: Tensor | None = None,
    ) -> Tensor:
        """The value below which a share of q lies."""

    def rad2deg(self, *, out: Tensor | None = None) -> Tensor:
        """Angles in degrees of those in radians."""

    def rad2deg_(self) -> Tensor:
        """In place: degrees of radians."""

    def random_(
        self,
        from_: builtins.int | None = None,
        to: builtins.int | None = None,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """In place: whole numbers of [from_, to), or all that the dtype has without them."""

    def ravel(self) -> Tensor:
        """All dimensions as one: a view of a contiguous tensor, else a copy."""

    def ready(self) -> builtins.bool:
        """True when the tensor's bytes have arrived and nothing queued on its stream is still running. Never waits."""

    @property
    def real(self) -> Tensor:
        """The real part, a view of the same memory; of a real tensor itself."""

    @real.setter
    def real(self, value: Tensor) -> None: ...
    def reciprocal(self, *, out: Tensor | None = None) -> Tensor:
        """Reciprocal: 1 / input."""

    def reciprocal_(self) -> Tensor:
        """In place: Reciprocal: 1 / input."""

    def record_stream(self, stream: Stream) -> None:
        """Says that a stream uses the memory, which is reused only after its work. gpukit's own operations say it themselves."""

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls hook(gradient) when the tensor's gradient is computed; what it returns, if not None, is used instead."""

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Calls hook(tensor) in each backward pass when the whole gradient of this leaf is in its .grad."""

    def relu(self) -> Tensor:
        """Rectified linear unit: max(input, 0)."""

    def relu_(self) -> Tensor:
        """In place: Rectified linear unit: max(input, 0)."""

    def remainder(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """Remainder of floor division: input - other * floor(input / other). It has the sign of other, as % in Python."""

    def remainder_(self, other: Tensor | Number) -> Tensor:
        """In place: Remainder of floor division: input - other * floor(input / other). It has the sign of other, as % in Python."""

    def renorm(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """The slices along dim, those of a larger norm scaled down to maxnorm."""

    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """In place: renorm."""

    @typing.overload
    def repeat(self, *repeats: builtins.int) -> Tensor:
        """The tensor repeated along its dimensions; a copy."""

    @typing.overload
    def repeat(self, repeats: Sequence[builtins.int]) -> Tensor: ...
    def repeat_interleave(
        self, repeats: builtins.int | Tensor, dim: builtins.int | None = None
    ) -> Tensor:
        """Each element repeats times, one after the other; repeats is an int or one int for each index along dim."""

    @property
    def requires_grad(self) -> builtins.bool:
        """True when gradients are wanted."""

    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None: ...
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Sets requires_grad; gives the tensor itself."""

    @typing.overload
    def reshape(self, *shape: builtins.int) -> Tensor:
        """The same elements in another shape; one size may be -1. A view when the strides allow it, else a copy."""

    @typing.overload
    def reshape(self, shape: Sequence[builtins.int]) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor:
        """reshape() to the shape of another tensor."""

    @typing.overload
    def resize_(self, *sizes: builtins.int) -> Tensor:
        """In place: another shape; the first elements stay, further ones are not set."""

    @typing.overload
    def resize_(self, sizes: Sequence[builtins.int]) -> Tensor: ...
    def resize_as_(self, the_template: Tensor) -> Tensor:
        """In place: the shape of another tensor; the first elements stay."""

    def resolve_conj(self) -> Tensor:
        """The tensor itself: no tensor of gpukit waits to be conjugated."""

    def resolve_neg(self) -> Tensor:
        """The tensor itself: no tensor of gpukit waits to be negated."""

    def retain_grad(self) -> None:
        """Keeps .grad of a result too; of leaves it is kept anyway."""

    @property
    def retains_grad(self) -> builtins.bool:
        """True after retain_grad() of a result."""

    def roll(
        self,
        shifts: builtins.int | Sequence[builtins.int],
        dims: builtins.int | Sequence[builtins.int] | None = None,
    ) -> Tensor:
        """Elements moved by shifts along dims, those that fall off put in at the other end; without dims the tensor is"""

    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] | None = None) -> Tensor:
        """Rotated k times by 90 degrees, from the first of dims to the second. A copy."""

    def round(self, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
        """Nearest integer, or multiple of 10 ** -decimals; halves are rounded to even. The dtype is kept."""

    def round_(self, *, decimals: builtins.int = 0) -> Tensor:
        """In place: Nearest integer, or multiple of 10 ** -decimals; halves are rounded to even. The dtype is kept."""

    def rsqrt(self, *, out: Tensor | None = None) -> Tensor:
        """Reciprocal of the square root."""

    def rsqrt_(self) -> Tensor:
        """In place: Reciprocal of the square root."""

    def scatter(
        self, dim: builtins.int, index: Tensor, src: Tensor | Number, *, reduce: str | None = None
    ) -> Tensor:
        """A copy with src written at the indices that index names along dim; see scatter_."""

    def scatter_(
        self, dim: builtins.int, index: Tensor, src: Tensor | Number, *, reduce: str | None = None
    ) -> Tensor:
        """Writes src at the indices that index names along dim. Of several values for one index one stays: the last on the CPU, any on a GPU."""

    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """A copy with src added at the indices that index names along dim."""

    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """Adds src at the indices that index names along dim."""

    def scatter_reduce(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """A copy in which each place holds the sum, product, mean, maximum or minimum of what src has for it."""

    def scatter_reduce_(
        self,
        dim: builtins.int,
        index: Tensor,
        src: Tensor,
        reduce: str,
        *,
        include_self: builtins.bool = True,
    ) -> Tensor:
        """In place: as scatter_reduce."""

    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """The slice at index along dim, which disappears. A view."""

    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy with src as the slice at index along dim."""

    def set_(self, source: Tensor) -> Tensor:
        """In place: the tensor takes the memory, the shape and the dtype of another."""

    def sgn(self, *, out: Tensor | None = None) -> Tensor:
        """input / abs(input), and 0 of 0: the sign of real numbers."""

    def sgn_(self) -> Tensor:
        """In place: sgn."""

    @property
    def shape(self) -> Size:
        """Sizes of the dimensions: a tuple of ints with numel()."""

    def share_memory_(self) -> Tensor:
        """Moves the memory of a CPU tensor to where other processes see it and its changes."""

    def short(self) -> Tensor:
        """Converted to int16; fractions are cut off."""

    def sigmoid(self, *, out: Tensor | None = None) -> Tensor:
        """Logistic function: 1 / (1 + exp(-input))."""

    def sigmoid_(self) -> Tensor:
        """In place: Logistic function: 1 / (1 + exp(-input))."""

    def sign(self, *, out: Tensor | None = None) -> Tensor:
        """The sign of each element: -1, 0 or 1."""

    def sign_(self) -> Tensor:
        """In place: The sign of each element: -1, 0 or 1."""

    def signbit(self, *, out: Tensor | None = None) -> Tensor:
        """True where the sign bit is set; -0.0 has it set."""

    def sin(self, *, out: Tensor | None = None) -> Tensor:
        """Sine of an angle in radians."""

    def sin_(self) -> Tensor:
        """In place: Sine of an angle in radians."""

    def sinc(self, *, out: Tensor | None = None) -> Tensor:
        """sin(pi * input) / (pi * input), and 1 of 0."""

    def sinc_(self) -> Tensor:
        """In place: sin(pi * input) / (pi * input), and 1 of 0."""

    def sinh(self, *, out: Tensor | None = None) -> Tensor:
        """Hyperbolic sine."""

    def sinh_(self) -> Tensor:
        """In place: Hyperbolic sine."""

    @typing.overload
    def size(self, dim: None = None) -> Size:
        """The shape, or the size of one dimension."""

    @typing.overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    def slice_scatter(
        self,
        src: Tensor,
        dim: builtins.int = 0,
        start: builtins.int | None = None,
        end: builtins.int | None = None,
        step: builtins.int = 1,
    ) -> Tensor:
        """A copy with src as the slice from start to end along dim."""

    def slogdet(self, *, out: tuple[Tensor, ...] | None = None) -> NamedResults:
        """Signs of determinants, and the logarithms of their absolute values."""

    def softmax(
        self, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
    ) -> Tensor:
        """exp(input - m) / sum(exp(input - m)) along dim, with the largest m."""

    def sort(
        self,
        dim: builtins.int = -1,
        descending: builtins.bool = False,
        stable: builtins.bool = True,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices:
        """Values in order along dim, and their indices; stable; NaN is the largest."""

    def split(
        self, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0
    ) -> tuple[Tensor, ...]:
        """Views of a size, or of the listed sizes, along dim."""

    def split_with_sizes(
        self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0
    ) -> tuple[Tensor, ...]:
        """Parts of these sizes along dim."""

    def sqrt(self, *, out: Tensor | None = None) -> Tensor:
        """Square root."""

    def sqrt_(self) -> Tensor:
        """In place: Square root."""

    def square(self, *, out: Tensor | None = None) -> Tensor:
        """input * input."""

    def square_(self) -> Tensor:
        """In place: input * input."""

    def squeeze(self, dim: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """Without dimensions of size 1: all of them, or those named. A view."""

    def squeeze_(self, dim: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """In place: without dimensions of size 1."""

    def std(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        correction: Number | None = None,
        keepdim: builtins.bool = False,
        *,
        unbiased: builtins.bool | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """Square root of var."""

    def stft(
        self,
        n_fft: builtins.int,
        hop_length: builtins.int | None = None,
        win_length: builtins.int | None = None,
        window: Tensor | None = None,
        center: builtins.bool = True,
        pad_mode: str = "reflect",
        normalized: builtins.bool = False,
        onesided: builtins.bool | None = None,
        return_complex: builtins.bool | None = None,
    ) -> Tensor:
        """Fourier transforms of overlapping windows of a signal."""

    def storage(self) -> Any:
        """The memory behind the tensor, as elements of its dtype."""

    def storage_offset(self) -> builtins.int:
        """Elements before the first one in the shared memory."""

    @typing.overload
    def stride(self, dim: None = None) -> tuple[builtins.int, ...]:
        """Elements to step over for the next index: of all dimensions or of one."""

    @typing.overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    def sub(
        self, other: Tensor | Number, *, alpha: Number | None = 1, out: Tensor | None = None
    ) -> Tensor:
        """input - alpha * other."""

    def sub_(self, other: Tensor | Number, *, alpha: Number | None = 1) -> Tensor:
        """In place: input - alpha * other."""

    def subtract(
        self, other: Tensor | Number, *, alpha: Number | None = 1, out: Tensor | None = None
    ) -> Tensor:
        """The same as sub."""

    def subtract_(self, other: Tensor | Number, *, alpha: Number | None = 1) -> Tensor:
        """The same as sub_."""

    def sum(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        keepdim: builtins.bool = False,
        *,
        dtype: DTypeLike | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """Sum over dim."""

    @typing.overload
    def sum_to_size(self, *size: builtins.int) -> Tensor:
        """Summed to a shape that broadcasts to the tensor's."""

    @typing.overload
    def sum_to_size(self, size: Sequence[builtins.int]) -> Tensor: ...
    def svd(
        self,
        some: builtins.bool = True,
        compute_uv: builtins.bool = True,
        *,
        out: tuple[Tensor, ...] | None = None,
    ) -> NamedResults:
        """Singular values S, with U and V of A = U diag(S) V^T. linalg.svd is the newer name."""

    def swapaxes(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """The same as transpose."""

    def swapaxes_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """The same as transpose_."""

    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """The same as transpose."""

    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """The same as transpose_."""

    def t(self) -> Tensor:
        """A matrix with its dimensions swapped; 0-d and 1-d tensors stay. A view."""

    def t_(self) -> Tensor:
        """In place: the matrix transposed."""

    def take(self, index: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The flattened tensor at linear indices, in the shape of index."""

    def take_along_dim(
        self, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None
    ) -> Tensor:
        """As gather, with the other dimensions broadcast; without dim both are flattened."""

    def tan(self, *, out: Tensor | None = None) -> Tensor:
        """Tangent of an angle in radians."""

    def tan_(self) -> Tensor:
        """In place: Tangent of an angle in radians."""

    def tanh(self, *, out: Tensor | None = None) -> Tensor:
        """Hyperbolic tangent."""

    def tanh_(self) -> Tensor:
        """In place: Hyperbolic tangent."""

    def tensor_split(
        self,
        indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor,
        dim: builtins.int = 0,
    ) -> tuple[Tensor, ...]:
        """Parts along dim, as views: so many of nearly one size, or cut at indices."""

    def tensordot(
        self,
        other: Tensor,
        dims: builtins.int | Sequence[Sequence[builtins.int]] = 2,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        """Products summed over dims: a number of dimensions (the last of input with the first of other), or two lists of them."""

    @typing.overload
    def tile(self, *dims: builtins.int) -> Tensor:
        """The tensor repeated dims times along its dimensions; missing counts at the front are 1."""

    @typing.overload
    def tile(self, dims: Sequence[builtins.int]) -> Tensor: ...
    def to(
        self,
        device: DeviceLike | DTypeLike | Tensor | None = None,
        dtype: DTypeLike | None = None,
        non_blocking: builtins.bool = False,
        copy: builtins.bool = False,
        *,
        stream: Stream | None = None,
        other: Tensor | None = None,
        memory_format: str | None = None,
    ) -> Tensor:
        """The tensor on another device, in another dtype, or both; itself when nothing changes."""

    def to_device(self, device: DeviceLike, *, stream: Stream | None = None) -> Tensor:
        """The array API's name of to(device)."""

    def tobytes(self) -> bytes:
        """The elements row by row as bytes. CPU tensors only."""

    def tolist(self) -> Any:
        """Nested lists of Python numbers; one number for a 0-d tensor. Waits."""

    def topk(
        self,
        k: builtins.int,
        dim: builtins.int = -1,
        largest: builtins.bool = True,
        sorted: builtins.bool = True,
        *,
        out: tuple[Tensor, Tensor] | None = None,
    ) -> ValuesAndIndices:
        """The k largest (or smallest) along dim, and their indices."""

    def trace(self) -> Tensor:
        """Sum of the diagonal of a matrix."""

    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Two dimensions swapped. A view."""

    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """In place: two dimensions swapped."""

    def triangular_solve(
        self,
        A: Tensor,
        upper: builtins.bool = True,
        transpose: builtins.bool = False,
        unitriangular: builtins.bool = False,
        *,
        out: tuple[Tensor, ...] | None = None,
    ) -> NamedResults:
        """Solutions X of A X = input of triangular A. linalg.solve_triangular is the newer name."""

    def tril(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """The lower triangle of matrices, 0 elsewhere."""

    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """In place: 0 above a diagonal."""

    def triu(self, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
        """The upper triangle of matrices, 0 elsewhere."""

    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """In place: 0 below a diagonal."""

    def true_divide(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """The same as div."""

    def true_divide_(self, other: Tensor | Number) -> Tensor:
        """The same as div_."""

    def trunc(self, *, out: Tensor | None = None) -> Tensor:
        """Truncated towards zero; the dtype is kept."""

    def trunc_(self) -> Tensor:
        """In place: Truncated towards zero; the dtype is kept."""

    @typing.overload
    def type(self, dtype: None = None, non_blocking: builtins.bool = False) -> str:
        """Converted to a dtype; itself when it has that dtype. Without one, torch's name of what the tensor is."""

    @typing.overload
    def type(self, dtype: DTypeLike, non_blocking: builtins.bool = False) -> Tensor: ...
    def type_as(self, other: Tensor) -> Tensor:
        """Converted to the dtype and the device of another tensor."""

    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """A tuple of all slices along dim."""

    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """One dimension as several. A view where the strides allow it."""

    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Windows of size along dimension, step apart, as a new last dimension. A view."""

    def uniform_(
        self,
        from_: builtins.float = 0.0,
        to: builtins.float = 1.0,
        *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Fills with uniform numbers of [from, to)."""

    @typing.overload
    def unique(
        self,
        sorted: builtins.bool = True,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: builtins.int | None = None,
    ) -> Tensor:
        """The different values, ascending; with return_inverse and return_counts a tuple. Waits."""

    @typing.overload
    def unique(
        self,
        sorted: builtins.bool = True,
        *,
        return_inverse: Literal[True],
        return_counts: builtins.bool = False,
        dim: builtins.int | None = None,
    ) -> tuple[Tensor, ...]: ...
    @typing.overload
    def unique(
        self,
        sorted: builtins.bool = True,
        return_inverse: builtins.bool = False,
        *,
        return_counts: Literal[True],
        dim: builtins.int | None = None,
    ) -> tuple[Tensor, ...]: ...
    @typing.overload
    def unique(
        self,
        sorted: builtins.bool = True,
        return_inverse: builtins.bool = False,
        return_counts: builtins.bool = False,
        dim: builtins.int | None = None,
    ) -> Tensor | tuple[Tensor, ...]: ...
    def unique_consecutive(
        self,
        return_inverse: builtins.bool = False,
        return_counts: builtins.bool = False,
        dim: builtins.int | None = None,
    ) -> Tensor | tuple[Tensor, ...]:
        """Without the elements, or slices along dim, that equal the one before. Waits."""

    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """The same as chunk."""

    def unsafe_split(
        self, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0
    ) -> tuple[Tensor, ...]:
        """The same as split."""

    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """With a new dimension of size 1 at dim. A view."""

    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """In place: with a new dimension of size 1."""

    def untyped_storage(self) -> Any:
        """The memory behind the tensor as bytes: nbytes(), data_ptr(), device."""

    def var(
        self,
        dim: builtins.int | Sequence[builtins.int] | None = None,
        correction: Number | None = None,
        keepdim: builtins.bool = False,
        *,
        unbiased: builtins.bool | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        """sum((input - mean)**2) / (count - correction) over dim: the variance."""

    def vdot(self, other: Tensor, *, out: Tensor | None = None) -> Tensor:
        """The sum of products of two vectors, the first one conjugated."""

    def vecdot(self, other: Tensor, dim: builtins.int = -1) -> Tensor:
        """Inner products along a dimension of what both broadcast to."""

    @typing.overload
    def view(self, *shape: builtins.int | DTypeLike) -> Tensor:
        """The same memory in another shape, or read as another dtype; ShapeError when that needs a copy."""

    @typing.overload
    def view(self, shape: Sequence[builtins.int | DTypeLike]) -> Tensor: ...
    def view_as(self, other: Tensor) -> Tensor:
        """view() in the shape of another tensor."""

    def vsplit(
        self, indices_or_sections: builtins.int | Sequence[builtins.int]
    ) -> tuple[Tensor, ...]:
        """Parts along the first dimension."""

    def wait(self, timeout: builtins.float | None = None) -> Tensor:
        """Waits for the copies and the queued work before it, `timeout` seconds at most; gives the tensor itself."""

    def where(self, condition: Tensor, other: Tensor | Number) -> Tensor:
        """input where condition is true, else other; all three broadcast."""

    def xlog1py(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """input * log1p(other), and 0 where input is 0."""

    def xlogy(self, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
        """input * log(other), and 0 where input is 0."""

    def xlogy_(self, other: Tensor | Number) -> Tensor:
        """In place: input * log(other), and 0 where input is 0."""

    def zero_(self) -> Tensor:
        """Sets all elements to 0."""

class RemovableHandle:
    """Takes a hook away again."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *args: typing.Any) -> None: ...
    def __getstate__(self) -> typing.Any: ...
    def __reduce__(self) -> typing.Any: ...
    def remove(self) -> None:
        """Takes the hook away; a second time does nothing."""

    @property
    def id(self) -> builtins.int:
        """The hook's number, which no other hook of the tensor or node has."""

class GraphNode:
    """A recorded operation: what tensor.grad_fn is."""

    def __eq__(self, arg0: object) -> builtins.bool: ...
    def __getstate__(self) -> typing.Any: ...
    def __hash__(self) -> builtins.int: ...
    def __init__(self, node: GraphNode) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def __repr__(self) -> str: ...
    def name(self) -> str:
        """The name, as torch has it: 'AddBackward0'."""

    def register_hook(self, fn: typing.Any) -> RemovableHandle:
        """Calls fn(grad_inputs, grad_outputs) after the node's derivative: tuples of the gradients of its inputs, None where none is wanted, and of its result. A tuple that it returns takes the place of grad_inputs. The result's remove() takes the hook away."""

    def register_prehook(self, fn: typing.Any) -> RemovableHandle:
        """Calls fn(grad_outputs) before the node's derivative, after the hooks of its tensor. A tuple that it returns takes the place of grad_outputs. The result's remove() takes the hook away."""

    @property
    def metadata(self) -> typing.Any:
        """A dict for the user's own labels of the node."""

    @property
    def next_functions(self) -> tuple[typing.Any, ...]:
        """The nodes of the inputs as (node, 0) pairs; (None, -1) for an input without a gradient."""

class SavedTensor:
    """A tensor that is kept as the graph keeps one: in the form of the innermost saved_tensors_hooks."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(self, tensor: Tensor) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def unpack(self) -> Tensor:
        """The tensor, with its place in the graph. Raises AutogradError if it was changed in place."""

class ModuleBase:
    """Calls forward; an error from inside gets the layer's name."""

    def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        """Call self as a function."""

class Stream:
    """A queue of work on one CUDA device: Stream(device=None, priority=0). Lower priorities run first."""

    def __cuda_stream__(self) -> tuple[builtins.int, builtins.int]:
        """The CUDA stream protocol: (version, handle)."""

    def __eq__(self, arg0: object) -> builtins.bool: ...
    def __getstate__(self) -> typing.Any: ...
    def __hash__(self) -> builtins.int: ...
    def __init__(self, device: DeviceLike | None = None, priority: builtins.int = 0) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def __repr__(self) -> str: ...
    def query(self) -> builtins.bool:
        """True when all queued work is done."""

    def record_event(self, event: Event | None = None) -> Event:
        """Marks the work queued so far; gives the event."""

    def synchronize(self) -> None:
        """Waits until all queued work is done."""

    def wait_event(self, event: Event) -> None:
        """Makes later work wait for an event."""

    def wait_stream(self, stream: Stream) -> None:
        """Makes later work wait for what another stream has queued so far."""

    @property
    def cuda_stream(self) -> builtins.int:
        """The driver's handle as an int."""

    @property
    def device(self) -> device:
        """Its device."""

    @property
    def priority(self) -> builtins.int:
        """Its priority."""

class ExternalStream(Stream):
    """A stream that another library made, by its handle: ExternalStream(ptr, device=None)."""

    def __init__(self, ptr: builtins.int, device: DeviceLike | None = None) -> None: ...

class Event:
    """A mark in a stream: Event(enable_timing=False, blocking=False)."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(
        self, enable_timing: builtins.bool = False, blocking: builtins.bool = False
    ) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def elapsed_time(self, end_event: Event) -> builtins.float:
        """Milliseconds from this event to a later one; both need enable_timing=True."""

    def query(self) -> builtins.bool:
        """True when the marked work is done."""

    def record(self, stream: Stream | None = None) -> None:
        """Marks the work queued so far on a stream, by default the current one."""

    def synchronize(self) -> None:
        """Waits until the marked work is done."""

    def wait(self, stream: Stream | None = None) -> None:
        """Makes later work of a stream wait for the event."""

class CUDAGraph:
    """Work of a GPU that was captured once and runs again with one launch."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(self) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def capture_begin(self) -> None:
        """Records what this thread queues on the current stream from now on, instead of running it; gpukit.cuda.graph does this."""

    def capture_end(self) -> None:
        """Ends the recording and makes the graph ready to run. DeviceError when the block queued nothing."""

    def follow(self, group: typing.Any) -> None:
        """Private: the steps recorded since the last call take their rate from this dict."""

    def replay(self) -> None:
        """Runs the captured work on the current stream and does not wait. Random numbers go on, optimizers count their steps and take the learning rate of the moment."""

    def reset(self) -> None:
        """Lets the graph and its memory go; it can be filled again. DeviceError while another thread captures it."""

class CodeFunction:
    """A kernel of a DeviceCode."""

    def __getstate__(self) -> typing.Any: ...
    def __reduce__(self) -> typing.Any: ...
    def attribute(self, number: typing.SupportsInt | typing.SupportsIndex) -> builtins.int:
        """What the driver says of it, by the driver's number."""

    def launch(
        self,
        grid: typing.Any,
        block: typing.Any,
        arguments: typing.Any,
        stream_or_none: typing.Any,
        shared_bytes: typing.Any,
        cooperative: builtins.bool,
    ) -> None:
        """Queues it on a stream, or on this thread's current one."""

    def set_attribute(
        self,
        number: typing.SupportsInt | typing.SupportsIndex,
        value: typing.SupportsInt | typing.SupportsIndex,
    ) -> None:
        """Sets the dynamic shared memory that a launch may ask for, or the carveout."""

class DeviceCode:
    """A module of the user's own code, loaded on one device."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(
        self, device: typing.SupportsInt | typing.SupportsIndex, image: bytes, name: str
    ) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def function(self, entry: str, name: str, parameters: typing.Any) -> CodeFunction:
        """A kernel by its name in the code; parameters are like 'i4', 'f8', 's12', or None."""

    def variable(self, entry: str, name: str, dtype: typing.Any) -> Tensor:
        """The memory of a variable as a tensor."""

class DeviceWorkCount:
    """The operations of all threads that reach a device."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(self, device: DeviceLike | None) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def count(self) -> dict[str, typing.Any]:
        """Operations, copies and users' kernels among them, bytes, flops by dtype, longest sum."""

    def start(self) -> None:
        """Begins to count, from zero."""

    def stop(self) -> None:
        """Ends counting; the counts are kept."""

class WaitLog:
    """Counts Python's waits for devices, by line."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(
        self,
        mode: str,
        min_bytes: typing.SupportsInt | typing.SupportsIndex,
        include: collections.abc.Sequence[str],
    ) -> None: ...
    def __reduce__(self) -> typing.Any: ...
    def rows(self) -> list[typing.Any]:
        """(file, line, function, kind, count, bytes, seconds) for each line and kind."""

    def start(self) -> None:
        """Begins to count."""

    def stop(self) -> None:
        """Ends counting."""

    @property
    def idle_seconds(self) -> builtins.float:
        """Of these, seconds in which nothing was queued after a wait."""

    @property
    def seconds(self) -> builtins.float:
        """Seconds from start to stop or now."""

class Operator:
    """What an observed call has called."""

    def __getstate__(self) -> typing.Any: ...
    def __reduce__(self) -> typing.Any: ...
    def call(self, arguments: typing.Any) -> typing.Any:
        """Calls it with arguments by name, as OperatorCall.arguments has."""

    @property
    def kind(self) -> str:
        """'row' (a function or method), 'slot' (a + b, a[i]), 'property' (a.T), 'module' or 'function'."""

    @property
    def name(self) -> str:
        """The name of the function or method that does it; of one that has none, of its slot."""

    @property
    def parameters(self) -> tuple[typing.Any, ...]:
        """The names of the parameters."""

class OperatorCall:
    """One call of an operator, as reported to observers."""

    def __getstate__(self) -> typing.Any: ...
    def __reduce__(self) -> typing.Any: ...
    def answer(self, result: typing.Any) -> None:
        """Sets the result. Before the operator has run it does not run any more."""

    @property
    def answered(self) -> builtins.bool:
        """True when there is a result."""

    @property
    def arguments(self) -> dict[str, typing.Any]:
        """Those given, by the parameter's name; a variadic one is a tuple. Set, before the operator runs, it goes on with others."""

    @arguments.setter
    def arguments(self, arg1: typing.Any) -> None: ...
    @property
    def begun(self) -> tuple[typing.Any, ...]:
        """(operator, name, kind of operator, arguments): in one step, for those who hear of all."""

    @property
    def depth(self) -> builtins.int:
        """The number of observed calls around it."""

    @property
    def ended(self) -> tuple[typing.Any, ...]:
        """(error, result, place): in one step too."""

    @property
    def error(self) -> typing.Any:
        """The exception that the operator or an observer raised, or None."""

    @property
    def name(self) -> str:
        """The operator's name: 'add' for a + b too."""

    @property
    def nodes(self) -> tuple[typing.Any, ...]:
        """The nodes of the graph made inside the call, if observe() was asked for them."""

    @property
    def operator(self) -> Operator:
        """What was called, to be called again."""

    @property
    def parent(self) -> OperatorCall:
        """The operator inside of which this one is called, or None."""

    @property
    def place(self) -> tuple[typing.Any, ...]:
        """(file, line, function) of the user's program. While the call goes on."""

    @property
    def result(self) -> typing.Any:
        """The result; None before there is one."""

    @property
    def work(self) -> dict[str, typing.Any]:
        """The work of devices inside the call, if observe() was asked for it."""

class DerivativeCall:
    """The derivative of one node, as reported to observers."""

    def __getstate__(self) -> typing.Any: ...
    def __reduce__(self) -> typing.Any: ...
    @property
    def depth(self) -> builtins.int:
        """The number of observed calls around it."""

    @property
    def error(self) -> typing.Any:
        """The exception that the derivative or an observer raised, or None."""

    @property
    def given(self) -> list[typing.Any]:
        """[(number of the input, gradient)], as the derivative gave them."""

    @property
    def gradient(self) -> typing.Any:
        """The gradient of the node's result."""

    @property
    def name(self) -> str:
        """The node's name: 'AddBackward0'."""

    @property
    def node(self) -> typing.Any:
        """The node, as tensor.grad_fn gives it."""

    @property
    def nodes(self) -> tuple[typing.Any, ...]:
        """The nodes made inside, if observe() was asked for them."""

    @property
    def work(self) -> dict[str, typing.Any]:
        """The work of devices inside, if observe() was asked for it."""

class Observation:
    """An observer that observes."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *args: typing.Any) -> None: ...
    def __getstate__(self) -> typing.Any: ...
    def __reduce__(self) -> typing.Any: ...
    def stop(self) -> None:
        """Ends it; a second time does nothing."""

class Chain:
    """Elementwise steps that a device does in one pass."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(
        self,
        inputs: typing.Any,
        steps: typing.Any,
        results: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        reductions: typing.Any = (),
    ) -> None:
        """Steps (name, operands, number) over values: the inputs, of these dtypes, then the result of each step. None among the operands is the number's place. Reductions (name, value, how many last dimensions, keepdim) come after the results."""

    def __reduce__(self) -> typing.Any: ...
    def derive(
        self, inputs: typing.Any, function: typing.Any, compiler: typing.Any = None
    ) -> builtins.bool:
        """Record the results of run() as one node from here on. `function` gives the results for a tuple of inputs by operators, then the values of its reductions; it is called once with `inputs`, contiguous tensors of the CPU. False, with nothing changed, where the derivatives are not made of steps. What compiler(dtypes, steps, results) gives runs in place of the device's loops: a function of (inputs, shape), which returns the results, or None."""

    def run(self, inputs: typing.Any) -> typing.Any:
        """The results, or None where the device or these inputs take the operators one by one."""

class ChainRows:
    """Chains that run block by block of rows."""

    def __getstate__(self) -> typing.Any: ...
    def __init__(self, stages: typing.Any) -> None:
        """Stages (chain, sources, kept): a source of an input is the number of a tensor, or -1 - that of a value; what the stages make are the values, of which those kept are given."""

    def __reduce__(self) -> typing.Any: ...
    def run(self, inputs: typing.Any) -> typing.Any:
        """What is kept, or None where stage by stage is the way."""

def added_devices() -> list[device]:
    """The devices of the kinds that libraries added."""

def autograd_grad(
    outputs: typing.Any,
    inputs: typing.Any,
    grad_outputs: typing.Any,
    retain_graph: typing.Any,
    create_graph: typing.Any,
    allow_unused: typing.Any,
) -> tuple[typing.Any, ...]:
    """See gpukit.autograd.grad."""

def block_of(tensor: Tensor) -> tuple[builtins.int, builtins.int, str, builtins.int]:
    """(number of the block, bytes, file, line) of a tensor's memory; the line that made it is known for blocks of 1 MiB and more."""

def build_info() -> dict[str, typing.Any]:
    """Version, compiler, architectures, and how kernel images are stored."""

def can_access_peer(
    device: typing.SupportsInt | typing.SupportsIndex,
    peer: typing.SupportsInt | typing.SupportsIndex,
) -> builtins.bool:
    """True when one device reads the other's memory directly."""

def can_cast(from_: DTypeLike, to: DTypeLike) -> builtins.bool:
    """True when an in-place operation may store one dtype in another: the kind does not fall."""

def chain_takes(name: str, dtype: typing.Any) -> builtins.bool:
    """True where a chain takes operands of that dtype as they are."""

def compile_code(
    device: typing.SupportsInt | typing.SupportsIndex,
    source: str,
    name: str,
    options: collections.abc.Sequence[str],
    name_expressions: collections.abc.Sequence[str],
    machine_code: builtins.bool,
) -> tuple[typing.Any, ...]:
    """Compiles CUDA C++ by NVRTC: image or None, log, lowered names."""

def cpu_simd() -> str:
    """The vector instructions of the CPU's loops, in the words of GPUKIT_SIMD."""

def crc32(data: typing.Any, value: typing.SupportsInt | typing.SupportsIndex = 0) -> builtins.int:
    """zlib.crc32, several times as fast. Other threads run meanwhile."""

def cuda_device_count() -> builtins.int:
    """Number of usable CUDA devices. Starts the driver; 0 when there is none."""

def cuda_is_simulated() -> builtins.bool:
    """True when the CUDA devices of now are simulated."""

def current_cuda_index() -> builtins.int:
    """Index of this thread's current CUDA device."""

def current_graph() -> CUDAGraph:
    """The CUDAGraph that this thread captures, or None."""

def current_stream(device: DeviceLike | None = None) -> Stream:
    """This thread's current stream of a device."""

def default_stream(device: DeviceLike | None = None) -> Stream:
    """gpukit's own stream of a device."""

def describe_device(device: DeviceLike | None) -> dict[str, typing.Any]:
    """Name, memory and capabilities of a device that a library added."""

def device_properties(index: typing.SupportsInt | typing.SupportsIndex) -> dict[str, typing.Any]:
    """Properties of a CUDA device as a dict."""

def device_use() -> list[typing.Any]:
    """(pieces of work, changes of stream, last stream) of each GPU since the process began."""

def disable_saved_tensor_hooks(error_message: str) -> None:
    """Refuses such hooks in this thread with the message; an empty one allows them."""

def driver_report() -> dict[str, typing.Any]:
    """What was found of driver and cuBLAS, with every candidate tried."""

def dtype_rows() -> list[typing.Any]:
    """The table of dtypes, for gpukit._dtypes."""

def elementwise_operators() -> list[typing.Any]:
    """The rows of elementwise.def that users can call: name, aliases, number of operands, domain, whether out= and an in-place form exist, whether it is differentiable, and the intervals that tests draw its operands from."""

def empty_cache(device: DeviceLike | None = None) -> builtins.int:
    """Gives cached memory back to the device; returns the bytes."""

def end_device_session(device: DeviceLike | None, reason: str) -> None:
    """Ends the session of an added kind of device; its tensors raise `reason` when used."""

def entry_points() -> list[typing.Any]:
    """Every function of the tables: (name, signature, 'function', 'method' or 'both', may it wait)."""

def environment_table() -> list[typing.Any]:
    """Every environment variable that gpukit reads."""

def environment_text(name: str) -> str:
    """The value of a variable of the table; its default, after one warning, when invalid."""

def generator_at(cls: typing.Any, device: DeviceLike | None, state: Tensor | bytes) -> typing.Any:
    """A generator that goes on from a state; what pickle calls."""

def get_default_device() -> device:
    """Where new tensors go when no device is named."""

def get_default_dtype() -> dtype:
    """The floating dtype of new tensors when none is named."""

def get_num_threads() -> builtins.int:
    """How many threads work on CPU tensors."""

def gil_releases() -> builtins.int:
    """How often this thread has released Python's lock in calls of gpukit."""

def gradient_node(tensor: Tensor) -> GraphNode:
    """The node that the tensor's gradient goes to."""

def has_chains(device: DeviceLike | None) -> builtins.bool:
    """True where devices of that kind run chains."""

def in_forked_child() -> builtins.bool:
    """True in a child made by fork after the driver was started in its parent."""

def increment_version(tensor: Tensor) -> None:
    """Counts a write that another library made, so that a backward pass refuses what it saved."""

def initial_seed() -> builtins.int:
    """Seed of the process-wide generator."""

def install_command(extra: str = "", version: str = "") -> str:
    """The command that installs gpukit, or an extra, of a version; by default of this build."""

def is_grad_enabled() -> builtins.bool:
    """True when this thread records operations."""

def is_inference_mode_enabled() -> builtins.bool:
    """True inside inference_mode()."""

def is_observed() -> builtins.bool:
    """True while operators are observed in any thread."""

def kernel_images() -> list[typing.Any]:
    """Embedded images: (family, architecture, is PTX, bytes)."""

def launch_device(arguments: typing.Any, stream_or_none: typing.Any) -> builtins.int:
    """Index of the GPU that a launch with these arguments goes to."""

def live_counts() -> dict[str, typing.Any]:
    """How many buffers, copies under way, streams and events of devices exist now."""

def load_device_library(path: str) -> str:
    """Loads a shared library that adds a kind of device (an absolute path); returns its name."""

def manual_seed(seed: builtins.int) -> Generator:
    """Sets the seed of the process-wide generator, for all devices, and gives that generator."""

def map_shared_memory(file: typing.SupportsInt | typing.SupportsIndex) -> Tensor:
    """The memory behind a file descriptor, as bytes. Takes the descriptor."""

def mark_exiting() -> None:
    """Says that the process ends: no vendor library is called from now on."""

def mem_get_info(device: DeviceLike | None = None) -> tuple[builtins.int, builtins.int]:
    """Free and total bytes of a device."""

def memory_limit(device: DeviceLike | None = None) -> builtins.int:
    """The limit that set_memory_limit set; 0 is none."""

def memory_stats(device: DeviceLike | None = None) -> dict[str, typing.Any]:
    """Counts and bytes of a device's memory; zeros when the driver is not in use."""

def move_to_shared_memory(
    tensor: Tensor, file: typing.SupportsInt | typing.SupportsIndex, keep: builtins.bool
) -> None:
    """Moves the storage of a CPU tensor into the memory behind a file descriptor, which the storage owns afterwards. keep: the memory that it had lives as long."""

def name_nodes(name: str, result: typing.Any, *args: typing.Any) -> typing.Any:
    """Names the result's node as torch names that of the whole call."""

def nccl_candidates(driver_path: str) -> tuple[typing.Any, ...]:
    """Where NCCL may be loaded from: (why the search is off, [(path, origin, refusal)])."""

def nearest_name(text: str, names: collections.abc.Sequence[str]) -> str:
    """The name that is at most two slips of a key away from a text, or ''."""

def nvml_candidates(driver_path: str) -> tuple[typing.Any, ...]:
    """Where NVML may be loaded from: (why the search is off, [(path, origin, refusal)])."""

def observe(
    observer: typing.Any,
    *,
    all_threads: builtins.bool = False,
    work: builtins.bool = False,
    nodes: builtins.bool = False,
) -> Observation:
    """Tells the observer's before_operator, after_operator, before_derivative and after_derivative of every call of this thread, until the result is stopped or ends."""

def observed_step(optimizer: typing.Any, closure: typing.Any) -> typing.Any:
    """Takes the optimizer's step between the observers of this thread."""

def parse_byte_count(text: str) -> builtins.int | None:
    """Bytes of "4GiB" or "4GB"; None for a text that says no amount."""

def parse_target(function: str, argument: str, value: typing.Any) -> tuple[typing.Any, ...]:
    """(device, dtype) of a device, a dtype or a tensor; None for what it does not name."""

def pass_labels() -> typing.Any:
    """A dict of the backward pass that calls this hook, which ends with it."""

def pass_reaches(node: GraphNode) -> builtins.bool:
    """True when a gradient arrives at the node in the pass of this hook."""

def pinned_memory_stats(device: DeviceLike | None = None) -> dict[str, typing.Any]:
    """Counts and bytes of the pinned host memory of a device."""

def pop_allowed_wait() -> None:
    """Ends the last push_allowed_wait."""

def pop_saved_tensor_hooks() -> None:
    """Takes the innermost hooks of this thread away."""

def prepare_cuda() -> None:
    """Does once what must happen before the driver is opened."""

def promote_types(type1: DTypeLike, type2: DTypeLike) -> dtype:
    """The dtype that holds the results of two dtypes."""

def public_functions() -> list[typing.Any]:
    """The functions that are names of gpukit."""

def push_allowed_wait() -> None:
    """Waits of this thread are not counted, warned of or refused from now on."""

def push_saved_tensor_hooks(pack_hook: typing.Any, unpack_hook: typing.Any) -> None:
    """See gpukit.autograd.graph.saved_tensors_hooks."""

def record(
    tracer: typing.Any,
    known: typing.Any,
    facts: typing.Any,
    calls: typing.Any,
    value_type: typing.Any,
    facts_type: typing.Any,
    names: typing.Any,
    most_calls: typing.SupportsInt | typing.SupportsIndex,
) -> Observation:
    """Like observe() for a tracer of gpukit.compile: at most `most_calls` calls of the operators named are added to `calls` without running Python; all others are reported to the tracer."""

def record_function(
    name: str,
    outputs: typing.Any,
    inputs: typing.Any,
    saved: typing.Any,
    callable: typing.Any,
    in_place: builtins.bool = False,
) -> None:
    """Gives the outputs a node whose derivative is callable(saved, gradients), which returns a tensor or None for each input."""

def reduces_in_chains(device: DeviceLike | None) -> builtins.bool:
    """True where they may end in reductions."""

def replace_session(library: str, configuration: str, reason: str) -> None:
    """Ends the CUDA session and makes the next one use this driver library."""

def reset_peak_memory_stats(device: DeviceLike | None = None) -> None:
    """Resets the peaks to the current values."""

def reset_session(reason: str) -> None:
    """Ends the CUDA session and goes back to the system's driver."""

def result_type(
    tensor1: Tensor | Number | DTypeLike, tensor2: Tensor | Number | DTypeLike
) -> dtype:
    """The dtype of an operation on two tensors, dtypes or numbers."""

def return_type(name: typing.Any) -> typing.Any:
    """The type of what max(dim), median, min, sort or topk gives, else None."""

def row_costs() -> list[typing.Any]:
    """Every row of the tables: (name, class of cost, the elements up to which a call on the CPU keeps Python's lock)."""

def saved_tensor_hooks_disabled() -> str:
    """The message of disable_saved_tensor_hooks, or an empty str."""

def seed() -> builtins.int:
    """Takes a seed for the process-wide generator from the system and returns it."""

def selected_pool(device: DeviceLike | None = None) -> str:
    """What set_pool set; 'pool' at the start."""

def session_id() -> builtins.int:
    """A number that changes when another CUDA session begins; 0 when none is open."""

def session_is_open() -> builtins.bool:
    """True when the CUDA driver was started in this process. Starts nothing."""

def set_cpu_blas_path(path: str) -> None:
    """Absolute path of the BLAS for products on the CPU; empty for gpukit's own."""

def set_current_cuda(device: DeviceLike | None) -> None:
    """Makes a CUDA device this thread's current one. It must be there."""

def set_default_device(device: DeviceLike | None) -> None:
    """Sets where new tensors go when no device is named; None means the CPU. Process wide."""

def set_default_dtype(d: DTypeLike) -> None:
    """Sets the floating dtype of new tensors when none is named. Process wide."""

def set_grad_mode(enabled: builtins.bool) -> None:
    """Sets whether this thread records operations."""

def set_inference_mode(enabled: builtins.bool) -> None:
    """Sets the label of inference_mode()."""

def set_inner_folders(folders: collections.abc.Sequence[str]) -> None:
    """Folders of Python files that are never the line that waited."""

def set_library_folders(folders: collections.abc.Sequence[str]) -> None:
    """Folders in which vendor libraries may lie."""

def set_memory_limit(device: DeviceLike | None, limit: typing.Any) -> None:
    """Bytes that this process may hold of the device's memory; 0 means no limit."""

def set_num_threads(n: builtins.int) -> None:
    """Sets how many threads work on CPU tensors, the caller included (1 to 4096)."""

def set_pool(device: DeviceLike | None, pool: typing.Any) -> None:
    """Where new memory of a device comes from: 'pool', 'cuda_async' or 'none'."""

def set_stream(stream: Stream) -> None:
    """Makes a stream this thread's current one for its device."""

def shared_memory_of(tensor: Tensor) -> builtins.int:
    """The file descriptor of the tensor's shared memory, which stays the storage's, or -1."""

def storage_info(tensor: typing.Any) -> tuple[builtins.int, builtins.int]:
    """(key, bytes) of the storage; tensors that share it have the same key."""

def storage_view(
    base: typing.Any,
    dtype: typing.Any,
    size: typing.Any,
    stride: typing.Any,
    storage_offset: typing.Any,
) -> Tensor:
    """A tensor over base's storage in any dtype and layout that stays inside; ValueError for one that does not."""

def stub_rows() -> list[typing.Any]:
    """What the stub says of functions and members of Tensor: (kind, name, typed signatures, meaning)."""

def switch_cuda_index(index: typing.SupportsInt | typing.SupportsIndex) -> None:
    """Sets this thread's current index without looking at the device."""

def synchronize(device: DeviceLike | None = None) -> None:
    """Waits until all queued work of a device is done; the GIL is released."""

def tensor_from_bytes(data: bytes, dtype: typing.Any, shape: typing.Any) -> Tensor:
    """A CPU tensor with these bytes as its elements."""

def throw_device_not_found(
    function: str,
    index: typing.SupportsInt | typing.SupportsIndex,
    count: typing.SupportsInt | typing.SupportsIndex,
    reason: str,
    details: typing.Any,
) -> None:
    """Raises DeviceNotFoundError: of `count` usable GPUs none is cuda:index."""

def torch_advice(value: typing.Any) -> str:
    """What to do about an object of torch's; empty for all other objects."""

def wait_kinds() -> list[str]:
    """The kinds of wait that gpukit tells apart."""

bfloat16: dtype
bool: dtype
cdouble: dtype
cfloat: dtype
complex128: dtype
complex64: dtype
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

def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Absolute value."""

def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as abs."""

def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse cosine, in radians."""

def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic cosine."""

def adam_step(
    params: list[Tensor],
    exp_avgs: list[Tensor | None],
    exp_avg_sqs: list[Tensor | None],
    max_exp_avg_sqs: list[Tensor | None] | None,
    steps: list[Tensor | None],
    lr: builtins.float,
    beta1: builtins.float,
    beta2: builtins.float,
    eps: builtins.float,
    weight_decay: builtins.float = 0,
    decoupled: builtins.bool = False,
    maximize: builtins.bool = False,
) -> builtins.bool:
    """One step of Adam, or of AdamW with decoupled, for all parameters that have a gradient. Missing states are made and put into their lists; True when there were any."""

def add(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    alpha: Number | None = 1,
    out: Tensor | None = None,
) -> Tensor:
    """input + alpha * other."""

def addbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * the sum of batch1 @ batch2 over the batch."""

def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor:
    """input + value * tensor1 / tensor2."""

def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1, out: Tensor | None = None
) -> Tensor:
    """input + value * tensor1 * tensor2."""

def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * mat1 @ mat2; input broadcasts."""

def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""

def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2)."""

def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped, the elements conjugated: x.mH."""

def all(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """True when no element is 0."""

def allclose(
    input: Tensor,
    other: Tensor,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> builtins.bool:
    """True when all elements are close. Waits for the result."""

def amax(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Largest elements over dim, which may be a tuple."""

def amin(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Smallest elements over dim, which may be a tuple."""

def aminmax(
    input: Tensor, *, dim: builtins.int | None = None, keepdim: builtins.bool = False
) -> tuple[Tensor, Tensor]:
    """The smallest and the largest."""

def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of complex numbers in radians, from -pi to pi; of real numbers 0, or pi of negative ones."""

def any(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """True when an element is not 0."""

@typing.overload
def arange(
    end: Tensor | Number,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Numbers from start (0) up to but without end: arange(end) or arange(start, end, step)."""

@typing.overload
def arange(
    start: Tensor | Number,
    end: Tensor | Number,
    step: Tensor | Number = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as acos."""

def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as acosh."""

def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as asin."""

def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as asinh."""

def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as atan."""

def arctan2(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The same as atan2."""

def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as atanh."""

def argmax(
    input: Tensor,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Argument of the largest element, the first of equal ones; int64."""

def argmin(
    input: Tensor,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Argument of the smallest element, the first of equal ones; int64."""

def argsort(
    input: Tensor,
    dim: builtins.int = -1,
    descending: builtins.bool = False,
    stable: builtins.bool = True,
) -> Tensor:
    """Indices of the elements in order along dim."""

def argwhere(input: Tensor) -> Tensor:
    """The same as nonzero."""

def as_strided(
    input: Tensor,
    size: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    storage_offset: builtins.int | None = None,
) -> Tensor:
    """The memory behind the tensor with other sizes and strides. A view."""

def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    storage_offset: builtins.int | None = None,
) -> Tensor:
    """A copy, in input's layout, with src as the elements that these sizes and strides reach."""

def as_tensor(
    data: object, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Tensor:
    """A tensor of data that shares its memory where possible."""

def asarray(
    obj: object,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    copy: builtins.bool | None = None,
) -> Tensor:
    """The array API's as_tensor: copy=True always copies, copy=False raises ValueError instead of copying."""

def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse sine, in radians."""

def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic sine."""

def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse tangent, in radians."""

def atan2(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Angle of the point (other, input) in radians, from -pi to pi."""

def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse hyperbolic tangent."""

@typing.overload
def atleast_1d(*tensors: Tensor) -> Tensor | tuple[Tensor, ...]:
    """Tensors of at least one dimension."""

@typing.overload
def atleast_1d(tensors: Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]: ...
@typing.overload
def atleast_2d(*tensors: Tensor) -> Tensor | tuple[Tensor, ...]:
    """Tensors of at least two dimensions; new ones come first."""

@typing.overload
def atleast_2d(tensors: Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]: ...
@typing.overload
def atleast_3d(*tensors: Tensor) -> Tensor | tuple[Tensor, ...]:
    """Tensors of at least three dimensions; of a matrix the new one is the last."""

@typing.overload
def atleast_3d(tensors: Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]: ...
def attention_in_one(
    query: Tensor, key: Tensor, value: Tensor, factor: builtins.float, causal: builtins.bool
) -> tuple[Tensor, Tensor]:
    """Attention of (batch, L, E), (batch, S, E), (batch, S, V), and the logarithms of the sums of exponentials. Not recorded."""

def attention_in_one_back(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    log_sums: Tensor,
    gradient: Tensor,
    factor: builtins.float,
    causal: builtins.bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of query, key and value. Not recorded."""

def baddbmm(
    input: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    *,
    beta: Number = 1,
    alpha: Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), for a batch of matrices."""

def batch_norm_of_batch(
    input: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: builtins.float = 1e-05,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch norm with the batch's statistics: the result, the means and the variances of channels."""

def bernoulli(
    input: Tensor, p: builtins.float | None = None, *, generator: Generator | None = None
) -> Tensor:
    """1 with the probability that input names, else 0."""

def bincount(input: Tensor, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
    """How often each number from 0 on occurs, or the sum of its weights. Waits for the largest number."""

def bitwise_and(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Bitwise AND; logical AND for bool."""

def bitwise_left_shift(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Left shift by other bits."""

def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Bitwise NOT; logical NOT for bool."""

def bitwise_or(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Bitwise OR; logical OR for bool."""

def bitwise_right_shift(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Arithmetic right shift by other bits: the sign is kept."""

def bitwise_xor(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Bitwise XOR; logical XOR for bool."""

@typing.overload
def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the tensors along its diagonal, zeros elsewhere."""

@typing.overload
def block_diag(tensors: Sequence[Tensor]) -> Tensor: ...
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Products of two stacks of matrices, (b, n, m) and (b, m, p)."""

@typing.overload
def broadcast_shapes(*shapes: builtins.int | Sequence[builtins.int]) -> tuple[builtins.int, ...]:
    """The shape that tensors of these shapes broadcast to."""

@typing.overload
def broadcast_shapes(
    shapes: Sequence[builtins.int | Sequence[builtins.int]],
) -> tuple[builtins.int, ...]: ...
@typing.overload
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors broadcast to one shape, as views."""

@typing.overload
def broadcast_tensors(tensors: Sequence[Tensor]) -> tuple[Tensor, ...]: ...
def broadcast_to(input: Tensor, size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Broadcast to a shape without copying."""

def bucketize(
    input: Tensor | Number,
    boundaries: Tensor,
    *,
    out_int32: builtins.bool = False,
    right: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Of each value the index of the bucket between boundaries; searchsorted with its arguments exchanged."""

@typing.overload
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Each combination of one element of every tensor, one a row."""

@typing.overload
def cartesian_prod(tensors: Sequence[Tensor]) -> Tensor: ...
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along dim."""

def cbrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cube root; of negative numbers too."""

def cdist(
    x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: str | None = None
) -> Tensor:
    """The distance of each row of x1 to each of x2."""

def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Smallest integer not less than each element; the dtype is kept."""

@typing.overload
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """A product of several matrices, in the cheapest order. linalg.multi_dot is the newer name."""

@typing.overload
def chain_matmul(matrices: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Factors L of positive definite matrices, A = L L^H. The same as linalg.cholesky."""

def cholesky_inverse(
    input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Inverses of matrices given by their Cholesky factors."""

def cholesky_solve(
    input: Tensor, input2: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Solutions X of A X = input, of A given by its Cholesky factor."""

def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of nearly equal size along dim."""

def clamp(
    input: Tensor,
    min: Number | Tensor | None = None,
    max: Number | Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Limited to [min, max]; NaN stays."""

def clamp_max(input: Tensor, max: Number | Tensor, *, out: Tensor | None = None) -> Tensor:
    """Not above max; clamp with one bound."""

def clamp_min(input: Tensor, min: Number | Tensor, *, out: Tensor | None = None) -> Tensor:
    """Not below min; clamp with one bound."""

def clear_gradients(params: Sequence[Tensor]) -> None:
    """Sets grad to None on every tensor of a list."""

def clip(
    input: Tensor,
    min: Number | Tensor | None = None,
    max: Number | Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The same as clamp."""

def clone(input: Tensor, *, memory_format: str | None = None) -> Tensor:
    """A contiguous copy on the same device."""

def combinations(
    input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False
) -> Tensor:
    """Each combination of r elements, in their order, one a row."""

def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A complex tensor of its real and its imaginary part."""

def concat(
    tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor | None = None
) -> Tensor:
    """The same as cat."""

def concatenate(
    tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor | None = None
) -> Tensor:
    """The same as cat."""

def conj(input: Tensor) -> Tensor:
    """The complex conjugate. A copy, not a view as in torch."""

def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate."""

def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[builtins.int],
    before: Sequence[builtins.int],
    dilation: Sequence[builtins.int],
    groups: builtins.int,
    places: Sequence[builtins.int],
) -> Tensor:
    """A convolution of (N, C, *sizes) and (O, C / groups, *kernel): (N, O, *places)."""

def convolution_transposed(
    input: Tensor,
    weight: Tensor,
    stride: Sequence[builtins.int],
    before: Sequence[builtins.int],
    dilation: Sequence[builtins.int],
    groups: builtins.int,
    sizes: Sequence[builtins.int],
) -> Tensor:
    """The transposed convolution of (N, O, *places) and (O, C / groups, *kernel): (N, C, *sizes)."""

def convolve(a: Tensor, v: Tensor, mode: str = "full") -> Tensor:
    """The convolution of two sequences, as numpy.convolve."""

def copysign(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Magnitude of input with the sign of other."""

def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows, which are variables; columns are observations."""

def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cosine of an angle in radians."""

def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic cosine."""

def count_nonzero(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
) -> Tensor:
    """How many elements are not 0; int64."""

def cov(
    input: Tensor,
    *,
    correction: builtins.int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Covariances of the rows, which are variables; columns are observations."""

def cross(
    input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Cross products of vectors of three numbers; without dim along the first dimension of size 3."""

def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: builtins.int = -100,
    label_smoothing: builtins.float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """Cross-entropy of rows of logits and class numbers, softmax and reduction in one pass."""

def cummax(
    input: Tensor, dim: builtins.int, *, out: tuple[Tensor, Tensor] | None = None
) -> ValuesAndIndices:
    """The largest of each element and those before it along dim, with indices; the last of equal ones. NaN is the largest."""

def cummin(
    input: Tensor, dim: builtins.int, *, out: tuple[Tensor, Tensor] | None = None
) -> ValuesAndIndices:
    """The smallest of each element and those before it along dim, with indices; the last of equal ones. NaN is the smallest."""

def cumprod(
    input: Tensor, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """Running products along dim."""

def cumsum(
    input: Tensor, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """Running sums along dim."""

def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1
) -> Tensor:
    """The areas under samples along dim, from the first up to each of the others."""

def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles in radians of those in degrees."""

def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Determinants of square matrices. The same as linalg.det."""

def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A matrix with the vector on its diagonal, or the diagonal of a matrix as a vector. A copy."""

def diag_embed(
    input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1
) -> Tensor:
    """Matrices that have the last dimension of input on a diagonal."""

def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """A matrix with the elements on a diagonal."""

def diagonal(
    input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1
) -> Tensor:
    """The diagonal of a matrix. A view."""

def diagonal_scatter(
    input: Tensor,
    src: Tensor,
    offset: builtins.int = 0,
    dim1: builtins.int = 0,
    dim2: builtins.int = 1,
) -> Tensor:
    """A copy with src as a diagonal."""

def diff(
    input: Tensor,
    n: builtins.int = 1,
    dim: builtins.int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Differences of neighbours along dim, n times over; of bool, whether they differ."""

def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Derivative of lgamma."""

def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The norm of the difference."""

def div(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input / other; integers give floating results. rounding_mode 'floor' or 'trunc' rounds the quotient."""

def divide(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    rounding_mode: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The same as div."""

def dot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inner product of two vectors."""

def dsplit(
    input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int]
) -> tuple[Tensor, ...]:
    """Parts along the third dimension."""

def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """cat along the third dimension, of tensors of at least three."""

@typing.overload
def einsum(equation: str | Tensor, *operands: Tensor | Sequence[builtins.int]) -> Tensor:
    """Sums of products, written with a letter for each dimension: 'ij,jk->ik' is a matrix product."""

@typing.overload
def einsum(
    equation: str | Tensor, operands: Sequence[Tensor | Sequence[builtins.int]]
) -> Tensor: ...
def embedding_rows(weight: Tensor, index: Tensor) -> Tensor:
    """weight[index] for nn.functional.embedding."""

@typing.overload
def empty(
    *size: builtins.int,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    pin_memory: builtins.bool = False,
    memory_format: str | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor with undefined elements, in the order of memory_format."""

@typing.overload
def empty(
    size: Sequence[builtins.int],
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    pin_memory: builtins.bool = False,
    memory_format: str | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def empty_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    memory_format: str | None = None,
) -> Tensor:
    """Undefined elements in the shape of another tensor."""

def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input * log(input), 0 of 0 and -inf below."""

def eq(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where the elements are equal."""

def equal(input: Tensor, other: Tensor) -> builtins.bool:
    """True when shapes and all elements are equal. Waits for the result."""

def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""

def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complementary error function: 1 - erf(input), accurate for large inputs."""

def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(input * input) * erfc(input), without overflow or underflow."""

def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse of erf, from -1 to 1."""

def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Exponential: e to the power of input."""

def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of input."""

def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as sigmoid."""

def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(input) - 1, accurate near 0."""

def eye(
    n: builtins.int,
    m: builtins.int | None = None,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A matrix with ones on the diagonal and zeros elsewhere."""

def fft_fft(
    input: Tensor,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The discrete Fourier transform along one dimension."""

def fft_fft2(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The Fourier transform along two dimensions."""

def fft_fftn(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The Fourier transform along several dimensions."""

def fft_hfft(
    input: Tensor,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The Fourier transform of lines whose second half is the conjugate of the first, which is given: real lines."""

def fft_hfft2(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """hfft along the last of two dimensions, fft along the other."""

def fft_hfftn(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """hfft along the last of several dimensions, fft along the others."""

def fft_ifft(
    input: Tensor,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of fft."""

def fft_ifft2(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of fft2."""

def fft_ifftn(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of fftn."""

def fft_ihfft(
    input: Tensor,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of hfft: the first half of lines."""

def fft_ihfft2(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of hfft2."""

def fft_ihfftn(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of hfftn."""

def fft_irfft(
    input: Tensor,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of rfft: real lines."""

def fft_irfft2(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of rfft2."""

def fft_irfftn(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of rfftn."""

def fft_rfft(
    input: Tensor,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """The first n // 2 + 1 numbers of the Fourier transform of real lines; the others are their conjugates."""

def fft_rfft2(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """rfft along the last of two dimensions, fft along the other."""

def fft_rfftn(
    input: Tensor,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """rfft along the last of several dimensions, fft along the others."""

def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as trunc."""

def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """The dimensions from start_dim to end_dim as one."""

@typing.overload
def flip(input: Tensor, *dims: builtins.int) -> Tensor:
    """Reversed along dims. A copy; x[::-1] is a view."""

@typing.overload
def flip(input: Tensor, dims: Sequence[builtins.int]) -> Tensor: ...
def fliplr(input: Tensor) -> Tensor:
    """The second dimension reversed. A copy."""

def flipud(input: Tensor) -> Tensor:
    """The first dimension reversed. A copy."""

def float_power(
    input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """input to the power of exponent, in float64."""

def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Largest integer not greater than each element; the dtype is kept."""

def floor_divide(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Quotient rounded towards negative infinity."""

def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Elementwise maximum; a NaN is ignored where the other element is a number."""

def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Elementwise minimum; a NaN is ignored where the other element is a number."""

def fmod(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """What is left of a division whose quotient is rounded towards 0; it has the sign of input."""

def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What is behind the point: input - trunc(input)."""

def frexp(input: Tensor) -> tuple[Tensor, Tensor]:
    """The mantissa, from 0.5 to 1, and the exponent of each element: mantissa * 2 ** exponent is input."""

def from_dlpack(
    x: object, *, device: DeviceLike | None = None, copy: builtins.bool | None = None
) -> Tensor:
    """A tensor over the memory of another library's array (anything with __dlpack__), or of a DLPack capsule."""

def from_numpy(ndarray: AnyArray) -> Tensor:
    """A CPU tensor over the memory of a NumPy array; changes show on both sides."""

def frombuffer(
    buffer: Buffer, *, dtype: DTypeLike, count: builtins.int = -1, offset: builtins.int = 0
) -> Tensor:
    """A 1-d CPU tensor over the bytes of a buffer (bytes, bytearray, memoryview, array.array, mmap)."""

def full(
    size: builtins.int | Sequence[builtins.int],
    fill_value: Tensor | Number,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    pin_memory: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor of one value, whose kind gives the dtype."""

def full_like(
    input: Tensor,
    fill_value: Tensor | Number,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    memory_format: str | None = None,
) -> Tensor:
    """One value in the shape of another tensor."""

def gather(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on."""

def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor of each pair of whole numbers; of 0 and 0 it is 0."""

def ge(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input >= other."""

def gelu(input: Tensor) -> Tensor:
    """Gaussian error linear unit, x * Phi(x) with the normal distribution function Phi: x / 2 * (1 + erf(x / sqrt(2))) (Hendrycks and Gimpel, 2016)."""

def geqrf(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> NamedResults:
    """LAPACK's QR: Householder reflectors below R, and their factors."""

def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as outer."""

def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision set."""

def gradient(
    input: Tensor,
    *,
    spacing: builtins.float | Sequence[builtins.float | Tensor] | None = 1,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]:
    """The slopes of samples along each of dim: central differences, and one-sided ones at both ends."""

def greater(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The same as gt."""

def greater_equal(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The same as ge."""

def gt(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input > other."""

def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """Input where it is outside of [-lambd, lambd], else 0."""

def has_attention(query: Tensor) -> builtins.bool:
    """Whether the device of query computes attention in its dtype as one operation."""

def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The step function: 0 below 0, 1 above it, and values at 0."""

def histc(
    input: Tensor,
    bins: builtins.int = 100,
    min: Number = 0,
    max: Number = 0,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """How many elements each of bins of equal width has; of the range of the elements where min equals max. Waits then."""

def histogram(
    input: Tensor,
    bins: builtins.int | Tensor,
    *,
    range: tuple[builtins.float, builtins.float] | None = None,
    weight: Tensor | None = None,
    density: builtins.bool = False,
) -> tuple[Tensor, Tensor]:
    """How many elements each bin has, and the edges of the bins; the last bin has its right edge."""

def hsplit(
    input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int]
) -> tuple[Tensor, ...]:
    """Parts along the second dimension, of 1-d tensors along the first."""

def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """cat along the second dimension, of 1-d tensors along the first."""

def hypot(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Length of the hypotenuse: sqrt(input ** 2 + other ** 2), without overflow."""

def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 0."""

def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-abs(input)) * i0(input)."""

def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Modified Bessel function of the first kind of order 1."""

def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(-abs(input)) * i1(input)."""

def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lower incomplete gamma function of order input at other, over gamma(input)."""

def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The upper incomplete gamma function of order input at other, over gamma(input)."""

def imag(input: Tensor) -> Tensor:
    """The imaginary part of a complex tensor."""

def index_add(
    input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1
) -> Tensor:
    """A copy with slices of source added at the indices of index along dim."""

def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
    """A copy with the slices of source at the indices of index along dim."""

def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor | Number) -> Tensor:
    """A copy with value at the indices of index along dim."""

def index_put(
    input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False
) -> Tensor:
    """A copy with values at indices, as x[indices] = values writes them."""

def index_reduce(
    input: Tensor,
    dim: builtins.int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: builtins.bool = True,
) -> Tensor:
    """A copy with slices of source joined at the indices of index along dim."""

def index_select(
    input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """The slices along dim at the indices in an integer tensor."""

def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Products summed over the last dimension of both."""

def interp(
    x: Tensor,
    xp: Tensor,
    fp: Tensor,
    left: builtins.float | None = None,
    right: builtins.float | None = None,
) -> Tensor:
    """The values at x of the lines through the points (xp, fp), as numpy.interp."""

def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse matrices. The same as linalg.inv."""

def is_complex(input: Tensor) -> builtins.bool:
    """True for complex64 and complex128."""

def is_conj(input: Tensor) -> builtins.bool:
    """False: conj copies."""

def is_floating_point(input: Tensor) -> builtins.bool:
    """True for floating dtypes."""

def is_inference(input: Tensor) -> builtins.bool:
    """True for tensors made inside inference_mode(), and for views of them."""

def is_nonzero(input: Tensor) -> builtins.bool:
    """Whether the one element is not 0. Waits for it."""

def is_same_size(input: Tensor, other: Tensor) -> builtins.bool:
    """Whether the shapes are equal."""

def is_signed(input: Tensor) -> builtins.bool:
    """Whether the dtype has numbers below 0."""

def isclose(
    input: Tensor,
    other: Tensor,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> Tensor:
    """True where |input - other| <= atol + rtol * |other|."""

def isfinite(input: Tensor) -> Tensor:
    """True where the element is finite: not infinite and not NaN."""

def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    invert: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """True where an element is among test_elements."""

def isinf(input: Tensor) -> Tensor:
    """True where the element is infinite."""

def isnan(input: Tensor) -> Tensor:
    """True where the element is NaN."""

def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where an element is minus infinity."""

def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where an element is plus infinity."""

def isreal(input: Tensor) -> Tensor:
    """True where the imaginary part is 0."""

def istft(
    input: Tensor,
    n_fft: builtins.int,
    hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    length: builtins.int | None = None,
    return_complex: builtins.bool = False,
) -> Tensor:
    """The signal of which stft gives these transforms."""

def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Kronecker products: other times each element of input, as blocks."""

def kthvalue(
    input: Tensor,
    k: builtins.int,
    dim: builtins.int = -1,
    keepdim: builtins.bool = False,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices:
    """The k-th smallest elements along dim, with indices; k is counted from 1, and NaN is the largest."""

def lapack_cholesky(input: Tensor, upper: builtins.bool = False) -> tuple[Tensor, ...]:
    """L, info."""

def lapack_eig(input: Tensor, vectors: builtins.bool = True) -> tuple[Tensor, ...]:
    """Eigenvalues and eigenvectors, both complex, info."""

def lapack_eigh(
    input: Tensor, upper: builtins.bool = False, vectors: builtins.bool = True
) -> tuple[Tensor, ...]:
    """Eigenvalues, eigenvectors, info."""

def lapack_geqrf(input: Tensor) -> tuple[Tensor, ...]:
    """Reflectors below R, and their factors."""

def lapack_householder_product(input: Tensor, tau: Tensor) -> tuple[Tensor, ...]:
    """Q of reflectors."""

def lapack_lstsq(
    input: Tensor, other: Tensor, rcond: builtins.float, driver: str
) -> tuple[Tensor, ...]:
    """Solutions, rank, singular values, info."""

def lapack_lu_factor(input: Tensor) -> tuple[Tensor, ...]:
    """LU, pivots, info."""

def lapack_lu_solve(
    input: Tensor, pivots: Tensor, other: Tensor, adjoint: builtins.bool = False
) -> tuple[Tensor, ...]:
    """The solution, of lapack_lu_factor's results."""

def lapack_solve(input: Tensor, other: Tensor) -> tuple[Tensor, ...]:
    """The solution, info."""

def lapack_solve_triangular(
    input: Tensor, other: Tensor, upper: builtins.bool = False, unit: builtins.bool = False
) -> tuple[Tensor, ...]:
    """The solution."""

def lapack_svd(
    input: Tensor, full: builtins.bool = False, vectors: builtins.bool = True
) -> tuple[Tensor, ...]:
    """U, S, Vh, info; without vectors S, info."""

def layer_norm(
    input: Tensor,
    dims: builtins.int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: builtins.float = 1e-05,
) -> Tensor:
    """Slices of the last dims dimensions shifted and scaled to mean 0 and variance 1, then times weight plus bias."""

def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple of each pair of whole numbers; 0 if one of them is 0."""

def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * 2 ** other."""

def le(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input <= other."""

def lerp(
    input: Tensor, end: Tensor, weight: Number | Tensor, *, out: Tensor | None = None
) -> Tensor:
    """input + weight * (end - input)."""

def less(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The same as lt."""

def less_equal(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The same as le."""

def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the absolute value of the gamma function."""

def linalg_cholesky(
    A: Tensor, *, upper: builtins.bool = False, out: Tensor | None = None
) -> Tensor:
    """Factors L of positive definite matrices, A = L L^H. Only one triangle of A is read."""

def linalg_cholesky_ex(
    A: Tensor,
    *,
    upper: builtins.bool = False,
    check_errors: builtins.bool = False,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """cholesky, with an info for each matrix in place of an error: 0, or the order of the first minor that is not positive."""

def linalg_cond(
    A: Tensor, p: builtins.float | str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Condition numbers: a norm of A times that of its inverse."""

def linalg_cross(
    input: Tensor, other: Tensor, *, dim: builtins.int = -1, out: Tensor | None = None
) -> Tensor:
    """Cross products of vectors of three numbers."""

def linalg_det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Determinants of square matrices."""

def linalg_diagonal(
    A: Tensor, *, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1
) -> Tensor:
    """The diagonals of matrices in two dimensions, as the last dimension. A view."""

def linalg_eig(A: Tensor, *, out: tuple[Tensor, ...] | None = None) -> NamedResults:
    """Eigenvalues and eigenvectors of square matrices, in no fixed order. Both are complex."""

def linalg_eigh(
    A: Tensor, UPLO: str = "L", *, out: tuple[Tensor, ...] | None = None
) -> NamedResults:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices. Only one triangle is read."""

def linalg_eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues of square matrices, in no fixed order, complex."""

def linalg_eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues of symmetric or Hermitian matrices, ascending."""

def linalg_householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Q of Householder reflectors, the first columns of their product."""

def linalg_inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverse matrices."""

def linalg_inv_ex(
    A: Tensor, *, check_errors: builtins.bool = False, out: tuple[Tensor, ...] | None = None
) -> NamedResults:
    """inv, with an info for each matrix in place of an error: 0, or the index from 1 of a pivot that is 0."""

def linalg_lstsq(
    A: Tensor,
    B: Tensor,
    rcond: builtins.float | None = None,
    *,
    driver: str | None = None,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """Least squares: X that makes the norm of A X - B smallest."""

def linalg_lu(
    A: Tensor, *, pivot: builtins.bool = True, out: tuple[Tensor, ...] | None = None
) -> NamedResults:
    """Factors P, L and U, A = P L U: a permutation, a lower triangle with a diagonal of 1, an upper triangle."""

def linalg_lu_factor(
    A: Tensor, *, pivot: builtins.bool = True, out: tuple[Tensor, ...] | None = None
) -> NamedResults:
    """LU factors in one matrix, and pivots counted from 1, for lu_solve."""

def linalg_lu_factor_ex(
    A: Tensor,
    *,
    pivot: builtins.bool = True,
    check_errors: builtins.bool = False,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """lu_factor, with an info for each matrix in place of an error: 0, or the index from 1 of a pivot that is 0."""

def linalg_lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: builtins.bool = True,
    adjoint: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solutions X of A X = B, of A given by lu_factor."""

def linalg_matrix_exp(A: Tensor) -> Tensor:
    """Matrix exponentials, by a Taylor series with scaling and squaring."""

def linalg_matrix_norm(
    x: Tensor,
    ord: builtins.float | str = "fro",
    dim: Sequence[builtins.int] = (-2, -1),
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Norms of matrices, which span two dimensions, the last ones by default."""

def linalg_matrix_power(A: Tensor, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A product of n equal matrices; of the inverse where n is negative."""

def linalg_matrix_rank(
    A: Tensor,
    *,
    atol: Tensor | builtins.float | None = None,
    rtol: Tensor | builtins.float | None = None,
    hermitian: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Ranks: how many singular values are larger than both tolerances."""

def linalg_multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """A product of several matrices, in the cheapest order. The first and the last may be vectors."""

def linalg_norm(
    x: Tensor,
    ord: builtins.float | str | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A norm: of all elements without ord; else of vectors, where dim is one dimension, or of matrices, where it is two."""

def linalg_pinv(
    A: Tensor,
    *,
    atol: Tensor | builtins.float | None = None,
    rtol: Tensor | builtins.float | None = None,
    hermitian: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Pseudo-inverses of matrices."""

def linalg_qr(
    A: Tensor, mode: str = "reduced", *, out: tuple[Tensor, ...] | None = None
) -> NamedResults:
    """Factors Q and R of matrices, Q orthogonal or unitary and R an upper triangle."""

def linalg_slogdet(A: Tensor, *, out: tuple[Tensor, ...] | None = None) -> NamedResults:
    """Signs of determinants, and the logarithms of their absolute values."""

def linalg_solve(
    A: Tensor, B: Tensor, *, left: builtins.bool = True, out: Tensor | None = None
) -> Tensor:
    """Solutions X of A X = B."""

def linalg_solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: builtins.bool = True,
    check_errors: builtins.bool = False,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """solve, with an info for each matrix in place of an error: 0, or the index from 1 of a pivot that is 0."""

def linalg_solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: builtins.bool | None = None,
    left: builtins.bool = True,
    unitriangular: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solutions X of A X = B of triangular A; the other triangle is not read."""

def linalg_svd(
    A: Tensor,
    full_matrices: builtins.bool = True,
    *,
    driver: str | None = None,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """Singular values S, descending, with U and Vh of A = U diag(S) Vh."""

def linalg_svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Singular values, descending."""

def linalg_tensorinv(A: Tensor, ind: builtins.int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse for tensordot: of A seen as a square matrix whose rows are the first ind dimensions."""

def linalg_tensorsolve(
    A: Tensor, B: Tensor, dims: Sequence[builtins.int] | None = None, *, out: Tensor | None = None
) -> Tensor:
    """X of tensordot(A, X) = B: A seen as a square matrix whose rows are the dimensions of B."""

def linalg_vander(x: Tensor, *, N: builtins.int | None = None) -> Tensor:
    """Powers 0, 1, 2 ... of the numbers of vectors, in columns."""

def linalg_vecdot(
    x: Tensor, y: Tensor, *, dim: builtins.int = -1, out: Tensor | None = None
) -> Tensor:
    """Inner products along a dimension of what both broadcast to."""

def linalg_vector_norm(
    x: Tensor,
    ord: builtins.float = 2,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Vector norms of order ord over dim, or over all elements."""

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias; weight is (out, in) or (in), input (…, in)."""

def linear_relu(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """relu(linear(input, weight, bias)) in one operation."""

def linspace(
    start: Tensor | Number,
    end: Tensor | Number,
    steps: builtins.int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """steps numbers at equal distances, both ends included."""

def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Natural logarithm."""

def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Base-10 logarithm."""

def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + input), accurate near 0."""

def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Base-2 logarithm."""

def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of ndtr, also where ndtr is 0."""

def log_softmax(
    input: Tensor, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """input - logsumexp(input) along dim: the logarithm of softmax."""

def logaddexp(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """log(exp(input) + exp(other)), without overflow."""

def logaddexp2(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """log2(2 ** input + 2 ** other), without overflow."""

def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Logarithms of running sums of exponentials along dim, which do not overflow."""

def logdet(input: Tensor) -> Tensor:
    """Logarithms of determinants; NaN where one is negative."""

def logical_and(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """True where both operands are nonzero."""

def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logical NOT: True where the element is zero."""

def logical_or(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """True where either operand is nonzero."""

def logical_xor(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """True where exactly one operand is nonzero."""

def logit(input: Tensor, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Inverse of sigmoid: log(input / (1 - input)). With eps, input is clamped to [eps, 1 - eps] first."""

def logsumexp(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int],
    keepdim: builtins.bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """log(sum(exp(input))) over dim, as m + log(sum(exp(input - m))) with the largest m."""

def lstm_cell_back(
    active: Tensor, cell: Tensor, next: Tensor, out_gradient: Tensor, next_gradient: Tensor
) -> tuple[Tensor, Tensor]:
    """The gradients of the gates' sums and of the cell before. Not recorded."""

def lstm_cell_step(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The step of an LSTM after its products: h, the cell after it, and the gates. Not recorded."""

def lstm_steps(
    gates: Tensor, h: Tensor, c: Tensor, weight: Tensor, reverse: builtins.bool, keep: builtins.bool
) -> tuple[Tensor, Tensor, Tensor]:
    """All steps of an LSTM from the input's part of its gates (steps, rows, 4 * hidden): h, the cell and the gates of each step. Not recorded."""

def lstm_steps_back(
    active: Tensor,
    cells: Tensor,
    c: Tensor,
    weight: Tensor,
    by_outputs: Tensor,
    by_cell: Tensor,
    reverse: builtins.bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the gates' sums, of h and of c. Not recorded."""

def lt(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where input < other."""

def lu(
    input: Tensor, pivot: builtins.bool = True, get_infos: builtins.bool = False
) -> tuple[Tensor, ...]:
    """LU factors in one matrix, and pivots. linalg.lu_factor is the newer name."""

def lu_solve(
    input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None
) -> Tensor:
    """Solutions X of A X = input, of A given by lu_factor."""

def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: builtins.bool = True,
    unpack_pivots: builtins.bool = True,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """P, L and U of the results of lu_factor, A = P L U."""

def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """A copy with a number where mask is True."""

def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy in which the places where mask is True take the elements of source, in their order. Waits."""

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where mask is True, 1-d. Waits."""

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Matrix product of vectors, matrices or stacks of matrices, which broadcast. The operator @."""

def matrix_exp(input: Tensor) -> Tensor:
    """Matrix exponentials, by a Taylor series with scaling and squaring."""

def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A product of n equal matrices; of the inverse where n is negative."""

@typing.overload
def max(
    input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Largest element; with dim (values, indices) along it; with a tensor the larger of each pair."""

@typing.overload
def max(
    input: Tensor,
    dim: builtins.int,
    keepdim: builtins.bool = False,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices: ...
@typing.overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def max_pool(
    input: Tensor,
    kernel: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    before: Sequence[builtins.int],
    dilation: Sequence[builtins.int],
    places: Sequence[builtins.int],
    numbers: builtins.bool = False,
) -> tuple[Tensor, Tensor | None]:
    """The largest element of each window over the last dimensions, and its number in its plane."""

def maximum(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Elementwise maximum; NaN propagates."""

def mean(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Mean over dim."""

@typing.overload
def median(
    input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """The element in the middle, the lower one of two; of all, or along dim with its indices. NaN where there is one."""

@typing.overload
def median(
    input: Tensor,
    dim: builtins.int,
    keepdim: builtins.bool = False,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices: ...
@typing.overload
def meshgrid(*tensors: Tensor, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Coordinate grids of 1-d tensors, as views; indexing 'ij' (rows first) or 'xy' (columns first)."""

@typing.overload
def meshgrid(tensors: Sequence[Tensor], *, indexing: str = "ij") -> tuple[Tensor, ...]: ...
@typing.overload
def min(
    input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Smallest element; with dim (values, indices) along it; with a tensor the smaller of each pair."""

@typing.overload
def min(
    input: Tensor,
    dim: builtins.int,
    keepdim: builtins.bool = False,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices: ...
@typing.overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def minimum(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Elementwise minimum; NaN propagates."""

def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of two matrices."""

def mode(
    input: Tensor,
    dim: builtins.int = -1,
    keepdim: builtins.bool = False,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices:
    """The most frequent elements along dim, the smallest of equally frequent ones, with the last index of each."""

def moveaxis(
    input: Tensor,
    source: builtins.int | Sequence[builtins.int],
    destination: builtins.int | Sequence[builtins.int],
) -> Tensor:
    """Dimensions moved to other positions; the others keep their order. A view."""

def movedim(
    input: Tensor,
    source: builtins.int | Sequence[builtins.int],
    destination: builtins.int | Sequence[builtins.int],
) -> Tensor:
    """The same as moveaxis."""

def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tensor sorted along its first dimension."""

def mul(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input * other."""

def multinomial(
    input: Tensor,
    num_samples: builtins.int,
    replacement: builtins.bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Indices drawn by their weights: of a vector, or of each row of a matrix."""

def multiply(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The same as mul."""

def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Product of a matrix and a vector."""

def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the multivariate gamma function of dimension p."""

def nan_to_num(
    input: Tensor,
    nan: builtins.float | None = 0.0,
    posinf: builtins.float | None = None,
    neginf: builtins.float | None = None,
) -> Tensor:
    """A copy with numbers for NaN and the infinities; None means the largest and the smallest of the dtype."""

def nanmean(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """The mean of those that are not NaN."""

@typing.overload
def nanmedian(
    input: Tensor, dim: None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None
) -> Tensor:
    """As median, of the elements that are not NaN; NaN where there is no other."""

@typing.overload
def nanmedian(
    input: Tensor,
    dim: builtins.int,
    keepdim: builtins.bool = False,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices: ...
def nanquantile(
    input: Tensor,
    q: builtins.float | Tensor,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The elements at fractions q of the sorted order, without NaN."""

def nansum(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """The sum, in which NaN counts as 0."""

def narrow(
    input: Tensor, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int
) -> Tensor:
    """length elements from start along dim. A view."""

def narrow_copy(
    input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int
) -> Tensor:
    """narrow() into memory of its own."""

def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Cumulative distribution function of the standard normal distribution."""

def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Quantiles of the standard normal distribution: the inverse of ndtr."""

def ne(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """True where the elements differ."""

def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input."""

def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as neg."""

def nextafter(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Next representable number after input towards other."""

@typing.overload
def nonzero(
    input: Tensor, *, as_tuple: Literal[False] = False, out: Tensor | None = None
) -> Tensor:
    """Coordinates of the elements that are not 0: (count, ndim), int64. Waits."""

@typing.overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
@typing.overload
def nonzero(input: Tensor, *, as_tuple: builtins.bool) -> Tensor | tuple[Tensor, ...]: ...
def nonzero_static(input: Tensor, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
    """nonzero with a fixed number of rows."""

def norm(
    input: Tensor,
    p: Number | str = "fro",
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    dtype: DTypeLike | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """sum(|input|**p) ** (1 / p): the vector norm over dim or over all elements."""

def normal(
    mean: Tensor | Number,
    std: Tensor | Number = 1.0,
    size: builtins.int | Sequence[builtins.int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Normal numbers of a mean and a standard deviation: of one size, or one number for each element of mean and std."""

def not_equal(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The same as ne."""

def numel(input: Tensor) -> builtins.int:
    """Number of elements."""

@typing.overload
def ones(
    *size: builtins.int,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    pin_memory: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor of ones."""

@typing.overload
def ones(
    size: Sequence[builtins.int],
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    pin_memory: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def ones_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    memory_format: str | None = None,
) -> Tensor:
    """Ones in the shape of another tensor."""

def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Q of Householder reflectors. The same as linalg.householder_product."""

def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of the elements of two vectors: (n, m)."""

def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """The distance of each two rows."""

@typing.overload
def permute(input: Tensor, *dims: builtins.int) -> Tensor:
    """Dimensions in another order. A view."""

@typing.overload
def permute(input: Tensor, dims: Sequence[builtins.int]) -> Tensor: ...
def permute_dims(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """The array API's name of permute."""

def pick_classes(input: Tensor, classes: Tensor) -> Tensor:
    """input[i][classes[i][0]] for nll_loss: a negative class is out of range."""

def pinverse(input: Tensor, rcond: builtins.float = 1e-15) -> Tensor:
    """Pseudo-inverses of matrices; singular values up to rcond times the largest count as 0."""

def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A complex tensor of its sizes and its angles: abs * (cos(angle) + i sin(angle))."""

def polygamma(n: builtins.int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Derivative of order n of digamma."""

def positive(input: Tensor) -> Tensor:
    """The tensor itself; bool raises, as + does."""

def pow(input: Tensor | Number, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input to the power of exponent."""

def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Input where it is positive, else weight * input."""

def prod(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Product over dim."""

def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """A copy with source written at flat indices."""

def qr(
    input: Tensor, some: builtins.bool = True, *, out: tuple[Tensor, ...] | None = None
) -> NamedResults:
    """Factors Q and R of matrices, Q orthogonal or unitary and R an upper triangle. linalg.qr is the newer name."""

def quantile(
    input: Tensor,
    q: builtins.float | Tensor,
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: Tensor | None = None,
) -> Tensor:
    """The value below which a share of q lies."""

def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Angles in degrees of those in radians."""

@typing.overload
def rand(
    *size: builtins.int,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Uniform numbers of [0, 1). The same seed gives the same bits on every device."""

@typing.overload
def rand(
    size: Sequence[builtins.int],
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    memory_format: str | None = None,
) -> Tensor:
    """rand() in the shape of another tensor."""

@typing.overload
def randint(
    low: builtins.int,
    high: builtins.int,
    size: builtins.int | Sequence[builtins.int],
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Integers of [low, high): randint(high, size) or randint(low, high, size)."""

@typing.overload
def randint(
    high: builtins.int,
    size: builtins.int | Sequence[builtins.int],
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
@typing.overload
def randn(
    *size: builtins.int,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Normal numbers of mean 0 and deviation 1."""

@typing.overload
def randn(
    size: Sequence[builtins.int],
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    memory_format: str | None = None,
) -> Tensor:
    """randn() in the shape of another tensor."""

def randperm(
    n: builtins.int,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """A random order of 0 … n - 1; int64."""

def ravel(input: Tensor) -> Tensor:
    """All dimensions as one: a view of a contiguous tensor, else a copy."""

def real(input: Tensor) -> Tensor:
    """The real part."""

def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Reciprocal: 1 / input."""

def relu(input: Tensor) -> Tensor:
    """Rectified linear unit: max(input, 0)."""

def remainder(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """Remainder of floor division: input - other * floor(input / other). It has the sign of other, as % in Python."""

def renorm(input: Tensor, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
    """The slices along dim, those of a larger norm scaled down to maxnorm."""

def repeat_interleave(
    input: Tensor, repeats: builtins.int | Tensor, dim: builtins.int | None = None
) -> Tensor:
    """Each element repeats times, one after the other; repeats is an int or one int for each index along dim."""

@typing.overload
def reshape(input: Tensor, *shape: builtins.int) -> Tensor:
    """The same elements in another shape; one size may be -1. A view when the strides allow it, else a copy."""

@typing.overload
def reshape(input: Tensor, shape: Sequence[builtins.int]) -> Tensor: ...
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: no tensor of gpukit waits to be conjugated."""

def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself: no tensor of gpukit waits to be negated."""

def roll(
    input: Tensor,
    shifts: builtins.int | Sequence[builtins.int],
    dims: builtins.int | Sequence[builtins.int] | None = None,
) -> Tensor:
    """Elements moved by shifts along dims, those that fall off put in at the other end; without dims the tensor is"""

def rot90(input: Tensor, k: builtins.int = 1, dims: Sequence[builtins.int] | None = None) -> Tensor:
    """Rotated k times by 90 degrees, from the first of dims to the second. A copy."""

def round(input: Tensor, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
    """Nearest integer, or multiple of 10 ** -decimals; halves are rounded to even. The dtype is kept."""

def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Reciprocal of the square root."""

def scatter(
    input: Tensor,
    dim: builtins.int,
    index: Tensor,
    src: Tensor | Number,
    *,
    reduce: str | None = None,
) -> Tensor:
    """A copy with src written at the indices that index names along dim; see scatter_."""

def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with src added at the indices that index names along dim."""

def scatter_reduce(
    input: Tensor,
    dim: builtins.int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: builtins.bool = True,
) -> Tensor:
    """A copy in which each place holds the sum, product, mean, maximum or minimum of what src has for it."""

def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | Number,
    *,
    right: builtins.bool = False,
    side: str | None = None,
    out_int32: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Indices at which the values would be put to keep the sequence in order; int64."""

def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """A copy with src as the slice at index along dim."""

def set_float32_matmul_precision(precision: str) -> None:
    """Float32 products on a GPU: 'highest' (plain float32, the default), 'high' or 'medium' (TF32 allowed)."""

def sgd_step(
    params: list[Tensor],
    momentum_buffers: list[Tensor | None],
    lr: builtins.float,
    momentum: builtins.float = 0,
    dampening: builtins.float = 0,
    weight_decay: builtins.float = 0,
    nesterov: builtins.bool = False,
    maximize: builtins.bool = False,
) -> builtins.bool:
    """One step of SGD for all parameters that have a gradient. Missing buffers are made and put into their list; True when there were any."""

def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input / abs(input), and 0 of 0: the sign of real numbers."""

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logistic function: 1 / (1 + exp(-input))."""

def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sign of each element: -1, 0 or 1."""

def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """True where the sign bit is set; -0.0 has it set."""

def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sine of an angle in radians."""

def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi * input) / (pi * input), and 1 of 0."""

def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic sine."""

def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: builtins.int = 0,
    start: builtins.int | None = None,
    end: builtins.int | None = None,
    step: builtins.int = 1,
) -> Tensor:
    """A copy with src as the slice from start to end along dim."""

def slogdet(input: Tensor, *, out: tuple[Tensor, ...] | None = None) -> NamedResults:
    """Signs of determinants, and the logarithms of their absolute values."""

def softmax(
    input: Tensor, dim: builtins.int, *, dtype: DTypeLike | None = None, out: Tensor | None = None
) -> Tensor:
    """exp(input - m) / sum(exp(input - m)) along dim, with the largest m."""

def sort(
    input: Tensor,
    dim: builtins.int = -1,
    descending: builtins.bool = False,
    stable: builtins.bool = True,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices:
    """Values in order along dim, and their indices; stable; NaN is the largest."""

def split(
    input: Tensor,
    split_size_or_sections: builtins.int | Sequence[builtins.int],
    dim: builtins.int = 0,
) -> tuple[Tensor, ...]:
    """Views of a size, or of the listed sizes, along dim."""

def split_with_sizes(
    input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0
) -> tuple[Tensor, ...]:
    """Parts of these sizes along dim."""

def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Square root."""

def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * input."""

def squared_error(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The mean or the sum of squared differences, or all of them."""

def squeeze(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
    """Without dimensions of size 1: all of them, or those named. A view."""

def stack(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Stacks tensors of one shape along a new dimension."""

def std(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    correction: Number | None = None,
    keepdim: builtins.bool = False,
    *,
    unbiased: builtins.bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Square root of var."""

def std_mean(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    correction: Number | None = None,
    keepdim: builtins.bool = False,
    *,
    unbiased: builtins.bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation and the mean."""

def stft(
    input: Tensor,
    n_fft: builtins.int,
    hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None,
    window: Tensor | None = None,
    center: builtins.bool = True,
    pad_mode: str = "reflect",
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    return_complex: builtins.bool | None = None,
) -> Tensor:
    """Fourier transforms of overlapping windows of a signal."""

def sub(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    alpha: Number | None = 1,
    out: Tensor | None = None,
) -> Tensor:
    """input - alpha * other."""

def subtract(
    input: Tensor | Number,
    other: Tensor | Number,
    *,
    alpha: Number | None = 1,
    out: Tensor | None = None,
) -> Tensor:
    """The same as sub."""

def sum(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Sum over dim."""

def svd(
    input: Tensor,
    some: builtins.bool = True,
    compute_uv: builtins.bool = True,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """Singular values S, with U and V of A = U diag(S) V^T. linalg.svd is the newer name."""

def swapaxes(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """The same as transpose."""

def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """The same as transpose."""

def t(input: Tensor) -> Tensor:
    """A matrix with its dimensions swapped; 0-d and 1-d tensors stay. A view."""

def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The flattened tensor at linear indices, in the shape of index."""

def take_along_dim(
    input: Tensor, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """As gather, with the other dimensions broadcast; without dim both are flattened."""

def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Tangent of an angle in radians."""

def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent."""

def tensor(
    data: object,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """A new tensor with a copy of data: a number, nested lists, a NumPy array or another tensor."""

def tensor_split(
    input: Tensor,
    indices_or_sections: builtins.int | Sequence[builtins.int] | Tensor,
    dim: builtins.int = 0,
) -> tuple[Tensor, ...]:
    """Parts along dim, as views: so many of nearly one size, or cut at indices."""

def tensordot(
    input: Tensor,
    other: Tensor,
    dims: builtins.int | Sequence[Sequence[builtins.int]] = 2,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Products summed over dims: a number of dimensions (the last of input with the first of other), or two lists of them."""

@typing.overload
def tile(input: Tensor, *dims: builtins.int) -> Tensor:
    """The tensor repeated dims times along its dimensions; missing counts at the front are 1."""

@typing.overload
def tile(input: Tensor, dims: Sequence[builtins.int]) -> Tensor: ...
def topk(
    input: Tensor,
    k: builtins.int,
    dim: builtins.int = -1,
    largest: builtins.bool = True,
    sorted: builtins.bool = True,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> ValuesAndIndices:
    """The k largest (or smallest) along dim, and their indices."""

def trace(input: Tensor) -> Tensor:
    """Sum of the diagonal of a matrix."""

def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Two dimensions swapped. A view."""

def trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1
) -> Tensor:
    """The area under samples along dim, by the trapezoidal rule."""

def trapz(
    y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1
) -> Tensor:
    """The same as trapezoid."""

def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: builtins.bool = True,
    transpose: builtins.bool = False,
    unitriangular: builtins.bool = False,
    *,
    out: tuple[Tensor, ...] | None = None,
) -> NamedResults:
    """Solutions X of A X = input of triangular A. linalg.solve_triangular is the newer name."""

def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of matrices, 0 elsewhere."""

def tril_indices(
    row: builtins.int,
    col: builtins.int,
    offset: builtins.int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Row and column indices of the lower triangle of a matrix, row by row."""

def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of matrices, 0 elsewhere."""

def triu_indices(
    row: builtins.int,
    col: builtins.int,
    offset: builtins.int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Row and column indices of the upper triangle of a matrix, row by row."""

def true_divide(
    input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor:
    """The same as div."""

def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Truncated towards zero; the dtype is kept."""

def unbind(input: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """A tuple of all slices along dim."""

def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
    """One dimension as several. A view where the strides allow it."""

@typing.overload
def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: builtins.int | None = None,
) -> Tensor:
    """The different values, ascending; with return_inverse and return_counts a tuple. Waits."""

@typing.overload
def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    *,
    return_inverse: Literal[True],
    return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
) -> tuple[Tensor, ...]: ...
@typing.overload
def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    return_inverse: builtins.bool = False,
    *,
    return_counts: Literal[True],
    dim: builtins.int | None = None,
) -> tuple[Tensor, ...]: ...
@typing.overload
def unique(
    input: Tensor,
    sorted: builtins.bool = True,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
) -> Tensor | tuple[Tensor, ...]: ...
def unique_consecutive(
    input: Tensor,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
) -> Tensor | tuple[Tensor, ...]:
    """Without the elements, or slices along dim, that equal the one before. Waits."""

def unravel_index(
    indices: Tensor, shape: builtins.int | Sequence[builtins.int]
) -> tuple[Tensor, ...]:
    """The index of each dimension of flat indices."""

def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """The same as chunk."""

def unsafe_split(
    input: Tensor,
    split_size_or_sections: builtins.int | Sequence[builtins.int],
    dim: builtins.int = 0,
) -> tuple[Tensor, ...]:
    """The same as split."""

def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor:
    """With a new dimension of size 1 at dim. A view."""

def unstack(input: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """A tuple of all slices along dim, as views: the array API's name of unbind."""

def vander(x: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """Powers of the numbers of a vector in columns, the highest first unless increasing."""

def var(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    correction: Number | None = None,
    keepdim: builtins.bool = False,
    *,
    unbiased: builtins.bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """sum((input - mean)**2) / (count - correction) over dim: the variance."""

def var_mean(
    input: Tensor,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    correction: Number | None = None,
    keepdim: builtins.bool = False,
    *,
    unbiased: builtins.bool | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance and the mean."""

def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of products of two vectors, the first one conjugated."""

def vecdot(input: Tensor, other: Tensor, dim: builtins.int = -1) -> Tensor:
    """Inner products along a dimension of what both broadcast to."""

def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of floating numbers, the last dimension, as complex ones."""

def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a floating one: a last dimension of 2 holds the parts."""

def vsplit(
    input: Tensor, indices_or_sections: builtins.int | Sequence[builtins.int]
) -> tuple[Tensor, ...]:
    """Parts along the first dimension."""

def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """cat along the first dimension; 1-d tensors are rows."""

@typing.overload
def where(condition: Tensor) -> tuple[Tensor, ...]:
    """input where condition is true, else other; all three broadcast. Numbers are allowed."""

@typing.overload
def where(
    condition: Tensor, input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None
) -> Tensor: ...
def with_slopes(
    name: str, value: Tensor, inputs: Sequence[Tensor], parameter: builtins.float
) -> Tensor:
    """The value of a function of up to three inputs, whose derivative has that name."""

def xlog1py(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input * log1p(other), and 0 where input is 0."""

def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input * log(other), and 0 where input is 0."""

@typing.overload
def zeros(
    *size: builtins.int,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    pin_memory: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """A tensor of zeros."""

@typing.overload
def zeros(
    size: Sequence[builtins.int],
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    pin_memory: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def zeros_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: builtins.bool = False,
    memory_format: str | None = None,
) -> Tensor:
    """Zeros in the shape of another tensor."""

def zeta(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Hurwitz's zeta function: the sum of (other + k) ** -input over k = 0, 1, 2 and so on."""
