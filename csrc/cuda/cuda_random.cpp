#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"
#include "kernels/philox.h"

namespace gpukit::cuda {

namespace {

constexpr int kRandomThreads = 256;

/// Bits of precision and exponent of the smallest step, as uniform_limits wants them.
struct FloatFormat {
  int precision, smallest_exponent;
};

FloatFormat format_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat16:
      return {11, -24};
    case DType::kBFloat16:
      return {8, -133};
    case DType::kFloat32:
      return {24, -149};
    default:
      return {53, -1074};
  }
}

RandomKernelArgs kernel_args(const RandomArgs& args) {
  RandomKernelArgs kernel{};
  kernel.out = args.out;
  kernel.count = args.count;
  kernel.seed = args.seed;
  kernel.offset = args.offset;
  kernel.state = reinterpret_cast<const gk_u64*>(args.state);
  if (args.op == RandomOp::kUniform) {
    const FloatFormat format = format_of(args.dtype);
    const UniformRange<double> limits =
        uniform_limits(args.low, args.high, format.precision, format.smallest_exponent);
    kernel.low = limits.low;
    kernel.span = limits.span;
    kernel.below_high = limits.below_high;
  } else {
    kernel.low = args.low;    // mean
    kernel.span = args.high;  // deviation
  }
  kernel.low_int = args.low_int;
  kernel.span_int = static_cast<gk_u64>(args.high_int) - static_cast<gk_u64>(args.low_int);
  kernel.dtype = static_cast<gk_i32>(args.dtype);
  return kernel;
}

}  // namespace

void CudaOps::random(const RandomArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const RandomKernelArgs kernel = kernel_args(args);
  const bool by_two = args.op == RandomOp::kIntegers || args.dtype == DType::kFloat64;
  const std::int64_t philox_blocks = (args.count + (by_two ? 1 : 3)) / (by_two ? 2 : 4);
  const LaunchConfig config = blocks_for(philox_blocks, kRandomThreads, kRandomThreads);
  const int variant = variant_of(args.dtype);
  switch (args.op) {
    case RandomOp::kUniform:
      return launcher_.launch<KernelGroup::kUniform>(variant, config, kernel, stream);
    case RandomOp::kNormal:
      return launcher_.launch<KernelGroup::kNormal>(variant, config, kernel, stream);
    default:
      return launcher_.launch<KernelGroup::kIntegers>(0, config, kernel, stream);
  }
}

}  // namespace gpukit::cuda
