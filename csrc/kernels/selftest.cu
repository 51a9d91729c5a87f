// A computation with a known result that proves that a device works: is_available() runs
// it.
#include "kernels/element.h"

namespace gpukit {

GK_KERNEL_BOUNDS(gk_selftest_u32, kElementThreads, const SelftestKernelArgs args) {
  // Through shared memory and a barrier, so that these are proved too.
  GK_SHARED(gk_u32, mirror, [kElementThreads]);
  const gk_u32 first = blockIdx.x * kElementThreads;
  const gk_u32 reversed = static_cast<gk_u32>(kElementThreads) - 1u - threadIdx.x;
  mirror[reversed] = selftest_answer(first + reversed, args.seed);
  __syncthreads();
  const gk_u32 i = first + threadIdx.x;
  if (i < args.count) args.out[i] = mirror[threadIdx.x];
}

}  // namespace gpukit
