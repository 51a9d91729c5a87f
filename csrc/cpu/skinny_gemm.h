// Matrix products with one or two small sizes: a layer's forward and backward of many rows.
#pragma once

#include "backend/device_ops.h"
#include "cpu/blas_library.h"

namespace gpukit::cpu {

/// True where a product is faster by skinny_gemm than by the BLAS library (or own_gemm, where there
/// is none).
bool is_skinny(const GemmCall<float>& call);
bool is_skinny(const GemmCall<double>& call);

/// A layer's product with its bias and activation in one pass; false, and nothing done, where that
/// is not faster than one after the other.
bool fused_linear(const MatmulArgs& args, Workspace* workspace);

/// The same for the gradient of a layer's weight and, as its row sums, of the bias.
bool fused_row_sums(const MatmulArgs& args, Workspace* workspace);

/// What is done with a product's result on its way to memory: a row added to each of its rows, and
/// relu.
template <class T>
struct Epilogue {
  const T* bias = nullptr;
  bool relu = false;
};

/// c = relu(alpha * op(a) * op(b) + beta * c + bias), for every shape, on gpukit's threads; alpha
/// is 1 with a bias. Sums run in one order whatever the number of threads: the same bits on every
/// run. With beta == 0, c is not read.
void skinny_gemm(const GemmCall<float>& call, Epilogue<float> epilogue, Workspace* workspace);
void skinny_gemm(const GemmCall<double>& call, Epilogue<double> epilogue, Workspace* workspace);

}  // namespace gpukit::cpu
