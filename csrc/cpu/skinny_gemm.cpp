#include "cpu/skinny_gemm.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/numeric.h"
#include "core/product_size.h"
#include "cpu/scratch.h"
#include "cpu/simd/simd_table.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace skinny_gemm_impl {
namespace {

constexpr std::int64_t kDepth = 256;            ///< of a partial sum, so that long ones stay exact
constexpr std::int64_t kBlockRows = 12;         ///< a multiple of the most rows of every kernel
constexpr std::int64_t kGroupRows = 96;         ///< stay in the cache while all columns pass by
constexpr std::int64_t kNearElements = 6000;    ///< of the right side that all rows pass by instead
constexpr std::int64_t kTurnedBlock = 64;       ///< edge of a block of a transposed copy
constexpr std::int64_t kSmallResult = 1 << 14;  ///< elements, or the product of the smaller sizes
constexpr std::int64_t kLeastSize = 8;          ///< fewer fill no block
constexpr std::int64_t kSmallSide = 1024;       ///< of the middle one of three sizes
constexpr std::int64_t kLibraryWork = 1'000'000;  ///< multiply-adds that OpenBLAS does unpacked
constexpr std::int64_t kNearMatrix = 1 << 16;     ///< elements of a layer's weight that stay near
constexpr std::int64_t kNarrow = 16;              ///< columns that fill most of a vector
constexpr std::int64_t kSharedWork = 200'000;     ///< multiply-adds from which two threads beat one
constexpr std::int64_t kBriefWork = 3'000'000;    ///< below: less than about 50 us
constexpr std::int64_t kProductPieces = 4;

const SkinnyKernel& kernel_of(const float*) { return simd_table().skinny_f32; }
const SkinnyKernel& kernel_of(const double*) { return simd_table().skinny_f64; }

/// Lanes that a row of so many elements keeps busy.
double busy_share(std::int64_t size, std::int64_t lanes) {
  return static_cast<double>(size) / static_cast<double>(round_up(size, lanes));
}

/// out[p * out_stride + j] = in[j * in_stride + p], in blocks that fit the cache.
template <class T>
void transpose(T* out, std::int64_t out_stride, const T* in, std::int64_t in_stride,
               std::int64_t rows, std::int64_t columns) {
  const TransposeKernel kernel = simd_table().transpose[sizeof(T)];
  for (std::int64_t i = 0; i < rows; i += kTurnedBlock) {
    for (std::int64_t j = 0; j < columns; j += kTurnedBlock) {
      kernel(out + i * out_stride + j, out_stride, in + j * in_stride + i, in_stride,
             std::min(kTurnedBlock, rows - i), std::min(kTurnedBlock, columns - j));
    }
  }
}

/// The right side as the kernel reads it: rows of whole vectors. Panels whose end is ragged are
/// copied, a transposed matrix is copied whole.
template <class T>
class RightSide {
 public:
  RightSide(const GemmCall<T>& call, const SkinnyKernel& kernel, Workspace* workspace)
      : call_(call),
        copied_from_(first_copied(call, kernel)),
        stride_(round_up(call.n - copied_from_, kernel.lanes)),
        copy_(workspace, static_cast<std::size_t>(call.k * stride_) * sizeof(T)) {
    const std::int64_t columns = call.n - copied_from_;
    if (columns == 0) return;
    T* out = copy_.template as<T>();
    if (call.b_transposed) {
      transpose(out, stride_, call.b, call.b_stride, call.k, columns);
    }
    for (std::int64_t p = 0; p < call.k; ++p, out += stride_) {
      if (!call.b_transposed) std::copy_n(call.b + p * call.b_stride + copied_from_, columns, out);
      std::fill(out + columns, out + stride_, T{0});
    }
  }

  /// Sets where the columns from `first` on lie, from row `depth` on.
  void locate(SkinnyBlock& block, std::int64_t first, std::int64_t depth) const {
    const bool copied = first >= copied_from_;
    block.b_stride = copied ? stride_ : call_.b_stride;
    block.b = copied ? copy_.template as<T>() + depth * stride_ + first - copied_from_
                     : call_.b + depth * call_.b_stride + first;
  }

 private:
  static std::int64_t first_copied(const GemmCall<T>& call, const SkinnyKernel& kernel) {
    if (call.b_transposed) return 0;
    return call.n % kernel.lanes == 0 ? call.n : call.n / kernel.columns * kernel.columns;
  }

  const GemmCall<T>& call_;
  std::int64_t copied_from_, stride_;
  Scratch copy_;
};

/// A rectangle of the result.
struct Part {
  std::int64_t row_begin, row_end, column_begin, column_end;
};

/// A product without transposition: the vectors are along its columns.
template <class T>
class Product {
 public:
  /// `column_sums`: of the right side, or null.
  Product(const GemmCall<T>& call, const Epilogue<T>& epilogue, T* column_sums,
          Workspace* workspace)
      : call_(call),
        epilogue_(epilogue),
        column_sums_(column_sums),
        kernel_(kernel_of(call.c)),
        right_(call, kernel_, workspace) {}

