// Functions of complex numbers.
#include "cuda/cuda_ops.h"

namespace gpukit::cuda {

namespace {
constexpr int kComplexThreads = 256;
}

void CudaOps::complex_function(const ComplexArgs& args, StreamRef stream) {
  ContextScope scope(context_);
  ComplexKernelArgs kernel{};
  kernel.out = args.out;
  kernel.left = args.left;
  kernel.right = args.right;
  kernel.count = args.count;
  kernel.left_step = args.left_step;
  kernel.right_step = args.right_step;
  kernel.op = static_cast<gk_i32>(args.op);
  kernel.wide = args.dtype == DType::kComplex128 ? 1 : 0;
  const LaunchConfig config = blocks_for(args.count, kComplexThreads, kComplexThreads);
  if (is_product(args.op)) {
    return launcher_.launch<KernelGroup::kComplexProduct>(variant_of(args.dtype), config, kernel,
                                                          stream);
  }
  launcher_.launch<KernelGroup::kComplexFunction>(0, config, kernel, stream);
}

}  // namespace gpukit::cuda
