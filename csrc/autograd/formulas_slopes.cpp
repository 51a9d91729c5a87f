// Derivatives of functions that Python composes: slopes that the parts would not have had, at the
// ends of the dtype's range above all.
#include <array>
#include <string_view>

#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/record.h"
#include "autograd/training.h"
#include "base/check.h"
#include "base/error.h"
#include "ops/creation.h"

namespace gpukit::autograd {

namespace {

constexpr std::size_t kMostInputs = 3;
using Inputs = std::array<Tensor, kMostInputs>;  ///< those that the formula lacks are undefined

/// Half types are computed in float32; the pass rounds once.
Tensor in_float(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::kFloat32) : x; }

Tensor bounded(const Tensor& x, std::optional<double> low, std::optional<double> high) {
  const auto bound = [](std::optional<double> value) {
    return value ? std::optional(Scalar::floating(*value)) : std::nullopt;
  };
  return clamp(x, bound(low), bound(high));
}

/// Of a function of input - target.
void accumulate_difference(Pass& pass, const Tensor& slope) {
  const Tensor g = mul(pass.gradient(), slope);
  if (pass.needs_input_grad(0)) pass.accumulate_grad(0, g);
  if (pass.needs_input_grad(1)) pass.accumulate_grad(1, neg(g));
}

void silu(Pass& pass, const Inputs& inputs, double) {
  const Tensor x = in_float(inputs[0]);
  const Tensor share = sigmoid(x);
  // Finite where x times the gradient is not.
  pass.accumulate_grad(0, mul(pass.gradient(), mul(share, add(mul(x, sub(1.0, share)), 1.0))));
}

void elu(Pass& pass, const Inputs& inputs, double alpha) {
  const Tensor x = in_float(inputs[0]);
  const Tensor one = ops::ones(Shape{}, x.dtype(), x.device());
  // Bounds have their own slope at 0, where elu's has none.
  const Tensor least = pass.recorded() ? where_false(compare(BinaryOp::kGe, x, 0.0), x)
                                       : bounded(x, std::nullopt, 0.0);
  const Tensor below = mul(exp(least), alpha);
  pass.accumulate_grad(0, mul(pass.gradient(), where(compare(BinaryOp::kGt, x, 0.0), one, below)));
}

/// 0 everywhere, so that the slope's own gradient is there in a recorded pass, as zeros.
Tensor flat_zero(const Tensor& x) {
  return mul(sign(where_false(ops::unary(UnaryOp::kIsNan, x), x)), 0.0);
}

void leaky_relu(Pass& pass, const Inputs& inputs, double negative_slope) {
  const Tensor x = in_float(inputs[0]);
  const Tensor one = ops::ones(Shape{}, x.dtype(), x.device());
  const Tensor below = add(pass.recorded() ? flat_zero(x) : mul(one, 0.0), negative_slope);
  pass.accumulate_grad(0, mul(pass.gradient(), where(compare(BinaryOp::kGt, x, 0.0), one, below)));
}

/// input - target between -most and most, flat from these on: its own slope is 0 at both.
Tensor bounded_difference(const Pass& pass, const Inputs& inputs, double most) {
  const Tensor difference = sub(inputs[0], inputs[1]);
  if (!pass.recorded()) return bounded(difference, -most, most);
  const Tensor inside = compare(BinaryOp::kLt, ops::unary(UnaryOp::kAbs, difference), most);
  return where(inside, difference, mul(sign(difference), most));
}

void smooth_l1(Pass& pass, const Inputs& inputs, double beta) {
  accumulate_difference(pass, div(bounded_difference(pass, inputs, beta), beta));
}

void huber(Pass& pass, const Inputs& inputs, double delta) {
  accumulate_difference(pass, bounded_difference(pass, inputs, delta));
}

/// `least` is what the product of both probabilities is at least taken for: the logarithm's own
/// gradient overflows near 0.
void binary_cross_entropy(Pass& pass, const Inputs& inputs, double least) {
  const Tensor &g = pass.gradient(), &p = inputs[0], &target = inputs[1];
  if (pass.needs_input_grad(0)) {
    const Tensor variance = bounded(mul(sub(1.0, p), p), least, std::nullopt);
    pass.accumulate_grad(0, mul(g, div(sub(p, target), variance)));
  }
  if (pass.needs_input_grad(1))
    pass.accumulate_grad(1, mul(g, sub(unary(UnaryOp::kLog1p, neg(p)), log(p))));
}

Tensor log_of_sigmoid(const Tensor& x) {
  return neg(
      binary(BinaryOp::kLogaddexp, neg(x), zeros_of(GradientKind(Shape{}, x.dtype(), x.device()))));
}

/// Of logits, targets and the weight of the positive class.
void binary_cross_entropy_with_logits(Pass& pass, const Inputs& inputs, double) {
  const Tensor &g = pass.gradient(), &x = inputs[0], &target = inputs[1], &weight = inputs[2];
  if (pass.needs_input_grad(0)) {
    const Tensor share = add(mul(add(weight, -1.0), target), 1.0);
    pass.accumulate_grad(0, mul(g, sub(sub(1.0, target), mul(share, sigmoid(neg(x))))));
  }
  if (pass.needs_input_grad(1)) {
    const Tensor yes = log_of_sigmoid(x), no = log_of_sigmoid(neg(x));
    pass.accumulate_grad(1, mul(g, sub(no, mul(weight, yes))));
  }
  if (pass.needs_input_grad(2))
    pass.accumulate_grad(2, mul(g, neg(mul(target, log_of_sigmoid(x)))));
}

struct NamedFormula {
  const char* name;  ///< the node's
  std::size_t inputs;
  void (*run)(Pass& pass, const Inputs& inputs, double parameter);
};

constexpr NamedFormula kFormulas[] = {
    {"BinaryCrossEntropyBackward0", 2, binary_cross_entropy},
    {"BinaryCrossEntropyWithLogitsBackward0", 3, binary_cross_entropy_with_logits},
    {"EluBackward0", 1, elu},
    {"HuberLossBackward0", 2, huber},
    {"LeakyReluBackward0", 1, leaky_relu},
    {"SiluBackward0", 1, silu},
    {"SmoothL1LossBackward0", 2, smooth_l1},
};

const NamedFormula& formula_of(std::string_view name, std::size_t inputs) {
  for (const NamedFormula& formula : kFormulas) {
    if (name == formula.name && inputs == formula.inputs) return formula;
  }
  throw ValueError(concat("with_slopes: no formula '", name, "' of ", inputs, " inputs"));
}

}  // namespace

Tensor with_slopes(std::string_view name, const Tensor& value, std::span<const Tensor> inputs,
                   double parameter) {
  const NamedFormula& formula = formula_of(name, inputs.size());
  const Tensor out = detached(value);
  if (!records(inputs)) return out;
  std::array<SavedTensor, kMostInputs> saved;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    saved[i] = SavedTensor::input(static_cast<int>(i), inputs[i]);
  record(out, formula.name, detail::edges_to(inputs), [&formula, parameter, saved](Pass& pass) {
    Inputs values;
    for (std::size_t i = 0; i < formula.inputs; ++i) values[i] = pass(saved[i]);
    formula.run(pass, values, parameter);
  });
  return out;
}

}  // namespace gpukit::autograd
