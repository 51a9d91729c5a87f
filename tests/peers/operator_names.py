"""Which names of torch's operators and of gpukit's mean the same, and which have no counterpart.

`PROGRAMS` was chosen before the interception point was written: all of `programs/` but those about
devices, files, errors, wall time, plots, data sets and how things look in print.
"""

from __future__ import annotations

PROGRAMS = """
    accuracy broadcasting clipping copies custom_parts dtypes early_stopping embeddings freezing
    hooks in_place_and_views indexing initialising iteration joining linear_regression_by_hand
    linear_regression_module linear_regression_sampled logistic_regression mlp no_grad numpy_bridge
    optimizers products reductions schedulers sequential shapes softmax_regression tensor_basics
    train_and_eval training_loop
""".split()  # noqa: SIM905

# Of these, what the libraries do apart on purpose: no sequence to compare.
APART = {
    "copies": "torch copies and pickles by rebuilding from storages, gpukit by bytes",
    "numpy_bridge": "NumPy asks torch's __array__ once, and gpukit's __array__ or its memory",
}

# What a library does inside one of its Python functions, in its own steps and order, is one name,
# or none. (file of the library, function) -> name; the outermost one that is listed counts.
REGIONS: dict[str, dict[tuple[str, str], str | None]] = {
    "torch": {
        ("optim/optimizer.py", "wrapper"): "optimizer_step",
        ("optim/optimizer.py", "zero_grad"): "zero_grad",
        ("optim/", "__init__"): None,
        ("nn/modules/module.py", "zero_grad"): "zero_grad",
        ("nn/modules/module.py", "_apply"): None,
        ("nn/modules/module.py", "state_dict"): None,
        ("nn/modules/module.py", "load_state_dict"): None,
        ("nn/modules/", "__init__"): None,
        ("nn/parameter.py", "__new__"): None,
        ("nn/parameter.py", "__deepcopy__"): "__deepcopy__",
        ("nn/init.py", "*"): "*",
        ("nn/utils/clip_grad.py", "clip_grad_norm_"): "clip_grad_norm_",
        ("nn/utils/clip_grad.py", "clip_grad_value_"): "clip_grad_value_",
        ("utils/data/", "*"): None,
        ("_tensor.py", "__iter__"): None,
    },
    "gpukit": {
        ("optim/optimizer.py", "zero_grad"): "zero_grad",
        ("optim/", "__init__"): None,
        ("nn/module.py", "zero_grad"): "zero_grad",
        ("_device.py", "*"): None,  # is there a GPU that computes?
        ("nn/_moving.py", "*"): None,
        ("nn/_stated.py", "state_dict"): None,
        ("nn/_stated.py", "load_state_dict"): None,
        ("nn/", "__init__"): None,
        ("nn/parameter.py", "__new__"): None,
        ("nn/parameter.py", "__repr__"): "__repr__",
        ("nn/init.py", "*"): "*",
        ("nn/utils/clip_grad.py", "clip_grad_norm_"): "clip_grad_norm_",
        ("nn/utils/clip_grad.py", "clip_grad_value_"): "clip_grad_value_",
        ("nn/_dropping.py", "dropout"): "dropout",
        ("nn/_embedding.py", "embedding"): "embedding",
        ("nn/functional.py", "one_hot"): "one_hot",
        ("nn/_losses.py", "*"): "*",
        ("utils/data/__init__.py", "*"): None,
    },
}

# What is reported to torch's mode and is not an operator: reading what a tensor is, settings, and
# torch's own bookkeeping.
NO_OPERATOR_OF_TORCH = """
    Tensor.shape.__get__ Tensor.dtype.__get__ Tensor.device.__get__ Tensor.ndim.__get__
    Tensor.requires_grad.__get__ Tensor.is_leaf.__get__ Tensor.grad_fn.__get__ Tensor.layout.__get__
    Tensor.is_nested.__get__ Tensor.is_quantized.__get__ Tensor.is_sparse.__get__
    Tensor.is_meta.__get__ Tensor._backward_hooks.__get__ Tensor._backward_hooks.__set__
    Tensor.__len__ Tensor.untyped_storage _set_grad_enabled _parse_to is_complex
    profiler._record_function_enter_new profiler._record_function_exit._RecordFunction
    _VariableFunctionsClass._has_compatible_shallow_copy_type
""".split()  # noqa: SIM905

# torch's name and gpukit's, where they differ; a function that is several operators in gpukit is
# those.
OF_TORCH = {
    "Tensor.__getitem__": "getitem",
    "Tensor.__setitem__": "setitem",
    "Tensor.__pow__": "pow",
    "Tensor.__rpow__": "pow",
    "Tensor.__rsub__": "sub",
    "Tensor.__rtruediv__": "div",
    "Tensor.__floordiv__": "floor_divide",
    "Tensor.__and__": "bitwise_and",
    "Tensor.__invert__": "bitwise_not",
    "Tensor.__eq__": "eq",
    "Tensor.data.__get__": "data",
    "Tensor.data.__set__": "set_data",
    "Tensor.grad.__get__": "grad",
    "Tensor.grad.__set__": "set_grad",
    "Tensor.requires_grad.__set__": "set_requires_grad",
    "Tensor.T.__get__": "T",
    "Tensor.__array__": "__buffer__",
    "grad": "autograd_grad",
    "spmm": "mm",
    "nn.functional.dropout (not training)": "",  # nothing is computed
}
OF_GPUKIT = {
    "linear_relu": "linear relu",  # one operation where a layer's output goes to relu
    "nelement": "numel",  # torch's nelement is numel
    "linalg_norm": "norm",  # the prefix is part of the name
    "__iter__": "",  # torch's mode is called once, for unbind; see REGIONS
    "from_numpy": "",  # torch's mode is not told of it
}
PREFIXES = ("Tensor.", "nn.functional.", "functional.", "nn.init.", "linalg.")


def of_torch(name: str) -> list[str]:
    """What torch's name is after the map."""
    if name in NO_OPERATOR_OF_TORCH:
        return []
    if name in OF_TORCH:
        return OF_TORCH[name].split()
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    return [name]


def of_gpukit(name: str) -> list[str]:
    """What gpukit's name is after the map."""
    return OF_GPUKIT.get(name, name).split()
