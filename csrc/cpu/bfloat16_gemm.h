// Products of bfloat16 by the processor's dot products of pairs: the right side packed in pairs
// along the depth, float32 sums, rounded once.
#pragma once

#include "backend/device_ops.h"

namespace gpukit::cpu {

/// False where the processor has no such instruction (AVX-512 BF16 or AMX).
bool has_bfloat16_gemm() noexcept;

/// Of a and b one stride of each is 1; `args.k` is at least 1. Subnormal elements of both count as
/// zero.
void bfloat16_gemm(Workspace* workspace, const MatmulArgs& args);

}  // namespace gpukit::cpu
