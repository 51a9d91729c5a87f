#include "cuda/cuda_gemm.h"

#include <algorithm>
#include <limits>

#include "driver/call.h"

namespace gpukit::cuda {

namespace cuda_gemm {
namespace {

constexpr std::int64_t kLargestInt = std::numeric_limits<int>::max();
constexpr std::int64_t kLargestBatch = 65535;
/// A batch with one shared operand takes a call for each product; many small ones are better off in
/// one launch.
constexpr std::int64_t kManyCalls = 16;
constexpr std::int64_t kSmallProduct = 128 * 128 * 128;

bool set_types(GemmCall& call, const MatmulArgs& args, bool with_tf32) noexcept {
  call.dtype = args.dtype;
  call.compute = driver::CUBLAS_COMPUTE_32F;
  switch (args.dtype) {
    case DType::kFloat16:
      call.element = driver::CUDA_R_16F;
      return true;
    case DType::kBFloat16:
      call.element = driver::CUDA_R_16BF;
      return true;
    case DType::kFloat32:
      call.element = driver::CUDA_R_32F;
      if (args.allow_tf32 && with_tf32) call.compute = driver::CUBLAS_COMPUTE_32F_FAST_TF32;
      return true;
    case DType::kFloat64:
      call.element = driver::CUDA_R_64F;
      call.compute = driver::CUBLAS_COMPUTE_64F;
      return true;
    case DType::kBool:
    case DType::kUInt8:
    case DType::kInt8:
    case DType::kUInt16:
    case DType::kInt16:
    case DType::kUInt32:
    case DType::kInt32:
    case DType::kUInt64:
    case DType::kInt64:
    case DType::kComplex64:
    case DType::kComplex128:
    case DType::kCount:
      return false;
  }
  __builtin_unreachable();
}

bool has_shared_operand(const MatmulArgs& args) noexcept {
  return args.batch > 1 && (args.a.batch_stride == 0 || args.b.batch_stride == 0);
}

bool suits_own_kernel(const MatmulArgs& args) noexcept {
  if (!has_shared_operand(args) || args.batch <= kManyCalls) return false;
  return args.m * args.n <= kSmallProduct / args.k;
}

/// Strides of a dimension of size 1 say nothing, so both readings are tried with what the other
/// size needs.
bool set(GemmOperand& operand, const MatrixRef& matrix, std::int64_t rows,
         std::int64_t columns) noexcept {
  operand.data = static_cast<const std::byte*>(matrix.data);
  operand.batch_stride = matrix.batch_stride;
  const auto take = [&](driver::cublasOperation_t operation, std::int64_t leading,
                        std::int64_t least) {
    if (leading < least || leading > kLargestInt) return false;
    operand.operation = operation;
    operand.leading = static_cast<int>(std::max<std::int64_t>(leading, 1));
    return true;
  };
  const bool by_rows = matrix.column_stride == 1 || columns == 1;
  if (by_rows && take(driver::CUBLAS_OP_N, rows == 1 ? columns : matrix.row_stride, columns))
    return true;
  const bool by_columns = matrix.row_stride == 1 || rows == 1;
  return by_columns && take(driver::CUBLAS_OP_T, columns == 1 ? rows : matrix.column_stride, rows);
}

/// alpha and beta in the type that the computation asks for. cuBLAS reads them during the call.
struct Factors {
  explicit Factors(const GemmCall& call) noexcept
      : doubles{call.alpha, call.beta},
        floats{static_cast<float>(call.alpha), static_cast<float>(call.beta)},
        in_double(call.compute == driver::CUBLAS_COMPUTE_64F) {}
  const void* alpha() const noexcept {
    return in_double ? static_cast<const void*>(&doubles[0]) : &floats[0];
  }
  const void* beta() const noexcept {
    return in_double ? static_cast<const void*>(&doubles[1]) : &floats[1];
  }

