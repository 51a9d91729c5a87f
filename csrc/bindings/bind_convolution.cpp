// Convolutions. Private: gpukit.nn.functional gives them names and checks.
#include "autograd/convolution.h"
#include "bindings/row_texts.h"
#include "bindings/session_hook.h"
#include "bindings/signature.h"
#include "bindings/work.h"

namespace gpukit::bindings {

namespace bind_convolution {
namespace {

// (…, stride, before, dilation, groups) from argument `first` on.
ops::ConvolutionSteps steps_of(const Arguments& a, int first) {
  return {a.dims(first), a.dims(first + 1), a.dims(first + 2), a.integer(first + 3)};
}

/// Of a convolution whose result has `results` elements, each of a row of `weight`.
bool releases(const Tensor& operand, const Tensor& weight, double results) {
  if (operand.on_host()) prepare_cpu_blas();
  const std::int64_t rows = weight.rank() > 0 ? weight.size(0) : 1;
  const std::int64_t depth = rows == 0 ? 0 : weight.count() / rows;
  return releases_gil(ProductSize{.m = saturated(results), .n = 1, .k = depth}, operand);
}
double elements(const Dims& sizes) {
  double count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<double>(size);
  return count;
}
double size_at(const Tensor& tensor, int dim) {
  return tensor.rank() > dim ? static_cast<double>(tensor.size(dim)) : 1.0;
}

// (input, weight, bias, stride, before, dilation, groups, places)
PyObject* convolution(const Arguments& a) {
  const Tensor &input = a.tensor(0), &weight = a.tensor(1);
  const Tensor bias = a.given(2) ? a.tensor(2) : Tensor();
  const ops::ConvolutionSteps steps = steps_of(a, 3);
  const Dims places = a.dims(7);
  const double results = size_at(input, 0) * size_at(weight, 0) * elements(places);
  return wrap(run(releases(input, weight, results),
                  [&] { return autograd::convolution(input, weight, bias, steps, places); }));
}

// (input, weight, stride, before, dilation, groups, sizes)
PyObject* transposed(const Arguments& a) {
  const Tensor &input = a.tensor(0), &weight = a.tensor(1);
  const ops::ConvolutionSteps steps = steps_of(a, 2);
  const Dims sizes = a.dims(6);
  return wrap(run(releases(input, weight, static_cast<double>(input.count())),
                  [&] { return autograd::convolution_input(input, weight, steps, sizes); }));
}

// clang-format off
constexpr FunctionRow kConvolutionRows[] = {
  {.signature = "convolution(input, weight: Tensor, bias: Tensor | None, stride: Sequence[int], before: Sequence[int], dilation: Sequence[int], groups: int, places: Sequence[int])", .call = convolution, .cost = cost::kProduct,
   .doc = "A convolution of (N, C, *sizes) and (O, C / groups, *kernel): (N, O, *places).",
   .where = kFunction | kInner},
  {.signature = "convolution_transposed(input, weight: Tensor, stride: Sequence[int], before: Sequence[int], dilation: Sequence[int], groups: int, sizes: Sequence[int])", .call = transposed, .cost = cost::kProduct,
   .doc = "The transposed convolution of (N, O, *places) and (O, C / groups, *kernel): (N, C, *sizes).",
   .where = kFunction | kInner},
};
// clang-format on

}  // namespace
}  // namespace bind_convolution

template <>
FunctionTable& functions<Family::kConvolution>() {
  return function_table<bind_convolution::kConvolutionRows>();
}

}  // namespace gpukit::bindings
