#include "cpu/own_gemm.h"

#include <algorithm>
#include <vector>

#include "base/numeric.h"
#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {
namespace own_gemm_impl {
namespace {

constexpr std::int64_t kDepth = 256;      ///< of a panel: b's panel stays in the first-level cache
constexpr std::int64_t kBlockRows = 144;  ///< of packed a: stays in the second level
constexpr std::int64_t kBlockColumns = 4096;

struct Core {
  GemmKernel kernel;
  GemmShape shape;
};
Core core_of(const float*) { return {simd_table().gemm_f32, simd_table().gemm_shape_f32}; }
Core core_of(const double*) { return {simd_table().gemm_f64, simd_table().gemm_shape_f64}; }

// Panels of `width` rows (columns): out[p * width + r], missing ones are zero.
template <class T>
void pack_panels(T* out, const T* in, std::int64_t stride_along, std::int64_t stride_depth,
                 std::int64_t count, std::int64_t depth, std::int64_t width, T factor) {
  for (std::int64_t first = 0; first < count; first += width) {
    const std::int64_t here = std::min(width, count - first);
    for (std::int64_t p = 0; p < depth; ++p, out += width) {
      const T* source = in + first * stride_along + p * stride_depth;
      for (std::int64_t r = 0; r < here; ++r) out[r] = source[r * stride_along] * factor;
      std::fill(out + here, out + width, T{0});
    }
  }
}

template <class T>
void scale_result(const GemmCall<T>& call) {
  for (std::int64_t i = 0; i < call.m; ++i) {
    T* row = call.c + i * call.c_stride;
    if (call.beta == T{0}) {
      std::fill_n(row, call.n, T{0});
    } else if (call.beta != T{1}) {
      for (std::int64_t j = 0; j < call.n; ++j) row[j] *= call.beta;
    }
  }
}

template <class T>
void multiply_block(const Core& core, const T* a, const T* b, T* c, std::int64_t c_stride,
                    std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  const std::int64_t mr = core.shape.rows, nr = core.shape.columns;
  for (std::int64_t j = 0; j < columns; j += nr) {
    for (std::int64_t i = 0; i < rows; i += mr) {
      core.kernel(depth, a + i * depth, b + j * depth, c + i * c_stride + j, c_stride,
                  std::min(mr, rows - i), std::min(nr, columns - j));
    }
  }
}

template <class T>
void run(const GemmCall<T>& call) {
  const Core core = core_of(call.c);
  const std::int64_t a_along = call.a_transposed ? 1 : call.a_stride,
                     a_depth = call.a_transposed ? call.a_stride : 1;
  const std::int64_t b_along = call.b_transposed ? call.b_stride : 1,
                     b_depth = call.b_transposed ? 1 : call.b_stride;
  scale_result(call);
  const std::int64_t depth = std::min(kDepth, call.k);
  std::vector<T> a_panels(
      static_cast<std::size_t>(round_up(std::min(kBlockRows, call.m), core.shape.rows) * depth));
  std::vector<T> b_panels(static_cast<std::size_t>(
      round_up(std::min(kBlockColumns, call.n), core.shape.columns) * depth));
  for (std::int64_t j = 0; j < call.n; j += kBlockColumns) {
    const std::int64_t columns = std::min(kBlockColumns, call.n - j);
    for (std::int64_t p = 0; p < call.k; p += kDepth) {
      const std::int64_t deep = std::min(kDepth, call.k - p);
      pack_panels(b_panels.data(), call.b + j * b_along + p * b_depth, b_along, b_depth, columns,
                  deep, std::int64_t{core.shape.columns}, T{1});
      for (std::int64_t i = 0; i < call.m; i += kBlockRows) {
        const std::int64_t rows = std::min(kBlockRows, call.m - i);
        pack_panels(a_panels.data(), call.a + i * a_along + p * a_depth, a_along, a_depth, rows,
                    deep, std::int64_t{core.shape.rows}, call.alpha);
        multiply_block(core, a_panels.data(), b_panels.data(), call.c + i * call.c_stride + j,
                       call.c_stride, rows, columns, deep);
      }
    }
  }
}

}  // namespace
}  // namespace own_gemm_impl

void own_gemm(const GemmCall<float>& call) { own_gemm_impl::run(call); }
void own_gemm(const GemmCall<double>& call) { own_gemm_impl::run(call); }

}  // namespace gpukit::cpu
