#include "ops/matmul.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/out_tensor.h"
#include "ops/reduce.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

std::atomic<MatmulPrecision>& precision_slot() noexcept {
  static std::atomic<MatmulPrecision> precision{MatmulPrecision::kHighest};
  return precision;
}

struct Factors {
  double alpha = 1.0;
  double beta = 0.0;
};

/// A layer's bias (contiguous, or undefined) and activation; where the sums of the left side's rows
/// go, if anywhere.
struct Epilogue {
  Tensor bias;
  Activation activation = Activation::kNone;
  Tensor row_sums;
};

void check_dtypes(std::string_view op, const Tensor& left, const Tensor& right) {
  if (left.dtype() != right.dtype()) {
    const bool move_left = promote(left.dtype(), right.dtype()) == right.dtype();
    const std::string fix = concat(move_left ? "X" : "Y", ".to('",
                                   name(move_left ? right.dtype() : left.dtype()), "')");
    throw DTypeError(concat(op, ": expected same dtype, but X is ", name(left.dtype()), ", Y is ",
                            name(right.dtype()), ". Convert one first, e.g. ", fix, "."))
        .with_fix(fix);
  }
  if (of_kind(kind_of(left.dtype()), true, false, false, false)) {
    throw DTypeError(
        concat(op, ": not defined for bool tensors. Convert with .to('float32') first."))
        .with_fix("X.to('float32')");
  }
}

/// "X @ Y.T" or another product that would fit; empty when none does.
std::string near_product(const Tensor& left, const Tensor& right) {
  if (left.rank() < 2 || right.rank() < 2) return "";
  const std::string transposed = left.rank() == 2 && right.rank() == 2 ? ".T" : ".mT";
  const std::int64_t m = left.size(left.rank() - 2), k = left.size(left.rank() - 1);
  const std::int64_t rows = right.size(right.rank() - 2), n = right.size(right.rank() - 1);
  if (k == n) return "X @ Y" + transposed;
  if (m == rows) return "X" + transposed + " @ Y";
  return n == m ? "Y @ X" : "";
}

[[noreturn]] void throw_inner_sizes(std::string_view op, const Tensor& left, const Tensor& right,
                                    std::int64_t k, std::int64_t rows) {
  const std::string fix = near_product(left, right);
  const std::string question = fix.empty() ? "" : concat(" Did you mean ", fix, "?");
  throw ShapeError(concat(op, ": ", describe("X", left), ", ", describe("Y", right),
                          "; inner sizes ", k, " and ", rows, " differ.", question))
      .with_fix(fix);
}

void check_rank(std::string_view op, std::string_view argument, const Tensor& tensor, int rank) {
  GPUKIT_CHECK(tensor.rank() == rank, ShapeError, op, ": ", describe(argument, tensor), "; ", rank,
               rank == 1 ? " dimension is" : " dimensions are", " needed. ",
               op == "dot" || rank > 2 ? "Use matmul (@)." : "Use matmul (@), which takes any.");
}

Shape batch_of(const Tensor& tensor) {
  Shape batch = tensor.shape();
  batch.resize(tensor.rank() - 2);
  return batch;
}

/// One stride that walks all matrices of `tensor` seen with `batch` in front; nothing when there is
/// none.
std::optional<std::int64_t> batch_stride(const Tensor& tensor, const Shape& batch) {
  if (batch.empty()) return 0;
  Strides own = tensor.strides();
  own.resize(tensor.rank() - 2);
  const Strides strides = broadcast_strides(batch_of(tensor), own, batch);
  std::int64_t step = 0, next = 0;
  bool found = false;
  for (int i = batch.size() - 1; i >= 0; --i) {
    if (batch[i] == 1) continue;
    if (found && strides[i] != next) return std::nullopt;
    if (!found) step = strides[i];
    found = true;
    next = strides[i] * batch[i];
  }
  return step;
}

