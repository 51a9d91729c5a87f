// Fused operations: one node each, whose derivative is fused too.
#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/reduce.h"
#include "autograd/shape.h"
#include "autograd/training.h"
#include "base/check.h"
#include "base/error.h"
#include "ops/creation.h"
#include "ops/reduce.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace {

/// (…, n) as (rows, n), also where there are no elements to count the rows by.
Tensor rows_of(const Tensor& tensor) {
  const int last = tensor.rank() - 1;
  if (last == 1) return tensor;
  std::int64_t rows = 1;
  for (int i = 0; i < last; ++i) rows *= tensor.size(i);
  return autograd::reshape(tensor, Shape{rows, tensor.size(last)});
}

const char* linear_name(const Tensor& input, const Tensor& bias) {
  if (input.rank() != 2) return "ViewBackward0";  // what torch's own composition ends with
  return bias.defined() ? "AddmmBackward0" : "MmBackward0";
}

Edges linear_edges(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (!bias.defined()) return detail::edges_to({&input, &weight});
  return detail::edges_to({&input, &weight, &bias});
}

bool records_linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return bias.defined() ? records(input, weight, bias) : records(input, weight);
}

void record_linear(const Tensor& out, const Tensor& input, const Tensor& weight,
                   const Tensor& bias) {
  record(out, linear_name(input, bias), linear_edges(input, weight, bias),
         [x = SavedTensor::input(0, input, weight.requires_grad()),
          w = SavedTensor::input(1, weight, input.requires_grad()),
          biased = bias.defined()](Pass& pass) {
           const Tensor& g = pass.gradient();
           if (pass.needs_input_grad(0)) pass.accumulate_grad(0, matmul(g, pass(w)));
           if (biased && pass.needs_input_grad(1) && pass.needs_input_grad(2) && !pass.recorded()) {
             const auto [weight, bias] = ops::linear_gradients(rows_of(g), rows_of(pass(x)));
             pass.accumulate_grad(1, weight);
             return pass.accumulate_grad(2, bias);
           }
           if (pass.needs_input_grad(1))
             pass.accumulate_grad(1, mm(autograd::t(rows_of(g)), rows_of(pass(x))));
           if (biased && pass.needs_input_grad(2)) pass.accumulate_grad(2, g);
         });
}

/// What ops::cross_entropy_backward needs, saved.
struct CrossEntropyFormula {
  ops::CrossEntropyOptions options;
  SavedTensor logits, target, weight, log_sums, scale;

  void operator()(Pass& pass) const {
    if (pass.recorded()) return pass.accumulate_grad(0, composed(pass));
    const ops::CrossEntropy forward{Tensor(), pass.if_saved(log_sums), pass.if_saved(scale)};
    pass.accumulate_grad(0, ops::cross_entropy_backward(pass.gradient(), pass(logits), pass(target),
                                                        pass.if_saved(weight), forward, options));
  }

  /// The softmax times all that a row needs_input_grad, minus what it needs_input_grad of each
  /// class; a row that does not count needs_input_grad nothing.
  Tensor composed(const Pass& pass) const {
    const Tensor x = pass(logits), target_share = target_classes(pass, x);
    const Tensor g = options.reduction == ops::Reduction::kNone
                         ? autograd::unsqueeze(pass.gradient(), 1)
                         : mul(pass.gradient(), pass(scale));
    const Tensor slope = sub(mul(softmax(x, 1, false), sum_of_classes(target_share)), target_share);
    const Tensor ignored = ops::binary(BinaryOp::kEq, gpukit::unsqueeze(pass(target), 1),
                                       Scalar::integer(options.ignore_index));
    return where_false(ignored, mul(g, slope));
  }

