// Derivatives of Fourier transforms: the gradient goes through the transform of the other
// direction, with the same factor. gradient_math.h has the convention.
#include <array>

#include "autograd/fft.h"
#include "autograd/gradient_math.h"
#include "autograd/record.h"
#include "autograd/shape.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "tensor/view.h"

namespace gpukit::autograd {

namespace formulas_fft {
namespace {

/// The tensor cut, or continued with zeros, to the sizes that an input had in these dimensions.
Tensor resized(Tensor tensor, const Dims& dims, const Shape& shape) {
  for (const std::int64_t dim : dims) {
    const auto d = static_cast<int>(dim);
    const std::int64_t missing = shape[d] - tensor.size(d);
    if (missing < 0) tensor = autograd::narrow(tensor, d, 0, shape[d]);
    if (missing <= 0) continue;
    Shape more = tensor.shape();
    more[d] = missing;
    const std::array parts{tensor, ops::zeros(more, tensor.dtype(), tensor.device())};
    tensor = autograd::cat(parts, d);
  }
  return tensor;
}

/// How often each number of the first half stands for one of a real line of `size`.
Tensor uses(const Tensor& gradient, int dim, std::int64_t size) {
  Shape shape = Shape::filled(gradient.rank(), 1);
  shape[dim] = size / 2 + 1;
  const Tensor count = ops::full(shape, Scalar::integer(2), gradient.dtype(), gradient.device());
  ops::fill_(gpukit::narrow(count, dim, 0, 1), Scalar::integer(1));
  if (size % 2 == 0) ops::fill_(gpukit::narrow(count, dim, size / 2, 1), Scalar::integer(1));
  return count;
}

FftCall inverted(FftCall call) {
  call.inverse = !call.inverse;
  return call;
}

}  // namespace
}  // namespace formulas_fft

Tensor fft(const Tensor& input, const FftCall& call) {
  const Tensor out = ops::fft(input, call);
  if (!records(input)) return out;
  const bool real = !is_complex(input.dtype());
  const auto formula = [call, real, shape = input.shape()](Pass& pass) {
    const Tensor whole = autograd::fft(pass.gradient(), formulas_fft::inverted(call));
    const Tensor g = formulas_fft::resized(whole, call.dims, shape);
    pass.accumulate_grad(0, real ? autograd::real_part(g) : g);
  };
  if (real) {
    record(out, "FftR2CBackward0", {&input}, Once{formula});
  } else {
    record(out, "FftC2CBackward0", {&input}, formula);
  }
  return out;
}

Tensor fft_half(const Tensor& input, const FftCall& call) {
  const Tensor out = ops::fft_half(input, call);
  if (!records(input)) return out;
  const auto formula = [call, shape = input.shape()](Pass& pass) {
    const Tensor whole = autograd::fft(pass.gradient(), formulas_fft::inverted(call));
    pass.accumulate_grad(0, autograd::real_part(formulas_fft::resized(whole, call.dims, shape)));
  };
  record(out, "FftR2CBackward0", {&input}, Once{formula});
  return out;
}

Tensor fft_from_half(const Tensor& input, const FftCall& call) {
  const Tensor out = ops::fft_from_half(input, call);
  if (!records(input)) return out;
  record(out, "FftC2RBackward0", {&input}, [call, shape = input.shape()](Pass& pass) {
    const auto last = static_cast<int>(call.dims.back());
    const Tensor half = autograd::fft_half(pass.gradient(), formulas_fft::inverted(call));
    const Tensor g = mul(half, formulas_fft::uses(pass.gradient(), last, call.sizes.back()));
    pass.accumulate_grad(0, formulas_fft::resized(g, call.dims, shape));
  });
  return out;
}

}  // namespace gpukit::autograd
