#include <algorithm>
#include <cstring>
#include <type_traits>

#include "backend/composed_layer.h"
#include "backend/matmul_size.h"
#include "base/check.h"
#include "base/error.h"
#include "cpu/bfloat16_gemm.h"
#include "cpu/blas_library.h"
#include "cpu/cpu_ops.h"
#include "cpu/gemm_split.h"
#include "cpu/own_gemm.h"
#include "cpu/scratch.h"
#include "cpu/skinny_gemm.h"
#include "cpu/thread_pool.h"
#include "cpu/vector_product.h"

namespace gpukit::cpu {
namespace cpu_matmul {
namespace {

constexpr double kTinyProduct = 1024;          ///< m * n * k up to which plain loops are fastest
constexpr std::int64_t kBatchGrain = 1 << 16;  ///< m * n * k worth a thread
constexpr std::int64_t kVectorGrain =
    1 << 16;  ///< elements of a matrix worth a thread, times a vector

// So many products of that size are worth a thread.
std::int64_t grain_of(std::int64_t multiply_adds, const ProductSize& each) {
  return std::max<std::int64_t>(1, multiply_adds / saturated(std::max(1.0, each.multiply_adds())));
}

// A matrix as GEMM wants it: rows one after the other, or the transposed one so.
template <class T>
struct StoredMatrix {
  const T* data;
  std::int64_t stride;
  std::int64_t batch_stride;
  bool transposed;
};

bool lies_in_rows(const MatrixRef& ref, std::int64_t rows, std::int64_t columns) {
  return (ref.column_stride == 1 || columns == 1) && (rows == 1 || ref.row_stride >= columns);
}

// A single row or column has a stride that is never used, but BLAS checks it.
std::int64_t row_step(std::int64_t stride, std::int64_t rows, std::int64_t columns) {
  return rows == 1 ? std::max<std::int64_t>(1, columns) : stride;
}

template <class T>
StoredMatrix<T> stored(const MatrixRef& ref, std::int64_t rows, std::int64_t columns) {
  const T* data = static_cast<const T*>(ref.data);
  if (lies_in_rows(ref, rows, columns)) {
    return {data, row_step(ref.row_stride, rows, columns), ref.batch_stride, false};
  }
  return {data, row_step(ref.column_stride, columns, rows), ref.batch_stride, true};
}

bool needs_copy(const MatrixRef& ref, std::int64_t rows, std::int64_t columns, int itemsize) {
  const MatrixRef transposed{ref.data, ref.column_stride, ref.row_stride, ref.batch_stride};
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(ref.data) % static_cast<unsigned>(itemsize) == 0;
  return !aligned || !(lies_in_rows(ref, rows, columns) || lies_in_rows(transposed, columns, rows));
}

std::int64_t distinct_batches(const MatrixRef& ref, std::int64_t batch) {
  return ref.batch_stride == 0 ? 1 : batch;
}

template <class T>
void single_thread_gemm(const GemmCall<T>& call) {
  const BlasLibrary* library = BlasLibrary::get();
  const std::int64_t largest =
      std::max({call.m, call.n, call.k, call.a_stride, call.b_stride, call.c_stride});
  if (library != nullptr && library->fits(largest)) {
    library->gemm(call);
  } else {
    own_gemm(call);
  }
}

template <class T>
GemmCall<T> part_of(const GemmCall<T>& call, const GemmPart& part) {
  GemmCall<T> piece = call;
  piece.m = part.row_end - part.row_begin;
  piece.n = part.column_end - part.column_begin;
  piece.a += part.row_begin * (call.a_transposed ? 1 : call.a_stride);
  piece.b += part.column_begin * (call.b_transposed ? call.b_stride : 1);
  piece.c += part.row_begin * call.c_stride + part.column_begin;
  return piece;
}

// Transposed operands have no unpacked way that is worth its while.
template <class T>
std::int64_t unpacked_limit(const BlasLibrary* library, const GemmCall<T>& call) {
  const bool as_stored = !call.a_transposed && !call.b_transposed;
  return library != nullptr && std::is_same_v<T, float> && as_stored ? library->unpacked_limit()
                                                                     : 0;
}

template <class T>
void threaded_gemm(const GemmCall<T>& call) {
  const BlasLibrary* library = BlasLibrary::get();
  const bool own_threads = library == nullptr || library->single_threaded();
  const GemmSplit split = own_threads ? split_gemm(call.m, call.n, call.k, available_threads(),
                                                   unpacked_limit(library, call))
                                      : GemmSplit{};
  if (split.pieces() < 2) return single_thread_gemm(call);
  parallel_pieces(split.pieces(), split.brief, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      single_thread_gemm(part_of(call, split.part(i, call.m, call.n)));
  });
}

template <class T>
void run_batch(Workspace* workspace, const MatmulArgs& args) {
  const StoredMatrix<T> a = stored<T>(args.a, args.m, args.k),
                        b = stored<T>(args.b, args.k, args.n);
  T* c = static_cast<T*>(args.c.data);
  const std::int64_t c_stride = row_step(args.c.row_stride, args.m, args.n);
  const auto call_for = [&](std::int64_t i) {
    return GemmCall<T>{args.m,
                       args.n,
                       args.k,
                       static_cast<T>(args.alpha),
                       a.data + i * a.batch_stride,
                       a.stride,
                       a.transposed,
                       b.data + i * b.batch_stride,
                       b.stride,
                       b.transposed,
                       static_cast<T>(args.beta),
                       c + i * args.c.batch_stride,
                       c_stride};
  };
  if (args.batch == 1 && is_skinny(call_for(0))) return skinny_gemm(call_for(0), {}, workspace);
  if (args.batch < 2 * static_cast<std::int64_t>(available_threads())) {
    for (std::int64_t i = 0; i < args.batch; ++i) threaded_gemm(call_for(i));
    return;
  }
  parallel_for(args.batch, grain_of(kBatchGrain, {1, args.m, args.n, args.k}),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) threaded_gemm(call_for(i));
               });
}

