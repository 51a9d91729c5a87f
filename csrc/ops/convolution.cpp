#include "ops/convolution.h"

#include "base/check.h"
#include "base/error.h"
#include "ops/complex.h"
#include "ops/creation.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

namespace gpukit::ops {

namespace convolution_impl {
namespace {

void check_operands(std::string_view op, const Tensor& left, const Tensor& right) {
  GPUKIT_CHECK(left.dtype() == right.dtype(), DTypeError, op, ": the operands are ",
               name(left.dtype()), " and ", name(right.dtype()),
               "; one dtype is needed. Convert one with .to().");
  check_real(op, left);
  GPUKIT_CHECK(left.dtype() != DType::kBool, DTypeError, op,
               ": not defined for bool tensors. Convert with .to('float32') first.");
  check_same_device(op, left, right);
  GPUKIT_CHECK(left.rank() == right.rank() && left.rank() >= 3 && left.rank() <= 5, ShapeError, op,
               ": the operands are ", to_string(left.shape()), " and ", to_string(right.shape()),
               "; both need 3 to 5 dimensions.");
}

/// (first, second, *rest).
Shape shape_of(std::int64_t first, std::int64_t second, const Dims& rest) {
  Shape shape{first, second};
  for (const std::int64_t size : rest) shape.push_back(size);
  return shape;
}

/// A number for each dimension of planes, `missing` for those in front that there are not.
ConvolutionArgs::Sizes in_three(const Dims& values, std::int64_t missing) {
  ConvolutionArgs::Sizes sizes{missing, missing, missing};
  for (int i = 0; i < values.size(); ++i)
    sizes[static_cast<std::size_t>(3 - values.size() + i)] = values[i];
  return sizes;
}
Dims planes_of(const Shape& shape) { return Dims(std::span(shape.begin() + 2, shape.end())); }

void check_steps(std::string_view op, const ConvolutionSteps& steps, int dims, const Dims& last) {
  GPUKIT_CHECK(steps.stride.size() == dims && steps.before.size() == dims &&
                   steps.dilation.size() == dims && last.size() == dims,
               ValueError, op, ": stride, before, dilation and the sizes need ", dims,
               dims == 1 ? " number each." : " numbers each.");
  for (int i = 0; i < dims; ++i)
    GPUKIT_CHECK(steps.stride[i] >= 1 && steps.dilation[i] >= 1 && last[i] >= 0, ValueError, op,
                 ": stride and dilation must be 1 or more, sizes 0 or more.");
}

/// The call of a convolution of these three shapes; the operands' addresses are missing.
ConvolutionArgs arguments(std::string_view op, const Shape& input, const Shape& weight,
                          const Shape& output, const ConvolutionSteps& steps) {
  GPUKIT_CHECK(steps.groups >= 1 && input[1] == weight[1] * steps.groups &&
                   output[1] == weight[0] && weight[0] % steps.groups == 0 && input[0] == output[0],
               ShapeError, op, ": input ", to_string(input), ", weight ", to_string(weight),
               " and output ", to_string(output), " do not fit, with groups=", steps.groups, ".");
  ConvolutionArgs args;
  args.batch = input[0];
  args.groups = steps.groups;
  args.input_channels = input[1];
  args.output_channels = output[1];
  args.sizes = in_three(planes_of(input), 1);
  args.kernel = in_three(planes_of(weight), 1);
  args.places = in_three(planes_of(output), 1);
  args.stride = in_three(steps.stride, 1);
  args.dilation = in_three(steps.dilation, 1);
  args.before = in_three(steps.before, 0);
  args.allow_tf32 = float32_matmul_precision() != MatmulPrecision::kHighest;
  return args;
}

/// An operand's field of the arguments, and its tensor.
struct Place {
  void* ConvolutionArgs::* field;
  Tensor tensor;
};

/// Runs a call. Without elements to add up the result is 0.
Tensor run(ConvolutionArgs args, ConvolutionPart part, const Place& left, const Place& right,
           const Place& out) {
  if (out.tensor.count() == 0) return out.tensor;
  if (left.tensor.count() == 0 || right.tensor.count() == 0) {
    fill_(out.tensor, Scalar::integer(0));
    return out.tensor;
  }
  args.part = part;
  args.dtype = out.tensor.dtype();
  for (const Place* place : {&left, &right, &out}) args.*(place->field) = place->tensor.data();
  const Call call(out.tensor);
  call.use(left.tensor, right.tensor, out.tensor);
  call.ops.convolution(args, call.stream);
  return out.tensor;
}

Place operand_at(void* ConvolutionArgs::* field, const Tensor& tensor) {
  return {field, contiguous(tensor)};
}
Place result_at(void* ConvolutionArgs::* field, const Tensor& like, const Shape& shape) {
  return {field, empty_on(like.open_device(), shape, like.dtype())};
}

}  // namespace
}  // namespace convolution_impl

Tensor convolution(std::string_view op, const Tensor& input, const Tensor& weight,
                   const ConvolutionSteps& steps, const Dims& places) {
  using namespace convolution_impl;
  check_operands(op, input, weight);
  check_steps(op, steps, input.rank() - 2, places);
  const Shape shape = shape_of(input.size(0), weight.size(0), places);
  return run(arguments(op, input.shape(), weight.shape(), shape, steps), ConvolutionPart::kOutput,
             operand_at(&ConvolutionArgs::input, input),
             operand_at(&ConvolutionArgs::weight, weight),
             result_at(&ConvolutionArgs::output, input, shape));
}

Tensor convolution_input(std::string_view op, const Tensor& output, const Tensor& weight,
                         const ConvolutionSteps& steps, const Dims& sizes) {
  using namespace convolution_impl;
  check_operands(op, output, weight);
  check_steps(op, steps, output.rank() - 2, sizes);
  const Shape shape = shape_of(output.size(0), weight.size(1) * steps.groups, sizes);
  return run(arguments(op, shape, weight.shape(), output.shape(), steps), ConvolutionPart::kInput,
             operand_at(&ConvolutionArgs::output, output),
             operand_at(&ConvolutionArgs::weight, weight),
             result_at(&ConvolutionArgs::input, output, shape));
}

Tensor convolution_weight(std::string_view op, const Tensor& input, const Tensor& output,
                          const ConvolutionSteps& steps, const Dims& kernel) {
  using namespace convolution_impl;
  check_operands(op, input, output);
  check_steps(op, steps, input.rank() - 2, kernel);
  GPUKIT_CHECK(steps.groups >= 1 && input.size(1) % steps.groups == 0, ShapeError, op,
               ": groups=", steps.groups, " does not divide the ", input.size(1), " channels.");
  const Shape shape = shape_of(output.size(1), input.size(1) / steps.groups, kernel);
  return run(arguments(op, input.shape(), shape, output.shape(), steps), ConvolutionPart::kWeight,
             operand_at(&ConvolutionArgs::input, input),
             operand_at(&ConvolutionArgs::output, output),
             result_at(&ConvolutionArgs::weight, input, shape));
}

}  // namespace gpukit::ops
