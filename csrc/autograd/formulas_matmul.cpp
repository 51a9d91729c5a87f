// Matrix products. Transposes are views: no gradient copies an operand.
#include "autograd/gradient_math.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/shape.h"

namespace gpukit::autograd {

namespace {

/// The operand as matrices: a vector is a row on the left and a column on the right.
Tensor as_left(const Tensor& left) {
  return left.rank() == 1 ? autograd::unsqueeze(left, 0) : left;
}
Tensor as_right(const Tensor& right) {
  return right.rank() == 1 ? autograd::unsqueeze(right, 1) : right;
}

/// The gradient of the result with the dimensions that vectors took away.
Tensor as_result(Tensor gradient, int left_rank, int right_rank) {
  if (right_rank == 1) gradient = autograd::unsqueeze(gradient, -1);
  if (left_rank == 1) gradient = autograd::unsqueeze(gradient, -2);
  return gradient;
}

Tensor transposed(const Tensor& matrices) { return autograd::transpose(matrices, -2, -1); }

/// All rows of a stack of matrices as one matrix.
Tensor all_rows(const Tensor& matrices) {
  const int last = matrices.rank() - 1;
  std::int64_t rows = 1;  // counted here: without columns no -1 tells them
  for (int i = 0; i < last; ++i) rows *= matrices.size(i);
  return autograd::reshape(matrices, Shape{rows, matrices.size(last)});
}

Tensor left_gradient(const Tensor& g, const Tensor& right, int left_rank) {
  const Tensor result =
      autograd::matmul(as_result(g, left_rank, right.rank()), transposed(as_right(right)));
  return left_rank == 1 ? autograd::squeeze(result, Dims{-2}) : result;
}

Tensor right_gradient(const Tensor& g, const Tensor& left, int right_rank) {
  const Tensor stacked = as_result(g, left.rank(), right_rank);
  // One matrix times many: one product over all rows, instead of many that are then summed.
  const bool one_matrix = right_rank <= 2 && left.rank() > 2 && left.count() > 0;
  const Tensor result = one_matrix ? autograd::matmul(transposed(all_rows(left)), all_rows(stacked))
                                   : autograd::matmul(transposed(as_left(left)), stacked);
  return right_rank == 1 ? autograd::squeeze(result, Dims{-1}) : result;
}

const char* product_name(const Tensor& left, const Tensor& right) {
  if (left.rank() == 2 && right.rank() == 2) return "MmBackward0";
  if (left.rank() == 2 && right.rank() == 1) return "MvBackward0";
  if (left.rank() == 1 && right.rank() == 1) return "DotBackward0";
  return "UnsafeViewBackward0";
}

Tensor recorded_product(const Tensor& out, const char* name, const Tensor& left,
                        const Tensor& right) {
  record(out, name, {&left, &right},
         [l = SavedTensor::input(0, left, right.requires_grad()),
          r = SavedTensor::input(1, right, left.requires_grad()), left_rank = left.rank(),
          right_rank = right.rank()](Pass& pass) {
           if (pass.needs_input_grad(0))
             pass.accumulate_grad(0, left_gradient(pass.gradient(), conj(pass(r)), left_rank));
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, right_gradient(pass.gradient(), conj(pass(l)), right_rank));
         });
  return out;
}

void record_addmm(const Tensor& out, const Tensor& input, const Tensor& left, const Tensor& right,
                  Scalar beta, Scalar alpha) {
  const auto scaled = [](const Tensor& tensor, Scalar factor) {
    if (factor.as_complex() == 1.0) return tensor;
    const Scalar conjugate = factor.is_complex() ? Scalar::complex(std::conj(factor.as_complex()))
                                                 : Scalar::floating(factor.as_double());
    return binary(BinaryOp::kMul, tensor, conjugate);
  };
  record(out, "AddmmBackward0", {&input, &left, &right},
         [l = SavedTensor::input(1, left, right.requires_grad()),
          r = SavedTensor::input(2, right, left.requires_grad()), beta, alpha, scaled](Pass& pass) {
           const Tensor& g = pass.gradient();
           if (pass.needs_input_grad(0)) pass.accumulate_grad(0, scaled(g, beta));
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, scaled(mm(g, transposed(conj(pass(r)))), alpha));
           if (pass.needs_input_grad(2))
             pass.accumulate_grad(2, scaled(mm(transposed(conj(pass(l))), g), alpha));
         });
}

}  // namespace

Tensor matmul(const Tensor& left, const Tensor& right, const Tensor* out) {
  const Tensor made = ops::matmul(left, right, out);
  if (!records(left, right)) return made;
  return recorded_product(made, product_name(left, right), left, right);
}

Tensor mm(const Tensor& left, const Tensor& right, const Tensor* out) {
  const Tensor made = ops::mm(left, right, out);
  return records(left, right) ? recorded_product(made, "MmBackward0", left, right) : made;
}

Tensor bmm(const Tensor& left, const Tensor& right, const Tensor* out) {
  const Tensor made = ops::bmm(left, right, out);
  return records(left, right) ? recorded_product(made, "BmmBackward0", left, right) : made;
}

Tensor mv(const Tensor& matrix, const Tensor& vector, const Tensor* out) {
  const Tensor made = ops::mv(matrix, vector, out);
  return records(matrix, vector) ? recorded_product(made, "MvBackward0", matrix, vector) : made;
}

Tensor dot(const Tensor& left, const Tensor& right, const Tensor* out) {
  const Tensor made = ops::dot(left, right, out);
  return records(left, right) ? recorded_product(made, "DotBackward0", left, right) : made;
}

Tensor outer(const Tensor& left, const Tensor& right, const Tensor* out) {
  const Tensor made = ops::outer(left, right, out);
  if (!records(left, right)) return made;
  record(made, "MulBackward0", {&left, &right},
         [l = SavedTensor::input(0, left, right.requires_grad()),
          r = SavedTensor::input(1, right, left.requires_grad())](Pass& pass) {
           const Tensor& g = pass.gradient();
           if (pass.needs_input_grad(0)) pass.accumulate_grad(0, mv(g, conj(pass(r))));
           if (pass.needs_input_grad(1)) pass.accumulate_grad(1, mv(transposed(g), conj(pass(l))));
         });
  return made;
}

Tensor addmm(const Tensor& input, const Tensor& left, const Tensor& right, Scalar beta,
             Scalar alpha, const Tensor* out) {
  const Tensor made = ops::addmm(input, left, right, beta, alpha, out);
  if (records(input, left, right)) record_addmm(made, input, left, right, beta, alpha);
  return made;
}

}  // namespace gpukit::autograd