// Few elements: no library call, no packing. Any strides.
template <class T>
void tiny_product(const MatmulArgs& args) {
  const T alpha = static_cast<T>(args.alpha), beta = static_cast<T>(args.beta);
  for (std::int64_t p = 0; p < args.batch; ++p) {
    const T* a = static_cast<const T*>(args.a.data) + p * args.a.batch_stride;
    const T* b = static_cast<const T*>(args.b.data) + p * args.b.batch_stride;
    T* c = static_cast<T*>(args.c.data) + p * args.c.batch_stride;
    for (std::int64_t i = 0; i < args.m; ++i) {
      for (std::int64_t j = 0; j < args.n; ++j) {
        const T* left = a + i * args.a.row_stride;
        const T* right = b + j * args.b.column_stride;
        T sum = 0;
        for (std::int64_t q = 0; q < args.k; ++q)
          sum += left[q * args.a.column_stride] * right[q * args.b.row_stride];
        T& target = c[i * args.c.row_stride + j];
        target = beta == T{0} ? alpha * sum : alpha * sum + beta * target;
      }
    }
  }
}

bool is_vector(const MatmulArgs& args) { return args.m == 1 || args.n == 1; }

bool is_tiny(const MatmulArgs& args) { return size_of(args).multiply_adds() <= kTinyProduct; }

Operand operand(void* data, DType dtype, std::int64_t batch_stride, std::int64_t row_stride,
                std::int64_t column_stride) {
  return {data, dtype, Strides{batch_stride, row_stride, column_stride}};
}

// A contiguous copy of a matrix (or of its batch) in `dtype`.
MatrixRef copied(CpuOps& ops, const MatrixRef& ref, std::int64_t batch, std::int64_t rows,
                 std::int64_t columns, DType from, DType to, void* target) {
  const std::int64_t count = distinct_batches(ref, batch);
  ops.copy({Shape{count, rows, columns}, operand(target, to, rows * columns, columns, 1),
            operand(ref.data, from, ref.batch_stride, ref.row_stride, ref.column_stride)},
           StreamRef{});
  return {target, columns, 1, count == 1 ? 0 : rows * columns};
}