Shape with_matrix(const Shape& batch, std::int64_t rows, std::int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

/// The operand of a batched product. `copy` becomes a contiguous copy of it where no single stride
/// describes the tensor.
MatrixRef matrix_ref(const Tensor& tensor, const Shape& batch, Tensor& copy) {
  const int rank = tensor.rank();
  const std::optional<std::int64_t> stride = batch_stride(tensor, batch);
  if (!stride) {
    copy = contiguous(
        expand(tensor, with_matrix(batch, tensor.size(rank - 2), tensor.size(rank - 1))));
    return matrix_ref(copy, batch, copy);
  }
  const Strides& strides = tensor.strides();
  return {tensor.data(), strides[rank - 2], strides[rank - 1], *stride};
}

/// Rows that are consecutive in all products of a batch are rows of one product, if the
/// right side is shared.
void fold_batch(MatmulArgs& args) {
  if (args.batch == 1 || args.b.batch_stride != 0 || args.a.batch_stride == 0) return;
  if (args.m == 1) {
    args.a.row_stride = args.a.batch_stride;
    args.c.row_stride = args.c.batch_stride;
  }
  if (args.a.batch_stride != args.m * args.a.row_stride) return;
  if (args.c.batch_stride != args.m * args.c.row_stride) return;
  args.m *= args.batch;
  args.batch = 1;
}

/// What is left of a product without terms: beta * out, and the epilogue. As in BLAS nothing of the
/// matrices is read.
void run_without_terms(const Tensor& out, Factors factors, const Epilogue& epilogue) {
  if (factors.beta == 0.0) {
    fill_(out, Scalar::integer(0));
  } else {
    binary_(BinaryOp::kMul, out, Scalar::floating(factors.beta));
  }
  if (epilogue.bias.defined()) binary_(BinaryOp::kAdd, out, epilogue.bias);
  if (epilogue.activation == Activation::kRelu) unary_(UnaryOp::kRelu, out);
  if (epilogue.row_sums.defined()) fill_(epilogue.row_sums, Scalar::integer(0));
}

/// out = alpha * left @ right + beta * out, and the epilogue. The one place that knows of k = 0:
/// backends multiply. Ranks of 2 and more, everything
/// checked, out contiguous.
void run(const Tensor& out, const Tensor& left, const Tensor& right, const Shape& batch,
         Factors factors, const Epilogue& epilogue = {}) {
  if (out.count() == 0) return;
  MatmulArgs args;
  args.batch = element_count(batch);
  args.m = left.size(left.rank() - 2);
  args.k = left.size(left.rank() - 1);
  args.n = right.size(right.rank() - 1);
  if (args.k == 0 || factors.alpha == 0.0) return run_without_terms(out, factors, epilogue);
  Tensor left_copy, right_copy;
  args.a = matrix_ref(left, batch, left_copy);
  args.b = matrix_ref(right, batch, right_copy);
  args.c = {out.data(), args.n, 1, args.m * args.n};
  fold_batch(args);
  args.dtype = out.dtype();
  args.alpha = factors.alpha;
  args.beta = factors.beta;
  args.allow_tf32 =
      args.dtype == DType::kFloat32 && float32_matmul_precision() != MatmulPrecision::kHighest;
  const Call call(out);
  call.use(out, left_copy.defined() ? left_copy : left, right_copy.defined() ? right_copy : right);
  if (epilogue.bias.defined()) {
    args.bias = epilogue.bias.data();
    args.activation = epilogue.activation;
    call.use(epilogue.bias);
  }
  if (epilogue.row_sums.defined()) {
    args.row_sums = epilogue.row_sums.data();
    call.use(epilogue.row_sums);
  }
  call.ops.matmul(args, call.stream);
}

void check_inner(std::string_view op, const Tensor& left, const Tensor& right) {
  const std::int64_t k = left.size(left.rank() - 1);
  const std::int64_t rows = right.size(right.rank() >= 2 ? right.rank() - 2 : 0);
  if (k != rows) throw_inner_sizes(op, left, right, k, rows);
}

/// The batch of a product; none for two matrices.
Shape common_batch(std::string_view op, const Tensor& left, const Tensor& right) {
  if (left.rank() == 2 && right.rank() == 2) return {};
  const Shape a = batch_of(left), b = batch_of(right);
  GPUKIT_CHECK(broadcast_together(a, b), ShapeError, op, ": ", describe("X", left), ", ",
               describe("Y", right), "; batch sizes ", to_string(a), " and ", to_string(b),
               " do not broadcast together.");
  return broadcast_shapes(a, b, op);
}

void check_stack(const Tensor& left, const Tensor& right) {
  GPUKIT_CHECK(left.size(0) == right.size(0), ShapeError, "bmm: ", describe("X", left), ", ",
               describe("Y", right), "; batch sizes ", left.size(0), " and ", right.size(0),
               " differ. Use matmul (@) to broadcast.");
}

void check_factor(std::string_view argument, Scalar factor, DType dtype) {
  GPUKIT_CHECK(factor.kind() <= std::max(kind_of(dtype), DTypeKind::kInteger), DTypeError,
               "addmm: ", argument, " is ", factor.as_double(), ", but the tensors are ",
               name(dtype), ". Use a whole number.");
}

/// Products of integers are not scaled by backends: their factors would pass through double.
/// Complex ones are made of several.
Tensor whole_addmm(const Tensor& input, const Tensor& left, const Tensor& right, Scalar beta,
                   Scalar alpha, const Tensor* out) {
  Tensor addend;  // computed first: the product may go where input is
  if (beta.as_complex() != 0.0) addend = binary(BinaryOp::kMul, input, beta);
  Tensor made = matmul(left, right, out, "addmm");
  if (alpha.as_complex() != 1.0) binary_(BinaryOp::kMul, made, alpha);
  if (addend.defined()) binary_(BinaryOp::kAdd, made, addend);
  return made;
}

const Scalar kOne = Scalar::integer(1);

void check_addmm(const Tensor& input, const Tensor& left, const Tensor& right) {
  check_rank("addmm", "X", left, 2);
  check_rank("addmm", "Y", right, 2);
  check_same_device("addmm", left, right);
  check_dtypes("addmm", left, right);
  check_inner("addmm", left, right);
  check_dtypes("addmm", input, left);
}

Tensor activated(const Tensor& result, Activation activation) {
  if (activation == Activation::kRelu) unary_(UnaryOp::kRelu, result);
  return result;
}

/// rows @ transposed + bias and the activation, in one call of the backend. The bias has a value
/// for each column.
Tensor fused_linear(const Tensor& rows, const Tensor& transposed, const Tensor& bias,
                    Activation activation) {
  check_addmm(bias, rows, transposed);
  check_same_device("addmm", bias, rows);
  if (of_kind(kind_of(rows.dtype()), true, true, false, true))
    return activated(addmm(bias, rows, transposed, kOne, kOne), activation);
  const Shape shape{rows.size(0), transposed.size(1)};
  check_shape(shape, itemsize(rows.dtype()), "linear");
  const Tensor out = empty_on(rows.open_device(), shape, rows.dtype());
  run(out, rows, transposed, Shape{}, {}, {contiguous(bias), activation, Tensor()});
  return out;
}

void check_linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  check_rank("linear", "weight", weight, 2);
  GPUKIT_CHECK(input.rank() > 0, ShapeError, "linear: ", describe("input", input),
               "; at least one dimension is needed.");
  const std::int64_t features = input.size(input.rank() - 1);
  GPUKIT_CHECK(features == weight.size(1), ShapeError, "linear: ", describe("input", input), ", ",
               describe("weight", weight), "; the last size is ", features, " and must be ",
               weight.size(1), ".");
  GPUKIT_CHECK(!bias.defined() || (bias.rank() == 1 && bias.size(0) == weight.size(0)), ShapeError,
               "linear: bias is ", to_string(bias.shape()), ", weight ", to_string(weight.shape()),
               "; ", weight.size(0), " biases are needed.");
  check_same_device("linear", input, weight);
}

}  // namespace

