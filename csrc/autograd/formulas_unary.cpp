// Functions of one operand: which value each derivative needs, and the derivative.
#include <array>
#include <cmath>
#include <numbers>

#include "autograd/elementwise.h"
#include "autograd/gradient_math.h"
#include "autograd/record.h"

namespace gpukit::autograd {

namespace {

enum class Saves { kNothing, kInput, kResult };

/// `value` is the input x or the result y, whichever `saves` names.
struct UnaryFormula {
  const char* name = nullptr;  ///< null: the result has no gradient at all
  Saves saves = Saves::kNothing;
  Tensor (*gradient)(const Tensor& g, const Tensor& value) = nullptr;
};

Tensor gelu_gradient(const Tensor& g, const Tensor& x) {
  const Tensor below =
      mul(add(ops::unary(UnaryOp::kErf, mul(x, std::numbers::sqrt2 / 2)), 1.0), 0.5);
  const double scale = std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2;
  const Tensor density = mul(exp(mul(square(x), -0.5)), scale);
  return mul(g, add(below, mul(x, density)));
}

/// 1 - x², where it is the square of a sine.
Tensor one_minus_square(const Tensor& x) { return sub(1.0, square(x)); }

/// The sign, and 0 of NaN: the slope that torch's abs has there.
Tensor sign_or_zero(const Tensor& x) {
  return where_false(ops::unary(UnaryOp::kIsNan, x), sign(x));
}

constexpr auto kZero = [](const Tensor& g, const Tensor&) { return zeros_like(g); };

using T = const Tensor&;

UnaryFormula formula_of(UnaryOp op) {
  using enum Saves;
  switch (op) {
    case UnaryOp::kNeg:
      return {"NegBackward0", kNothing, [](T g, T) { return neg(g); }};
    case UnaryOp::kAbs:
      return {"AbsBackward0", kInput, [](T g, T x) { return mul(g, sign_or_zero(x)); }};
    case UnaryOp::kSquare:
      return {"PowBackward0", kInput, [](T g, T x) { return mul(g, mul(x, 2.0)); }};
    case UnaryOp::kSqrt:
      return {"SqrtBackward0", kResult, [](T g, T y) { return div(g, mul(y, 2.0)); }};
    case UnaryOp::kRsqrt:
      return {"RsqrtBackward0", kResult,
              [](T g, T y) { return mul(g, mul(mul(square(y), y), -0.5)); }};
    case UnaryOp::kReciprocal:
      return {"ReciprocalBackward0", kResult, [](T g, T y) { return neg(mul(g, square(y))); }};
    case UnaryOp::kExp:
      return {"ExpBackward0", kResult, [](T g, T y) { return mul(g, y); }};
    case UnaryOp::kExpm1:
      // Of the input: the result is -1 long before the derivative is 0.
      return {"Expm1Backward0", kInput, [](T g, T x) { return mul(g, exp(x)); }};
    case UnaryOp::kLog:
      return {"LogBackward0", kInput, [](T g, T x) { return div(g, x); }};
    case UnaryOp::kLog1p:
      return {"Log1PBackward0", kInput, [](T g, T x) { return div(g, add(x, 1.0)); }};
    case UnaryOp::kLog2:
      return {"Log2Backward0", kInput, [](T g, T x) { return div(g, mul(x, std::numbers::ln2)); }};
    case UnaryOp::kLog10:
      return {"Log10Backward0", kInput,
              [](T g, T x) { return div(g, mul(x, std::numbers::ln10)); }};
    case UnaryOp::kSin:
      return {"SinBackward0", kInput,
              [](T g, T x) { return mul(g, ops::unary(UnaryOp::kCos, x)); }};
    case UnaryOp::kCos:
      return {"CosBackward0", kInput,
              [](T g, T x) { return neg(mul(g, ops::unary(UnaryOp::kSin, x))); }};
    case UnaryOp::kTan:
      return {"TanBackward0", kResult, [](T g, T y) { return mul(g, add(square(y), 1.0)); }};
    case UnaryOp::kAsin:
      return {"AsinBackward0", kInput, [](T g, T x) { return mul(g, rsqrt(one_minus_square(x))); }};
    case UnaryOp::kAcos:
      return {"AcosBackward0", kInput,
              [](T g, T x) { return neg(mul(g, rsqrt(one_minus_square(x)))); }};
    case UnaryOp::kAtan:
      return {"AtanBackward0", kInput, [](T g, T x) { return div(g, add(square(x), 1.0)); }};
    case UnaryOp::kSinh:
      return {"SinhBackward0", kInput,
              [](T g, T x) { return mul(g, ops::unary(UnaryOp::kCosh, x)); }};
    case UnaryOp::kCosh:
      return {"CoshBackward0", kInput,
              [](T g, T x) { return mul(g, ops::unary(UnaryOp::kSinh, x)); }};
    case UnaryOp::kTanh:
      return {"TanhBackward0", kResult, [](T g, T y) { return mul(g, one_minus_square(y)); }};
    case UnaryOp::kAsinh:
      return {"AsinhBackward0", kInput,
              [](T g, T x) { return mul(g, rsqrt(add(square(x), 1.0))); }};
    case UnaryOp::kAcosh:
      return {"AcoshBackward0", kInput,
              [](T g, T x) { return mul(g, rsqrt(add(square(x), -1.0))); }};
    case UnaryOp::kAtanh:
      return {"AtanhBackward0", kInput, [](T g, T x) { return div(g, one_minus_square(x)); }};
    case UnaryOp::kSigmoid:
      return {"SigmoidBackward0", kResult, [](T g, T y) { return mul(g, mul(y, sub(1.0, y))); }};
    case UnaryOp::kRelu:
      return {"ReluBackward0", kResult,
              [](T g, T y) { return ops::binary(BinaryOp::kReluGradient, g, y); }};
    case UnaryOp::kGelu:
      return {"GeluBackward0", kInput, gelu_gradient};
    case UnaryOp::kErf:
      return {"ErfBackward0", kInput, [](T g, T x) {
                return mul(g, mul(exp(neg(square(x))), 2.0 * std::numbers::inv_sqrtpi));
              }};
    case UnaryOp::kSign:
      return {"SignBackward0", kNothing, kZero};
    case UnaryOp::kFloor:
      return {"FloorBackward0", kNothing, kZero};
    case UnaryOp::kCeil:
      return {"CeilBackward0", kNothing, kZero};
    case UnaryOp::kRound:
      return {"RoundBackward0", kNothing, kZero};
    case UnaryOp::kTrunc:
      return {"TruncBackward0", kNothing, kZero};
    default:
      return {};
  }
}

}  // namespace

Tensor recorded::unary(UnaryOp op, const Tensor& input) {
  const Tensor out = ops::unary(op, input);
  const UnaryFormula formula = formula_of(op);
  if (formula.name == nullptr || !grad_enabled()) return out;
  if (formula.saves == Saves::kNothing) {
    record(out, formula.name, {&input}, [gradient = formula.gradient](Pass& pass) {
      pass.give(0, gradient(pass.gradient(), pass.gradient()));
    });
    return out;
  }
  const SavedTensor saved(formula.saves == Saves::kInput ? input : out);
  record(out, formula.name, {&input}, [gradient = formula.gradient, saved](Pass& pass) {
    pass.give(0, gradient(pass.gradient(), pass(saved)));
  });
  return out;
}

void unary_(UnaryOp op, const Tensor& target) {
  if (!records(target)) return ops::unary_(op, target);
  replace_in_place(std::string(ops::name(op)) + "_", target,
                   [op](const Tensor& before) { return recorded::unary(op, before); });
}

}  // namespace gpukit::autograd