std::size_t bytes_of(const MatrixRef& ref, std::int64_t batch, std::int64_t rows,
                     std::int64_t columns, DType dtype) {
  return static_cast<std::size_t>(distinct_batches(ref, batch) * rows * columns) * itemsize(dtype);
}

// A transposed right side whose elements are used often is worth a copy: the library is faster with
// one stored in rows.
template <class T>
bool gains_by_copy(const MatmulArgs& args) {
  constexpr std::int64_t kManyRows = 64, kSomeRows = 16, kManyColumns = 64, kMostElements = 1 << 18;
  if (!std::is_same_v<T, float> || args.batch != 1 || lies_in_rows(args.b, args.k, args.n))
    return false;
  const bool used_often = args.m >= kManyRows || (args.m >= kSomeRows && args.n >= kManyColumns);
  return used_often && args.n * args.k <= kMostElements && args.n > 1 && args.k > 1;
}

// The operands, copied into rows where that is asked for.
struct OperandCopies {
  OperandCopies(CpuOps& ops, Workspace* workspace, MatmulArgs& args, bool copy_a, bool copy_b)
      : a(workspace, copy_a ? bytes_of(args.a, args.batch, args.m, args.k, args.dtype) : 0),
        b(workspace, copy_b ? bytes_of(args.b, args.batch, args.k, args.n, args.dtype) : 0) {
    const auto copy = [&](MatrixRef& ref, std::int64_t rows, std::int64_t columns, void* target) {
      ref = copied(ops, ref, args.batch, rows, columns, args.dtype, args.dtype, target);
    };
    if (copy_a) copy(args.a, args.m, args.k, a.as<void>());
    if (copy_b) copy(args.b, args.k, args.n, b.as<void>());
  }
  Scratch a, b;
};

template <class T>
void floating_product(CpuOps& ops, Workspace* workspace, const MatmulArgs& given) {
  if (is_tiny(given)) return tiny_product<T>(given);
  MatmulArgs args = given;
  const OperandCopies copies(
      ops, workspace, args, needs_copy(args.a, args.m, args.k, sizeof(T)),
      needs_copy(args.b, args.k, args.n, sizeof(T)) || gains_by_copy<T>(args));
  is_vector(args) ? vector_product(ops, workspace, args) : run_batch<T>(workspace, args);
}

// Widened, multiplied in float32, narrowed once.
void widened_product(CpuOps& ops, Workspace* workspace, const MatmulArgs& args) {
  constexpr DType kFloat = DType::kFloat32;
  const Scratch a(workspace, bytes_of(args.a, args.batch, args.m, args.k, kFloat));
  const Scratch b(workspace, bytes_of(args.b, args.batch, args.k, args.n, kFloat));
  const Scratch c(workspace, bytes_of(args.c, args.batch, args.m, args.n, kFloat));
  MatmulArgs wide = args;
  wide.dtype = kFloat;
  wide.a = copied(ops, args.a, args.batch, args.m, args.k, args.dtype, kFloat, a.as<void>());
  wide.b = copied(ops, args.b, args.batch, args.k, args.n, args.dtype, kFloat, b.as<void>());
  if (args.beta != 0) {
    wide.c = copied(ops, args.c, args.batch, args.m, args.n, args.dtype, kFloat, c.as<void>());
  } else {
    wide.c = {c.as<void>(), args.n, 1, args.m * args.n};
  }
  floating_product<float>(ops, workspace, wide);
  ops.copy({Shape{args.batch, args.m, args.n},
            operand(args.c.data, args.dtype, args.c.batch_stride, args.c.row_stride, 1),
            operand(c.as<void>(), kFloat, args.m * args.n, args.n, 1)},
           StreamRef{});
}

