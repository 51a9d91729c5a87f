"""Replacements for names that torch or NumPy has and gpukit lacks, by module."""

from __future__ import annotations

_LIMITS = "it is not part of gpukit; see docs/limits."
_QUANTIZED = "gpukit has no quantised layers; half types make networks smaller: net.half()."
_NUMPY = "use numpy.linalg on x.cpu().numpy(), and gpukit.from_numpy on what it gives."
_OTHER_GPUS = "gpukit computes on the CPU and on NVIDIA's GPUs; gpukit.try_gpu() gives the best."


def _all(names: str, text: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), text)


_MOVED = {
    name: f"it is gpukit.linalg.{name}."
    for name in [
        "eig",
        "eigh",
        "eigvals",
        "inv",
        "lstsq",
        "matrix_rank",
        "pinv",
        "solve",
        "svdvals",
    ]
}
_JIT = (
    "leave the decorators out; gpukit.compile(function) joins its operations, and "
    "gpukit.save(model.state_dict(), path) writes a model."
)
_SPARSE = "use dense tensors, or indices and values as two tensors."
_OTHER: dict[str, dict[str, str]] = {
    "gpukit": {
        **_all(
            "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor "
            "sparse_csc_tensor sparse_csr_tensor hspmm saddmm smm spmm sspaddmm dsmm hsmm",
            _SPARSE,
        ),
        **_all(
            "quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic dequantize "
            "fake_quantize_per_tensor_affine fake_quantize_per_channel_affine empty_quantized "
            "qint8 quint8 qint32",
            "half types make networks smaller: net.half().",
        ),
        **_all("gru lstm rnn_tanh rnn_relu", "use nn.GRU, nn.LSTM or nn.RNN."),
        **_all("gru_cell lstm_cell rnn_tanh_cell rnn_relu_cell", "use the cells of nn."),
        **_all("fork wait", "use gpukit.parallel, or threads."),
        "segment_reduce": "use scatter_reduce.",
        "lobpcg": "use gpukit.linalg.eigh, which finds all eigenvalues.",
        "embedding_bag": "use nn.functional.embedding_bag.",
        "grid_sampler": "use nn.functional.grid_sample.",
        "affine_grid_generator": "use nn.functional.affine_grid.",
        "feature_dropout": "use nn.functional.dropout1d.",
        **_all(
            "export fx hub onnx quantization sparse",
            _LIMITS,
        ),
        "jit": _JIT,
        **_all("hip hpu mps mtia npu tpu xpu", _OTHER_GPUS),
        **_MOVED,
        "array": "write gpukit.tensor(data).",
        "ndarray": "the type is gpukit.Tensor; gpukit.tensor(data) makes one.",
    },
    "gpukit.linalg": _all("ldl_factor ldl_factor_ex ldl_solve", _NUMPY),
    "gpukit.special": _all(
        "airy_ai",
        "use scipy.special on x.cpu().numpy(), and gpukit.from_numpy on what it gives.",
    ),
    "gpukit.nn": {
        "Container": "use Module, Sequential or ModuleList.",
        "CrossMapLRN2d": "it is LocalResponseNorm.",
        "LinearCrossEntropyLoss": "use Linear and CrossEntropyLoss.",
        "LinearCrossEntropyOptions": "use Linear and CrossEntropyLoss.",
        "factory_kwargs": "pass device= and dtype= on.",
        "grad": "backward() and autograd.grad give the gradients of convolutions.",
        **_all("intrinsic qat quantizable quantized", _QUANTIZED),
    },
    "gpukit.nn.functional": {
        "conv_tbc": "use conv1d on x.permute(1, 2, 0).",
        **{
            f"fractional_max_pool{count}d_with_indices": f"use fractional_max_pool{count}d(…, "
            "return_indices=True)."
            for count in (2, 3)
        },
        "linear_cross_entropy": "use linear and cross_entropy.",
        "multi_head_attention_forward": "use nn.MultiheadAttention.",
        "native_channel_shuffle": "it is channel_shuffle.",
        "np": "write import numpy as np.",
        "torch": "write import gpukit.",
        **_all("grouped_mm scaled_grouped_mm scaled_mm", "use matmul on each group."),
        **{
            f"adaptive_max_pool{count}d_with_indices": f"use adaptive_max_pool{count}d(…, "
            "return_indices=True)."
            for count in (1, 2, 3)
        },
    },
    "gpukit.distributed": {
        **_all(
            "all_gather_object broadcast_object_list gather_object scatter_object_list "
            "send_object_list recv_object_list",
            "it would send pickles, which run code; send tensors: json.dumps(obj).encode() in a "
            "uint8 tensor, or gpukit.save to a file that all ranks read.",
        ),
        **_all(
            "FileStore HashStore PrefixStore Store TCPStore rendezvous",
            "ranks find each other by MPI or Ray: gpukit run -n 2 script.py.",
        ),
        **_all("DeviceMesh init_device_mesh new_subgroups split_group", "use new_group(ranks)."),
    },
    "gpukit.optim": _all("SparseAdam", "docs/training.md lists the optimizers; Adam suits most."),
}


def instead(module: str, name: str) -> str | None:
    """The replacement for a name that other libraries have, or None."""
    return _OTHER.get(module, {}).get(name)


def in_numpy(name: str) -> str | None:
    """How to use NumPy's function of that name, or None."""
    if name.startswith("_"):
        return None  # Python looks these up at each import; that must not load NumPy
    try:
        import numpy as np
    except ImportError:
        return None
    found = getattr(np, name, None)
    if not callable(found) or isinstance(found, type) or getattr(found, "nout", 1) > 1:
        return None  # from_numpy does not take several arrays
    return f"NumPy has '{name}': gpukit.from_numpy(numpy.{name}(x.cpu().numpy()))."