Tensor matmul(const Tensor& left, const Tensor& right, const Tensor* out, std::string_view op) {
  GPUKIT_CHECK(left.rank() > 0 && right.rank() > 0, ShapeError, op, ": ", describe("X", left), ", ",
               describe("Y", right), "; both need at least one dimension. Use X * Y.");
  check_same_device(op, left, right);
  check_dtypes(op, left, right);
  check_inner(op, left, right);
  Tensor row, column;
  const Tensor& a = left.rank() == 1 ? (row = unsqueeze(left, 0)) : left;
  const Tensor& b = right.rank() == 1 ? (column = unsqueeze(right, 1)) : right;
  const Shape batch = common_batch(op, a, b);
  Shape shape = batch;
  if (left.rank() > 1) shape.push_back(a.size(a.rank() - 2));
  if (right.rank() > 1) shape.push_back(b.size(b.rank() - 1));
  check_shape(shape, itemsize(left.dtype()), op);
  if (is_complex(left.dtype())) [[unlikely]]
    return complex_matmul(left, right, op);
  Tensor made = result_apart(out, left.open_device(), shape, left.dtype(), left, right);
  run(made, a, b, batch, {});
  return made;
}

Tensor mm(const Tensor& left, const Tensor& right, const Tensor* out) {
  check_rank("mm", "X", left, 2);
  check_rank("mm", "Y", right, 2);
  return matmul(left, right, out, "mm");
}

