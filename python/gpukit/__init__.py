"""gpukit: what this machine can compute on, measured; tensors on CPU and GPU with torch's names.

Importing loads one extension and nothing else: no driver, no thread, no NumPy. Tools such as
`gpukit.bench` are loaded when they are first named.
"""

from __future__ import annotations

import atexit as _atexit
import importlib as _importlib
import os as _os
import sys as _sys

from gpukit import _core, _device, errors

# The public names of gpukit._core: functions of its tables, dtypes, and the names below. The rest
# of it is for the modules of this package.
_FROM_CORE = [
    *_core.public_functions(),
    *[name for name, value in vars(_core).items() if isinstance(value, _core.dtype)],
    *"""
    Generator Size Tensor can_cast default_generator device dtype get_default_device
    get_default_dtype get_num_threads
    initial_seed is_grad_enabled is_inference_mode_enabled manual_seed promote_types result_type
    seed set_default_device set_default_dtype set_num_threads synchronize
""".split(),  # noqa: SIM905
]
_FROM_DEVICE = ["cpu", "devices", "gpu", "num_gpus", "require_gpus", "try_all_gpus", "try_gpu"]

# Loaded when they are first named: the module of each name.
_LAZY = {
    "BFloat16Tensor": "_tensors.legacy",
    "BoolTensor": "_tensors.legacy",
    "ByteTensor": "_tensors.legacy",
    "CharTensor": "_tensors.legacy",
    "DeviceLog": "_devices.device_log",
    "DoubleTensor": "_tensors.legacy",
    "FloatTensor": "_tensors.legacy",
    "GradScaler": "amp",
    "HalfTensor": "_tensors.legacy",
    "IntTensor": "_tensors.legacy",
    "LongTensor": "_tensors.legacy",
    "ShortTensor": "_tensors.legacy",
    "Simulation": "_simulation.session",
    "TransferFuture": "_tensors.transfer",
    "allow_sync": "_devices.watch",
    "are_deterministic_algorithms_enabled": "_tensors.legacy",
    "autocast": "amp",
    "cards": "cloud.card_table",
    "channels_last": "_tensors.legacy",
    "channels_last_3d": "_tensors.legacy",
    "compile": "_compile.compiling",
    "contiguous_format": "_tensors.legacy",
    "enable_grad": "autograd",
    "env": "_system.versions",
    "finfo": "_tensors.limits",
    "fit": "planning.fitting",
    "free": "_devices.memory",
    "get_autocast_cpu_dtype": "amp",
    "get_autocast_dtype": "amp",
    "get_autocast_gpu_dtype": "amp",
    "get_deterministic_debug_mode": "_tensors.legacy",
    "get_language": "_language",
    "get_num_interop_threads": "_tensors.legacy",
    "get_rng_state": "random",
    "gil_report": "bench._gil",
    "iinfo": "_tensors.limits",
    "inference_mode": "autograd",
    "info": "_system.info",
    "is_anomaly_check_nan_enabled": "autograd._anomaly",
    "is_anomaly_enabled": "autograd._anomaly",
    "is_autocast_cpu_enabled": "amp",
    "is_autocast_enabled": "amp",
    "is_deterministic_algorithms_warn_only_enabled": "_tensors.legacy",
    "is_storage": "_operators.rearranged",
    "typename": "_operators.rearranged",
    "is_tensor": "_arguments",
    "layout": "_tensors.legacy",
    "load": "_checkpoint",
    "load_ipython_extension": "_ipython.magics",
    "memory": "_devices.memory",
    "memory_format": "_tensors.legacy",
    "no_grad": "autograd",
    "parallel": "_devices.parallel",
    "pick_gpu": "monitor.pick",
    "prefetch": "_tensors.transfer",
    "preserve_format": "_tensors.legacy",
    "save": "_checkpoint",
    "selftest": "_devices.selftest",
    "set_default_tensor_type": "_tensors.legacy",
    "set_deterministic_debug_mode": "_tensors.legacy",
    "set_grad_enabled": "autograd",
    "set_language": "_language",
    "set_num_interop_threads": "_tensors.legacy",
    "set_printoptions": "_tensors.printing",
    "set_rng_state": "random",
    "show_versions": "_system.versions",
    "simulate": "_simulation.session",
    "smi": "monitor.display",
    "strided": "_tensors.legacy",
    "to": "_tensors.transfer",
    "to_cpu": "_tensors.transfer",
    "unload_ipython_extension": "_ipython.magics",
    "use_deterministic_algorithms": "_tensors.legacy",
    "vendors": "_system.vendors",
    "vmap": "func",
    "watch": "_devices.watch",
    "what_if": "planning.other_cards",
}
# Functions that torch has beside layers and methods, by module.
_FUNCTIONS = {
    "_operators.low_rank": "pca_lowrank svd_lowrank",
    "_operators.made": """
        column_stack empty_strided frobenius_norm logspace nuclear_norm randint_like range
        row_stack rsub scalar_tensor
    """,
    "_operators.windows": """
        bartlett_window blackman_window hamming_window hann_window kaiser_window
    """,
    "distributions._functions": "binomial poisson",
    "nn._native": """
        adaptive_max_pool1d alpha_dropout batch_norm constant_pad_nd dropout embedding
        feature_alpha_dropout group_norm instance_norm layer_norm
    """,
    "nn._native_losses": """
        binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss hinge_embedding_loss
        kl_div margin_ranking_loss poisson_nll_loss triplet_margin_loss
    """,
    "nn.functional": """
        adaptive_avg_pool1d avg_pool1d bilinear celu celu_ channel_shuffle conv1d conv2d conv3d
        conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity hardshrink
        max_pool1d max_pool2d max_pool3d pairwise_distance pixel_shuffle pixel_unshuffle prelu
        rms_norm rrelu rrelu_ selu selu_ threshold threshold_
    """,
}
_LAZY.update({name: module for module, text in _FUNCTIONS.items() for name in text.split()})
# Methods that are functions too.
_METHODS = """
    abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_
    asin_ asinh_ atan_ atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_
    deg2rad_ detach detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_ floor_ frac_ get_device i0_
    index_put_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_
    reciprocal_ relu_ resize_as_ round_ rsqrt_ select sigmoid_ sin_ sinc_ sinh_ sqrt_ square_
    tan_ tanh_ trunc_ xlogy_ zero_
""".split()  # noqa: SIM905
_MODULES = [
    "accelerator",
    "amp",
    "array_api",
    "autograd",
    "backends",
    "bench",
    "cloud",
    "config",
    "cuda",
    "distributed",
    "distributions",
    "doctor",
    "fft",
    "func",
    "linalg",
    "lint",
    "monitor",
    "multiprocessing",
    "nn",
    "optim",
    "port",
    "profiler",
    "random",
    "return_types",
    "signal",
    "special",
    "testing",
    "utils",
    "version",
]