  /// Cuts the result for the threads and calls `done` after each part.
  template <class Done>
  void run(const Done& done) const {
    const double work = ProductSize{1, call_.m, call_.n, call_.k}.multiply_adds();
    const std::int64_t pieces = work < kSharedWork ? 1 : available_threads() * kProductPieces;
    const bool by_rows = call_.m / kBlockRows >= call_.n / kernel_.columns;
    const std::int64_t size = by_rows ? call_.m : call_.n;
    const std::int64_t step = by_rows ? kBlockRows : kernel_.columns;
    const std::int64_t piece = round_up(ceil_div(size, pieces), step);
    parallel_pieces(
        ceil_div(size, piece), work < kBriefWork, [&](std::int64_t begin, std::int64_t end) {
          const std::int64_t from = begin * piece, to = std::min(size, end * piece);
          const Part part = by_rows ? Part{from, to, 0, call_.n} : Part{0, call_.m, from, to};
          multiply(part);
          done(part);
        });
  }

 private:
  void multiply(const Part& part) const {
    const std::int64_t width = part.column_end - part.column_begin;
    const bool all_columns = std::min(kDepth, call_.k) * width <= kNearElements;
    const std::int64_t group = all_columns ? kBlockRows : kGroupRows;
    for (std::int64_t i = part.row_begin; i < part.row_end; i += group) {
      const std::int64_t rows = std::min(group, part.row_end - i);
      for (std::int64_t p = 0; p < call_.k; p += kDepth) {
        for (std::int64_t j = part.column_begin; j < part.column_end; j += kernel_.columns) {
          const std::int64_t columns = std::min(kernel_.columns, part.column_end - j);
          panel(i, rows, j, columns, p);
          if (column_sums_ != nullptr && i == 0) sum_columns(j, columns, p);
        }
      }
    }
  }

  /// A block whose left side is ones: the right side is still in the cache.
  void sum_columns(std::int64_t column, std::int64_t columns, std::int64_t p) const {
    static constexpr auto kOnes = [] {
      std::array<T, kDepth> ones{};
      ones.fill(T{1});
      return ones;
    }();
    SkinnyBlock block{};
    block.rows = 1;
    block.columns = columns;
    block.depth = std::min(kDepth, call_.k - p);
    block.a = kOnes.data();
    block.alpha = 1.0;
    block.beta = p == 0 ? 0.0 : 1.0;
    block.c = column_sums_ + column;
    right_.locate(block, column, p);
    kernel_.run(block);
  }

  void panel(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
             std::int64_t p) const {
    SkinnyBlock block{};
    block.columns = columns;
    block.depth = std::min(kDepth, call_.k - p);
    block.a_stride = call_.a_stride;
    block.a_side_by_side = call_.a_transposed;
    block.alpha = static_cast<double>(call_.alpha);
    block.beta = p == 0 ? static_cast<double>(call_.beta) : 1.0;
    block.c_stride = call_.c_stride;
    if (p == 0 && epilogue_.bias != nullptr) block.bias = epilogue_.bias + column;
    block.relu = epilogue_.relu && p + block.depth == call_.k;
    right_.locate(block, column, p);
    for (std::int64_t i = 0; i < rows;) {
      block.rows = rows - i;
      block.a = call_.a_transposed ? call_.a + p * call_.a_stride + row + i
                                   : call_.a + (row + i) * call_.a_stride + p;
      block.c = call_.c + (row + i) * call_.c_stride + column;
      i += kernel_.run(block);
    }
  }

