"""Which public names the catalogue reaches, and why the others are left out."""

from __future__ import annotations

import types
from typing import Any

from support.operators import names

from .catalogue import IN_PLACE, OPERATORS, PEERS, UNARY_OPERATORS, rows

NOT_DRAWN = {
    "the machine, not arithmetic: held by tests/unit and tests/sim": (
        "cpu devices env free gil_report gpu info load_ipython_extension memory num_gpus parallel pick_gpu "
        "compile fit prefetch require_gpus selftest show_versions simulate smi synchronize to to_cpu try_all_gpus try_gpu what_if "
        "unload_ipython_extension vendors cards Tensor.to_device Tensor.cuda Tensor.cpu Tensor.pin_memory Tensor.is_pinned "
        "Tensor.ready Tensor.wait Tensor.block_until_ready Tensor.data_ptr Tensor.layout Tensor.is_pinned Tensor.__await__"
    ),
    "reversed(x), beside torch in tests/peers/test_torch_places.py": "Tensor.__reversed__",
    "settings and state of the process: held by tests/unit": (
        "get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype is_storage typename get_language set_language is_autocast_cpu_enabled is_autocast_enabled is_anomaly_enabled is_anomaly_check_nan_enabled get_default_device get_default_dtype get_float32_matmul_precision get_num_threads initial_seed is_grad_enabled "
        "is_inference_mode_enabled manual_seed seed set_default_device set_default_dtype set_float32_matmul_precision "
        "set_num_threads set_num_interop_threads get_num_interop_threads set_printoptions set_default_tensor_type use_deterministic_algorithms are_deterministic_algorithms_enabled "
        "is_deterministic_algorithms_warn_only_enabled set_deterministic_debug_mode get_deterministic_debug_mode get_rng_state set_rng_state "
    ),
    "files and other libraries' memory: held by tests/unit/test_dlpack, test_buffers, test_checkpoint": (
        "from_dlpack from_numpy frombuffer load save Tensor.__array__ Tensor.__array_wrap__ Tensor.__arrow_c_array__ Tensor.__array_namespace__ Tensor.__array_priority__ "
        "Tensor.__cuda_array_interface__ Tensor.__dlpack__ Tensor.__dlpack_device__ Tensor.__reduce_ex__ Tensor.tobytes "
        "array_api.from_dlpack Tensor.__copy__ Tensor.__deepcopy__ Tensor.__torch_function__ Tensor.as_subclass"
    ),
    "functions of samples: held beside NumPy by test_samples, beside torch by test_torch_special": (
        "histogram nanquantile interp trapezoid trapz cumulative_trapezoid gradient polygamma mvlgamma zeta "
        "Tensor.histogram Tensor.nanquantile Tensor.polygamma Tensor.mvlgamma"
    ),
    "complex numbers: values, errors and gradients beside torch in tests/peers/test_torch_complex.py": (
        "complex polar view_as_complex view_as_real real imag conj conj_physical resolve_conj resolve_neg is_conj is_complex angle sgn "
        "Tensor.conj Tensor.conj_physical Tensor.conj_physical_ Tensor.resolve_conj Tensor.resolve_neg Tensor.is_conj Tensor.is_complex "
        "Tensor.angle Tensor.sgn Tensor.cfloat Tensor.cdouble Tensor.real Tensor.imag Tensor.H Tensor.mH"
    ),
    "the graph of gradients: every drawn call differentiates, the rest is held by test_torch_autograd": (
        "Tensor.backward Tensor.detach_ Tensor.grad Tensor.grad_fn Tensor.register_hook Tensor.register_post_accumulate_grad_hook Tensor.retain_grad Tensor.retains_grad"
    ),
    "linear algebra: values, derivatives and errors beside torch in tests/peers/test_torch_linalg.py": (
        "chain_matmul cholesky cholesky_inverse cholesky_solve cross det geqrf inverse logdet lu lu_solve lu_unpack matrix_exp "
        "matrix_power orgqr pinverse qr slogdet svd triangular_solve vander "
        "Tensor.cholesky Tensor.cholesky_inverse Tensor.cholesky_solve Tensor.cross Tensor.det Tensor.geqrf Tensor.inverse "
        "Tensor.logdet Tensor.lu Tensor.lu_solve Tensor.matrix_exp Tensor.matrix_power Tensor.orgqr Tensor.pinverse Tensor.qr "
        "Tensor.slogdet Tensor.svd Tensor.triangular_solve "
        "linalg.cholesky linalg.cholesky_ex linalg.cond linalg.cross linalg.det linalg.diagonal linalg.eig linalg.eigvals linalg.eigh linalg.eigvalsh "
        "linalg.householder_product linalg.inv linalg.inv_ex linalg.lstsq linalg.lu linalg.lu_factor linalg.lu_factor_ex "
        "linalg.lu_solve linalg.matrix_exp linalg.matrix_power linalg.matrix_rank linalg.multi_dot linalg.pinv linalg.qr "
        "linalg.slogdet linalg.solve linalg.solve_ex linalg.solve_triangular linalg.svd linalg.svdvals linalg.tensordot "
        "linalg.tensorinv linalg.tensorsolve linalg.trace linalg.vander linalg.vecdot"
    ),
    "Fourier transforms: drawn calls beside NumPy in tests/backend/test_fourier.py, derivatives beside torch in test_torch_fft": (
        "fft.fft fft.fft2 fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft "
        "fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn fft.fftfreq fft.rfftfreq fft.fftshift fft.ifftshift"
    ),
    "planes and windows: 300 drawn forms of each in tests/peers/test_torch_convolutions.py": (
        "nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d nn.functional.conv_transpose2d "
        "nn.functional.conv_transpose3d nn.functional.fold nn.functional.interpolate nn.functional.pad nn.functional.pixel_shuffle "
        "nn.functional.pixel_unshuffle nn.functional.unfold"
    ),
    "windows: drawn forms of each in tests/peers/test_torch_pooling.py": (
        "nn.functional.adaptive_avg_pool1d nn.functional.adaptive_avg_pool2d nn.functional.adaptive_avg_pool3d "
        "nn.functional.avg_pool1d nn.functional.avg_pool2d nn.functional.avg_pool3d "
        "nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d "
        "nn.functional.max_pool1d_with_indices nn.functional.max_pool2d_with_indices nn.functional.max_pool3d_with_indices"
    ),
    "windows: drawn forms of each in tests/peers/test_torch_unpooling.py": (
        "nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool2d nn.functional.adaptive_max_pool3d "
        "nn.functional.lp_pool1d nn.functional.lp_pool2d nn.functional.lp_pool3d "
        "nn.functional.max_unpool1d nn.functional.max_unpool2d nn.functional.max_unpool3d"
    ),
    "windows at drawn places, slopes, copies of parts: tests/peers/test_torch_fractional.py": (
        "nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool3d hardshrink Tensor.hardshrink prelu Tensor.prelu "
        "narrow_copy Tensor.narrow_copy as_strided_scatter Tensor.as_strided_scatter"
    ),
    "memory of several processes: tests/unit/test_multiprocessing.py and programs in tests/peers": (
        "Tensor.share_memory_ Tensor.is_shared"
    ),
    "tables, sequences, pairs: tests/peers/test_torch_embedding.py and test_torch_sequence_losses.py": (
        "nn.functional.embedding_bag nn.functional.bilinear nn.functional.channel_shuffle nn.functional.ctc_loss "
        "nn.functional.multilabel_margin_loss nn.functional.triplet_margin_with_distance_loss "
        "nn.functional.relu_ nn.functional.selu_ nn.functional.rrelu_ nn.functional.threshold_"
    ),
    "activations, distances and losses: tests/peers/test_torch_gates.py and torch's own samples": (
        "nn.functional.celu nn.functional.celu_ nn.functional.cosine_embedding_loss nn.functional.cosine_similarity "
        "nn.functional.elu_ nn.functional.gaussian_nll_loss nn.functional.glu nn.functional.hardshrink nn.functional.hardsigmoid "
        "nn.functional.hardswish nn.functional.hardtanh nn.functional.hardtanh_ nn.functional.hinge_embedding_loss nn.functional.kl_div "
        "nn.functional.leaky_relu_ nn.functional.margin_ranking_loss nn.functional.mish nn.functional.multi_margin_loss "
        "nn.functional.multilabel_soft_margin_loss nn.functional.normalize nn.functional.pairwise_distance nn.functional.poisson_nll_loss "
        "nn.functional.prelu nn.functional.relu6 nn.functional.rrelu nn.functional.selu nn.functional.soft_margin_loss nn.functional.softmin "
        "nn.functional.softshrink nn.functional.softsign nn.functional.tanhshrink nn.functional.threshold nn.functional.triplet_margin_loss"
    ),
    "drawn numbers: tests/backend/test_dropping.py": (
        "nn.functional.alpha_dropout nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d "
        "nn.functional.feature_alpha_dropout nn.functional.gumbel_softmax"
    ),
    "masks of queries and keys: tests/peers/test_torch_attention.py": (
        "nn.functional.scaled_dot_product_attention"
    ),
    "normalisation: drawn forms of each in tests/peers/test_torch_batch_norm.py": (
        "nn.functional.batch_norm nn.functional.group_norm nn.functional.instance_norm nn.functional.local_response_norm nn.functional.rms_norm"
    ),
    "composed of others, and older names: each form in tests/peers/test_torch_composed.py": (
        "gcd Tensor.gcd Tensor.gcd_ lcm Tensor.lcm Tensor.lcm_ inner Tensor.inner hann_window hamming_window blackman_window bartlett_window kaiser_window randint_like "
        "clamp_min Tensor.clamp_min clamp_max Tensor.clamp_max Tensor.clamp_min_ Tensor.clamp_max_ fmax Tensor.fmax fmin Tensor.fmin fmod Tensor.fmod "
        "frac Tensor.frac lerp Tensor.lerp Tensor.lerp_ addcmul Tensor.addcmul Tensor.addcmul_ addcdiv Tensor.addcdiv "
        "Tensor.addcdiv_ var_mean std_mean quantile Tensor.quantile "
        "aminmax Tensor.aminmax dist Tensor.dist cdist pdist renorm "
        "Tensor.renorm nansum Tensor.nansum nanmean Tensor.nanmean baddbmm Tensor.baddbmm index_fill Tensor.index_fill "
        "Tensor.index_fill_ index_copy Tensor.index_copy Tensor.index_copy_ index_put Tensor.index_put "
        "Tensor.index_put_ Tensor.put_ masked_scatter Tensor.masked_scatter Tensor.masked_scatter_ scatter_reduce "
        "Tensor.scatter_reduce Tensor.scatter_reduce_ diag_embed Tensor.diag_embed Tensor.fill_diagonal_ "
        "Tensor.bernoulli_ unflatten "
        "Tensor.unflatten Tensor.unfold tensor_split Tensor.tensor_split dstack atleast_1d atleast_2d atleast_3d "
        "block_diag cartesian_prod combinations rot90 Tensor.rot90 fliplr Tensor.fliplr flipud Tensor.flipud Tensor.t_ "
        "Tensor.squeeze_ Tensor.unsqueeze_ Tensor.resize_ Tensor.set_ as_strided Tensor.as_strided "
        "Tensor.untyped_storage Tensor.new Tensor.byte Tensor.char Tensor.short Tensor.is_sparse Tensor.record_stream "
    ),
    "counts, sequences and positions: values, derivatives and errors in tests/peers/test_torch_statistics.py": (
        "histc Tensor.histc bucketize corrcoef Tensor.corrcoef convolve nn.functional.affine_grid nn.functional.grid_sample nn.functional.pdist"
    ),
    "names of torch programs: each form beside torch in tests/peers/test_torch_names.py": (
        "Tensor.addbmm Tensor.addbmm_ Tensor.addmm_ Tensor.addmv Tensor.addmv_ Tensor.addr Tensor.addr_ Tensor.adjoint "
        "Tensor.apply_ Tensor.as_strided_ Tensor.baddbmm_ Tensor.cauchy_ Tensor.cumprod_ Tensor.cumsum_ Tensor.diagflat "
        "Tensor.diagonal_scatter Tensor.dsplit Tensor.exponential_ Tensor.float_power Tensor.float_power_ Tensor.fmod_ "
        "Tensor.frac_ Tensor.frexp Tensor.geometric_ Tensor.ger Tensor.hsplit Tensor.igamma Tensor.igammac "
        "Tensor.index_reduce Tensor.index_reduce_ Tensor.inner Tensor.is_meta Tensor.is_mps Tensor.is_nested "
        "Tensor.is_nonzero Tensor.is_quantized Tensor.is_same_size Tensor.is_set_to Tensor.is_signed "
        "Tensor.is_sparse_csr Tensor.is_xpu Tensor.isneginf Tensor.isposinf Tensor.isreal Tensor.istft Tensor.ldexp "
        "Tensor.ldexp_ Tensor.log_normal_ Tensor.map_ Tensor.mvlgamma_ Tensor.nan_to_num_ Tensor.new_empty_strided "
        "Tensor.nonzero_static Tensor.polygamma_ Tensor.put Tensor.random_ Tensor.renorm_ Tensor.resize_as_ "
        "Tensor.select_scatter Tensor.sgn_ Tensor.slice_scatter Tensor.split_with_sizes Tensor.stft Tensor.storage "
        "Tensor.sum_to_size Tensor.swapaxes_ Tensor.swapdims Tensor.swapdims_ Tensor.transpose_ Tensor.tril_ "
        "Tensor.triu_ Tensor.unsafe_chunk Tensor.unsafe_split Tensor.vdot Tensor.vsplit abs_ acos_ acosh_ "
        "adaptive_avg_pool1d adaptive_max_pool1d addbmm addmv addmv_ addr adjoint alpha_dropout arccos_ arccosh_ "
        "arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_ avg_pool1d bartlett_window batch_norm "
        "bilinear binary_cross_entropy_with_logits binomial blackman_window ceil_ celu celu_ channel_shuffle clamp_ "
        "clamp_max_ clamp_min_ clip_ column_stack conj_physical_ constant_pad_nd conv1d conv2d conv3d conv_transpose1d "
        "conv_transpose2d conv_transpose3d cos_ cosh_ cosine_embedding_loss cosine_similarity ctc_loss deg2rad_ detach "
        "detach_ diagflat diagonal_scatter dropout dsplit embedding empty_strided erf_ erfc_ exp2_ exp_ expm1_ "
        "feature_alpha_dropout fill_ fix_ float_power floor_ frac_ frexp frobenius_norm ger get_device group_norm "
        "hamming_window hann_window hardshrink hinge_embedding_loss hsplit i0_ igamma igammac index_put_ index_reduce "
        "inner instance_norm is_nonzero is_same_size is_signed isneginf isposinf isreal istft kaiser_window kl_div "
        "layer_norm ldexp ldexp_ log10_ log1p_ log2_ log_ logit_ logspace margin_ranking_loss max_pool1d max_pool2d "
        "max_pool3d nan_to_num_ neg_ negative_ nonzero_static nuclear_norm pairwise_distance pca_lowrank pixel_shuffle "
        "pixel_unshuffle poisson poisson_nll_loss prelu put rad2deg_ randint_like range reciprocal_ relu_ resize_as_ "
        "rms_norm round_ row_stack rrelu rrelu_ rsqrt_ rsub scalar_tensor select select_scatter selu selu_ sigmoid_ "
        "sin_ sinc_ sinh_ slice_scatter split_with_sizes sqrt_ square_ stft svd_lowrank swapdims tan_ tanh_ threshold "
        "threshold_ triplet_margin_loss trunc_ unravel_index unsafe_chunk unsafe_split vdot vsplit xlogy_ zero_ "
    ),
    "functions of functions: held by tests/peers/test_torch_func.py": "vmap",
    "indices of triangles of many sizes in tests/peers/test_torch_scans.py": "tril_indices triu_indices",
    "texts: held by test_torch_print": "Tensor.__repr__",
    "types and constants": "is_tensor array_api.isdtype is_inference Tensor.is_inference",
    "the array API's copies of drawn functions, or trivial for real dtypes: held by the standard's suite": (
        "array_api.asarray array_api.astype array_api.broadcast_arrays array_api.can_cast array_api.conj array_api.imag "
        "array_api.real array_api.result_type array_api.meshgrid array_api.isin array_api.broadcast_shapes array_api.empty array_api.empty_like array_api.full_like "
        "array_api.take_along_axis"
    ),
    "Python's protocol beside the drawn operators": (
        "Tensor.__new__ Tensor.__hash__ Tensor.__setattr__ Tensor.__delattr__ Tensor.__delitem__ Tensor.__iter__"
    ),
}

