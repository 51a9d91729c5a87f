// Arguments of the operations of DeviceOps. Shapes were checked and dtypes made equal in ops/;
// addresses point to the first element; strides count elements and are 0 where an operand is
// broadcast.
#pragma once

#include <cstdint>
#include <span>

#include "backend/index_fault.h"
#include "core/dtype.h"
#include "core/scalar.h"
#include "core/shape.h"
#include "kernels/op_codes.h"

namespace gpukit {

struct Operand {
  void* data = nullptr;
  DType dtype = DType::kFloat32;
  Strides strides;  ///< one for each dimension of the call's shape
};

/// out[i] = op(in[i]). in.dtype == out.dtype unless the operation gives bool.
struct UnaryArgs {
  UnaryOp op;
  Shape shape;
  Operand out, in;
};

/// out[i] = op(left[i], right[i]) over contiguous complex elements. An operand with step 0 is one
/// value for all; functions of one operand have no `right`. out is none of the operands.
struct ComplexArgs {
  ComplexOp op;
  DType dtype;  ///< of all, complex
  std::int64_t count;
  void* out;
  const void* left;
  const void* right = nullptr;
  int left_step = 1, right_step = 1;
};

enum class ScalarSide : std::uint8_t { kNone, kLeft, kRight };

/// out[i] = op(left[i], right[i]); one side may be `scalar` instead (its Operand is then unused).
/// Both operands have one dtype; out has it too unless the operation gives bool. out may alias an
/// operand exactly.
struct BinaryArgs {
  BinaryOp op;
  Shape shape;
  Operand out, left, right;
  ScalarSide scalar_side = ScalarSide::kNone;
  Scalar scalar;
};

/// The same over contiguous memory, without a number.
struct FlatBinaryArgs {
  BinaryOp op;
  DType dtype;  ///< of both operands
  DType out_dtype;
  std::int64_t count;
  void* out;
  void* left;
  void* right;
};

/// The dtype that a number beside operands of `dtype` is rounded to. Arithmetic on half types takes
/// it in float32, so that only the result is rounded; comparisons take it as an element (an element
/// made of 0.1 equals 0.1), and so does nextafter, which goes by bits.
inline DType number_dtype(BinaryOp op, DType dtype) noexcept {
  const bool as_element = is_comparison(op) || op == BinaryOp::kNextafter;
  return as_element ? dtype : working_dtype(dtype);
}

/// out[i] = condition[i] ? left[i] : right[i]. condition is bool.
struct WhereArgs {
  Shape shape;
  Operand out, condition, left, right;
};

/// out[i] = in[i] limited to [low, high]; NaN in `in` stays. Bounds that are absent are not
/// applied.
struct ClampArgs {
  Shape shape;
  Operand out, in;
  bool has_low = false, has_high = false;
  Scalar low, high;
};

/// out[i] = value converted to out.dtype.
struct FillArgs {
  Shape shape;
  Operand out;
  Scalar value;
};

/// Strided copy with conversion: C's rules, except that NaN to integer gives 0 and any non-zero to
/// bool gives true.
struct CopyArgs {
  Shape shape;
  Operand out, in;
};

/// out[i] = start + i * step over a contiguous 1-d out (arange, linspace).
struct RampArgs {
  std::int64_t count = 0;
  void* out = nullptr;
  DType dtype = DType::kFloat32;
  double start = 0, step = 0;                ///< floating dtypes
  std::int64_t start_int = 0, step_int = 0;  ///< integer dtypes
};

/// Keeps in[r, c] where c - r <= diagonal (lower) or >= diagonal (upper), else 0. Contiguous,
/// `batch` matrices.
struct TriangleArgs {
  bool upper = false;
  std::int64_t batch = 1, rows = 0, columns = 0, diagonal = 0;
  void* out = nullptr;
  const void* in = nullptr;
  DType dtype = DType::kFloat32;
};

/// out is contiguous over `kept`; each of its elements reduces all of `reduced`.
/// The result dtype: kArgMax/kArgMin int64, kAll/kAny bool, kCountNonzero int64, else out_dtype as
/// ops/ chose it (in.dtype, or int64 for sums of integers). An empty `reduced` set is filled by
/// ops/ and never comes here.
struct ReduceArgs {
  ReduceOp op;
  const void* in = nullptr;
  DType in_dtype = DType::kFloat32;
  Shape kept, reduced;
  Strides kept_strides, reduced_strides;
  void* out = nullptr;
  DType out_dtype = DType::kFloat32;
};

/// Running sum along one dimension: in and out contiguous as (outer, length, inner).
struct CumulativeArgs {
  std::int64_t outer = 1, length = 0, inner = 1;
  const void* in = nullptr;
  void* out = nullptr;
  DType dtype = DType::kFloat32;
  bool product = false;
};

/// Softmax (or log-softmax) over the last dimension of a contiguous (rows, columns).
struct SoftmaxArgs {
  std::int64_t rows = 0, columns = 0;
  const void* in = nullptr;
  void* out = nullptr;
  DType dtype = DType::kFloat32;
  bool log = false;
};

/// One matrix operand, any strides (elements). batch_stride may be 0 (the same matrix for every
/// product).
struct MatrixRef {
  void* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 0, batch_stride = 0;
};

/// What a product's result passes on its way to memory.
enum class Activation : std::uint8_t { kNone, kRelu };

/// c = alpha * a @ b + beta * c for `batch` products: a is (m, k), b is (k, n), c is (m, n).
/// c has column stride 1. With beta == 0, c is not read. No size is 0. Integers come with alpha 1,
/// beta 0.
struct MatmulArgs {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  DType dtype = DType::kFloat32;
  MatrixRef a, b, c;
  double alpha = 1.0, beta = 0.0;
  bool allow_tf32 = false;
  /// A layer's: one value a column, added to every row (one product, floating, alpha 1, beta 0,
  /// k > 0). Else null, and no activation.
  const void* bias = nullptr;
  Activation activation = Activation::kNone;
  /// Also written where not null: the sums of a's rows (one product without bias, floating, k > 0).
  void* row_sums = nullptr;
};

/// Contiguous out of `count` elements; see kernels/philox.h. kUniform: [low, high). kNormal: mean
/// low, deviation high. kIntegers: [low_int, high_int), of an integer dtype.
struct RandomArgs {
  RandomOp op;
  std::int64_t count = 0;
  void* out = nullptr;
  DType dtype = DType::kFloat32;
  std::uint64_t seed = 0, offset = 0;
  /// In a graph: a seed and an offset on the device; the first replaces `seed`, the second is
  /// added to `offset`. Else null.
  const std::uint64_t* state = nullptr;
  double low = 0, high = 1;
  std::int64_t low_int = 0, high_int = 0;
};

/// out[o, j, i] = in[o, index[j], i]: contiguous (outer, extent, inner) source, int64 contiguous
/// index of `count`. Negative indices count from the end. One out of range reads element 0 and is
/// reported as `check` says; on the CPU ops/ has looked before.
struct GatherArgs {
  std::int64_t outer = 1, extent = 0, inner = 1, count = 0;
  const void* in = nullptr;
  const std::int64_t* index = nullptr;
  void* out = nullptr;
  int itemsize = 4;
  IndexCheck check;
};

/// One index of several: `index` (seen as the call's shape by `strides`) counts in `extent`, and
/// the index grows by `step` with it.
struct IndexPart {
  const std::int64_t* index = nullptr;
  Strides strides;
  std::int64_t extent = 1, step = 1;
  int dim = 0;
};

/// out[c] = the sum of index[c] * step over the parts (negative ones as `from_end` says), plus
/// c * coordinate_steps. out is contiguous over `shape`. kNoPlace where an index is out of range,
/// which is reported as `check` says. At most kMaxRank parts.
struct LinearIndexArgs {
  Shape shape;
  std::int64_t* out = nullptr;
  std::span<const IndexPart> parts;
  Strides coordinate_steps;
  bool from_end = true;  ///< else a negative index is out of range
  IndexCheck check;
};

/// out[o, index[j], i] = in[o, j, i]: the way back of GatherArgs. in is contiguous (outer, count,
/// inner), out contiguous (outer, extent, inner); elements of out that no index names stay.
/// Negative indices count from the end. One out of range is skipped, and reported as `check` says.
/// Without `accumulate` a repeated index keeps one of its values (the
/// last one on the CPU). With it values are added to out; ops/ has sorted the index ascending (and
/// made it non-negative) then, so that equal neighbours can be summed in order: the same bits on
/// every run, without atomics. index[j] belongs to row order[j] of in (null: to row j). Half types
/// sum in float, bool is a logical or.
struct ScatterArgs {
  std::int64_t outer = 1, extent = 0, inner = 1, count = 0;
  const void* in = nullptr;
  const std::int64_t* index = nullptr;
  const std::int64_t* order = nullptr;  ///< with `accumulate` only
  void* out = nullptr;
  DType dtype = DType::kFloat32;
  int itemsize = 4;
  bool accumulate = false;
  IndexCheck check;
};

/// Sorts each row of a contiguous (rows, columns): stable in both directions, NaN is larger than
/// every number (so last when ascending, first when descending), -0 equals 0. values has in.dtype;
/// indices are positions in the row (int64). Either result may be null. in is not changed; neither
/// result aliases it.
struct SortArgs {
  std::int64_t rows = 1, columns = 0;
  const void* in = nullptr;
  void* values = nullptr;
  std::int64_t* indices = nullptr;
  DType dtype = DType::kFloat32;
  bool descending = false;
};

/// One parameter of an optimizer's step: contiguous arrays of `count` elements. States that the
/// rule does not have are null. `fresh`: the states are not initialised yet, SGD starts with the
/// gradient and Adam with 0.
struct OptimizerItem {
  void* parameter = nullptr;
  const void* gradient = nullptr;
  void* first = nullptr;    ///< momentum, or the mean of gradients
  void* second = nullptr;   ///< the mean of squares
  void* largest = nullptr;  ///< its maximum so far (amsgrad)
  std::int64_t count = 0;
  double step_size = 0;
  double root_correction = 1;
  bool fresh = false;
};

/// One step of all `items`, which have one dtype (floating; the states too).
struct OptimizerArgs {
  OptimizerSettings settings;
  std::span<const OptimizerItem> items;
  DType dtype = DType::kFloat32;
  /// In a graph: shrink, step_size and root_correction of all items, on the device. Else null.
  const double* rates = nullptr;
};

/// Up to kMostWords.
struct WordsArgs {
  std::span<const std::uint64_t> words;
  void* out = nullptr;
};

/// What cross-entropy forward and backward share; contiguous, float32 or float64, one target class
/// a row. Rows whose target is `ignore_index` count nothing. `weight` (columns, may be null) weighs
/// classes; `smoothing` is mixed over all of them.
struct CrossEntropyRows {
  std::int64_t rows = 0, columns = 0;
  DType dtype = DType::kFloat32;
  const void* logits = nullptr;
  const std::int64_t* target = nullptr;
  const void* weight = nullptr;
  std::int64_t ignore_index = -100;
  double smoothing = 0;
};

/// losses[r], the loss of a row, and log_sums[r] = log(sum(exp(logits[r]))). With `total`: the sum
/// of the losses, divided for `mean` by the weight of the rows that count; `scale` gets 1 over that
/// weight, else 1. A target outside the classes gives NaN; the CPU sets `*outside` then, a GPU
/// reports as `check` says.
struct CrossEntropyArgs {
  CrossEntropyRows input;
  void* losses = nullptr;
  void* log_sums = nullptr;
  void* total = nullptr;  ///< null: no reduction
  void* scale = nullptr;
  bool mean = true;
  bool* outside = nullptr;
  IndexCheck check;
};

/// out = the gradient of the logits. `gradient` is that of the losses, one a row, or of the total
/// when `by_row` is false; it is multiplied by `*scale` unless that is null.
struct CrossEntropyBackwardArgs {
  CrossEntropyRows input;
  const void* log_sums = nullptr;
  const void* gradient = nullptr;
  const void* scale = nullptr;
  bool by_row = false;
  void* out = nullptr;
};

}  // namespace gpukit
