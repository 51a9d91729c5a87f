// What formulas are written with: recorded arithmetic, so that a pass with create_graph has a graph
// of its own (in any other nothing is recorded), and gradients brought into the form that their
// receiver has.
#pragma once

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "core/scalar.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

inline Tensor add(const Tensor& a, const Tensor& b) { return binary(BinaryOp::kAdd, a, b); }
inline Tensor sub(const Tensor& a, const Tensor& b) { return binary(BinaryOp::kSub, a, b); }
inline Tensor mul(const Tensor& a, const Tensor& b) { return binary(BinaryOp::kMul, a, b); }
inline Tensor div(const Tensor& a, const Tensor& b) { return binary(BinaryOp::kDiv, a, b); }
inline Tensor add(const Tensor& a, double b) {
  return binary(BinaryOp::kAdd, a, Scalar::floating(b));
}
inline Tensor mul(const Tensor& a, double b) {
  return binary(BinaryOp::kMul, a, Scalar::floating(b));
}
inline Tensor div(const Tensor& a, double b) {
  return binary(BinaryOp::kDiv, a, Scalar::floating(b));
}
inline Tensor pow(const Tensor& a, double b) {
  return binary(BinaryOp::kPow, a, Scalar::floating(b));
}
/// a - b
inline Tensor sub(double a, const Tensor& b) {
  return binary(BinaryOp::kSub, Scalar::floating(a), b);
}
inline Tensor neg(const Tensor& a) { return unary(UnaryOp::kNeg, a); }
inline Tensor square(const Tensor& a) { return unary(UnaryOp::kSquare, a); }
inline Tensor exp(const Tensor& a) { return unary(UnaryOp::kExp, a); }
inline Tensor log(const Tensor& a) { return unary(UnaryOp::kLog, a); }
inline Tensor sign(const Tensor& a) { return unary(UnaryOp::kSign, a); }
inline Tensor rsqrt(const Tensor& a) { return unary(UnaryOp::kRsqrt, a); }
inline Tensor sin(const Tensor& a) { return unary(UnaryOp::kSin, a); }
inline Tensor cos(const Tensor& a) { return unary(UnaryOp::kCos, a); }
inline Tensor sinh(const Tensor& a) { return unary(UnaryOp::kSinh, a); }
inline Tensor cosh(const Tensor& a) { return unary(UnaryOp::kCosh, a); }
inline Tensor sigmoid(const Tensor& a) { return unary(UnaryOp::kSigmoid, a); }
/// Of other dtypes the tensor itself.
Tensor conj(const Tensor& a);

/// The gradients of complex numbers are torch's: of a real loss L with respect to z = x + iy,
/// dL/dx + i dL/dy. A derivative f'(z) is thus conjugated: g * conj(f'(z)). Formulas are written
/// for real numbers, as g * f'(z); this computes what they give for complex ones, and for real ones
/// calls them as they are.
template <class Formula>
Tensor conjugated(const Tensor& gradient, const Formula& formula) {
  if (!is_complex(gradient.dtype())) [[likely]]
    return formula(gradient);
  return conj(formula(conj(gradient)));
}

/// A step function: its own derivative is 0.
Tensor floor_divide(const Tensor& a, const Tensor& b);
/// g where y, a result of relu, is positive.
inline Tensor relu_gradient(const Tensor& g, const Tensor& y) {
  return binary(BinaryOp::kReluGradient, g, y);
}
/// A bool tensor: compare(BinaryOp::kGt, x, 0).
inline Tensor compare(BinaryOp op, const Tensor& a, double b) {
  return ops::binary(op, a, Scalar::floating(b));
}
Tensor zeros_like(const Tensor& tensor);
Tensor zeros_of(const GradientKind& kind);
/// The gradient where the mask is true, 0 (also for an infinite gradient) elsewhere.
Tensor where_true(const Tensor& mask, const Tensor& gradient);
Tensor where_false(const Tensor& mask, const Tensor& gradient);

/// Brings a gradient into the shape, dtype and device of what it belongs to: sums over dimensions
/// that were broadcast.
Tensor sum_to_shape(Tensor gradient, const GradientKind& kind);

}  // namespace gpukit::autograd
