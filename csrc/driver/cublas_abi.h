// Own declarations of the part of cuBLAS's published binary interface that gpukit calls (majors 11,
// 12 and 13). Names and values are those of the library, so that calls read as in its guide.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace gpukit::driver {

struct cublasContext;
using cublasHandle_t = cublasContext*;

enum cublasStatus_t : int {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};

enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };

enum cublasPointerMode_t : int { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };

enum cudaDataType : int {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_8U = 8,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
};

enum cublasComputeType_t : int {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

// The last one is a flag that is added to a mode.
enum cublasMath_t : int {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};

// The only algorithm number to pass: from 99 on cuBLAS may compute float32 products in half
// precision.
enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DEFAULT = -1 };

// Function types, named after the exported literal.
using cublasCreate_t = cublasStatus_t (*)(cublasHandle_t* handle);
using cublasDestroy_t = cublasStatus_t (*)(cublasHandle_t handle);
using cublasGetVersion_t = cublasStatus_t (*)(cublasHandle_t handle, int* version);
using cublasSetStream_t = cublasStatus_t (*)(cublasHandle_t handle, CUstream stream);
using cublasSetWorkspace_t = cublasStatus_t (*)(cublasHandle_t handle, void* workspace,
                                                std::size_t bytes);
using cublasSetMathMode_t = cublasStatus_t (*)(cublasHandle_t handle, cublasMath_t mode);
using cublasSetPointerMode_t = cublasStatus_t (*)(cublasHandle_t handle, cublasPointerMode_t mode);

using cublasGemmEx_t = cublasStatus_t (*)(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, const void* b, cudaDataType b_type, int ldb,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algo);

// Strides between matrices count elements; cuBLAS does not take a stride of zero.
using cublasGemmStridedBatchedEx_t = cublasStatus_t (*)(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType a_type, int lda, long long stride_a,
    const void* b, cudaDataType b_type, int ldb, long long stride_b, const void* beta, void* c,
    cudaDataType c_type, int ldc, long long stride_c, int batch_count, cublasComputeType_t compute,
    cublasGemmAlgo_t algo);

}  // namespace gpukit::driver