DUNDERS = {"truediv": "__truediv__", "and_": "__and__", "or_": "__or__"}


def not_drawn() -> dict[str, str]:
    """Each name that is left out, with the reason."""
    listed = {name: reason for reason, names in NOT_DRAWN.items() for name in names.split()}
    return listed | dict.fromkeys(_unknown_to_torch(), "torch has none: held by test_operators")


def _unknown_to_torch() -> set[str]:
    """Elementwise functions and methods that torch does not have."""
    import torch

    lacked = {
        name for name, _ in names() if not hasattr(torch, PEERS.get(name, name).split(".")[0])
    }
    methods = {name for name, _ in names(in_place=True) if not hasattr(torch.Tensor, name)}
    return lacked | {f"Tensor.{name}" for name in lacked | methods}


def drawn() -> set[str]:
    """Each name that some row calls."""
    found: set[str] = set()
    for row in rows():
        if row.library == "numpy":
            found.add(f"array_api.{row.name}")
        elif row.form == "function":
            found.add(row.name)
        elif row.form in {"method", "property", "get", "set"}:
            found.add(f"Tensor.{row.name}")
    for name in (*OPERATORS.split(), *UNARY_OPERATORS.split(), *IN_PLACE.split()):
        plain = name.rstrip("_")
        found |= {f"Tensor.__{plain}__", f"Tensor.__r{plain}__"}
    return found


