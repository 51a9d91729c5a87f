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

/// Half types are computed in float32; the pass rounds once.
Tensor in_float(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::kFloat32) : x; }

Tensor bounded(const Tensor& x, std::optional<double> low, std::optional<double> high) {
  const auto bound = [](std::optional<double> value) {
    return value ? std::optional(Scalar::floating(*value)) : std::nullopt;
  };
  return clamp(x, bound(low), bound(high));
}

/// Of a function of input - target.
void give_slope_of_difference(Pass& pass, const Tensor& slope) {
  const Tensor g = mul(pass.gradient(), slope);
  if (pass.wants(0)) pass.give(0, g);
  if (pass.wants(1)) pass.give(1, neg(g));
}

void silu(Pass& pass, const Tensor& input, const Tensor&, double) {
  const Tensor x = in_float(input);
  const Tensor share = sigmoid(x);
  // Finite where x times the gradient is not.
  pass.give(0, mul(pass.gradient(), mul(share, add(mul(x, sub(1.0, share)), 1.0))));
}

void elu(Pass& pass, const Tensor& input, const Tensor&, double alpha) {
  const Tensor x = in_float(input);
  const Tensor one = ops::ones(Shape{}, x.dtype(), x.device());
  const Tensor below = mul(exp(bounded(x, std::nullopt, 0.0)), alpha);
  pass.give(0, mul(pass.gradient(), where(compare(BinaryOp::kGt, x, 0.0), one, below)));
}

void smooth_l1(Pass& pass, const Tensor& input, const Tensor& target, double beta) {
  give_slope_of_difference(pass, div(bounded(sub(input, target), -beta, beta), beta));
}

void huber(Pass& pass, const Tensor& input, const Tensor& target, double delta) {
  give_slope_of_difference(pass, bounded(sub(input, target), -delta, delta));
}

/// `least` is what the product of both probabilities is at least taken for: the logarithm's own
/// gradient overflows near 0.
void binary_cross_entropy(Pass& pass, const Tensor& p, const Tensor& target, double least) {
  const Tensor& g = pass.gradient();
  if (pass.wants(0)) {
    const Tensor variance = bounded(mul(sub(1.0, p), p), least, std::nullopt);
    pass.give(0, mul(g, div(sub(p, target), variance)));
  }
  if (pass.wants(1)) pass.give(1, mul(g, sub(unary(UnaryOp::kLog1p, neg(p)), log(p))));
}

struct NamedFormula {
  const char* name;  ///< the node's
  std::size_t inputs;
  void (*give)(Pass& pass, const Tensor& first, const Tensor& second, double parameter);
};

constexpr NamedFormula kFormulas[] = {
    {"BinaryCrossEntropyBackward0", 2, binary_cross_entropy},
    {"EluBackward0", 1, elu},
    {"HuberLossBackward0", 2, huber},
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
  const bool two = inputs.size() == 2;
  record(out, formula.name, detail::edges_to(inputs),
         [&formula, parameter, first = SavedTensor::input(0, inputs[0]),
          second = SavedTensor::input(1, inputs[two ? 1 : 0], two)](Pass& pass) {
           const Tensor other = second.tensor().defined() ? pass(second) : Tensor();
           formula.give(pass, pass(first), other, parameter);
         });
  return out;
}

}  // namespace gpukit::autograd