  double doubles[2];
  float floats[2];
  bool in_double;
};

const std::byte* at(const GemmOperand& operand, const GemmCall& call, std::int64_t index) noexcept {
  return operand.data +
         index * operand.batch_stride * static_cast<std::int64_t>(itemsize(call.dtype));
}

std::byte* at(const GemmCall& call, std::int64_t index) noexcept {
  return call.c + index * call.c_batch_stride * static_cast<std::int64_t>(itemsize(call.dtype));
}

GemmResult run_strided(const driver::CublasTable& table, driver::cublasHandle_t handle,
                       const GemmCall& call) noexcept {
  const Factors factors(call);
  for (std::int64_t i = 0; i < call.batch; i += kLargestBatch) {
    const auto count = static_cast<int>(std::min(kLargestBatch, call.batch - i));
    const driver::cublasStatus_t status = GPUKIT_CUBLAS_STATUS(
        table, cublasGemmStridedBatchedEx, handle, call.b.operation, call.a.operation, call.n,
        call.m, call.k, factors.alpha(), at(call.b, call, i), call.element, call.b.leading,
        call.b.batch_stride, at(call.a, call, i), call.element, call.a.leading, call.a.batch_stride,
        factors.beta(), at(call, i), call.element, call.c_leading, call.c_batch_stride, count,
        call.compute, driver::CUBLAS_GEMM_DEFAULT);
    if (status != driver::CUBLAS_STATUS_SUCCESS)
      return {status, "cublasGemmStridedBatchedEx", i == 0};
  }
  return {driver::CUBLAS_STATUS_SUCCESS, "cublasGemmStridedBatchedEx", false};
}

}  // namespace
}  // namespace cuda_gemm

std::optional<GemmCall> make_gemm_call(const MatmulArgs& args, bool with_tf32) noexcept {
  GemmCall call;
  if (!cuda_gemm::set_types(call, args, with_tf32)) return std::nullopt;
  if (args.m > cuda_gemm::kLargestInt || args.n > cuda_gemm::kLargestInt ||
      args.k > cuda_gemm::kLargestInt)
    return std::nullopt;
  if (cuda_gemm::suits_own_kernel(args)) return std::nullopt;
  GemmOperand result;
  if (!cuda_gemm::set(call.a, args.a, args.m, args.k) ||
      !cuda_gemm::set(call.b, args.b, args.k, args.n)) {
    return std::nullopt;
  }
  if (!cuda_gemm::set(result, args.c, args.m, args.n) || result.operation != driver::CUBLAS_OP_N)
    return std::nullopt;
  call.m = static_cast<int>(args.m);
  call.n = static_cast<int>(args.n);
  call.k = static_cast<int>(args.k);
  call.batch = args.batch;
  call.c = static_cast<std::byte*>(args.c.data);
  call.c_leading = result.leading;
  call.c_batch_stride = args.c.batch_stride;
  call.alpha = args.alpha;
  call.beta = args.beta;
  return call;
}

GemmResult run_gemm(const driver::CublasTable& table, driver::cublasHandle_t handle,
                    const GemmCall& call) noexcept {
  const bool strided = call.batch > 1 && call.a.batch_stride != 0 && call.b.batch_stride != 0;
  if (strided) return cuda_gemm::run_strided(table, handle, call);
  const cuda_gemm::Factors factors(call);
  for (std::int64_t i = 0; i < call.batch; ++i) {
    const driver::cublasStatus_t status = GPUKIT_CUBLAS_STATUS(
        table, cublasGemmEx, handle, call.b.operation, call.a.operation, call.n, call.m, call.k,
        factors.alpha(), cuda_gemm::at(call.b, call, i), call.element, call.b.leading,
        cuda_gemm::at(call.a, call, i), call.element, call.a.leading, factors.beta(),
        cuda_gemm::at(call, i), call.element, call.c_leading, call.compute,
        driver::CUBLAS_GEMM_DEFAULT);
    if (status != driver::CUBLAS_STATUS_SUCCESS) return {status, "cublasGemmEx", i == 0};
  }
  return {driver::CUBLAS_STATUS_SUCCESS, "cublasGemmEx", false};
}

}  // namespace gpukit::cuda
