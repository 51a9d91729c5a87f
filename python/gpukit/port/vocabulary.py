"""What torch 2.13 has on its objects; gpukit's own names come from introspection.

`tests/peers/test_port_vocabulary.py` compares these lists with the installed torch.
"""

from __future__ import annotations

TENSOR = frozenset(
    """
    H T abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv
    addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint all allclose amax
    amin aminmax angle any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh
    arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argmax argmin argsort argwhere
    as_strided as_strided_ as_strided_scatter as_subclass asin asin_ asinh asinh_ atan atan2
    atan2_ atan_ atanh atanh_ backward baddbmm baddbmm_ bernoulli bernoulli_ bfloat16 bincount
    bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_
    bitwise_or bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_
    bmm bool broadcast_to byte cauchy_ ccol_indices cdouble ceil ceil_ cfloat chalf char
    cholesky cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min
    clamp_min_ clip clip_ clone coalesce col_indices conj conj_physical conj_physical_
    const_data_ptr contiguous copy_ copysign copysign_ corrcoef cos cos_ cosh cosh_
    count_nonzero cov cpu cross crow_indices cuda cummax cummin cumprod cumprod_ cumsum
    cumsum_ data data_ptr deg2rad deg2rad_ dense_dim dequantize det detach detach_ device diag
    diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim dim_order dist div
    div_ divide divide_ dot double dsplit dtype eig element_size eq eq_ equal erf erf_ erfc
    erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expand expand_as expm1 expm1_ exponential_ fill_
    fill_diagonal_ fix fix_ flatten flip fliplr flipud float float_power float_power_ floor
    floor_ floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp gather gcd gcd_ ge
    ge_ geometric_ geqrf ger get_device grad grad_dtype grad_fn greater greater_ greater_equal
    greater_equal_ gt gt_ half hardshrink hash_tensor heaviside heaviside_ histc histogram
    hsplit hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ imag index index_add index_add_
    index_copy index_copy_ index_fill index_fill_ index_put index_put_ index_reduce
    index_reduce_ index_select indices inner int int_repr inverse ipu is_coalesced is_complex
    is_conj is_contiguous is_cpu is_cuda is_distributed is_floating_point is_inference is_ipu
    is_leaf is_maia is_meta is_mkldnn is_mps is_mtia is_neg is_nested is_nonzero is_pinned
    is_quantized is_same_size is_set_to is_shared is_signed is_sparse is_sparse_csr is_vulkan
    is_xla is_xpu isclose isfinite isinf isnan isneginf isposinf isreal istft item itemsize
    kron kthvalue layout lcm lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal
    less_equal_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal_
    log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_ logical_not
    logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logsumexp long
    lstsq lt lt_ lu lu_solve mH mT map2_ map_ masked_fill masked_fill_ masked_scatter
    masked_scatter_ masked_select matmul matrix_exp matrix_power max maximum mean median min
    minimum mm mode module_load moveaxis movedim msort mtia mul mul_ multinomial multiply
    multiply_ mv mvlgamma mvlgamma_ name nan_to_num nan_to_num_ nanmean nanmedian nanquantile
    nansum narrow narrow_copy nbytes ndim ndimension ne ne_ neg neg_ negative negative_
    nelement new new_empty new_empty_strided new_full new_ones new_tensor new_zeros nextafter
    nextafter_ nonzero nonzero_static norm normal_ not_equal not_equal_ numel numpy orgqr
    ormqr outer output_nr permute pin_memory pinverse polygamma polygamma_ positive pow pow_
    prelu prod put put_ q_per_channel_axis q_per_channel_scales q_per_channel_zero_points
    q_scale q_zero_point qr qscheme quantile rad2deg rad2deg_ random_ ravel real reciprocal
    reciprocal_ record_stream register_hook register_post_accumulate_grad_hook reinforce relu
    relu_ remainder remainder_ renorm renorm_ repeat repeat_interleave requires_grad
    requires_grad_ reshape reshape_as resize resize_ resize_as resize_as_ resize_as_sparse_
    resolve_conj resolve_neg retain_grad retains_grad roll rot90 round round_ row_indices
    rsqrt rsqrt_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_
    select select_scatter set_ sgn sgn_ shape share_memory_ short sigmoid sigmoid_ sign sign_
    signbit sin sin_ sinc sinc_ sinh sinh_ size slice_inverse slice_scatter slogdet smm
    softmax solve sort sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ split
    split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ sspaddmm std stft storage
    storage_offset storage_type stride sub sub_ subtract subtract_ sum sum_to_size svd
    swapaxes swapaxes_ swapdims swapdims_ symeig t t_ take take_along_dim tan tan_ tanh tanh_
    tensor_split tile to to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc
    to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr tolist topk trace transpose
    transpose_ triangular_solve tril tril_ triu triu_ true_divide true_divide_ trunc trunc_
    type type_as unbind unflatten unfold uniform_ unique unique_consecutive unsafe_chunk
    unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ untyped_storage values var vdot
    view view_as volatile vsplit where xlogy xlogy_ xpu zero_
    """.split()  # noqa: SIM905
)