// Half types: vectors as they are, bfloat16 by the processor's own way if it has one.
void half_product(CpuOps& ops, Workspace* workspace, const MatmulArgs& given) {
  const bool in_pairs = given.dtype == DType::kBFloat16 && has_bfloat16_gemm();
  if (!is_vector(given) && !in_pairs) return widened_product(ops, workspace, given);
  MatmulArgs args = given;
  const auto item = static_cast<int>(itemsize(args.dtype));
  const OperandCopies copies(ops, workspace, args, needs_copy(args.a, args.m, args.k, item),
                             needs_copy(args.b, args.k, args.n, item));
  is_vector(args) ? vector_product(ops, workspace, args) : bfloat16_gemm(workspace, args);
}

// One row of the result: each row of b is scaled and added by the elementwise loops, which wrap
// around.
struct RowLoops {
  BinaryKernel multiply, add;
  int itemsize;
};

void integer_row(const RowLoops& loops, const char* left, std::int64_t left_step, const char* b,
                 char* c, char* product, std::int64_t n, std::int64_t k) {
  for (std::int64_t q = 0; q < k; ++q) {
    loops.multiply(product, b + q * n * loops.itemsize, 1, left + q * left_step * loops.itemsize, 0,
                   n);
    loops.add(c, c, 1, product, 1, n);
  }
}

// alpha and beta are 1 and 0: ops/ offers no scaled products of integers.
void integer_product(CpuOps& ops, Workspace* workspace, const MatmulArgs& args) {
  const int item = static_cast<int>(itemsize(args.dtype)), dtype = static_cast<int>(args.dtype);
  const SimdTable& table = simd_table();
  const RowLoops loops{table.binary[static_cast<int>(BinaryOp::kMul)][dtype],
                       table.binary[static_cast<int>(BinaryOp::kAdd)][dtype], item};
  const Scratch b_copy(workspace, bytes_of(args.b, args.batch, args.k, args.n, args.dtype));
  const MatrixRef b =
      copied(ops, args.b, args.batch, args.k, args.n, args.dtype, args.dtype, b_copy.as<void>());
  parallel_for(args.batch * args.m, grain_of(kVectorGrain, {1, 1, args.n, args.k}),
               [&](std::int64_t begin, std::int64_t end) {
                 const Scratch product(nullptr, static_cast<std::size_t>(args.n * item));
                 for (std::int64_t row = begin; row < end; ++row) {
                   const std::int64_t p = row / args.m, i = row % args.m;
                   const char* left = static_cast<const char*>(args.a.data) +
                                      (p * args.a.batch_stride + i * args.a.row_stride) * item;
                   char* c = static_cast<char*>(args.c.data) +
                             (p * args.c.batch_stride + i * args.c.row_stride) * item;
                   std::memset(c, 0, static_cast<std::size_t>(args.n * item));
                   integer_row(loops, left, args.a.column_stride,
                               static_cast<const char*>(b.data) + p * b.batch_stride * item, c,
                               product.as<char>(), args.n, args.k);
                 }
               });
}

}  // namespace
}  // namespace cpu_matmul

void CpuOps::matmul(const MatmulArgs& args, StreamRef stream) {
  if (args.bias != nullptr) {
    if (!fused_linear(args, workspace_)) composed_layer(*this, args, stream);
    return;
  }
  if (args.row_sums != nullptr) {
    if (!fused_row_sums(args, workspace_)) composed_row_sums(*this, args, stream);
    return;
  }
  switch (kind_of(args.dtype)) {
    case DTypeKind::kBool:
    case DTypeKind::kInteger:
      return cpu_matmul::integer_product(*this, workspace_, args);
    case DTypeKind::kComplex:
      throw_complex();
    case DTypeKind::kFloating:
      if (is_half(args.dtype)) return cpu_matmul::half_product(*this, workspace_, args);
      return visit_floating(
          args.dtype, [&]<class T>() { cpu_matmul::floating_product<T>(*this, workspace_, args); });
  }
}

}  // namespace gpukit::cpu
