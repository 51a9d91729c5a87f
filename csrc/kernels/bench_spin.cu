// A kernel that holds its stream until the host releases it, so that work can be queued after it
// unseen. It always ends by itself: the clock is checked at every turn.
#include "kernels/element.h"

namespace gpukit {

GK_FN gk_u64 nanoseconds() {
#if defined(__CUDACC__)
  gk_u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  return static_cast<gk_u64>(clock64());
#endif
}

GK_KERNEL_BOUNDS(gk_spin, 1, const SpinKernelArgs args) {
  const gk_u64 start = nanoseconds();
  while (*args.release == 0 && nanoseconds() - start < args.timeout_ns) {
  }
}

}  // namespace gpukit
