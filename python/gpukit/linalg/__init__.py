"""Linear algebra under torch.linalg's names: factorizations, solutions, norms and products.

On the CPU the factorizations are LAPACK's. On GPUs systems of up to 32 rows are composed of simple
operations; what a device lacks raises NotImplementedError, which names `.cpu()`.
"""

from __future__ import annotations

from gpukit._core import linalg_cholesky as cholesky
from gpukit._core import linalg_cholesky_ex as cholesky_ex
from gpukit._core import linalg_cond as cond
from gpukit._core import linalg_cross as cross
from gpukit._core import linalg_det as det
from gpukit._core import linalg_diagonal as diagonal
from gpukit._core import linalg_eig as eig
from gpukit._core import linalg_eigh as eigh
from gpukit._core import linalg_eigvals as eigvals
from gpukit._core import linalg_eigvalsh as eigvalsh
from gpukit._core import linalg_householder_product as householder_product
from gpukit._core import linalg_inv as inv
from gpukit._core import linalg_inv_ex as inv_ex
from gpukit._core import linalg_lstsq as lstsq
from gpukit._core import linalg_lu as lu
from gpukit._core import linalg_lu_factor as lu_factor
from gpukit._core import linalg_lu_factor_ex as lu_factor_ex
from gpukit._core import linalg_lu_solve as lu_solve
from gpukit._core import linalg_matrix_exp as matrix_exp
from gpukit._core import linalg_matrix_norm as matrix_norm
from gpukit._core import linalg_matrix_power as matrix_power
from gpukit._core import linalg_matrix_rank as matrix_rank
from gpukit._core import linalg_multi_dot as multi_dot
from gpukit._core import linalg_norm as norm
from gpukit._core import linalg_pinv as pinv
from gpukit._core import linalg_qr as qr
from gpukit._core import linalg_slogdet as slogdet
from gpukit._core import linalg_solve as solve
from gpukit._core import linalg_solve_ex as solve_ex
from gpukit._core import linalg_solve_triangular as solve_triangular
from gpukit._core import linalg_svd as svd
from gpukit._core import linalg_svdvals as svdvals
from gpukit._core import linalg_tensorinv as tensorinv
from gpukit._core import linalg_tensorsolve as tensorsolve
from gpukit._core import linalg_vander as vander
from gpukit._core import linalg_vecdot as vecdot
from gpukit._core import linalg_vector_norm as vector_norm
from gpukit._core import matmul, outer, tensordot, trace
from gpukit._names.suggest import module_getattr
from gpukit.errors import LinAlgError

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vander",
    "vecdot",
    "vector_norm",
]

__getattr__ = module_getattr(__name__)