  /// By row and class: the weight of the row's own class, of which a part is distributed over all.
  Tensor target_classes(const Pass& pass, const Tensor& x) const {
    const Tensor classes = ops::arange(Scalar::integer(0), Scalar::integer(x.size(1)),
                                       Scalar::integer(1), DType::kInt64, x.device());
    const Tensor own = ops::binary(BinaryOp::kEq, gpukit::unsqueeze(pass(target), 1), classes);
    const double smoothed = options.smoothing / static_cast<double>(x.size(1));
    const Tensor share = add(mul(ops::cast(own, x.dtype()), 1.0 - options.smoothing), smoothed);
    return weight.defined() ? mul(share, pass(weight)) : share;
  }
  static Tensor sum_of_classes(const Tensor& rows) {
    return ops::reduce(ReduceOp::kSum, rows, ops::ReducedDims::only(1), true);
  }
};

/// A difference of the node's two inputs that was computed before, with its node in the graph.
Tensor recorded_difference(const Pass& pass, const Tensor& difference) {
  const Tensor out = detached(difference);
  record(out, "SubBackward0", pass.inputs(), [](Pass& inner) {
    if (inner.needs_input_grad(0)) inner.accumulate_grad(0, inner.gradient());
    if (inner.needs_input_grad(1)) inner.accumulate_grad(1, neg(inner.gradient()));
  });
  return out;
}

/// A weight of one dimension: one output without its own dimension.
Tensor linear_of_one(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  GPUKIT_CHECK(!bias.defined() || bias.rank() == 0, ShapeError, "linear: bias is ",
               to_string(bias.shape()), ", weight ", to_string(weight.shape()),
               "; one bias without dimensions is needed.");
  const Tensor out = matmul(input, weight);
  return bias.defined() ? binary(BinaryOp::kAdd, out, bias) : out;
}

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (weight.rank() == 1) return linear_of_one(input, weight, bias);
  if (is_complex(input.dtype()) && records_linear(input, weight, bias)) {
    const Tensor out = matmul(input, autograd::t(weight));
    return bias.defined() ? binary(BinaryOp::kAdd, out, bias) : out;
  }
  const Tensor out = ops::linear(input, weight, bias);
  if (records_linear(input, weight, bias)) record_linear(out, input, weight, bias);
  return out;
}

Tensor linear_relu(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Tensor out = ops::linear(input, weight, bias, Activation::kRelu);
  if (!records_linear(input, weight, bias)) return out;
  record_linear(out, input, weight, bias);
  record(out, "ReluBackward0", {&out}, [saved = SavedTensor::result(out)](Pass& pass) {
    pass.accumulate_grad(0, relu_gradient(pass.gradient(), pass(saved)));
  });
  return out;
}

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                     const ops::CrossEntropyOptions& options) {
  const ops::CrossEntropy forward = ops::cross_entropy(logits, target, weight, options);
  if (!records(logits)) return forward.loss;
  const auto saved = [](const Tensor& tensor) {
    return SavedTensor::constant(tensor, tensor.defined());
  };
  record(forward.loss, "NllLossBackward0", {&logits},
         CrossEntropyFormula{options, SavedTensor::input(0, logits), saved(target), saved(weight),
                             saved(forward.log_sums), saved(forward.scale)});
  return forward.loss;
}

Tensor squared_error(const Tensor& input, const Tensor& target, ops::Reduction reduction) {
  const Tensor difference = ops::binary(BinaryOp::kSub, input, target);
  Tensor out = ops::unary(UnaryOp::kSquare, difference);
  double scale = 2.0;
  if (reduction != ops::Reduction::kNone) {
    const bool mean = reduction == ops::Reduction::kMean;
    if (mean && out.count() > 0) scale /= static_cast<double>(out.count());
    const ReduceOp op = mean ? ReduceOp::kMean : ReduceOp::kSum;
    out = ops::reduce(op, out, ops::ReducedDims::all(), false);
  }
  if (!records(input, target)) return out;
  record(out, "MseLossBackward0", {&input, &target},
         [d = SavedTensor::constant(difference), scale](Pass& pass) {
           const Tensor distance = pass.recorded() ? recorded_difference(pass, pass(d)) : pass(d);
           const Tensor g = mul(mul(distance, scale), pass.gradient());
           if (pass.needs_input_grad(0)) pass.accumulate_grad(0, g);
           if (pass.needs_input_grad(1)) pass.accumulate_grad(1, neg(g));
         });
  return out;
}

}  // namespace gpukit::autograd
