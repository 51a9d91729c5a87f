// The cuBLAS functions in use, as data, in the columns of cuda_functions.h; types of cublas_abi.h.
// This file includes nothing, so that sim/ may read it too.
#pragma once

#define GPUKIT_CUBLAS_FUNCTIONS(X)                                                                 \
  X(cublasCreate, "cublasCreate_v2", cublasCreate_t, 4000, kRequired)                              \
  X(cublasDestroy, "cublasDestroy_v2", cublasDestroy_t, 4000, kRequired)                           \
  X(cublasGetVersion, "cublasGetVersion_v2", cublasGetVersion_t, 4000, kRequired)                  \
  X(cublasSetStream, "cublasSetStream_v2", cublasSetStream_t, 4000, kRequired)                     \
  X(cublasSetWorkspace, "cublasSetWorkspace_v2", cublasSetWorkspace_t, 11020, kRequired)           \
  X(cublasSetMathMode, "cublasSetMathMode", cublasSetMathMode_t, 9000, kRequired)                  \
  X(cublasSetPointerMode, "cublasSetPointerMode_v2", cublasSetPointerMode_t, 4000, kRequired)      \
  X(cublasGemmEx, "cublasGemmEx", cublasGemmEx_t, 11000, kRequired)                                \
  X(cublasGemmStridedBatchedEx, "cublasGemmStridedBatchedEx", cublasGemmStridedBatchedEx_t, 11000, \
    kRequired)
