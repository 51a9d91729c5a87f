"""Several processes that train one network: torch.distributed's names, over MPI or Ray.

`gpukit run -n 2 train.py` starts a script twice (extra `mpi`). By MPI and NCCL tensors travel as
bytes, never as pickles; gpukit itself opens no port. What goes by Ray is packed by
Ray's own pickle: a Ray cluster trusts all that connect to it. See docs/scale-out.md.

Example:
    >>> import gpukit
    >>> import gpukit.distributed as dist
    >>> dist.init_process_group("mpi")
    >>> x = gpukit.ones(3)
    >>> dist.all_reduce(x)  # the sum over the ranks; with one process, x itself
    >>> dist.destroy_process_group()
"""

from gpukit._names.suggest import module_getattr
from gpukit.distributed._averaging import average_gradients
from gpukit.distributed._batches import P2POp, batch_isend_irecv
from gpukit.distributed._buffers import ReduceOp
from gpukit.distributed._collectives import (
    all_gather,
    all_gather_into_tensor,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    monitored_barrier,
    scatter,
)
from gpukit.distributed._groups import (
    ProcessGroup,
    destroy_process_group,
    group,
    init_process_group,
    new_group,
)
from gpukit.distributed._points import irecv, isend, recv, send
from gpukit.distributed._questions import (
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    is_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
)
from gpukit.distributed._reductions import (
    all_reduce,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
)
from gpukit.distributed._work import Work
from gpukit.errors import DistributedError

__all__ = [
    "DistributedError",
    "P2POp",
    "ProcessGroup",
    "ReduceOp",
    "Work",
    "all_gather",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "average_gradients",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "destroy_process_group",
    "gather",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "isend",
    "monitored_barrier",
    "new_group",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "send",
]

__getattr__ = module_getattr(__name__)

from gpukit.distributed import algorithms  # noqa: F401