Tensor bmm(const Tensor& left, const Tensor& right, const Tensor* out) {
  check_rank("bmm", "X", left, 3);
  check_rank("bmm", "Y", right, 3);
  check_stack(left, right);
  return matmul(left, right, out, "bmm");
}

Tensor mv(const Tensor& matrix, const Tensor& vector, const Tensor* out) {
  check_rank("mv", "X", matrix, 2);
  check_rank("mv", "Y", vector, 1);
  return matmul(matrix, vector, out, "mv");
}

Tensor dot(const Tensor& left, const Tensor& right, const Tensor* out) {
  check_rank("dot", "X", left, 1);
  check_rank("dot", "Y", right, 1);
  return matmul(left, right, out, "dot");
}

Tensor outer(const Tensor& left, const Tensor& right, const Tensor* out) {
  check_rank("outer", "X", left, 1);
  check_rank("outer", "Y", right, 1);
  return binary(BinaryOp::kMul, unsqueeze(left, 1), unsqueeze(right, 0), out);
}

Tensor addmm(const Tensor& input, const Tensor& left, const Tensor& right, Scalar beta,
             Scalar alpha, const Tensor* out) {
  check_addmm(input, left, right);
  check_factor("beta", beta, left.dtype());
  check_factor("alpha", alpha, left.dtype());
  const Shape shape{left.size(0), right.size(1)};
  const Tensor addend = transfer_scalar(input, left);
  check_same_device("addmm", addend, left);
  GPUKIT_CHECK(broadcasts_to(addend.shape(), shape), ShapeError,
               "addmm: ", describe("input", addend), ", which does not broadcast to ",
               to_string(shape), ".");
  if (of_kind(kind_of(left.dtype()), true, true, false, true))
    return whole_addmm(addend, left, right, beta, alpha, out);
  const Factors factors{alpha.as_double(), beta.as_double()};
  check_shape(shape, itemsize(left.dtype()), "addmm");
  Tensor made = result_apart(out, left.open_device(), shape, left.dtype(), left, right);
  if (factors.beta != 0.0) copy_(made, expand(addend, shape));
  run(made, left, right, Shape{}, factors);
  return made;
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias,
              Activation activation) {
  check_linear(input, weight, bias);
  const Tensor transposed = t(weight);
  if (!bias.defined()) return activated(matmul(input, transposed, nullptr, "linear"), activation);
  if (input.rank() == 2) return fused_linear(input, transposed, bias, activation);
  Shape leading = input.shape();
  leading.resize(input.rank() - 1);
  const Tensor rows = view(contiguous(input), Shape{element_count(leading), weight.size(1)});
  leading.push_back(weight.size(0));
  return view(fused_linear(rows, transposed, bias, activation), leading);
}

LinearGradients linear_gradients(const Tensor& gradient, const Tensor& input) {
  const Tensor transposed = t(gradient);
  if (input.size(1) == 0)  // the bias has a gradient, the weight no elements
    return {mm(transposed, input), reduce(ReduceOp::kSum, gradient, ReducedDims::only(0), false)};
  check_addmm(gradient, transposed, input);
  OpenDevice& device = gradient.open_device();
  LinearGradients made{empty_on(device, Shape{transposed.size(0), input.size(1)}, gradient.dtype()),
                       empty_on(device, Shape{transposed.size(0)}, gradient.dtype())};
  run(made.weight, transposed, input, Shape{}, {}, {Tensor(), Activation::kNone, made.bias});
  return made;
}

void set_float32_matmul_precision(MatmulPrecision precision) noexcept {
  precision_slot().store(precision, std::memory_order_relaxed);
}

MatmulPrecision float32_matmul_precision() noexcept {
  return precision_slot().load(std::memory_order_relaxed);
}

}  // namespace gpukit::ops
