// A matrix product in the words of cuBLAS. It stores matrices by columns, so a row-major C = A B is
// asked for as C' = B' A': the operands change places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "backend/op_args.h"
#include "driver/cublas_library.h"

namespace gpukit::cuda {

/// How cuBLAS reads one operand.
struct GemmOperand {
  const std::byte* data = nullptr;
  driver::cublasOperation_t operation = driver::CUBLAS_OP_N;
  int leading = 1;
  std::int64_t batch_stride = 0;  ///< elements; 0 is one matrix for all products
};

struct GemmCall {
  DType dtype = DType::kFloat32;
  driver::cudaDataType element = driver::CUDA_R_32F;
  driver::cublasComputeType_t compute = driver::CUBLAS_COMPUTE_32F;
  int m = 0, n = 0, k = 0;
  std::int64_t batch = 1;
  GemmOperand a, b;
  std::byte* c = nullptr;
  int c_leading = 1;
  std::int64_t c_batch_stride = 0;
  double alpha = 1, beta = 0;
};

/// Nothing for what cuBLAS cannot do or what gpukit's own kernel does better. `with_tf32`: the card
/// has it.
std::optional<GemmCall> make_gemm_call(const MatmulArgs& args, bool with_tf32) noexcept;

struct GemmResult {
  driver::cublasStatus_t status = driver::CUBLAS_STATUS_SUCCESS;
  const char* function = "";
  bool nothing_queued = true;
};

/// Queues all products of the call with a handle whose stream is set; stops at the first that is
/// refused.
GemmResult run_gemm(const driver::CublasTable& table, driver::cublasHandle_t handle,
                    const GemmCall& call) noexcept;

}  // namespace gpukit::cuda
