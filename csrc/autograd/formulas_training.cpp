// Fused operations: one node each, whose derivative is fused too.
#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/matmul.h"
#include "autograd/record.h"
#include "autograd/training.h"
#include "base/check.h"
#include "base/error.h"
#include "ops/joining.h"
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
  return ops::reshape(tensor, Shape{rows, tensor.size(last)});
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
         [x = SavedTensor(input, weight.requires_grad()),
          w = SavedTensor(weight, input.requires_grad()), biased = bias.defined()](Pass& pass) {
           const Tensor& g = pass.gradient();
           if (pass.wants(0)) pass.give(0, ops::matmul(g, pass(w)));
           if (biased && pass.wants(1) && pass.wants(2)) {
             const auto [weight, bias] = ops::linear_gradients(rows_of(g), rows_of(pass(x)));
             pass.give(1, weight);
             return pass.give(2, bias);
           }
           if (pass.wants(1)) pass.give(1, ops::mm(t(rows_of(g)), rows_of(pass(x))));
           if (biased && pass.wants(2)) pass.give(2, g);
         });
}

/// What ops::cross_entropy_backward needs, saved.
struct CrossEntropyFormula {
  ops::CrossEntropyOptions options;
  SavedTensor logits, target, weight, log_sums, scale;

  void operator()(Pass& pass) const {
    const auto value = [&](const SavedTensor& saved) {
      return saved.tensor().defined() ? pass(saved) : Tensor();
    };
    const ops::CrossEntropy forward{Tensor(), value(log_sums), value(scale)};
    pass.give(0, ops::cross_entropy_backward(pass.gradient(), pass(logits), pass(target),
                                             value(weight), forward, options));
  }
};

/// Each input's gradient is the result's times a slope that was known beforehand.
struct SlopesFormula {
  std::vector<SavedTensor> slopes;

  void operator()(Pass& pass) const {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      if (!pass.wants(i)) continue;
      const bool flat = !slopes[i].tensor().defined();
      pass.give(i, flat ? zeros_of(pass.kind(i)) : mul(pass.gradient(), pass(slopes[i])));
    }
  }
};

/// A weight of one dimension: one output, without a dimension of its own.
Tensor linear_of_one(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  GPUKIT_CHECK(!bias.defined() || bias.rank() == 0, ShapeError, "linear: bias is ",
               to_string(bias.shape()), ", weight ", to_string(weight.shape()),
               "; one bias without dimensions is needed.");
  const Tensor out = matmul(input, weight);
  return bias.defined() ? binary(BinaryOp::kAdd, out, bias) : out;
}

}  // namespace

Tensor with_slopes(const char* name, const Tensor& value, std::span<const Tensor> inputs,
                   std::span<const Tensor> slopes) {
  const Tensor out = detached(value);
  if (!records(inputs)) return out;
  SlopesFormula formula;
  for (const Tensor& slope : slopes) formula.slopes.emplace_back(slope, slope.defined());
  record(out, name, detail::edges_to(inputs), std::move(formula));
  return out;
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (weight.rank() == 1) return linear_of_one(input, weight, bias);
  const Tensor out = ops::linear(input, weight, bias);
  if (records_linear(input, weight, bias)) record_linear(out, input, weight, bias);
  return out;
}

Tensor linear_relu(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const Tensor out = ops::linear(input, weight, bias, Activation::kRelu);
  if (!records_linear(input, weight, bias)) return out;
  record_linear(out, input, weight, bias);
  record(out, "ReluBackward0", {&out}, [saved = SavedTensor(out)](Pass& pass) {
    pass.give(0, ops::binary(BinaryOp::kReluGradient, pass.gradient(), pass(saved)));
  });
  return out;
}

Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight,
                     const ops::CrossEntropyOptions& options) {
  const ops::CrossEntropy forward = ops::cross_entropy(logits, target, weight, options);
  if (!records(logits)) return forward.loss;
  const auto saved = [](const Tensor& tensor) { return SavedTensor(tensor, tensor.defined()); };
  record(forward.loss, "NllLossBackward0", {&logits},
         CrossEntropyFormula{options, saved(logits), saved(target), saved(weight),
                             saved(forward.log_sums), saved(forward.scale)});
  return forward.loss;
}

Tensor squared_error(const Tensor& input, const Tensor& target, ops::Reduction reduction) {
  const Tensor difference = sub(input, target);
  Tensor out = square(difference);
  double scale = 2.0;
  if (reduction != ops::Reduction::kNone) {
    const bool mean = reduction == ops::Reduction::kMean;
    if (mean && out.count() > 0) scale /= static_cast<double>(out.count());
    out = ops::reduce(mean ? ReduceOp::kMean : ReduceOp::kSum, out, std::nullopt, false);
  }
  if (!records(input, target)) return out;
  record(out, "MseLossBackward0", {&input, &target},
         [d = SavedTensor(difference), scale](Pass& pass) {
           const Tensor g = mul(mul(pass(d), scale), pass.gradient());
           if (pass.wants(0)) pass.give(0, g);
           if (pass.wants(1)) pass.give(1, neg(g));
         });
  return out;
}

}  // namespace gpukit::autograd
