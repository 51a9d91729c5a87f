#include "ops/fft.h"

#include "backend/fft_args.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"

namespace gpukit::ops {

namespace fft_impl {
namespace {

/// Transforms along one dimension, into `in` itself where it is `own` and stays as it is.
Tensor along(const Tensor& in, int dim, FftArgs args, DType dtype, bool own) {
  args.read = in.size(dim);
  const std::int64_t whole = args.kind == FftKind::kFromHalf ? args.size / 2 + 1 : args.size;
  args.read = std::min(args.read, whole);
  Shape shape = in.shape();
  shape[dim] = args.written();
  const bool same = own && shape == in.shape() && dtype == in.dtype();
  const Tensor out = same ? in : empty(shape, dtype, in.device(), "fft");
  if (out.count() == 0) return out;
  if (in.count() == 0) {
    fill_(out, Scalar::integer(0));
    return out;
  }
  args.in_step = in.strides()[dim];
  args.out_step = out.strides()[dim];
  args.in = operand(in);
  args.out = operand(out);
  args.lines = in.shape();
  args.lines.erase(dim);
  args.in.strides.erase(dim);
  args.out.strides.erase(dim);
  const Call call(in);
  call.use(in, out);
  call.ops.fft(args, call.stream);
  return out;
}

/// Complex transforms along the first `count` dimensions, the last of them first.
Tensor over(Tensor tensor, const FftCall& call, int count, double scale, bool own) {
  for (int i = count - 1; i >= 0; --i) {
    FftArgs args;
    args.inverse = call.inverse;
    args.scale = i == count - 1 ? scale : 1;
    args.size = call.sizes[i];
    tensor = along(tensor, call.dims[i], args, complex_dtype(tensor.dtype()), own);
    own = true;
  }
  return tensor;
}

}  // namespace
}  // namespace fft_impl

Tensor fft(const Tensor& input, const FftCall& call) {
  if (call.dims.empty()) return clone(cast(input, complex_dtype(input.dtype())));
  return fft_impl::over(input, call, call.dims.size(), call.scale, false);
}

Tensor fft_half(const Tensor& input, const FftCall& call) {
  const int last = call.dims.size() - 1;
  FftArgs args;
  args.kind = FftKind::kHalf;
  args.scale = call.scale;
  args.size = call.sizes[last];
  const Tensor half =
      fft_impl::along(input, call.dims[last], args, complex_dtype(input.dtype()), false);
  return fft_impl::over(half, call, last, 1, true);
}

Tensor fft_from_half(const Tensor& input, const FftCall& call) {
  const int last = call.dims.size() - 1;
  const Tensor lines = fft_impl::over(input, call, last, 1, false);
  FftArgs args;
  args.kind = FftKind::kFromHalf;
  args.inverse = true;
  args.scale = call.scale;
  args.size = call.sizes[last];
  return fft_impl::along(lines, call.dims[last], args, real_dtype(input.dtype()), false);
}

}  // namespace gpukit::ops