MODULE = frozenset(
    """
    add_module apply bfloat16 buffers children compile cpu cuda double eval extra_repr float
    get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules
    mtia named_buffers named_children named_modules named_parameters parameters
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
    register_parameter register_state_dict_post_hook register_state_dict_pre_hook
    requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train
    type xpu zero_grad
    """.split()  # noqa: SIM905
)

OPTIMIZER = frozenset(
    """
    OptimizerPostHook OptimizerPreHook add_param_group load_state_dict profile_hook_step
    register_load_state_dict_post_hook register_load_state_dict_pre_hook
    register_state_dict_post_hook register_state_dict_pre_hook register_step_post_hook
    register_step_pre_hook state_dict step zero_grad
    """.split()  # noqa: SIM905
)

GENERATOR = frozenset(
    """
    clone_state get_offset get_state graphsafe_get_state graphsafe_set_state initial_seed
    manual_seed seed set_offset set_state
    """.split()  # noqa: SIM905
)

EVENT = frozenset(
    """
    elapsed_time from_ipc_handle ipc_handle query record synchronize wait
    """.split()  # noqa: SIM905
)

STREAM = frozenset(
    """
    query record_event synchronize wait_event wait_stream
    """.split()  # noqa: SIM905
)

SCHEDULER = frozenset(
    """
    get_last_lr get_lr load_state_dict state_dict step
    """.split()  # noqa: SIM905
)

NODE = frozenset(
    """
    _input_metadata _raw_saved_other _raw_saved_self _register_hook_dict _saved_other
    _saved_self _sequence_nr _set_sequence_nr metadata name next_functions register_hook
    register_prehook requires_grad
    """.split()  # noqa: SIM905
)

SIZE = frozenset({"numel"})

# The members that instances of a class have; a class that gpukit derives counts as its base.
MEMBERS = {
    "torch.Tensor": TENSOR,
    "torch.nn.Module": MODULE,
    "torch.optim.Optimizer": OPTIMIZER,
    "torch.optim.lr_scheduler.LRScheduler": SCHEDULER,
    "torch.Generator": GENERATOR,
    "torch.cuda.Event": EVENT,
    "torch.cuda.Stream": STREAM,
    "torch.Size": SIZE,
    "torch.autograd.graph.Node": NODE,
}

# Members of tensors that other objects of usual programs have too: text, lists, arrays, tables,
# pictures, enumerations. They say nothing of what they are read from.
SHARED = frozenset(
    """
    H T all any argmax argmin argsort byte byteswap char choose clip coalesce conj copy cos count
    cross cummax cummin cumprod cumsum data det diagonal diff dim dist dot eig exp fill fix
    flatten flip float frac get_device grad greater half histogram histc imag index index_fill
    index_select indices inner int inverse is_complex is_signed item kron lcm gcd less lu map_
    max mean median min mode name names new nonzero norm numpy permute prod put put_ qr
    quantile ravel real record_stream reduce rename repeat reshape resize resize_ rot90 round select
    set_ share_memory_ short sign sin size sinc solve sort split squeeze std storage sub sum svd
    swapaxes symeig t take tan to tolist trace transpose type values var view where xpu
    ipu mtia shape dtype device fliplr flipud sgn renorm heaviside apply_ is_set_to hash_tensor
    module_load nanmean nanmedian nansum nanquantile exp2 logit rad2deg deg2rad lgamma vdot
    float_power fmax fmin fmod gcd_ ldexp frexp erfc erfinv corrcoef cov digamma i0 igamma
    """.split()  # noqa: SIM905
)

# Libraries whose functions take and return torch tensors.
ON_TORCH = frozenset(
    """
    accelerate apex ax bitsandbytes botorch captum composer deepspeed dgl diffusers executorch
    fairscale fastai fbgemm_gpu flash_attn functorch gpytorch ignite kornia lightning
    lightning_fabric monai onnxscript peft pytorch_lightning pytorch_metric_learning
    segment_anything sentence_transformers skorch tensordict timm torch_geometric
    torch_optimizer torch_pruning torch_scatter torch_sparse torch_tensorrt torchao torchaudio
    torchdata torcheval torchinfo torchmetrics torchrec torchrl torchsummary torchtext
    torchtune torchvision torchviz torchx transformers ultralytics xformers
    """.split()  # noqa: SIM905
)

# Kinds of devices that torch names and gpukit does not compute on.
OTHER_DEVICES = frozenset(
    """
    hip hpu ipu maia meta mps mtia npu opencl vulkan xla xpu
    """.split()  # noqa: SIM905
)

# gpukit modules whose name torch uses for something else, and what torch's does.
OTHER_MEANING = {"torch.monitor": "torch's counts events of a program; gpukit's monitors GPUs"}
