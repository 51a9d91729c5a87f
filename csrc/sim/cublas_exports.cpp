// The simulated cuBLAS: the entry points gpukit uses, on the streams of the simulated driver.
// Types and values are those of cublas_api.h 12; declared here so that no CUDA library is needed to
// build.

// Everything else of the simulator is compiled without contraction; a product is what fused
// multiply-add is for.
#if defined(__clang__)
#pragma clang fp contract(fast)
#else
#pragma GCC optimize("fp-contract=fast")
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "sim/cublas_gemm.h"
#include "sim/cuda_abi.h"

using namespace gpukit::sim::blas;

extern "C" {
typedef struct cublasContext* cublasHandle_t;
typedef int cublasStatus_t;
}

namespace cublas_exports {
namespace {

constexpr int kVersion = 120903;

}  // namespace
}  // namespace cublas_exports

struct cublasContext {
  CUstream stream = nullptr;
  int pointer_mode = kHostPointers;
  int math_mode = 0;
  int atomics_mode = 0;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace cublas_exports {
namespace {

CUdeviceptr address_of(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

int submit(cublasHandle_t handle, Gemm gemm, const void* alpha, const void* beta) {
  if (handle == nullptr) return kNotInitialized;
  if (alpha == nullptr || beta == nullptr) return kInvalidValue;
  const int status = check(gemm);
  if (status != kSuccess || gemm.shape.m == 0 || gemm.shape.n == 0 || gemm.batch == 0)
    return status;
  if (handle->pointer_mode == kDevicePointers) {
    if (!is_device_range(alpha, 4) || !is_device_range(beta, 4)) return kInvalidValue;
    gemm.device_alpha = alpha;
    gemm.device_beta = beta;
  } else {
    gemm.alpha = read_scalar(alpha, gemm.compute);
    gemm.beta = read_scalar(beta, gemm.compute);
  }
  const Work work = work_of(gemm);
  const CUdeviceptr touched[] = {address_of(gemm.a.data), address_of(gemm.b.data),
                                 address_of(gemm.c.data)};
  const int queued = driver().enqueue(handle->stream, &run_gemm, &drop_gemm, new Gemm(gemm),
                                      work.bytes, work.flops, work.item_bytes, touched, 3);
  return queued == CUDA_SUCCESS ? kSuccess : kExecutionFailed;
}

Matrix matrix(const void* data, int leading) { return {data, leading, 0, nullptr}; }
Matrix matrix(const void* data, int leading, long long stride) {
  return {data, leading, stride, nullptr};
}
Matrix pointer_matrix(const void* const* pointers, int leading) {
  return {nullptr, leading, 0, pointers};
}

struct Gemv {
  int operation, m, n;
  float alpha, beta;
  const float* a;
  int leading;
  const float* x;
  int x_stride;
  float* y;
  int y_stride;
};

// A negative increment starts at the other end.
template <class T>
T* first(T* data, int count, int stride) {
  return stride >= 0 ? data : data - static_cast<std::ptrdiff_t>(count - 1) * stride;
}

int run(void* argument) {
  const auto* const gemv = static_cast<const Gemv*>(argument);
  const bool plain = gemv->operation == kNone;
  const int outputs = plain ? gemv->m : gemv->n;
  const int inputs = plain ? gemv->n : gemv->m;
  const std::ptrdiff_t output_step = plain ? 1 : gemv->leading;
  const std::ptrdiff_t input_step = plain ? gemv->leading : 1;
  const float* x = first(gemv->x, inputs, gemv->x_stride);
  float* y = first(gemv->y, outputs, gemv->y_stride);
  for (int i = 0; i < outputs; i++) {
    float sum = 0;
    for (int j = 0; j < inputs; j++) {
      sum += gemv->a[i * output_step + j * input_step] *
             x[static_cast<std::ptrdiff_t>(j) * gemv->x_stride];
    }
    float& to = y[static_cast<std::ptrdiff_t>(i) * gemv->y_stride];
    to = gemv->beta == 0 ? gemv->alpha * sum : gemv->alpha * sum + gemv->beta * to;
  }
  return CUDA_SUCCESS;
}

void drop(void* argument) { delete static_cast<Gemv*>(argument); }

}  // namespace
}  // namespace cublas_exports

GPUKIT_SIM_EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return kInvalidValue;
  CUcontext context = nullptr;
  if (!driver().complete() || driver().current_context(&context) != CUDA_SUCCESS ||
      context == nullptr) {
    return kNotInitialized;
  }
  *handle = new cublasContext;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (handle == nullptr) return kNotInitialized;
  driver().synchronize();
  delete handle;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return kInvalidValue;
  *version = cublas_exports::kVersion;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream) {
  if (handle == nullptr) return kNotInitialized;
  handle->stream = stream;
  handle->workspace = nullptr;  // setting a stream takes the caller's workspace away
  handle->workspace_bytes = 0;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace,
                                                       std::size_t bytes) {
  if (handle == nullptr) return kNotInitialized;
  if (workspace != nullptr && reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0)
    return kInvalidValue;
  if (workspace != nullptr && !is_device_range(workspace, bytes)) return kInvalidValue;
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasSetMathMode(cublasHandle_t handle, int mode) {
  if (handle == nullptr) return kNotInitialized;
  handle->math_mode = mode;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, int mode) {
  if (handle == nullptr) return kNotInitialized;
  handle->atomics_mode = mode;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, int mode) {
  if (handle == nullptr) return kNotInitialized;
  if (mode != kHostPointers && mode != kDevicePointers) return kInvalidValue;
  handle->pointer_mode = mode;
  return kSuccess;
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, int operation_a,
                                                int operation_b, int m, int n, int k,
                                                const float* alpha, const float* a, int lda,
                                                const float* b, int ldb, const float* beta,
                                                float* c, int ldc) {
  return cublas_exports::submit(handle,
                                {{m, n, k},
                                 operation_a,
                                 operation_b,
                                 cublas_exports::matrix(a, lda),
                                 cublas_exports::matrix(b, ldb),
                                 cublas_exports::matrix(c, ldc),
                                 kFloat32,
                                 kFloat32,
                                 k32F,
                                 1,
                                 0,
                                 0,
                                 nullptr,
                                 nullptr},
                                alpha, beta);
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, int operation_a,
                                                int operation_b, int m, int n, int k,
                                                const double* alpha, const double* a, int lda,
                                                const double* b, int ldb, const double* beta,
                                                double* c, int ldc) {
  return cublas_exports::submit(handle,
                                {{m, n, k},
                                 operation_a,
                                 operation_b,
                                 cublas_exports::matrix(a, lda),
                                 cublas_exports::matrix(b, ldb),
                                 cublas_exports::matrix(c, ldc),
                                 kFloat64,
                                 kFloat64,
                                 k64F,
                                 1,
                                 0,
                                 0,
                                 nullptr,
                                 nullptr},
                                alpha, beta);
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasGemmEx(cublasHandle_t handle, int operation_a,
                                              int operation_b, int m, int n, int k,
                                              const void* alpha, const void* a, int type_a, int lda,
                                              const void* b, int type_b, int ldb, const void* beta,
                                              void* c, int type_c, int ldc, int compute, int) {
  if (type_a != type_b) return kNotSupported;
  return cublas_exports::submit(handle,
                                {{m, n, k},
                                 operation_a,
                                 operation_b,
                                 cublas_exports::matrix(a, lda),
                                 cublas_exports::matrix(b, ldb),
                                 cublas_exports::matrix(c, ldc),
                                 type_a,
                                 type_c,
                                 compute,
                                 1,
                                 0,
                                 0,
                                 nullptr,
                                 nullptr},
                                alpha, beta);
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, int operation_a, int operation_b, int m, int n, int k, const void* alpha,
    const void* a, int type_a, int lda, long long stride_a, const void* b, int type_b, int ldb,
    long long stride_b, const void* beta, void* c, int type_c, int ldc, long long stride_c,
    int batch, int compute, int) {
  if (type_a != type_b) return kNotSupported;
  return cublas_exports::submit(handle,
                                {{m, n, k},
                                 operation_a,
                                 operation_b,
                                 cublas_exports::matrix(a, lda, stride_a),
                                 cublas_exports::matrix(b, ldb, stride_b),
                                 cublas_exports::matrix(c, ldc, stride_c),
                                 type_a,
                                 type_c,
                                 compute,
                                 batch,
                                 0,
                                 0,
                                 nullptr,
                                 nullptr},
                                alpha, beta);
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasGemmBatchedEx(
    cublasHandle_t handle, int operation_a, int operation_b, int m, int n, int k, const void* alpha,
    const void* const a[], int type_a, int lda, const void* const b[], int type_b, int ldb,
    const void* beta, void* const c[], int type_c, int ldc, int batch, int compute, int) {
  if (type_a != type_b) return kNotSupported;
  if (batch < 0) return kInvalidValue;
  const std::size_t bytes = static_cast<std::size_t>(batch) * sizeof(void*);
  if (!is_device_range(a, bytes) || !is_device_range(b, bytes) || !is_device_range(c, bytes))
    return kInvalidValue;
  return cublas_exports::submit(handle,
                                {{m, n, k},
                                 operation_a,
                                 operation_b,
                                 cublas_exports::pointer_matrix(a, lda),
                                 cublas_exports::pointer_matrix(b, ldb),
                                 cublas_exports::pointer_matrix(c, ldc),
                                 type_a,
                                 type_c,
                                 compute,
                                 batch,
                                 0,
                                 0,
                                 nullptr,
                                 nullptr},
                                alpha, beta);
}

GPUKIT_SIM_EXPORT cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, int operation, int m, int n,
                                                const float* alpha, const float* a, int lda,
                                                const float* x, int incx, const float* beta,
                                                float* y, int incy) {
  if (handle == nullptr) return kNotInitialized;
  if (m < 0 || n < 0 || lda < std::max(1, m) || incx == 0 || incy == 0 ||
      !is_operation(operation)) {
    return kInvalidValue;
  }
  if (handle->pointer_mode != kHostPointers) return kNotSupported;
  if (m == 0 || n == 0) return kSuccess;
  const int inputs = operation == kNone ? n : m;
  const int outputs = operation == kNone ? m : n;
  if (!is_device_range(a, extent(m, n, lda, kFloat32)) ||
      !is_device_range(x, extent(1, inputs, std::abs(incx), kFloat32)) ||
      !is_device_range(y, extent(1, outputs, std::abs(incy), kFloat32))) {
    return kInvalidValue;
  }
  auto* gemv = new cublas_exports::Gemv{operation, m, n, *alpha, *beta, a, lda, x, incx, y, incy};
  const double elements = static_cast<double>(m) * n;
  const CUdeviceptr touched[] = {cublas_exports::address_of(a), cublas_exports::address_of(x),
                                 cublas_exports::address_of(y)};
  const int queued =
      driver().enqueue(handle->stream, &cublas_exports::run, &cublas_exports::drop, gemv,
                       elements * sizeof(float), 2 * elements, sizeof(float), touched, 3);
  return queued == CUDA_SUCCESS ? kSuccess : kExecutionFailed;
}

GPUKIT_SIM_EXPORT const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case kSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case kNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case kInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case kMappingError:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case kExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return "UNKNOWN CUBLAS STATUS";
  }
}

GPUKIT_SIM_EXPORT const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case kSuccess:
      return "success";
    case kNotInitialized:
      return "the library was not initialized";
    case 3:
      return "the resource allocation failed";
    case kInvalidValue:
      return "an unsupported value or parameter was passed to the function";
    case 8:
      return "an absent device architectural feature is required";
    case kMappingError:
      return "an access to GPU memory space failed";
    case kExecutionFailed:
      return "the GPU program failed to execute";
    case 14:
      return "an internal operation failed";
    case kNotSupported:
      return "the functionality requested is not supported";
    case 16:
      return "the functionality requested requires a license";
    default:
      return "unknown status";
  }
}