def public() -> set[str]:
    """gpukit's public callables, its Tensor, nn.functional, linalg, fft and array_api."""
    import gpukit

    found = set(_functions(gpukit))
    found |= {f"nn.functional.{name}" for name in _functions(gpukit.nn.functional)}
    found |= {f"linalg.{name}" for name in _functions(gpukit.linalg)}
    found |= {f"fft.{name}" for name in _functions(gpukit.fft)}
    found |= {f"array_api.{name}" for name in _functions(gpukit.array_api)}
    members = {name for name in dir(gpukit.Tensor) if not name.startswith("_")}
    special = {name for name in gpukit.Tensor.__dict__ if name.startswith("__")}
    return found | {
        f"Tensor.{name}" for name in members | special - {"__dict__", "__doc__", "__module__"}
    }


def _functions(module: types.ModuleType) -> set[str]:
    return {name for name in dir(module) if not name.startswith("_") and _is_function(module, name)}


_HELPERS = {
    "Any",
    "check_probability",
    "module_getattr",
    "inf",
}  # imports of the modules, not theirs


def _is_function(module: types.ModuleType, name: str) -> bool:
    value: Any = getattr(module, name)
    return (
        callable(value) and not isinstance(value, type | types.ModuleType) and name not in _HELPERS
    )