# What gpukit._core imports when an operation first needs it.
_WANTED_BY_CORE = """
    _copying _devices.memory _operators.arithmetic _operators.composed _operators.places
    _operators.rearranged _simulation.session _system.libraries _tensors.legacy _tensors.printing
    _tensors.transfer cuda._debug
""".split()  # noqa: SIM905

__version__ = _core.build_info()["version"]
inf = float("inf")
nan = float("nan")
pi = 3.141592653589793
e = 2.718281828459045
newaxis = None

globals().update({name: getattr(_core, name) for name in _FROM_CORE})
globals().update({name: getattr(_device, name) for name in _FROM_DEVICE})
globals().update({name: getattr(errors, name) for name in errors.__all__})

__all__ = [  # noqa: PLE0604 (all of them are strings)
    "__version__",
    "e",
    "errors",
    "inf",
    "nan",
    "newaxis",
    "pi",
    *_FROM_CORE,
    *_FROM_DEVICE,
    *errors.__all__,
    *_LAZY,
    *_METHODS,
    *_MODULES,
]

for _class in (device, dtype, Generator):  # noqa: F821 (what globals().update() defined)
    _class.__module__ = __name__  # as Tensor's is: what type(x) shows
del _class
_core.set_inner_folders([f"{folder}/" for folder in __path__])
_atexit.register(_core.mark_exiting)


def _before_fork() -> None:
    """Ends what another thread is importing; the child would wait for that thread forever."""
    threading = _sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        return
    for name in _WANTED_BY_CORE:
        _importlib.import_module(f"gpukit.{name}")


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(before=_before_fork)


if "IPython" in _sys.modules:
    _importlib.import_module("gpukit._ipython.hints").install()


def _foreach(name: str) -> object:
    return _importlib.import_module("gpukit._operators.foreach").foreach(name)


def __getattr__(name: str) -> object:
    if name in _LAZY:
        value = getattr(_importlib.import_module(f"gpukit.{_LAZY[name]}"), name)
    elif name in _METHODS:
        value = getattr(_core.Tensor, name)
    elif name in _MODULES:
        value = _importlib.import_module(f"gpukit.{name}")
    elif name.startswith("_foreach_") and (value := _foreach(name)) is not None:
        pass
    else:
        from gpukit._names.suggest import no_attribute

        no_attribute(__name__, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
