#include "core/number_range.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_ops.h"
#include "kernels/philox.h"

namespace gpukit::cuda {

namespace cuda_random {
namespace {

constexpr int kRandomThreads = 256;
constexpr std::int64_t kBytesPerBlock = kRandomThreads * 16;

RandomKernelArgs kernel_args(const RandomArgs& args) {
  RandomKernelArgs kernel{};
  kernel.out = args.out;
  kernel.count = args.count;
  kernel.seed = args.seed;
  kernel.offset = args.offset;
  kernel.state = reinterpret_cast<const gk_u64*>(args.state);
  if (args.op == RandomOp::kUniform) {
    const FloatFormat format = float_format(args.dtype);
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
  return kernel;
}

}  // namespace
}  // namespace cuda_random

void CudaOps::random(const RandomArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  const RandomKernelArgs kernel = cuda_random::kernel_args(args);
  const std::size_t item = itemsize(args.dtype);
  const LaunchConfig config =
      blocks_for(args.count, cuda_random::kBytesPerBlock / static_cast<std::int64_t>(item),
                 cuda_random::kRandomThreads);
  const int variant = variant_of(args.dtype);
  switch (args.op) {
    case RandomOp::kUniform:
      return launcher_.launch<KernelGroup::kUniform>(variant, config, kernel, stream);
    case RandomOp::kNormal:
      return launcher_.launch<KernelGroup::kNormal>(variant, config, kernel, stream);
    default:
      return launcher_.launch<KernelGroup::kIntegers>(variant_of_itemsize(item), config, kernel,
                                                      stream);
  }
}

}  // namespace gpukit::cuda
