#include "cpu/vector_product.h"

#include <algorithm>
#include <type_traits>

#include "base/numeric.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace vector_product_impl {
namespace {

constexpr std::int64_t kSharedElements = 1 << 17;  ///< of the matrix, from which two threads win
constexpr std::int64_t kBriefElements = 1 << 20;   ///< below: less than about 50 us
constexpr std::int64_t kColumnRun = 4096;          ///< sums that stay in the first-level cache
constexpr std::int64_t kPartElements = 1 << 19;
constexpr std::int64_t kLeastDepth = 64;    ///< of a part of the sum
constexpr std::int64_t kLongestSum = 8192;  ///< terms that one running sum takes

/// [0, total) in parts of one size, a multiple of 16, but the last.
struct Cut {
  Cut(std::int64_t all, std::int64_t wanted)
      : total(all), size(round_up(ceil_div(all, wanted), 16)), parts(ceil_div(all, size)) {}
  std::int64_t begin(std::int64_t index) const { return index * size; }
  std::int64_t length(std::int64_t index) const { return std::min(size, total - begin(index)); }
  std::int64_t total, size, parts;
};

/// The matrix as stored, in rows: each is multiplied by a factor and summed, or each gives
/// its dot product with the vector.
struct StoredRows {
  const char* data;
  std::int64_t count, columns, stride;
  bool added;

  std::int64_t outputs() const { return added ? columns : count; }
  std::int64_t depth() const { return added ? count : columns; }
};

StoredRows stored_rows(const MatmulArgs& args, std::int64_t batch) {
  const MatrixRef& matrix = args.m == 1 ? args.b : args.a;
  const std::int64_t rows = args.m == 1 ? args.k : args.m, columns = args.m == 1 ? args.n : args.k;
  const bool in_columns =
      (matrix.row_stride == 1 || rows == 1) && (matrix.column_stride != 1 || columns == 1);
  const char* data = static_cast<const char*>(matrix.data) +
                     batch * matrix.batch_stride * static_cast<std::int64_t>(itemsize(args.dtype));
  if (in_columns) return {data, columns, rows, matrix.column_stride, args.m != 1};
  return {data, rows, columns, matrix.row_stride, args.m == 1};
}

/// Outputs are cut in runs; the sums, too, where there are fewer runs than threads.
struct VectorCut {
  VectorCut(const StoredRows& rows, int threads)
      : outputs(rows.outputs(), wanted_runs(rows, threads)),
        depth(rows.depth(),
              std::max(least_sums(rows),
                       outputs.parts >= 2 * threads ? 1 : wanted_sums(rows, threads))) {}
  // Rows are added one after the other: what such a sum rounds away grows with its length.
  static std::int64_t least_sums(const StoredRows& rows) {
    return rows.added ? 1 + rows.depth() / kLongestSum : 1;
  }
  static std::int64_t wanted_runs(const StoredRows& rows, int threads) {
    if (rows.added) return ceil_div(rows.columns, kColumnRun);
    return threads == 1 ? 1 : 4 * static_cast<std::int64_t>(threads);
  }
  // More than threads where there is enough work, so that one that comes late leaves some of it.
  static std::int64_t wanted_sums(const StoredRows& rows, int threads) {
    if (threads == 1) return 1;
    const std::int64_t wanted = rows.count * rows.columns / kPartElements;
    return std::clamp<std::int64_t>(
        std::clamp<std::int64_t>(wanted, threads, 4 * static_cast<std::int64_t>(threads)), 1,
        std::max<std::int64_t>(1, rows.depth() / kLeastDepth));
  }
  std::int64_t pieces() const { return outputs.parts * depth.parts; }
  Cut outputs, depth;
};

template <class Sum>
void multiply_piece(const StoredRows& rows, const VectorCut& cut, DType dtype, const Sum* x,
                    Sum* sums, std::int64_t index) {
  const std::int64_t output = index % cut.outputs.parts, part = index / cut.outputs.parts;
  const std::int64_t first = cut.outputs.begin(output), deep = cut.depth.begin(part);
  const std::int64_t row = rows.added ? deep : first, column = rows.added ? first : deep;
  const std::int64_t offset =
      (row * rows.stride + column) * static_cast<std::int64_t>(itemsize(dtype));
  const std::int64_t outputs = cut.outputs.length(output), depth = cut.depth.length(part);
  const SimdTable& table = simd_table();
  const VectorKernel kernel =
      (rows.added ? table.sum_of_rows : table.dots_of_rows)[static_cast<int>(dtype)];
  kernel(sums + part * rows.outputs() + first, rows.data + offset, rows.stride, x + deep,
         rows.added ? depth : outputs, rows.added ? outputs : depth);
}

Operand line(void* data, DType dtype, std::int64_t stride) {
  return {data, dtype, Strides{stride}};
}

// out = alpha * (the sums of all parts) + beta * out
template <class Sum>
void finish(Sum* out, std::int64_t step, const Sum* sums, std::int64_t parts, std::int64_t count,
            Sum alpha, Sum beta) {
  for (std::int64_t i = 0; i < count; ++i) {
    Sum sum = sums[i];
    for (std::int64_t part = 1; part < parts; ++part) sum += sums[part * count + i];
    Sum& target = out[i * step];
    target = beta == Sum{0} ? alpha * sum : alpha * sum + beta * target;
  }
}

template <class Sum>
class VectorProduct {
 public:
  VectorProduct(CpuOps& ops, Workspace* workspace, const MatmulArgs& args)
      : ops_(ops), workspace_(workspace), args_(args) {}

