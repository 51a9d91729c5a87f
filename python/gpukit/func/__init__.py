"""Functions of functions, with torch's names: derivatives, and one call for each item of a batch.

`vmap` calls the function once for each item and stacks the results: what torch's gives, not its
speed.
"""

from __future__ import annotations

from gpukit._names.suggest import module_getattr
from gpukit.func._batch_norms import replace_all_batch_norm_modules_
from gpukit.func._batching import vmap
from gpukit.func._derivatives import grad, grad_and_value, jvp, linearize, vjp
from gpukit.func._functional import functionalize
from gpukit.func._jacobians import hessian, jacfwd, jacrev
from gpukit.func._modules import functional_call, stack_module_state

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

__getattr__ = module_getattr(__name__)
