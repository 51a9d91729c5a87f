// Products with one row or one column in the result. They wait for memory, so the matrix is read
// once, as stored, in long runs.
#pragma once

#include "cpu/cpu_ops.h"

namespace gpukit::cpu {

/// Of every floating dtype, with m == 1 or n == 1, and k at least 1. Of the matrix one stride is 1
/// (but along a size of 1), and its address is aligned to its elements.
void vector_product(CpuOps& ops, Workspace* workspace, const MatmulArgs& args);

}  // namespace gpukit::cpu