  void run(std::int64_t batch) const {
    const StoredRows rows = stored_rows(args_, batch);
    const std::int64_t elements = rows.count * rows.columns;
    const VectorCut cut(rows, elements < kSharedElements ? 1 : available_threads());
    const bool copy_x = args_.dtype != kWide || x_stride() != 1;
    const Scratch x_copy(workspace_, copy_x ? bytes(rows.depth()) : 0);
    const Sum* x =
        copy_x ? widened(batch, x_copy.as<Sum>()) : static_cast<const Sum*>(x_data(batch));
    const Scratch sums(workspace_, bytes(cut.depth.parts * rows.outputs()));
    parallel_pieces(cut.pieces(), elements < kBriefElements,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i)
                        multiply_piece(rows, cut, args_.dtype, x, sums.as<Sum>(), i);
                    });
    store(batch, sums.as<Sum>(), cut.depth.parts, rows.outputs());
  }

 private:
  static constexpr DType kWide = std::is_same_v<Sum, float> ? DType::kFloat32 : DType::kFloat64;

  static std::size_t bytes(std::int64_t count) {
    return static_cast<std::size_t>(count) * sizeof(Sum);
  }
  void* at(const MatrixRef& ref, std::int64_t batch) const {
    return static_cast<char*>(ref.data) +
           batch * ref.batch_stride * static_cast<std::int64_t>(itemsize(args_.dtype));
  }
  void* x_data(std::int64_t batch) const { return at(args_.m == 1 ? args_.a : args_.b, batch); }
  std::int64_t x_stride() const {
    return args_.k == 1 ? 1 : args_.m == 1 ? args_.a.column_stride : args_.b.row_stride;
  }
  std::int64_t c_stride() const { return args_.m == 1 ? 1 : args_.c.row_stride; }

  const Sum* widened(std::int64_t batch, Sum* target) const {
    ops_.copy(
        {Shape{args_.k}, line(target, kWide, 1), line(x_data(batch), args_.dtype, x_stride())},
        StreamRef{});
    return target;
  }

  void store(std::int64_t batch, const Sum* sums, std::int64_t parts, std::int64_t count) const {
    const Sum alpha = static_cast<Sum>(args_.alpha), beta = static_cast<Sum>(args_.beta);
    if (args_.dtype == kWide)
      return finish(static_cast<Sum*>(at(args_.c, batch)), c_stride(), sums, parts, count, alpha,
                    beta);
    const Shape shape{count};
    const Scratch wide(workspace_, bytes(count));
    const Operand narrow = line(at(args_.c, batch), args_.dtype, c_stride());
    const Operand result = line(wide.as<void>(), kWide, 1);
    if (beta != Sum{0}) ops_.copy({shape, result, narrow}, StreamRef{});
    finish(wide.as<Sum>(), 1, sums, parts, count, alpha, beta);
    ops_.copy({shape, narrow, result}, StreamRef{});
  }

  CpuOps& ops_;
  Workspace* workspace_;
  const MatmulArgs& args_;
};

template <class Sum>
void run_batch(CpuOps& ops, Workspace* workspace, const MatmulArgs& args) {
  const VectorProduct<Sum> product(ops, workspace, args);
  const std::int64_t elements = std::max(args.m, args.n) * args.k;
  const std::int64_t grain =
      elements < kSharedElements ? kSharedElements / elements : args.batch;  // else each is shared
  parallel_for(args.batch, std::max<std::int64_t>(1, grain),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) product.run(i);
               });
}

}  // namespace
}  // namespace vector_product_impl

void vector_product(CpuOps& ops, Workspace* workspace, const MatmulArgs& args) {
  visit_floating(working_dtype(args.dtype),
                 [&]<class Sum>() { vector_product_impl::run_batch<Sum>(ops, workspace, args); });
}

}  // namespace gpukit::cpu