  const GemmCall<T>& call_;
  const Epilogue<T> epilogue_;
  T* column_sums_;
  const SkinnyKernel& kernel_;
  RightSide<T> right_;
};

/// c' = b' a': if the left side is stored in columns and those keep more lanes busy.
template <class T>
bool is_better_transposed(const GemmCall<T>& call) {
  const std::int64_t lanes = kernel_of(call.c).lanes;
  return call.a_transposed && call.beta == T{0} &&
         (call.b_transposed || busy_share(call.m, lanes) > busy_share(call.n, lanes));
}

template <class T>
void run_transposed(const GemmCall<T>& call, T* row_sums, Workspace* workspace) {
  const Scratch transposed(workspace, static_cast<std::size_t>(call.n * call.m) * sizeof(T));
  T* c = transposed.as<T>();
  const GemmCall<T> other{call.n,
                          call.m,
                          call.k,
                          call.alpha,
                          call.b,
                          call.b_stride,
                          !call.b_transposed,
                          call.a,
                          call.a_stride,
                          !call.a_transposed,
                          T{0},
                          c,
                          call.m};
  Product<T>(other, {}, row_sums, workspace).run([&](const Part& part) {
    transpose(call.c + part.column_begin * call.c_stride + part.row_begin, call.c_stride,
              c + part.row_begin * call.m + part.column_begin, call.m,
              part.column_end - part.column_begin, part.row_end - part.row_begin);
  });
}

/// Where measured faster than OpenBLAS 0.3 and own_gemm.
template <class T>
bool is_profitable(const GemmCall<T>& call) {
  std::array<std::int64_t, 3> sizes{call.m, call.n, call.k};
  std::sort(sizes.begin(), sizes.end());
  if (sizes[1] > kSmallSide || sizes[0] * sizes[1] > kSmallResult) return false;
  if (BlasLibrary::get() == nullptr) return call.m > 1 && call.n > 1;
  // The library is good at rows, and at what its small kernels take.
  const bool over_rows = call.a_transposed && !call.b_transposed && sizes[2] == call.k;
  return over_rows && sizes[0] >= kLeastSize && sizes[0] * sizes[1] > kLibraryWork / sizes[2];
}

/// The same for a product with an epilogue, which the library needs two passes more for.
template <class T>
bool is_profitable_with_epilogue(const GemmCall<T>& call) {
  const std::int64_t lanes = kernel_of(call.c).lanes;
  constexpr std::int64_t kFewRows = 16, kShallow = 32, kManyRows = sizeof(T) == 4 ? 64 : 512;
  if (call.n < kLeastSize || call.n * call.k > kNearMatrix) return false;
  if (call.k <= kShallow) return call.m >= kFewRows;
  return call.m >= kManyRows && call.k <= kDepth && (call.n % lanes == 0 || call.n <= kNarrow);
}

template <class T>
void run(const GemmCall<T>& call, const Epilogue<T>& epilogue, Workspace* workspace) {
  const bool plain = epilogue.bias == nullptr && !epilogue.relu;
  if (plain && is_better_transposed(call))
    return run_transposed(call, static_cast<T*>(nullptr), workspace);
  Product<T>(call, epilogue, nullptr, workspace).run([](const Part&) {});
}

template <class T>
bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(T) == 0;
}

/// The operand of a layer: rows (or, with `a_transposed`, columns) without packing; nothing for
/// others.
template <class T>
std::optional<GemmCall<T>> unpacked_call(const MatmulArgs& args, bool a_transposed) {
  const bool b_transposed = args.b.column_stride != 1;
  const bool a_lies = (a_transposed ? args.a.row_stride : args.a.column_stride) == 1;
  if (args.batch != 1 || !a_lies || (b_transposed && args.b.row_stride != 1)) return std::nullopt;
  if (!is_aligned<T>(args.a.data) || !is_aligned<T>(args.b.data)) return std::nullopt;
  return GemmCall<T>{args.m,
                     args.n,
                     args.k,
                     T{1},
                     static_cast<const T*>(args.a.data),
                     a_transposed ? args.a.column_stride : args.a.row_stride,
                     a_transposed,
                     static_cast<const T*>(args.b.data),
                     b_transposed ? args.b.column_stride : args.b.row_stride,
                     b_transposed,
                     T{0},
                     static_cast<T*>(args.c.data),
                     args.c.row_stride};
}

template <class T>
bool run_layer(const MatmulArgs& args, Workspace* workspace) {
  const auto call = unpacked_call<T>(args, false);
  if (!call || !is_profitable_with_epilogue(*call)) return false;
  skinny_gemm(*call, {static_cast<const T*>(args.bias), args.activation == Activation::kRelu},
              workspace);
  return true;
}

template <class T>
bool run_with_row_sums(const MatmulArgs& args, Workspace* workspace) {
  const auto call = unpacked_call<T>(args, true);
  if (!call || !is_profitable(*call) || !is_better_transposed(*call)) return false;
  run_transposed(*call, static_cast<T*>(args.row_sums), workspace);
  return true;
}

}  // namespace
}  // namespace skinny_gemm_impl

bool fused_row_sums(const MatmulArgs& args, Workspace* workspace) {
  if (args.dtype == DType::kFloat32)
    return skinny_gemm_impl::run_with_row_sums<float>(args, workspace);
  return args.dtype == DType::kFloat64 &&
         skinny_gemm_impl::run_with_row_sums<double>(args, workspace);
}

bool fused_linear(const MatmulArgs& args, Workspace* workspace) {
  if (args.dtype == DType::kFloat32) return skinny_gemm_impl::run_layer<float>(args, workspace);
  return args.dtype == DType::kFloat64 && skinny_gemm_impl::run_layer<double>(args, workspace);
}

bool is_skinny(const GemmCall<float>& call) { return skinny_gemm_impl::is_profitable(call); }
bool is_skinny(const GemmCall<double>& call) { return skinny_gemm_impl::is_profitable(call); }
void skinny_gemm(const GemmCall<float>& call, Epilogue<float> epilogue, Workspace* workspace) {
  skinny_gemm_impl::run(call, epilogue, workspace);
}
void skinny_gemm(const GemmCall<double>& call, Epilogue<double> epilogue, Workspace* workspace) {
  skinny_gemm_impl::run(call, epilogue, workspace);
}

}  // namespace gpukit::cpu
