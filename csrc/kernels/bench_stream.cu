// Bandwidth probes: copy, read and write of 16-byte vectors, four independent ones a thread.
#include "kernels/element.h"

namespace gpukit {

inline constexpr int kProbeThreads = 256;
inline constexpr int kProbeVectors = 4;

GK_FN gk_i64 probe_vector(int v) {
  return (static_cast<gk_i64>(blockIdx.x) * kProbeVectors + v) * kProbeThreads +
         static_cast<gk_i64>(threadIdx.x);
}

GK_KERNEL_BOUNDS(gk_stream_copy, kProbeThreads, const StreamKernelArgs args) {
  uint4 vectors[kProbeVectors];
  GK_UNROLL
  for (int v = 0; v < kProbeVectors; ++v) {
    vectors[v] = make_uint4(0, 0, 0, 0);
    if (probe_vector(v) < args.vectors)
      vectors[v] = static_cast<const uint4*>(args.in)[probe_vector(v)];
  }
  GK_UNROLL
  for (int v = 0; v < kProbeVectors; ++v) {
    if (probe_vector(v) < args.vectors) static_cast<uint4*>(args.out)[probe_vector(v)] = vectors[v];
  }
}

/// Stores the folded data only where they equal `value`, which keeps the loads without writing
/// anything.
GK_KERNEL_BOUNDS(gk_stream_read, kProbeThreads, const StreamKernelArgs args) {
  gk_u32 folded = 0;
  GK_UNROLL
  for (int v = 0; v < kProbeVectors; ++v) {
    if (probe_vector(v) >= args.vectors) continue;
    const uint4 vector = static_cast<const uint4*>(args.in)[probe_vector(v)];
    folded ^= vector.x ^ vector.y ^ vector.z ^ vector.w;
  }
  if (folded == args.value) *static_cast<gk_u32*>(args.out) = folded;
}

GK_KERNEL_BOUNDS(gk_stream_write, kProbeThreads, const StreamKernelArgs args) {
  GK_UNROLL
  for (int v = 0; v < kProbeVectors; ++v) {
    if (probe_vector(v) < args.vectors) {
      static_cast<uint4*>(args.out)[probe_vector(v)] =
          make_uint4(args.value, args.value, args.value, args.value);
    }
  }
}

}  // namespace gpukit
